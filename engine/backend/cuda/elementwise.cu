// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);
constexpr std::int64_t kMostBlocks = 132 * 8;

/// Thread and step of a loop over groups.
__device__ __forceinline__ std::int64_t first_index() {
    return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}
__device__ __forceinline__ std::int64_t index_step() {
    return static_cast<std::int64_t>(gridDim.x) * kThreads;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    relu_kernel(std::int64_t groups, const T* __restrict__ x, T* __restrict__ y) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(x + i * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] = clamped(value.v[k]);
        }
        store(y + i * kBlock, value);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    add_kernel(std::int64_t groups, const T* __restrict__ a, const T* __restrict__ b, bool relu,
               T* __restrict__ y) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(a + i * kBlock);
        const Group other = load(b + i * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] += other.v[k];
            value.v[k] = relu ? clamped(value.v[k]) : value.v[k];
        }
        store(y + i * kBlock, value);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    gradient_sum_kernel(std::int64_t groups, GradientParts parts, const T* result, T* sum) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(static_cast<const T*>(parts.parts[0]) + i * kBlock);
#pragma unroll
        for (int part = 1; part < GradientParts::kMost; ++part) {
            if (part < parts.count) {
                const Group more = load(static_cast<const T*>(parts.parts[part]) + i * kBlock);
                for (int k = 0; k < kBlock; ++k) {
                    value.v[k] += more.v[k];
                }
            }
        }
        if (result != nullptr) {
            const Group mask = load(result + i * kBlock);
            for (int k = 0; k < kBlock; ++k) {
                value.v[k] = mask.v[k] <= 0.0F ? 0.0F : value.v[k];
            }
        }
        store(sum + i * kBlock, value);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    add_bias_kernel(std::int64_t groups, int row_groups, const T* __restrict__ bias, bool relu, T* y) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(y + i * kBlock);
        const Group add = bias == nullptr ? Group{} : load(bias + i % row_groups * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] += add.v[k];
            value.v[k] = relu ? clamped(value.v[k]) : value.v[k];
        }
        store(y + i * kBlock, value);
    }
}

template <typename From, typename To>
__global__ void __launch_bounds__(kThreads)
    convert_kernel(std::int64_t groups, const From* __restrict__ from, To* __restrict__ to) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        store(to + i * kBlock, load(from + i * kBlock));
    }
}

/// Groups of several parts of an array, one behind the other.
struct GroupRanges {
    int count = 0;
    std::int64_t first[kRangesPerLaunch] = {};  ///< group of the array
    std::int64_t end[kRangesPerLaunch] = {};    ///< of the parts up to this one
};

template <typename From, typename To>
__global__ void __launch_bounds__(kThreads)
    convert_ranges_kernel(GroupRanges ranges, const From* __restrict__ from, To* __restrict__ to) {
    wait_for_inputs();
    const std::int64_t groups = ranges.end[ranges.count - 1];
    int range = 0;
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        while (i >= ranges.end[range]) {
            ++range;
        }
        const std::int64_t begin = range == 0 ? 0 : ranges.end[range - 1];
        const std::int64_t group = ranges.first[range] + (i - begin);
        store(to + group * kBlock, load(from + group * kBlock));
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads) scale_kernel(std::int64_t groups, float factor, T* values) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(values + i * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] *= factor;
        }
        store(values + i * kBlock, value);
    }
}

__global__ void __launch_bounds__(kThreads)
    add_floats_kernel(std::int64_t groups, const float* __restrict__ addend, float* __restrict__ target) {
    wait_for_inputs();
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        Group value = load(target + i * kBlock);
        const Group more = load(addend + i * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] += more.v[k];
        }
        store(target + i * kBlock, value);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    non_finite_kernel(std::int64_t groups, const T* values, unsigned* found) {
    wait_for_inputs();
    unsigned count = 0;
    for (std::int64_t i = first_index(); i < groups; i += index_step()) {
        const Group value = load(values + i * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            count += isfinite(value.v[k]) ? 0U : 1U;
        }
    }
    if (count != 0) {
        atomicAdd(found, count);
    }
}

