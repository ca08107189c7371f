// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/host_step.h>
#include <engine/backend/step_parts.h>
#include <engine/optim/gradient_clip.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

ReducerOptions reducer_options(CompiledModel& model, const GradientExchange& exchange) {
    ReducerOptions options{.limits = exchange.limits,
                           .shards = model.shards(),
                           .owned = model.owned_gradients(),
                           .names = exchange.names};
    if (exchange.wire != ElementType::f32) {
        options.hook = std::make_unique<CompressionHook>(exchange.wire);
    }
    return options;
}

}  // namespace

HostStep::HostStep(CompiledModel& model, const StepOptions& options, const GradientExchange& exchange)
    : model_(model),
      options_(options),
      group_(exchange.group),
      shards_(model.shards()),
      shared_(exchange.shared),
      tensor_(exchange.tensor.groups) {
    if (exchange.pipeline.groups != nullptr) {
        pipeline_.emplace(model, exchange.pipeline);
    }
    // The first slice and the first stage count what several have.
    if (tensor_ != nullptr && !tensor_->first()) {
        counted_elsewhere_ = exchange.tensor.on_all_slices;
    } else if (pipeline_ && pipeline_->groups().last()) {
        counted_elsewhere_ = shared_;
    }
    if (group_ != nullptr) {
        reducer_ = std::make_unique<Reducer>(*group_, model.layout(), model.gradients(),
                                             reducer_options(model, exchange));
    } else if (shards_ != nullptr) {
        throw std::logic_error("ZeRO without a process group");
    }
}

// The backend's memory is the host's: nothing is gained by bytes.
SampleForm HostStep::take_images(const TrainingImages& /*images*/) {
    return SampleForm::floats;
}

void HostStep::prepare(const BatchSizes& sizes) {
    if (sizes.training.empty()) {
        return;
    }
    if (pipeline_) {
        pipeline_->prepare(sizes.training.front());
    } else {
        model_.executable(sizes.training.front());
    }
}

Executable& HostStep::load(const Batch& batch) {
    Executable& executable = model_.executable(batch.size());
    std::copy(batch.pixels.begin(), batch.pixels.end(), executable.input().begin());
    load_labels(batch, 0, executable);
    return executable;
}

void HostStep::begin(std::int64_t batches) {
    batches_ = batches;
    done_ = 0;
    take_waits_ms();  // those of an evaluation
    results_.emplace_back();
}

void HostStep::batch(const Batch& batch, StepTimes& times) {
    const bool last = ++done_ == batches_;
    if (pipeline_) {
        const BatchResult result = pipeline_->train(
            batch,
            [&](const Pipeline::Backward& one) {
                differentiate(one.executable, one.share, done_ == 1 && one.first, last && one.last);
            },
            times);
        if (last) {
            add_shared_gradients();  // now that the other end has what it needs for its own
        }
        add(result, batch);
        return;
    }
    const auto begin = Clock::now();
    Executable& executable = load(batch);
    const BatchResult result = executable.forward(ForwardMode::train);
    const auto forward = Clock::now();
    const double in_forward = take_waits_ms();
    times.forward_ms += ms_between(begin, forward) - in_forward;
    if (!std::isfinite(result.loss)) {
        // To look for the layer takes all ranks where each has a share of the weights.
        fail_not_finite(gathers() ? nullptr : &executable, result.loss);
    }
    differentiate(executable, 1.0, done_ == 1, last);
    const double in_backward = take_waits_ms();
    times.backward_ms += ms_between(forward, Clock::now()) - in_backward;
    times.comm_ms += in_forward + in_backward;
    add(result, batch);
}

void HostStep::add(BatchResult result, const Batch& batch) {
    result.elsewhere = result.elsewhere || reported_by_another();
    results_.back().mine.add(result, batch.size(), batch.rows);
    results_.back().elsewhere += result.elsewhere ? batch.size() : 0;
}

double HostStep::take_waits_ms() {
    return (tensor_ != nullptr ? tensor_->take_ms() : 0.0) + model_.take_waited_ms();
}

