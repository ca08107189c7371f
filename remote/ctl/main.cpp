// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/ctl/commands.h>
#include <remote/ctl/terminal_guard.h>

#include <csignal>
#include <cstdio>
#include <exception>

namespace {

int run(int argc, char** argv) {
    using namespace rankscope::ctl;
    CLI::App app{
        "Launch, watch and diagnose distributed training.\n"
        "Exit codes: 0 done, 1 the training failed, 2 wrong usage or file, 3 preflight found a fault,\n"
        "4 a node could not be reached, 130 stopped by the user.",
        "rankscopectl"};
    app.set_version_flag("--version", "rankscopectl " RANKSCOPE_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
    GlobalOptions options;
    app.add_option("--cluster", options.cluster,
                   "Inventory file (default: ~/.config/rankscope/cluster.yaml)");
    app.add_option("--data-dir", options.data_dir,
                   "Folder of the run store (default: ~/.local/share/rankscope)");
    app.add_flag("--json", options.json, "Machine-readable output");
    app.add_flag(
        "--accept-new-host-keys", options.accept_new_host_keys,
        "Add unknown SSH host keys to known_hosts without a question (changed keys are still refused)");
    int code = kDone;
    add_nodes_commands(app, options, code);
    add_keys_commands(app, options, code);
    add_probe_command(app, options, code);
    add_shell_command(app, options, code);
    add_plan_command(app, options, code);
    add_preflight_command(app, options, code);
    add_doctor_command(app, options, code);
    add_diagnose_command(app, options, code);
    add_merge_command(app, options, code);
    add_collectives_command(app, options, code);
    add_nccl_command(app, options, code);
    add_job_command(app, options, code);
    add_recipes_command(app, options, code);
    add_run_command(app, options, code);
    add_scale_command(app, options, code);
    add_runs_commands(app, options, code);
    add_metrics_commands(app, options, code);
    add_clean_command(app, options, code);
    add_nccl_vars_command(app, options, code);
    add_bundle_command(app, options, code);
    add_errors_command(app, options, code);
    add_completion_commands(app, code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int exit = app.exit(error);
        return exit == 0 ? kDone : kUsage;
    }
    return code;
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    rankscope::ctl::guard_terminals();
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rankscopectl: %s\n", error.what());
        return 1;
    }
}
