// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/output.h>
#include <remote/ctl/preflight_fixes.h>
#include <remote/ctl/preflight_text.h>
#include <remote/ctl/stop_on_interrupt.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/preflight/preflight_json.h>
#include <remote/desk/runs/preflight/report_changes.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "PreflightCommand";
constexpr int kMostRounds = 3;

struct PreflightOptions {
    std::string file;
    bool quick = false;
    bool fix = false;
    bool yes = false;
};

// Nothing: reported already.
std::optional<PreflightReport> check(const GlobalOptions& options, const PreflightOptions& how,
                                     SessionPool& sessions, const std::stop_token& stop, int& code) {
    auto job = read_job(how.file);
    auto inventory = load_inventory(options);
    code = kUsage;
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return std::nullopt;
    }
    PreflightRequest request;
    request.inventory = std::move(*inventory);
    request.job = std::move(job.job);
    request.depth = how.quick ? PreflightDepth::Quick : PreflightDepth::Full;
    request.prompter = terminal_prompter(options);
    request.sessions = &sessions;
    if (!options.json && ::isatty(STDERR_FILENO) != 0) {
        // A push reports each of its pieces: every line once.
        request.progress = [mutex = std::make_shared<std::mutex>(),
                            shown = std::make_shared<std::set<std::string>>()](const std::string& line) {
            const std::lock_guard lock(*mutex);
            if (shown->insert(line).second) {
                std::fprintf(stderr, "%s\n", safe_text(line).c_str());
            }
        };
    }
    auto result = run_preflight(request, stop);
    if (!result) {
        report(result.failure(), options.json);
        code = result.failure().code == "cancelled" ? kStopped : kUsage;
        return std::nullopt;
    }
    code = any_failed(result->checks) ? kPreflight : kDone;
    return std::move(*result);
}

using Json = nlohmann::ordered_json;

bool is_bad(const Check& check) {
    return check.status == CheckStatus::Fail || check.status == CheckStatus::Warn;
}

bool has_fixes(const PreflightReport& report) {
    return std::any_of(report.checks.begin(), report.checks.end(),
                       [](const Check& check) { return is_bad(check) && !check.fixes.empty(); });
}

// The ids that do not pass in `a` and pass in `b`.
std::string passing_now(const PreflightReport& a, const PreflightReport& b) {
    std::string ids;
    for (const auto& check : a.checks) {
        const bool still = std::any_of(b.checks.begin(), b.checks.end(), [&](const Check& other) {
            return other.id == check.id && is_bad(other);
        });
        if (is_bad(check) && !still) {
            ids += (ids.empty() ? "" : ", ") + check.id.str();
        }
    }
    return ids;
}

void print_worse(const std::vector<Check>& worse, const std::vector<AppliedFix>& applied) {
    if (worse.empty()) {
        return;
    }
    for (const auto& check : worse) {
        const std::string line = check.id.str() + ": " + check.detail;
        std::printf("%s\n", safe_text(text(kContext, "worse after the fix: %1", {line})).c_str());
    }
    for (const auto& fix : applied) {
        if (!fix.failure && !fix.fix.undo.empty()) {
            std::printf("%s\n", safe_text(text(kContext, "  to undo %1 on %2: %3",
                                               {fix.check.str(), fix.fix.node, fix.fix.undo}))
                                    .c_str());
        }
    }
}

void print_changes(const PreflightReport& before, const PreflightReport& after) {
    const std::string fixed = passing_now(before, after);
    const std::string added = passing_now(after, before);
    std::string left;
    for (const auto& check : after.checks) {
        if (is_bad(check) && added.find(check.id.str()) == std::string::npos) {
            left += (left.empty() ? "" : ", ") + check.id.str();
        }
    }
    for (const auto& line : {fixed.empty() ? "" : text(kContext, "fixed: %1", {fixed}),
                             left.empty() ? "" : text(kContext, "not fixed: %1", {left}),
                             added.empty() ? "" : text(kContext, "new: %1", {added})}) {
        if (!line.empty()) {
            std::printf("%s\n", line.c_str());
        }
    }
}

