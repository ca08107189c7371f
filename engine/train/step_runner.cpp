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
    : model_(model), options_(options), whole_(model.has_whole_steps()) {
    if (whole_ && options_.loss_scale) {
        model_.set_loss_scale(*options_.loss_scale);
    }
    if (group != nullptr && whole_) {
        prepare_reduction(*group, ddp);
    } else if (group != nullptr) {
        reducer_ = std::make_unique<Reducer>(*group, model.layout(), model.gradients(), std::move(ddp));
    }
}

void StepRunner::prepare_reduction(ProcessGroup& group, const ReducerOptions& ddp) {
    ElementType wire = ElementType::f32;
    if (ddp.hook) {
        const auto* compression = dynamic_cast<const CompressionHook*>(ddp.hook.get());
        if (compression == nullptr) {
            throw ConfigError("the gradient hook \"" + ddp.hook->name() +
                              "\" works on host memory: it cannot be part of a step on a GPU");
        }
        wire = compression->type();
    }
    const ParameterLayout& layout = model_.layout();
    const float share = 1.0F / static_cast<float>(group.size());
    reduction_ = std::make_unique<StepReduction>();
    reduction_->wire = wire;
    const BucketLimits limits = ddp.limits.value_or(default_bucket_limits(layout.total * sizeof(float)));
    for (const Bucket& bucket : plan_buckets(layout, limits)) {
        reduction_->buckets.push_back(bucket.live);
        // Once without recording: connections are made now.
        std::vector<Piece> pieces;
        for (const FlatRange& range : bucket.live) {
            pieces.push_back({model_.gradients().subspan(range.offset, range.size).data(), range.size});
        }
        group.all_reduce({.pieces = pieces, .scale = share}).wait();
    }
    reduction_->enqueue_average = [&group, share, wire](std::span<const WirePart> parts, void* queue) {
        std::vector<Piece> pieces;
        for (const WirePart& part : parts) {
            pieces.push_back({part.data, part.count});
        }
        group.enqueue({.pieces = pieces, .type = wire, .scale = share}, queue);
    };
}

std::optional<LossScale> StepRunner::loss_scale() const {
    return whole_ && options_.loss_scale ? model_.loss_scale() : options_.loss_scale;
}

void StepRunner::set_loss_scale(const LossScale& scale) {
    options_.loss_scale = scale;
    if (whole_) {
        model_.set_loss_scale(scale);
    }
}

void StepRunner::give_samples(const Batch& batch, Executable& executable) const {
    if (!batch.windows.empty()) {
        executable.take_input(SampleForm::windows);
        std::copy(batch.windows.begin(), batch.windows.end(), executable.windows().begin());
    } else if (!batch.bytes.empty()) {
        executable.take_input(SampleForm::bytes);
        std::copy(batch.bytes.begin(), batch.bytes.end(), executable.byte_input().begin());
    } else {
        executable.take_input(SampleForm::floats);
        std::copy(batch.pixels.begin(), batch.pixels.end(), executable.input().begin());
    }
}

Executable& StepRunner::load(const Batch& batch) {
    Executable& executable = model_.executable(batch.size());
    give_samples(batch, executable);
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
    open_.emplace_back();
}

StepRequest StepRunner::request() const {
    StepRequest request;
    request.gradients = done_ <= 1 ? GradientMode::overwrite : GradientMode::accumulate;
    request.update = done_ == batches_;
    request.scale_loss = options_.loss_scale.has_value();
    return request;
}

void StepRunner::batch(const Batch& batch, StepTimes& times) {
    const auto begin = Clock::now();
    Executable& executable = load(batch);
    const bool last = ++done_ == batches_;
    if (whole_) {
        open_.back().batches.emplace_back(&executable, batch.size());
        if (!last) {  // the last one waits for finish(), which knows the update
            executable.enqueue_step(request());
        }
        times.forward_ms += ms_between(begin, Clock::now());
        return;
    }
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
    open_.back().result.mine.add(result, batch.size());
}

void StepRunner::finish(const OptimizerStep& step, bool with_norm, StepTimes& times) {
    const auto begin = Clock::now();
    if (whole_) {
        StepRequest last = request();
        last.reduction = reduction_.get();
        last.optimizer = step;
        last.optimizer.gradient_scale /= static_cast<double>(batches_);
        last.clip_norm = options_.clip_norm.value_or(0.0);
        last.want_norm = with_norm;
        open_.back().with_norm = with_norm || options_.clip_norm || options_.loss_scale;
        open_.back().batches.back().first->enqueue_step(last);
        times.forward_ms += ms_between(begin, Clock::now());
        return;
    }
    UpdateResult& result = open_.back().result;
    if (options_.clip_norm || options_.loss_scale) {
        wait_for_gradients({});
        UpdateResult made = update_at_once(step);
        made.mine = result.mine;
        result = made;
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
}

UpdateResult StepRunner::result(StepTimes& times) {
    const auto begin = Clock::now();
    const Open update = std::move(open_.front());
    open_.pop_front();
    if (!whole_) {
        return update.result;
    }
    const UpdateResult result = result_of(update);
    times.backward_ms += ms_between(begin, Clock::now());
    return result;
}

UpdateResult StepRunner::result_of(const Open& update) const {
    UpdateResult result;
    for (const auto& [executable, size] : update.batches) {
        const StepResult step = executable->next_result();
        if (!std::isfinite(step.batch.loss)) {
            fail_not_finite(*executable, step.batch.loss);
        }
        result.mine.add(step.batch, size);
        if (&executable == &update.batches.back().first) {
            result.skipped = !step.updated;
            if (update.with_norm) {
                result.gradient_norm = step.gradient_norm;
            }
        }
    }
    if (result.gradient_norm && !options_.loss_scale) {
        check_finite(*result.gradient_norm);
    }
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

UpdateResult StepRunner::train(const Batch& batch, const OptimizerStep& step, StepTimes& times) {
    begin(1);
    this->batch(batch, times);
    finish(step, false, times);
    return result(times);
}

BatchResult StepRunner::evaluate(const Batch& batch) {
    return load(batch).forward(ForwardMode::evaluate);
}

}  // namespace rankscope::engine
