// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/dataset.h>
#include <engine/data/mnist.h>
#include <engine/data/synthetic_digits.h>
#include <engine/error.h>

namespace rankscope::engine {

ImageSet load_dataset(const protocol::DatasetConfig& config, Split split, const DataProgress& progress) {
    if (config.augment != protocol::AugmentConfig{} || config.image_size || config.resize) {
        throw ConfigError("dataset.augment, image_size and resize are not for dataset \"" + config.name +
                          "\" in this worker");
    }
    if (config.name == "mnist") {
        return load_mnist(config, split, progress);
    }
    if (config.name == "synthetic-digits") {
        const bool train = split == Split::train;
        std::int64_t size = train ? config.train_size.value_or(20000) : config.test_size.value_or(4000);
        if (train && config.limit) {
            size = std::min(size, *config.limit);
        }
        return draw_digits(size, static_cast<std::uint64_t>(config.seed), train ? 0U : 1U);
    }
    throw ConfigError("dataset \"" + config.name + "\" is not known to this worker");
}

}  // namespace rankscope::engine
