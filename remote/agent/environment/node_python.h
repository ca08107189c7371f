// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace rankscope::agent {

/// An interpreter of this node, as it reports itself.
struct NodePython {
    std::string executable;           ///< absolute
    std::string version;              ///< "3.11.2"
    std::string machine;              ///< "x86_64"
    std::uint32_t glibc_minor = 0;    ///< of "2.36"; 0: another C library
    bool makes_environments = false;  ///< it has venv and ensurepip, which Debian packages apart
};

/// `name`: a path ("~/…"), a name in PATH, or a version ("3.11"); empty: python3. Nothing: it does not run; `why` says so.
std::optional<NodePython> find_node_python(const std::string& name, const std::stop_token& stop,
                                           std::string& why);

}  // namespace rankscope::agent
