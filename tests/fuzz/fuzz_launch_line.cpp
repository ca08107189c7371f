// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A command line that a user pastes: from a script, a wiki, a chat.

#include "target.h"

#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/runs/launch/run_launcher.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto line = read_launch_line(std::string(fuzz::as_text(data, size)));
    if (!line) {
        fuzz::require(!line.failure().what.empty() && !line.failure().remedy.empty(),
                      "what is not understood is named, with a remedy");
        return 0;
    }
    fuzz::require(!line->job.command.empty(), "there is a program to run");
    Inventory inventory;
    inventory.nodes.resize(2);
    inventory.nodes[0].name = inventory.nodes[0].host = "node1";
    inventory.nodes[1].name = inventory.nodes[1].host = "node2";
    const auto job = job_from(*line, inventory, {});
    if (!job) {
        return 0;
    }
    static_cast<void>(parse_job(to_yaml(*job), "j.yaml"));
    if (job->procs_per_node > 64) {
        return 0;
    }
    const auto plan = make_plan(inventory, *job, {});
    if (!plan) {
        return 0;
    }
    for (const auto tool : all_launcher_tools()) {
        if (const auto lines = write_launch_lines(tool, *job, *plan)) {
            fuzz::require(!to_text(*lines).empty(), "there is something to type");
        }
    }
    return 0;
}
