// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// YAML of others: job files of bundles and of the run store, inventories, rules, recipes. Within its limits before any value
// is built, and what passes them is read and written again.

#include "target.h"

#include <base/foreign_yaml.h>
#include <remote/desk/archive/compare/job_values.h>
#include <remote/desk/shared/yaml_tree.h>

#include <functional>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const std::string text(fuzz::as_text(data, size));
    constexpr YamlLimits kSmall{.bytes = 4096, .depth = 8, .values = 300};
    try {
        const YAML::Node root = load_yaml(text, kSmall);
        std::size_t values = 0;
        const std::function<void(const YAML::Node&, std::size_t)> count = [&](const YAML::Node& node,
                                                                              std::size_t depth) {
            fuzz::require(++values <= kSmall.values && depth <= kSmall.depth, "limits hold for what is read");
            for (const auto& entry : node) {
                if (node.IsMap()) {
                    count(entry.first, depth + 1);
                    count(entry.second, depth + 1);
                } else {
                    count(entry, depth + 1);
                }
            }
        };
        count(root, 0);
        fuzz::require(text.size() <= kSmall.bytes, "a longer text is not read");
    } catch (const YAML::Exception&) {
    }
    config::ConfigProblems problems;
    const auto tree = read_yaml(text, problems);
    fuzz::require(tree || !problems.empty(), "what is not read is explained");
    fuzz::require(problems.size() <= 101, "problems are bounded");
    const auto values = job_values(text, "input");
    fuzz::require(values.size() <= kMostJobValues, "values of a list of runs are bounded");
    return 0;
}
