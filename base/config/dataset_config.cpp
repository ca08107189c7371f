// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/dataset_config.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace rankscope::config {
namespace {

using nlohmann::json;

/// A list of numbers, or one number as a list of one.
bool read_numbers(const json& value, std::vector<double>& target) {
    const json list = value.is_array() ? value : json::array({value});
    std::vector<double> numbers;
    for (const json& item : list) {
        if (!item.is_number() || !std::isfinite(item.get<double>())) {
            return false;
        }
        numbers.push_back(item.get<double>());
    }
    target = numbers;
    return !numbers.empty();
}

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

void read_normalize(ConfigSection& dataset_section, const json& value, ConfigProblems& problems,
                    DatasetConfig& dataset) {
    if (value.is_string()) {
        std::vector<std::string> names;
        for (const NamedNormalize& named : named_normalizes()) {
            names.emplace_back(named.name);
            if (value.get<std::string>() == named.name) {
                dataset.normalize = named.values;
                return;
            }
        }
        std::string unused;
        dataset_section.name_value("normalize", value, names, unused);
        return;
    }
    if (!value.is_object()) {
        dataset_section.add("normalize", "is " + shown(value) +
                                             "; {mean: 0.1307, std: 0.3081}, one per channel, or a name such "
                                             "as imagenet is expected");
        return;
    }
    NormalizeConfig normalize;
    ConfigSection section(value, "dataset.normalize", problems);
    const json* mean = section.find("mean");
    const auto within = [](double low, double high) {
        return [low, high](double number) { return number >= low && number < high; };
    };
    if (mean != nullptr && (!read_numbers(*mean, normalize.mean) ||
                            !std::all_of(normalize.mean.begin(), normalize.mean.end(), within(-1e6, 1e6)))) {
        section.add("mean", "is " + shown(*mean) +
                                "; a number from -1e6 and less than 1e6 is expected, or "
                                "one per channel");
    }
    const json* deviation = section.find("std");
    if (deviation != nullptr &&
        (!read_numbers(*deviation, normalize.std) ||
         !std::all_of(normalize.std.begin(), normalize.std.end(), within(1e-30, kNoLimit)))) {
        section.add("std",
                    "is " + shown(*deviation) + "; a number greater than 0 is expected, or one per channel");
    }
    section.report_unknown();
    dataset.normalize = normalize;
}

void read_resized_crop(const json& values, const std::string& path, ConfigProblems& problems,
                       AugmentConfig::RandomResizedCrop& crop) {
    ConfigSection section(values, path, problems);
    const auto range = [&section](const char* key, double max, double& from, double& to) {
        const json* value = section.find(key);
        std::vector<double> numbers;
        if (value == nullptr) {
            return;
        }
        if (!read_numbers(*value, numbers) || numbers.size() != 2 || !(numbers[0] > 0) ||
            numbers[0] > numbers[1] || numbers[1] > max) {
            section.add(key, "is " + shown(*value) + "; [from, to] with 0 < from ≤ to ≤ " + number_text(max) +
                                 " is expected");
            return;
        }
        from = numbers[0];
        to = numbers[1];
    };
    range("scale", 1.0, crop.scale_min, crop.scale_max);
    range("ratio", 100.0, crop.ratio_min, crop.ratio_max);
    section.report_unknown();
}

AugmentConfig standard_augment(const std::string& dataset) {
    AugmentConfig augment;
    if (dataset == "cifar10" || dataset == "cifar100") {
        augment.random_crop.emplace();
        augment.horizontal_flip = 0.5;
    } else if (dataset == "image-folder") {
        augment.random_resized_crop.emplace();
        augment.horizontal_flip = 0.5;
    }
    return augment;
}

/// One entry of the list: a name, or {name: {values}}.
void read_augment_step(ConfigSection& dataset_section, const json& entry, ConfigProblems& problems,
                       AugmentConfig& augment) {
    static const std::vector<std::string> names{"random_crop", "random_resized_crop", "horizontal_flip"};
    const json values = entry.is_object() && entry.size() == 1 && entry.begin()->is_object() ? *entry.begin()
                                                                                             : json::object();
    const bool named = entry.is_string() || (entry.is_object() && entry.size() == 1 &&
                                             (entry.begin()->is_object() || entry.begin()->is_null()));
    if (!named) {
        dataset_section.add("augment",
                            "has the entry " + shown(entry) +
                                "; a name, or one name with its values, is expected: " + joined(names));
        return;
    }
    const std::string key = entry.is_string() ? entry.get<std::string>() : entry.begin().key();
    const std::string path = "dataset.augment." + key;
    if (key == "random_crop") {
        augment.random_crop.emplace();
        ConfigSection section(values, path, problems);
        section.whole("padding", 0, 1024, augment.random_crop->padding);
        section.report_unknown();
    } else if (key == "random_resized_crop") {
        augment.random_resized_crop.emplace();
        read_resized_crop(values, path, problems, *augment.random_resized_crop);
    } else if (key == "horizontal_flip") {
        augment.horizontal_flip = 0.5;
        ConfigSection section(values, path, problems);
        if (const json* p = section.find("p")) {
            augment.horizontal_flip = p->is_number() ? p->get<double>() : -1.0;
            if (!(*augment.horizontal_flip >= 0.0 && *augment.horizontal_flip <= 1.0)) {
                section.add("p", "is " + shown(*p) + "; a probability from 0 to 1 is expected");
            }
        }
        section.report_unknown();
    } else {
        std::string unused;
        dataset_section.name_value("augment", json(key), names, unused);
    }
}

void read_augment(ConfigSection& section, const json& value, ConfigProblems& problems,
                  DatasetConfig& dataset) {
    if (value == "none") {
        return;
    }
    if (value == "standard") {
        dataset.augment = standard_augment(dataset.name);
        return;
    }
    if (!value.is_array()) {
        section.add("augment", "is " + shown(value) +
                                   "; none, standard, or a list such as [random_crop, horizontal_flip] is "
                                   "expected");
        return;
    }
    for (const json& entry : value) {
        read_augment_step(section, entry, problems, dataset.augment);
    }
    if (dataset.augment.random_crop && dataset.augment.random_resized_crop) {
        section.add("augment", "has both random_crop and random_resized_crop; one of them is expected");
    }
}

void read_shape(ConfigSection& section, const json& value, DatasetConfig& dataset) {
    std::vector<double> sizes;
    double product = 1;
    bool ok = value.is_array() && read_numbers(value, sizes) && (sizes.size() == 1 || sizes.size() == 3);
    for (const double size : sizes) {
        ok = ok && size >= 1 && size == std::floor(size);
        product *= size;
    }
    if (!ok || product > 1e8) {
        section.add("shape",
                    "is " + shown(value) +
                        "; [channels, height, width] or [features] is expected, whole numbers with a "
                        "product of at most 100000000");
        return;
    }
    dataset.shape.assign(sizes.begin(), sizes.end());
}

bool is_random(const std::string& name) {
    return name == "random" || name == "dummy";
}

/// What only makes sense together with something else. `name` and every value are right already.
void check_together(ConfigSection& section, const DatasetConfig& dataset) {
    const std::string& name = dataset.name;
    const auto only_for = [&](const char* key, bool given, std::initializer_list<const char*> sets) {
        std::string list;
        for (const char* set : sets) {
            list += (list.empty() ? "" : ", ") + std::string(set);
            given = given && name != set && dataset.otherwise != set;
        }
        if (given) {
            section.add(key, "is not for " + name + ", only for " + list);
        }
    };
    only_for("shape", !dataset.shape.empty(), {"random"});
    only_for("classes", dataset.classes.has_value(), {"image-folder", "random", "dummy"});
    only_for("train_split", dataset.train_split != "train", {"image-folder"});
    only_for("val_split", dataset.val_split != "val", {"image-folder"});
    if (name == "image-folder" && dataset.root.empty()) {
        section.add("root", "is missing; the folder that has the folders " + dataset.train_split + " and " +
                                dataset.val_split + " is expected");
    }
    if (name == "random" && dataset.image_size) {
        section.add("image_size", "is not for random; shape: [3, 224, 224] is expected instead");
    }
    if (is_random(name) && dataset.normalize) {
        section.add("normalize", "is not for " + name + ", whose values have mean 0 and deviation 1 already");
    }
    if (dataset.augment.random_crop && dataset.resize && dataset.image_size.value_or(0) != 0 &&
        *dataset.resize + 2 * dataset.augment.random_crop->padding < *dataset.image_size) {
        section.add("resize", "is " + std::to_string(*dataset.resize) +
                                  ", too small for a random_crop of image_size " +
                                  std::to_string(*dataset.image_size));
    }
    const SampleKind kind = sample_kind(dataset);
    if (kind.shape.size() != 3 && dataset.augment != AugmentConfig{}) {
        section.add("augment", "is not for samples that are no images; a shape of three numbers is expected");
    }
    if (dataset.normalize) {
        for (const std::size_t count : {dataset.normalize->mean.size(), dataset.normalize->std.size()}) {
            if (count != 1 && static_cast<std::int64_t>(count) != kind.shape[0]) {
                section.add("normalize", "has " + std::to_string(count) + " values for the " +
                                             std::to_string(kind.shape[0]) + " channels of " + name +
                                             "; one, or one per channel, is expected");
                break;
            }
        }
    }
    if (!dataset.otherwise.empty()) {
        DatasetConfig other = dataset;
        other.name = dataset.otherwise;
        if (other.name == name) {
            section.add("otherwise",
                        "is the same as name; another one is expected, for example synthetic-digits");
        } else if (sample_kind(other) != kind || !kind.classes) {
            section.add("otherwise", "is " + other.name + ", whose samples or classes are not those of " +
                                         name + "; a set of the same shape and classes is expected");
        }
    }
}

json augment_json(const AugmentConfig& augment) {
    json list = json::array();
    if (augment.random_crop) {
        list.push_back({{"random_crop", {{"padding", augment.random_crop->padding}}}});
    }
    if (const auto& crop = augment.random_resized_crop) {
        list.push_back({{"random_resized_crop",
                         {{"scale", {crop->scale_min, crop->scale_max}},
                          {"ratio", {crop->ratio_min, crop->ratio_max}}}}});
    }
    if (augment.horizontal_flip) {
        list.push_back({{"horizontal_flip", {{"p", *augment.horizontal_flip}}}});
    }
    return list.empty() ? json("none") : list;
}

}  // namespace

