// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/metric_lines/reading.h>
#include <remote/metric_lines/scan.h>

namespace rankscope::metric_lines {

/// "Time  0.123 ( 0.130) | Data 0.001 (0.002) | Loss 6.9 (6.9) | Acc@1  0.120 ( 0.110)": the value now and,
/// in brackets, the mean so far; separated by '|' or tabs. Training takes the value, validation the mean.
/// Times are seconds and accuracies percent in all programs that print this. False: there is no such thing
/// here.
bool read_meters(Scan& scan, Reading& reading);

}  // namespace rankscope::metric_lines
