// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/alert_sender.h>
#include <remote/ctl/options.h>
#include <remote/desk/runs/run/run_controller.h>

#include <cstdint>
#include <string>

namespace rankscope::ctl {

struct AttachOptions {
    bool logs = false;  ///< stdout of the ranks too
    NotifyOptions notify = {};
    std::uint64_t log_limit_mb = LogShare::kDefaultLimit / 1000000;  ///< of output from now on that is kept
};

/// Commands on a run of the store. Each returns the exit code.
int attach_run(const GlobalOptions& options, const std::string& run_id, const AttachOptions& how);
int stop_run(const GlobalOptions& options, const std::string& run_id, StopKind kind);
int pause_run(const GlobalOptions& options, const std::string& run_id, PauseAction action);

}  // namespace rankscope::ctl