Json to_json(const AppliedFix& applied) {
    Json json{{"id", applied.check.str()}, {"node", applied.fix.node}, {"command", applied.fix.command},
              {"undo", applied.fix.undo},  {"job", applied.fix.job},   {"applied", !applied.failure},
              {"output", applied.output}};
    if (applied.failure) {
        json["failure"] = {{"id", applied.failure->code.str()},
                           {"what", applied.failure->what},
                           {"detail", applied.failure->detail}};
    }
    return json;
}

int preflight(const GlobalOptions& options, const PreflightOptions& how) {
    if (how.fix && options.json && !how.yes) {
        report(Failure{.code = "bad-command-line",
                       .what = text(kContext, "--json cannot ask: --fix needs --yes with it."),
                       .remedy = text(kContext, "Add --yes; every fix is applied then.")},
               true);
        return kUsage;
    }
    const StopOnInterrupt interrupt;
    SessionPool sessions;
    int code = kDone;
    auto first = check(options, how, sessions, interrupt.token(), code);
    if (!first) {
        return code;
    }
    if (!options.json) {
        print_report(*first);
    }
    PreflightReport last = *first;
    std::vector<AppliedFix> applied;
    // A fault may hide another one: a blocked path does not show which packet sizes pass.
    for (int round = 0; how.fix && round < kMostRounds && has_fixes(last); ++round) {
        auto inventory = load_inventory(options);
        if (!inventory) {
            return kUsage;
        }
        const auto now = apply_fixes(last,
                                     {.inventory = std::move(*inventory),
                                      .job_file = how.file,
                                      .prompter = terminal_prompter(options),
                                      .ask = !how.yes,
                                      .json = options.json},
                                     applied, interrupt.token());
        applied.insert(applied.end(), now.begin(), now.end());
        if (interrupt.token().stop_requested()) {
            report(Failure{.code = "cancelled", .what = text(kContext, "Stopped by the user.")},
                   options.json);
            return kStopped;
        }
        if (std::none_of(now.begin(), now.end(), [](const AppliedFix& fix) { return !fix.failure; })) {
            break;
        }
        sessions.clear();  // limits and groups count from the next login on
        auto next = check(options, how, sessions, interrupt.token(), code);
        if (!next) {
            return code;
        }
        if (!options.json) {
            std::printf("\n");
            print_report(*next);
            print_changes(last, *next);
            print_worse(worse_checks(last, *next), now);
        }
        last = std::move(*next);
    }
    if (options.json) {
        Json json = rankscope::to_json(last);
        if (how.fix) {
            json["before"] = rankscope::to_json(*first)["checks"];
            json["worse"] = Json::array();
            for (const auto& check : worse_checks(*first, last)) {
                json["worse"].push_back(
                    {{"id", check.id.str()}, {"nodes", check.nodes}, {"detail", check.detail}});
            }
            json["applied"] = Json::array();
            for (const auto& fix : applied) {
                json["applied"].push_back(to_json(fix));
            }
        }
        print_json(json);
    }
    return code;
}

}  // namespace

void add_preflight_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "preflight",
        "Inspect the nodes of a job and every path between them before a run; exit code 3: a fault");
    auto how = std::make_shared<PreflightOptions>();
    command->add_option("job", how->file, "Job file")->required();
    command->add_flag("--quick", how->quick,
                      "Without what takes longer than a second: loss, bandwidth, versions");
    auto* fix = command->add_flag("--fix", how->fix,
                                  "Show each fix with its node and its undo, ask, apply it, and check again");
    command->add_flag("--yes", how->yes, "Of --fix: apply all fixes without asking")->needs(fix);
    command->callback([&options, &code, how] { code = preflight(options, *how); });
}

}  // namespace rankscope::ctl
