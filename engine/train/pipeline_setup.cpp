// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/stage_model.h>
#include <engine/error.h>
#include <engine/train/model_setup.h>
#include <engine/train/pipeline_setup.h>

#include <algorithm>
#include <string>

namespace rankscope::engine {

PipelineSetup set_up_pipeline(const config::TrainConfig& config, const Graph& graph, ProcessGroup* group) {
    const config::PipelineConfig& wanted = config.parallel.pipeline;
    if (wanted.stages == 1) {
        return {};
    }
    const int ranks = group == nullptr ? 1 : group->size();
    const auto count = static_cast<int>(wanted.stages);
    if (ranks % count != 0) {
        throw ConfigError("parallel.pipeline.stages is " + std::to_string(count) +
                          ", which does not divide the number of ranks, " + std::to_string(ranks));
    }
    const std::int64_t micro_batches =
        wanted.micro_batches.value_or(default_micro_batches(wanted.stages, config.batch_size));
    std::vector<PipelineStage> stages =
        pipeline_stages(graph, count, micro_batch_sizes(config.batch_size, micro_batches).front());
    const auto shares = [](const PipelineStage& stage) {
        return std::any_of(stage.graph.parameters.begin(), stage.graph.parameters.end(),
                           [](const Parameter& one) { return one.shared; });
    };
    if (config.parallel.zero >= 2 && std::any_of(stages.begin(), stages.end(), shares)) {
        throw ConfigError("parallel.zero: 2 is not available with a pipeline of " + config.model +
                          ", whose first and last stage share a weight; zero: 1 is available");
    }
    auto groups = std::make_unique<PipelineGroups>(*group, count);
    const PipelineOptions options{
        .groups = groups.get(),
        .micro_batches = micro_batches,
        .order = wanted.schedule == "gpipe" ? PipelineOrder::gpipe : PipelineOrder::one_forward_one_backward};
    return {.groups = std::move(groups), .stages = std::move(stages), .options = options};
}

std::unique_ptr<CompiledModel> compiled_model(const config::TrainConfig& config, const Graph& graph,
                                              const PipelineSetup& pipeline, Backend& backend,
                                              ProcessGroup* group, ProcessGroup* device_group) {
    CompileOptions options = compile_options(config, group, device_group);
    CompileModel compile = [&](const CompileOptions& one) { return backend.compile(graph, one); };
    if (pipeline.groups) {
        options.batch_size = micro_batch_sizes(config.batch_size, pipeline.options.micro_batches).front();
        compile = [&](const CompileOptions& one) {
            return std::make_unique<StageModel>(backend, graph, pipeline.stages, one, pipeline.options);
        };
    }
    return synchronised_model(compile, graph, options, static_cast<std::uint64_t>(config.seed), group,
                              device_group);
}

}  // namespace rankscope::engine
