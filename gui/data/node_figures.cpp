// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/node_figures.h>
#include <remote/wire/sample_keys.h>

#include <cmath>
#include <limits>

namespace rankscope::gui {

const NodeSamples::Value* find_value(const NodeSamples& node, const std::string& key) {
    const auto it = node.values.find(key);
    return it == node.values.end() ? nullptr : &it->second;
}

double last_value(const NodeSamples& node, const std::string& key) {
    const NodeSamples::Value* value = find_value(node, key);
    return value ? value->last : std::numeric_limits<double>::quiet_NaN();
}

std::vector<std::string> interfaces_of(const NodeSamples& node) {
    std::vector<std::string> names;
    for (auto it = node.values.lower_bound("net."); it != node.values.end(); ++it) {
        if (!it->first.starts_with("net.")) {
            break;
        }
        if (it->first.ends_with(".rx")) {
            names.push_back(it->first.substr(4, it->first.size() - 7));
        }
    }
    return names;
}

std::string busiest_interface(const NodeSamples& node) {
    std::string name;
    double most = -1;
    for (const std::string& each : interfaces_of(node)) {
        const double tx = last_value(node, sample_key::net(each, "tx"));
        const double both = last_value(node, sample_key::net(each, "rx")) + (std::isfinite(tx) ? tx : 0);
        if (both > most) {
            most = both;
            name = each;
        }
    }
    return name;
}

}  // namespace rankscope::gui
