// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/container/container_command.h>
#include <remote/agent/container/container_failure.h>
#include <remote/agent/container/node_container.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace rankscope::agent {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

wire::Container container(const std::string& runtime, const std::string& image) {
    wire::Container made;
    made.set_runtime(runtime);
    made.set_image(image);
    return made;
}

ContainerPlace place() {
    ContainerPlace made;
    made.name = "rankscope-1-0";
    made.folders = {"/home/u/.cache/rankscope"};
    made.user = 1000;
    made.group = 100;
    return made;
}

const std::vector<std::string> kProgram{"/home/u/.cache/rankscope/bin/agent", "container-init", "/run/dir"};

TEST(ContainerCommand, SharesTheNodesNetworkProcessesAndMemory) {
    const auto words = container_command(container("podman", "image"), place(), kProgram);
    EXPECT_EQ(words.front(), "podman");
    for (const char* word :
         {"--network=host", "--pid=host", "--ipc=host", "--rm", "--pull=never", "--name=rankscope-1-0",
          "--volume=/home/u/.cache/rankscope:/home/u/.cache/rankscope"}) {
        EXPECT_THAT(words, Contains(word));
    }
    const std::vector<std::string> end(words.end() - 4, words.end());
    EXPECT_THAT(end, ElementsAre("--entrypoint=" + kProgram[0], "image", "container-init", "/run/dir"));
}

TEST(ContainerCommand, LeavesToTheJobWhatItSaysItself) {
    auto own = container("podman", "image");
    own.add_options("--network=none");
    own.add_mounts("/elsewhere:/home/u/.cache/rankscope:ro");
    const auto words = container_command(own, place(), kProgram);
    EXPECT_THAT(words, Not(Contains("--network=host")));
    EXPECT_THAT(words, Contains("--network=none"));
    EXPECT_THAT(words, Contains("--volume=/elsewhere:/home/u/.cache/rankscope:ro"));
    EXPECT_THAT(words, Not(Contains("--volume=/home/u/.cache/rankscope:/home/u/.cache/rankscope")));
}

TEST(ContainerCommand, GivesDockerTheUserAndTheGpus) {
    auto with_gpus = place();
    with_gpus.gpus = true;
    const auto docker = container_command(container("docker", "image"), with_gpus, kProgram);
    EXPECT_THAT(docker, Contains("--user=1000:100"));
    EXPECT_THAT(docker, Contains("--gpus=all"));
    const auto podman = container_command(container("podman", "image"), with_gpus, kProgram);
    EXPECT_THAT(podman, Contains("--device=nvidia.com/gpu=all"));
    EXPECT_THAT(podman, Not(Contains("--user=1000:100")));
    auto one = container("podman", "image");
    one.add_options("--device=nvidia.com/gpu=1");
    EXPECT_THAT(container_command(one, with_gpus, kProgram), Not(Contains("--device=nvidia.com/gpu=all")));
    auto chosen = container("docker", "image");
    chosen.add_options("--gpus=device=1");
    chosen.add_options("--user=0");
    const auto words = container_command(chosen, with_gpus, kProgram);
    EXPECT_THAT(words, Not(Contains("--gpus=all")));
    EXPECT_THAT(words, Not(Contains("--user=1000:100")));
}

TEST(ContainerCommand, EntersAContainerThatRuns) {
    wire::Container running;
    running.set_runtime("docker");
    running.set_name("training");
    EXPECT_THAT(
        container_command(running, place(), kProgram),
        ElementsAre("docker", "exec", "--user=1000:100", "training", kProgram[0], kProgram[1], kProgram[2]));
    EXPECT_TRUE(container_removal(running, "rankscope-1-0").empty());
    running.set_runtime("apptainer");
    EXPECT_THAT(container_command(running, place(), kProgram), Contains("instance://training"));
}

