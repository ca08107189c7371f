// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/initialise.h>
#include <engine/models/random.h>

#include <gtest/gtest.h>
#include <tests/engine/cuda_models.h>
#include <tests/engine/small_networks.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace rankscope::engine::test {

cuda::CudaModel& on_gpu(CompiledModel& model) {
    return dynamic_cast<cuda::CudaModel&>(model);
}

CudaOptions plain_options() {
    return {.device = 0, .tuning = cuda::Tuning::none, .graphs = true};
}

std::unique_ptr<CompiledModel> compiled(const Graph& graph, const CompileOptions& options,
                                        const CudaOptions& cuda_options) {
    auto model = make_cuda_backend(cuda_options)->compile(graph, options);
    const CanonicalParameters initial = default_initialisation(graph, 5);
    for (const ParameterId id : initial.indices()) {
        model->set_weight(id, initial[id]);
    }
    return model;
}

void fill(Executable& executable, const Graph& graph, std::uint64_t seed) {
    TorchGenerator(seed).uniform(executable.input(), -0.5, 1.0);
    as_tokens(graph, executable.input());
    set_slow_keys(executable.sample_keys());
    const std::span<std::int32_t> labels = executable.labels();
    for (std::size_t i = 0; i < labels.size(); ++i) {
        labels[i] = static_cast<std::int32_t>((i * 7 + seed) % static_cast<std::size_t>(graph.classes));
    }
    if (!executable.targets().empty()) {
        TorchGenerator(seed + 1).uniform(executable.targets(), -1.0, 1.0);
    }
}

Doubles widened(std::span<const float> values) {
    return {values.begin(), values.end()};
}

double relative_distance(std::span<const float> values, std::span<const double> expected) {
    double difference = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        difference += std::pow(static_cast<double>(values[i]) - expected[i], 2);
        size += std::pow(expected[i], 2);
    }
    return std::sqrt(difference / (size + 1e-30));
}

double largest_distance(const Graph& graph, CompiledModel& model, CompiledModel& expected) {
    double largest = 0.0;
    for (const ParameterId id : graph.parameters.indices()) {
        largest = std::max(largest, relative_distance(model.weight(id), widened(expected.weight(id))));
    }
    return largest;
}

std::vector<std::vector<float>> weights_of(const Graph& graph, CompiledModel& model) {
    std::vector<std::vector<float>> weights;
    for (const ParameterId id : graph.parameters.indices()) {
        weights.push_back(model.weight(id));
    }
    return weights;
}

std::vector<float> all_weights(const Graph& graph, CompiledModel& model) {
    std::vector<float> all;
    for (const std::vector<float>& one : weights_of(graph, model)) {
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

OptimizerStep training_step(std::int64_t number) {
    OptimizerStep step;
    step.lr = 0.02 / static_cast<double>(number);
    step.momentum = 0.9;
    step.nesterov = true;
    step.weight_decay = 1e-3;
    step.decay_norm_bias = false;
    step.step = number;
    return step;
}

std::vector<cuda::StepResult> train_whole(CompiledModel& model, const Graph& graph, std::int64_t batch,
                                          int steps, cuda::StepRequest request) {
    cuda::CudaExecutable& executable = on_gpu(model).cuda_executable(batch);
    std::vector<cuda::StepResult> results;
    for (int i = 1; i <= steps; ++i) {
        fill(executable, graph, static_cast<std::uint64_t>(i));
        const double scale = request.optimizer.gradient_scale;
        request.optimizer = training_step(i);
        request.optimizer.gradient_scale = scale;
        executable.enqueue_step(request);
    }
    for (int i = 1; i <= steps; ++i) {
        results.push_back(executable.next_result());
    }
    EXPECT_THROW(executable.next_result(), std::logic_error);
    return results;
}

}  // namespace rankscope::engine::test
