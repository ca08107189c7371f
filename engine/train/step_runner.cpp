// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/optim/gradient_clip.h>
#include <engine/train/step_runner.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

StepRunner::StepRunner(CompiledModel& model, ProcessGroup* group, const StepRunnerOptions& options,
                       ReducerOptions ddp)
    : model_(model), options_(options) {
    if (group != nullptr) {
        reducer_ = std::make_unique<Reducer>(*group, model.layout(), model.gradients(), std::move(ddp));
    }
}

Executable& StepRunner::load(const Batch& batch) {
    Executable& executable = model_.executable(batch.size());
    std::copy(batch.pixels.begin(), batch.pixels.end(), executable.input().begin());
    const std::span<float> targets = executable.targets();
    if (targets.empty()) {
        std::copy(batch.labels.begin(), batch.labels.end(), executable.labels().begin());
        return executable;
    }
    // A model with a mean squared error is trained towards the one-hot label.
    const std::size_t outputs = targets.size() / batch.labels.size();
    std::fill(targets.begin(), targets.end(), 0.0F);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        const auto label = static_cast<std::size_t>(batch.labels[i]);
        if (label < outputs) {
            targets[i * outputs + label] = 1.0F;
        }
    }
    return executable;
}

void StepRunner::fail_not_finite(Executable& executable, double loss) const {
    const std::string what = std::isnan(loss) ? "not a number" : "infinite";
    const std::string layer = executable.first_non_finite().value_or("the loss itself");
    throw NotFiniteError("the loss is " + what + "; the first layer whose result is not finite: " + layer +
                         (layer == "input" ? " (the data hold such values)" : ""));
}

void StepRunner::begin(std::int64_t batches) {
    batches_ = batches;
    done_ = 0;
}

BatchResult StepRunner::batch(const Batch& batch, StepTimes& times) {
    const auto begin = Clock::now();
    Executable& executable = load(batch);
    const BatchResult result = executable.forward(ForwardMode::train);
    const auto forward = Clock::now();
    times.forward_ms += ms_between(begin, forward);
    if (!std::isfinite(result.loss)) {
        fail_not_finite(executable, result.loss);
    }
    const GradientMode mode = done_ == 0 ? GradientMode::overwrite : GradientMode::accumulate;
    const bool synchronised = ++done_ == batches_ && reducer_ != nullptr;
    const double scale =
        (options_.loss_scale ? options_.loss_scale->scale : 1.0) / static_cast<double>(batches_);
    GradientReady ready = [](ParameterId) {};
    if (synchronised) {
        reducer_->reset();
        ready = [this](ParameterId id) { reducer_->ready(id); };
    }
    executable.backward(ready, mode, static_cast<float>(scale));
    times.backward_ms += ms_between(forward, Clock::now());
    return result;
}

UpdateResult StepRunner::finish(const OptimizerStep& step, bool with_norm, StepTimes& times) {
    const auto begin = Clock::now();
    if (reducer_) {
        reducer_->wait();
    }
    const auto reduced = Clock::now();
    times.comm_ms += reducer_ ? ms_between(begin, reduced) : 0.0;
    OptimizerStep own = step;
    UpdateResult result;
    if (options_.loss_scale) {
        own.gradient_scale /= options_.loss_scale->scale;
    }
    if (with_norm || options_.clip_norm || options_.loss_scale) {
        result.gradient_norm = model_.gradient_norm() * own.gradient_scale;
    }
    const bool finite = !result.gradient_norm || std::isfinite(*result.gradient_norm);
    if (options_.loss_scale) {
        result.skipped = !update_loss_scale(*options_.loss_scale, finite);
    } else if (!finite) {
        throw Error(
            "the loss is finite, but the norm of the gradients is not. A smaller optimizer.lr, clip_norm or "
            "a schedule with warmup usually helps.");
    }
    if (options_.clip_norm && !result.skipped) {
        own.gradient_scale *= clip_scale(*result.gradient_norm, *options_.clip_norm);
    }
    if (!result.skipped) {
        model_.optimizer_step(own);
    }
    times.optimizer_ms += ms_between(reduced, Clock::now());
    return result;
}

BatchResult StepRunner::train(const Batch& batch, const OptimizerStep& step, StepTimes& times) {
    begin(1);
    const BatchResult result = this->batch(batch, times);
    finish(step, false, times);
    return result;
}

BatchResult StepRunner::evaluate(const Batch& batch) {
    return load(batch).forward(ForwardMode::evaluate);
}

}  // namespace rankscope::engine
