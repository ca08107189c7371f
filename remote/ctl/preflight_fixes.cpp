// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/ctl/options.h>
#include <remote/ctl/preflight_fixes.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/runs/preflight/apply_fix.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "PreflightFixes";

bool is_of_job(const Fix& fix) {
    return fix.command.empty();
}

void say(const std::string& line) {
    std::printf("%s\n", safe_text(line).c_str());
    std::fflush(stdout);
}

void show(const Check& check, const Fix& fix) {
    std::printf("\n");
    say(check.id.str() + ": " + check.detail);
    if (is_of_job(fix)) {
        say(text(kContext, "  job: %1", {to_line(fix)}));
        return;
    }
    say(text(kContext, "  on %1: %2",
             {fix.node.empty() ? text(kContext, "this computer") : fix.node, fix.command}));
    say(fix.undo.empty() ? text(kContext, "  no undo") : text(kContext, "  undo: %1", {fix.undo}));
}

Result<std::string> change_job(const std::filesystem::path& file, const Fix& fix) {
    const auto yaml = read_file(file);
    std::vector<std::string> assignments;
    for (const auto& [key, value] : fix.job) {
        assignments.push_back(key + '=' + value);
    }
    auto changed = with_assignments(yaml.value_or(std::string()), assignments);
    if (!changed) {
        return changed.failure();
    }
    if (const int error = yaml ? write_file_atomically(file, *changed) : errno; error != 0) {
        return Failure{.code = "cannot-write",
                       .where = file,
                       .what = text(kContext, "The job file cannot be written: %1.", {std::strerror(error)}),
                       .remedy = text(kContext, "Check the folder's permissions and free space.")};
    }
    return text(kContext, "written to %1", {file.string()});
}

// Nothing: the user ended the program.
std::optional<bool> confirmed(const FixOptions& options, const Fix& fix) {
    if (!options.ask) {
        return true;
    }
    const auto answer = ask_terminal(is_of_job(fix) ? text(kContext, "Change the job? [y/N] ")
                                                    : text(kContext, "Run this command? [y/N] "),
                                     true);
    if (!answer) {
        return std::nullopt;
    }
    return *answer == "y" || *answer == "Y" || *answer == "yes";
}

AppliedFix apply(const Check& check, const Fix& fix, const FixOptions& options, const std::stop_token& stop) {
    AppliedFix applied{.check = check.id, .fix = fix};
    auto done =
        is_of_job(fix)
            ? change_job(options.job_file, fix)
            : apply_fix({.inventory = options.inventory, .fix = fix, .prompter = options.prompter}, stop);
    if (done) {
        applied.output = *std::move(done);
    } else {
        applied.failure = done.failure();
    }
    if (options.json) {
        return applied;
    }
    if (applied.failure) {
        report(*applied.failure, false);
    } else {
        say(applied.output.empty() ? text(kContext, "  applied") : "  " + applied.output);
    }
    return applied;
}

}  // namespace

std::vector<AppliedFix> apply_fixes(const PreflightReport& report, const FixOptions& options,
                                    const std::vector<AppliedFix>& before, const std::stop_token& stop) {
    std::vector<AppliedFix> all;
    const auto is_done = [&](const Fix& fix) {
        const auto same = [&](const AppliedFix& applied) { return applied.fix == fix; };
        return std::any_of(before.begin(), before.end(), same) || std::any_of(all.begin(), all.end(), same);
    };
    for (const auto& check : report.checks) {
        if (check.status == CheckStatus::Pass) {
            continue;
        }
        bool way_out = false;  // of the kind of the fix before
        for (std::size_t i = 0; i < check.fixes.size(); ++i) {
            const Fix& fix = check.fixes[i];
            if (i > 0 && is_of_job(fix) != is_of_job(check.fixes[i - 1])) {
                if (way_out) {
                    break;
                }
                way_out = false;
            }
            if (is_done(fix)) {
                way_out = true;
                continue;
            }
            if (stop.stop_requested()) {
                return all;
            }
            if (!options.json) {
                show(check, fix);
            }
            const auto yes = confirmed(options, fix);
            if (!yes) {
                return all;
            }
            if (*yes) {
                all.push_back(apply(check, fix, options, stop));
                way_out = !all.back().failure;
            }
        }
    }
    return all;
}

}  // namespace rankscope::ctl
