// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::agent {

/// What a container needs of the node.
struct ContainerPlace {
    std::string name;                            ///< that the container gets; empty: the runtime's choice
    std::vector<std::filesystem::path> folders;  ///< at the same path in the container; they exist
    bool gpus = false;                           ///< NVIDIA's driver is loaded
    bool infiniband = false;                     ///< /dev/infiniband exists
    bool pull = false;                           ///< the image comes at the start, where the node lacks it
    uid_t user = 0;
    gid_t group = 0;
};

/// The place on this node: of `needed` and of what the job names the folders that exist, and the devices.
ContainerPlace container_place(const wire::Container& container, std::string name,
                               std::vector<std::filesystem::path> needed);

/// The command that runs `program` (a file below one of the folders, and its arguments) in the container: with the node's
/// network, processes and shared memory, as a program on the node would have them, so that NCCL, signals and stacks work as
/// there. Of podman-run(1), docker-run(1), apptainer exec, enroot start.
std::vector<std::string> container_command(const wire::Container& container, const ContainerPlace& place,
                                           const std::vector<std::string>& program);

/// The command that removes a container of this name with all its processes; empty: the runtime keeps none.
std::vector<std::string> container_removal(const wire::Container& container, const std::string& name);

/// The command that fails where the node does not have the image; empty: the image is a file, or the runtime gets it.
std::vector<std::string> image_check(const wire::Container& container);
std::vector<std::string> image_pull(const wire::Container& container);
/// "docker://…" of Apptainer: each command gets the image where its cache lacks it.
bool comes_with_commands(const wire::Container& container);

/// With a runtime in place of "auto": of the image's kind (.sif, .sqsh), else the first that this node has; podman where it
/// has none.
wire::Container with_runtime(const wire::Container& container);

}  // namespace rankscope::agent
