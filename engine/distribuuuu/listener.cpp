// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/distribuuuu/listener.h>

namespace rankscope::engine::distribuuuu {
namespace {

/// The value of this step and the mean since the epoch began, both over all ranks.
void set_results(Meters& meters, const ReducedTotals& all) {
    const auto set = [](Meter& meter, double now, double mean) { meter = {now, mean, 1}; };
    set(meters.loss, all.step.mean_loss(), all.epoch.mean_loss());
    set(meters.top1, 100 * all.step.acc1(), 100 * all.epoch.acc1());
    set(meters.topk, 100 * all.step.acck(), 100 * all.epoch.acck());
}

void add_times(Meters& meters, double step_ms, double data_ms, double samples) {
    meters.time.update(step_ms / 1000, samples > 0 ? 1 : 0);
    meters.data.update(data_ms / 1000, samples > 0 ? 1 : 0);
}

}  // namespace

void Listener::write(const std::string& message) {
    if (facts_.rank == 0) {
        log_.write(message);
    }
}

Progress Listener::progress(std::int64_t done, std::int64_t total) const {
    return {.done = done, .total = total, .topk = settings_.train.topk};
}

void Listener::run_begins(const RunFacts& facts) {
    facts_ = facts;
    if (script_ == Script::train) {
        write(training_banner());
        write(parameters_line(facts.parameters));
    }
    begin_ = std::chrono::steady_clock::now();
}

void Listener::epoch_begins(std::int64_t epoch, double lr) {
    meters_ = {};
    write(epoch_line(epoch + 1, lr, settings_.optim.lr_policy));
}

void Listener::step_done(const StepReport& report) {
    add_times(meters_, report.step_ms, report.times.data_ms, report.mine.samples);
    if (!report.all) {
        return;
    }
    set_results(meters_, *report.all);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    const double eta = eta_seconds({.elapsed_s = elapsed.count(),
                                    .start_epoch = facts_.first_epoch,
                                    .epoch = report.epoch,
                                    .done = report.update_in_epoch,
                                    .total = report.updates_per_epoch,
                                    .epochs = facts_.epochs});
    write(train_line(report.epoch + 1, eta, progress(report.update_in_epoch, report.updates_per_epoch),
                     meters_));
}

void Listener::validation_begins(std::int64_t /*epoch*/) {
    meters_ = {};
}

void Listener::validation_step_done(const ValidationStep& step) {
    add_times(meters_, step.batch_ms, step.data_ms, step.mine.samples);
    if (step.all) {
        set_results(meters_, *step.all);
        write(validation_line(progress(step.batch, step.batches), meters_));
    }
}

void Listener::epoch_done(const EpochReport& report) {
    if (!report.validation) {
        return;
    }
    const double top1 = 100 * report.validation->acc1();
    const double topk = 100 * report.validation->acck();
    const std::int64_t k = settings_.train.topk;
    write(script_ == Script::test ? test_accuracy_line(top1, k, topk)
                                  : accuracy_line(top1, 100 * report.best_acc1, k, topk, report.checkpoint));
}

void Listener::note(const std::string& text) {
    write(text);
}

}  // namespace rankscope::engine::distribuuuu
