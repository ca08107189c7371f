// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_executable.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/measure.h>
#include <engine/backend/cuda/smaller_batch.h>
#include <engine/backend/cuda/step_operations.h>
#include <engine/error.h>

#include <algorithm>
#include <cmath>

namespace rankscope::engine::cuda {

CudaExecutable::CudaExecutable(const Graph& graph, const Schedule& schedule, const KernelLibraries& libraries,
                               ModelMemory& memory, const ExecutableOptions& options)
    : graph_(graph),
      schedule_(schedule),
      libraries_(libraries),
      memory_(memory),
      options_(options),
      slots_(graph, options.batch) {
    state_.outputs = slots_.outputs();
    use(slots_.current());
    state_.loss_scale = &state_.control->one;
    state_.enqueue_sum = options.enqueue_sum;
    state_.parameters = memory.places();
    state_.statistics = memory.statistic_places();
}

CudaExecutable::~CudaExecutable() {
    // Nothing may be running on memory that is freed now; an error was reported elsewhere.
    for (const cudaStream_t stream : memory_.gpu().lanes()) {
        cudaStreamSynchronize(stream);
    }
    cudaStreamSynchronize(memory_.gpu().back.get());
}

void CudaExecutable::take_input(SampleForm form) {
    if (form != SampleForm::floats && memory_.pixel_table() == nullptr) {
        throw std::logic_error("bytes and windows need a pixel table");
    }
    if (form == SampleForm::windows && memory_.image_count() == 0) {
        throw std::logic_error("windows need images that the model keeps");
    }
    state_.form = form;
}

void CudaExecutable::use(const InputSlot& slot) {
    state_.control = slot.device_control;
    state_.output = slot.device_output;
}

void CudaExecutable::make_free(InputSlot& slot) {
    slot.finished.wait(options_.while_waiting);
    if (slot.has_result) {
        results_.push_back(take_result(slot));
    }
}

/// The slot's last step has ended (the caller saw to it); the main stream waits for the copies, which are made beside the
/// step before.
void CudaExecutable::upload(InputSlot& slot, const OptimizerStep& update) {
    Gpu& gpu = memory_.gpu();
    use(slot);
    state_.images = memory_.images();
    state_.pixel_table = memory_.pixel_table();
    auto& control = *slot.control.as<StepControl>();
    control = {};
    set_update_numbers(update, control.update);
    slots_.upload(state_.form, gpu.copy.get());
    slot.copied.hold_up(gpu.main.get());
    memory_.refresh_copy(gpu.main.get());
}

/// On a stream of its own: the next step need not wait for the copy.
void CudaExecutable::fetch_output(InputSlot& slot) {
    const Gpu& gpu = memory_.gpu();
    slot.ran.record(gpu.main.get());
    slot.ran.hold_up(gpu.back.get());
    cuda_check(cudaMemcpyAsync(slot.output.as<void>(), slot.device_output, sizeof(StepOutput),
                               cudaMemcpyDeviceToHost, gpu.back.get()),
               "fetching a step's results");
    slot.finished.record(gpu.back.get());
}

BatchResult CudaExecutable::batch_result(const InputSlot& slot) const {
    const auto& output = *slot.output.as<StepOutput>();
    if (!graph_.classifies()) {
        return {output.totals.loss, 0, 0};
    }
    return {output.totals.loss, output.totals.correct, output.totals.correct_topk};
}

void CudaExecutable::prepare(ForwardMode mode, bool measure) {
    const bool train = mode == ForwardMode::train;
    std::unique_ptr<Pass>& pass = train ? train_ : evaluation_;
    if (pass) {
        return;
    }
    auto made = std::make_unique<Pass>();
    // Operations are bound by functions that look into the lowering.
    Lowering lowering(graph_,
                      {options_.batch, options_.type, mode, static_cast<float>(options_.label_smoothing),
                       options_.topk, measure, memory_.gpu().cluster_blocks},
                      libraries_, state_, made->plan);
    made->step = lowering.lower(schedule_);
    made->plan.bind(
        (train ? "the activations of a batch of " : "the activations of an evaluation's batch of ") +
            std::to_string(options_.batch),
        kSmallerBatch);
    pass = std::move(made);
}

CudaExecutable::Pass& CudaExecutable::pass_of(ForwardMode mode) {
    prepare(mode, false);
    return mode == ForwardMode::train ? *train_ : *evaluation_;
}

BatchResult CudaExecutable::forward(ForwardMode mode) {
    InputSlot& of = slots_.current();
    slots_.check(state_.form, memory_.image_count());
    make_free(of);
    const cudaStream_t main = memory_.gpu().main.get();
    const bool train = mode == ForwardMode::train;
    Pass& pass = pass_of(mode);
    upload(of, {});
    state_.loss_scale = &state_.control->one;
    if (train || !options_.graphs) {
        pass.plan.run(0, pass.step.forward_end, main);
    } else {
        evaluate(pass, of);
    }
    last_ = &pass;
    examined_ = &of;
    memory_.batches_tracked += train ? 1 : 0;
    fetch_output(of);
    of.finished.wait(options_.while_waiting);
    return batch_result(of);
}

/// A recorded forward pass; the recording is made behind the first.
void CudaExecutable::evaluate(Pass& pass, const InputSlot& slot) {
    const cudaStream_t main = memory_.gpu().main.get();
    const auto known = std::find_if(evaluations_.begin(), evaluations_.end(), [&](const auto& one) {
        return one.slot == &slot && one.form == state_.form;
    });
    if (known != evaluations_.end()) {
        known->graph->launch(main);
        return;
    }
    const auto forward = [&] { pass.plan.run(0, pass.step.forward_end, main); };
    forward();  // kernels are loaded here, not while recording
    evaluations_.push_back({&slot, state_.form, std::make_unique<CudaGraph>(main, forward)});
}

void CudaExecutable::backward(const GradientReady& ready, GradientMode mode, float loss_scale) {
    const Gpu& gpu = memory_.gpu();
    const auto& [plan, step] = training();
    if (loss_scale != 1.0F) {
        scale(options_.type, options_.batch * graph_.rows * step.logits_row, loss_scale,
              plan.address(step.logits_gradient), gpu.main.get());
    }
    if (mode == GradientMode::accumulate) {
        memory_.kept_gradients();
    }
    const StepMemory memory = memory_.step_memory({.update = false});
    if (mode == GradientMode::accumulate) {
        keep_gradients(memory, gpu.main.get());
    }
    plan.run(step.forward_end, plan.size(), gpu.main.get());
    convert_halves({plan, memory, state_, options_.type}, gpu.main.get());
    if (mode == GradientMode::accumulate) {
        add_kept_gradients(memory, gpu.main.get());
    }
    // The callback may read at once, on any stream.
    gpu.main.wait();
    for (const ParameterId id : memory_.layout().slots.reversed_indices()) {
        ready(id);  // as they are stored: a resumed run adds up in the same order
    }
}

std::vector<float> CudaExecutable::logits() {
    Pass& pass = last_ == nullptr ? training() : *last_;
    const auto row = static_cast<std::size_t>(pass.step.logits_row);
    const auto classes = static_cast<std::size_t>(graph_.classes);
    const auto count = static_cast<std::size_t>(options_.batch * graph_.rows);
    std::vector<float> stored(count * row);
    memory_.gpu().main.wait();
    cuda_check(cudaMemcpy(stored.data(), pass.plan.address(pass.step.logits), stored.size() * sizeof(float),
                          cudaMemcpyDeviceToHost),
               "fetching the logits");
    std::vector<float> result;
    for (std::size_t i = 0; i < count; ++i) {
        const auto begin = stored.begin() + static_cast<std::ptrdiff_t>(i * row);
        result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(classes));
    }
    return result;
}

