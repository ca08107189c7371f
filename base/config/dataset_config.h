// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_section.h>

#include <nlohmann/json.hpp>

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

/// The `dataset:` section.
///
///   name          mnist, fashion-mnist, cifar10, cifar100, image-folder, random, dummy or synthetic-digits
///   root          folder with the files; absent: the user's cache; ~ is expanded. image-folder: needed,
///                 root/<split>/<class>/…/<image>.jpg|jpeg|png, classes in the order of their names
///   train_split, val_split   image-folder: the folders below root                           train, val
///   limit         use only N training samples: the first N; of an image folder N spread over its classes
///   augment       none | standard (what the set's tutorials do: cifar: random_crop and        none
///                 horizontal_flip; image-folder: random_resized_crop and horizontal_flip) | a list of
///                 random_crop: {padding: 4}, random_resized_crop: {scale: [0.08, 1], ratio: [0.75, 1.3333]},
///                 horizontal_flip: {p: 0.5}, each with its values or as the bare name
///   normalize     {mean, std}, numbers or one per channel, or mnist | fashion-mnist | cifar10 | cifar100 |
///                 imagenet; absent: pixels are only divided by 255
///   image_size    height and width that the network sees; image-folder and dummy 224, else as stored
///   resize        shorter side before a crop that is not random_resized_crop; image-folder: absent means
///                 image_size × 256 / 224, else image_size where that differs from what is stored
///   workers       threads that read and decode; absent: chosen from the set and the cores
///   classes       random (10) and dummy (1000): their number; image-folder: outputs of the network, at
///                 least the number of class folders; absent: as many as there are
///   shape         random: of one sample, [channels, height, width] or [features]            [3, 32, 32]
///   seed          synthetic-digits, random, dummy: which samples are drawn                   0
///   train_size, test_size    how many; synthetic-digits and random 20000 and 4000, dummy 1000 and 1000
///   otherwise     name of the set that all ranks take together where `name` is not to be had on one of them;
///                 its samples must have the same shape and classes; absent: that is an error
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
    std::string otherwise{};
    bool operator==(const DatasetConfig&) const = default;
};

/// What the network gets of a set, as far as the configuration alone says.
struct SampleKind {
    std::vector<std::int64_t> shape;      ///< {channels, height, width}, or {features}
    std::optional<std::int64_t> classes;  ///< absent: the class folders must be counted
    bool operator==(const SampleKind&) const = default;
};
/// Precondition: `dataset` came through check_train_config().
SampleKind sample_kind(const DatasetConfig& dataset);

/// Names that `dataset.name` may have.
const std::vector<std::string>& known_datasets();

/// Reads the value behind `dataset` (nullptr: absent, which is a fault).
void read_dataset(const nlohmann::json* value, ConfigProblems& problems, DatasetConfig& dataset);
nlohmann::json to_json(const DatasetConfig& config);

}  // namespace rankscope::config
