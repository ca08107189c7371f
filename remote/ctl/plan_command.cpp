// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/config/job.h>
#include <remote/ctl/commands.h>
#include <remote/plan/launch_plan.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

int plan(const GlobalOptions& options, const std::string& file) {
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
    std::printf("%s", options.json ? (to_json(*result).dump() + '\n').c_str() : to_text(*result).c_str());
    return kDone;
}

}  // namespace

void add_plan_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command =
        app.add_subcommand("plan", "Print rank, node, device, environment and command; touch nothing");
    auto file = std::make_shared<std::string>();
    command->add_option("job", *file, "Job file")->required();
    command->callback([&options, &code, file] { code = plan(options, *file); });
}

}  // namespace rankscope::ctl
