// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// cluster.yaml, edited by users.

#include "target.h"

#include <remote/desk/nodes/inventory/inventory.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto read = parse_inventory(std::string(fuzz::as_text(data, size)), "c.yaml");
    for (const auto& problem : read.problems) {
        fuzz::require(problem.where.starts_with("c.yaml") && !problem.what.empty(),
                      "every fault names its place");
    }
    if (read.problems.empty()) {
        const std::string yaml = to_yaml(read.inventory);
        const auto again = parse_inventory(yaml, "c.yaml");
        fuzz::require(again.problems.empty(), "what is written can be read");
        fuzz::require(again.inventory.nodes == read.inventory.nodes, "and is the same");
    }
    return 0;
}
