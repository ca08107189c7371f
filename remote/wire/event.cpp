// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/event.h>

#include <array>
#include <limits>

namespace rankscope {

double MetricEvent::value(const std::string& key) const {
    for (const auto& [name, number] : values) {
        if (name == key) {
            return number;
        }
    }
    return std::numeric_limits<double>::quiet_NaN();
}

bool MetricEvent::has(const std::string& key) const {
    for (const auto& [name, number] : values) {
        if (name == key) {
            return true;
        }
    }
    return false;
}

const char* kind_of(const Event& event) {
    constexpr std::array<const char*, std::variant_size_v<EventBody>> kKinds{
        "stage",  "metric", "log",    "exit", "diagnosis", "end",
        "sample", "link",   "notice", "nccl", "settings",  "inner-rank"};
    return kKinds[event.body.index()];
}

}  // namespace rankscope
