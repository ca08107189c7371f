// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/metric_names.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <vector>

namespace rankscope::metric_lines {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kEpochs[]{"epoch", "epochs", "ep"};
constexpr std::string_view kSteps[]{"step", "steps", "iter",   "iters",   "iteration", "iterations",
                                    "it",   "itr",   "update", "updates", "tick",      "round"};
constexpr std::string_view kBatches[]{"batch", "batches", "minibatch"};
// What may stand before the counter's word: others make something else of it ("total steps", "warmup step").
constexpr std::string_view kBefore[]{
    "global", "train", "training", "current", "cur",       "optimizer", "optim", "opt",   "num",
    "n",      "val",   "valid",    "test",    "eval",      "epoch",     "step",  "micro", "mini",
    "batch",  "inner", "outer",    "trainer", "completed", "finished",  "done"};
constexpr std::string_view kBehind[]{"id",    "idx",      "index", "num",   "no",   "number", "nr",
                                     "train", "training", "val",   "valid", "test", "eval"};
constexpr std::string_view kWhole[]{"global",    "num",   "update", "updates",
                                    "optimizer", "optim", "opt",    "trainer"};

constexpr std::string_view kTelling[]{
    "loss",       "losses",   "acc",        "accuracy",  "accu",  "top1",   "top5",   "lr",
    "learning",   "ppl",      "perplexity", "grad",      "gnorm", "norm",   "f1",     "auc",
    "map",        "iou",      "miou",       "dice",      "bleu",  "rouge",  "reward", "rewards",
    "score",      "error",    "err",        "mse",       "rmse",  "mae",    "psnr",   "ssim",
    "wer",        "cer",      "precision",  "recall",    "mfu",   "tflops", "kl",     "entropy",
    "nll",        "ce",       "bce",        "bpc",       "bpb",   "margin", "cost",   "fid",
    "r2",         "return",   "elbo",       "acc1",      "acc5",  "tps",    "ips",    "wps",
    "throughput", "speed",    "epe",        "metric",    "损失",  "损失值", "学习率", "准确率",
    "精度",       "训练损失", "验证损失",   "验证准确率"};
// Words in front of a number that make no name of it: "took 3.2 s", "improved from 0.5 to 0.4".
constexpr std::string_view kNoNames[]{
    "took",  "takes",   "in",      "after",     "within", "for",    "at",        "by",     "to",
    "from",  "than",    "over",    "about",     "and",    "the",    "a",         "an",     "with",
    "of",    "or",      "on",      "not",       "is",     "was",    "found",     "loaded", "loading",
    "saved", "saving",  "using",   "until",     "every",  "around", "only",      "line",   "exit",
    "code",  "eta",     "elapsed", "remaining", "left",   "wall",   "walltime",  "pid",    "rank",
    "rank0", "world",   "size",    "gpu",       "gpus",   "cuda",   "node",      "host",   "port",
    "seed",  "version", "worker",  "workers",   "device", "thread", "timestamp", "date",   "id",
    "v_num", "args",    "num",     "max",       "min",    "total",  "no",        "via",    "up",
    "best",  "reached"};
constexpr std::string_view kIdentities[]{
    "local_rank",  "global_rank", "rank_id",      "world_size", "node_rank",
    "num_gpus",    "num_workers", "gpu_id",       "device_id",  "exit_code",
    "master_port", "run_id",      "total_steps",  "max_steps",  "steps_per_epoch",
    "num_epochs",  "max_epochs",  "total_epochs", "dp",         "pp",
    "tp",          "cp"};
constexpr std::string_view kClocks[]{"eta", "elapsed", "remaining", "wall", "walltime"};
constexpr std::string_view kStepTimes[]{
    "time",     "step_time",      "iter_time",      "batch_time", "time_per_step", "time_per_iter", "dt",
    "step_avg", "batch_cost",     "avg_batch_cost", "time/step",  "time/iter",     "s/step",        "ms/step",
    "step_ms",  "iteration_time", "time_step",      "t_step",     "sec/iter",      "s/iter"};
constexpr std::string_view kDataTimes[]{"data_time",       "data",     "reader_cost", "avg_reader_cost",
                                        "dataloader_time", "load_time"};

bool has(Words words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const auto end = std::min(name.size(), name.find_first_of("_/.-@ "));
        if (end > 0) {
            parts.push_back(name.substr(0, end));
        }
        name.remove_prefix(std::min(name.size(), end + 1));
    }
    return parts;
}

