// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// What git knows of the code that a run starts from.
struct CodeVersion {
    std::string commit;
    std::string branch;                  ///< empty: HEAD is detached
    std::vector<std::string> changed{};  ///< files of the repository that differ from the commit
    std::vector<std::string> untracked{};
    std::string diff{};     ///< from the commit to what ran, without untracked files
    bool diff_cut = false;  ///< it was longer than kMostDiff
    bool operator==(const CodeVersion&) const = default;
};

inline constexpr std::size_t kMostDiff = std::size_t{256} << 10U;

/// Of the repository that holds what `push:` names, else the job's file. Nothing where there is none, where git is not
/// installed, and where it does not answer within seconds.
std::optional<CodeVersion> code_version(const Job& job);

/// "main 1a2b3c4d5e, 2 files changed: a.py, b.py; 1 file not in git".
std::string code_text(const CodeVersion& code);

nlohmann::json to_json(const CodeVersion& code);
/// Throws nlohmann::json::exception.
CodeVersion code_from_json(const nlohmann::json& json);

}  // namespace rankscope::inline jobs
