// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/config/job_container.h>
#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs {

const char* to_string(ContainerRuntime runtime) {
    switch (runtime) {
        case ContainerRuntime::Auto:
            return "auto";
        case ContainerRuntime::Podman:
            return "podman";
        case ContainerRuntime::Docker:
            return "docker";
        case ContainerRuntime::Apptainer:
            return "apptainer";
        case ContainerRuntime::Enroot:
            return "enroot";
    }
    return "auto";
}

bool is_mount(const std::string& mount) {
    const auto parts = split(mount, ':');
    const bool source = parts[0].starts_with('/') || parts[0] == "~" || parts[0].starts_with("~/");
    return source && parts.size() <= 3 && (parts.size() < 2 || parts[1].starts_with('/')) &&
           (parts.size() < 3 || parts[2] == "ro" || parts[2] == "rw");
}

namespace job_key_parts {
namespace {

using config::KeyInfo;
using config::KeyReader;
using nlohmann::json;

constexpr const char* kContainer = "Container";

KeyInfo in_container(KeyInfo info) {
    info.group = kContainer;
    info.scope = config::Scope::Node;
    return info;
}

KeyInfo rare_in_container(KeyInfo info) {
    info.rare = true;
    return in_container(std::move(info));
}

void read_mounts(const KeyReader& reader, Job& job) {
    if (!read_value(reader, job.container.mounts)) {
        return;
    }
    for (const auto& mount : job.container.mounts) {
        if (!is_mount(mount)) {
            reader.add(text(kJobContext, "\"%1\" is not a mount", {mount}),
                       text(kJobContext,
                            "Write SOURCE:TARGET or SOURCE:TARGET:ro with whole paths, such as "
                            "/data:/data:ro."));
        }
    }
}

}  // namespace

void add_container(JobKeyTable& table) {
    table.sections.push_back({.path = "container", .example = "container: { image: pytorch/pytorch }"});
    add(table, "container.image", RANKSCOPE_JOB_MEMBER(container.image),
        in_container({.label = "Container image",
                      .help = "The ranks run in a container of this image, one on each node, with the node's "
                              "network, /dev/shm and GPUs. A node that lacks it pulls it. Or a file on the "
                              "nodes (.sif, .sqsh).",
                      .absent = "none: on the nodes themselves",
                      .example = "image: pytorch/pytorch"}));
    add(table, "container.name", RANKSCOPE_JOB_MEMBER(container.name),
        rare_in_container({.label = "Running container",
                           .help =
                               "A container that runs on every node already, instead of image. The folder "
                               "~/.cache/rankscope must be mounted in it at the same path.",
                           .absent = "none",
                           .example = "name: training"}));
    table.keys.push_back(config::choice_key<Job, ContainerRuntime>(
        "container.runtime", RANKSCOPE_JOB_MEMBER(container.runtime),
        {{"auto", ContainerRuntime::Auto},
         {"podman", ContainerRuntime::Podman},
         {"docker", ContainerRuntime::Docker},
         {"apptainer", ContainerRuntime::Apptainer},
         {"enroot", ContainerRuntime::Enroot}},
        rare_in_container({.label = "Container runtime",
                           .help = "auto: of the image's kind, else the first of them that a node has."})));
    add_special(
        table, "container.mounts",
        rare_in_container({.kind = config::KeyKind::Words,
                           .label = "Mounts",
                           .help = "SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro. Folders that the job names "
                                   "and the node has are mounted anyway.",
                           .absent = "none",
                           .example = "mounts: ['/data:/data:ro']"}),
        read_mounts, [](const Job& job) -> json { return job.container.mounts; });
    add(table, "container.options", RANKSCOPE_JOB_MEMBER(container.options),
        rare_in_container({.label = "Container options",
                           .help = "Options of the runtime's command, a word each.",
                           .absent = "none",
                           .example = "options: [--memory=64g]"}));
}

}  // namespace job_key_parts
}  // namespace rankscope::inline jobs
