// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/train/metrics_sink.h>

#include <functional>

namespace rankscope::engine {

/// What every program of the engine does around its work: OpenMP's waiting, signals, exceptions of Gloo's threads,
/// the metrics pipe, and exit codes and messages for what `work` throws. Returns main's exit code. Call first in
/// main, before any thread starts.
int run_program(char** argv, const std::function<int(MetricsSink&)>& work);

}  // namespace rankscope::engine
