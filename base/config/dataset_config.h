// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_problem.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The `dataset:` part of the train section.
namespace rankscope::config {

/// Mean and standard deviation of the pixels after division by 255: one of each, or one per channel.
struct NormalizeConfig {
    std::vector<double> mean{0.0};
    std::vector<double> std{1.0};
    bool operator==(const NormalizeConfig&) const = default;
};

/// What is done to a training image, with the meaning that torchvision's transforms of these names have.
struct AugmentConfig {
    struct RandomCrop {
        std::int64_t padding = 4;  ///< black pixels on each side before the crop
        bool operator==(const RandomCrop&) const = default;
    };
    struct RandomResizedCrop {
        double scale_min = 0.08;  ///< share of the image's area
        double scale_max = 1.0;
        double ratio_min = 3.0 / 4.0;  ///< width / height
        double ratio_max = 4.0 / 3.0;
        bool operator==(const RandomResizedCrop&) const = default;
    };
    std::optional<RandomCrop> random_crop{};  ///< at most one of the two crops
    std::optional<RandomResizedCrop> random_resized_crop{};
    std::optional<double> horizontal_flip{};  ///< probability
    bool operator==(const AugmentConfig&) const = default;
};

/// The `dataset:` section; what the keys mean: dataset_keys.cpp.
struct DatasetConfig {
    std::string name{};
    std::string root{};
    std::string train_split{"train"};
    std::string val_split{"val"};
    std::optional<std::int64_t> limit{};
    std::int64_t seed = 0;
    std::optional<std::int64_t> train_size{};
    std::optional<std::int64_t> test_size{};
    std::optional<NormalizeConfig> normalize{};
    AugmentConfig augment{};
    std::optional<std::int64_t> image_size{};
    std::optional<std::int64_t> resize{};
    std::optional<std::int64_t> workers{};
    std::optional<std::int64_t> classes{};
    std::vector<std::int64_t> shape{};  ///< empty: the set's own
    std::optional<std::int64_t> sequence{};
    std::string otherwise{};
    bool operator==(const DatasetConfig&) const = default;
};

/// What the network gets of a set, as far as the configuration alone says.
struct SampleKind {
    std::vector<std::int64_t> shape;      ///< {channels, height, width}, {features}, or {tokens}
    std::optional<std::int64_t> classes;  ///< absent: the class folders must be counted
    bool operator==(const SampleKind&) const = default;
};
/// Precondition: `dataset` came through check_train_config().
SampleKind sample_kind(const DatasetConfig& dataset);

/// Whether the set's samples are sequences of tokens, for models that predict each next one.
bool is_token_set(const std::string& name);

/// Names that `dataset.name` may have.
const std::vector<std::string>& known_datasets();

/// Published mean and deviation of a set's pixels ("imagenet"); nullptr: the name is not known.
const NormalizeConfig* named_normalize(const std::string& name);
std::vector<std::string> known_normalizes();

/// `augment: standard` for a set: what the tutorials of the set do.
AugmentConfig standard_augment(const std::string& dataset);

/// What only makes sense together with something else; each value by itself is right already.
void check_dataset(const DatasetConfig& dataset, ConfigProblems& problems);

}  // namespace rankscope::config
