// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <CLI/CLI.hpp>

namespace rankscope::ctl {

/// Each adds its subcommands to the program; the chosen one puts its exit code into `code`.
void add_nodes_commands(CLI::App& app, GlobalOptions& options, int& code);
/// `nodes` is the command of add_nodes_commands.
void add_import_command(CLI::App& nodes, GlobalOptions& options, int& code);
void add_keys_commands(CLI::App& app, GlobalOptions& options, int& code);
void add_probe_command(CLI::App& app, GlobalOptions& options, int& code);
void add_shell_command(CLI::App& app, GlobalOptions& options, int& code);
void add_plan_command(CLI::App& app, GlobalOptions& options, int& code);
void add_preflight_command(CLI::App& app, GlobalOptions& options, int& code);
void add_doctor_command(CLI::App& app, GlobalOptions& options, int& code);
/// diagnose and rules.
void add_diagnose_command(CLI::App& app, GlobalOptions& options, int& code);
void add_merge_command(CLI::App& app, GlobalOptions& options, int& code);
void add_collectives_command(CLI::App& app, GlobalOptions& options, int& code);
void add_nccl_command(CLI::App& app, GlobalOptions& options, int& code);
void add_job_command(CLI::App& app, GlobalOptions& options, int& code);
void add_recipes_command(CLI::App& app, GlobalOptions& options, int& code);
void add_run_command(CLI::App& app, GlobalOptions& options, int& code);
void add_scale_command(CLI::App& app, GlobalOptions& options, int& code);
void add_runs_commands(CLI::App& app, GlobalOptions& options, int& code);
void add_metrics_commands(CLI::App& app, GlobalOptions& options, int& code);
void add_clean_command(CLI::App& app, GlobalOptions& options, int& code);
void add_nccl_vars_command(CLI::App& app, GlobalOptions& options, int& code);
void add_bundle_command(CLI::App& app, GlobalOptions& options, int& code);
void add_errors_command(CLI::App& app, GlobalOptions& options, int& code);
/// completion and manual: both describe all commands of `app`, so they are added to the program itself.
void add_completion_commands(CLI::App& app, int& code);

}  // namespace rankscope::ctl
