// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cuda_executable.h>
#include <engine/backend/cuda/elementwise.h>
#include <engine/error.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rankscope::engine::cuda {
namespace {

constexpr const char* kSmallerBatch =
    "A smaller batch_size needs less (with accumulate_steps the effective batch stays the same).";

void copy_in(const DeviceMemory& to, const PinnedMemory& from, cudaStream_t stream) {
    if (to.bytes() != 0) {
        cuda_check(cudaMemcpyAsync(to.data(), from.as<void>(), to.bytes(), cudaMemcpyHostToDevice, stream),
                   "copying a batch to the GPU");
    }
}

MemoryTouch touch(const void* begin, std::size_t bytes, bool writes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    return {at, at + bytes, writes};
}

}  // namespace

CudaExecutable::CudaExecutable(const Graph& graph, const Schedule& schedule, const KernelLibraries& libraries,
                               ModelMemory& memory, const ExecutableOptions& options)
    : graph_(graph),
      schedule_(schedule),
      libraries_(libraries),
      memory_(memory),
      options_(options),
      control_(sizeof(StepControl), "a step's settings", kSmallerBatch),
      output_(sizeof(StepOutput), "a step's results", kSmallerBatch) {
    state_.control = control_.as<StepControl>();
    state_.output = output_.as<StepOutput>();
    state_.loss_scale = &state_.control->one;
    state_.enqueue_sum = options.enqueue_sum;
    state_.parameters = memory.places();
    state_.statistics = memory.statistic_places();
    prepare(train_, ForwardMode::train, "the activations of a batch of ");
    const auto batch = static_cast<std::size_t>(options_.batch);
    const std::string what = "a batch of " + std::to_string(options_.batch);
    for (Slot& slot : slots_) {
        slot.control = PinnedMemory(sizeof(StepControl), what);
        slot.output = PinnedMemory(sizeof(StepOutput), what);
        if (graph_.classifies()) {
            slot.labels = PinnedMemory(batch * sizeof(std::int32_t), what);
            slot.device_labels = DeviceMemory(batch * sizeof(std::int32_t), what, kSmallerBatch);
        } else {
            const std::size_t bytes = batch * static_cast<std::size_t>(graph_.classes) * sizeof(float);
            slot.targets = PinnedMemory(bytes, what);
            slot.device_targets = DeviceMemory(bytes, what, kSmallerBatch);
        }
    }
}

CudaExecutable::~CudaExecutable() {
    // Nothing may be running on the memory that goes now; an error was told elsewhere.
    for (const cudaStream_t stream : memory_.gpu().lanes()) {
        cudaStreamSynchronize(stream);
    }
}

std::size_t CudaExecutable::sample_elements() const {
    return static_cast<std::size_t>(options_.batch * element_count(graph_.values[0].shape));
}

