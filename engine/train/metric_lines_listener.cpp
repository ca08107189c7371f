// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/memory_metrics.h>
#include <base/pipeline_passes.h>
#include <engine/train/metric_lines_listener.h>
#include <engine/train/process_memory.h>

#include <chrono>
#include <vector>

namespace rankscope::engine {
namespace {

std::string epoch_of(std::int64_t epoch, const RunFacts& facts) {
    return "epoch " + std::to_string(epoch + 1) + " of " + std::to_string(facts.epochs);
}

std::string topk_key(const RunFacts& facts) {
    return "acc" + std::to_string(facts.topk);
}

std::string passes_until_now(const std::vector<PassTime>& passes) {
    const auto now = std::chrono::steady_clock::now();
    std::vector<PipelinePass> all;
    all.reserve(passes.size());
    for (const PassTime& pass : passes) {
        all.push_back({.micro_batch = static_cast<int>(pass.micro_batch),
                       .forward = pass.forward,
                       .begin_ms = std::chrono::duration<double, std::milli>(pass.begin - now).count(),
                       .length_ms = pass.length_ms});
    }
    return passes_text(all);
}

}  // namespace

void MetricLinesListener::data_ready(const std::string& text) {
    sink_.stage(StageName::Data, text);
}

void MetricLinesListener::epoch_begins(std::int64_t epoch, double /*lr*/) {
    sink_.stage(StageName::Train, epoch_of(epoch, facts_));
}

/// Of a pipeline only the last stage has them.
void MetricLinesListener::add_results(const StepReport& report, MetricsLine& line) const {
    if (report.mine.samples == 0) {
        return;
    }
    line.values.emplace_back("loss", report.mine.mean_loss());
    line.values.emplace_back("samples", static_cast<double>(report.samples_so_far));
    line.values.emplace_back(facts_.tokens > 0 ? "tokens_per_s" : "images_per_s",
                             facts_.per_sample() * report.mine.samples * 1000.0 / report.step_ms);
    if (facts_.classifies) {
        line.values.emplace_back("acc1", report.mine.acc1());
        line.values.emplace_back(topk_key(facts_), report.mine.acck());
    }
}

void MetricLinesListener::step_done(const StepReport& report) {
    const StepTimes& times = report.times;
    MetricsLine line;
    line.step = report.update;
    line.epoch = static_cast<double>(report.epoch + 1);
    line.values = {{"epochs", static_cast<double>(facts_.epochs)},
                   {"steps_per_epoch", static_cast<double>(report.updates_per_epoch)},
                   {"steps", static_cast<double>(facts_.updates)},
                   {"lr", report.lr},
                   {"t_data_ms", times.data_ms},
                   {"t_forward_ms", times.forward_ms},
                   {"t_backward_ms", times.backward_ms},
                   {"t_comm_ms", times.comm_ms},
                   {"t_optimizer_ms", times.optimizer_ms},
                   {"t_step_ms", report.step_ms}};
    add_results(report, line);
    if (report.gradient_norm) {
        line.values.emplace_back("grad_norm", *report.gradient_norm);
    }
    if (report.sent > 0) {
        constexpr double kMega = 1e6;
        line.values.emplace_back("sent_mb", static_cast<double>(report.sent) / kMega);
    }
    if (times.bubble_ms > 0) {
        line.values.emplace_back("t_bubble_ms", times.bubble_ms);
    }
    // Of the same updates on all ranks.
    if (report.all && !times.passes.empty()) {
        line.texts.emplace_back(kPassesKey, passes_until_now(times.passes));
    }
    if (report.skipped) {
        line.values.emplace_back("skipped_update", 1.0);
    }
    if (report.all) {
        line.values.emplace_back("peak_rss_mb", peak_rss_mb());
    }
    if (report.all && report.memory) {
        constexpr double kMiB = 1048576.0;
        const auto add = [&](const char* name, std::size_t bytes) {
            line.values.emplace_back(name, static_cast<double>(bytes) / kMiB);
        };
        add(kWeightsMemory, report.memory->weights);
        add(kGradientsMemory, report.memory->gradients);
        add(kOptimizerMemory, report.memory->optimizer);
        add(kActivationsMemory, report.memory->activations);
    }
    if (report.all && facts_.rank == 0) {
        line.values.emplace_back("loss_all", report.all->step.mean_loss());
        if (facts_.classifies) {
            line.values.emplace_back("acc1_all", report.all->step.acc1());
            line.values.emplace_back(topk_key(facts_) + "_all", report.all->step.acck());
        }
    }
    sink_.write(line);
}

void MetricLinesListener::validation_begins(std::int64_t epoch) {
    sink_.stage(StageName::Validate, epoch_of(epoch, facts_));
}

void MetricLinesListener::epoch_done(const EpochReport& report) {
    if (!report.validation) {
        return;
    }
    MetricsLine line;
    line.step = report.update;
    line.epoch = static_cast<double>(report.epoch + 1);
    line.values = {{"val_loss", report.validation->mean_loss()}, {"val_samples", report.validation->samples}};
    if (facts_.classifies) {
        line.values.emplace_back("val_acc1", report.validation->acc1());
        line.values.emplace_back("val_" + topk_key(facts_), report.validation->acck());
    }
    sink_.write(line);
}

void MetricLinesListener::checkpoint_done(const CheckpointReport& report) {
    for (const auto& folder : report.abandoned) {
        sink_.stage(StageName::Note, abandoned_text(folder));
    }
    if (!report.error.empty() && report.repeated) {
        return;
    }
    if (!report.error.empty()) {
        sink_.stage(StageName::Note, "the checkpoint of step " + std::to_string(report.update) +
                                         " was not written: " + report.error);
        return;
    }
    MetricsLine line;
    line.values = {{"checkpoint_step", static_cast<double>(report.update)},
                   {"checkpoint_mb", static_cast<double>(report.bytes) / 1048576.0},
                   {"t_checkpoint_held_ms", report.held_ms},
                   {"t_checkpoint_write_ms", report.write_ms}};
    line.texts = {{"checkpoint", report.where}};
    sink_.write(line);
}

void MetricLinesListener::run_done(const std::string& checksum) {
    MetricsLine line;
    line.texts = {{"params", checksum}};
    sink_.write(line);
}

void MetricLinesListener::parameters_differ(const ParameterDrift& drift) {
    MetricsLine line;
    line.step = drift.update;
    line.texts = {{kParametersDifferKey, drift.parameter}};
    sink_.write(line);
}

void MetricLinesListener::note(const std::string& text) {
    sink_.stage(StageName::Note, text);
}

}  // namespace rankscope::engine
