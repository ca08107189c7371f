// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <protocol/train_config.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace rankscope::protocol {
namespace {

using nlohmann::json;
using Problems = std::vector<ConfigProblem>;

constexpr double kMaxWhole =
    9007199254740992.0;  // 2^53: larger numbers are not exact in every reader of JSON

std::string shown(const json& value) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    constexpr std::size_t kLongest = 60;
    if (text.size() > kLongest) {
        text = text.substr(0, kLongest) + "…";
    }
    return text;
}

std::string number_text(double number) {
    std::ostringstream out;
    out.precision(15);
    out << number;
    return out.str();
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
    for (const std::string& name : known) {
        // A very long key can be no misspelling, and the distance costs its length squared.
        const std::size_t distance = word.size() > 64 ? best_distance : edit_distance(word, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best.empty() ? "" : "; did you mean \"" + best + "\"?";
}

/// Reads one object: each call names one key, checks the value and stores it; what was never named is
/// unknown.
class Section {
public:
    Section(const json& object, std::string path, Problems& problems)
        : object_(object), path_(std::move(path)), problems_(problems) {}

    void add(const std::string& key, std::string message) {
        problems_.push_back({path_.empty() ? key : path_ + "." + key, std::move(message)});
    }

    /// nullptr when absent (null counts as absent: a YAML key with nothing behind it).
    const json* find(const std::string& key) {
        known_.push_back(key);
        const auto it = object_.find(key);
        return it == object_.end() || it->is_null() ? nullptr : &*it;
    }

    void whole(const std::string& key, double min, double max, auto& target) {
        const json* value = find(key);
        if (value == nullptr) {
            return;
        }
        const std::string right = "a whole number from " + number_text(min) +
                                  (max < kMaxWhole ? " to " + number_text(max) : "") + " is expected";
        const double number = value->is_number() ? value->get<double>() : std::nan("");
        if (!(number >= min && number <= max) || number != std::floor(number)) {
            add(key, "is " + shown(*value) + "; " + right);
            return;
        }
        target = static_cast<std::int64_t>(number);
    }

    /// A number with min ≤ x < max, or min < x < max when `open`.
    void real(const std::string& key, double min, bool open, double max, auto& target) {
        const json* value = find(key);
        if (value == nullptr) {
            return;
        }
        std::string right = std::string("a number ") + (open ? "greater than " : "from ") + number_text(min);
        if (std::isfinite(max)) {
            right += " and less than " + number_text(max);
        }
        const double number = value->is_number() ? value->get<double>() : std::nan("");
        const bool ok = std::isfinite(number) && (open ? number > min : number >= min) && number < max;
        if (!ok) {
            add(key, "is " + shown(*value) + "; " + right + " is expected");
            return;
        }
        target = number;
    }

    void flag(const std::string& key, bool& target) {
        const json* value = find(key);
        if (value == nullptr) {
            return;
        }
        if (!value->is_boolean()) {
            add(key, "is " + shown(*value) + "; true or false is expected");
            return;
        }
        target = value->get<bool>();
    }

    void text(const std::string& key, std::string& target) {
        const json* value = find(key);
        if (value == nullptr) {
            return;
        }
        if (!value->is_string()) {
            add(key, "is " + shown(*value) + "; text is expected");
            return;
        }
        target = value->get<std::string>();
        if (target.find('\0') != std::string::npos) {
            add(key, "contains a zero byte");
        }
    }

    void name(const std::string& key, const std::vector<std::string>& names, bool required,
              std::string& target) {
        const json* value = find(key);
        if (value == nullptr) {
            if (required) {
                add(key, "is missing; one of: " + joined(names));
            }
            return;
        }
        name_value(key, *value, names, target);
    }

    void name_value(const std::string& key, const json& value, const std::vector<std::string>& names,
                    std::string& target) {
        if (!value.is_string()) {
            add(key, "is " + shown(value) + "; a name is expected, one of: " + joined(names));
            return;
        }
        const std::string word = value.get<std::string>();
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            add(key, "is " + shown(value) + ", which is not known; one of: " + joined(names) +
                         suggestion(word, names));
            return;
        }
        target = word;
    }

    void report_unknown() {
        for (const auto& [key, value] : object_.items()) {
            if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
                add(key.size() > 64 ? key.substr(0, 64) + "…" : key,
                    "is not a known key; the keys here are: " + joined(known_) + suggestion(key, known_));
            }
        }
    }

private:
    const json& object_;
    std::string path_;
    Problems& problems_;
    std::vector<std::string> known_;
};

constexpr double kNoLimit = 1e38;  // what a float can hold

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

