// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <limits>
#include <string>

namespace rankscope::engine::cuda {

/// Microseconds that a piece of work takes on the GPU when it is part of a recorded graph, as it will be: the
/// best of a few launches of a graph that holds it several times. A first run by itself that takes longer
/// than `give_up_us` is the only one for such work.
double measure_us(cudaStream_t stream, const std::function<void(cudaStream_t)>& work,
                  double give_up_us = std::numeric_limits<double>::infinity());

/// After a kernel has failed while it was measured: throws Error where it crashed, because nothing runs on the GPU
/// after a crash and every other kernel would fail like it. `what`: "the convolution …"; `why`: its error's text.
void require_working(cudaStream_t stream, const std::string& what, const std::string& why);

/// The limit above which other candidates are dropped when one takes `best_us`: launching by itself adds some
/// microseconds, but never as much.
inline double hopeless_us(double best_us) {
    constexpr double kLaunchUs = 50.0;
    return 2.0 * best_us + kLaunchUs;
}

}  // namespace rankscope::engine::cuda
