// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_problem.h>
#include <engine/distribuuuu/config/settings.h>
#include <engine/distribuuuu/config/settings_error.h>

#include <algorithm>
#include <cmath>

namespace rankscope::distribuuuu {
namespace {

PythonValue text(const char* value) {
    return {std::string(value)};
}
PythonValue whole(std::int64_t value) {
    return {value};
}

/// Reads single values and says what is wrong with them.
class Values {
public:
    explicit Values(const FlatValues& values) : values_(values) {}

    std::int64_t whole_from(const std::string& key, std::int64_t least) const {
        const auto* number = values_.at(key).as<std::int64_t>();
        if (number == nullptr || *number < least) {
            fail(key, "a whole number from " + std::to_string(least) + " is needed");
        }
        return *number;
    }
    double real_from(const std::string& key, double least) const {
        const auto* number = values_.at(key).as<double>();
        if (number == nullptr || !(*number >= least) || std::isinf(*number)) {
            fail(key, "a number from " + repr(least) + " is needed");
        }
        return *number;
    }
    bool flag(const std::string& key) const {
        const auto* value = values_.at(key).as<bool>();
        if (value == nullptr) {
            fail(key, "True or False is needed");
        }
        return *value;
    }
    std::string name(const std::string& key) const {
        const auto* value = values_.at(key).as<std::string>();
        if (value == nullptr || value->empty()) {
            fail(key, "a name is needed");
        }
        return *value;
    }
    const PythonValue& raw(const std::string& key) const { return values_.at(key); }

