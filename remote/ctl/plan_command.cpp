// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <remote/ctl/commands.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

void print_lines(const LaunchLines& lines, bool json) {
    if (json) {
        nlohmann::json out{{"lines", nlohmann::json::array()}, {"notes", lines.notes}};
        for (const auto& line : lines.lines) {
            out["lines"].push_back({{"node", line.node}, {"text", line.text}});
        }
        if (!lines.file_name.empty()) {
            out["file"] = {{"name", lines.file_name}, {"content", lines.file}};
        }
        std::printf("%s\n", json_line(out).c_str());
        return;
    }
    std::printf("%s", to_text(lines).c_str());
}

int plan(const GlobalOptions& options, const std::string& file, const std::string& tool) {
    const auto job = read_job(file);
    const auto inventory = load_inventory(options);
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return kUsage;
    }
    const auto store = open_store(options);
    auto facts = store ? store->facts() : Result<KnownFacts>(KnownFacts());
    const auto result = make_plan(*inventory, job.job, facts ? *facts : KnownFacts());
    if (!result) {
        report(result.failure(), options.json);
        return kUsage;
    }
    if (!tool.empty()) {
        const auto lines = write_launch_lines(*launcher_tool_from(tool), job.job, *result);
        if (!lines) {
            report(lines.failure(), options.json);
            return kUsage;
        }
        print_lines(*lines, options.json);
        return kDone;
    }
    std::printf("%s", options.json ? (json_line(to_json(*result)) + '\n').c_str() : to_text(*result).c_str());
    return kDone;
}

}  // namespace

void add_plan_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("plan", "Print rank, node, device, environment and command; touch nothing");
    auto file = std::make_shared<std::string>();
    command->add_option("job", *file, "Job file")->required();
    auto tool = std::make_shared<std::string>();
    std::vector<std::string> tools;
    for (const auto known : all_launcher_tools()) {
        tools.emplace_back(to_string(known));
    }
    command->add_option("--as", *tool, "Print what to type into another launcher for the same ranks")
        ->check(CLI::IsMember(tools));
    command->callback([&options, &code, file, tool] { code = plan(options, *file, *tool); });
}

}  // namespace rankscope::ctl
