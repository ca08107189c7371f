// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/recorded_step.h>
#include <engine/backend/step_parts.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rankscope::engine::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

}  // namespace

RecordedStep::RecordedStep(CudaModel& model, const StepOptions& options, const GradientExchange& exchange)
    : model_(model), options_(options), group_(exchange.group) {
    if (options_.loss_scale) {
        model_.memory().set_loss_scale(*options_.loss_scale);
    }
    if (exchange.group != nullptr) {
        prepare_reduction(exchange);
    }
}

void RecordedStep::prepare_reduction(const GradientExchange& exchange) {
    ProcessGroup& group = *exchange.group;
    const ParameterLayout& layout = model_.layout();
    reduction_ = std::make_unique<StepReduction>();
    reduction_->wire = exchange.wire;
    // NVLink SHARP and NCCL's symmetric kernels compute plain sums alone (ncclNvlsSupported(), ncclSymkImplemented()), so
    // the update divides. A sum of fp16 values could overflow: those are divided before they are added.
    float scale = 1.0F;
    if (exchange.wire == ElementType::f16) {
        scale = 1.0F / static_cast<float>(group.size());
    } else {
        reduction_->divisor = group.size();
    }
    const BucketLimits limits = exchange.limits.value_or(default_bucket_limits(layout.total * sizeof(float)));
    const std::size_t element = size_of(exchange.wire);
    auto* const memory = exchange.wire == ElementType::f32
                             ? static_cast<std::byte*>(static_cast<void*>(model_.gradients().data()))
                             : model_.memory().wire();
    for (const Bucket& bucket : plan_buckets(layout, limits)) {
        reduction_->buckets.push_back(bucket.live);
        reduced_bytes_ += bucket.live_size() * element;
        // Once without recording, in the type and the memory of the recorded sums: NCCL chooses its algorithm, loads its
        // kernel and connects now.
        std::vector<Piece> pieces;
        for (const FlatRange& range : bucket.live) {
            pieces.push_back({memory + range.offset * element, range.size});
        }
        group.all_reduce({.pieces = pieces, .type = exchange.wire, .scale = scale}).wait();
    }
    reduction_->enqueue_sum = [&group, scale, wire = exchange.wire](std::span<const WirePart> parts,
                                                                    void* queue) {
        std::vector<Piece> pieces;
        for (const WirePart& part : parts) {
            pieces.push_back({part.data, part.count});
        }
        group.enqueue({.pieces = pieces, .type = wire, .scale = scale}, queue);
    };
}

// Floats that the host makes and sends would starve a GPU: it takes bytes, or, where the whole set fits beside
// the model, only where to cut.
SampleForm RecordedStep::take_images(const TrainingImages& images) {
    ModelMemory& memory = model_.memory();
    memory.set_pixel_table(images.pixel_table);
    return !images.pixels.empty() && memory.keep_images(images.image, images.pixels) ? SampleForm::windows
                                                                                     : SampleForm::bytes;
}

// Kernels are measured for the usual sizes: a left-over batch comes once in an epoch, and takes what the library suggests.
void RecordedStep::prepare(const BatchSizes& sizes) {
    const auto each = [&](const std::vector<std::int64_t>& of, ForwardMode mode) {
        for (const std::int64_t size : of) {
            model_.cuda_executable(size).prepare(mode, size == of.front());
        }
    };
    each(sizes.training, ForwardMode::train);
    each(sizes.evaluation, ForwardMode::evaluate);
}

CudaExecutable& RecordedStep::load(const Batch& batch) {
    CudaExecutable& executable = model_.cuda_executable(batch.size());
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
    load_labels(batch, 0, executable);
    return executable;
}

void RecordedStep::begin(std::int64_t batches) {
    batches_ = batches;
    done_ = 0;
    open_.emplace_back();
}

StepRequest RecordedStep::request() const {
    StepRequest request;
    request.gradients = done_ <= 1 ? GradientMode::overwrite : GradientMode::accumulate;
    request.update = done_ == batches_;
    request.scale_loss = options_.loss_scale.has_value();
    return request;
}

void RecordedStep::batch(const Batch& batch, StepTimes& times) {
    const auto begin = Clock::now();
    CudaExecutable& executable = load(batch);
    open_.back().batches.push_back({&executable, batch.size(), batch.rows});
    if (++done_ != batches_) {  // the last one waits for finish(), which has the update's settings
        executable.enqueue_step(request());
        if (model_.sums_over_ranks()) {
            announce(0);
        }
    }
    times.forward_ms += ms_since(begin);
}

void RecordedStep::finish(const OptimizerStep& step, bool with_norm, StepTimes& times) {
    const auto begin = Clock::now();
    StepRequest last = request();
    last.reduction = reduction_.get();
    last.optimizer = step;
    last.optimizer.gradient_scale /= static_cast<double>(batches_);
    if (reduction_ != nullptr) {
        last.optimizer.gradient_scale /= static_cast<double>(reduction_->divisor);
    }
    last.clip_norm = options_.clip_norm.value_or(0.0);
    last.want_norm = with_norm;
    open_.back().with_norm = with_norm || options_.clip_norm || options_.loss_scale;
    open_.back().batches.back().executable->enqueue_step(last);
    announce(reduced_bytes_);
    times.forward_ms += ms_since(begin);
}

void RecordedStep::announce(std::size_t bytes) {
    if (group_ == nullptr) {
        return;
    }
    const Gpu& gpu = model_.memory().gpu();
    group_->enqueued(bytes, ends_.end(gpu.main.get(), gpu.index));
}

UpdateResult RecordedStep::result(StepTimes& times) {
    const auto begin = Clock::now();
    const Open update = std::move(open_.front());
    open_.pop_front();
    const UpdateResult result = result_of(update);
    times.backward_ms += ms_since(begin);
    return result;
}

UpdateResult RecordedStep::result_of(const Open& update) const {
    UpdateResult result;
    for (const auto& [executable, size, rows] : update.batches) {
        const StepResult step = executable->next_result();
        if (!std::isfinite(step.batch.loss)) {
            fail_not_finite(executable, step.batch.loss);
        }
        check_gradients(step.finite);
        result.mine.add(step.batch, size, rows);
        if (&executable == &update.batches.back().executable) {
            result.skipped = !step.updated;
            if (update.with_norm) {
                result.gradient_norm = step.gradient_norm;
            }
        }
    }
    if (result.gradient_norm && !options_.loss_scale) {
        check_gradient_norm(*result.gradient_norm);
    }
    return result;
}

BatchResult RecordedStep::evaluate(const Batch& batch) {
    return load(batch).forward(ForwardMode::evaluate);
}

std::optional<LossScale> RecordedStep::loss_scale() const {
    return options_.loss_scale ? std::optional(model_.memory().loss_scale()) : std::nullopt;
}

void RecordedStep::set_loss_scale(const LossScale& scale) {
    options_.loss_scale = scale;
    model_.memory().set_loss_scale(scale);
}

std::vector<OperationTime> RecordedStep::time_operations(const Batch& batch, const OptimizerStep& step) {
    if (reduction_ != nullptr) {
        throw std::logic_error("operations are timed without other ranks, which would run each another time");
    }
    StepRequest request;
    request.scale_loss = options_.loss_scale.has_value();
    request.optimizer = step;
    request.clip_norm = options_.clip_norm.value_or(0.0);
    return load(batch).time_operations(request);
}

}  // namespace rankscope::engine::cuda
