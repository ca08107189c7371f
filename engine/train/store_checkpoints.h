// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/checkpoint/checkpoint_writer.h>
#include <engine/comm/process_group.h>
#include <engine/train/run_checkpoints.h>

#include <memory>

namespace rankscope::engine {

/// Checkpoints as `train.checkpoint` configures them, in a CheckpointStore.
class StoreCheckpoints final : public RunCheckpoints {
public:
    /// A null group is a world of one.
    StoreCheckpoints(const config::CheckpointConfig& config, ProcessGroup* group, int rank);

    RunStart start(const RunMeasures& measures) override;
    bool due(const SavePoint& point) const override;
    std::string save(const SavePoint& point, const std::function<void(Snapshot&)>& fill) override;
    std::vector<CheckpointReport> reports() override;
    void finish() override;

private:
    std::optional<Snapshot> newest(std::string& note) const;
    std::optional<Snapshot> named(std::string& problem) const;

    config::CheckpointConfig config_;
    ProcessGroup* group_;
    int rank_;
    std::filesystem::path folder_;
    std::unique_ptr<CheckpointWriter> writer_;  ///< made with the first save
};

}  // namespace rankscope::engine
