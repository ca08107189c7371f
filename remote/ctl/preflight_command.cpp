// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/node/session_pool.h>
#include <remote/desk/preflight/preflight_json.h>
#include <remote/desk/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "PreflightCommand";

void print_check(const Check& check) {
    std::printf("%-4s  %s  %s\n", to_string(check.status), check.id.str().c_str(),
                safe_text(check.detail).c_str());
    if (check.status == CheckStatus::Pass) {
        return;
    }
    for (const auto& line : check.evidence) {
        std::printf("        %s\n", safe_text(line).c_str());
    }
    for (const auto& fix : check.fixes) {
        std::printf("      -> %s\n", safe_text(to_line(fix)).c_str());
        if (!fix.undo.empty()) {
            std::printf("         %s\n", safe_text(text(kContext, "undo: %1", {fix.undo})).c_str());
        }
    }
}

void print_text(const PreflightReport& report) {
    for (const auto& check : report.checks) {
        print_check(check);
    }
    std::vector<std::vector<std::string>> rows{{"NODE", "ADDRESS", "INTERFACE", "WHY"}};
    for (const auto& choice : report.choices) {
        rows.push_back({choice.node, choice.address,
                        choice.interface_name.empty() ? "-" : choice.interface_name, choice.why});
    }
    std::printf("\n%s", format_table(rows).c_str());
    for (const auto& line : report.untested) {
        std::printf("%s\n", text(kContext, "not tested: %1", {line}).c_str());
    }
    std::size_t counts[4] = {};
    for (const auto& check : report.checks) {
        ++counts[static_cast<std::size_t>(check.status)];
    }
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", report.seconds);
    std::printf("%s\n", text(kContext, "%1 failed, %2 warnings, %3 passed, %4 not seen, in %5 s",
                             {std::to_string(counts[static_cast<std::size_t>(CheckStatus::Fail)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Warn)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Pass)]),
                              std::to_string(counts[static_cast<std::size_t>(CheckStatus::Skip)]), seconds})
                            .c_str());
}

int preflight(const GlobalOptions& options, const std::string& file, bool quick) {
    auto job = read_job(file);
    auto inventory = load_inventory(options);
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return kUsage;
    }
    SessionPool sessions;
    PreflightRequest request;
    request.inventory = std::move(*inventory);
    request.job = std::move(job.job);
    request.depth = quick ? PreflightDepth::Quick : PreflightDepth::Full;
    request.prompter = terminal_prompter(options);
    request.sessions = &sessions;
    const auto result = run_preflight(request, {});
    if (!result) {
        report(result.failure(), options.json);
        return result.failure().code == "cancelled" ? kStopped : kUsage;
    }
    if (options.json) {
        std::printf(
            "%s\n",
            to_json(*result).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
    } else {
        print_text(*result);
    }
    return any_failed(result->checks) ? kPreflight : kDone;
}

}  // namespace

void add_preflight_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "preflight",
        "Inspect the nodes of a job and every path between them before a run; exit code 3: a fault");
    auto file = std::make_shared<std::string>();
    auto quick = std::make_shared<bool>(false);
    command->add_option("job", *file, "Job file")->required();
    command->add_flag("--quick", *quick,
                      "Without what takes longer than a second: loss, bandwidth, versions");
    command->callback([&options, &code, file, quick] { code = preflight(options, *file, *quick); });
}

}  // namespace rankscope::ctl
