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

void check_finite(double gradient_norm) {
    if (!std::isfinite(gradient_norm)) {
        throw NotFiniteError("the loss is finite, but the norm of the gradients is not");
    }
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
    const bool last = ++done_ == batches_;
    const double scale =
        (options_.loss_scale ? options_.loss_scale->scale : 1.0) / static_cast<double>(batches_);
    GradientReady ready = [](ParameterId) {};
    if (reducer_) {
        reducer_->reset(last ? Reducer::Sync::yes : Reducer::Sync::no);
        ready = [this](ParameterId id) { reducer_->ready(id); };
    }
    executable.backward(ready, mode, static_cast<float>(scale));
    times.backward_ms += ms_between(forward, Clock::now());
    return result;
}

UpdateResult StepRunner::finish(const OptimizerStep& step, bool with_norm, StepTimes& times) {
    const auto begin = Clock::now();
    UpdateResult result;
    if (options_.clip_norm || options_.loss_scale) {
        wait_for_gradients({});
        result = update_at_once(step);
    } else {
        update_as_they_come(step);
        if (with_norm) {
            result.gradient_norm = model_.gradient_norm();
            check_finite(*result.gradient_norm);
        }
    }
    const double exposed = reducer_ ? reducer_->last_step().exposed_ms : 0.0;
    times.comm_ms += exposed;
    times.optimizer_ms += ms_between(begin, Clock::now()) - exposed;
    return result;
}

void StepRunner::wait_for_gradients(const std::function<void(const Bucket&)>& done) {
    if (reducer_) {
        reducer_->wait(done);
    }
}

void StepRunner::update_as_they_come(const OptimizerStep& step) {
    if (!reducer_) {
        model_.optimizer_step(step);
        return;
    }
    // A bucket's weights are updated while the buckets behind it are still being averaged.
    wait_for_gradients([&](const Bucket& bucket) {
        for (const FlatRange& range : bucket.ranges) {
            model_.optimizer_step(step, range);
        }
    });
}

UpdateResult StepRunner::update_at_once(const OptimizerStep& step) {
    OptimizerStep own = step;
    if (options_.loss_scale) {
        own.gradient_scale /= options_.loss_scale->scale;
    }
    UpdateResult result{.gradient_norm = model_.gradient_norm() * own.gradient_scale};
    if (options_.loss_scale) {
        result.skipped = !update_loss_scale(*options_.loss_scale, std::isfinite(*result.gradient_norm));
    } else {
        check_finite(*result.gradient_norm);
    }
    if (!result.skipped) {
        if (options_.clip_norm) {
            own.gradient_scale *= clip_scale(*result.gradient_norm, *options_.clip_norm);
        }
        model_.optimizer_step(own);
    }
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
