// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <optional>
#include <string>

namespace rankscope::engine {

/// What one forward and backward pass takes in each precision, ms.
struct PrecisionTimes {
    double half = 0;
    double full = 0;
};

/// Measured with numbers drawn at random, the fastest of a few passes, in models that are thrown away. Nothing where memory
/// does not suffice for both.
std::optional<PrecisionTimes> measured_precisions(Backend& backend, const Graph& graph, std::int64_t batch,
                                                  Precision half);

/// The sentence for a user whose bf16 does not pay; empty where it is faster than fp32.
std::string precision_advice(const PrecisionTimes& times);

}  // namespace rankscope::engine
