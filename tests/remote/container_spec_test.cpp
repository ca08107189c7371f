// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/preflight/container_spec.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

using testing::Contains;
using testing::ElementsAre;

JobRead job_with(const std::string& container,
                 const std::string& rest = "command: [python3, /code/train.py]") {
    return parse_job(
        "name: x\nnodes: [a]\n" + rest + "\n" + (container.empty() ? "" : "container: " + container + "\n"),
        "x.yaml");
}

TEST(JobContainer, IsReadAndWritten) {
    const auto done = job_with(
        "{ runtime: docker, image: 'nvcr.io/pytorch:1', mounts: ['/data:/data:ro', ~/sets], "
        "options: [--memory=8g] }");
    ASSERT_TRUE(done.problems.empty()) << to_line(done.problems.front());
    const JobContainer& container = done.job.container;
    EXPECT_EQ(container.runtime, ContainerRuntime::Docker);
    EXPECT_EQ(container.image, "nvcr.io/pytorch:1");
    EXPECT_THAT(container.mounts, ElementsAre("/data:/data:ro", "~/sets"));
    EXPECT_EQ(parse_job(to_yaml(done.job), "x.yaml").job.container, container);
}

TEST(JobContainer, RefusesWhatIsNoContainer) {
    const auto problem = [](const std::string& container) {
        const auto done = job_with(container);
        return done.problems.empty() ? std::string() : to_line(done.problems.front());
    };
    EXPECT_THAT(problem("{ image: a, name: b }"), testing::HasSubstr("container.name"));
    EXPECT_THAT(problem("{ runtime: docker }"), testing::HasSubstr("names neither image nor container"));
    EXPECT_THAT(problem("{ image: a, runtime: lxc }"), testing::HasSubstr("podman"));
    EXPECT_THAT(problem("{ image: a, mounts: [data] }"), testing::HasSubstr("\"data\" is not a mount"));
    EXPECT_THAT(problem("{ image: a, mounts: ['/a:b'] }"), testing::HasSubstr("is not a mount"));
    EXPECT_THAT(problem("{ name: a, mounts: ['/a:/b'] }"), testing::HasSubstr("container.mounts"));
}

TEST(ContainerSpec, MountsWhatTheJobNames) {
    const auto spec = container_spec(
        job_with("{ image: a }",
                 "command: [python3, /code/train.py, --data, /data/imagenet]\nworkdir: ~/proj\nlog_dir: logs")
            .job);
    EXPECT_EQ(spec.runtime(), "auto");
    for (const char* folder : {"~/proj", "/code", "/data/imagenet"}) {
        EXPECT_THAT(spec.folders(), Contains(folder));
    }
    EXPECT_THAT(spec.output_folders(), ElementsAre("~/proj/logs"));
}

TEST(ContainerSpec, KeepsCheckpointsOfOurEngineOnTheNode) {
    const std::string train =
        "train: { model: convnet, dataset: { name: mnist, root: /data/mnist }, checkpoint: { folder: ./kept "
        "} }";
    const auto spec = container_spec(job_with("{ image: a }", train).job);
    EXPECT_THAT(spec.output_folders(), ElementsAre("~/kept"));
    EXPECT_THAT(spec.folders(), ElementsAre("/data/mnist"));
}

}  // namespace
}  // namespace rankscope
