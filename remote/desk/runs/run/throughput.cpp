// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/runs/run/gpu_peaks.h>
#include <remote/desk/runs/run/throughput.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace rankscope::inline runs {
namespace {

using throughput::Rate;
using throughput::Size;
using throughput::SizeOf;
using throughput::StatedSize;

constexpr double kFlopsPerParameter = 6;  // of a token: two forward, four backward
constexpr double kTera = 1e12;
constexpr double kNearly = 0.02;  // two counts of one model, with and without its embeddings

using Sizes = std::vector<StatedSize>;

Sizes only(const Sizes& sizes, Size size) {
    Sizes some;
    std::copy_if(sizes.begin(), sizes.end(), std::back_inserter(some),
                 [size](const auto& one) { return one.size == size; });
    return some;
}

Sizes only(const Sizes& sizes, Size size, SizeOf of) {
    Sizes some = only(sizes, size);
    std::erase_if(some, [of](const auto& one) { return one.of != of; });
    return some;
}

bool agree(const Sizes& sizes, double nearly = 0) {
    return std::all_of(sizes.begin(), sizes.end(), [&](const auto& one) {
        return std::abs(one.value - sizes.front().value) <= nearly * sizes.front().value;
    });
}

// Makes the figures of one run; each step adds a figure or what is missing.
class Maker {
public:
    explicit Maker(const RunState& run)
        : run_(run), keys_(run.plan.throughput), sizes_(run.throughput.said()) {
        const auto& first = run.plan.programs.empty() ? run.plan.ranks : run.plan.programs;
        if (!first.empty()) {
            const auto of_command = throughput::sizes_of_command(first.front().command);
            sizes_.insert(sizes_.end(), of_command.begin(), of_command.end());
            tokens_ = std::any_of(
                first.front().command.begin(), first.front().command.end(),
                [](const auto& word) { return word.starts_with('-') && throughput::speaks_of_tokens(word); });
        }
        add_reported();
        tokens_ = tokens_ || run.throughput.speaks_of_tokens() || keys_.tokens_per_sample.has_value();
    }

    ThroughputReport make() {
        add_printed();
        add_counted();
        add_steps();
        add_samples();
        add_tokens();
        add_mfu();
        return std::move(report_);
    }

private:
    void miss(const char* figure, const char* reason, std::vector<std::string> args = {}) {
        report_.missing.push_back({figure, reason, std::move(args)});
    }

    std::optional<ThroughputFigure>* place_of(Rate rate) {
        switch (rate) {
            case Rate::Steps:
                return &report_.steps_per_s;
            case Rate::Samples:
                return &report_.samples_per_s;
            case Rate::Images:
                return &report_.images_per_s;
            case Rate::Tokens:
                return &report_.tokens_per_s;
            default:
                return nullptr;
        }
    }

    // Megatron-LM and NeMo print the batch with each step: it is a series.
    void add_reported() {
        for (const auto& name : run_.metrics.all()) {
            const auto id = run_.metrics.find(name);
            const auto reports = [&id](const RankState& rank) { return rank.last_of(*id).has_value(); };
            if (!id || name.find("batch") == std::string::npos) {
                continue;
            }
            const auto rank = std::find_if(run_.ranks.begin(), run_.ranks.end(), reports);
            if (rank != run_.ranks.end()) {
                const auto said = throughput::sizes_of_line(name + " = " + number_text(*rank->last_of(*id)));
                sizes_.insert(sizes_.end(), said.begin(), said.end());
            }
        }
    }

    // Steps and MFU are the same for all ranks, rates are each rank's own.
    void add_printed() {
        for (const auto& name : run_.metrics.all()) {
            const auto rate = throughput::rate_of_series(name);
            const auto id = run_.metrics.find(name);
            if (!rate || !id) {
                continue;
            }
            auto* place = *rate == Rate::Mfu ? &report_.mfu : place_of(*rate);
            if (place == nullptr || *place) {
                continue;
            }
            ThroughputFigure figure{.value = 0, .printed = true, .inputs = {}};
            std::size_t ranks = 0;
            for (const auto& rank : run_.ranks) {
                const auto last = rank.last_of(*id);
                if (last && std::isfinite(*last) && *last > 0) {
                    const bool first_only = *rate == Rate::Mfu || *rate == Rate::Steps;
                    figure.value += first_only && ranks > 0 ? 0 : *last;
                    ++ranks;
                }
            }
            if (*rate == Rate::Mfu) {
                figure.value /= figure.value > 1 ? 100 : 1;
            }
            if (ranks == 0 || (*rate == Rate::Mfu && figure.value > 1)) {
                continue;
            }
            figure.inputs = {{"printed", figure.value, name}, {"ranks", static_cast<double>(ranks), ""}};
            *place = std::move(figure);
        }
    }

