// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// Where a job's Python environment is described; exactly one of the two files.
struct RequirementsSource {
    std::filesystem::path uv_lock{};
    std::vector<std::string> extras{};  ///< of the project that uv.lock belongs to
    std::filesystem::path requirements{};
};

struct RequirementsText {
    std::string name;  ///< a plain file name
    std::string text;
};

/// The packages of an environment in pip's format, as every node gets them.
struct PythonRequirements {
    std::string name;                     ///< of the source, for messages: "uv.lock"
    std::vector<RequirementsText> files;  ///< the first is read; it names the others
    std::vector<std::string> unpinned;    ///< lines that let each node take another version
};

/// uv.lock: what `uv export` writes of it. A requirements file: it and those that it names with -r and -c. Folders of this
/// computer in it are refused: nodes do not have them. Fails with "no-uv" or "bad-file".
Result<PythonRequirements> read_requirements(const RequirementsSource& source, const std::stop_token& stop);

/// uv of this computer, where PATH finds it; empty: it is not installed.
std::filesystem::path find_uv();

}  // namespace rankscope::inline nodes
