// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/comm/process_group.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/train/run_checkpoints.h>
#include <engine/train/run_report.h>

#include <functional>
#include <vector>

namespace rankscope::engine {

struct TrainerOptions {
    config::TrainConfig config;
    int rank = 0;
    int world_size = 1;
    int local_world_size = 1;
    ProcessGroup* group = nullptr;          ///< null in a world of one
    ProcessGroup* device_group = nullptr;   ///< the same ranks, for the backend's memory; null: `group`
    RunCheckpoints* checkpoints = nullptr;  ///< null: none are read or written
    std::vector<RunListener*> listeners{};  ///< notified of everything, in this order

    PipelineOptions pipeline{};  ///< no groups: there is none

    /// The ranks that have the same parameters, with the group that reduces the backend's memory; null: this one alone.
    ProcessGroup* memory_group() const {
        return pipeline.groups != nullptr ? pipeline.groups->same_stage()
               : device_group != nullptr  ? device_group
                                          : group;
    }
    /// The same ranks, for host memory.
    ProcessGroup* replica_group() const {
        return pipeline.groups != nullptr ? pipeline.groups->same_stage() : group;
    }
    /// Of the ranks that are given samples of their own; the stages of a pipeline have the same ones.
    int data_rank() const { return pipeline.groups != nullptr ? pipeline.groups->pipeline() : rank; }
    int data_ranks() const { return pipeline.groups != nullptr ? pipeline.groups->pipelines() : world_size; }
    void notify(const std::function<void(RunListener&)>& what) const {
        for (RunListener* listener : listeners) {
            what(*listener);
        }
    }
};

}  // namespace rankscope::engine