    // A count of what was seen says the rate most directly.
    void add_counted() {
        for (const auto& [name, pace] : run_.throughput.counts()) {
            const auto per_s = pace.per_s();
            const auto rate = throughput::rate_of_series(name);
            const bool of_all = rate == Rate::TokensSeen || rate == Rate::SamplesSeen;
            auto& place = rate == Rate::TokensSeen ? report_.tokens_per_s : report_.samples_per_s;
            if (per_s && !place && (of_all || run_.plan.world_size == 1)) {
                place = ThroughputFigure{
                    .value = *per_s,
                    .inputs = {{"count_per_s", *per_s, name}, {"seconds", pace.span_s(), ""}}};
            }
        }
    }

    void add_steps() {
        if (report_.steps_per_s) {
            return;
        }
        const auto& pace = run_.throughput.steps();
        const auto per_s = pace.per_s();
        if (run_.throughput.steps_are_epochs()) {
            miss("steps_per_s", "epochs-only");
        } else if (per_s) {
            report_.steps_per_s =
                ThroughputFigure{.value = *per_s, .inputs = {{"seconds", pace.span_s(), ""}}};
        } else {
            miss("steps_per_s", pace.only_interrupted() ? "validation-between"
                                : pace.any()            ? "few-steps"
                                                        : "no-steps");
        }
    }

    // The value that all of these say; nothing, and a reason, where they differ.
    std::optional<ThroughputInput> said(const Sizes& sizes, const char* name, const char* figure,
                                        double nearly = 0) {
        if (sizes.empty()) {
            return std::nullopt;
        }
        if (!agree(sizes, nearly)) {
            const auto other = std::find_if(sizes.begin(), sizes.end(), [&](const auto& one) {
                return std::abs(one.value - sizes.front().value) > nearly * sizes.front().value;
            });
            miss(figure, "contradiction", {sizes.front().text, other->text});
            return std::nullopt;
        }
        return ThroughputInput{name, sizes.front().value, sizes.front().text};
    }

    // Of all ranks together, in one step.
    std::vector<ThroughputInput> batch() {
        const double world = run_.plan.world_size;
        if (keys_.batch) {
            return {{"batch", *keys_.batch, "throughput.batch"}};
        }
        if (keys_.batch_per_rank) {
            return {{"batch_per_rank", *keys_.batch_per_rank, "throughput.batch_per_rank"},
                    {"ranks", world, ""}};
        }
        if (run_.throughput.plays()) {
            miss("samples_per_s", "rounds");
            return {};
        }
        const std::size_t before = report_.missing.size();
        if (auto all = said(only(sizes_, Size::Batch, SizeOf::AllRanks), "batch", "samples_per_s")) {
            return {*all};
        }
        if (report_.missing.size() > before) {
            return {};
        }
        auto own = only(sizes_, Size::Batch, SizeOf::Rank);
        const auto micro = only(sizes_, Size::MicroBatch);
        const auto unsaid = only(sizes_, Size::Batch, SizeOf::Unsaid);
        const auto passes = only(sizes_, Size::Accumulation);
        const bool is_micro = own.empty() && !micro.empty();
        own = is_micro ? micro : own;
        const bool is_own = !own.empty();
        own = is_own ? own : unsaid;
        if (own.empty()) {
            miss("samples_per_s", "no-batch");
            return {};
        }
        auto batch = said(own, "batch_per_rank", "samples_per_s");
        if (!batch) {
            return {};
        }
        if (!is_own && world > 1) {
            miss("samples_per_s", "batch-of-whom", {batch->from});
            return {};
        }
        if (const auto split = only(sizes_, Size::ParallelSplit); !split.empty() && world > 1) {
            miss("samples_per_s", "shared-batch", {split.front().text});
            return {};
        }
        std::vector<ThroughputInput> inputs{*batch};
        if (world > 1) {
            inputs.push_back({"ranks", world, ""});
        }
        const auto accumulated = said(passes, "accumulation", "samples_per_s");
        if (!accumulated && !passes.empty()) {
            return {};
        }
        // Only the options of Transformers' Trainer say what its steps are.
        const bool of_trainer = batch->from.find("per_device") != std::string::npos ||
                                batch->from.find("per-device") != std::string::npos;
        if (accumulated && accumulated->value > 1 && !of_trainer) {
            miss("samples_per_s", "passes-or-steps", {accumulated->from});
            return {};
        }
        if (is_micro && !accumulated) {
            miss("samples_per_s", "no-accumulation", {batch->from});
            return {};
        }
        if (accumulated && accumulated->value > 1) {
            inputs.push_back(*accumulated);
        }
        return inputs;
    }