dim3 blocks_for(std::int64_t groups) {
    const std::int64_t wanted = (groups + kThreads - 1) / kThreads;
    return {static_cast<unsigned>(wanted < kMostBlocks ? wanted : kMostBlocks), 1U, 1U};
}

template <typename From, typename To>
void convert_ranges(const std::vector<ElementRange>& ranges, const From* from, To* to, cudaStream_t stream) {
    for (std::size_t begin = 0; begin < ranges.size(); begin += kRangesPerLaunch) {
        GroupRanges groups;
        std::int64_t total = 0;
        for (std::size_t i = begin; i < ranges.size() && i < begin + kRangesPerLaunch; ++i) {
            total += ranges[i].count / kGroup;
            groups.first[groups.count] = ranges[i].offset / kGroup;
            groups.end[groups.count] = total;
            ++groups.count;
        }
        if (total != 0) {
            launch(convert_ranges_kernel<From, To>, blocks_for(total), dim3(kThreads), stream, groups, from,
                   to);
        }
    }
}

}  // namespace

void relu_forward(ElementType type, std::int64_t count, const void* x, void* y, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(relu_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups, static_cast<const T*>(x),
               static_cast<T*>(y));
    });
}

void add(ElementType type, std::int64_t count, const void* a, const void* b, bool relu, void* y,
         cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(add_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups, static_cast<const T*>(a),
               static_cast<const T*>(b), relu, static_cast<T*>(y));
    });
}

void gradient_sum(ElementType type, std::int64_t count, const GradientParts& parts, const void* result,
                  void* sum, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(gradient_sum_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups, parts,
               static_cast<const T*>(result), static_cast<T*>(sum));
    });
}

void add_bias(ElementType type, std::int64_t rows, int channels, const void* bias, bool relu, void* y,
              cudaStream_t stream) {
    const std::int64_t groups = rows * channels / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(add_bias_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups, channels / kBlock,
               static_cast<const T*>(bias), relu, static_cast<T*>(y));
    });
}

void from_floats(ElementType type, std::int64_t count, const float* from, void* to, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(convert_kernel<float, T>, blocks_for(groups), dim3(kThreads), stream, groups, from,
               static_cast<T*>(to));
    });
}

void from_floats(ElementType type, const std::vector<ElementRange>& ranges, const float* from, void* to,
                 cudaStream_t stream) {
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        convert_ranges<float, T>(ranges, from, static_cast<T*>(to), stream);
    });
}

void to_floats(ElementType type, const std::vector<ElementRange>& ranges, const void* from, float* to,
               cudaStream_t stream) {
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        convert_ranges<T, float>(ranges, static_cast<const T*>(from), to, stream);
    });
}

void to_floats(ElementType type, std::int64_t count, const void* from, float* to, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(convert_kernel<T, float>, blocks_for(groups), dim3(kThreads), stream, groups,
               static_cast<const T*>(from), to);
    });
}

void scale(ElementType type, std::int64_t count, float factor, void* values, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(scale_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups, factor,
               static_cast<T*>(values));
    });
}

void add_floats(std::int64_t count, const float* addend, float* target, cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    launch(add_floats_kernel, blocks_for(groups), dim3(kThreads), stream, groups, addend, target);
}

void count_non_finite(ElementType type, std::int64_t count, const void* values, unsigned* found,
                      cudaStream_t stream) {
    const std::int64_t groups = count / kGroup;
    with_element(type, [&](auto* of) {
        using T = std::remove_pointer_t<decltype(of)>;
        launch(non_finite_kernel<T>, blocks_for(groups), dim3(kThreads), stream, groups,
               static_cast<const T*>(values), found);
    });
}

}  // namespace rankscope::engine::cuda
