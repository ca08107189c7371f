// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/train/log_listener.h>

#include <cstdio>

namespace rankscope::engine {
namespace {

std::string accuracy_text(const RunFacts& facts, const Totals& totals) {
    if (!facts.classifies) {
        return "";
    }
    return " acc " + fixed_text(100.0 * totals.acc1(), 2) + " %";
}

}  // namespace

void LogListener::worker_ready(const WorkerFacts& facts) {
    std::printf("rank %d of %d: %s on %s, backend %s, %d thread%s, batch %lld\n", facts.rank,
                facts.world_size, config_.model.c_str(), config_.dataset.name.c_str(), facts.backend.c_str(),
                facts.threads, facts.threads == 1 ? "" : "s", static_cast<long long>(config_.batch_size));
    std::fflush(stdout);
}

void LogListener::step_done(const StepReport& report) {
    samples_ += report.mine.samples;
    seconds_ += report.step_ms / 1000.0;
    if (report.update != 1 && report.update % config_.log_every != 0 &&
        report.update_in_epoch != report.updates_per_epoch) {
        return;
    }
    std::printf("epoch %lld/%lld step %lld/%lld ", static_cast<long long>(report.epoch) + 1,
                static_cast<long long>(facts_.epochs), static_cast<long long>(report.update_in_epoch),
                static_cast<long long>(report.updates_per_epoch));
    if (report.mine.samples > 0) {
        std::printf("loss %s%s %s %s/s\n", fixed_text(report.mine.mean_loss(), 4).c_str(),
                    accuracy_text(facts_, report.mine).c_str(),
                    fixed_text(facts_.per_sample() * samples_ / seconds_, 0).c_str(),
                    facts_.tokens > 0 ? "tokens" : "images");
    } else {
        std::printf("in %s ms; another rank reports the loss\n", fixed_text(report.step_ms, 0).c_str());
    }
    std::fflush(stdout);
    samples_ = 0;
    seconds_ = 0;
}

void LogListener::epoch_done(const EpochReport& report) {
    if (report.validation) {
        std::printf("epoch %lld/%lld validation loss %s%s of %s %s\n",
                    static_cast<long long>(report.epoch) + 1, static_cast<long long>(facts_.epochs),
                    fixed_text(report.validation->mean_loss(), 4).c_str(),
                    accuracy_text(facts_, *report.validation).c_str(),
                    fixed_text(facts_.per_sample() * report.validation->samples, 0).c_str(),
                    facts_.tokens > 0 ? "tokens" : "images");
        std::fflush(stdout);
    }
}

void LogListener::checkpoint_done(const CheckpointReport& report) {
    for (const auto& folder : report.abandoned) {
        std::printf("%s\n", abandoned_text(folder).c_str());
    }
    if (report.error.empty()) {
        std::printf("checkpoint %s (%s MiB, training waited %s ms)\n", report.where.c_str(),
                    fixed_text(static_cast<double>(report.bytes) / 1048576.0, 1).c_str(),
                    fixed_text(report.held_ms, 0).c_str());
    } else if (!report.repeated) {
        std::printf("the checkpoint of step %lld was not written: %s\n",
                    static_cast<long long>(report.update), report.error.c_str());
    }
    std::fflush(stdout);
}

void LogListener::run_done(const std::string& checksum) {
    std::printf("parameters %s\n", checksum.c_str());
    std::fflush(stdout);
}

void LogListener::parameters_differ(const ParameterDrift& drift) {
    std::printf("step %lld: the parameters of this rank differ from those of the other ranks (first: %s)\n",
                static_cast<long long>(drift.update), drift.parameter.c_str());
    std::fflush(stdout);
}

void LogListener::note(const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

}  // namespace rankscope::engine
