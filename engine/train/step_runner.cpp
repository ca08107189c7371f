// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/sha256.h>
#include <engine/error.h>
#include <engine/models/initialise.h>
#include <engine/train/step_runner.h>

#include <algorithm>
#include <chrono>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

std::string digest(const std::string& text) {
    return sha256_of(std::as_bytes(std::span(text)));
}

std::string describe(const Graph& graph) {
    std::string text;
    for (const Parameter& parameter : graph.parameters) {
        text += parameter.name + to_string(parameter.shape) + "\n";
    }
    return text;
}

/// The lowest rank whose text is not rank 0's, or −1.
int first_different(const std::vector<std::string>& texts) {
    const auto other =
        std::find_if(texts.begin(), texts.end(), [&](const auto& text) { return text != texts[0]; });
    return other == texts.end() ? -1 : static_cast<int>(other - texts.begin());
}

}  // namespace

StepRunner::StepRunner(CompiledModel& model, ProcessGroup* group, std::size_t bucket_limit) : model_(model) {
    if (group != nullptr) {
        const std::size_t limit =
            bucket_limit != 0 ? bucket_limit : default_bucket_limit(model.layout().total * sizeof(float));
        reducer_ =
            std::make_unique<Reducer>(*group, plan_buckets(model.layout(), limit, limit), model.gradients());
    }
}

Executable& StepRunner::load(const Batch& batch) {
    Executable& executable = model_.executable(batch.size());
    std::copy(batch.pixels.begin(), batch.pixels.end(), executable.input().begin());
    if (!executable.labels().empty()) {  // a mean squared error has targets instead
        std::copy(batch.labels.begin(), batch.labels.end(), executable.labels().begin());
    }
    return executable;
}

BatchResult StepRunner::train(const Batch& batch, const OptimizerStep& update, StepTimes& times) {
    const auto begin = Clock::now();
    Executable& executable = load(batch);
    const BatchResult result = executable.forward();
    const auto forward = Clock::now();
    if (reducer_) {
        reducer_->reset();
        executable.backward([this](ParameterId id) { reducer_->ready(id); });
    } else {
        executable.backward([](ParameterId) {});
    }
    const auto backward = Clock::now();
    if (reducer_) {
        reducer_->wait();
    }
    const auto reduced = Clock::now();
    model_.optimizer_step(update);
    times = {ms_between(begin, forward), ms_between(forward, backward) + ms_between(reduced, Clock::now()),
             reducer_ ? ms_between(backward, reduced) : 0.0};
    return result;
}

BatchResult StepRunner::evaluate(const Batch& batch) {
    return load(batch).forward(ForwardMode::evaluate);
}

std::unique_ptr<CompiledModel> synchronised_model(Backend& backend, const Graph& graph,
                                                  std::int64_t batch_size, std::uint64_t seed,
                                                  const std::string& agreement, ProcessGroup* group) {
    std::unique_ptr<CompiledModel> model =
        backend.compile(graph, {.batch_size = batch_size, .order = StorageOrder::native});
    if (group != nullptr) {
        const int stranger = first_different(group->all_gather(digest(describe(graph) + agreement)));
        if (stranger >= 0) {
            throw Error("rank " + std::to_string(stranger) +
                        " has another configuration than rank 0: all ranks must train the same model on the "
                        "same data "
                        "with the same settings");
        }
        if (first_different(group->all_gather(digest(model->layout().fingerprint))) >= 0) {
            model = backend.compile(graph, {.batch_size = batch_size, .order = StorageOrder::canonical});
        }
    }
    const CanonicalParameters initial = default_initialisation(graph, seed);
    for (ParameterId id = 0; id < initial.size(); ++id) {
        model->set_weight(id, initial[id]);
    }
    if (group != nullptr) {
        group->broadcast(model->weights(), 0);
    }
    return model;
}

std::string parameter_checksum(CompiledModel& model, const Graph& graph) {
    std::vector<float> all;
    for (ParameterId id = 0; id < graph.parameters.size(); ++id) {
        const std::vector<float> values = model.weight(id);
        all.insert(all.end(), values.begin(), values.end());
    }
    return "sha256:" + sha256_of(std::as_bytes(std::span(all)));
}

}  // namespace rankscope::engine
