// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/step_plan.h>
#include <engine/graph/buffer_plan.h>

#include <algorithm>

namespace rankscope::engine::cuda {
namespace {

/// Every buffer begins on such a boundary: whole cache lines, and enough for any kernel's vectors.
constexpr std::size_t kAlignment = 256;

std::size_t rounded(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Operations of the side lane run later than they stand in the list: for this many operations their memory
/// is not reused by others, which would have to wait for them.
constexpr std::size_t kSlack = 12;

std::size_t lane_of(const StepOperation& operation) {
    return static_cast<std::size_t>(operation.lane);
}

}  // namespace

BufferId StepPlan::buffer(std::size_t bytes) {
    buffers_.push_back({.bytes = rounded(bytes)});
    return buffers_.size() - 1;
}

BufferId StepPlan::external(void* address, std::size_t bytes) {
    buffers_.push_back({.bytes = bytes, .home = Home::external, .external = address});
    return buffers_.size() - 1;
}

BufferId StepPlan::zeroed(std::size_t bytes) {
    buffers_.push_back({.bytes = rounded(bytes), .home = Home::zeroed, .offset = zeroed_bytes_});
    zeroed_bytes_ += rounded(bytes);
    return buffers_.size() - 1;
}

void StepPlan::add(Operation operation) {
    const std::size_t now = operations_.size();
    const std::size_t last = now + (operation.lane == Lane::main ? 0 : kSlack);
    for (const std::vector<BufferId>* list : {&operation.reads, &operation.writes}) {
        for (const BufferId id : *list) {
            buffers_[id].first = std::min(buffers_[id].first, now);
            buffers_[id].last = std::max(buffers_[id].last, last);
        }
    }
    operations_.push_back(std::move(operation));
}

void StepPlan::place() {
    std::vector<BufferLifetime> lifetimes;
    std::vector<BufferId> owners;
    for (BufferId id = 0; id < buffers_.size(); ++id) {
        const Buffer& buffer = buffers_[id];
        if (buffer.home == Home::arena) {
            lifetimes.push_back({buffer.bytes, buffer.pinned ? 0 : buffer.first,
                                 buffer.pinned ? operations_.size() + kSlack : buffer.last});
            owners.push_back(id);
        }
    }
    const BufferPlan plan = plan_buffers(lifetimes);
    for (std::size_t i = 0; i < owners.size(); ++i) {
        buffers_[owners[i]].offset = plan.offsets[i];
    }
    arena_bytes_ = plan.total;
}

void StepPlan::bind(const std::string& what, const std::string& remedy) {
    place();
    arena_ = DeviceMemory(arena_bytes_, what, remedy);
    zeroed_ = DeviceMemory(zeroed_bytes_, "the counters of a step", remedy);
    const Pointer pointer = [this](BufferId id) { return address(id); };
    for (Operation& operation : operations_) {
        StepOperation bound{operation.name, operation.lane, {}, operation.bind(pointer), operation.finished};
        const auto touch = [&](BufferId id, bool writes) {
            const auto begin = reinterpret_cast<std::uintptr_t>(address(id));
            bound.touches.push_back({begin, begin + buffers_[id].bytes, writes});
        };
        for (const BufferId id : operation.reads) {
            touch(id, false);
        }
        for (const BufferId id : operation.writes) {
            touch(id, true);
        }
        operation.bind = nullptr;
        bound_.push_back(std::move(bound));
    }
}

void StepPlan::run(std::size_t begin, std::size_t end, cudaStream_t stream) const {
    for (std::size_t i = begin; i < end; ++i) {
        bound_[i].run(stream);
    }
}

void* StepPlan::address(BufferId id) const {
    const Buffer& buffer = buffers_[id];
    if (buffer.home == Home::external) {
        return buffer.external;
    }
    const DeviceMemory& memory = buffer.home == Home::arena ? arena_ : zeroed_;
    return memory.as<std::byte>() + buffer.offset;
}

void enqueue_over_lanes(const std::vector<const StepOperation*>& operations,
                        const std::array<cudaStream_t, kLanes>& streams, std::vector<Event>& events) {
    std::vector<LaneOperation> lanes;
    std::array<bool, kLanes> used{};
    for (const StepOperation* operation : operations) {
        lanes.push_back({operation->lane, operation->touches});
        used[lane_of(*operation)] = true;
    }
    const std::vector<std::vector<std::size_t>> waits = lane_waits(lanes);
    std::vector<bool> awaited(operations.size(), false);
    for (const std::vector<std::size_t>& of_one : waits) {
        for (const std::size_t i : of_one) {
            awaited[i] = true;
        }
    }
    while (events.size() < operations.size() + kLanes) {
        events.emplace_back();
    }
    // The other lanes begin where the main one is, and end where it ends.
    Event& begin = events[operations.size()];
    begin.record(streams[0]);
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
        if (used[lane]) {
            begin.hold_up(streams[lane]);
        }
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
        cudaStream_t stream = streams[lane_of(*operations[i])];
        for (const std::size_t earlier : waits[i]) {
            events[earlier].hold_up(stream);
        }
        operations[i]->run(stream);
        if (awaited[i]) {
            events[i].record(stream);
        }
    }
    for (std::size_t lane = 1; lane < kLanes; ++lane) {
        if (used[lane]) {
            Event& end = events[operations.size() + lane];
            end.record(streams[lane]);
            end.hold_up(streams[0]);
        }
    }
}

}  // namespace rankscope::engine::cuda
