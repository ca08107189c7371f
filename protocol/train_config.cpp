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

void read_normalize(const json& value, Problems& problems, DatasetConfig& dataset) {
    if (!value.is_object()) {
        problems.push_back(
            {"dataset.normalize", "is " + shown(value) + "; {mean: 0.1307, std: 0.3081} is expected"});
        return;
    }
    NormalizeConfig normalize;
    Section section(value, "dataset.normalize", problems);
    section.real("mean", -1e6, false, 1e6, normalize.mean);
    section.real("std", 0.0, true, kNoLimit, normalize.std);
    section.report_unknown();
    dataset.normalize = normalize;
}

void read_dataset(const json* value, Problems& problems, DatasetConfig& dataset) {
    if (value == nullptr) {
        problems.push_back({"dataset",
                            "is missing; for example {name: mnist, root: ~/datasets/mnist}, or "
                            "{name: synthetic-digits}, which needs no files"});
        return;
    }
    const json empty = json::object();
    if (value->is_string()) {
        Section(empty, "", problems).name_value("dataset", *value, known_datasets(), dataset.name);
        return;
    }
    if (!value->is_object()) {
        problems.push_back({"dataset", "is " + shown(*value) + "; {name: …, root: …} is expected"});
        return;
    }
    Section section(*value, "dataset", problems);
    section.name("name", known_datasets(), true, dataset.name);
    section.text("root", dataset.root);
    section.whole("limit", 1, kMaxWhole, dataset.limit);
    section.whole("seed", 0, 4294967295.0, dataset.seed);
    section.whole("train_size", 1, 10'000'000, dataset.train_size);
    section.whole("test_size", 1, 10'000'000, dataset.test_size);
    section.name("otherwise", known_datasets(), false, dataset.otherwise);
    if (!dataset.otherwise.empty() && dataset.otherwise == dataset.name) {
        section.add("otherwise",
                    "is the same as name; another one is expected, for example synthetic-digits");
    }
    if (const json* normalize = section.find("normalize")) {
        read_normalize(*normalize, problems, dataset);
    }
    section.report_unknown();
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
    static const std::vector<std::string> names{"convnet", "mlp"};
    return names;
}

const std::vector<std::string>& known_datasets() {
    static const std::vector<std::string> names{"mnist", "synthetic-digits"};
    return names;
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
    json dataset = {{"name", config.dataset.name},
                    {"root", config.dataset.root},
                    {"limit", optional(config.dataset.limit)},
                    {"seed", config.dataset.seed},
                    {"train_size", config.dataset.train_size},
                    {"test_size", config.dataset.test_size}};
    if (!config.dataset.otherwise.empty()) {
        dataset["otherwise"] = config.dataset.otherwise;
    }
    if (config.dataset.normalize) {
        dataset["normalize"] = {{"mean", config.dataset.normalize->mean},
                                {"std", config.dataset.normalize->std}};
    }
    const OptimizerConfig& sgd = config.optimizer;
    return {{"model", config.model},
            {"dataset", std::move(dataset)},
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
