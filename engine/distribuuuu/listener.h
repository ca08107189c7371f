// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/lines.h>
#include <engine/distribuuuu/run_log.h>
#include <engine/train/run_report.h>

#include <chrono>

namespace rankscope::engine::distribuuuu {

/// Writes Distribuuuu's lines; all but rank_line() on rank 0 only.
class Listener final : public RunListener {
public:
    enum class Script { train, test };
    Listener(const Settings& settings, RunLog& log, Script script)
        : settings_(settings), log_(log), script_(script) {}

    void run_begins(const RunFacts& facts) override;
    void epoch_begins(std::int64_t epoch, double lr) override;
    void step_done(const StepReport& report) override;
    void validation_begins(std::int64_t epoch) override;
    void validation_step_done(const ValidationStep& step) override;
    void epoch_done(const EpochReport& report) override;
    void note(const std::string& text) override;

private:
    Progress progress(std::int64_t done, std::int64_t total) const;
    void write(const std::string& message);

    const Settings& settings_;
    RunLog& log_;
    Script script_;
    RunFacts facts_;
    Meters meters_;
    std::chrono::steady_clock::time_point begin_;
};

}  // namespace rankscope::engine::distribuuuu
