// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/metric_lines/reading.h>

#include <string_view>

namespace rankscope::metric_lines {

/// "loss: 1.959 | acc: 28.633%", "loss=0.3, v_num=0": names and numbers with ':' or '=' between, separated by
/// one of `separators`. Known names become ours, a percentage a share of 1; parts that are something else are
/// passed over.
void read_key_values(std::string_view text, std::string_view separators, Reading& reading);

}  // namespace rankscope::metric_lines
