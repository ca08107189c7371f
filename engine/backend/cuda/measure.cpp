// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/backend/cuda/measure.h>
#include <engine/backend/cuda/stream.h>

#include <algorithm>

namespace rankscope::engine::cuda {

double measure_us(cudaStream_t stream, const std::function<void(cudaStream_t)>& work) {
    constexpr int kRepeats = 10;
    constexpr int kLaunches = 3;
    constexpr double kUsPerMs = 1000.0;
    work(stream);  // modules are loaded here
    const CudaGraph graph(stream, [&] {
        for (int i = 0; i < kRepeats; ++i) {
            work(stream);
        }
    });
    Event begin(true);
    Event end(true);
    graph.launch(stream);
    double best = 0.0;
    for (int i = 0; i < kLaunches; ++i) {
        begin.record(stream);
        graph.launch(stream);
        end.record(stream);
        end.wait();
        float ms = 0.0F;
        cuda_check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "cudaEventElapsedTime");
        const double us = static_cast<double>(ms) * kUsPerMs / kRepeats;
        best = i == 0 ? us : std::min(best, us);
    }
    return best;
}

}  // namespace rankscope::engine::cuda