std::optional<std::string> CudaExecutable::first_non_finite() {
    const cudaStream_t main = memory_.gpu().main.get();
    const DeviceMemory found(sizeof(unsigned), "looking for a number that is not finite", kSmallerBatch);
    if (examined_ != nullptr) {
        use(*examined_);  // another step may have begun meanwhile
    }
    // Without the other ranks, which are elsewhere by now: where their numbers corrupted ours, they find it.
    const EnqueueSum together =
        std::exchange(state_.enqueue_sum,
                      options_.enqueue_sum ? EnqueueSum([](std::span<double>, void*) {}) : EnqueueSum());
    const std::unique_ptr<StepState, std::function<void(StepState*)>> again(
        &state_, [&](StepState* state) { state->enqueue_sum = together; });
    std::size_t done = 0;
    const StepPlan& plan = training().plan;
    for (const StepPlan::Result& result : plan.results()) {
        plan.run(done, result.operations, main);
        done = result.operations;
        count_non_finite(result.type, static_cast<std::int64_t>(result.elements), plan.address(result.buffer),
                         found.as<unsigned>(), main);
        unsigned count = 0;
        memory_.gpu().main.wait();
        cuda_check(cudaMemcpy(&count, found.data(), sizeof(count), cudaMemcpyDeviceToHost), "cudaMemcpy");
        if (count != 0) {
            return result.name;
        }
    }
    return std::nullopt;
}

