// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/cifar.h>
#include <engine/data/dataset.h>
#include <engine/data/image_folder.h>
#include <engine/data/mnist.h>
#include <engine/data/random_images.h>
#include <engine/data/synthetic_digits.h>
#include <engine/data/token_set.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

/// How many samples a set that is drawn has.
std::int64_t drawn_size(const config::DatasetConfig& config, Split split, std::int64_t train,
                        std::int64_t test) {
    if (split == Split::test) {
        return config.test_size.value_or(test);
    }
    const std::int64_t size = config.train_size.value_or(train);
    return config.limit ? std::min(size, *config.limit) : size;
}

/// random: noise with random labels; dummy: Distribuuuu's 1000 samples, all of class 0.
ImageSet draw_noise(const config::DatasetConfig& config, Split split) {
    const bool dummy = config.name == "dummy";
    const Shape shape = dataset_sample_shape(config);
    const bool image = shape.size() == 3;
    const auto seed = static_cast<std::uint64_t>(config.seed);
    const std::uint64_t stream = split == Split::train ? 0 : 1;
    const std::int64_t size =
        dummy ? drawn_size(config, split, 1000, 1000) : drawn_size(config, split, 20000, 4000);
    ImageSet set;
    set.classes = dataset_classes(config);
    set.labels = dummy ? std::vector<std::int32_t>(static_cast<std::size_t>(size), 0)
                       : random_labels(size, set.classes, seed, stream);
    set.images = std::make_shared<RandomImages>(
        image ? static_cast<int>(shape[0]) : 1,
        ImageSize{image ? static_cast<int>(shape[1]) : 1, static_cast<int>(shape.back())}, seed, stream);
    return set;
}

}  // namespace

Shape dataset_sample_shape(const config::DatasetConfig& config) {
    const std::vector<std::int64_t> shape = config::sample_kind(config).shape;
    return {shape.begin(), shape.end()};
}

std::int64_t dataset_classes(const config::DatasetConfig& config) {
    const config::SampleKind kind = config::sample_kind(config);
    return kind.classes ? *kind.classes : static_cast<std::int64_t>(image_folder_classes(config).size());
}

ImageSet load_dataset(const config::DatasetConfig& config, Split split, const DataProgress& progress) {
    if (config.name == "mnist" || config.name == "fashion-mnist") {
        return load_mnist(config, split, progress);
    }
    if (config.name == "cifar10" || config.name == "cifar100") {
        return load_cifar(config, split, progress);
    }
    if (config.name == "image-folder") {
        return load_image_folder(config, split, progress);
    }
    if (config.name == "synthetic-digits") {
        return draw_digits(drawn_size(config, split, 20000, 4000), static_cast<std::uint64_t>(config.seed),
                           split == Split::train ? 0U : 1U);
    }
    if (config.name == "random" || config.name == "dummy") {
        return draw_noise(config, split);
    }
    if (config::is_token_set(config.name)) {
        ImageSet set;
        set.classes = dataset_classes(config);
        set.tokens = load_tokens(config, split);
        return set;
    }
    throw ConfigError("dataset \"" + config.name + "\" is unknown to this worker");
}

}  // namespace rankscope::engine
