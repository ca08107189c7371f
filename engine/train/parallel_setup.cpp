// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/train/model_setup.h>
#include <engine/train/parallel_setup.h>

#include <algorithm>
#include <string>

namespace rankscope::engine {
namespace {

void check_ranks(int slices, int stages, int ranks) {
    if (ranks % (slices * stages) == 0) {
        return;
    }
    const std::string of_ranks = ", which does not divide the number of ranks, " + std::to_string(ranks);
    if (stages == 1) {
        throw ConfigError("parallel.tensor is " + std::to_string(slices) + of_ranks);
    }
    if (slices == 1) {
        throw ConfigError("parallel.pipeline.stages is " + std::to_string(stages) + of_ranks);
    }
    throw ConfigError("parallel.tensor times parallel.pipeline.stages is " + std::to_string(slices * stages) +
                      of_ranks);
}

void check_shared_weights(const config::TrainConfig& config, const std::vector<PipelineStage>& stages) {
    const auto shares = [](const PipelineStage& stage) {
        return std::any_of(stage.graph.parameters.begin(), stage.graph.parameters.end(),
                           [](const Parameter& one) { return one.shared; });
    };
    if (config.parallel.zero >= 2 && std::any_of(stages.begin(), stages.end(), shares)) {
        throw ConfigError("parallel.zero: 2 is not available with a pipeline of " + config.model +
                          ", whose first and last stage share a weight; zero: 1 is available");
    }
}

}  // namespace

ProcessGroup* ParallelSetup::replicas(ProcessGroup* world) const {
    return pipeline ? pipeline->same_stage() : tensor ? tensor->same_slice() : world;
}

std::uint64_t ParallelSetup::sent(const ProcessGroup* replicas) const {
    const std::uint64_t of_slices = tensor ? tensor->sent() : 0;
    return of_slices + (pipeline ? pipeline->sent() : replicas != nullptr ? replicas->traffic().total() : 0);
}

ParallelSetup set_up_parallel(const config::TrainConfig& config, const Graph& graph, ProcessGroup* group) {
    const config::PipelineConfig& wanted = config.parallel.pipeline;
    const auto slices = static_cast<int>(config.parallel.tensor);
    const auto stages = static_cast<int>(wanted.stages);
    ParallelSetup setup;
    if (slices == 1 && stages == 1) {
        return setup;
    }
    check_ranks(slices, stages, group == nullptr ? 1 : group->size());
    auto division = std::make_unique<NetworkDivision>();
    division->slice = tensor_slice(graph, slices, group->rank() % slices);
    ProcessGroup* same_slice = group;
    if (slices > 1) {
        setup.tensor = std::make_unique<TensorGroups>(*group, slices);
        division->tensor = setup.tensor.get();
        same_slice = setup.tensor->same_slice();
    }
    if (stages > 1) {
        const std::int64_t micro_batches =
            wanted.micro_batches.value_or(default_micro_batches(wanted.stages, config.batch_size));
        division->stages = pipeline_stages(division->slice.graph, stages,
                                           micro_batch_sizes(config.batch_size, micro_batches).front());
        check_shared_weights(config, division->stages);
        setup.pipeline = std::make_unique<PipelineGroups>(*same_slice, stages);
        division->pipeline = {.groups = setup.pipeline.get(),
                              .micro_batches = micro_batches,
                              .order = wanted.schedule == "gpipe" ? PipelineOrder::gpipe
                                                                  : PipelineOrder::one_forward_one_backward};
    }
    setup.division = std::move(division);
    return setup;
}

std::unique_ptr<CompiledModel> compiled_model(const config::TrainConfig& config, const Graph& graph,
                                              const ParallelSetup& parallel, Backend& backend,
                                              ProcessGroup* group, ProcessGroup* device_group) {
    CompileOptions options = compile_options(config, group, device_group);
    CompileModel compile = [&](const CompileOptions& one) { return backend.compile(graph, one); };
    if (parallel.division) {
        if (parallel.pipeline) {
            options.batch_size =
                micro_batch_sizes(config.batch_size, parallel.division->pipeline.micro_batches).front();
        }
        if (parallel.tensor) {
            options.sum_over_slices = [tensor = parallel.tensor.get()](const Piece& values,
                                                                       ElementType type) {
                tensor->sum(values, type);
            };
        }
        compile = [&](const CompileOptions& one) {
            return std::make_unique<PartModel>(backend, graph, *parallel.division, one);
        };
    }
    return synchronised_model(compile, graph, options, static_cast<std::uint64_t>(config.seed), group,
                              device_group);
}

}  // namespace rankscope::engine
