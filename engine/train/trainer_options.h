// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/comm/process_group.h>
#include <engine/train/parallel_setup.h>
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

    const ParallelSetup* parallel = nullptr;  ///< null: every rank has all of the network

    bool divided() const { return parallel != nullptr && parallel->division != nullptr; }
    /// The ranks that have the same parameters, with the group that reduces the backend's memory; null: this one alone.
    ProcessGroup* memory_group() const {
        return device_group != nullptr && !divided() ? device_group : replica_group();
    }
    /// The same ranks, for host memory.
    ProcessGroup* replica_group() const { return divided() ? parallel->replicas(group) : group; }
    /// Of the ranks that are given samples of their own; the parts of a network have the same ones.
    int data_rank() const {
        const ProcessGroup* const replicas = replica_group();
        return !divided() ? rank : replicas != nullptr ? replicas->rank() : 0;
    }
    int data_ranks() const {
        const ProcessGroup* const replicas = replica_group();
        return !divided() ? world_size : replicas != nullptr ? replicas->size() : 1;
    }
    /// That a batch is divided into.
    std::int64_t micro_batches() const { return divided() ? parallel->division->pipeline.micro_batches : 1; }
    void notify(const std::function<void(RunListener&)>& what) const {
        for (RunListener* listener : listeners) {
            what(*listener);
        }
    }
};

}  // namespace rankscope::engine