std::size_t CudaExecutable::bytes() const {
    return (train_ ? train_->plan.bytes() : 0) + (evaluation_ ? evaluation_->plan.bytes() : 0) +
           slots_.device_bytes();
}

/// Runs everything once without recording, on the lanes that it will have, so that recording finds kernels
/// and libraries loaded; what it changes is restored.
void CudaExecutable::warm_up() {
    const cudaStream_t main = memory_.gpu().main.get();
    const std::span<float> gradients = memory_.gradients();
    const std::span<float> statistics = memory_.running_statistics();
    const DeviceMemory kept(gradients.size_bytes() + statistics.size_bytes(), "the first step",
                            kSmallerBatch);
    auto* const kept_statistics = kept.as<float>() + gradients.size();
    const auto copy = [&](float* to, const float* from, std::size_t bytes) {
        if (bytes != 0) {
            cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, main), "cudaMemcpyAsync");
        }
    };
    copy(kept.as<float>(), gradients.data(), gradients.size_bytes());
    copy(kept_statistics, statistics.data(), statistics.size_bytes());
    std::vector<const StepOperation*> list;
    for (const StepOperation& one : training().plan.operations()) {
        list.push_back(&one);
    }
    enqueue_over_lanes(list, memory_.gpu().lanes(), events_);
    if (options_.announce && state_.enqueue_sum) {
        options_.announce(0, queued_ends_.end(main, memory_.gpu().index));
    }
    const StepMemory memory = memory_.step_memory({.update = false});
    convert_halves({training().plan, memory, state_, options_.type}, main);
    add_floats(kGroup, gradients.data(), gradients.data(), main);
    copy(gradients.data(), kept.as<float>(), gradients.size_bytes());
    copy(statistics.data(), kept_statistics, statistics.size_bytes());
    Event end;
    end.record(main);
    end.wait(options_.while_waiting);
    warm_ = true;
}

/// The same for the update, with the flag that it changes nothing, and for the rounding of gradients.
void CudaExecutable::warm_up_update(const StepRequest& request) {
    const cudaStream_t main = memory_.gpu().main.get();
    UpdateNumbers* const numbers = &state_.control->update;
    const FlatParameters flat = memory_.flat(request.optimizer, {0, memory_.gradients().size()});
    constexpr int kYes = 1;
    cuda_check(cudaMemsetAsync(&numbers->skip, kYes, sizeof(numbers->skip), main), "cudaMemsetAsync");
    measure_gradients(flat, {}, numbers, &state_.output->update, memory_.norm_scratch(), main);
    update_parameters(request.optimizer.kind, flat, numbers,
                      {&state_.output->totals.loss, nullptr, &state_.output->update}, main);
    if (request.reduction != nullptr && request.reduction->wire != ElementType::f32) {
        const ElementType type = request.reduction->wire;
        auto* const scratch = static_cast<float*>(static_cast<void*>(memory_.norm_scratch().partials));
        const std::vector<ElementRange> one{{0, kGroup}};
        from_floats(type, one, scratch, memory_.wire(), main);
        to_floats(type, one, memory_.wire(), scratch, main);
    }
    memory_.gpu().main.wait();
}

void CudaExecutable::allocate_for(const StepRequest& request) {
    if (request.update) {
        memory_.prepare(request.optimizer);
    }
    if (request.gradients == GradientMode::accumulate) {
        memory_.kept_gradients();
    }
    if (request.reduction != nullptr && request.reduction->wire != ElementType::f32) {
        memory_.wire();
    }
}

CudaExecutable::RecordedSettings CudaExecutable::settings_of(const StepRequest& request) {
    return {.slot = &slots_.current(),
            .form = state_.form,
            .gradients = request.gradients,
            .update = request.update,
            .reduction = request.reduction,
            .optimizer = request.optimizer.kind,
            .has_momentum = request.optimizer.momentum != 0.0,
            .decay_norm_bias = request.optimizer.decay_norm_bias,
            .clip_norm = request.clip_norm,
            .want_norm = request.want_norm,
            .scale_loss = request.scale_loss};
}