TEST(ContainerCommand, BindsFoldersOfApptainerAndEnroot) {
    auto with_gpus = place();
    with_gpus.gpus = true;
    const auto apptainer =
        container_command(container("apptainer", "/images/torch.sif"), with_gpus, kProgram);
    for (const char* word :
         {"exec", "--cleanenv", "--nv", "--bind=/home/u/.cache/rankscope:/home/u/.cache/rankscope",
          "/images/torch.sif"}) {
        EXPECT_THAT(apptainer, Contains(word));
    }
    const auto enroot = container_command(container("enroot", "/images/torch.sqsh"), with_gpus, kProgram);
    EXPECT_THAT(enroot, Contains("NVIDIA_VISIBLE_DEVICES=all"));
    EXPECT_THAT(enroot,
                Contains("/home/u/.cache/rankscope:/home/u/.cache/rankscope:none:x-create=auto,rbind"));
    EXPECT_TRUE(container_removal(container("enroot", "x"), "name").empty());
    EXPECT_TRUE(image_check(container("apptainer", "x.sif")).empty());
}

TEST(ContainerCommand, MountsFoldersThatExistOnce) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("rankscope-place-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder / "data");
    auto job = container("podman", "image");
    job.add_folders((folder / "data").string());
    job.add_folders((folder / "absent").string());
    job.add_output_folders((folder / "out").string());
    const auto made = container_place(job, "name", {folder});
    EXPECT_THAT(made.folders, ElementsAre(folder)) << "what lies below it comes with it";
    EXPECT_TRUE(std::filesystem::is_directory(folder / "out"));
    const auto apart = container_place(job, "name", {});
    EXPECT_THAT(apart.folders, ElementsAre(folder / "data", folder / "out"));
    std::filesystem::remove_all(folder);
}

TEST(ContainerCommand, ChoosesTheRuntimeByTheImage) {
    EXPECT_EQ(with_runtime(container("auto", "/x/image.sqsh")).runtime(), "enroot");
    EXPECT_EQ(with_runtime(container("auto", "/x/image.sif")).runtime(), "apptainer");
    EXPECT_EQ(with_runtime(container("docker", "/x/image.sif")).runtime(), "docker");
}

TEST(ContainerFailure, KnowsWhatRuntimesSay) {
    const auto code = [](const std::string& said) {
        return container_failure(container("docker", "image"), said).code;
    };
    EXPECT_EQ(code("docker: permission denied while trying to connect to the Docker daemon socket at "
                   "unix:///var/run/docker.sock"),
              "container-denied");
    EXPECT_EQ(code("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon "
                   "running?"),
              "container-denied");
    EXPECT_EQ(code("docker: Error response from daemon: could not select device driver \"\" with "
                   "capabilities: [[gpu]]."),
              "container-gpu");
    EXPECT_EQ(code("Error: setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all"),
              "container-gpu");
    EXPECT_EQ(code("Error: localhost/absent: image not known"), "no-container-image");
    EXPECT_EQ(code("Error: short-name \"absent\" did not resolve to an alias and no unqualified-search "
                   "registries are defined"),
              "no-container-image");
    EXPECT_EQ(code("docker: Error response from daemon: No such image: absent:latest."),
              "no-container-image");
    EXPECT_EQ(code("Error: no container with name or ID \"x\" found: no such container"), "no-container");
    EXPECT_EQ(code("Error: can only create exec sessions on running containers: container state improper"),
              "no-container");
    EXPECT_EQ(code("Error: statfs /data: no such file or directory"), "container-folder");
    EXPECT_EQ(code("Error: unknown flag: --colour"), "container-start");
}

TEST(ContainerFailure, KeepsTheLastLineAndNamesRuntimeAndImage) {
    const auto failure = container_failure(container("podman", "image"),
                                           "1\nError: 4\ntime=\"now\"\nSee 'docker run --help'.\n\n");
    EXPECT_EQ(failure.detail, "Error: 4");
    const std::string usage =
        "unknown flag: --colour\n\nUsage:  docker run [OPTIONS] IMAGE\n\nRun 'docker run --help' for more "
        "information";
    EXPECT_EQ(container_failure(container("docker", "image"), usage).detail, "unknown flag: --colour");
    EXPECT_THAT(failure.args, ElementsAre("podman", "image"));
}

TEST(NodeContainer, ReadsTheProcessIdOfItsOwnNamespace) {
    EXPECT_EQ(innermost_pid("Name:\tsh\nNSpid:\t4711\nNSpgid:\t4711\n"), 4711);
    EXPECT_EQ(innermost_pid("Name:\tsh\nNSpid:\t4711\t17\t1\n"), 1);
    EXPECT_EQ(innermost_pid("Name:\tsh\n"), 0);
}

}  // namespace
}  // namespace rankscope::agent
