// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_graph.h>
#include <engine/backend/cuda/measure.h>
#include <engine/backend/cuda/stream.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine::cuda {

namespace {

constexpr double kUsPerMs = 1000.0;

double launch_us(cudaStream_t stream, Event& begin, Event& end, const std::function<void()>& launch) {
    begin.record(stream);
    launch();
    end.record(stream);
    end.wait();
    float ms = 0.0F;
    cuda_check(cudaEventElapsedTime(&ms, begin.get(), end.get()), "cudaEventElapsedTime");
    return static_cast<double>(ms) * kUsPerMs;
}

}  // namespace

double measure_us(cudaStream_t stream, const std::function<void(cudaStream_t)>& work, double give_up_us) {
    constexpr double kMostRepeats = 10.0;
    constexpr double kEnoughUs = 2000.0;
    constexpr int kLaunches = 3;
    work(stream);  // modules are loaded here
    Event begin(true);
    Event end(true);
    const double first = launch_us(stream, begin, end, [&] { work(stream); });
    if (first > give_up_us) {
        return first;
    }
    // A long kernel need not be repeated often to be distinguished from others.
    const int repeats = static_cast<int>(std::clamp(kEnoughUs / std::max(first, 1.0), 1.0, kMostRepeats));
    const CudaGraph graph(stream, [&] {
        for (int i = 0; i < repeats; ++i) {
            work(stream);
        }
    });
    graph.launch(stream);
    double best = first;
    for (int i = 0; i < kLaunches; ++i) {
        best = std::min(best, launch_us(stream, begin, end, [&] { graph.launch(stream); }) / repeats);
    }
    return best;
}

void require_working(cudaStream_t stream, const std::string& what, const std::string& why) {
    cudaGetLastError();  // an error that does not stay is forgotten
    const cudaError_t state = cudaStreamSynchronize(stream);
    if (state != cudaSuccess) {
        throw Error("a kernel for " + what + " crashed while it was measured (" + cudaGetErrorString(state) +
                    "): " + why +
                    ". RANKSCOPE_CUDA_TUNING=none takes the library's first suggestion without measuring.");
    }
}

}  // namespace rankscope::engine::cuda
