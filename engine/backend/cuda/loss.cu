// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/loss.h>
#include <engine/backend/cuda/warp.cuh>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kWarps = 4;  // a row each
constexpr int kThreads = kWarp * kWarps;

/// One sample's share of the totals.
struct RowShare {
    double loss;
    int correct;
    int correct_topk;
};

/// The last block to finish adds up the rows, always in the same order.
__device__ void add_up(const RowShare* rows, int batch, double divisor, unsigned* counter,
                       LossTotals* totals) {
    __shared__ bool is_last;
    __shared__ RowShare shares[kThreads];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(counter, 1U) + 1U == gridDim.x;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
    RowShare sum{0.0, 0, 0};
    for (int row = static_cast<int>(threadIdx.x); row < batch; row += kThreads) {
        sum.loss += __ldcg(&rows[row].loss);
        sum.correct += __ldcg(&rows[row].correct);
        sum.correct_topk += __ldcg(&rows[row].correct_topk);
    }
    shares[threadIdx.x] = sum;
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
        if (static_cast<int>(threadIdx.x) < step) {
            shares[threadIdx.x].loss += shares[threadIdx.x + step].loss;
            shares[threadIdx.x].correct += shares[threadIdx.x + step].correct;
            shares[threadIdx.x].correct_topk += shares[threadIdx.x + step].correct_topk;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        totals->loss = shares[0].loss / divisor;
        totals->correct = shares[0].correct;
        totals->correct_topk = shares[0].correct_topk;
        *counter = 0U;
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    cross_entropy_kernel(LossShape shape, const float* logits, const std::int32_t* const* labels,
                         const float* loss_scale, T* gradient, LossTotals* totals, RowShare* rows,
                         unsigned* counter) {
    wait_for_inputs();
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
    if (row < shape.batch) {
        const float* in = logits + static_cast<std::int64_t>(row) * shape.width;
        const int label = (*labels)[row];
        const float of_label = in[label];
        float largest = -INFINITY;
        for (int c = lane; c < shape.classes; c += kWarp) {
            largest = fmaxf(largest, in[c]);
        }
        largest = warp_max(largest);
        float sum = 0.0F;
        float all = 0.0F;
        int larger = 0;
        int first_largest = shape.classes;
        for (int c = lane; c < shape.classes; c += kWarp) {
            sum += expf(in[c] - largest);
            all += in[c];
            larger += in[c] > of_label ? 1 : 0;
            if (in[c] == largest && c < first_largest) {
                first_largest = c;
            }
        }
        sum = warp_sum(sum);
        all = warp_sum(all);
        larger = warp_sum(larger);
        for (int step = kWarp / 2; step > 0; step /= 2) {
            const int other = __shfl_xor_sync(kAllOfWarp, first_largest, step);
            first_largest = other < first_largest ? other : first_largest;
        }
        const float log_sum = logf(sum) + largest;
        const float smoothing = shape.label_smoothing;
        const float everywhere = smoothing / static_cast<float>(shape.classes);
        if (lane == 0) {
            double loss = static_cast<double>(log_sum - of_label);
            if (smoothing != 0.0F) {
                const double spread = static_cast<double>(shape.classes) * static_cast<double>(log_sum) -
                                      static_cast<double>(all);
                loss =
                    (1.0 - static_cast<double>(smoothing)) * loss + static_cast<double>(everywhere) * spread;
            }
            rows[row].loss = loss;
            rows[row].correct = first_largest == label ? 1 : 0;
            rows[row].correct_topk = larger < shape.topk && isfinite(of_label) ? 1 : 0;
        }
        if (gradient != nullptr) {
            const float scale = *loss_scale / static_cast<float>(shape.batch);
            T* out = gradient + static_cast<std::int64_t>(row) * shape.width;
            for (int c = lane; c < shape.width; c += kWarp) {
                const float target = everywhere + (c == label ? 1.0F - smoothing : 0.0F);
                put(out + c, c < shape.classes ? (expf(in[c] - largest) / sum - target) * scale : 0.0F);
            }
        }
    }
    add_up(rows, shape.batch, static_cast<double>(shape.batch), counter, totals);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    squared_error_kernel(LossShape shape, const float* outputs, const float* const* targets,
                         const float* loss_scale, T* gradient, LossTotals* totals, RowShare* rows,
                         unsigned* counter) {
    wait_for_inputs();
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const int row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
    const double elements = static_cast<double>(shape.batch) * shape.classes;
    if (row < shape.batch) {
        const float* in = outputs + static_cast<std::int64_t>(row) * shape.width;
        const float* wanted = *targets + static_cast<std::int64_t>(row) * shape.classes;
        double sum = 0.0;
        for (int c = lane; c < shape.classes; c += kWarp) {
            const double difference = static_cast<double>(in[c] - wanted[c]);
            sum += difference * difference;
        }
        sum = warp_sum(sum);
        if (lane == 0) {
            rows[row] = {sum, 0, 0};
        }
        if (gradient != nullptr) {
            const auto scale = static_cast<float>(2.0 * static_cast<double>(*loss_scale) / elements);
            T* out = gradient + static_cast<std::int64_t>(row) * shape.width;
            for (int c = lane; c < shape.width; c += kWarp) {
                put(out + c, c < shape.classes ? (in[c] - wanted[c]) * scale : 0.0F);
            }
        }
    }
    add_up(rows, shape.batch, elements, counter, totals);
}

dim3 blocks_for(int batch) {
    return {static_cast<unsigned>((batch + kWarps - 1) / kWarps), 1U, 1U};
}

}  // namespace

std::size_t loss_scratch_bytes(int batch) {
    return static_cast<std::size_t>(batch) * sizeof(RowShare);
}

void cross_entropy(const LossShape& shape, const float* logits, const std::int32_t* const* labels,
                   const float* loss_scale, void* gradient, LossTotals* totals, const LossScratch& scratch,
                   cudaStream_t stream) {
    with_element(shape.gradient_type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(cross_entropy_kernel<T>, blocks_for(shape.batch), dim3(kThreads), stream, shape, logits,
               labels, loss_scale, static_cast<T*>(gradient), totals, static_cast<RowShare*>(scratch.rows),
               scratch.counter);
    });
}

void mean_squared_error(const LossShape& shape, const float* outputs, const float* const* targets,
                        const float* loss_scale, void* gradient, LossTotals* totals,
                        const LossScratch& scratch, cudaStream_t stream) {
    with_element(shape.gradient_type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(squared_error_kernel<T>, blocks_for(shape.batch), dim3(kThreads), stream, shape, outputs,
               targets, loss_scale, static_cast<T*>(gradient), totals, static_cast<RowShare*>(scratch.rows),
               scratch.counter);
    });
}

}  // namespace rankscope::engine::cuda