    static ThroughputFigure product(const ThroughputFigure& rate, const char* name,
                                    std::vector<ThroughputInput> factors) {
        ThroughputFigure figure{.value = rate.value, .inputs = {{name, rate.value, source_of(rate)}}};
        for (auto& factor : factors) {
            figure.value *= factor.value;
            figure.inputs.push_back(std::move(factor));
        }
        return figure;
    }

    static std::string source_of(const ThroughputFigure& rate) {
        return rate.printed && !rate.inputs.empty() ? rate.inputs.front().from : std::string();
    }

    void add_samples() {
        if (report_.samples_per_s || report_.images_per_s) {
            return;
        }
        if (run_.throughput.steps_are_epochs() || !report_.steps_per_s) {
            return;  // what is missing is said of the steps
        }
        if (auto factors = batch(); !factors.empty()) {
            report_.samples_per_s = product(*report_.steps_per_s, "steps_per_s", std::move(factors));
        }
    }

    void add_tokens() {
        if (report_.tokens_per_s || !tokens_) {
            return;
        }
        if (report_.steps_per_s && !run_.throughput.steps_are_epochs()) {
            if (auto all = said(only(sizes_, Size::TokensPerStep, SizeOf::AllRanks), "tokens_per_step",
                                "tokens_per_s")) {
                report_.tokens_per_s = product(*report_.steps_per_s, "steps_per_s", {*all});
                return;
            }
        }
        if (!report_.samples_per_s) {
            return;
        }
        if (keys_.tokens_per_sample) {
            report_.tokens_per_s =
                product(*report_.samples_per_s, "samples_per_s",
                        {{"tokens_per_sample", *keys_.tokens_per_sample, "throughput.tokens_per_sample"}});
        } else if (auto length =
                       said(only(sizes_, Size::SequenceLength), "tokens_per_sample", "tokens_per_s")) {
            report_.tokens_per_s = product(*report_.samples_per_s, "samples_per_s", {*length});
        }
    }

    // Each rank has a GPU of its own, and no rank can see one that belongs to no rank.
    bool has_a_gpu_each() const {
        std::map<std::string, std::set<std::string>> devices;
        for (const auto& rank : run_.plan.ranks) {
            if (!rank.device.starts_with("cuda") || !devices[rank.node].insert(rank.device).second) {
                return false;
            }
        }
        return std::all_of(run_.plan.ranks.begin(), run_.plan.ranks.end(), [&](const RankPlan& rank) {
            const auto visible = rank.env.find("CUDA_VISIBLE_DEVICES");
            return visible != rank.env.end() &&
                   static_cast<std::size_t>(std::count(visible->second.begin(), visible->second.end(), ',')) +
                           1 ==
                       devices[rank.node].size();
        });
    }