void HostStep::differentiate(Executable& executable, double share, bool first, bool last) {
    // Windows hold the gradients of one batch only: those of each are averaged, and the averages are added.
    const bool windowed = shards_ != nullptr && shards_->windowed();
    const GradientMode mode = first || windowed ? GradientMode::overwrite : GradientMode::accumulate;
    const double scale =
        share * (options_.loss_scale ? options_.loss_scale->scale : 1.0) / static_cast<double>(batches_);
    GradientReady ready = [](ParameterId) {};
    if (reducer_) {
        reducer_->reset(last || windowed ? Reducer::Sync::yes : Reducer::Sync::no, !first);
        ready = [this](ParameterId id) {
            if (std::find(shared_.begin(), shared_.end(), id) == shared_.end()) {
                reducer_->ready(id);
            }
        };
    }
    executable.backward(ready, mode, static_cast<float>(scale));
    if (windowed && !last) {
        wait_for_gradients({});
    }
}

/// Both ends of a pipeline have a part of a tied weight's gradient.
void HostStep::add_shared_gradients() {
    for (const ParameterId id : shared_) {
        const ParameterSlot& slot = model_.layout().slots[id];
        pipeline_->groups().ends()->sum(model_.gradients().subspan(slot.offset, slot.size));
        if (reducer_) {
            reducer_->ready(id);
        }
    }
}

