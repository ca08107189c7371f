// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job_container.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// What a person types before the program of a container.
struct ContainerLine {
    JobContainer container;
    std::string workdir;                ///< in it; empty: that of the image
    std::vector<std::string> left_out;  ///< mounts of folders that only this computer has: "./code:/code"
};

/// Reads "docker run --gpus all -v /data:/data IMAGE", "podman exec NAME", "apptainer exec --nv --bind /data IMAGE". What a
/// run gives its containers anyway (GPUs, the node's network, /dev/shm) is left out, other options stay. Nothing: it is no
/// container, or of a runtime that Rankscope does not know.
std::optional<ContainerLine> read_container_line(const std::string& text);

/// Makes the container of such a text the job's, once, with notes of what is left out. Nothing happens where it is none.
void take_container(const std::string& text, PastedLine& line);

/// The options that srun gets from Pyxis (--container-image and its kin).
void add_pyxis(OptionRules& rules, PastedLine& line);

}  // namespace rankscope::inline jobs::launch_lines
