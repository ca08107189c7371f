// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image_set.h>

#include <cstdint>
#include <vector>

namespace rankscope::engine {

/// Noise, drawn on request: sample `index` is a function of (seed, stream, index) alone, uniform
/// bytes. normal_table() turns them into numbers with the distribution of torch.randn.
class RandomImages final : public ImageStore {
public:
    RandomImages(int channels, ImageSize size, std::uint64_t seed, std::uint64_t stream);

    std::unique_ptr<ImageReader> reader() const override;
    std::string identity() const override;

private:
    int channels_;
    ImageSize size_;
    std::uint64_t base_;
};

/// `count` labels, uniform in [0, classes).
std::vector<std::int32_t> random_labels(std::int64_t count, std::int64_t classes, std::uint64_t seed,
                                        std::uint64_t stream);

/// The standard normal's quantiles at (i + ½) / 256, scaled so that their variance is 1.
std::vector<float> normal_table();

}  // namespace rankscope::engine