double HostStep::squares_counted_elsewhere() {
    double sum = 0;
    const bool windowed = shards_ != nullptr && shards_->windowed();
    for (const ParameterId id : counted_elsewhere_) {
        const ParameterSlot& slot = model_.layout().slots[id];
        if (shards_ == nullptr) {
            sum += sum_of_squares(model_.gradients().subspan(slot.offset, slot.size));
            continue;
        }
        for (const ShardPlan::Owned& owned : shards_->owned(shards_->bucket_of(id))) {
            const std::size_t begin = std::max(owned.flat.offset, slot.offset);
            const std::size_t end = std::min(owned.flat.offset + owned.flat.size, slot.offset + slot.size);
            if (begin < end) {
                sum += sum_of_squares(windowed ? model_.owned_gradients().subspan(
                                                     owned.at + begin - owned.flat.offset, end - begin)
                                               : model_.gradients().subspan(begin, end - begin));
            }
        }
    }
    return sum;
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
        made.elsewhere = result.elsewhere;
        result = made;
        skipped_ += made.skipped ? 1 : 0;
    } else {
        update_by_bucket(own);
        if (with_norm) {
            result.gradient_norm = gradient_norm();
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

void HostStep::wait_for_gradients(const std::function<void(std::size_t)>& done) {
    if (reducer_) {
        reducer_->wait(done);
    }
}

double HostStep::gradient_norm() {
    const double norm = model_.gradient_norm();
    if (shards_ == nullptr && !pipeline_ && tensor_ == nullptr) {
        return norm;
    }
    double squares = norm * norm - squares_counted_elsewhere();
    if (shards_ != nullptr) {
        group_->sum(std::span(&squares, 1));
    }
    if (pipeline_) {
        pipeline_->groups().chain().sum(std::span(&squares, 1));
    }
    if (tensor_ != nullptr) {
        tensor_->across().sum(std::span(&squares, 1));
    }
    return std::sqrt(squares);
}

bool HostStep::update_bucket(const OptimizerStep& step, std::size_t bucket) {
    bool finite = true;
    if (shards_ == nullptr) {
        for (const FlatRange& range : reducer_->buckets()[bucket].ranges) {
            finite = model_.optimizer_step(step, range) && finite;
        }
        return finite;
    }
    for (const ShardPlan::Owned& owned : shards_->owned(bucket)) {
        finite = model_.optimizer_step(step, owned.flat) && finite;
    }
    if (!gathers()) {
        give_weights(bucket);
    }
    return finite;
}

void HostStep::give_weights(std::size_t bucket) {
    std::vector<Piece> pieces;
    for (const FlatRange& range : shards_->buckets()[bucket].ranges) {
        pieces.push_back({model_.weights().subspan(range.offset, range.size).data(), range.size});
    }
    // The last one is waited for at once: the thread that waits runs it.
    const When when = bucket + 1 == shards_->buckets().size() ? When::at_wait : When::soon;
    weights_on_their_way_.push_back(group_->gather_shares(pieces, shards_->weight_shares(bucket), when));
}

void HostStep::wait_for_weights() {
    for (Work& work : weights_on_their_way_) {
        work.wait();
    }
    weights_on_their_way_.clear();
}

bool HostStep::update_all(const OptimizerStep& step) {
    if (shards_ == nullptr) {
        return model_.optimizer_step(step);
    }
    bool finite = true;
    for (std::size_t bucket = 0; bucket < shards_->buckets().size(); ++bucket) {
        finite = update_bucket(step, bucket) && finite;
    }
    wait_for_weights();
    return finite;
}

void HostStep::update_by_bucket(const OptimizerStep& step) {
    bool finite = true;
    if (!reducer_) {
        finite = model_.optimizer_step(step);
    } else {
        wait_for_gradients([&](std::size_t bucket) { finite = update_bucket(step, bucket) && finite; });
        wait_for_weights();
    }
    check_gradients(finite);
}

UpdateResult HostStep::update_at_once(const OptimizerStep& step) {
    OptimizerStep own = step;
    if (options_.loss_scale) {
        own.gradient_scale /= options_.loss_scale->scale;
    }
    UpdateResult result{.gradient_norm = gradient_norm() * own.gradient_scale};
    if (options_.loss_scale) {
        result.skipped = !update_loss_scale(*options_.loss_scale, std::isfinite(*result.gradient_norm));
    } else {
        check_gradient_norm(*result.gradient_norm);
    }
    if (!result.skipped) {
        if (options_.clip_norm) {
            own.gradient_scale *= clip_scale(*result.gradient_norm, *options_.clip_norm);
        }
        check_gradients(update_all(own));
    }
    return result;
}

/// Bucket by bucket, so that the other ranks need memory for one only.
std::vector<float> HostStep::gathered(std::span<float> owned) {
    std::vector<float> all(group_->rank() == 0 ? model_.layout().total : 0);
    for (std::size_t bucket = 0; bucket < shards_->buckets().size(); ++bucket) {
        const std::vector<FlatRange>& ranges = shards_->buckets()[bucket].ranges;
        std::vector<float> values(shards_->weight_shares(bucket).back());
        std::size_t at = shards_->weight_shares(bucket)[static_cast<std::size_t>(group_->rank())];
        for (const ShardPlan::Owned& part : shards_->owned(bucket)) {
            std::copy_n(owned.data() + part.at, part.flat.size, values.data() + at);
            at += part.flat.size;
        }
        const Piece piece{values.data(), values.size()};
        group_->gather_shares({&piece, 1}, shards_->weight_shares(bucket), When::at_wait).wait();
        const float* next = values.data();
        for (const FlatRange& range : ranges) {
            if (!all.empty()) {
                std::copy_n(next, range.size, all.data() + range.offset);
            }
            next += range.size;
        }
    }
    return all;
}

void HostStep::with_whole_arrays(CompiledModel::Whole what, const std::function<void()>& read) {
    std::map<std::string, std::vector<float>> whole;
    if (gathers()) {
        whole[CompiledModel::kWeights] = gathered(model_.owned_weights());
    }
    if (shards_ != nullptr && what == CompiledModel::Whole::with_optimizer) {
        for (const auto& [name, owned] : model_.optimizer_arrays()) {
            whole[name] = gathered(owned);
        }
    }
    for (auto& [name, all] : whole) {
        model_.lend_array(name, all);
    }
    read();
    for (const auto& [name, all] : whole) {
        model_.lend_array(name, {});
    }
}

BatchResult HostStep::evaluate(const Batch& batch) {
    BatchResult result = pipeline_ ? pipeline_->evaluate(batch) : load(batch).forward(ForwardMode::evaluate);
    result.elsewhere = result.elsewhere || reported_by_another();
    return result;
}

/// Nothing reads its result: the other ranks need this one's share of the weights.
void HostStep::join_evaluation() {
    if (gathers()) {
        model_.executable(evaluated_).forward(ForwardMode::evaluate);
    }
}

}  // namespace rankscope::engine
