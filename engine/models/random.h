// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/models/mersenne_twister.h>

#include <cstdint>
#include <span>
#include <vector>

/// The random numbers of PyTorch's CPU generator, bit for bit: MT19937 seeded with the low 32 bits of the
/// seed. Source: ATen/core/DistributionsHelper.h, aten/src/ATen/native/cpu/DistributionTemplates.h (1.13
/// and 2.6 agree).
namespace rankscope::engine {

class TorchGenerator {
public:
    explicit TorchGenerator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

    std::uint32_t random32() { return engine_(); }
    std::uint64_t random64() {
        const std::uint64_t high = random32();
        return (high << 32U) | random32();
    }

    /// torch.Tensor.uniform_(low, high) on float32.
    void uniform(std::span<float> values, double low, double high);
    /// As uniform() on this many elements, only to advance the generator's state.
    void skip_uniform(std::size_t count) { engine_.discard(count); }
    /// torch.Tensor.normal_(mean, std) on float32 of at least 16 elements. Smaller tensors are drawn
    /// otherwise by PyTorch: std::logic_error.
    void normal(std::span<float> values, double mean, double deviation);

private:
    MersenneTwister engine_;
};

/// torch.randperm(n, generator=Generator().manual_seed(seed)).
std::vector<std::int64_t> random_permutation(std::int64_t n, std::uint64_t seed);

}  // namespace rankscope::engine
