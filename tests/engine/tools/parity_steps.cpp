// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The engine's half of engine/bench/parity.py: trains a model for some steps on numbers that were given to
// it, and leaves behind what came out. Not installed.
//
//   engine_parity_steps FOLDER
//
// FOLDER/spec.json: model, sample, classes, batch, samples, steps, accumulate, seed (of the sampler),
// threads, precision,
//   order (native or canonical), label_smoothing, optimizer {kind, lr, weight_decay, momentum, dampening,
//   nesterov, beta1, beta2, eps}
// FOLDER/start.f32: parameters in the graph's order; inputs.f32: [samples, sample]; labels.i32: [samples · rows], or
// targets.f32:
//   [samples, outputs]. Every batch is the next of the sampler's order, epoch after epoch.
// Written: result.json (parameters, statistics: names and sizes; losses of the steps), logits.f32 and
// gradients.f32 of the
//   first step (accumulated, of the mean loss), parameters.f32 and statistics.f64 after the last.

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/data/distributed_sampler.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {
namespace {

using nlohmann::json;

template <typename T>
std::vector<T> read_numbers(const std::filesystem::path& file, std::size_t expected) {
    std::ifstream in(file, std::ios::binary);
    std::vector<T> values(expected);
    in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(expected * sizeof(T)));
    if (!in || in.peek() != std::ifstream::traits_type::eof()) {
        throw Error(file.string() + ": is not there or does not hold " + std::to_string(expected) +
                    " numbers");
    }
    return values;
}

template <typename T>
void write_numbers(const std::filesystem::path& file, const std::vector<T>& values) {
    std::ofstream(file, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

OptimizerStep optimizer(const json& given) {
    static const std::map<std::string, OptimizerKind> kinds{
        {"sgd", OptimizerKind::sgd}, {"adam", OptimizerKind::adam}, {"adamw", OptimizerKind::adamw}};
    OptimizerStep step;
    step.kind = kinds.at(given.value("kind", "sgd"));
    step.lr = given.at("lr");
    step.weight_decay = given.value("weight_decay", step.weight_decay);
    step.momentum = given.value("momentum", step.momentum);
    step.dampening = given.value("dampening", step.dampening);
    step.nesterov = given.value("nesterov", step.nesterov);
    step.beta1 = given.value("beta1", step.beta1);
    step.beta2 = given.value("beta2", step.beta2);
    step.eps = given.value("eps", step.eps);
    return step;
}

Precision precision(const std::string& name) {
    static const std::map<std::string, Precision> known{{"fp32", Precision::fp32},
                                                        {"tf32", Precision::tf32},
                                                        {"bf16", Precision::bf16},
                                                        {"fp16", Precision::fp16}};
    return known.at(name);
}

/// The given samples, batch by batch in the order of torch's sampler for a world of one.
class Batches {
public:
    Batches(const std::filesystem::path& folder, const json& spec, const Graph& graph)
        : batch_(spec.at("batch")),
          sampler_({.dataset_size = spec.at("samples"), .seed = spec.value("seed", std::uint64_t{0})}),
          order_(sampler_.indices(0)) {
        const std::size_t samples = spec.at("samples");
        width_ = static_cast<std::size_t>(element_count(graph.values[kInputValue].shape));
        inputs_ = read_numbers<float>(folder / "inputs.f32", samples * width_);
        if (graph.classifies()) {
            rows_ = static_cast<std::size_t>(graph.rows);
            labels_ = read_numbers<std::int32_t>(folder / "labels.i32", samples * rows_);
        } else {
            outputs_ = static_cast<std::size_t>(graph.classes);
            targets_ = read_numbers<float>(folder / "targets.f32", samples * outputs_);
        }
        if (batch_ > samples) {
            throw Error("a batch of " + std::to_string(batch_) + " from " + std::to_string(samples) +
                        " samples");
        }
    }

    void load_next(Executable& executable) {
        if (at_ + batch_ > order_.size()) {
            order_ = sampler_.indices(++epoch_);
            at_ = 0;
        }
        for (std::size_t i = 0; i < batch_; ++i) {
            const auto sample = static_cast<std::size_t>(order_[at_ + i]);
            copy(inputs_, width_, sample, executable.input(), i);
            if (targets_.empty()) {
                std::copy_n(labels_.begin() + static_cast<std::ptrdiff_t>(sample * rows_), rows_,
                            executable.labels().begin() + static_cast<std::ptrdiff_t>(i * rows_));
            } else {
                copy(targets_, outputs_, sample, executable.targets(), i);
            }
        }
        at_ += batch_;
    }

private:
    static void copy(const std::vector<float>& from, std::size_t width, std::size_t sample,
                     std::span<float> to, std::size_t place) {
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(sample * width), width,
                    to.begin() + static_cast<std::ptrdiff_t>(place * width));
    }

    std::size_t batch_;
    DistributedSampler sampler_;
    std::vector<std::int64_t> order_;
    std::size_t width_ = 0;
    std::size_t outputs_ = 0;
    std::size_t rows_ = 1;
    std::vector<float> inputs_;
    std::vector<std::int32_t> labels_;
    std::vector<float> targets_;
    std::size_t at_ = 0;
    std::int64_t epoch_ = 0;
};

void set_start(CompiledModel& model, const Graph& graph, const std::filesystem::path& file) {
    std::size_t total = 0;
    for (const Parameter& parameter : graph.parameters) {
        total += static_cast<std::size_t>(element_count(parameter.shape));
    }
    const std::vector<float> start = read_numbers<float>(file, total);
    std::size_t at = 0;
    for (const ParameterId id : graph.parameters.indices()) {
        const auto size = static_cast<std::size_t>(element_count(graph.parameters[id].shape));
        model.set_weight(id, std::span(start).subspan(at, size));
        at += size;
    }
}

void run(const std::filesystem::path& folder) {
    const json spec = json::parse(std::ifstream(folder / "spec.json"));
    const Graph graph = build_model(spec.at("model"), spec.at("sample").get<Shape>(), spec.at("classes"));
    const auto backend = make_cpu_backend(spec.value("threads", 1));
    const std::int64_t batch = spec.at("batch");
    const auto model = backend->compile(
        graph,
        {.batch_size = batch,
         .order = spec.value("order", "native") == "native" ? StorageOrder::native : StorageOrder::canonical,
         .precision = precision(spec.value("precision", "fp32")),
         .label_smoothing = spec.value("label_smoothing", 0.0)});
    set_start(*model, graph, folder / "start.f32");
    Executable& executable = model->executable(batch);
    Batches batches(folder, spec, graph);
    OptimizerStep update = optimizer(spec.at("optimizer"));
    const std::int64_t accumulate = spec.value("accumulate", std::int64_t{1});
    update.gradient_scale = 1.0 / static_cast<double>(accumulate);

    json result = {{"losses", json::array()}, {"parameters", json::array()}, {"statistics", json::array()}};
    const std::int64_t steps = spec.at("steps");
    for (; update.step <= steps; ++update.step) {
        double loss = 0;
        for (std::int64_t part = 0; part < accumulate; ++part) {
            batches.load_next(executable);
            loss += executable.forward(ForwardMode::train).loss / static_cast<double>(accumulate);
            if (update.step == 1 && part == 0) {
                write_numbers(folder / "logits.f32", executable.logits());
            }
            executable.backward([](ParameterId) {},
                                part == 0 ? GradientMode::overwrite : GradientMode::accumulate, 1.0F);
        }
        result["losses"].push_back(loss);
        if (update.step == 1) {
            std::vector<float> gradients;
            for (const ParameterId id : graph.parameters.indices()) {
                append(gradients, model->gradient(id));
            }
            for (float& value : gradients) {
                value *= static_cast<float>(update.gradient_scale);
            }
            write_numbers(folder / "gradients.f32", gradients);
        }
        model->optimizer_step(update);
    }

    std::vector<float> parameters;
    for (const ParameterId id : graph.parameters.indices()) {
        append(parameters, model->weight(id));
        result["parameters"].push_back(
            {{"name", graph.parameters[id].name}, {"shape", graph.parameters[id].shape}});
    }
    write_numbers(folder / "parameters.f32", parameters);
    std::vector<double> statistics;
    for (const StatisticId id : graph.statistics.indices()) {
        const std::vector<double> values = model->statistic(id);
        append(statistics, values);
        result["statistics"].push_back({{"name", graph.statistics[id].name}, {"size", values.size()}});
    }
    write_numbers(folder / "statistics.f64", statistics);
    std::ofstream(folder / "result.json") << result.dump(1) << '\n';
}

}  // namespace
}  // namespace rankscope::engine

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: engine_parity_steps FOLDER\n");
        return 2;
    }
    try {
        rankscope::engine::run(argv[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "engine_parity_steps: %s\n", error.what());
        return 1;
    }
    return 0;
}
