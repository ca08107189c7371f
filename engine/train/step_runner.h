// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/data/batch_loader.h>
#include <engine/ddp/reducer.h>

#include <memory>
#include <string>

namespace rankscope::engine {

struct StepTimes {
    double forward_ms = 0;
    double backward_ms = 0;  ///< with the optimizer's update
    double comm_ms = 0;      ///< waiting for the other ranks after the own backward pass
};

/// One rank's share of a data-parallel step: forward, backward with overlapped averaging, update.
class StepRunner {
public:
    /// `group` is null in a world of one. `bucket_limit` in bytes; 0: chosen from the size of the model.
    StepRunner(CompiledModel& model, ProcessGroup* group, std::size_t bucket_limit);

    BatchResult train(const Batch& batch, const OptimizerStep& update, StepTimes& times);
    /// Forward only.
    BatchResult evaluate(const Batch& batch);

private:
    Executable& load(const Batch& batch);

    CompiledModel& model_;
    std::unique_ptr<Reducer> reducer_;
};

/// Gives all ranks rank 0's parameters, after checking that they train the same network and store it alike.
/// When their storage differs (another CPU, another oneDNN) the model is compiled again in canonical order.
/// Throws Error naming the rank that trains something else.
std::unique_ptr<CompiledModel> synchronised_model(Backend& backend, const Graph& graph,
                                                  std::int64_t batch_size, std::uint64_t seed,
                                                  const std::string& agreement, ProcessGroup* group);

/// SHA-256 over all parameters in canonical order and layout (little-endian fp32): "sha256:<hex>".
std::string parameter_checksum(CompiledModel& model, const Graph& graph);

}  // namespace rankscope::engine
