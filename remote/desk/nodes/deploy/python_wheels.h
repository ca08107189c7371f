// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/deploy/python_requirements.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

/// The Python of a node, for which wheels are chosen.
struct PythonTarget {
    std::string version;            ///< "3.11.2"
    std::string machine;            ///< "x86_64", "aarch64"
    std::uint32_t glibc_minor = 0;  ///< of "2.36"

    auto operator<=>(const PythonTarget&) const = default;
};

/// Gets the wheels of all packages for that Python into `folder`, by pip of this computer (or uv's). Where uv is here, it
/// decides for the target which lines apply; pip alone decides as for this computer's Python. `progress` gets pip's lines.
/// Fails with "no-index", with what pip says.
Result<void> download_wheels(const PythonRequirements& requirements, const PythonTarget& target,
                             const std::filesystem::path& folder, const std::stop_token& stop,
                             const std::function<void(const std::string& line)>& progress);

}  // namespace rankscope::inline nodes