void read_normalize(Section& dataset_section, const json& value, Problems& problems, DatasetConfig& dataset) {
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
    Section section(value, "dataset.normalize", problems);
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

void read_resized_crop(const json& values, const std::string& path, Problems& problems,
                       AugmentConfig::RandomResizedCrop& crop) {
    Section section(values, path, problems);
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
void read_augment_step(Section& dataset_section, const json& entry, Problems& problems,
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
        Section section(values, path, problems);
        section.whole("padding", 0, 1024, augment.random_crop->padding);
        section.report_unknown();
    } else if (key == "random_resized_crop") {
        augment.random_resized_crop.emplace();
        read_resized_crop(values, path, problems, *augment.random_resized_crop);
    } else if (key == "horizontal_flip") {
        augment.horizontal_flip = 0.5;
        Section section(values, path, problems);
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

void read_augment(Section& section, const json& value, Problems& problems, DatasetConfig& dataset) {
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

void read_shape(Section& section, const json& value, DatasetConfig& dataset) {
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
void check_together(Section& section, const DatasetConfig& dataset) {
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

void read_dataset(const json* value, Problems& problems, DatasetConfig& dataset) {
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
    Section section(object, "dataset", problems);
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

json dataset_json(const DatasetConfig& config) {
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

void read_optimizer(const json* value, Problems& problems, OptimizerConfig& optimizer) {
    if (value == nullptr) {
        return;
    }
    if (!value->is_object()) {
        problems.push_back(
            {"optimizer", "is " + shown(*value) + "; {name: sgd, lr: 0.01, momentum: 0.9} is expected"});
        return;
    }
    const std::size_t before = problems.size();
    Section section(*value, "optimizer", problems);
    section.name("name", {"sgd"}, false, optimizer.name);
    section.real("lr", 0.0, false, kNoLimit, optimizer.lr);
    section.real("momentum", 0.0, false, 1.0, optimizer.momentum);
    section.real("dampening", 0.0, false, kNoLimit, optimizer.dampening);
    section.real("weight_decay", 0.0, false, kNoLimit, optimizer.weight_decay);
    section.flag("nesterov", optimizer.nesterov);
    if (problems.size() == before && optimizer.nesterov &&
        (optimizer.momentum <= 0 || optimizer.dampening != 0)) {
        section.add("nesterov", "is true; Nesterov needs a momentum greater than 0 and dampening 0");
    }
    section.report_unknown();
}

TrainConfig read(const json& value, Problems& problems) {
    TrainConfig config;
    if (!value.is_object()) {
        problems.push_back(
            {"", "is " + shown(value) + "; a section of keys is expected: model, dataset, epochs, …"});
        return config;
    }
    Section section(value, "", problems);
    section.name("model", known_models(), true, config.model);
    read_dataset(section.find("dataset"), problems, config.dataset);
    section.whole("epochs", 1, 1'000'000'000, config.epochs);
    section.whole("batch_size", 1, 1'000'000, config.batch_size);
    read_optimizer(section.find("optimizer"), problems, config.optimizer);
    section.whole("seed", 0, kMaxWhole, config.seed);
    section.flag("drop_last", config.drop_last);
    section.flag("shuffle", config.shuffle);
    section.real("bucket_mb", 0.0, true, 4096.0, config.bucket_mb);
    section.whole("threads", 1, 1024, config.threads);
    section.whole("max_steps", 1, kMaxWhole, config.max_steps);
    section.whole("log_every", 1, kMaxWhole, config.log_every);
    section.flag("validate", config.validate);
    section.report_unknown();
    return config;
}

}  // namespace

const std::vector<std::string>& known_models() {
    static const std::vector<std::string> names{"convnet",  "mlp",      "linear",   "toy",       "paddle-cnn",
                                                "resnet18", "resnet34", "resnet50", "resnet101", "resnet152"};
    return names;
}

const std::vector<std::string>& known_datasets() {
    static const std::vector<std::string> names{"mnist", "synthetic-digits"};
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

std::vector<ConfigProblem> check_train_config(const json& section) {
    Problems problems;
    read(section, problems);
    return problems;
}

TrainConfig parse_train_config(const json& section) {
    Problems problems;
    TrainConfig config = read(section, problems);
    if (!problems.empty()) {
        throw std::invalid_argument("train" + (problems[0].path.empty() ? "" : "." + problems[0].path) + " " +
                                    problems[0].message);
    }
    return config;
}

json to_json(const TrainConfig& config) {
    const auto optional = [](const auto& value) { return value ? json(*value) : json(nullptr); };
    const OptimizerConfig& sgd = config.optimizer;
    return {{"model", config.model},
            {"dataset", dataset_json(config.dataset)},
            {"epochs", config.epochs},
            {"batch_size", config.batch_size},
            {"optimizer",
             {{"name", sgd.name},
              {"lr", sgd.lr},
              {"momentum", sgd.momentum},
              {"dampening", sgd.dampening},
              {"weight_decay", sgd.weight_decay},
              {"nesterov", sgd.nesterov}}},
            {"seed", config.seed},
            {"drop_last", config.drop_last},
            {"shuffle", config.shuffle},
            {"bucket_mb", optional(config.bucket_mb)},
            {"threads", optional(config.threads)},
            {"max_steps", optional(config.max_steps)},
            {"log_every", config.log_every},
            {"validate", config.validate}};
}

}  // namespace rankscope::protocol
