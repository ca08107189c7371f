// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/optimizer.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);
constexpr std::int64_t kMostBlocks = 132 * 8;

/// Source: engine/optim/optimizer_update.cpp, which computes the same on the host.
__host__ __device__ inline void fill_numbers(const OptimizerStep& step, std::int64_t number,
                                             UpdateNumbers& numbers) {
    const bool decoupled = step.kind == OptimizerKind::adamw;
    numbers.gradient_scale = static_cast<float>(step.gradient_scale);
    numbers.clip_value = step.clip_value > 0 ? static_cast<float>(step.clip_value) : INFINITY;
    numbers.lr = static_cast<float>(step.lr);
    numbers.decay = static_cast<float>(decoupled ? 0.0 : step.weight_decay);
    const bool first = number <= 1;
    numbers.keep = first ? 0.0F : static_cast<float>(step.momentum);
    numbers.take = first ? 1.0F : static_cast<float>(1.0 - step.dampening);
    numbers.ahead = step.nesterov ? static_cast<float>(step.momentum) : 1.0F;
    numbers.direct = step.nesterov ? 1.0F : 0.0F;
    const auto power = static_cast<double>(number);
    const double correction1 = 1.0 - pow(step.beta1, power);
    const double correction2 = 1.0 - pow(step.beta2, power);
    numbers.keep_parameter = static_cast<float>(decoupled ? 1.0 - step.lr * step.weight_decay : 1.0);
    numbers.beta1 = static_cast<float>(step.beta1);
    numbers.take1 = static_cast<float>(1.0 - step.beta1);
    numbers.beta2 = static_cast<float>(step.beta2);
    numbers.take2 = static_cast<float>(1.0 - step.beta2);
    numbers.size = static_cast<float>(step.lr / correction1);
    numbers.root_correction2 = static_cast<float>(sqrt(correction2));
    numbers.eps = static_cast<float>(step.eps);
    numbers.skip = 0;
    numbers.step = step;
}

__device__ __forceinline__ float conditioned(float gradient, const UpdateNumbers& n) {
    const float scaled = gradient * n.gradient_scale;
    // Written so that NaN stays NaN, as torch.clamp does.
    const float above = scaled < -n.clip_value ? -n.clip_value : scaled;
    return above > n.clip_value ? n.clip_value : above;
}

enum class Update { plain, momentum, adam };

/// One update of eight parameters; `m`, `v`: the optimizer's memory, as far as it has one.
template <Update kUpdate>
__device__ __forceinline__ void update_group(const UpdateNumbers& n, bool decayed, const Group& g, Group& p,
                                             Group& m, Group& v) {
    const float decay = decayed ? n.decay : 0.0F;
    if (kUpdate == Update::plain) {
        for (int k = 0; k < kBlock; ++k) {
            p.v[k] -= n.lr * (conditioned(g.v[k], n) + decay * p.v[k]);
        }
    } else if (kUpdate == Update::momentum) {
        for (int k = 0; k < kBlock; ++k) {
            const float d = conditioned(g.v[k], n) + decay * p.v[k];
            m.v[k] = n.keep * m.v[k] + n.take * d;
            p.v[k] -= n.lr * (n.direct * d + n.ahead * m.v[k]);
        }
    } else {
        const float keep = decayed ? n.keep_parameter : 1.0F;
        for (int k = 0; k < kBlock; ++k) {
            const float d = conditioned(g.v[k], n) + decay * p.v[k];
            m.v[k] = n.beta1 * m.v[k] + n.take1 * d;
            v.v[k] = n.beta2 * v.v[k] + n.take2 * d * d;
            p.v[k] = keep * p.v[k] - n.size * (m.v[k] / (sqrtf(v.v[k]) / n.root_correction2 + n.eps));
        }
    }
}

template <Update kUpdate>
__device__ __forceinline__ void load_memory(const FlatParameters& flat, std::int64_t at, Group& m, Group& v) {
    if (kUpdate != Update::plain) {
        m = load(flat.first + at);
    }
    if (kUpdate == Update::adam) {
        v = load(flat.second + at);
    }
}

template <Update kUpdate>
__device__ __forceinline__ void store_memory(const FlatParameters& flat, std::int64_t at, const Group& m,
                                             const Group& v) {
    if (kUpdate != Update::plain) {
        store(flat.first + at, m);
    }
    if (kUpdate == Update::adam) {
        store(flat.second + at, v);
    }
}

constexpr int kGroupsPerLine = kLine / kBlock;

