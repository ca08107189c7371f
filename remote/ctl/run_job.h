// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/alert_sender.h>
#include <remote/ctl/options.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/run/log_share.h>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace rankscope::ctl {

struct RunOptions {
    bool detach = false;
    bool logs = false;  ///< stdout of the ranks too
    NotifyOptions notify;
    std::uint64_t log_limit_mb = LogShare::kDefaultLimit / 1000000;
    std::string parent = {};  ///< id of the run whose job it is; empty: none
};

/// The options of `run` and `runs rerun`. `how` must live as long as the command.
void add_run_options(CLI::App& command, RunOptions& how);

/// Starts a run of the job and watches it to its end, or, with `detach`, until all its ranks are started.
/// Returns the exit code. What is wrong with the job is reported first.
int run_job(const GlobalOptions& options, JobRead job, const RunOptions& how);

}  // namespace rankscope::ctl
