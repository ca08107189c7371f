// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_model.h>
#include <engine/backend/cuda/step_request.h>

#include <tests/engine/slow_network.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

/// Models of the CUDA backend with known weights and samples, for tests.
namespace rankscope::engine::test {

cuda::CudaModel& on_gpu(CompiledModel& model);

/// Kernels are not measured here: which one is taken makes no difference to what is tested.
CudaOptions plain_options();

std::unique_ptr<CompiledModel> compiled(const Graph& graph, const CompileOptions& options,
                                        const CudaOptions& cuda_options = plain_options());

/// Samples, labels and targets that follow from the seed.
void fill(Executable& executable, const Graph& graph, std::uint64_t seed);

Doubles widened(std::span<const float> values);
/// Of the vectors' difference to the length of the expected one.
double relative_distance(std::span<const float> values, std::span<const double> expected);
/// Every parameter of both models, side by side.
double largest_distance(const Graph& graph, CompiledModel& model, CompiledModel& expected);

std::vector<std::vector<float>> weights_of(const Graph& graph, CompiledModel& model);
std::vector<float> all_weights(const Graph& graph, CompiledModel& model);

/// The optimizer's settings of update `number`, from 1.
OptimizerStep training_step(std::int64_t number);

/// Steps with changing samples and rates on one model; the results.
std::vector<cuda::StepResult> train_whole(CompiledModel& model, const Graph& graph, std::int64_t batch,
                                          int steps, cuda::StepRequest request = {});

}  // namespace rankscope::engine::test