CudaExecutable::Recording* CudaExecutable::find_recording(const RecordedSettings& settings) {
    const auto found = std::find_if(recordings_.begin(), recordings_.end(),
                                    [&](const Recording& one) { return one.settings == settings; });
    return found == recordings_.end() ? nullptr : &*found;
}

CudaGraph& CudaExecutable::recording(const StepRequest& request) {
    const RecordedSettings settings = settings_of(request);
    if (Recording* const found = find_recording(settings)) {
        return *found->graph;
    }
    recordings_.push_back({settings, std::make_unique<CudaGraph>(memory_.gpu().main.get(),
                                                                 [&] { enqueue_operations(request); })});
    return *recordings_.back().graph;
}

InputSlot& CudaExecutable::slot_for(const StepRequest& request) {
    InputSlot& of = slots_.current();
    slots_.check(state_.form, memory_.image_count());
    make_free(of);
    allocate_for(request);
    use(of);
    state_.loss_scale = request.scale_loss ? &memory_.loss_scale_place()->scale : &state_.control->one;
    if (!warm_) {
        upload(of, request.optimizer);
        warm_up();
    }
    return of;
}

std::vector<OperationTime> CudaExecutable::time_operations(const StepRequest& request) {
    InputSlot& of = slot_for(request);
    if (request.update) {
        memory_.expect_update(request.optimizer);
    }
    upload(of, request.optimizer);
    const StepMemory memory = memory_.step_memory(request);
    const StepOperations operations({training().plan, memory, state_, options_.type}, request);
    const cudaStream_t main = memory_.gpu().main.get();
    const std::vector<const StepOperation*> list = operations.in_order();
    // Once as a step: no operation is timed on values that no step gives.
    for (const StepOperation* const operation : list) {
        operation->run(main);
    }
    std::vector<OperationTime> times;
    for (const StepOperation* const operation : list) {
        times.push_back({.name = operation->name,
                         .lane = kLaneNames[static_cast<std::size_t>(operation->lane)],
                         .kernels = operation->kernels,
                         .bytes = operation->bytes,
                         .us = measure_us(main, operation->run)});
    }
    memory_.gpu().main.wait();
    return times;
}

void CudaExecutable::enqueue_step(const StepRequest& request) {
    InputSlot& of = slot_for(request);
    if (options_.graphs && request.update && find_recording(settings_of(request)) == nullptr) {
        upload(of, request.optimizer);
        warm_up_update(request);
    }
    if (request.update) {
        memory_.expect_update(request.optimizer);
    }
    upload(of, request.optimizer);
    if (options_.graphs) {
        recording(request).launch(memory_.gpu().main.get());
    } else {
        enqueue_operations(request);
    }
    fetch_output(of);
    last_ = &training();
    ++memory_.batches_tracked;
    of.has_result = true;
    of.update = request.update ? request.optimizer.step : 0;
    of.norm_wanted = request.want_norm || request.clip_norm > 0.0 || request.scale_loss;
    slots_.advance();
}

void CudaExecutable::enqueue_operations(const StepRequest& request) {
    const StepMemory memory = memory_.step_memory(request);
    const StepOperations operations({training().plan, memory, state_, options_.type}, request);
    enqueue_over_lanes(operations.in_order(), memory_.gpu().lanes(), events_);
}

StepResult CudaExecutable::take_result(InputSlot& slot) {
    examined_ = &slot;
    const auto& output = *slot.output.as<StepOutput>();
    StepResult result;
    result.batch = batch_result(slot);
    result.updated = slot.update != 0;
    result.finite = slot.update == 0 || output.update.not_finite_in != slot.update;
    if (result.updated && slot.norm_wanted) {
        result.updated = output.update.updated != 0;
        result.gradient_norm = output.update.norm;
        result.loss_scale = static_cast<double>(output.update.loss_scale);
    }
    slot.has_result = false;
    return result;
}

StepResult CudaExecutable::next_result() {
    if (!results_.empty()) {
        const StepResult result = results_.front();
        results_.pop_front();
        return result;
    }
    if (InputSlot* const of = slots_.earliest_open()) {
        of->finished.wait(options_.while_waiting);
        return take_result(*of);
    }
    throw std::logic_error("every step's result was read already");
}

}  // namespace rankscope::engine::cuda
