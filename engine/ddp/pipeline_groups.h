// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/graph/pipeline_schedule.h>

#include <cstdint>
#include <memory>
#include <span>

namespace rankscope::engine {

/// The groups of a mesh of pipelines: world / stages pipelines of as many stages, rank = stage · pipelines + pipeline. The
/// ranks of a stage, which average gradients, follow one another: they are on one node where they fit.
///
/// Stages talk in pairs, in a group for each direction, so that an operation has the same number at both ends.
class PipelineGroups {
public:
    /// Collective. Precondition: the number of stages divides that of ranks.
    PipelineGroups(ProcessGroup& world, int stages);

    int stage() const { return stage_; }
    int stages() const { return stages_; }
    /// This rank's pipeline, and how many there are.
    int pipeline() const { return pipeline_; }
    int pipelines() const { return pipelines_; }
    bool first() const { return stage_ == 0; }
    bool last() const { return stage_ + 1 == stages_; }

    /// The ranks of this stage, by pipeline; null: one pipeline.
    ProcessGroup* same_stage() const { return same_stage_.get(); }
    /// The ranks of this pipeline, by stage.
    ProcessGroup& chain() const { return *chain_; }
    /// The first and the last stage of this pipeline; null between them.
    ProcessGroup* ends() const { return ends_.get(); }

    // To and from the neighbours, where there is one.
    void send_forward(std::span<const float> values) { send(*to_next_, values, 1); }
    void receive_forward(std::span<float> values) { receive(*from_before_, values, 0); }
    void send_backward(std::span<const float> values) { send(*to_before_, values, 0); }
    void receive_backward(std::span<float> values) { receive(*from_next_, values, 1); }

    /// Of all these groups.
    std::uint64_t sent() const;

private:
    static void send(ProcessGroup& pair, std::span<const float> values, int to);
    static void receive(ProcessGroup& pair, std::span<float> values, int from);

    int stages_;
    int pipelines_;
    int stage_;
    int pipeline_;
    std::unique_ptr<ProcessGroup> same_stage_;
    std::unique_ptr<ProcessGroup> chain_;
    std::unique_ptr<ProcessGroup> ends_;
    std::unique_ptr<ProcessGroup> to_next_;
    std::unique_ptr<ProcessGroup> from_before_;
    std::unique_ptr<ProcessGroup> to_before_;
    std::unique_ptr<ProcessGroup> from_next_;
};

/// How a step runs a stage.
struct PipelineOptions {
    PipelineGroups* groups = nullptr;  ///< null: there is no pipeline
    std::int64_t micro_batches = 1;
    PipelineOrder order = PipelineOrder::one_forward_one_backward;
};

}  // namespace rankscope::engine
