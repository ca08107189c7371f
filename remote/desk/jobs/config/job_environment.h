// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The Python environment that every node makes before the start, of one of the two files; they are on the desk, next to the
/// job file. Neither: the node's own, or that of venv: or conda:.
struct JobEnvironment {
    std::string uv;                   ///< a uv.lock
    std::vector<std::string> extras;  ///< of its project
    std::string requirements;         ///< a requirements file of pip's format
    std::string python;  ///< interpreter of the nodes: a path, a name in PATH, or a version; empty: python3

    bool wanted() const { return !uv.empty() || !requirements.empty(); }
    const std::string& file() const { return uv.empty() ? requirements : uv; }
    bool operator==(const JobEnvironment&) const = default;
};

}  // namespace rankscope::inline jobs
