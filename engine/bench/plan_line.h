// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/bench/bench_options.h>

#include <nlohmann/json.hpp>

namespace rankscope::engine {

/// What a training step on a GPU consists of, counted in its plan without running it: kernels and megabytes by lane.
/// Throws ConfigError where librankscope-cuda.so cannot be opened.
nlohmann::ordered_json plan_line(const BenchOptions& options, int world_size);

}  // namespace rankscope::engine
