// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>
#include <remote/observe/metric_lines/scan.h>

#include <optional>
#include <string_view>

namespace rankscope::metric_lines {

/// "Time  0.123 ( 0.130) | Data 0.001 (0.002) | Loss 6.9 (6.9) | Acc@1  0.120 ( 0.110)": the value now and,
/// in brackets, the mean so far; separated by '|' or tabs. Training takes the value, validation the mean.
/// Times are seconds and accuracies percent in all programs that print this. False: there is no such thing
/// here.
bool read_meters(Scan& scan, Reading& reading);

/// "[1][  30/5004] | Time …": epoch, step of the epoch, meters.
std::optional<Reading> read_metered_step(Scan scan);

/// "TOP1 70.902(BEST 70.902) | TOP5 89.894", "Acc@1 70.106 Acc@5 89.412": accuracies of a validation in
/// percent, each after `name` and its k.
std::optional<Reading> read_top_k(Scan scan, std::string_view name);

}  // namespace rankscope::metric_lines
