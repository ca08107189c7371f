// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::engine {

/// What one forward and backward pass takes in each precision, ms.
struct PrecisionTimes {
    double half = 0;
    double full = 0;
};

/// Measured on a CPU with numbers drawn at random, in models that are thrown away: the fastest of a few passes, of one where it
/// takes seconds. Nothing where the CPU has no bf16, and where the model in fp32 would take more than half of this rank's share of
/// the available memory (`ranks` on the node): the run itself must not fail because of it.
std::optional<PrecisionTimes> measured_precisions(Backend& backend, const Graph& graph, std::int64_t batch,
                                                  int ranks);

/// The sentence for a user; empty where bf16 is faster than fp32.
std::string precision_advice(const PrecisionTimes& times);

/// Both.
std::string advice_on_bf16(Backend& backend, const Graph& graph, std::int64_t batch, int ranks);

}  // namespace rankscope::engine
