// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/dropout.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    drop_kernel(std::int64_t groups, DropoutShape shape, std::int64_t row_groups, DropoutFormula formula,
                const std::uint64_t* const* keys, const T* x, T* y) {
    wait_for_inputs();
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= groups) {
        return;
    }
    constexpr auto kBlock = static_cast<std::int64_t>(kGroup);
    const std::int64_t row = i / row_groups;
    const std::int64_t channel = i % row_groups * kBlock;
    const std::uint64_t key = (*keys)[row / shape.rows];
    Group value = load(x + i * kBlock);
    auto element = static_cast<std::uint64_t>(row % shape.rows * shape.channels + channel);
    std::uint64_t quad = element / 4;
    Philox words = formula.words_of(key, shape.whole_samples ? 0 : quad);
    for (int k = 0; k < kBlock; ++k, ++element) {
        if (shape.whole_samples) {
            value.v[k] *= formula.factor(words, 0);
            continue;
        }
        if (element / 4 != quad) {
            quad = element / 4;
            words = formula.words_of(key, quad);
        }
        value.v[k] *= channel + k < shape.channels ? formula.factor(words, element) : 0.0F;
    }
    store(y + i * kBlock, value);
}

}  // namespace

void drop(const DropoutShape& shape, const DropoutFormula& formula, const std::uint64_t* const* keys,
          const void* x, void* y, cudaStream_t stream) {
    const std::int64_t row_groups = shape.stored() / static_cast<std::int64_t>(kGroup);
    const std::int64_t groups = shape.batch * shape.rows * row_groups;
    const dim3 blocks(static_cast<unsigned>((groups + kThreads - 1) / kThreads), 1U, 1U);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(drop_kernel<T>, blocks, dim3(kThreads), stream, groups, shape, row_groups, formula, keys,
               static_cast<const T*>(x), static_cast<T*>(y));
    });
}

}  // namespace rankscope::engine::cuda
