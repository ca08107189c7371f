// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/train/metrics_sink.h>
#include <engine/train/run_report.h>

namespace rankscope::engine {

/// Writes what happens as metric lines (base/metrics_line.h).
class MetricLinesListener final : public RunListener {
public:
    explicit MetricLinesListener(MetricsSink& sink) : sink_(sink) {}

    void data_ready(const std::string& text) override;
    void run_begins(const RunFacts& facts) override { facts_ = facts; }
    void epoch_begins(std::int64_t epoch, double lr) override;
    void step_done(const StepReport& report) override;
    void validation_begins(std::int64_t epoch) override;
    void epoch_done(const EpochReport& report) override;
    void checkpoint_done(const CheckpointReport& report) override;
    void run_done(const std::string& checksum) override;
    void parameters_differ(const ParameterDrift& drift) override;
    void note(const std::string& text) override;

private:
    void add_results(const StepReport& report, MetricsLine& line) const;

    MetricsSink& sink_;
    RunFacts facts_;
};

}  // namespace rankscope::engine
