// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/step_operations.h>

#include <algorithm>
#include <cstdint>

namespace rankscope::engine::cuda {
namespace {

MemoryTouch touch(const void* begin, std::size_t bytes, bool writes) {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    return {at, at + bytes, writes};
}

bool lies_in(const FlatRange& range, const ParameterSlot& slot) {
    return slot.offset >= range.offset && slot.offset < range.offset + range.size;
}

/// Floats of a parameter whose gradient can differ from zero.
std::size_t live_floats(const ParameterSlot& slot) {
    std::size_t count = slot.live.empty() ? slot.size : 0;
    for (const FlatRange& range : slot.live) {
        count += range.size;
    }
    return count;
}

std::size_t live_floats(const ParameterLayout& layout, const FlatRange& range) {
    std::size_t count = 0;
    for (const ParameterSlot& slot : layout.slots) {
        if (lies_in(range, slot)) {
            count += live_floats(slot);
        }
    }
    return count;
}

/// The parameters in parts that are updated together, in the order in which their gradients come.
std::vector<FlatRange> update_ranges(const ParameterLayout& layout) {
    // About eight parts: large enough that a launch is cheap beside the memory, small enough that little is left for the
    // step's end.
    constexpr std::size_t kParts = 8;
    constexpr std::size_t kLeast = std::size_t{1} << 12U;
    constexpr std::size_t kMost = std::size_t{1} << 19U;
    const std::size_t enough = std::clamp(live_floats(layout, {0, layout.total}) / kParts, kLeast, kMost);
    std::vector<const ParameterSlot*> slots;
    for (const ParameterSlot& slot : layout.slots) {
        slots.push_back(&slot);
    }
    std::sort(slots.begin(), slots.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
    std::vector<FlatRange> ranges;
    std::size_t begin = 0;
    std::size_t live = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const bool last = i + 1 == slots.size();
        const std::size_t end = last ? layout.total : slots[i + 1]->offset;
        live += live_floats(*slots[i]);
        if (live >= enough || last) {
            ranges.push_back({begin, end - begin});
            begin = end;
            live = 0;
        }
    }
    return ranges;
}

ElementRange range_of(const ParameterSlot& slot) {
    return {static_cast<std::int64_t>(slot.offset), static_cast<std::int64_t>(slot.size)};
}

/// The gradients in 16 bits as one array, like the floats.
const void* all_halves(const StepParts& parts) {
    const ParameterId first(0);
    return static_cast<const std::byte*>(parts.state.parameters[first].half_gradient) -
           parts.memory.layout->slots[first].offset * size_of(parts.type);
}

std::size_t floats_of(const std::vector<FlatRange>& ranges) {
    std::size_t count = 0;
    for (const FlatRange& range : ranges) {
        count += range.size;
    }
    return count;
}

/// A bucket's gradients become their sum over the ranks; rounded for sending, if requested.
std::vector<StepOperation> sum_over_ranks(const StepMemory& memory, const StepReduction& reduction,
                                          const std::vector<FlatRange>& bucket) {
    const std::span<float> gradients = memory.gradients;
    const bool rounded = reduction.wire != ElementType::f32;
    const ElementType type = reduction.wire;
    std::byte* const wire = rounded ? memory.wire : nullptr;
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
    const std::size_t count = floats_of(bucket);
    const StepOperation all_reduce{
        .name = "all-reduce",
        .lane = Lane::comm,
        .touches = rounded ? halves : floats,
        .run = [parts, &enqueue = reduction.enqueue_sum](cudaStream_t stream) { enqueue(parts, stream); },
        .bytes = 2 * count * size_of(type)};
    if (!rounded) {
        return {all_reduce};
    }
    std::vector<MemoryTouch> both = floats;
    both.insert(both.end(), halves.begin(), halves.end());
    std::vector<ElementRange> ranges;
    for (const FlatRange& range : bucket) {
        ranges.push_back({static_cast<std::int64_t>(range.offset), static_cast<std::int64_t>(range.size)});
    }
    const std::size_t moved = count * (sizeof(float) + size_of(type));
    return {{.name = "gradients in 16 bits",
             .lane = Lane::comm,
             .touches = both,
             .run = [=](cudaStream_t stream) { from_floats(type, ranges, gradients.data(), wire, stream); },
             .kernels = convert_launches(ranges.size()),
             .bytes = moved},
            all_reduce,
            {.name = "gradients as floats",
             .lane = Lane::comm,
             .touches = both,
             .run = [=](cudaStream_t stream) { to_floats(type, ranges, wire, gradients.data(), stream); },
             .kernels = convert_launches(ranges.size()),
             .bytes = moved}};
}

}  // namespace

void keep_gradients(const StepMemory& memory, cudaStream_t stream) {
    const std::span<float> gradients = memory.gradients;
    cuda_check(cudaMemcpyAsync(memory.kept_gradients, gradients.data(), gradients.size_bytes(),
                               cudaMemcpyDeviceToDevice, stream),
               "keeping the gradients");
}

void add_kept_gradients(const StepMemory& memory, cudaStream_t stream) {
    const std::span<float> gradients = memory.gradients;
    add_floats(static_cast<std::int64_t>(gradients.size()), memory.kept_gradients, gradients.data(), stream);
}

void convert_halves(const StepParts& parts, cudaStream_t stream) {
    std::vector<ElementRange> ranges;
    for (const StepOperation& operation : parts.plan.operations()) {
        for (const ParameterId id : operation.in_halves) {
            ranges.push_back(range_of(parts.memory.layout->slots[id]));
        }
    }
    if (!ranges.empty()) {
        to_floats(parts.type, ranges, all_halves(parts), parts.memory.gradients.data(), stream);
    }
}

StepOperations::StepOperations(const StepParts& parts, const StepRequest& request)
    : parts_(parts), request_(request) {
    find_completed();
    std::size_t complete = 0;  // in the order of the buckets on every rank
    for (const std::vector<FlatRange>& bucket : buckets()) {
        for (const FlatRange& range : bucket) {
            for (const ParameterId id : completed_.indices()) {
                if (lies_in(range, parts_.memory.layout->slots[id])) {
                    complete = std::max(complete, completed_[id]);
                }
            }
        }
        add_conversion(bucket, complete);
        add_bucket(bucket, complete);
    }
    if (accumulates()) {
        keep_gradients();
    }
    if (request_.update) {
        if (request_.clip_norm > 0.0 || request_.want_norm || request_.scale_loss) {
            add_norm();
        }
        add_updates();
    }
    std::stable_sort(between_.begin(), between_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
}

std::vector<std::vector<FlatRange>> StepOperations::buckets() const {
    if (request_.reduction != nullptr) {
        return request_.reduction->buckets;
    }
    std::vector<std::vector<FlatRange>> parts;
    for (const FlatRange& range : update_ranges(*parts_.memory.layout)) {
        parts.push_back({range});
    }
    return parts;
}

void StepOperations::find_completed() {
    const std::vector<StepOperation>& planned = parts_.plan.operations();
    completed_.assign(parts_.memory.layout->slots.size(), 0);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        for (const ParameterId id : planned[i].finished) {
            completed_[id] = i;
        }
        in_halves_.insert(in_halves_.end(), planned[i].in_halves.begin(), planned[i].in_halves.end());
    }
}

void StepOperations::add_conversion(const std::vector<FlatRange>& bucket, std::size_t complete) {
    std::vector<ElementRange> ranges;
    std::vector<MemoryTouch> touches;
    std::size_t floats = 0;
    const std::size_t half = size_of(parts_.type);
    for (const ParameterId id : in_halves_) {
        const ParameterSlot& slot = parts_.memory.layout->slots[id];
        const auto in_slot = [&](const FlatRange& range) { return lies_in(range, slot); };
        if (std::none_of(bucket.begin(), bucket.end(), in_slot)) {
            continue;
        }
        const ParameterPlace& place = parts_.state.parameters[id];
        ranges.push_back(range_of(slot));
        touches.push_back(touch(place.half_gradient, slot.size * half, false));
        touches.push_back(touch(place.gradient, slot.size * sizeof(float), true));
        floats += slot.size;
    }
    if (ranges.empty()) {
        return;
    }
    between_.emplace_back(
        complete,
        StepOperation{.name = "weight gradients as floats",
                      .lane = Lane::side,
                      .touches = std::move(touches),
                      .run = [ranges, type = parts_.type, from = all_halves(parts_),
                              to = parts_.memory.gradients.data()](
                                 cudaStream_t stream) { to_floats(type, ranges, from, to, stream); },
                      .kernels = convert_launches(ranges.size()),
                      .bytes = floats * (half + sizeof(float))});
}

void StepOperations::add_bucket(const std::vector<FlatRange>& bucket, std::size_t complete) {
    const std::span<float> gradients = parts_.memory.gradients;
    if (accumulates()) {
        float* const kept = parts_.memory.kept_gradients;
        std::vector<std::span<float>> ranges;
        std::vector<MemoryTouch> touches;
        for (const FlatRange& range : bucket) {
            ranges.push_back(gradients.subspan(range.offset, range.size));
            touches.push_back(touch(ranges.back().data(), ranges.back().size_bytes(), true));
        }
        for (const FlatRange& range : bucket) {
            touches.push_back(touch(kept + range.offset, range.size * sizeof(float), false));
        }
        between_.emplace_back(
            complete, StepOperation{.name = "gradients so far",
                                    .lane = Lane::comm,
                                    .touches = std::move(touches),
                                    .run =
                                        [ranges, kept, first = gradients.data()](cudaStream_t stream) {
                                            for (const std::span<float>& range : ranges) {
                                                add_floats(static_cast<std::int64_t>(range.size()),
                                                           kept + (range.data() - first), range.data(),
                                                           stream);
                                            }
                                        },
                                    .kernels = bucket.size(),
                                    .bytes = 3 * floats_of(bucket) * sizeof(float)});
    }
    if (request_.reduction != nullptr) {
        add_sum(bucket, complete);
    }
}

void StepOperations::add_sum(const std::vector<FlatRange>& bucket, std::size_t complete) {
    const std::size_t position = behind_small_sum(complete);
    for (StepOperation& one : sum_over_ranks(parts_.memory, *request_.reduction, bucket)) {
        between_.emplace_back(position, std::move(one));
    }
}

std::size_t StepOperations::behind_small_sum(std::size_t complete) const {
    const std::vector<StepOperation>& planned = parts_.plan.operations();
    const auto next = std::find_if(planned.begin() + static_cast<std::ptrdiff_t>(complete) + 1, planned.end(),
                                   [](const StepOperation& one) { return one.sums_over_ranks; });
    return next == planned.end() ? complete : static_cast<std::size_t>(next - planned.begin());
}

void StepOperations::keep_gradients() {
    const StepMemory& memory = parts_.memory;
    const std::span<float> gradients = memory.gradients;
    begin_.push_back({.name = "keep gradients",
                      .lane = Lane::main,
                      .touches = {touch(gradients.data(), gradients.size_bytes(), false),
                                  touch(memory.kept_gradients, gradients.size_bytes(), true)},
                      .run = [memory](cudaStream_t stream) { cuda::keep_gradients(memory, stream); },
                      .bytes = 2 * gradients.size_bytes()});
}

void StepOperations::add_norm() {
    const StepMemory& memory = parts_.memory;
    const StepState& state = parts_.state;
    const std::span<float> gradients = memory.gradients;
    const FlatParameters flat = memory.parameters;
    UpdateNumbers* const numbers = &state.control->update;
    const NormOptions options{request_.clip_norm, request_.scale_loss ? memory.loss_scale : nullptr};
    end_.push_back(
        {.name = "norm",
         .lane = Lane::main,
         .touches = {touch(gradients.data(), gradients.size_bytes(), false),
                     touch(numbers, sizeof(*numbers), true), touch(state.loss_scale, sizeof(float), true)},
         .run =
             [=, scratch = memory.norm, report = &state.output->update](cudaStream_t stream) {
                 measure_gradients(flat, options, numbers, report, scratch, stream);
             },
         .bytes = live_floats(*memory.layout, {0, gradients.size()}) * sizeof(float)});
}

void StepOperations::add_updates() {
    const std::vector<FlatRange> ranges = update_ranges(*parts_.memory.layout);
    // The weights are multiplied by numbers that follow from all gradients; or there is nothing to divide.
    if (request_.clip_norm > 0.0 || request_.scale_loss || ranges.size() == 1) {
        end_.push_back(update_of({0, parts_.memory.gradients.size()}, Lane::main, true));
        return;
    }
    // Behind the sums, or beside the chain; weight gradients must not wait for a sum.
    const Lane lane = request_.reduction != nullptr ? Lane::comm : Lane::side;
    for (const FlatRange& range : ranges) {
        StepOperation update = update_of(range, lane, &range == &ranges.back());
        const std::size_t position = behind(update.touches);
        between_.emplace_back(position, std::move(update));
    }
}

std::size_t StepOperations::behind(const std::vector<MemoryTouch>& touches) const {
    const std::vector<StepOperation>& planned = parts_.plan.operations();
    std::size_t position = 0;
    for (std::size_t i = 0; i < planned.size(); ++i) {
        position = conflict(planned[i].touches, touches) ? i : position;
    }
    for (const auto& [at, operation] : between_) {
        position = conflict(operation.touches, touches) ? std::max(position, at) : position;
    }
    return position;
}

StepOperation StepOperations::update_of(const FlatRange& range, Lane lane, bool last) const {
    const StepState& state = parts_.state;
    const StepMemory& memory = parts_.memory;
    FlatParameters flat = memory.parameters;
    flat.begin = range.offset;
    flat.end = range.offset + range.size;
    flat.live_only = memory.idle != nullptr;
    UpdateNumbers* const numbers = &state.control->update;
    const UpdateNotes notes{&state.output->totals.loss, last ? memory.idle : nullptr, &state.output->update};
    std::vector<MemoryTouch> touches{
        touch(memory.gradients.data() + range.offset, range.size * sizeof(float), false),
        touch(flat.parameters + range.offset, range.size * sizeof(float), true),
        touch(numbers, sizeof(*numbers), false),
        touch(state.outputs, kStepSlots * sizeof(StepOutput), false)};
    std::size_t each = 2 * sizeof(float);
    if (flat.copy != nullptr) {
        const std::size_t size = size_of(flat.copy_type);
        touches.push_back(
            touch(static_cast<std::byte*>(flat.copy) + range.offset * size, range.size * size, true));
        each += size;
    }
    for (float* const array : {flat.first, flat.second}) {
        if (array != nullptr) {
            touches.push_back(touch(array + range.offset, range.size * sizeof(float), true));
            each += 2 * sizeof(float);
        }
    }
    const std::size_t live = live_floats(*memory.layout, range);
    return {.name = "update",
            .lane = lane,
            .touches = std::move(touches),
            .run = [=, kind = request_.optimizer.kind](
                       cudaStream_t stream) { update_parameters(kind, flat, numbers, notes, stream); },
            .bytes = live * sizeof(float) + (flat.live_only ? live : range.size) * each};
}

std::vector<const StepOperation*> StepOperations::in_order() const {
    const std::vector<StepOperation>& planned = parts_.plan.operations();
    std::vector<const StepOperation*> list;
    for (const StepOperation& one : begin_) {
        list.push_back(&one);
    }
    auto next = between_.begin();
    for (std::size_t i = 0; i < planned.size(); ++i) {
        list.push_back(&planned[i]);
        for (; next != between_.end() && next->first == i; ++next) {
            list.push_back(&next->second);
        }
    }
    for (const StepOperation& one : end_) {
        list.push_back(&one);
    }
    return list;
}

}  // namespace rankscope::engine::cuda