    [[noreturn]] void fail(const std::string& key, const std::string& right) const {
        throw SettingsError(key + " is " + repr(values_.at(key)) + "; " + right);
    }

private:
    const FlatValues& values_;
};

std::vector<double> read_steps(const Values& values) {
    const auto* list = values.raw("OPTIM.STEPS").as<PythonList>();
    const std::string right = "a list of epochs in ascending order is needed";
    if (list == nullptr) {
        values.fail("OPTIM.STEPS", right);
    }
    std::vector<double> steps;
    for (const PythonValue& item : *list) {
        const auto* whole_epoch = item.as<std::int64_t>();
        const auto* real = item.as<double>();
        const double epoch = whole_epoch != nullptr ? static_cast<double>(*whole_epoch)
                             : real != nullptr      ? *real
                                                    : -1;
        if (!(epoch >= 0) || (!steps.empty() && epoch <= steps.back())) {
            values.fail("OPTIM.STEPS", right);
        }
        steps.push_back(epoch);
    }
    return steps;
}

void check_policy(const Settings& settings, const Values& values) {
    const auto& optim = settings.optim;
    if (optim.lr_policy != "cos" && optim.lr_policy != "steps") {
        values.fail("OPTIM.LR_POLICY", "cos or steps is needed");
    }
    if (optim.lr_policy == "steps" && (optim.steps.empty() || optim.steps[0] != 0)) {
        values.fail("OPTIM.STEPS",
                    "with LR_POLICY steps the list must begin with 0, for example [0, 30, 60, 90]");
    }
    if (optim.nesterov && (optim.momentum <= 0 || optim.dampening != 0)) {
        values.fail("OPTIM.NESTEROV", "it needs OPTIM.MOMENTUM greater than 0 and OPTIM.DAMPENING 0");
    }
}

std::string expected_text(const PythonValue& now) {
    const std::string name = type_name(now);
    if (name == "float") {
        return "a float is expected (it is " + repr(now) + " so far): write a point, as in 1.0";
    }
    return (name == "int" ? "an int" : "a " + name) + " is expected (it is " + repr(now) + " so far)";
}

}  // namespace

const FlatValues& default_values() {
    static const FlatValues values{{"MODEL.ARCH", text("resnet18")},
                                   {"MODEL.NUM_CLASSES", whole(1000)},
                                   {"MODEL.PRETRAINED", {false}},
                                   {"MODEL.SYNCBN", {false}},
                                   {"MODEL.WEIGHTS", {PythonNone{}}},
                                   {"MODEL.DUMMY_INPUT", {false}},
                                   {"TRAIN.BATCH_SIZE", whole(32)},
                                   {"TRAIN.IM_SIZE", whole(224)},
                                   {"TRAIN.DATASET", text("./data/ILSVRC/")},
                                   {"TRAIN.SPLIT", text("train")},
                                   {"TRAIN.AUTO_RESUME", {true}},
                                   {"TRAIN.LOAD_OPT", {true}},
                                   {"TRAIN.WORKERS", whole(4)},
                                   {"TRAIN.PIN_MEMORY", {true}},
                                   {"TRAIN.PRINT_FREQ", whole(30)},
                                   {"TRAIN.TOPK", whole(5)},
                                   {"TEST.DATASET", text("./data/ILSVRC/")},
                                   {"TEST.SPLIT", text("val")},
                                   {"TEST.BATCH_SIZE", whole(200)},
                                   {"TEST.IM_SIZE", whole(256)},
                                   {"TEST.PRINT_FREQ", whole(10)},
                                   {"CUDNN.BENCHMARK", {true}},
                                   {"CUDNN.DETERMINISTIC", {false}},
                                   {"OPTIM.MAX_EPOCH", whole(100)},
                                   {"OPTIM.LR_POLICY", text("cos")},
                                   {"OPTIM.BASE_LR", {0.2}},
                                   {"OPTIM.MIN_LR", {0.0}},
                                   {"OPTIM.STEPS", {PythonList{}}},
                                   {"OPTIM.LR_MULT", {0.1}},
                                   {"OPTIM.MOMENTUM", {0.9}},
                                   {"OPTIM.DAMPENING", {0.0}},
                                   {"OPTIM.NESTEROV", {true}},
                                   {"OPTIM.WARMUP_FACTOR", {0.1}},
                                   {"OPTIM.WARMUP_EPOCHS", whole(5)},
                                   {"OPTIM.WEIGHT_DECAY", {5e-5}},
                                   {"OUT_DIR", text("./exp")},
                                   {"CFG_DEST", text("config.yaml")},
                                   {"RNG_SEED", {PythonNone{}}}};
    return values;
}

void merge(FlatValues& values, const FlatValues& changes, const std::string& where) {
    for (const auto& [key, value] : changes) {
        const auto found = values.find(key);
        if (found == values.end()) {
            std::vector<std::string> known;
            for (const auto& entry : values) {
                known.push_back(entry.first);
            }
            throw SettingsError(where + ": " + key + " is not a key of Distribuuuu's configuration" +
                                config::suggestion(key, known));
        }
        const bool none = value.as<PythonNone>() != nullptr || found->second.as<PythonNone>() != nullptr;
        if (!none && value.value.index() != found->second.value.index()) {
            throw SettingsError(where + ": " + key + " is " + repr(value) + ", which is of type " +
                                type_name(value) + "; " + expected_text(found->second));
        }
        found->second = value;
    }
}

FlatValues read_overrides(const std::vector<std::string>& words) {
    FlatValues values;
    if (words.size() % 2 != 0) {
        throw SettingsError("command line: \"" + words.back() +
                            "\" has no value; pairs are expected: KEY VALUE KEY VALUE …");
    }
    for (std::size_t i = 0; i < words.size(); i += 2) {
        values[words[i]] = parse_python_literal(words[i + 1]).value_or(PythonValue{words[i + 1]});
    }
    return values;
}

Settings settings_of(const FlatValues& flat) {
    const Values values(flat);
    Settings settings;
    settings.model.arch = values.name("MODEL.ARCH");
    settings.model.num_classes = values.whole_from("MODEL.NUM_CLASSES", 1);
    settings.model.pretrained = values.flag("MODEL.PRETRAINED");
    settings.model.syncbn = values.flag("MODEL.SYNCBN");
    settings.model.dummy_input = values.flag("MODEL.DUMMY_INPUT");
    if (values.raw("MODEL.WEIGHTS").as<PythonNone>() == nullptr) {
        settings.model.weights = values.name("MODEL.WEIGHTS");
    }
    settings.train.batch_size = values.whole_from("TRAIN.BATCH_SIZE", 1);
    settings.train.im_size = values.whole_from("TRAIN.IM_SIZE", 1);
    settings.train.dataset = values.name("TRAIN.DATASET");
    settings.train.split = values.name("TRAIN.SPLIT");
    settings.train.auto_resume = values.flag("TRAIN.AUTO_RESUME");
    settings.train.load_opt = values.flag("TRAIN.LOAD_OPT");
    settings.train.workers = values.whole_from("TRAIN.WORKERS", 0);
    settings.train.print_freq = values.whole_from("TRAIN.PRINT_FREQ", 1);
    settings.train.topk = values.whole_from("TRAIN.TOPK", 1);
    settings.test.split = values.name("TEST.SPLIT");
    settings.test.batch_size = values.whole_from("TEST.BATCH_SIZE", 1);
    settings.test.im_size = values.whole_from("TEST.IM_SIZE", 1);
    settings.test.print_freq = values.whole_from("TEST.PRINT_FREQ", 1);
    settings.cudnn.deterministic = values.flag("CUDNN.DETERMINISTIC");
    settings.optim.max_epoch = values.whole_from("OPTIM.MAX_EPOCH", 1);
    settings.optim.lr_policy = values.name("OPTIM.LR_POLICY");
    settings.optim.base_lr = values.real_from("OPTIM.BASE_LR", 0);
    settings.optim.min_lr = values.real_from("OPTIM.MIN_LR", 0);
    settings.optim.steps = read_steps(values);
    settings.optim.lr_mult = values.real_from("OPTIM.LR_MULT", 0);
    settings.optim.momentum = values.real_from("OPTIM.MOMENTUM", 0);
    settings.optim.dampening = values.real_from("OPTIM.DAMPENING", 0);
    settings.optim.nesterov = values.flag("OPTIM.NESTEROV");
    settings.optim.warmup_factor = values.real_from("OPTIM.WARMUP_FACTOR", 0);
    settings.optim.warmup_epochs = values.whole_from("OPTIM.WARMUP_EPOCHS", 0);
    settings.optim.weight_decay = values.real_from("OPTIM.WEIGHT_DECAY", 0);
    settings.out_dir = values.name("OUT_DIR");
    settings.cfg_dest = values.name("CFG_DEST");
    if (values.raw("RNG_SEED").as<PythonNone>() == nullptr) {
        const std::int64_t seed = values.whole_from("RNG_SEED", 0);
        settings.rng_seed = seed == 0 ? std::nullopt : std::optional(seed);
    }
    check_policy(settings, values);
    return settings;
}

}  // namespace rankscope::distribuuuu
