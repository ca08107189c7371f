// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>
#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/run_log.h>
#include <engine/train/run_checkpoints.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::engine::distribuuuu {

/// Distribuuuu's checkpoints: OUT_DIR/checkpoints/ckpt_ep_NNN.pth.tar after every epoch, OUT_DIR/best.pth.tar
/// with the weights of the best. TRAIN.AUTO_RESUME continues from the newest and comes before MODEL.WEIGHTS;
/// TRAIN.LOAD_OPT False takes only the weights of that one.
///
/// Differs where Distribuuuu's are faults: the newest is the one with the highest number, not the last name;
/// the ranks agree on one before they begin, also without a shared file system.
class TorchCheckpoints final : public RunCheckpoints {
public:
    /// A null group is a world of one.
    TorchCheckpoints(const Settings& settings, ProcessGroup* group, int rank, RunLog& log);
    /// As test_net.py: MODEL.WEIGHTS alone, without the optimizer.
    void only_weights() { only_weights_ = true; }

    RunStart start(const RunMeasures& measures) override;
    bool due(const SavePoint& point) const override { return point.epoch_ends; }
    /// On disk when it returns, as there. Throws Error when it cannot be written.
    std::string save(const SavePoint& point, const std::function<void(Snapshot&)>& fill) override;
    std::vector<CheckpointReport> reports() override { return {}; }
    void finish() override {}

private:
    /// What a rank finds on its own disk, if it does.
    std::optional<Snapshot> read(const std::filesystem::path& file, const RunMeasures& measures,
                                 bool optimizer);

    const Settings& settings_;
    ProcessGroup* group_;
    int rank_;
    RunLog& log_;
    bool only_weights_ = false;
    std::filesystem::path folder_;
    std::vector<std::string> parameter_names_;
    Snapshot buffer_;
};

}  // namespace rankscope::engine::distribuuuu