// What is counted in a second, as base/metrics_line.h and its kin name it; empty: not what a run is judged by.
std::string rate_name(std::string_view unit) {
    const auto slash = unit.rfind('/');
    if (slash == std::string_view::npos ||
        (unit.substr(slash) != "/s" && unit.substr(slash) != "/sec" && unit.substr(slash) != "/second")) {
        return {};
    }
    const auto what = unit.substr(0, slash);
    for (const std::string_view word : {"img", "image", "im"}) {
        if (what == word || (what.starts_with(word) && what.ends_with("s"))) {
            return "images_per_s";
        }
    }
    for (const std::string_view word : {"sample", "seq", "example", "ex"}) {
        if (what == word || (what.starts_with(word) && what.ends_with("s"))) {
            return "samples_per_s";
        }
    }
    return what.starts_with("tok") ? "tokens_per_s" : "";
}

double milliseconds_of(std::string_view unit) {
    if (unit == "ms") {
        return 1;
    }
    if (unit == "us") {
        return 0.001;
    }
    if (unit == "s" || unit == "sec" || unit == "secs" || unit == "second" || unit == "seconds") {
        return 1000;
    }
    return 0;
}

bool is_telling(const std::vector<std::string_view>& parts) {
    return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
        const auto word = part.substr(0, part.find_last_not_of("0123456789") + 1);  // "mAP50"
        return has(kTelling, part) || has(kTelling, word) || part.ends_with("loss") ||
               part.starts_with("acc");
    });
}

// "learn: 0.67", "training's l2: 0.52": a measure of the training or of the validation, whatever its name is.
bool is_of_a_set(std::string_view word, const Field& field) {
    return field.assigned && !field.whole && field.unit.empty() &&
           (word.starts_with("train") || word == "learn" || says_validation(word));
}

// "850K" tokens.
double prefix_factor(std::string_view unit) {
    return unit == "k" ? 1e3 : unit == "m" ? 1e6 : unit == "b" || unit == "g" ? 1e9 : unit == "t" ? 1e12 : 0;
}

// "12ms" is a step's time where it is called so, and a series of milliseconds elsewhere.
std::optional<Series> time_series(const Field& field, double milliseconds) {
    if (milliseconds <= 0) {
        return std::nullopt;  // minutes, hours: of the whole run
    }
    if (has(kStepTimes, field.name)) {
        return Series{.name = "t_step_ms", .factor = milliseconds};
    }
    if (has(kDataTimes, field.name)) {
        return Series{.name = "t_data_ms", .factor = milliseconds};
    }
    return Series{.name = tidy_name(field.printed) + "_ms", .factor = milliseconds};
}

}  // namespace

Counter counter_of(const Field& field) {
    const bool share = field.assigned && field.value >= 0 && std::isfinite(field.value);
    if (field.name.empty() || !field.unit.empty() || !(field.whole || share)) {
        return Counter::None;
    }
    // "global_step/max_steps: 98/240": each number has its name.
    const auto pair = field.total ? field.name.find('/') : std::string::npos;
    auto parts = parts_of(std::string_view(field.name).substr(0, pair));
    while (parts.size() > 1 && has(kBehind, parts.back())) {
        parts.pop_back();
    }
    const auto word = parts.empty() ? std::string_view() : parts.back();
    const bool fits = !parts.empty() && std::all_of(parts.begin(), parts.end() - 1,
                                                    [](auto part) { return has(kBefore, part); });
    if (!fits) {
        return Counter::None;
    }
    if (has(kEpochs, word)) {
        return word != "epochs" || field.total ? Counter::Epoch : Counter::None;
    }
    if (!field.whole) {
        return Counter::None;
    }
    if (has(kSteps, word)) {
        const bool plural = word == "steps" || word == "iterations" || word == "iters";
        const bool whole = has(kWhole, parts.front());
        return plural && !field.total && !field.assigned ? Counter::None
               : whole                                   ? Counter::WholeStep
                                                         : Counter::Step;
    }
    return has(kBatches, word) && (word != "batches" || field.total) ? Counter::Batch : Counter::None;
}

