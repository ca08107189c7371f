// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::tensorboard {

/// Records of an event file, as tensorflow's summary writer puts them one behind the other. Times are seconds since
/// 1970. The first record of a file is its version.
std::string version_record(double wall_time);
/// Values are floats in the file.
std::string scalars_record(double wall_time, std::int64_t step,
                           const std::vector<std::pair<std::string, double>>& values);
/// Markdown, for the page Text.
std::string text_record(double wall_time, std::string_view tag, std::string_view markdown);

}  // namespace rankscope::tensorboard
