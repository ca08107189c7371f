// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/graph/stages.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::engine {

/// The pipeline that a configuration names.
struct PipelineSetup {
    std::unique_ptr<PipelineGroups> groups;  ///< null: there is none
    std::vector<PipelineStage> stages;
    PipelineOptions options{};

    std::int64_t pipelines(std::int64_t ranks) const { return groups ? groups->pipelines() : ranks; }
};

/// `group`: of all ranks; null: one. Collective where there is a pipeline. Throws ConfigError when its stages fit neither
/// the ranks nor the network.
PipelineSetup set_up_pipeline(const config::TrainConfig& config, const Graph& graph, ProcessGroup* group);

/// The network, or this rank's stage of it, with the parameters of the first rank. `group` and `device_group`: of the ranks
/// that have the same ones. All arguments but the configuration must outlive the model. Collective.
std::unique_ptr<CompiledModel> compiled_model(const config::TrainConfig& config, const Graph& graph,
                                              const PipelineSetup& pipeline, Backend& backend,
                                              ProcessGroup* group, ProcessGroup* device_group);

}  // namespace rankscope::engine
