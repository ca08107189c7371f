// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/meters.h>
#include <remote/observe/metric_lines/metric_names.h>

namespace rankscope::metric_lines {
namespace {

void add_meter(Reading& reading, std::string_view name, double now, double mean) {
    if (name == "Time" || name == "Data") {
        if (!reading.validation) {
            reading.add(name == "Time" ? "t_step_ms" : "t_data_ms", now, 1000);
        }
        return;
    }
    const std::string known = reading.validation ? validation_name(name) : metric_name(name);
    const bool percent = is_accuracy(known) || name.starts_with("Acc@");
    reading.add(known, reading.validation ? mean : now, percent ? 0.01 : 1);
}

}  // namespace

bool read_meters(Scan& scan, Reading& reading) {
    bool any = false;
    while (!scan.at_end()) {
        scan.word("|");
        scan.spaces();
        const auto name = scan.until(" \t|");
        const auto now = scan.number();
        if (!now || name.find_first_of(":=") != std::string_view::npos || name.empty()) {
            break;
        }
        double mean = *now;
        if (scan.word("(")) {
            const auto value = scan.number();
            if (!value || !scan.word(")")) {
                break;
            }
            mean = *value;
        }
        add_meter(reading, name, *now, mean);
        any = true;
    }
    return any;
}

std::optional<Reading> read_metered_step(Scan scan) {
    Reading reading;
    if (scan.word("[") && (reading.epoch = scan.whole()) && scan.word("]") &&
        scan.fraction(reading.in_epoch, reading.per_epoch) && read_meters(scan, reading)) {
        return reading;
    }
    return std::nullopt;
}

std::optional<Reading> read_top_k(Scan scan, std::string_view name) {
    Reading reading;
    reading.validation = true;
    while (scan.word(name)) {
        const auto k = scan.whole();
        const auto value = k && *k <= kLargestK ? scan.number() : std::nullopt;
        if (!value) {
            break;
        }
        reading.add(top_k_name(*k), value, 0.01);
        scan.past("|");
    }
    if (!reading.values.empty() && scan.word("loss")) {
        reading.add("val_loss", scan.number());  // DETR and what is made from it
    }
    return reading.if_any();
}

}  // namespace rankscope::metric_lines