__device__ __forceinline__ bool all_finite(const UpdateNumbers& n, const Group& g) {
    bool finite = true;
    for (int k = 0; k < kBlock; ++k) {
        finite = finite && isfinite(conditioned(g.v[k], n));
    }
    return finite;
}

template <Update kUpdate, typename Copy>
__global__ void __launch_bounds__(kThreads)
    update_kernel(FlatParameters flat, const UpdateNumbers* numbers, UpdateNotes notes, std::int64_t groups) {
    wait_for_inputs();
    const UpdateNumbers n = *numbers;
    if (n.skip != 0 || (notes.loss != nullptr && !isfinite(*notes.loss))) {
        return;
    }
    if (notes.idle != nullptr && blockIdx.x == 0 && threadIdx.x == 0) {
        notes.idle->numbers[notes.idle->count] = n;
        ++notes.idle->count;
    }
    const auto first_group = static_cast<std::int64_t>(flat.begin / kBlock);
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < groups;
         i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
        const std::int64_t group = first_group + i;
        const std::int64_t at = group * kBlock;
        const std::uint8_t flags = flat.lines[group / kGroupsPerLine];
        const bool live = (flags & kLive) != 0;
        if (flat.live_only && !live) {
            continue;
        }
        Group g{};
        if (live) {
            g = load(flat.gradients + at);
            if (!all_finite(n, g)) {
                if (notes.report != nullptr) {
                    notes.report->not_finite_in = n.step.step;  // the same number from every thread
                }
                continue;
            }
        }
        Group p = load(flat.parameters + at);
        Group m{};
        Group v{};
        load_memory<kUpdate>(flat, at, m, v);
        update_group<kUpdate>(n, (flags & kDecayed) != 0, g, p, m, v);
        store_memory<kUpdate>(flat, at, m, v);
        store(flat.parameters + at, p);
        if (flat.copy != nullptr) {
            store(static_cast<Copy*>(flat.copy) + at, p);
        }
    }
}

template <Update kUpdate>
__global__ void __launch_bounds__(kThreads)
    catch_up_kernel(FlatParameters flat, const IdleUpdates* idle, std::int64_t groups) {
    wait_for_inputs();
    const unsigned count = idle->count;
    for (std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; group < groups;
         group += static_cast<std::int64_t>(gridDim.x) * kThreads) {
        const std::uint8_t flags = flat.lines[group / kGroupsPerLine];
        if ((flags & kLive) != 0) {
            continue;
        }
        const std::int64_t at = group * kBlock;
        const Group g{};
        Group p = load(flat.parameters + at);
        Group m{};
        Group v{};
        load_memory<kUpdate>(flat, at, m, v);
        for (unsigned i = 0; i < count; ++i) {
            update_group<kUpdate>(idle->numbers[i], (flags & kDecayed) != 0, g, p, m, v);
        }
        store_memory<kUpdate>(flat, at, m, v);
        store(flat.parameters + at, p);
    }
}

/// The sum of a block's numbers comes to lie in the first one, in an order that does not change.
__device__ __forceinline__ void add_up(double* shared) {
    __syncthreads();
    for (int step = kThreads / 2; step > 0; step /= 2) {
        if (static_cast<int>(threadIdx.x) < step) {
            shared[threadIdx.x] += shared[threadIdx.x + step];
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(kThreads)
    norm_kernel(FlatParameters flat, std::int64_t groups, NormOptions options, UpdateNumbers* numbers,
                UpdateReport* report, double* partials, unsigned* counter) {
    wait_for_inputs();
    __shared__ double shared[kThreads];
    __shared__ bool is_last;
    const auto first_group = static_cast<std::int64_t>(flat.begin / kBlock);
    double sum = 0.0;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < groups;
         i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
        const std::int64_t group = first_group + i;
        if ((flat.lines[group / kGroupsPerLine] & kLive) == 0) {
            continue;
        }
        const Group g = load(flat.gradients + group * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            sum += static_cast<double>(g.v[k]) * static_cast<double>(g.v[k]);
        }
    }
    shared[threadIdx.x] = sum;
    add_up(shared);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = shared[0];
        __threadfence();
        is_last = atomicAdd(counter, 1U) + 1U == gridDim.x;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
    // All threads of the last block: one thread alone would wait for every partial sum in turn.
    sum = 0.0;
    for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads) {
        sum += __ldcg(partials + block);
    }
    shared[threadIdx.x] = sum;
    add_up(shared);
    if (threadIdx.x != 0) {
        return;
    }
    const double squares = shared[0];
    *counter = 0U;
    const OptimizerStep step = numbers->step;
    const double used_scale = options.scale != nullptr ? static_cast<double>(options.scale->scale) : 1.0;
    const double scale = step.gradient_scale / used_scale;
    const double norm = sqrt(squares) * fabs(scale);
    const bool finite = isfinite(norm);
    report->norm = norm;
    report->loss_scale = static_cast<float>(used_scale);
    report->updated = options.scale == nullptr || finite ? 1 : 0;
    UpdateNumbers result = *numbers;
    if (options.scale != nullptr) {
        DeviceLossScale& kept = *options.scale;
        fill_numbers(step, step.step - kept.left_out, result);
        if (!finite) {
            kept.scale = static_cast<float>(static_cast<double>(kept.scale) * kept.backoff);
            kept.finite_in_a_row = 0;
            ++kept.left_out;
            result.skip = 1;
        } else if (++kept.finite_in_a_row == kept.growth_interval) {
            kept.scale = static_cast<float>(static_cast<double>(kept.scale) * kept.growth);
            kept.finite_in_a_row = 0;
        }
    }
    // torch.nn.utils.clip_grad_norm_
    constexpr double kEpsilon = 1e-6;
    const double limit = options.clip_norm / (norm + kEpsilon);
    const double clip = options.clip_norm > 0.0 && !(limit > 1.0) ? limit : 1.0;
    result.gradient_scale = static_cast<float>(scale * clip);
    *numbers = result;
}

unsigned blocks_for(std::int64_t groups) {
    const std::int64_t wanted = (groups + kThreads - 1) / kThreads;
    return static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks);
}

