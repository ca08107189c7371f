// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/follow.h>
#include <remote/ctl/run_job.h>
#include <remote/ctl/run_view.h>
#include <remote/desk/config/job.h>
#include <remote/desk/run/run_controller.h>
#include <remote/desk/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {
namespace {

struct RunOptions {
    std::string job;
    bool detach = false;
    bool logs = false;
};

}  // namespace

int run_job(const GlobalOptions& options, JobRead job, bool detach, bool logs) {
    auto inventory = load_inventory(options);
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return kUsage;
    }
    auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    block_signals();
    const bool own_program = !job.job.command.empty();
    RunView view({options.json, logs || own_program});
    auto controller = RunController::start(
        {std::move(*inventory), std::move(job.job), std::move(job.yaml)}, store, terminal_prompter(options),
        [&view](const Event& event) { view.event(event); },
        [&view](const LaunchPlan& plan) { view.plan(plan); });
    if (detach && controller->wait_started()) {
        if (options.json) {
            std::printf("%s\n",
                        nlohmann::json{{"event", "detached"}, {"run", controller->run_id()}}.dump().c_str());
        } else {
            std::printf("%s\n",
                        text("RunCommand", "Running as %1. Take it up with: rankscopectl runs attach %1",
                             {controller->run_id()})
                            .c_str());
        }
        return kDone;
    }
    const int code = follow(*controller, options.json);
    controller.reset();
    view.summary();
    return code;
}

void add_run_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand("run", "Start a run and watch it to its end");
    auto run_options = std::make_shared<RunOptions>();
    command->add_option("job", run_options->job, "Job file")->required();
    command->add_flag("--detach", run_options->detach, "Return once all ranks are started; the run goes on");
    command->add_flag("--logs", run_options->logs, "Show the ranks' stdout too");
    command->callback([&options, &code, run_options] {
        code = run_job(options, read_job(run_options->job), run_options->detach, run_options->logs);
    });
}

}  // namespace rankscope::ctl
