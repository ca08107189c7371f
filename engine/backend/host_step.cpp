// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/host_step.h>
#include <engine/backend/step_parts.h>
#include <engine/optim/gradient_clip.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

ReducerOptions reducer_options(const GradientExchange& exchange) {
    ReducerOptions options{.limits = exchange.limits, .names = exchange.names};
    if (exchange.wire != ElementType::f32) {
        options.hook = std::make_unique<CompressionHook>(exchange.wire);
    }
    return options;
}

}  // namespace

HostStep::HostStep(CompiledModel& model, const StepOptions& options, const GradientExchange& exchange)
    : model_(model), options_(options) {
    if (exchange.group != nullptr) {
        reducer_ = std::make_unique<Reducer>(*exchange.group, model.layout(), model.gradients(),
                                             reducer_options(exchange));
    }
}

// The backend's memory is the host's: nothing is gained by bytes.
SampleForm HostStep::take_images(const TrainingImages& /*images*/) {
    return SampleForm::floats;
}

void HostStep::prepare(const BatchSizes& sizes) {
    if (!sizes.training.empty()) {
        model_.executable(sizes.training.front());
    }
}

Executable& HostStep::load(const Batch& batch) {
    Executable& executable = model_.executable(batch.size());
    std::copy(batch.pixels.begin(), batch.pixels.end(), executable.input().begin());
    load_labels(batch, executable);
    return executable;
}

void HostStep::begin(std::int64_t batches) {
    batches_ = batches;
    done_ = 0;
    results_.emplace_back();
}

void HostStep::batch(const Batch& batch, StepTimes& times) {
    const auto begin = Clock::now();
    Executable& executable = load(batch);
    const bool last = ++done_ == batches_;
    const BatchResult result = executable.forward(ForwardMode::train);
    const auto forward = Clock::now();
    times.forward_ms += ms_between(begin, forward);
    if (!std::isfinite(result.loss)) {
        fail_not_finite(executable, result.loss);
    }
    const GradientMode mode = done_ == 1 ? GradientMode::overwrite : GradientMode::accumulate;
    const double scale =
        (options_.loss_scale ? options_.loss_scale->scale : 1.0) / static_cast<double>(batches_);
    GradientReady ready = [](ParameterId) {};
    if (reducer_) {
        reducer_->reset(last ? Reducer::Sync::yes : Reducer::Sync::no);
        ready = [this](ParameterId id) { reducer_->ready(id); };
    }
    executable.backward(ready, mode, static_cast<float>(scale));
    times.backward_ms += ms_between(forward, Clock::now());
    results_.back().mine.add(result, batch.size(), batch.rows);
}

void HostStep::finish(const OptimizerStep& step, bool with_norm, StepTimes& times) {
    const auto begin = Clock::now();
    OptimizerStep own = step;
    own.step -= skipped_;
    UpdateResult& result = results_.back();
    if (options_.clip_norm || options_.loss_scale) {
        wait_for_gradients({});
        UpdateResult made = update_at_once(own);
        made.mine = result.mine;
        result = made;
        skipped_ += made.skipped ? 1 : 0;
    } else {
        update_by_bucket(own);
        if (with_norm) {
            result.gradient_norm = model_.gradient_norm();
            check_gradient_norm(*result.gradient_norm);
        }
    }
    const double exposed = reducer_ ? reducer_->last_step().exposed_ms : 0.0;
    times.comm_ms += exposed;
    times.optimizer_ms += ms_between(begin, Clock::now()) - exposed;
}

UpdateResult HostStep::result(StepTimes& /*times*/) {
    const UpdateResult result = results_.front();
    results_.pop_front();
    return result;
}

void HostStep::wait_for_gradients(const std::function<void(const Bucket&)>& done) {
    if (reducer_) {
        reducer_->wait(done);
    }
}

void HostStep::update_by_bucket(const OptimizerStep& step) {
    bool finite = true;
    if (!reducer_) {
        finite = model_.optimizer_step(step);
    } else {
        wait_for_gradients([&](const Bucket& bucket) {
            for (const FlatRange& range : bucket.ranges) {
                finite = model_.optimizer_step(step, range) && finite;
            }
        });
    }
    check_gradients(finite);
}

UpdateResult HostStep::update_at_once(const OptimizerStep& step) {
    OptimizerStep own = step;
    if (options_.loss_scale) {
        own.gradient_scale /= options_.loss_scale->scale;
    }
    UpdateResult result{.gradient_norm = model_.gradient_norm() * own.gradient_scale};
    if (options_.loss_scale) {
        result.skipped = !update_loss_scale(*options_.loss_scale, std::isfinite(*result.gradient_norm));
    } else {
        check_gradient_norm(*result.gradient_norm);
    }
    if (!result.skipped) {
        if (options_.clip_norm) {
            own.gradient_scale *= clip_scale(*result.gradient_norm, *options_.clip_norm);
        }
        check_gradients(model_.optimizer_step(own));
    }
    return result;
}

BatchResult HostStep::evaluate(const Batch& batch) {
    return load(batch).forward(ForwardMode::evaluate);
}

}  // namespace rankscope::engine
