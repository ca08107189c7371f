// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/train/run_report.h>

namespace rankscope::engine {

/// The human log on stdout.
class LogListener final : public RunListener {
public:
    explicit LogListener(const config::TrainConfig& config) : config_(config) {}

    void worker_ready(const WorkerFacts& facts) override;
    void run_begins(const RunFacts& facts) override { facts_ = facts; }
    void step_done(const StepReport& report) override;
    void epoch_done(const EpochReport& report) override;
    void checkpoint_done(const CheckpointReport& report) override;
    void run_done(const std::string& checksum) override;
    void parameters_differ(const ParameterDrift& drift) override;
    void note(const std::string& text) override;

private:
    config::TrainConfig config_;
    RunFacts facts_;
    double samples_ = 0;  ///< since the last line
    double seconds_ = 0;
};

}  // namespace rankscope::engine
