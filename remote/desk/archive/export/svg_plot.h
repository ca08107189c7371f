// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/export/curve_bins.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline archive {

/// Round numbers that divide the range into about `wanted` pieces (1, 2 or 5 times a power of ten).
std::vector<double> nice_ticks(double least, double most, int wanted);

/// One metric as an <svg> element without a script: a line for each curve, the range of a curve of all ranks as an
/// area. Colours are the classes c0 … c7 of the page's style sheet. Empty: there is nothing to draw.
std::string svg_plot(const BinnedMetric& metric, std::string_view x_title);

/// "&lt;" for "<": for text and attributes of HTML and SVG. Control characters are left out.
std::string html_text(std::string_view text);

}  // namespace rankscope::inline archive
