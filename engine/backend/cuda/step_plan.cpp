// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/step_plan.h>
#include <engine/graph/buffer_plan.h>

#include <algorithm>
#include <cstdint>

namespace rankscope::engine::cuda {
namespace {

/// Every buffer begins on such a boundary: whole cache lines, and enough for any kernel's vectors.
constexpr std::size_t kAlignment = 256;

std::size_t rounded(std::size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// Operations of the side lane run later than they stand in the list. Where memory is scarce, theirs is used again by
/// others after this many operations, which then have to wait for them.
constexpr std::size_t kSlack = 12;
/// A plan may take this part of the free memory so that nothing has to wait for memory.
constexpr std::size_t kShare = 4;

std::size_t lane_of(const StepOperation& operation) {
    return static_cast<std::size_t>(operation.lane);
}

}  // namespace

BufferId StepPlan::buffer(std::size_t bytes) {
    buffers_.push_back({.bytes = rounded(bytes)});
    return buffers_.size() - 1;
}

BufferId StepPlan::scratch(std::size_t bytes, Lane lane) {
    std::optional<BufferId>& shared = scratch_[static_cast<std::size_t>(lane)];
    if (lane != Lane::main && shared) {
        buffers_[*shared].bytes = std::max(buffers_[*shared].bytes, rounded(bytes));
        return *shared;
    }
    buffers_.push_back({.bytes = rounded(bytes), .scratch = true});
    shared = buffers_.size() - 1;
    return *shared;
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
    for (const std::vector<BufferId>* list : {&operation.reads, &operation.writes}) {
        for (const BufferId id : *list) {
            Buffer& buffer = buffers_[id];
            buffer.first = std::min(buffer.first, now);
            std::size_t& last = operation.lane == Lane::main ? buffer.last : buffer.last_late;
            last = std::max(last, now);
        }
    }
    operations_.push_back(std::move(operation));
}

void StepPlan::place(std::size_t slack) {
    std::vector<BufferLifetime> lifetimes;
    std::vector<BufferId> owners;
    for (BufferId id = 0; id < buffers_.size(); ++id) {
        const Buffer& buffer = buffers_[id];
        if (buffer.home != Home::arena) {
            continue;
        }
        const std::size_t end = operations_.size() + slack;
        const std::size_t late = buffer.last_late == 0 ? 0 : buffer.last_late + slack;
        lifetimes.push_back({buffer.bytes, buffer.pinned ? 0 : buffer.first,
                             buffer.pinned ? end : std::max(buffer.last, late)});
        owners.push_back(id);
    }
    const BufferPlan plan = plan_buffers(lifetimes);
    for (std::size_t i = 0; i < owners.size(); ++i) {
        buffers_[owners[i]].offset = plan.offsets[i];
    }
    arena_bytes_ = plan.total;
}

void StepPlan::bind(const std::string& what, const std::string& remedy) {
    std::size_t available = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    place(saves_memory_ ? kSlack : operations_.size());
    if (arena_bytes_ > available / kShare) {
        place(kSlack);
    }
    arena_ = DeviceMemory(arena_bytes_, what, remedy);
    zeroed_ = DeviceMemory(zeroed_bytes_, "the counters of a step", remedy);
    bind_at(arena_.as<std::byte>(), zeroed_.as<std::byte>());
}

void StepPlan::bind_without_memory() {
    place(saves_memory_ ? kSlack : operations_.size());
    constexpr std::uintptr_t kNowhere = std::uintptr_t{1} << 44U;
    bind_at(reinterpret_cast<std::byte*>(kNowhere), reinterpret_cast<std::byte*>(kNowhere << 1U));
}

void StepPlan::bind_at(std::byte* arena, std::byte* zeroed) {
    arena_begin_ = arena;
    zeroed_begin_ = zeroed;
    const Pointer pointer = [this](BufferId id) { return address(id); };
    for (Operation& operation : operations_) {
        StepOperation bound{.name = operation.name,
                            .lane = operation.lane,
                            .run = operation.bind(pointer),
                            .finished = operation.finished,
                            .in_halves = operation.in_halves,
                            .sums_over_ranks = operation.sums_over_ranks,
                            .kernels = operation.kernels};
        const auto touch = [&](BufferId id, bool writes) {
            const Buffer& buffer = buffers_[id];
            const auto begin = reinterpret_cast<std::uintptr_t>(address(id));
            bound.touches.push_back({begin, begin + buffer.bytes, writes});
            bound.bytes += buffer.scratch || buffer.home == Home::zeroed ? 0 : buffer.bytes;
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
    return (buffer.home == Home::arena ? arena_begin_ : zeroed_begin_) + buffer.offset;
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
