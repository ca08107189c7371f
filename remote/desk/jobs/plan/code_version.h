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
    std::string
        diff{};  ///< from the commit to what ran, without untracked files; empty, too, where git failed
    bool diff_cut = false;  ///< it was longer than kMostDiff
    bool operator==(const CodeVersion&) const = default;
};

inline constexpr std::size_t kMostDiff = std::size_t{256} << 10U;

/// Of the repository that holds what `push:` names, else the job's file. Nothing where there is none, where git is not
/// installed, and where it does not answer within seconds.
std::optional<CodeVersion> code_version(const Job& job);

/// "main 1a2b3c4d5e, changed: a.py, b.py, not in git: c.py".
std::string code_text(const CodeVersion& code);
/// What a reader of the diff must know: nothing changed, not all of it is kept, or git did not give it. Else empty.
std::string diff_note(const CodeVersion& code);
/// For a run without one.
std::string no_code_text();

nlohmann::json to_json(const CodeVersion& code);
/// Throws nlohmann::json::exception.
CodeVersion code_from_json(const nlohmann::json& json);

}  // namespace rankscope::inline jobs
