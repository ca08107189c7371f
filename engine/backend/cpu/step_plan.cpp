// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/step_plan.h>
#include <engine/graph/buffer_plan.h>

#include <algorithm>

namespace rankscope::engine::cpu {

BufferId StepPlan::buffer(std::size_t bytes) {
    buffers_.push_back({.bytes = bytes});
    return buffers_.size() - 1;
}

BufferId StepPlan::external(void* address) {
    buffers_.push_back({.external = address});
    return buffers_.size() - 1;
}

void StepPlan::kernel(const std::vector<BufferId>& touches, std::function<Run(const Pointer&)> bind,
                      std::vector<ParameterId> finished) {
    const std::size_t now = steps_.size();
    for (const BufferId id : touches) {
        buffers_[id].first = std::min(buffers_[id].first, now);
        buffers_[id].last = std::max(buffers_[id].last, now);
    }
    steps_.push_back({std::move(bind), {}, std::move(finished)});
}

void StepPlan::primitive(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                         std::vector<Argument> arguments, std::vector<ParameterId> finished) {
    if (scratchpad.get_size() > 0) {
        arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad, buffer(scratchpad.get_size())});
    }
    std::vector<BufferId> touches;
    for (const Argument& argument : arguments) {
        touches.push_back(argument.buffer);
    }
    auto bind = [this, primitive, arguments = std::move(arguments)](const Pointer& pointer) -> Run {
        std::unordered_map<int, dnnl::memory> bound;
        for (const Argument& argument : arguments) {
            bound.emplace(argument.slot,
                          dnnl::memory(argument.descriptor, engine_, pointer(argument.buffer)));
        }
        return [this, primitive, bound = std::move(bound)] { primitive.execute(stream_, bound); };
    };
    kernel(touches, std::move(bind), std::move(finished));
}

BufferId StepPlan::reorder(BufferId from, const dnnl::memory::desc& from_desc,
                           const dnnl::memory::desc& to_desc) {
    if (from_desc == to_desc) {
        return from;
    }
    const BufferId to = buffer(to_desc.get_size());
    reorder_into(from, from_desc, to, to_desc);
    return to;
}

void StepPlan::reorder_into(BufferId from, const dnnl::memory::desc& from_desc, BufferId to,
                            const dnnl::memory::desc& to_desc, std::vector<ParameterId> finished) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc desc(engine_, from_desc, engine_, to_desc, attr);
    primitive(dnnl::reorder(desc), desc.scratchpad_desc(),
              {{DNNL_ARG_FROM, from_desc, from}, {DNNL_ARG_TO, to_desc, to}}, std::move(finished));
}

void StepPlan::bind(const std::function<AlignedBuffer(std::size_t)>& allocate) {
    std::vector<BufferLifetime> lifetimes;
    std::vector<BufferId> owners;
    for (BufferId id = 0; id < buffers_.size(); ++id) {
        const Buffer& buffer = buffers_[id];
        if (buffer.external == nullptr) {
            lifetimes.push_back({buffer.bytes, buffer.pinned ? 0 : buffer.first,
                                 buffer.pinned ? steps_.size() : buffer.last});
            owners.push_back(id);
        }
    }
    const BufferPlan plan = plan_buffers(lifetimes);
    arena_ = allocate(plan.total);
    for (std::size_t i = 0; i < owners.size(); ++i) {
        buffers_[owners[i]].offset = plan.offsets[i];
    }
    const Pointer pointer = [this](BufferId id) { return address(id); };
    for (Step& step : steps_) {
        step.run = step.bind(pointer);
        step.bind = nullptr;
    }
}

void StepPlan::run(std::size_t begin, std::size_t end, const std::function<void(ParameterId)>& ready) {
    for (std::size_t i = begin; i < end; ++i) {
        steps_[i].run();
        // As they are stored, the last one first: then a reducer that plans its buckets again in the order of
        // arrival plans what it had, and a resumed run adds in the same order.
        const std::vector<ParameterId>& finished = steps_[i].finished;
        std::for_each(finished.rbegin(), finished.rend(), ready);
    }
}

void* StepPlan::address(BufferId id) const {
    const Buffer& buffer = buffers_[id];
    return buffer.external != nullptr ? buffer.external : arena_.data() + buffer.offset;
}

}  // namespace rankscope::engine::cpu
