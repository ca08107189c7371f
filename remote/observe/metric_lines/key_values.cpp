// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/key_values.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxPairs = 64;

void read_pair(std::string_view part, Reading& reading) {
    const auto middle = part.find_first_of(":=");
    if (middle == std::string_view::npos) {
        return;
    }
    const auto name = trimmed(part.substr(0, middle));
    Scan scan(part.substr(middle + 1));
    const auto value = scan.number();
    const bool percent = scan.text("%");
    // "12ms" is a number with a unit that we do not know: better no series than a wrong one.
    if (name.empty() || name == "v_num" || !value || !trimmed(scan.rest()).empty()) {
        return;
    }
    std::string series = reading.validation ? validation_name(name) : metric_name(name);
    const auto taken = [&series](const auto& pair) { return pair.first == series; };
    if (std::any_of(reading.values.begin(), reading.values.end(), taken)) {
        series = tidy_name(name);  // "loss=0.21, train_loss=0.20" are two
    }
    reading.add(std::move(series), value, percent ? 0.01 : 1);
}

}  // namespace

void read_key_values(std::string_view text, std::string_view separators, Reading& reading) {
    while (!text.empty() && reading.values.size() < kMaxPairs) {
        const auto end = std::min(text.size(), text.find_first_of(separators));
        read_pair(text.substr(0, end), reading);
        text.remove_prefix(std::min(text.size(), end + 1));
    }
}

}  // namespace rankscope::metric_lines
