// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// job.yaml, written by users, and the plan that is made of it.

#include "target.h"

#include <base/config/train_config.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/launch/run_launcher.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto read = parse_job(std::string(fuzz::as_text(data, size)), "j.yaml");
    for (const auto& problem : read.problems) {
        fuzz::require(problem.where.starts_with("j.yaml") && !problem.what.empty(),
                      "every fault names its place");
    }
    if (!read.problems.empty()) {
        return 0;
    }
    if (read.job.train) {
        const auto config = config::parse_train_config(*read.job.train);  // must not throw: it was checked
        fuzz::require(config::parse_train_config(config::to_json(config)) == config,
                      "the worker reads the same");
    }
    const std::string yaml = to_yaml(read.job);
    const auto again = parse_job(yaml, "j.yaml");
    fuzz::require(again.problems.empty(), "what is written can be read");
    fuzz::require(to_yaml(again.job) == yaml, "and is the same");
    Inventory inventory;
    inventory.nodes.resize(1);
    inventory.nodes[0].name = inventory.nodes[0].host = "node1";
    if (const auto plan = make_plan(inventory, read.job, {})) {
        fuzz::require(plan->world_size == static_cast<int>(plan->ranks.size()), "every rank is planned");
    }
    return 0;
}