std::span<float> CudaExecutable::input() {
    Slot& to = slot();
    if (to.floats.bytes() == 0) {
        const std::string what = "the samples of a batch of " + std::to_string(options_.batch);
        for (Slot& slot : slots_) {
            slot.floats = PinnedMemory(sample_elements() * sizeof(float), what);
            slot.device_floats = DeviceMemory(sample_elements() * sizeof(float), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.floats.as<float>(), sample_elements()};
}

std::span<std::uint8_t> CudaExecutable::byte_input() {
    Slot& to = slot();
    if (to.bytes.bytes() == 0) {
        const std::string what = "the samples of a batch of " + std::to_string(options_.batch);
        for (Slot& slot : slots_) {
            slot.bytes = PinnedMemory(sample_elements(), what);
            slot.device_bytes = DeviceMemory(sample_elements(), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.bytes.as<std::uint8_t>(), sample_elements()};
}

std::span<ImageWindow> CudaExecutable::windows() {
    Slot& to = slot();
    const auto batch = static_cast<std::size_t>(options_.batch);
    if (to.windows.bytes() == 0) {
        const std::string what = "the windows of a batch of " + std::to_string(options_.batch);
        for (Slot& slot : slots_) {
            slot.windows = PinnedMemory(batch * sizeof(ImageWindow), what);
            slot.device_windows = DeviceMemory(batch * sizeof(ImageWindow), what, kSmallerBatch);
        }
    }
    to.copied.wait();
    return {to.windows.as<ImageWindow>(), batch};
}

std::span<std::int32_t> CudaExecutable::labels() {
    slot().copied.wait();
    return {slot().labels.as<std::int32_t>(), slot().labels.bytes() / sizeof(std::int32_t)};
}

std::span<float> CudaExecutable::targets() {
    slot().copied.wait();
    return {slot().targets.as<float>(), slot().targets.bytes() / sizeof(float)};
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

void CudaExecutable::make_free(Slot& slot) {
    slot.finished.wait(options_.while_waiting);
    if (slot.has_result) {
        results_.push_back(take_result(slot));
    }
}

void CudaExecutable::check_labels(Slot& slot) const {
    const auto* labels = slot.labels.as<std::int32_t>();
    for (std::int64_t i = 0; graph_.classifies() && i < options_.batch; ++i) {
        if (labels[i] < 0 || labels[i] >= graph_.classes) {
            throw Error("sample " + std::to_string(i) + " of the batch has label " +
                        std::to_string(labels[i]) + ", but the model knows the classes 0 to " +
                        std::to_string(graph_.classes - 1));
        }
    }
    const auto* windows = slot.windows.as<ImageWindow>();
    for (std::int64_t i = 0; state_.form == SampleForm::windows && i < options_.batch; ++i) {
        if (windows[i].image < 0 || windows[i].image >= memory_.image_count()) {
            throw Error("sample " + std::to_string(i) + " of the batch is image " +
                        std::to_string(windows[i].image) + ", but there are " +
                        std::to_string(memory_.image_count()));
        }
    }
}

/// The slot's last step has ended (the caller saw to it); the main stream waits for the copies.
void CudaExecutable::upload(Slot& slot, const OptimizerStep& update) {
    Gpu& gpu = memory_.gpu();
    state_.images = memory_.images();
    state_.pixel_table = memory_.pixel_table();
    switch (state_.form) {
        case SampleForm::floats:
            input();  // there, even if nobody has filled it
            copy_in(slot.device_floats, slot.floats, gpu.copy.get());
            break;
        case SampleForm::bytes:
            byte_input();
            copy_in(slot.device_bytes, slot.bytes, gpu.copy.get());
            break;
        case SampleForm::windows:
            windows();
            copy_in(slot.device_windows, slot.windows, gpu.copy.get());
            break;
    }
    copy_in(slot.device_labels, slot.labels, gpu.copy.get());
    copy_in(slot.device_targets, slot.targets, gpu.copy.get());
    slot.copied.record(gpu.copy.get());
    auto& control = *slot.control.as<StepControl>();
    control = {};
    control.floats = slot.device_floats.as<float>();
    control.bytes = slot.device_bytes.as<std::uint8_t>();
    control.windows = slot.device_windows.as<ImageWindow>();
    control.labels = slot.device_labels.as<std::int32_t>();
    control.targets = slot.device_targets.as<float>();
    set_update_numbers(update, control.update);
    slot.copied.hold_up(gpu.main.get());
    copy_in(control_, slot.control, gpu.main.get());
    memory_.refresh_copy(gpu.main.get());
}

void CudaExecutable::fetch_output(Slot& slot) {
    const cudaStream_t main = memory_.gpu().main.get();
    cuda_check(cudaMemcpyAsync(slot.output.as<void>(), output_.data(), sizeof(StepOutput),
                               cudaMemcpyDeviceToHost, main),
               "fetching a step's results");
    slot.finished.record(main);
}

BatchResult CudaExecutable::batch_result(const Slot& slot) const {
    const auto& output = *slot.output.as<StepOutput>();
    if (!graph_.classifies()) {
        return {output.totals.loss, 0, 0};
    }
    return {output.totals.loss, output.totals.correct, output.totals.correct_topk};
}

void CudaExecutable::prepare(Pass& pass, ForwardMode mode, const std::string& what) {
    // Operations are bound by functions that look into the lowering.
    Lowering lowering(
        graph_,
        {options_.batch, options_.type, mode, static_cast<float>(options_.label_smoothing), options_.topk},
        libraries_, state_, pass.plan);
    pass.step = lowering.lower(schedule_);
    pass.plan.bind(what + std::to_string(options_.batch), kSmallerBatch);
}

CudaExecutable::Pass& CudaExecutable::evaluation() {
    if (!evaluation_) {
        auto pass = std::make_unique<Pass>();
        prepare(*pass, ForwardMode::evaluate, "the activations of an evaluation's batch of ");
        evaluation_ = std::move(pass);
    }
    return *evaluation_;
}

BatchResult CudaExecutable::forward(ForwardMode mode) {
    Slot& of = slot();
    check_labels(of);
    make_free(of);
    const cudaStream_t main = memory_.gpu().main.get();
    const bool train = mode == ForwardMode::train;
    Pass& pass = train ? train_ : evaluation();
    upload(of, {});
    state_.loss_scale = &state_.control->one;
    if (train || !options_.graphs) {
        pass.plan.run(0, pass.step.forward_end, main);
    } else if (!evaluation_graph_ || evaluation_form_ != state_.form) {
        pass.plan.run(0, pass.step.forward_end, main);  // kernels are loaded here, not while recording
        evaluation_graph_ =
            std::make_unique<CudaGraph>(main, [&] { pass.plan.run(0, pass.step.forward_end, main); });
        evaluation_form_ = state_.form;
    } else {
        evaluation_graph_->launch(main);
    }
    last_ = &pass;
    examined_ = &of;
    memory_.batches_tracked += train ? 1 : 0;
    fetch_output(of);
    of.finished.wait(options_.while_waiting);
    return batch_result(of);
}

void CudaExecutable::accumulate_begin() {
    const std::span<float> gradients = memory_.gradients();
    cuda_check(cudaMemcpyAsync(memory_.kept_gradients(), gradients.data(), gradients.size_bytes(),
                               cudaMemcpyDeviceToDevice, memory_.gpu().main.get()),
               "keeping the gradients");
}

void CudaExecutable::accumulate_end() {
    const std::span<float> gradients = memory_.gradients();
    add_floats(static_cast<std::int64_t>(gradients.size()), memory_.kept_gradients(), gradients.data(),
               memory_.gpu().main.get());
}

void CudaExecutable::backward(const GradientReady& ready, GradientMode mode, float loss_scale) {
    const Gpu& gpu = memory_.gpu();
    if (loss_scale != 1.0F) {
        scale(options_.type, options_.batch * train_.step.logits_row, loss_scale,
              train_.plan.address(train_.step.logits_gradient), gpu.main.get());
    }
    if (mode == GradientMode::accumulate) {
        accumulate_begin();
    }
    train_.plan.run(train_.step.forward_end, train_.plan.size(), gpu.main.get());
    if (mode == GradientMode::accumulate) {
        accumulate_end();
    }
    // Whoever is told may read at once, on any stream.
    gpu.main.wait();
    for (ParameterId id = memory_.layout().slots.size(); id-- > 0;) {
        ready(id);  // as they are stored: a resumed run adds up in the same order
    }
}

std::vector<float> CudaExecutable::logits() {
    Pass& pass = last_ == nullptr ? train_ : *last_;
    const auto row = static_cast<std::size_t>(pass.step.logits_row);
    const auto classes = static_cast<std::size_t>(graph_.classes);
    const auto batch = static_cast<std::size_t>(options_.batch);
    std::vector<float> stored(batch * row);
    memory_.gpu().main.wait();
    cuda_check(cudaMemcpy(stored.data(), pass.plan.address(pass.step.logits), stored.size() * sizeof(float),
                          cudaMemcpyDeviceToHost),
               "fetching the logits");
    std::vector<float> result;
    for (std::size_t i = 0; i < batch; ++i) {
        const auto begin = stored.begin() + static_cast<std::ptrdiff_t>(i * row);
        result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(classes));
    }
    return result;
}

std::optional<std::string> CudaExecutable::first_non_finite() {
    const cudaStream_t main = memory_.gpu().main.get();
    const DeviceMemory found(sizeof(unsigned), "looking for a number that is not finite", kSmallerBatch);
    if (examined_ != nullptr) {
        copy_in(control_, examined_->control, main);  // another step may have begun meanwhile
    }
    // Without the other ranks, which are elsewhere by now: where their numbers spoilt ours, they find it.
    const EnqueueSum together =
        std::exchange(state_.enqueue_sum,
                      options_.enqueue_sum ? EnqueueSum([](std::span<double>, void*) {}) : EnqueueSum());
    const std::unique_ptr<StepState, std::function<void(StepState*)>> again(
        &state_, [&](StepState* state) { state->enqueue_sum = together; });
    std::size_t done = 0;
    for (const StepPlan::Result& result : train_.plan.results()) {
        train_.plan.run(done, result.operations, main);
        done = result.operations;
        count_non_finite(result.type, static_cast<std::int64_t>(result.elements),
                         train_.plan.address(result.buffer), found.as<unsigned>(), main);
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
    std::size_t sum = train_.plan.bytes() + (evaluation_ ? evaluation_->plan.bytes() : 0);
    for (const Slot& slot : slots_) {
        sum += slot.device_floats.bytes() + slot.device_bytes.bytes() + slot.device_windows.bytes() +
               slot.device_labels.bytes() + slot.device_targets.bytes();
    }
    return sum;
}

/// Runs everything once without recording, on the lanes that it will have, so that recording finds kernels
/// and libraries loaded; what it changes is put back.
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
    for (const StepOperation& one : train_.plan.operations()) {
        list.push_back(&one);
    }
    enqueue_over_lanes(list, memory_.gpu().lanes(), events_);
    add_floats(kGroup, gradients.data(), gradients.data(), main);
    copy(gradients.data(), kept.as<float>(), gradients.size_bytes());
    copy(statistics.data(), kept_statistics, statistics.size_bytes());
    memory_.gpu().main.wait();
    warm_ = true;
}

/// The same for the update, which is told to change nothing, and for the roundings of the way.
void CudaExecutable::warm_up_update(const StepRequest& request) {
    const cudaStream_t main = memory_.gpu().main.get();
    UpdateNumbers* const numbers = &state_.control->update;
    const FlatParameters flat = memory_.flat(request.optimizer, {0, memory_.gradients().size()});
    constexpr int kYes = 1;
    cuda_check(cudaMemsetAsync(&numbers->skip, kYes, sizeof(numbers->skip), main), "cudaMemsetAsync");
    measure_gradients(flat, {}, numbers, &state_.output->update, memory_.norm_scratch(), main);
    update_parameters(request.optimizer.kind, flat, numbers, &state_.output->totals.loss, main);
    if (request.reduction != nullptr && request.reduction->wire != ElementType::f32) {
        const ElementType type = request.reduction->wire;
        auto* const scratch = static_cast<float*>(static_cast<void*>(memory_.norm_scratch().partials));
        from_floats(type, kGroup, scratch, memory_.wire(), main);
        to_floats(type, kGroup, memory_.wire(), scratch, main);
    }
    memory_.gpu().main.wait();
}

void CudaExecutable::enqueue_step(const StepRequest& request) {
    Slot& of = slot();
    check_labels(of);
    make_free(of);
    // Nothing may be allocated while the step is being recorded.
    if (request.update) {
        memory_.prepare(request.optimizer);
    }
    if (request.gradients == GradientMode::accumulate) {
        memory_.kept_gradients();
    }
    if (request.reduction != nullptr && request.reduction->wire != ElementType::f32) {
        memory_.wire();
    }
    state_.loss_scale = request.scale_loss ? &memory_.loss_scale_place()->scale : &state_.control->one;
    const cudaStream_t main = memory_.gpu().main.get();
    if (!warm_) {
        upload(of, request.optimizer);
        warm_up();
    }
    const GraphKey key{state_.form,
                       request.gradients,
                       request.update,
                       request.reduction,
                       request.optimizer.kind,
                       request.optimizer.momentum != 0.0,
                       request.optimizer.decay_norm_bias,
                       request.clip_norm,
                       request.want_norm,
                       request.scale_loss};
    auto found =
        std::find_if(graphs_.begin(), graphs_.end(), [&](const auto& one) { return one.first == key; });
    if (options_.graphs && request.update && found == graphs_.end()) {
        upload(of, request.optimizer);
        warm_up_update(request);
    }
    upload(of, request.optimizer);
    if (options_.graphs) {
        if (found == graphs_.end()) {
            graphs_.emplace_back(key,
                                 std::make_unique<CudaGraph>(main, [&] { enqueue_operations(request); }));
            found = graphs_.end() - 1;
            graph_nodes_ = found->second->node_count();
        }
        found->second->launch(main);
    } else {
        enqueue_operations(request);
    }
    fetch_output(of);
    last_ = &train_;
    ++memory_.batches_tracked;
    of.has_result = true;
    of.updates = request.update;
    of.norm_wanted = request.want_norm || request.clip_norm > 0.0 || request.scale_loss;
    next_slot_ = (next_slot_ + 1) % slots_.size();
}

/// A bucket's gradients become their average; rounded for the way, if that is asked for.
std::vector<StepOperation> CudaExecutable::average(const StepReduction& reduction,
                                                   const std::vector<FlatRange>& bucket) {
    const std::span<float> gradients = memory_.gradients();
    const bool rounded = reduction.wire != ElementType::f32;
    const ElementType type = reduction.wire;
    std::byte* const wire = rounded ? memory_.wire() : nullptr;
    std::vector<WirePart> parts;
    std::vector<MemoryTouch> floats;
    std::vector<MemoryTouch> halves;
    for (const FlatRange& range : bucket) {
        float* const at = gradients.data() + range.offset;
        floats.push_back(touch(at, range.size * sizeof(float), true));
        if (rounded) {
            std::byte* const half = wire + range.offset * size_of(type);
            parts.push_back({half, range.size});
            halves.push_back(touch(half, range.size * size_of(type), true));
        } else {
            parts.push_back({at, range.size});
        }
    }
    const StepOperation all_reduce{
        "all-reduce", Lane::comm, rounded ? halves : floats,
        [parts, &enqueue = reduction.enqueue_average](cudaStream_t stream) { enqueue(parts, stream); }};
    if (!rounded) {
        return {all_reduce};
    }
    std::vector<MemoryTouch> both = floats;
    both.insert(both.end(), halves.begin(), halves.end());
    const auto each = [=](const auto& move) {
        return [=](cudaStream_t stream) {
            for (std::size_t i = 0; i < bucket.size(); ++i) {
                move(static_cast<std::int64_t>(bucket[i].size), gradients.data() + bucket[i].offset,
                     parts[i].data, stream);
            }
        };
    };
    return {{"gradients in 16 bits", Lane::comm, both,
             each([type](std::int64_t count, float* from, void* to, cudaStream_t stream) {
                 from_floats(type, count, from, to, stream);
             })},
            all_reduce,
            {"gradients as floats", Lane::comm, both,
             each([type](std::int64_t count, float* to, void* from, cudaStream_t stream) {
                 to_floats(type, count, from, to, stream);
             })}};
}

void CudaExecutable::enqueue_operations(const StepRequest& request) {
    const std::vector<StepOperation>& planned = train_.plan.operations();
    const std::span<float> gradients = memory_.gradients();
    const bool accumulate = request.gradients == GradientMode::accumulate;
    float* const kept = accumulate ? memory_.kept_gradients() : nullptr;
    const bool reduce = request.reduction != nullptr;
    // Where an operation of the list goes: behind the planned one of this number.
    std::vector<std::pair<std::size_t, StepOperation>> extra;

    std::vector<std::vector<FlatRange>> buckets{{{0, gradients.size()}}};
    if (reduce) {
        buckets = request.reduction->buckets;
    }
    std::vector<std::size_t> finished_by(memory_.layout().slots.size(), 0);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        for (const ParameterId id : planned[i].finished) {
            finished_by[id] = i;
        }
    }
    std::size_t complete = 0;  // in the order of the buckets on every rank
    for (const std::vector<FlatRange>& bucket : buckets) {
        std::vector<std::span<float>> parts;
        std::vector<MemoryTouch> touches;
        for (const FlatRange& range : bucket) {
            for (ParameterId id = 0; id < finished_by.size(); ++id) {
                const std::size_t offset = memory_.layout().slots[id].offset;
                if (offset >= range.offset && offset < range.offset + range.size) {
                    complete = std::max(complete, finished_by[id]);
                }
            }
            parts.push_back(gradients.subspan(range.offset, range.size));
            touches.push_back(touch(parts.back().data(), parts.back().size_bytes(), true));
        }
        if (accumulate) {
            std::vector<MemoryTouch> both = touches;
            for (const FlatRange& range : bucket) {
                both.push_back(touch(kept + range.offset, range.size * sizeof(float), false));
            }
            extra.emplace_back(
                complete, StepOperation{"gradients so far", Lane::comm, std::move(both),
                                        [parts, kept, first = gradients.data()](cudaStream_t stream) {
                                            for (const std::span<float>& part : parts) {
                                                add_floats(static_cast<std::int64_t>(part.size()),
                                                           kept + (part.data() - first), part.data(), stream);
                                            }
                                        }});
        }
        if (reduce) {
            for (StepOperation& one : average(*request.reduction, bucket)) {
                extra.emplace_back(complete, std::move(one));
            }
        }
    }

    std::vector<StepOperation> begin;
    if (accumulate) {
        begin.push_back({"keep gradients",
                         Lane::main,
                         {touch(gradients.data(), gradients.size_bytes(), false),
                          touch(kept, gradients.size_bytes(), true)},
                         [this](cudaStream_t) { accumulate_begin(); }});
    }
    std::vector<StepOperation> end;
    if (request.update) {
        const FlatParameters flat = memory_.flat(request.optimizer, {0, gradients.size()});
        UpdateNumbers* const numbers = &state_.control->update;
        if (request.clip_norm > 0.0 || request.want_norm || request.scale_loss) {
            const NormOptions options{request.clip_norm,
                                      request.scale_loss ? memory_.loss_scale_place() : nullptr};
            end.push_back(
                {"norm",
                 Lane::main,
                 {touch(gradients.data(), gradients.size_bytes(), false),
                  touch(numbers, sizeof(*numbers), true), touch(state_.loss_scale, sizeof(float), true)},
                 [=, this](cudaStream_t stream) {
                     measure_gradients(flat, options, numbers, &state_.output->update, memory_.norm_scratch(),
                                       stream);
                 }});
        }
        const double* const loss = &state_.output->totals.loss;
        std::vector<MemoryTouch> touches{touch(gradients.data(), gradients.size_bytes(), false),
                                         touch(numbers, sizeof(*numbers), false),
                                         touch(loss, sizeof(*loss), false)};
        for (const ParameterPlace& place : state_.parameters) {
            touches.push_back(touch(place.weight, place.floats * sizeof(float), true));
            touches.push_back(touch(place.kernel, place.floats * size_of(options_.type), true));
        }
        end.push_back({"update", Lane::main, std::move(touches),
                       [=, kind = request.optimizer.kind](cudaStream_t stream) {
                           update_parameters(kind, flat, numbers, loss, stream);
                       }});
    }

    std::vector<const StepOperation*> list;
    for (const StepOperation& one : begin) {
        list.push_back(&one);
    }
    auto next = extra.begin();
    for (std::size_t i = 0; i < planned.size(); ++i) {
        list.push_back(&planned[i]);
        for (; next != extra.end() && next->first == i; ++next) {
            list.push_back(&next->second);
        }
    }
    for (const StepOperation& one : end) {
        list.push_back(&one);
    }
    enqueue_over_lanes(list, memory_.gpu().lanes(), events_);
}

StepResult CudaExecutable::take_result(Slot& slot) {
    examined_ = &slot;
    const auto& output = *slot.output.as<StepOutput>();
    StepResult result;
    result.batch = batch_result(slot);
    result.updated = slot.updates;
    if (slot.updates && slot.norm_wanted) {
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
    // The slot that is filled next is the one that was used longest ago.
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Slot& of = slots_[(next_slot_ + i) % slots_.size()];
        if (of.has_result) {
            of.finished.wait(options_.while_waiting);
            return take_result(of);
        }
    }
    throw std::logic_error("every step's result was read already");
}

}  // namespace rankscope::engine::cuda
