// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/run_program.h>
#include <base/utf8.h>
#include <remote/desk/jobs/plan/code_version.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "CodeVersion";
constexpr int kPatienceS = 5;
constexpr std::size_t kMostStatus = std::size_t{1} << 20U;
constexpr std::size_t kMostFiles = 50;

/// What `git ARGUMENTS` prints in the folder; nothing where it fails or takes too long. What is cut is enough.
std::optional<ProgramOutput> git(const fs::path& folder, std::vector<std::string> arguments, std::size_t most,
                                 double deadline) {
    arguments.insert(arguments.begin(), {"git", "-C", folder.string()});
    auto output = run_program(
        arguments,
        {.seconds = deadline - monotonic_s(),
         .output = most,
         .until_full = true,
         .environment = {{"GIT_OPTIONAL_LOCKS", "0"}, {"GIT_TERMINAL_PROMPT", "0"}, {"LC_ALL", "C"}}});
    return output.good() || output.cut ? std::optional(std::move(output)) : std::nullopt;
}

fs::path folder_of(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) ? path : path.parent_path();
}

/// Where to look, in turn.
std::vector<fs::path> folders(const Job& job) {
    std::error_code ignored;
    const fs::path home = job.file.empty() ? fs::path() : fs::absolute(job.file, ignored).parent_path();
    std::vector<fs::path> found;
    for (const std::string& path : job.push) {
        found.push_back(folder_of(home / path));
    }
    if (!home.empty()) {
        found.push_back(home);
    }
    return found;
}

void add_file(std::vector<std::string>& files, std::string name) {
    if (files.size() < kMostFiles) {
        files.push_back(as_utf8(std::move(name)));
    }
}

/// The path behind so many fields of a line of `git status --porcelain=v2 -z`.
std::string behind(const std::string& line, int fields) {
    std::size_t at = 0;
    for (int i = 0; i < fields && at != std::string::npos; ++i) {
        at = line.find(' ', at + (i > 0 ? 1 : 0));
    }
    return at == std::string::npos ? std::string() : line.substr(at + 1);
}

/// The format of git-status(1), "Porcelain Format Version 2" with -z.
CodeVersion read_status(const std::string& status) {
    CodeVersion code;
    bool old_name = false;
    std::istringstream lines(status);
    for (std::string line; std::getline(lines, line, '\0');) {
        if (std::exchange(old_name, false)) {
            continue;
        }
        constexpr std::string_view kCommit = "# branch.oid ";
        constexpr std::string_view kBranch = "# branch.head ";
        if (line.starts_with(kCommit)) {
            code.commit = line.substr(kCommit.size());
        } else if (line.starts_with(kBranch)) {
            code.branch = as_utf8(line.substr(kBranch.size()));
        } else if (line.starts_with("1 ")) {
            add_file(code.changed, behind(line, 8));
        } else if (line.starts_with("2 ")) {
            add_file(code.changed, behind(line, 9));
            old_name = true;
        } else if (line.starts_with("u ")) {
            add_file(code.changed, behind(line, 10));
        } else if (line.starts_with("? ")) {
            add_file(code.untracked, behind(line, 1));
        }
    }
    code.branch = code.branch == "(detached)" ? std::string() : code.branch;
    return code;
}

std::string named(const std::vector<std::string>& files) {
    constexpr std::size_t kShown = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
        names += (i > 0 ? ", " : "") + files[i];
    }
    return files.size() > kShown ? names + ", …" : names;
}

}  // namespace

std::optional<CodeVersion> code_version(const Job& job) {
    const auto deadline = monotonic_s() + kPatienceS;
    for (const fs::path& folder : folders(job)) {
        const auto status =
            git(folder, {"status", "--porcelain=v2", "--branch", "-z"}, kMostStatus, deadline);
        if (!status) {
            continue;
        }
        CodeVersion code = read_status(status->output);
        if (code.commit.empty() || code.commit == "(initial)") {
            continue;
        }
        if (!code.changed.empty()) {
            if (const auto diff =
                    git(folder, {"diff", "HEAD", "--no-color", "--no-ext-diff", "--no-textconv"}, kMostDiff,
                        deadline)) {
                code.diff = as_utf8(diff->output);
                code.diff_cut = diff->cut;
            }
        }
        return code;
    }
    return std::nullopt;
}

std::string code_text(const CodeVersion& code) {
    constexpr std::size_t kShort = 10;
    std::string out = (code.branch.empty() ? "" : code.branch + " ") + code.commit.substr(0, kShort);
    if (!code.changed.empty()) {
        out += text(kContext, ", changed: %1", {named(code.changed)});
    }
    if (!code.untracked.empty()) {
        out += text(kContext, ", not in git: %1", {named(code.untracked)});
    }
    return out;
}

std::string diff_note(const CodeVersion& code) {
    return code.changed.empty() ? text(kContext, "No file in git had changed.")
           : code.diff_cut      ? text(kContext, "The difference is long: its end is not kept.")
           : code.diff.empty()
               ? text(kContext,
                      "The difference is not kept: git did not answer within %1 seconds, or failed.",
                      {std::to_string(kPatienceS)})
               : std::string();
}

std::string no_code_text() {
    return text(
        kContext,
        "No code is stored with this run. Rankscope reads it at the start, where git is installed and the "
        "pushed files, or the job's file, are in a repository.");
}

nlohmann::json to_json(const CodeVersion& code) {
    return {{"commit", code.commit},       {"branch", code.branch}, {"changed", code.changed},
            {"untracked", code.untracked}, {"diff", code.diff},     {"diff_cut", code.diff_cut}};
}

CodeVersion code_from_json(const nlohmann::json& json) {
    return {.commit = json.at("commit"),
            .branch = json.at("branch"),
            .changed = json.at("changed"),
            .untracked = json.at("untracked"),
            .diff = json.at("diff"),
            .diff_cut = json.at("diff_cut")};
}

}  // namespace rankscope::inline jobs
