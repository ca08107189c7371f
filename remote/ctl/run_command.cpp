// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/follow.h>
#include <remote/ctl/output.h>
#include <remote/ctl/run_job.h>
#include <remote/ctl/run_view.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <cstdio>
#include <memory>

namespace rankscope::ctl {

int run_job(const GlobalOptions& options, JobRead job, const RunOptions& how) {
    auto inventory = load_inventory(options);
    if (!job.problems.empty() || !inventory) {
        report(job.problems, options.json);
        return kUsage;
    }
    if (const auto checked = AlertSender::check(how.notify); !checked) {
        report(checked.failure(), options.json);
        return kUsage;
    }
    auto store = open_store(options);
    if (!store) {
        return kUsage;
    }
    block_signals();
    AlertSender alerts(how.notify, job.job.name);
    const bool own_program = !job.job.command.empty();
    RunView view({options.json, how.logs || own_program});
    RunRequest request{std::move(*inventory), std::move(job.job), std::move(job.yaml)};
    request.log_limit = how.log_limit_mb * 1000000;
    request.parent = how.parent;
    auto controller = RunController::start(
        std::move(request), store, terminal_prompter(options),
        [&view, &alerts](const Event& event) {
            view.event(event);
            alerts.event(event);
        },
        [&view](const LaunchPlan& plan) { view.plan(plan); });
    alerts.set_run(controller->run_id());
    if (how.detach && controller->wait_started()) {
        if (options.json) {
            print_json(nlohmann::json{{"event", "detached"}, {"run", controller->run_id()}});
        } else {
            std::printf("%s\n", text("RunCommand", "Running as %1. Attach with: rankscopectl runs attach %1",
                                     {controller->run_id()})
                                    .c_str());
        }
        return kDone;
    }
    const int code = follow(*controller, options.json, Interrupt::Stops);
    controller.reset();
    view.summary();
    return code;
}

void add_run_command(CLI::App& app, GlobalOptions& options, int& code) {
    auto* command = app.add_subcommand(
        "run", "Start a run and watch it to its end. Ctrl-C stops it; SIGTERM and SIGHUP leave it running");
    auto job = std::make_shared<std::string>();
    auto how = std::make_shared<RunOptions>();
    command->add_option("job", *job, "Job file")->required();
    add_run_options(*command, *how);
    command->callback([&options, &code, job, how] { code = run_job(options, read_job(*job), *how); });
}

void add_run_options(CLI::App& command, RunOptions& how) {
    command.add_flag("--detach", how.detach, "Return once all ranks are started; the run continues");
    command.add_flag("--logs", how.logs, "Show the ranks' stdout too");
    add_notify_options(command, how.notify);
    command.get_option("--notify-command")
        ->excludes(command.get_option("--detach"));  // nothing watches it then
    command.add_option("--log-limit", how.log_limit_mb,
                       "MB of the ranks' output to keep; beyond it a few lines per second and rank");
}

}  // namespace rankscope::ctl
