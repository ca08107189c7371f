// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi.h>
#include <remote/nccl_profiler/communicators.h>
#include <remote/nccl_profiler/event.h>
#include <remote/nccl_profiler/handle.h>
#include <remote/nccl_profiler/network.h>
#include <remote/nccl_profiler/operations.h>
#include <remote/nccl_profiler/shared_file.h>

#include <cstdint>

namespace rankscope::nccl {

/// What NCCL's callbacks mean, the same for all versions of the interface: follows each operation and writes what
/// happens into the shared file. All functions may be called from any thread at any time, with any value NCCL may
/// have kept; they never fail, block, allocate, log or call CUDA (open alone makes the file, and logs one line).
class Observer {
public:
    /// Begins to observe a communicator; null when nothing can be observed (then the mask is 0).
    CommunicatorPlace* open(const CommunicatorFacts& facts, bool without_file, abi::Logger logger);
    CommunicatorPlace* find(const void* context);
    /// Whether any communicator of this process can be observed.
    bool observes() const { return load(stage_) == kReady; }
    void close(const void* context);

    /// A handle for NCCL, or null.
    void* start(const void* context, const StartEvent& event);
    void stop(const void* handle);
    void record_state(const void* handle, int state, const std::uint64_t* timer);

    /// The user's own plugin of this communicator wants these events too.
    void chain_mask(CommunicatorPlace& place, int* wanted);
    void report(std::uint32_t problem);
    void count_chain_drop();

private:
    enum Stage : std::uint32_t { kNew, kPreparing, kReady, kOff };

    bool ready(bool without_file, abi::Logger logger);
    void prepare(bool without_file, abi::Logger logger);
    static void in_forked_child();
    void apply_level(CommunicatorPlace& place, std::uint64_t now);
    void learn_communicator(CommunicatorPlace& place, const StartEvent& event);

    void* begin(CommunicatorPlace& place, const StartEvent& event, nccl_ring::OperationKind kind,
                std::uint64_t now);
    void* begin_kernel(CommunicatorPlace& place, const StartEvent& event, std::uint64_t now);
    void* begin_network(const StartEvent& event, std::uint64_t now);
    void* begin_step(const StartEvent& event);
    void end_call(nccl_ring::Operation& call, std::uint64_t now);
    void end_enqueue(nccl_ring::Operation& operation, std::uint64_t now);
    void end_kernel(nccl_ring::Operation& operation, unsigned channel, std::uint64_t now);
    void end_network(std::uint64_t id, std::uint64_t now);
    void take_channel_times(nccl_ring::Operation& operation, unsigned channel, const std::uint64_t* timer,
                            std::uint64_t now);
    void finish_if_complete(nccl_ring::Operation& operation, std::uint64_t now);
    bool finish(nccl_ring::Operation& operation, std::uint64_t now);
    void reject_time(nccl_ring::Operation& operation, CommunicatorPlace* place);
    void write(nccl_ring::RecordKind kind, const nccl_ring::Operation& operation);
    void write(nccl_ring::RecordKind kind, const CommunicatorPlace& place, std::uint64_t now);

    std::uint32_t stage_ = kNew;
    std::uint32_t fork_handled_ = 0;
    std::int32_t owner_ = 0;
    int written_mask_ = 0;
    std::uint64_t steps_since_ = 0;
    std::uint64_t steps_for_ns_ = 0;
    SharedFile file_;
    Communicators communicators_;
    OperationTable operations_;
    NetworkTable network_;
};

/// The one of this process.
Observer& observer();

}  // namespace rankscope::nccl