template <Update kUpdate>
void launch_update(const FlatParameters& flat, const UpdateNumbers* numbers, const UpdateNotes& notes,
                   cudaStream_t stream) {
    const auto groups = static_cast<std::int64_t>((flat.end - flat.begin) / kBlock);
    if (groups == 0) {
        return;
    }
    with_element(flat.copy_type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(update_kernel<kUpdate, T>, dim3(blocks_for(groups)), dim3(kThreads), stream, flat, numbers,
               notes, groups);
    });
}

template <Update kUpdate>
void launch_catch_up(const FlatParameters& flat, const IdleUpdates* idle, cudaStream_t stream) {
    const auto groups = static_cast<std::int64_t>(flat.end / kBlock);
    launch(catch_up_kernel<kUpdate>, dim3(blocks_for(groups)), dim3(kThreads), stream, flat, idle, groups);
}

}  // namespace

void set_update_numbers(const OptimizerStep& step, UpdateNumbers& numbers) {
    fill_numbers(step, step.step, numbers);
}

void update_parameters(OptimizerKind kind, const FlatParameters& flat, const UpdateNumbers* numbers,
                       const UpdateNotes& notes, cudaStream_t stream) {
    if (kind != OptimizerKind::sgd) {
        launch_update<Update::adam>(flat, numbers, notes, stream);
    } else if (flat.first != nullptr) {
        launch_update<Update::momentum>(flat, numbers, notes, stream);
    } else {
        launch_update<Update::plain>(flat, numbers, notes, stream);
    }
}

void catch_up(OptimizerKind kind, const FlatParameters& flat, IdleUpdates* idle, cudaStream_t stream) {
    if (kind != OptimizerKind::sgd) {
        launch_catch_up<Update::adam>(flat, idle, stream);
    } else if (flat.first != nullptr) {
        launch_catch_up<Update::momentum>(flat, idle, stream);
    } else {
        launch_catch_up<Update::plain>(flat, idle, stream);
    }
    cuda_check(cudaMemsetAsync(&idle->count, 0, sizeof(idle->count), stream), "cudaMemsetAsync");
}

void measure_gradients(const FlatParameters& flat, const NormOptions& options, UpdateNumbers* numbers,
                       UpdateReport* report, const NormScratch& scratch, cudaStream_t stream) {
    const auto groups = static_cast<std::int64_t>((flat.end - flat.begin) / kBlock);
    constexpr std::int64_t kGroupsPerThread = 4;
    const std::int64_t wanted = (groups + kGroupsPerThread * kThreads - 1) / (kGroupsPerThread * kThreads);
    const auto blocks = static_cast<unsigned>(wanted < 1 ? 1 : (wanted < kNormBlocks ? wanted : kNormBlocks));
    launch(norm_kernel, dim3(blocks), dim3(kThreads), stream, flat, groups, options, numbers, report,
           scratch.partials, scratch.counter);
}

}  // namespace rankscope::engine::cuda
