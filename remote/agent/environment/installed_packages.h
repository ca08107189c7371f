// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace rankscope::agent {

struct InstalledPackages {
    std::uint32_t count = 0;
    std::string content;  ///< 64 hex digits; equal where the same files of the same packages are installed
};

/// What a virtual environment holds, by the lists of files that its packages have (RECORD of PEP 376, as wheels bring them).
/// Scripts that name the environment's folder and the name of the installing tool do not count: they differ between nodes.
/// Packages that venv itself installs (pip, setuptools) count only if `requested` contains their name.
InstalledPackages installed_packages(const std::filesystem::path& environment, const std::string& requested);

}  // namespace rankscope::agent