std::optional<Series> series_of(const Field& field, bool validation) {
    std::string unit = lower_case(field.unit);
    const std::string rate = rate_name(unit);
    if (field.total || (field.name.empty() && rate.empty())) {
        return std::nullopt;
    }
    if (field.name.empty()) {
        return Series{.name = rate, .telling = true};
    }
    const auto parts = parts_of(field.name);
    const bool nameless =
        parts.empty() || (parts.size() == 1 && has(kNoNames, parts[0])) ||
        (has(kNoNames, parts.back()) && parts.back().size() > 1 &&
         field.name.find('/') == std::string::npos) ||
        has(kIdentities, field.name) || (parts.size() == 1 && field.whole && parts[0] == "train") ||
        parts[0].starts_with("rank") ||
        std::any_of(parts.begin(), parts.end(), [](auto part) { return has(kClocks, part); });
    const auto first = static_cast<unsigned char>(field.name.front());
    if (nameless || (std::isalpha(first) == 0 && first < 0x80)) {
        return std::nullopt;
    }
    const std::string named = rate_name(field.name);
    const bool telling = !named.empty() || is_telling(parts) || is_of_a_set(parts[0], field);
    // "5 files", "step 3 of": a whole number behind a word is no value, unless the word says so.
    if (!field.assigned && field.whole && unit.empty() && !telling) {
        return std::nullopt;
    }
    if (unit.empty() || unit == "%") {
        std::string name = !named.empty() ? named
                           : validation   ? validation_name(field.printed)
                                          : metric_name(field.printed);
        if (says_validation(name)) {
            name = "val_loss";  // "loss train: 3.10, val: 3.16"
        } else if (field.name == "learn") {
            name = "loss";  // CatBoost's "learn: 1.2, test: 1.4"
        }
        const bool training =
            parts.size() > 1 && (parts[0].starts_with("train") || parts.back().starts_with("train"));
        const bool is_loss = name == "loss" || name == "val_loss";
        return Series{.name = std::move(name),
                      .factor = unit == "%" ? 0.01 : 1,
                      .telling = telling || is_loss,
                      .training = training};
    }
    if (!rate.empty()) {
        const bool general = field.name == "ips" || field.name == "fps" || parts.back() == "speed" ||
                             parts.back() == "throughput";
        return Series{.name = general ? rate : metric_name(field.printed), .telling = true};
    }
    if (const double factor = prefix_factor(unit); factor > 0 && has(parts, "tokens")) {
        const bool a_rate = has(parts, "sec") || has(parts, "second") || has(parts, "s");
        return Series{.name = a_rate && parts.size() == 3 ? "tokens_per_s" : metric_name(field.printed),
                      .factor = factor};
    }
    if (unit == "tflops" || unit == "tflop/s") {
        return Series{.name = "tflops", .telling = true};
    }
    return time_series(field, milliseconds_of(unit));
}

// What series_of() looks at; the value is no part of it.
const std::optional<Series>& KnownSeries::of(const Field& field, bool validation) {
    constexpr std::size_t kMost = 4096;
    key_ = field.printed;
    const auto flag = [](bool is, char letter) { return is ? letter : '-'; };
    const std::array<char, 6> flags{
        flag(field.name.empty(), 'n'), flag(validation, 'v'),  flag(field.total.has_value(), 't'),
        flag(field.assigned, 'a'),     flag(field.whole, 'w'), '\n'};
    key_.append(flags.data(), flags.size());
    key_ += field.unit;
    const auto known = known_.find(std::string_view(key_));
    if (known != known_.end()) {
        return known->second;
    }
    if (known_.size() >= kMost) {
        known_.clear();
    }
    return known_.emplace(key_, series_of(field, validation)).first->second;
}

bool says_validation(std::string_view word) {
    constexpr std::string_view kWords[]{"val",        "valid", "validation", "validate",
                                        "validating", "eval",  "evaluation", "test",
                                        "testing",    "dev",   "验证",       "测试"};
    return has(kWords, word);
}

}  // namespace rankscope::metric_lines
