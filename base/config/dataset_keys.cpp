// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/phrase.h>
#include <base/config/train_keys.h>
#include <base/text.h>

#include <algorithm>

namespace rankscope::config {
namespace {

using nlohmann::json;
using Table = KeyTable<TrainConfig>;

constexpr const char* kGroup = "Model and data";
constexpr Range kWholeFrom1{.min = 1, .max = kMaxWhole};

// clang-format off
// NOLINTNEXTLINE(bugprone-macro-parentheses): a lambda as an argument
#define MEMBER(path) [](auto& config) -> auto& { return config.dataset.path; }
// clang-format on

/// A list of numbers, or one number as a list of one; nothing where something else is in it.
std::optional<std::vector<double>> numbers_of(const ConfigNode& node) {
    std::vector<double> numbers;
    for (const ConfigNode& item : node.is_list() ? node.items : std::vector<ConfigNode>{node}) {
        const auto number = item.is_scalar() && item.plain ? to_number(item.text) : std::nullopt;
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return numbers.empty() ? std::nullopt : std::optional(numbers);
}

/// A key that is one number or one per channel, each from `low` to less than `high`.
Key<NormalizeConfig> per_channel(const char* path, double low, double high, const char* remedy,
                                 std::vector<double> NormalizeConfig::*member) {
    KeyInfo info;
    info.kind = KeyKind::Special;
    return special_key<NormalizeConfig>(
        path, info,
        [=](const KeyReader& reader, NormalizeConfig& normalize) {
            const auto numbers = numbers_of(reader.node);
            const bool fine = numbers && std::all_of(numbers->begin(), numbers->end(), [=](double number) {
                                  return number >= low && number < high;
                              });
            if (fine) {
                normalize.*member = *numbers;
            } else {
                reader.add(phrase("%1 is not right", {shown(to_json(reader.node))}), phrase(remedy));
            }
        },
        [=](const NormalizeConfig& normalize) -> json { return normalize.*member; });
}

const KeyTable<NormalizeConfig>& normalize_keys() {
    static const KeyTable<NormalizeConfig> table{
        {},
        {per_channel("mean", -1e6, 1e6, "Give a number from -1e6 and less than 1e6, or one per channel.",
                     &NormalizeConfig::mean),
         per_channel("std", 1e-30, kNoLimit, "Give a number greater than 0, or one per channel.",
                     &NormalizeConfig::std)}};
    return table;
}

void read_normalize(const KeyReader& reader, TrainConfig& config) {
    if (reader.node.is_scalar()) {
        if (const NormalizeConfig* named = named_normalize(reader.node.text)) {
            config.dataset.normalize = *named;
        } else {
            reader.add(phrase("%1 is not known", {shown(reader.node)}),
                       suggest(reader.node.text, known_normalizes()));
        }
    } else if (reader.node.is_mapping()) {
        read_keys(normalize_keys(), reader.node, config.dataset.normalize.emplace(), reader.problems,
                  {.path = reader.path});
    } else {
        reader.add(phrase("%1 is not a normalisation", {shown(reader.node)}),
                   phrase("Write {mean: 0.1307, std: 0.3081}, one per channel, or a name such as imagenet."));
    }
}

/// [from, to] with 0 < from ≤ to ≤ max.
Key<AugmentConfig::RandomResizedCrop> span_key(const char* path, double max,
                                               double AugmentConfig::RandomResizedCrop::*from,
                                               double AugmentConfig::RandomResizedCrop::*to) {
    KeyInfo info;
    info.kind = KeyKind::Special;
    return special_key<AugmentConfig::RandomResizedCrop>(
        path, info,
        [=](const KeyReader& reader, AugmentConfig::RandomResizedCrop& crop) {
            const auto numbers = numbers_of(reader.node);
            if (!numbers || numbers->size() != 2 || !((*numbers)[0] > 0) || (*numbers)[0] > (*numbers)[1] ||
                (*numbers)[1] > max) {
                reader.add(phrase("%1 is not right", {shown(to_json(reader.node))}),
                           phrase("Give [from, to] with 0 < from ≤ to ≤ %1.", {number_text(max)}));
                return;
            }
            crop.*from = (*numbers)[0];
            crop.*to = (*numbers)[1];
        },
        [=](const AugmentConfig::RandomResizedCrop& crop) -> json {
            return {crop.*from, crop.*to};
        });
}

struct Flip {
    double p = 0.5;
};

/// Reads the values of a step of the list into `values`; a bare name has none.
template <typename Values>
void read_step(const KeyTable<Values>& table, const ConfigNode* node, const KeyReader& reader,
               const std::string& name, Values& values) {
    if (node != nullptr) {
        read_keys(table, *node, values, reader.problems, {.path = reader.path + '.' + name});
    }
}

/// One entry of the list: a name, or {name: {values}}.
void read_augment_step(const KeyReader& reader, const ConfigNode& entry, AugmentConfig& augment) {
    using Crop = AugmentConfig::RandomCrop;
    using ResizedCrop = AugmentConfig::RandomResizedCrop;
    static const std::vector<std::string> names{"random_crop", "random_resized_crop", "horizontal_flip"};
    static const KeyTable<Crop> crop_keys{
        {}, {key<Crop>("padding", [](auto& crop) -> auto& { return crop.padding; }, {.range = {0, 1024}})}};
    static const KeyTable<ResizedCrop> resized_keys{
        {},
        {span_key("scale", 1.0, &ResizedCrop::scale_min, &ResizedCrop::scale_max),
         span_key("ratio", 100.0, &ResizedCrop::ratio_min, &ResizedCrop::ratio_max)}};
    static const KeyTable<Flip> flip_keys{
        {}, {key<Flip>("p", [](auto& flip) -> auto& { return flip.p; }, {.range = {0, 1}})}};

    const bool one = entry.is_mapping() && entry.entries.size() == 1;
    const ConfigNode* values = one ? &entry.entries.front().value : nullptr;
    const bool bare = values != nullptr && values->kind == ConfigNode::Kind::Null;
    const bool text = entry.is_scalar() && !to_number(entry.text);
    if (!text && !(one && (bare || values->is_mapping()))) {
        reader.add(phrase("the entry %1 is not known", {shown(to_json(entry))}),
                   phrase("Write a name, or one name with its values: %1.", {joined(names)}));
        return;
    }
    values = bare ? nullptr : values;
    const std::string name = entry.is_scalar() ? entry.text : entry.entries.front().key;
    if (name == "random_crop") {
        augment.random_crop = AugmentConfig::RandomCrop{};
        read_step(crop_keys, values, reader, name, *augment.random_crop);
    } else if (name == "random_resized_crop") {
        augment.random_resized_crop = AugmentConfig::RandomResizedCrop{};
        read_step(resized_keys, values, reader, name, *augment.random_resized_crop);
    } else if (name == "horizontal_flip") {
        Flip flip;
        read_step(flip_keys, values, reader, name, flip);
        augment.horizontal_flip = flip.p;
    } else {
        reader.add(phrase("\"%1\" is not known", {name}), suggest(name, names));
    }
}

void read_augment(const KeyReader& reader, TrainConfig& config) {
    AugmentConfig& augment = config.dataset.augment;
    if (reader.node.is_scalar() && reader.node.text == "none") {
        augment = {};
    } else if (reader.node.is_scalar() && reader.node.text == "standard") {
        augment = standard_augment(config.dataset.name);
    } else if (reader.node.is_list()) {
        for (const ConfigNode& entry : reader.node.items) {
            read_augment_step(reader, entry, augment);
        }
        if (augment.random_crop && augment.random_resized_crop) {
            reader.add(phrase("has both random_crop and random_resized_crop"),
                       phrase("Keep one of the two."));
        }
    } else {
        reader.add(phrase("%1 is not known", {shown(reader.node)}),
                   phrase("Write none, standard, or a list such as [random_crop, horizontal_flip]."));
    }
}

json augment_json(const TrainConfig& config) {
    const AugmentConfig& augment = config.dataset.augment;
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

void read_shape(const KeyReader& reader, TrainConfig& config) {
    constexpr double kMostValues = 1e8;
    const auto sizes = reader.node.is_list() ? numbers_of(reader.node) : std::nullopt;
    double product = 1;
    bool fine = sizes && (sizes->size() == 1 || sizes->size() == 3);
    for (const double size : sizes.value_or(std::vector<double>())) {
        fine = fine && size >= 1 && size == static_cast<double>(static_cast<std::int64_t>(size));
        product *= size;
    }
    if (!fine || product > kMostValues) {
        reader.add(phrase("%1 is not a shape", {shown(to_json(reader.node))}),
                   phrase("Give [channels, height, width] or [features]: whole numbers with a product of at "
                          "most 100000000."));
        return;
    }
    config.dataset.shape.assign(sizes->begin(), sizes->end());
}

void add_special(Table& table, const char* path, KeyInfo info, void (*read)(const KeyReader&, TrainConfig&),
                 json (*write)(const TrainConfig&)) {
    info.kind = KeyKind::Special;
    info.group = kGroup;
    table.keys.push_back(special_key<TrainConfig>(path, std::move(info), read, write));
}

template <typename Get>
void add_dataset_key(Table& table, const char* path, Get get, KeyInfo info) {
    info.group = kGroup;
    table.keys.push_back(key<TrainConfig>(path, get, std::move(info)));
}

}  // namespace

void add_dataset_keys(Table& table) {
    table.sections.push_back({.path = "dataset",
                              .example = "dataset: { name: mnist, root: ~/datasets/mnist }, or dataset: "
                                         "synthetic-digits, which needs no files",
                              .shorthand = "name",
                              .required = true});
    add_dataset_key(table, "dataset.name", MEMBER(name),
                    {.choices = known_datasets(),
                     .label = "&Data set",
                     .help = "`dataset: mnist` is short for `dataset: { name: mnist }`.",
                     .example = "name: mnist",
                     .required = true});
    add_dataset_key(table, "dataset.root", MEMBER(root),
                    {.label = "Data &folder",
                     .help = "On the nodes; missing files are downloaded into it. image-folder needs it: "
                             "root/<split>/<class>/…/<image>, classes in the order of their names. tokens: "
                             "a folder with train.bin and val.bin; text: a text file, or a folder with "
                             "*.txt.",
                     .absent = "the user's cache on the node"});
    add_dataset_key(table, "dataset.limit", MEMBER(limit),
                    {.range = kWholeFrom1,
                     .label = "Use only samples",
                     .help = "The first N training samples; of an image folder N spread over its classes.",
                     .absent = "all",
                     .rare = true});
    add_special(table, "dataset.augment",
                {.label = "Augmentation",
                 .help = "none; standard: what the tutorials of the set do; or a list of random_crop: "
                         "{padding: 4}, random_resized_crop: {scale: [0.08, 1], ratio: [0.75, 1.3333]}, "
                         "horizontal_flip: {p: 0.5}, each with its values or as the bare name.",
                 .example = "augment: [random_crop, horizontal_flip]",
                 .rare = true},
                read_augment, augment_json);
    add_special(table, "dataset.normalize",
                {.label = "Normalise",
                 .help = "{mean, std}, numbers or one per channel, or a name: mnist, fashion-mnist, cifar10, "
                         "cifar100, imagenet.",
                 .absent = "pixels are only divided by 255",
                 .example = "normalize: { mean: 0.1307, std: 0.3081 }",
                 .rare = true},
                read_normalize, [](const TrainConfig& config) -> json {
                    const auto& normalize = config.dataset.normalize;
                    return normalize ? json{{"mean", normalize->mean}, {"std", normalize->std}} : json();
                });
    add_dataset_key(table, "dataset.image_size", MEMBER(image_size),
                    {.range = {1, 8192},
                     .label = "Image size",
                     .help = "Height and width that the network gets.",
                     .absent = "as stored; 224 for image-folder and dummy",
                     .rare = true});
    add_dataset_key(table, "dataset.resize", MEMBER(resize),
                    {.range = {1, 8192},
                     .label = "Resize to",
                     .help = "Shorter side before a crop that is not random_resized_crop.",
                     .absent = "image_size; image-folder: image_size × 256 / 224",
                     .rare = true});
    add_dataset_key(table, "dataset.workers", MEMBER(workers),
                    {.range = {1, 1024},
                     .label = "Loader threads",
                     .help = "Threads that read and decode.",
                     .absent = "chosen from the set and the cores",
                     .rare = true,
                     .scope = Scope::Rank});
    add_dataset_key(
        table, "dataset.classes", MEMBER(classes),
        {.range = {1, 10'000'000},
         .label = "Classes of the set",
         .help = "Only for image-folder (outputs of the network, at least the number of class folders), "
                 "random, dummy and tokens (the vocabulary).",
         .absent = "image-folder: the class folders; random: 10; dummy: 1000; tokens: 50257",
         .rare = true});
    add_special(table, "dataset.shape",
                {.label = "Shape of a sample",
                 .help = "Only for random: [channels, height, width] or [features].",
                 .absent = "[3, 32, 32]",
                 .example = "shape: [3, 32, 32]",
                 .rare = true},
                read_shape, [](const TrainConfig& config) -> json {
                    return config.dataset.shape.empty() ? json() : json(config.dataset.shape);
                });
    add_dataset_key(
        table, "dataset.sequence", MEMBER(sequence),
        {.range = {2, 1'000'000},
         .label = "Tokens of a sample",
         .help = "Only for tokens, text and synthetic-text: how many tokens a model sees at once.",
         .absent = "tokens: 1024; text and synthetic-text: 128",
         .rare = true});
    add_dataset_key(table, "dataset.train_split", MEMBER(train_split),
                    {.label = "Training folder",
                     .help = "image-folder: the folder below root; tokens: a word of the files' names.",
                     .rare = true});
    add_dataset_key(table, "dataset.val_split", MEMBER(val_split),
                    {.label = "Validation folder",
                     .help = "image-folder: the folder below root; tokens: a word of the files' names.",
                     .rare = true});
    add_dataset_key(table, "dataset.train_size", MEMBER(train_size),
                    {.range = {1, 10'000'000},
                     .label = "Training samples",
                     .help = "How many a set without files has.",
                     .absent = "synthetic-digits, synthetic-text and random: 20000; dummy: 1000",
                     .rare = true});
    add_dataset_key(table, "dataset.test_size", MEMBER(test_size),
                    {.range = {1, 10'000'000},
                     .label = "Validation samples",
                     .help = "How many a set without files has.",
                     .absent = "synthetic-digits and random: 4000; synthetic-text: 2000; dummy: 1000",
                     .rare = true});
    add_dataset_key(table, "dataset.seed", MEMBER(seed),
                    {.range = {0, 4294967295.0},
                     .label = "Seed of the set",
                     .help = "synthetic-digits, synthetic-text, random and dummy: which samples are drawn.",
                     .rare = true});
    add_dataset_key(
        table, "dataset.otherwise", MEMBER(otherwise),
        {.choices = known_datasets(),
         .label = "Else use",
         .help = "The set that all ranks take together where `name` is unavailable on one of them; its "
                 "samples must have the same shape and classes.",
         .absent = "an unavailable set is an error",
         .rare = true});
}

#undef MEMBER

}  // namespace rankscope::config
