// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Auto: of the image's kind, else the first that a node has.
enum class ContainerRuntime { Auto, Podman, Docker, Apptainer, Enroot };
const char* to_string(ContainerRuntime runtime);

/// In which container the ranks run: one that is made for the run from `image`, or the one that `name` names. Neither: on
/// the nodes themselves.
struct JobContainer {
    ContainerRuntime runtime = ContainerRuntime::Auto;
    std::string image;                 ///< a name, or a file on the nodes (.sif, .sqsh)
    std::string name;                  ///< of a container that runs on every node already
    std::vector<std::string> mounts;   ///< "SOURCE", "SOURCE:TARGET" or "SOURCE:TARGET:ro"
    std::vector<std::string> options;  ///< of the runtime's command, a word each

    bool wanted() const { return !image.empty() || !name.empty(); }
    bool operator==(const JobContainer&) const = default;
};

/// SOURCE absolute or "~/…", TARGET absolute, the third part "ro" or "rw".
bool is_mount(const std::string& text);

}  // namespace rankscope::inline jobs
