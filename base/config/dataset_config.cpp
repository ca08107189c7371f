// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/config/dataset_config.h>
#include <base/config/phrase.h>

#include <algorithm>
#include <initializer_list>

namespace rankscope::config {
namespace {

struct NamedNormalize {
    const char* name;
    NormalizeConfig values;
};

/// Published means and deviations of the training sets' pixels, as the tutorials write them.
const std::vector<NamedNormalize>& named_normalizes() {
    static const std::vector<NamedNormalize> named{
        {"mnist", {{0.1307}, {0.3081}}},
        {"fashion-mnist", {{0.2860}, {0.3530}}},
        {"cifar10", {{0.4914, 0.4822, 0.4465}, {0.2023, 0.1994, 0.2010}}},
        {"cifar100", {{0.5071, 0.4865, 0.4409}, {0.2673, 0.2564, 0.2762}}},
        {"imagenet", {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}}};
    return named;
}

bool is_random(const std::string& name) {
    return name == "random" || name == "dummy";
}

}  // namespace

const std::vector<std::string>& known_datasets() {
    static const std::vector<std::string> names{
        "mnist", "fashion-mnist",    "cifar10", "cifar100", "image-folder",  "random",
        "dummy", "synthetic-digits", "tokens",  "text",     "synthetic-text"};
    return names;
}

bool is_token_set(const std::string& name) {
    return name == "tokens" || name == "text" || name == "synthetic-text";
}

SampleKind sample_kind(const DatasetConfig& dataset) {
    const std::string& name = dataset.name;
    const auto image = [&](std::int64_t channels, std::int64_t side) {
        const std::int64_t size = dataset.image_size.value_or(side);
        return std::vector<std::int64_t>{channels, size, size};
    };
    if (name == "cifar10" || name == "cifar100") {
        return {image(3, 32), name == "cifar10" ? 10 : 100};
    }
    if (name == "image-folder") {
        return {image(3, 224), dataset.classes};
    }
    if (name == "dummy") {
        return {image(3, 224), dataset.classes.value_or(1000)};
    }
    if (name == "random") {
        return {dataset.shape.empty() ? std::vector<std::int64_t>{3, 32, 32} : dataset.shape,
                dataset.classes.value_or(10)};
    }
    if (name == "tokens") {
        constexpr std::int64_t kGpt2Vocabulary = 50257;
        return {{dataset.sequence.value_or(1024)}, dataset.classes.value_or(kGpt2Vocabulary)};
    }
    if (is_token_set(name)) {
        return {{dataset.sequence.value_or(128)}, 256};
    }
    return {image(1, 28), 10};
}

const NormalizeConfig* named_normalize(const std::string& name) {
    for (const NamedNormalize& named : named_normalizes()) {
        if (name == named.name) {
            return &named.values;
        }
    }
    return nullptr;
}

std::vector<std::string> known_normalizes() {
    std::vector<std::string> names;
    for (const NamedNormalize& named : named_normalizes()) {
        names.emplace_back(named.name);
    }
    return names;
}

AugmentConfig standard_augment(const std::string& dataset) {
    AugmentConfig augment;
    if (dataset == "cifar10" || dataset == "cifar100") {
        augment.random_crop = AugmentConfig::RandomCrop{};
        augment.horizontal_flip = 0.5;
    } else if (dataset == "image-folder") {
        augment.random_resized_crop = AugmentConfig::RandomResizedCrop{};
        augment.horizontal_flip = 0.5;
    }
    return augment;
}

void check_dataset(const DatasetConfig& dataset, ConfigProblems& problems) {
    const std::string& name = dataset.name;
    const auto add = [&](const char* key, std::string message, std::string remedy) {
        problems.push_back({std::string("dataset.") + key, std::move(message), std::move(remedy)});
    };
    const auto only_for = [&](const char* key, bool given, std::initializer_list<const char*> sets) {
        std::string list;
        for (const char* set : sets) {
            list += (list.empty() ? "" : ", ") + std::string(set);
            given = given && name != set && dataset.otherwise != set;
        }
        if (given) {
            add(key, phrase("has no effect with %1", {name}),
                phrase("Leave it out; it is only for %1.", {list}));
        }
    };
    only_for("shape", !dataset.shape.empty(), {"random"});
    only_for("classes", dataset.classes.has_value(), {"image-folder", "random", "dummy", "tokens"});
    only_for("train_split", dataset.train_split != "train", {"image-folder", "tokens"});
    only_for("val_split", dataset.val_split != "val", {"image-folder", "tokens"});
    only_for("sequence", dataset.sequence.has_value(), {"tokens", "text", "synthetic-text"});
    if (name == "image-folder" && dataset.root.empty()) {
        add("root", phrase("missing"),
            phrase("Name the folder that contains the folders %1 and %2.",
                   {dataset.train_split, dataset.val_split}));
    }
    if ((name == "tokens" || name == "text") && dataset.root.empty()) {
        add("root", phrase("missing"),
            name == "text" ? phrase("Name a text file, or a folder with *.txt files.")
                           : phrase("Name the folder with the token files, such as train.bin and val.bin."));
    }
    if (is_token_set(name) && (dataset.normalize || dataset.image_size || dataset.resize)) {
        add(dataset.normalize    ? "normalize"
            : dataset.image_size ? "image_size"
                                 : "resize",
            phrase("has no effect with %1", {name}), phrase("Leave it out: the samples are tokens."));
        return;
    }
    if (name == "random" && dataset.image_size) {
        add("image_size", phrase("has no effect with %1", {name}),
            phrase("Write for example: %1", {"shape: [3, 224, 224]"}));
    }
    if (is_random(name) && dataset.normalize) {
        add("normalize", phrase("has no effect with %1", {name}),
            phrase("Leave it out: the values have mean 0 and deviation 1 already."));
    }
    const auto& crop = dataset.augment.random_crop;
    if (crop && dataset.resize && dataset.image_size.value_or(0) != 0 &&
        *dataset.resize + 2 * crop->padding < *dataset.image_size) {
        add("resize", phrase("%1 is too small", {std::to_string(*dataset.resize)}),
            phrase("A random_crop of image_size %1 needs more.", {std::to_string(*dataset.image_size)}));
    }
    const SampleKind kind = sample_kind(dataset);
    if (kind.shape.size() != 3 && dataset.augment != AugmentConfig{}) {
        add("augment", phrase("the samples are no images"),
            phrase("Leave it out, or give a shape of three numbers."));
    }
    if (dataset.normalize) {
        for (const std::size_t count : {dataset.normalize->mean.size(), dataset.normalize->std.size()}) {
            if (count != 1 && static_cast<std::int64_t>(count) != kind.shape[0]) {
                add("normalize",
                    phrase("has %1 values for the %2 channels of %3",
                           {std::to_string(count), std::to_string(kind.shape[0]), name}),
                    phrase("Give one value, or one per channel."));
                break;
            }
        }
    }
    if (!dataset.otherwise.empty()) {
        DatasetConfig other = dataset;
        other.name = dataset.otherwise;
        if (other.name == name) {
            add("otherwise", phrase("is the same as name"),
                phrase("Name another set, for example synthetic-digits."));
        } else if (sample_kind(other) != kind || !kind.classes) {
            add("otherwise", phrase("the samples or classes of %1 are not those of %2", {other.name, name}),
                phrase("Name a set of the same shape and classes."));
        }
    }
}

}  // namespace rankscope::config
