// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// The file that librankscope-nccl.so writes in each process that uses NCCL: plain data, one writer process,
/// any number of readers, no locks. It keeps its content when the process dies.
///
///     Header · Record[record_capacity] · Operation[operation_capacity]
///            · Communicator[communicator_capacity] · NetworkOperation[network_capacity]
///
/// Times without another word are ns of CLOCK_MONOTONIC. Every field of 8 or 4 bytes is written at once. A
/// reader takes nothing in the file for granted: base/nccl_ring/reader.h does it right.
namespace rankscope::nccl_ring {

inline constexpr std::uint64_t kMagic = 0x31676e69726c636eU;  // "nclring1"
inline constexpr std::uint32_t kLayoutVersion = 1;

enum class OperationKind : std::uint8_t {
    none,
    group,            ///< ncclGroupStart … ncclGroupEnd of the program (NCCL 2.28 and later)
    collective_call,  ///< a collective as the program called it (2.28 and later)
    p2p_call,         ///< the same of a send or receive
    collective,       ///< a collective that NCCL places on the stream
    p2p,
    copy_engine,  ///< a collective without a kernel (2.29 and later)
};

enum class Phase : std::uint32_t {
    none,
    begun,      ///< called, or being placed on the stream
    enqueued,   ///< on the stream; a call: it returned, and its operation has not come
    running,    ///< at least one channel of the GPU's kernel began
    finished,   ///< a call: its operation came
    abandoned,  ///< its place was needed; it never finished
};

enum class RecordKind : std::uint8_t {
    none,
    communicator_opened,  ///< count: ranks
    communicator_closed,
    called,     ///< a collective call began
    enqueued,   ///< start_ns … end_ns: NCCL placed it on the stream
    finished,   ///< all channels of the kernel ended
    network,    ///< network operations ended after the operation was finished
    abandoned,  ///< its place was needed before all channels reported
};

enum Flag : std::uint16_t {
    kGraphCaptured = 1,     ///< the call was captured into a CUDA graph, it does not run now
    kReplayed = 2,          ///< replay of a CUDA graph: its call ended long ago
    kExpectsChannels = 4,   ///< the GPU's channels report; without it, finished means enqueued
    kHostTimes = 8,         ///< gpu_start_ns, gpu_stop_ns are the host's (NCCL 2.26 gives no GPU clock)
    kTimesRejected = 16,    ///< at least one channel's time was not plausible and is left out
    kChannelsUnknown = 32,  ///< NCCL did not say how many channels: finished when all seen are done
    kNoSequence = 64,       ///< `sequence` means nothing
    kSend = 128,            ///< of point to point: send, else receive
};

/// One event. Fixed size; `ticket` says whether it is whole: 2n+1 while record n is written, 2n+2 after.
struct Record {
    std::uint64_t ticket;
    RecordKind kind;
    OperationKind operation_kind;
    std::uint8_t api_version;
    std::uint8_t channels_rejected;
    std::uint16_t flags;
    std::uint16_t communicator_slot;
    std::int32_t rank;
    std::int32_t root_or_peer;
    std::uint64_t communicator;  ///< commId, commHash of NCCL's log
    std::uint64_t operation;     ///< the process's own number, joins records of one operation
    std::uint64_t parent;        ///< operation of the call, or 0
    std::uint64_t start_ns;
    std::uint64_t end_ns;
    std::uint64_t count;
    std::uint64_t gpu_start_ns;  ///< the GPU's clock; 0: not known
    std::uint64_t gpu_stop_ns;
    std::uint64_t sequence;  ///< per communicator and function; point to point: per peer and direction
    std::uint8_t function;   ///< base/nccl_ring/codes.h, as the next three
    std::uint8_t datatype;
    std::uint8_t algorithm;
    std::uint8_t protocol;
    std::uint8_t channels;
    std::uint8_t channels_seen;
    std::uint8_t channels_done;
    std::uint8_t warps;
    std::uint64_t peer_wait_ns;  ///< sum over the network's steps (level 4; NCCL up to 2.26: level 3)
    std::uint64_t gpu_wait_ns;
    std::uint32_t network_us;  ///< first start … last stop of its network operations
    std::uint32_t network_operations;
};

/// What is not finished, or was finished last in this place. `id` is 0 while the place changes.
struct Operation {
    std::uint64_t id;
    std::uint64_t communicator;
    std::uint64_t parent;
    std::uint64_t sequence;
    std::uint64_t count;
    std::uint64_t start_ns;
    std::uint64_t end_ns;            ///< enqueued, returned; 0: not yet
    std::uint64_t finished_ns;       ///< 0: not yet
    std::uint64_t first_channel_ns;  ///< host time at which a channel was first seen running
    std::uint64_t gpu_start_ns;      ///< all ones: none
    std::uint64_t gpu_stop_ns;
    std::uint64_t channels_seen;  ///< a bit per channel
    std::uint64_t channels_done;
    std::uint64_t peer_wait_ns;
    std::uint64_t gpu_wait_ns;
    std::uint64_t network_start_ns;
    std::uint64_t network_stop_ns;
    std::uint32_t phase;
    std::uint32_t flags;
    std::int32_t rank;
    std::int32_t root_or_peer;
    std::uint32_t communicator_slot;
    std::uint32_t network_open;
    std::uint32_t network_operations;
    std::uint32_t channels_rejected;
    OperationKind kind;
    std::uint8_t api_version;
    std::uint8_t function;
    std::uint8_t datatype;
    std::uint8_t algorithm;
    std::uint8_t protocol;
    std::uint8_t channels;
    std::uint8_t warps;
    std::array<std::uint64_t, 2> reserved;
};

enum class CommunicatorState : std::uint32_t { none, open, closed };

struct Communicator {
    std::uint64_t generation;  ///< 0 while the place changes
    std::uint64_t id;
    std::int32_t rank;
    std::int32_t ranks;  ///< 0: not known (NCCL 2.23 to 2.26)
    std::int32_t nodes;
    CommunicatorState state;
    std::uint64_t opened_ns;
    std::uint64_t closed_ns;
    std::uint64_t last_ns;  ///< last callback
    std::uint64_t calls;
    std::uint64_t enqueued;
    std::uint64_t finished;
    std::uint64_t abandoned;
    std::uint64_t last_finished_start_ns;  ///< start of the newest finished operation
    std::uint64_t timers_accepted;
    std::uint64_t timers_rejected;
    std::int64_t gpu_offset_ns;  ///< monotonic - GPU clock, upper bound over the last 10 to 20 s; 0: none
    std::uint32_t api_version;
    std::uint32_t level_changes;  ///< point-to-point numbers of two ranks differ when these do
    std::array<char, 48> name;
    std::array<std::uint64_t, 2> reserved;
};

/// A channel's network transfer in one direction: not finished, or finished last in this place.
struct NetworkOperation {
    std::uint64_t id;
    std::uint64_t operation;
    std::uint64_t start_ns;
    std::uint64_t stop_ns;   ///< 0: open
    std::uint64_t since_ns;  ///< begin of `state`
    std::uint32_t state;     ///< NCCL's number of the last state
    std::int32_t peer;
    std::uint32_t steps;
    std::uint32_t steps_done;
    std::uint8_t channel;
    std::uint8_t send;
    std::uint16_t reserved;
    std::uint32_t chunk_bytes;
};

enum Problem : std::uint32_t {
    kChainMissing = 1,    ///< the user's own plugin could not be opened
    kChainNoVersion = 2,  ///< it has not this version of the interface
    kNoPointToPoint = 4,  ///< no memory for the numbers of sends and receives
    kMaskOverridden = 8,  ///< something else changed NCCL's mask of events
    kSmallRing = 16,      ///< little space: the ring is an eighth of its size
};

struct Header {
    std::uint64_t magic;  ///< written last
    std::uint32_t layout_version;
    std::uint32_t pid;
    std::int32_t launch_rank;  ///< RANK of the environment; -1: none
    std::int32_t local_rank;
    std::uint64_t start_realtime_ns;  ///< Unix time at start_monotonic_ns
    std::uint64_t start_monotonic_ns;
    std::uint32_t record_capacity;  ///< powers of two
    std::uint32_t operation_capacity;
    std::uint32_t communicator_capacity;
    std::uint32_t network_capacity;
    std::uint32_t level_wanted;  ///< the one field that a reader may write (set_level)
    std::uint32_t level_applied;
    std::uint32_t mask_in_force;  ///< NCCL's mask, read again at each operation
    std::uint32_t api_version;  ///< of the newest communicator: 4 is NCCL 2.27, 5 is 2.28, 6 is 2.29 and 2.30
    std::uint32_t problems;
    std::uint32_t reserved;
    std::uint64_t head;  ///< records claimed so far
    std::uint64_t last_callback_ns;
    std::uint64_t records_dropped;
    std::uint64_t operations_dropped;
    std::uint64_t communicators_dropped;
    std::uint64_t network_dropped;
    std::uint64_t chain_dropped;
    std::uint64_t stale_handles;
    std::uint64_t foreign_events;  ///< of another process (PXN)
    std::uint64_t timers_accepted;
    std::uint64_t timers_rejected;
};

static_assert(sizeof(Record) == 128 && offsetof(Record, communicator) == 24 &&
              offsetof(Record, sequence) == 88);
static_assert(offsetof(Record, function) == 96 && offsetof(Record, network_us) == 120);
static_assert(sizeof(Operation) == 192 && sizeof(Communicator) == 192 && sizeof(NetworkOperation) == 64);
static_assert(offsetof(Header, level_wanted) == 56 && sizeof(Header) <= 256);

inline constexpr std::size_t kHeaderBytes = 4096;

/// Where the tables begin, from the capacities alone.
struct Places {
    std::uint64_t records;
    std::uint64_t operations;
    std::uint64_t communicators;
    std::uint64_t network;
    std::uint64_t end;

    constexpr Places(std::uint64_t record_capacity, std::uint64_t operation_capacity,
                     std::uint64_t communicator_capacity, std::uint64_t network_capacity)
        : records(kHeaderBytes),
          operations(records + record_capacity * sizeof(Record)),
          communicators(operations + operation_capacity * sizeof(Operation)),
          network(communicators + communicator_capacity * sizeof(Communicator)),
          end(network + network_capacity * sizeof(NetworkOperation)) {}
};

}  // namespace rankscope::nccl_ring
