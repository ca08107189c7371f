// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/metric_names.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxName = 100;

constexpr std::array<std::pair<std::string_view, std::string_view>, 33> kNames{{
    {"loss", "loss"},
    {"lm_loss", "loss"},
    {"acc", "acc1"},
    {"accuracy", "acc1"},
    {"acc1", "acc1"},
    {"acc@1", "acc1"},
    {"top1", "acc1"},
    {"top-1", "acc1"},
    {"top_1", "acc1"},
    {"prec@1", "acc1"},
    {"acc_top1", "acc1"},
    {"acc5", "acc5"},
    {"acc@5", "acc5"},
    {"top5", "acc5"},
    {"top-5", "acc5"},
    {"prec@5", "acc5"},
    {"acc_top5", "acc5"},
    {"lr", "lr"},
    {"learning_rate", "lr"},
    {"grad_norm", "grad_norm"},
    {"gradnorm", "grad_norm"},
    {"gnorm", "grad_norm"},
    {"gradient_norm", "grad_norm"},
    {"trl", "loss"},
    {"tel", "val_loss"},  // llm.c and modded-nanogpt
    {"损失", "loss"},
    {"损失值", "loss"},
    {"训练损失", "loss"},
    {"验证损失", "val_loss"},
    {"学习率", "lr"},
    {"准确率", "acc1"},
    {"精度", "acc1"},
    {"验证准确率", "val_acc1"},
}};

constexpr std::array<std::string_view, 8> kValidation{"validation", "valid",   "val",  "evaluation",
                                                      "eval",       "testing", "test", "dev"};
constexpr std::array<std::string_view, 3> kTraining{"training", "train", "tr"};
constexpr std::string_view kSeparators = "_/.- ";

// The rest of "<word>_", "<word>/", …; false: the name does not begin so.
bool drop_prefix(std::string_view& name, std::string_view word) {
    if (name.size() > word.size() + 1 && name.starts_with(word) &&
        kSeparators.find(name[word.size()]) != std::string_view::npos) {
        name.remove_prefix(word.size() + 1);
        return true;
    }
    return false;
}

// "loss" of "loss/train", whatever stands between; false: the name does not end so.
bool drop_suffix(std::string_view& name, std::string_view word) {
    if (name.size() > word.size() + 1 && name.ends_with(word) &&
        kSeparators.find(name[name.size() - word.size() - 1]) != std::string_view::npos) {
        name.remove_suffix(word.size() + 1);
        return true;
    }
    return false;
}

std::optional<std::string> known_name(std::string_view name, bool validation) {
    const auto known =
        std::find_if(kNames.begin(), kNames.end(), [name](const auto& pair) { return pair.first == name; });
    if (known == kNames.end()) {
        return std::nullopt;
    }
    return (validation ? "val_" : "") + std::string(known->second);
}

}  // namespace

std::string tidy_name(std::string_view name) {
    std::string result(name.substr(0, kMaxName));
    std::replace_if(
        result.begin(), result.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }, '_');
    return result;
}

std::string metric_name(std::string_view name) {
    const std::string tidied = tidy_name(name);
    const std::string lowered = lower_case(tidied);
    std::string_view rest = lowered;
    bool validation = false;
    drop_prefix(rest, "current");
    for (const std::string_view word : kValidation) {
        validation = validation || drop_prefix(rest, word);
    }
    for (const std::string_view word : kTraining) {
        if (!validation && drop_prefix(rest, word)) {
            break;
        }
    }
    const bool possessive = rest.size() < lowered.size() && rest.starts_with("s_");  // "training's l2"
    if (possessive) {
        rest.remove_prefix(2);
    }
    if (rest.ends_with("_step")) {
        rest.remove_suffix(5);  // Lightning: of the step, beside …_epoch
    }
    if (auto known = known_name(rest, validation)) {
        return *known;
    }
    // "Loss/train" of summary writers: only of names that are known, "fast_test" may be anything.
    bool validation_behind = false;
    for (const std::string_view word : kValidation) {
        validation_behind = validation_behind || drop_suffix(rest, word);
    }
    for (const std::string_view word : kTraining) {
        if (!validation_behind && drop_suffix(rest, word)) {
            break;
        }
    }
    if (auto known = known_name(rest, validation || validation_behind)) {
        return *known;
    }
    return validation ? "val_" + std::string(rest) : possessive ? "train_" + std::string(rest) : tidied;
}

std::string validation_name(std::string_view name) {
    std::string known = metric_name(name);
    const std::string lowered = lower_case(known);
    std::string_view mean = lowered;
    if (drop_prefix(mean, "avg") || drop_prefix(mean, "average") || drop_prefix(mean, "mean")) {
        known = known_name(mean, false).value_or(known);  // "Avg loss"
    }
    return known.starts_with("val_") ? known : "val_" + known;
}

bool is_accuracy(std::string_view metric) {
    constexpr std::array<std::string_view, 2> kNames{"acc1", "acc5"};
    if (metric.size() < kNames[0].size() || metric[metric.size() - 2] != 'c') {
        return false;  // most names: seen at once
    }
    for (const std::string_view part : {"val_", "epoch_", "train_", "test_"}) {
        if (metric.starts_with(part)) {
            metric.remove_prefix(part.size());
            break;
        }
    }
    return metric == kNames[0] || metric == kNames[1];
}

std::string top_k_name(double k) {
    return "val_acc" + std::to_string(static_cast<int>(std::clamp(k, 0.0, kLargestK)));
}

}  // namespace rankscope::metric_lines
