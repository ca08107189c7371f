// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_curves.h>

#include <optional>
#include <string>

namespace rankscope::inline archive {

/// What the curves of several runs have in common: their step, epoch, or seconds since the start of each run.
enum class CurveAxis { Step, Epoch, Time };
const char* to_string(CurveAxis axis);
std::optional<CurveAxis> curve_axis(const std::string& word);
/// NaN where the point has none.
double place_on(CurveAxis axis, const CurvePoint& point);

}  // namespace rankscope::inline archive
