// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/wire/written.h>

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

/// What NCCL does in the processes of one rank, as librankscope-nccl.so sees it (base/nccl_ring). The agent sends it
/// once a second, less often in a large run, while anything happens or is open. Durations in seconds, from the launch
/// to the end of the kernel; on the GPU's clock where it is known.

/// How far an operation is. Numbered as in frames.proto.
enum class NcclPhase : std::uint8_t {
    Called,    ///< the program has called it; NCCL has not placed it on the stream
    Enqueued,  ///< on the stream
    Running,   ///< the GPU has begun
    Finished,
    Abandoned,  ///< not followed any longer
};

template <>
struct EnumNames<NcclPhase> {
    static constexpr std::array names{"called", "enqueued", "running", "finished", "abandoned"};
};

/// commHash of NCCL. Its JSON form is that of NCCL's log, "0xcfd2979cb3ba7807": not all programs read numbers of 64 bits.
struct CommunicatorHash {
    std::uint64_t value = 0;

    auto operator<=>(const CommunicatorHash&) const = default;  // NOLINT(modernize-use-nullptr): false
};

/// A communicator that this rank has opened, or closed.
struct NcclCommunicator {
    CommunicatorHash id = {};
    std::string name = {};
    int rank = -1;  ///< in this communicator
    int ranks = 0;
    bool closed = false;

    bool operator==(const NcclCommunicator&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("id", self.id);
        visit("name", self.name, Written::IfSet);
        visit("rank", self.rank);
        visit("ranks", self.ranks);
        visit("closed", self.closed, Written::IfSet);
    }
};

/// All operations of a kind that ended in the time of the event.
struct NcclTotals {
    CommunicatorHash communicator = {};
    std::string function = {};  ///< "AllReduce", …; "?" where the plugin does not know it, as the next three
    std::string datatype = {};   ///< "ncclFloat32", …
    std::string algorithm = {};  ///< "RING", …
    std::string protocol = {};   ///< "LL128", …
    int size_class = 0;          ///< floor(log2(bytes)); 0 for no bytes
    std::uint64_t operations = 0;
    std::uint64_t bytes = 0;  ///< of all of them, as the call counts them: elements × size
    double seconds = 0;       ///< of all that are timed
    double shortest_s = 0;
    double longest_s = 0;
    double network_s = 0;    ///< with a network operation in progress
    double peer_wait_s = 0;  ///< the network's steps waited for a peer
    bool gpu_times = false;  ///< durations are those of the GPU's clock
    /// Operations whose duration is not known: NCCL reported no channel of them, or times that cannot be right.
    std::uint64_t untimed = 0;

    bool operator==(const NcclTotals&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("communicator", self.communicator);
        visit("function", self.function);
        visit("datatype", self.datatype, Written::IfSet);
        visit("algorithm", self.algorithm, Written::IfSet);
        visit("protocol", self.protocol, Written::IfSet);
        visit("size_class", self.size_class, Written::IfSet);
        visit("operations", self.operations, Written::IfSet);
        visit("bytes", self.bytes, Written::IfSet);
        visit("seconds", self.seconds);
        visit("shortest_s", self.shortest_s, Written::IfSet);
        visit("longest_s", self.longest_s, Written::IfSet);
        visit("network_s", self.network_s, Written::IfSet);
        visit("peer_wait_s", self.peer_wait_s, Written::IfSet);
        visit("gpu_times", self.gpu_times, Written::IfSet);
        visit("untimed", self.untimed, Written::IfSet);
    }
};

/// One operation.
struct NcclOperation {
    CommunicatorHash communicator = {};
    std::uint64_t sequence = 0;  ///< per communicator and function; point to point: per peer and direction
    std::string function = {};
    std::string datatype = {};
    std::string algorithm = {};
    std::string protocol = {};
    std::uint64_t bytes = 0;
    int channels = 0;
    int channels_done = 0;
    int peer_or_root = -1;
    NcclPhase phase = NcclPhase::Called;
    std::int64_t start_us = 0;  ///< µs since 1970, by the clock of the event's time
    double seconds = 0;         ///< until its end; of an open one: until now
    double gpu_s = 0;           ///< by the GPU's clock; 0: not known
    double network_s = 0;
    bool point_to_point = false;
    bool replayed = false;  ///< by a CUDA graph

    bool operator==(const NcclOperation&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("communicator", self.communicator);
        visit("sequence", self.sequence, Written::IfSet);
        visit("function", self.function);
        visit("datatype", self.datatype, Written::IfSet);
        visit("algorithm", self.algorithm, Written::IfSet);
        visit("protocol", self.protocol, Written::IfSet);
        visit("bytes", self.bytes, Written::IfSet);
        visit("channels", self.channels, Written::IfSet);
        visit("channels_done", self.channels_done, Written::IfSet);
        visit("peer_or_root", self.peer_or_root, Written::IfKnown);
        visit("phase", self.phase, Written::IfSet);
        visit("start_us", self.start_us, Written::IfSet);
        visit("seconds", self.seconds);
        visit("gpu_s", self.gpu_s, Written::IfSet);
        visit("network_s", self.network_s, Written::IfSet);
        visit("point_to_point", self.point_to_point, Written::IfSet);
        visit("replayed", self.replayed, Written::IfSet);
    }
};

/// How many collectives of a function this rank has launched in a communicator; none of point to point.
struct NcclProgress {
    CommunicatorHash communicator = {};
    std::string function = {};
    std::uint64_t called = 0;
    std::uint64_t enqueued = 0;
    std::uint64_t finished = 0;

    bool operator==(const NcclProgress&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("communicator", self.communicator);
        visit("function", self.function);
        visit("called", self.called, Written::IfSet);
        visit("enqueued", self.enqueued, Written::IfSet);
        visit("finished", self.finished, Written::IfSet);
    }
};

struct NcclEvent {
    double seconds = 0;  ///< the time that it covers, up to the event's
    std::vector<NcclCommunicator> communicators = {};
    std::vector<NcclTotals> totals = {};
    std::vector<NcclOperation> operations = {};  ///< some of those that ended, the longest always among them
    std::vector<NcclOperation> open = {};        ///< begun at least a second ago, oldest first, at most 64
    std::vector<NcclProgress> progress = {};
    std::uint64_t lost = 0;  ///< records that were overwritten before the agent read them
    int api_version = 0;     ///< of NCCL's profiler interface; 0: not known
    std::string unavailable =
        {};  ///< why nothing can be observed: not-loaded, nccl-too-old, statically-linked,
             ///< no-nccl, foreign-plugin, ring-unreadable; empty: it can

    bool operator==(const NcclEvent&) const = default;
    /// Whether the time that it covers, up to `t_us` of the event, has a part in these times, both included.
    bool overlaps(std::int64_t t_us, std::int64_t from_us, std::int64_t until_us) const {
        const double begin_us = static_cast<double>(t_us) - (seconds > 0 ? seconds * 1e6 : 0);
        return t_us >= from_us && begin_us <= static_cast<double>(until_us);
    }

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("seconds", self.seconds);
        visit("communicators", self.communicators, Written::IfSet);
        visit("totals", self.totals, Written::IfSet);
        visit("operations", self.operations, Written::IfSet);
        visit("open", self.open, Written::IfSet);
        visit("progress", self.progress, Written::IfSet);
        visit("lost", self.lost, Written::IfSet);
        visit("api_version", self.api_version, Written::IfSet);
        visit("unavailable", self.unavailable, Written::IfSet);
    }
};

}  // namespace rankscope