const std::vector<std::string>& known_datasets() {
    static const std::vector<std::string> names{"mnist",    "fashion-mnist",   "cifar10",
                                                "cifar100", "image-folder",    "random",
                                                "dummy",    "synthetic-digits"};
    return names;
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
    return {image(1, 28), 10};
}

void read_dataset(const json* value, ConfigProblems& problems, DatasetConfig& dataset) {
    if (value == nullptr) {
        problems.push_back({"dataset",
                            "is missing; for example {name: mnist, root: ~/datasets/mnist}, or "
                            "{name: synthetic-digits}, which needs no files"});
        return;
    }
    const json object = value->is_string() ? json{{"name", *value}} : *value;
    if (!object.is_object()) {
        problems.push_back({"dataset", "is " + shown(*value) + "; {name: …, root: …} is expected"});
        return;
    }
    const std::size_t before = problems.size();
    ConfigSection section(object, "dataset", problems);
    section.name("name", known_datasets(), true, dataset.name);
    section.text("root", dataset.root);
    section.text("train_split", dataset.train_split);
    section.text("val_split", dataset.val_split);
    section.whole("limit", 1, kMaxWhole, dataset.limit);
    section.whole("seed", 0, 4294967295.0, dataset.seed);
    section.whole("train_size", 1, 10'000'000, dataset.train_size);
    section.whole("test_size", 1, 10'000'000, dataset.test_size);
    section.whole("image_size", 1, 8192, dataset.image_size);
    section.whole("resize", 1, 8192, dataset.resize);
    section.whole("workers", 1, 1024, dataset.workers);
    section.whole("classes", 1, 10'000'000, dataset.classes);
    if (const json* shape = section.find("shape")) {
        read_shape(section, *shape, dataset);
    }
    if (const json* augment = section.find("augment")) {
        read_augment(section, *augment, problems, dataset);
    }
    if (const json* normalize = section.find("normalize")) {
        read_normalize(section, *normalize, problems, dataset);
    }
    section.name("otherwise", known_datasets(), false, dataset.otherwise);
    section.report_unknown();
    if (problems.size() == before) {
        check_together(section, dataset);
    }
}

json to_json(const DatasetConfig& config) {
    const auto optional = [](const auto& value) { return value ? json(*value) : json(nullptr); };
    json dataset = {{"name", config.name},
                    {"root", config.root},
                    {"train_split", config.train_split},
                    {"val_split", config.val_split},
                    {"limit", optional(config.limit)},
                    {"seed", config.seed},
                    {"train_size", optional(config.train_size)},
                    {"test_size", optional(config.test_size)},
                    {"augment", augment_json(config.augment)},
                    {"image_size", optional(config.image_size)},
                    {"resize", optional(config.resize)},
                    {"workers", optional(config.workers)},
                    {"classes", optional(config.classes)}};
    if (!config.shape.empty()) {
        dataset["shape"] = config.shape;
    }
    if (!config.otherwise.empty()) {
        dataset["otherwise"] = config.otherwise;
    }
    if (config.normalize) {
        dataset["normalize"] = {{"mean", config.normalize->mean}, {"std", config.normalize->std}};
    }
    return dataset;
}

}  // namespace rankscope::config
