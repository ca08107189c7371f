// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/sum_over_ranks.h>
#include <engine/train/update_reporter.h>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

UpdateReporter::UpdateReporter(const TrainerOptions& options, TrainingStep& step, RunProgress& progress)
    : options_(options), step_(step), progress_(progress) {}

void UpdateReporter::add(const PendingUpdate& update) {
    pending_.push_back(update);
    while (pending_.size() > step_.ahead()) {
        report_earliest();
    }
}

void UpdateReporter::report_all() {
    while (!pending_.empty()) {
        report_earliest();
    }
}

void UpdateReporter::report_earliest() {
    PendingUpdate update = std::move(pending_.front());
    pending_.pop_front();
    StepReport& report = update.report;
    UpdateResult result;
    try {
        result = step_.result(report.times);
    } catch (const NotFiniteError& error) {
        throw diverged(error, report);
    }
    report.mine = result.mine;
    report.gradient_norm = result.gradient_norm;
    report.skipped = result.skipped;
    progress_.add_result(result);
    report.samples_so_far = progress_.samples;
    epoch_totals_.add(report.mine);
    if (update.reduce) {
        std::array<Totals, 2> all{report.mine, epoch_totals_};
        sum_over_ranks(options_.group, std::span<Totals>(all));
        report.all = {all[0], all[1]};
    }
    // Where updates overlap, each took the time since the one before was done.
    const std::chrono::duration<double, std::milli> took =
        Clock::now() - std::max(update.begun_at, reported_at_);
    report.step_ms = took.count();
    reported_at_ = Clock::now();
    options_.notify([&](RunListener& listener) { listener.step_done(report); });
}

Error UpdateReporter::diverged(const NotFiniteError& error, const StepReport& report) const {
    return Error("step " + std::to_string(report.update) + " (epoch " + std::to_string(report.epoch + 1) +
                 "), rank " + std::to_string(options_.rank) + ": " + error.what() +
                 ". Training has diverged: a smaller optimizer.lr usually helps (it is " +
                 config::number_text(options_.config.optimizer.lr) +
                 "), or clip_norm, or a schedule with warmup.");
}

}  // namespace rankscope::engine
