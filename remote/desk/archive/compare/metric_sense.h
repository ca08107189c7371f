// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string_view>

namespace rankscope::inline archive {

/// Which values of a metric are better.
enum class Better { Unknown, Lower, Higher };

/// As far as the metric's name says: loss, errors and times are better when they are lower, accuracies, scores and
/// rates when they are higher.
Better better_values(std::string_view metric);

/// Something per second (images_per_s): of a whole run it is the sum over the ranks, not their mean.
bool is_rate(std::string_view metric);

}  // namespace rankscope::inline archive