    std::optional<ThroughputInput> peak() {
        if (keys_.peak_tflops) {
            return ThroughputInput{"peak_tflops",
                                   *keys_.peak_tflops * static_cast<double>(run_.plan.ranks.size()),
                                   "throughput.peak_tflops"};
        }
        std::map<std::string, double> gpus;  // how many of each name
        for (const auto& rank : run_.plan.ranks) {
            ++gpus[rank.gpu];
        }
        double sum = 0;
        std::string from;
        for (const auto& [name, count] : gpus) {
            const auto one = gpu_peak_tflops(name);
            if (!one) {
                miss("mfu", "no-peak", {name});
                return std::nullopt;
            }
            sum += *one * count;
            from += (from.empty() ? "" : ", ") + short_number_text(count, 9) + " × " + name;
        }
        return ThroughputInput{"peak_tflops", sum, from};
    }

    // Parameters of a language model of which each token passes all.
    std::optional<ThroughputInput> parameters() {
        if (keys_.parameters) {
            return ThroughputInput{"parameters", *keys_.parameters, "throughput.parameters"};
        }
        const auto experts = only(sizes_, Size::Experts);
        const auto active = only(sizes_, Size::Parameters, SizeOf::Active);
        if (!experts.empty() || !active.empty()) {
            miss("mfu", "experts", {experts.empty() ? active.front().text : experts.front().text});
            return std::nullopt;
        }
        const auto trained = only(sizes_, Size::Parameters, SizeOf::Trainable);
        const auto frozen = only(sizes_, Size::Parameters, SizeOf::Frozen);
        const auto whole = only(sizes_, Size::Parameters, SizeOf::Unsaid);
        if (!frozen.empty() || (whole.empty() && !trained.empty())) {
            miss("mfu", "trained-part", {frozen.empty() ? trained.front().text : frozen.front().text});
            return std::nullopt;
        }
        auto both = whole;
        both.insert(both.end(), trained.begin(), trained.end());
        if (!whole.empty() && !agree(both, kNearly)) {
            miss("mfu", "contradiction", {both.front().text, both.back().text});
            return std::nullopt;
        }
        return said(whole, "parameters", "mfu", kNearly);
    }

    // FLOPs per second of all ranks; nothing, and a reason, where they are unknown.
    std::optional<ThroughputFigure> flops() {
        const auto& samples = report_.samples_per_s ? report_.samples_per_s : report_.images_per_s;
        const auto& tokens = report_.tokens_per_s;
        const auto& cost = run_.plan.cost;
        if (cost && samples) {
            return product(*samples, "samples_per_s",
                           {{"flops_per_sample", cost->training_flops, cost->model}});
        }
        if (cost && cost->tokens > 0 && tokens) {
            const double of_token = cost->training_flops / static_cast<double>(cost->tokens);
            return product(*tokens, "tokens_per_s", {{"flops_per_token", of_token, cost->model}});
        }
        if (keys_.flops_per_sample && samples) {
            return product(*samples, "samples_per_s",
                           {{"flops_per_sample", *keys_.flops_per_sample, "throughput.flops_per_sample"}});
        }
        if (!tokens) {
            miss("mfu", samples ? "no-flops" : "no-rate");
            return std::nullopt;
        }
        const std::size_t before = report_.missing.size();
        const auto count = parameters();
        if (!count) {
            if (report_.missing.size() == before) {
                miss("mfu", "no-flops");
            }
            return std::nullopt;
        }
        return product(*tokens, "tokens_per_s", {*count, {"flops_per_parameter", kFlopsPerParameter, ""}});
    }

    void add_mfu() {
        const bool gpus = std::any_of(run_.plan.ranks.begin(), run_.plan.ranks.end(),
                                      [](const RankPlan& rank) { return rank.device.starts_with("cuda"); });
        if (report_.mfu || !gpus || report_.empty()) {
            return;
        }
        auto figure = flops();
        if (!figure) {
            return;
        }
        if (!has_a_gpu_each()) {
            miss("mfu", "gpus-unclear");
            return;
        }
        if (const auto most = peak()) {
            figure->value /= most->value * kTera;
            figure->inputs.push_back(*most);
            if (figure->value > 1) {
                miss("mfu", "impossible");
            } else {
                report_.mfu = std::move(figure);
            }
        }
    }

    const RunState& run_;
    const ThroughputKeys& keys_;
    Sizes sizes_;
    bool tokens_ = false;
    ThroughputReport report_;
};

}  // namespace

ThroughputReport throughput_of(const RunState& run) {
    return Maker(run).make();
}

}  // namespace rankscope::inline runs
