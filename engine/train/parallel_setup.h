// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/backend/backend.h>
#include <engine/backend/part_model.h>
#include <engine/comm/process_group.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/ddp/tensor_groups.h>

#include <memory>
#include <optional>

namespace rankscope::engine {

/// How the ranks divide a network, as a configuration says. Rank = (stage · replicas + replica) · slices + slice.
struct ParallelSetup {
    std::unique_ptr<TensorGroups> tensor;      ///< null: no slices
    std::unique_ptr<PipelineGroups> pipeline;  ///< null: no stages; of the ranks with this rank's slice
    std::unique_ptr<const NetworkDivision> division;  ///< null: every rank has all of the network

    /// The ranks that have the same part of the network; `world`: all ranks. Null: this one alone.
    ProcessGroup* replicas(ProcessGroup* world) const;
    /// Bytes that this rank has sent, over all its groups; `replicas`: the one for the backend's memory.
    std::uint64_t sent(const ProcessGroup* replicas) const;
};

/// `group`: of all ranks; null: one. Collective where ranks divide the network. Throws ConfigError when stages or slices
/// fit neither the ranks nor the network.
ParallelSetup set_up_parallel(const config::TrainConfig& config, const Graph& graph, ProcessGroup* group);

/// The network, or this rank's part of it, with the parameters of the first rank. `group` and `device_group`: of the ranks
/// that have the same ones. All arguments but the configuration must outlive the model. Collective.
std::unique_ptr<CompiledModel> compiled_model(const config::TrainConfig& config, const Graph& graph,
                                              const ParallelSetup& parallel, Backend& backend,
                                              ProcessGroup* group, ProcessGroup* device_group);

}  // namespace rankscope::engine
