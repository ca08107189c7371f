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

/// A bucket's gradients become their average; rounded for sending, if requested.
std::vector<StepOperation> average(ModelMemory& memory, const StepReduction& reduction,
                                   const std::vector<FlatRange>& bucket) {
    const std::span<float> gradients = memory.gradients();
    const bool rounded = reduction.wire != ElementType::f32;
    const ElementType type = reduction.wire;
    std::byte* const wire = rounded ? memory.wire() : nullptr;
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

}  // namespace

void keep_gradients(ModelMemory& memory, cudaStream_t stream) {
    const std::span<float> gradients = memory.gradients();
    cuda_check(cudaMemcpyAsync(memory.kept_gradients(), gradients.data(), gradients.size_bytes(),
                               cudaMemcpyDeviceToDevice, stream),
               "keeping the gradients");
}

void add_kept_gradients(ModelMemory& memory, cudaStream_t stream) {
    const std::span<float> gradients = memory.gradients();
    add_floats(static_cast<std::int64_t>(gradients.size()), memory.kept_gradients(), gradients.data(),
               stream);
}

StepOperations::StepOperations(const StepParts& parts, const StepRequest& request)
    : parts_(parts), request_(request) {
    const IndexedVector<ParameterId, std::size_t> completed = completed_by();
    std::size_t complete = 0;  // in the order of the buckets on every rank
    for (const std::vector<FlatRange>& bucket : buckets()) {
        for (const FlatRange& range : bucket) {
            for (const ParameterId id : completed.indices()) {
                const std::size_t offset = parts_.memory.layout().slots[id].offset;
                if (offset >= range.offset && offset < range.offset + range.size) {
                    complete = std::max(complete, completed[id]);
                }
            }
        }
        add_bucket(bucket, complete);
    }
    if (accumulates()) {
        keep_gradients();
    }
    if (request_.update) {
        if (request_.clip_norm > 0.0 || request_.want_norm || request_.scale_loss) {
            add_norm();
        }
        add_update();
    }
}

std::vector<std::vector<FlatRange>> StepOperations::buckets() const {
    if (request_.reduction != nullptr) {
        return request_.reduction->buckets;
    }
    return {{{0, parts_.memory.gradients().size()}}};
}

IndexedVector<ParameterId, std::size_t> StepOperations::completed_by() const {
    const std::vector<StepOperation>& planned = parts_.plan.operations();
    IndexedVector<ParameterId, std::size_t> completed(parts_.memory.layout().slots.size(), 0);
    for (std::size_t i = 0; i < planned.size(); ++i) {
        for (const ParameterId id : planned[i].finished) {
            completed[id] = i;
        }
    }
    return completed;
}

void StepOperations::add_bucket(const std::vector<FlatRange>& bucket, std::size_t complete) {
    const std::span<float> gradients = parts_.memory.gradients();
    if (accumulates()) {
        float* const kept = parts_.memory.kept_gradients();
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
            complete, StepOperation{"gradients so far", Lane::comm, std::move(touches),
                                    [ranges, kept, first = gradients.data()](cudaStream_t stream) {
                                        for (const std::span<float>& range : ranges) {
                                            add_floats(static_cast<std::int64_t>(range.size()),
                                                       kept + (range.data() - first), range.data(), stream);
                                        }
                                    }});
    }
    if (request_.reduction != nullptr) {
        add_average(bucket, complete);
    }
}

void StepOperations::add_average(const std::vector<FlatRange>& bucket, std::size_t complete) {
    for (StepOperation& one : average(parts_.memory, *request_.reduction, bucket)) {
        between_.emplace_back(complete, std::move(one));
    }
}

void StepOperations::keep_gradients() {
    ModelMemory& memory = parts_.memory;
    const std::span<float> gradients = memory.gradients();
    begin_.push_back({"keep gradients",
                      Lane::main,
                      {touch(gradients.data(), gradients.size_bytes(), false),
                       touch(memory.kept_gradients(), gradients.size_bytes(), true)},
                      [&memory](cudaStream_t stream) { cuda::keep_gradients(memory, stream); }});
}

void StepOperations::add_norm() {
    ModelMemory& memory = parts_.memory;
    const StepState& state = parts_.state;
    const std::span<float> gradients = memory.gradients();
    const FlatParameters flat = memory.flat(request_.optimizer, {0, gradients.size()});
    UpdateNumbers* const numbers = &state.control->update;
    const NormOptions options{request_.clip_norm, request_.scale_loss ? memory.loss_scale_place() : nullptr};
    end_.push_back({"norm",
                    Lane::main,
                    {touch(gradients.data(), gradients.size_bytes(), false),
                     touch(numbers, sizeof(*numbers), true), touch(state.loss_scale, sizeof(float), true)},
                    [=, &memory, report = &state.output->update](cudaStream_t stream) {
                        measure_gradients(flat, options, numbers, report, memory.norm_scratch(), stream);
                    }});
}

void StepOperations::add_update() {
    const StepState& state = parts_.state;
    const std::span<float> gradients = parts_.memory.gradients();
    const FlatParameters flat = parts_.memory.flat(request_.optimizer, {0, gradients.size()});
    UpdateNumbers* const numbers = &state.control->update;
    const double* const loss = &state.output->totals.loss;
    std::vector<MemoryTouch> touches{touch(gradients.data(), gradients.size_bytes(), false),
                                     touch(numbers, sizeof(*numbers), false),
                                     touch(loss, sizeof(*loss), false)};
    for (const ParameterPlace& place : state.parameters) {
        touches.push_back(touch(place.weight, place.floats * sizeof(float), true));
        touches.push_back(touch(place.kernel, place.floats * size_of(parts_.type), true));
    }
    end_.push_back(
        {"update", Lane::main, std::move(touches), [=, kind = request_.optimizer.kind](cudaStream_t stream) {
             update_parameters(kind, flat, numbers, loss, stream);
         }});
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
