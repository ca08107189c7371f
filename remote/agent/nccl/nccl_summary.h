// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/reader.h>
#include <remote/wire/nccl_event.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace rankscope::agent {

/// Makes one NcclEvent of a rank's records, again and again: totals by operation and size, a sample of the operations
/// (nccl_sample_order(): the same ones on every rank), what is open, how far each function is. What a damaged file says
/// costs bounded memory. Not thread-safe.
class NcclSummary {
public:
    /// One process of the rank, as it is now.
    struct Process {
        const nccl_ring::Reader* reader = nullptr;
        std::vector<nccl_ring::Communicator> communicators;
        std::vector<nccl_ring::OpenOperation> open;  ///< empty for a process that another one has replaced
    };

    void add(const nccl_ring::Record& record, const nccl_ring::Reader& reader);
    void add_lost(std::uint64_t records) { lost_ += records; }
    /// What has come since the last call, `seconds` ago, with `processes` as they are at `now_ns` of CLOCK_MONOTONIC.
    NcclEvent take(double seconds, std::uint64_t now_ns, const std::vector<Process>& processes);
    /// Whether an event would say anything new.
    bool anything() const { return anything_ || lost_ > 0; }

private:
    using TotalsKey = std::tuple<std::uint64_t, std::uint8_t, std::uint8_t, std::uint8_t, std::uint8_t, int>;
    using ProgressKey = std::pair<std::uint64_t, std::uint8_t>;
    /// Of each, the highest sequence number and one more: NCCL counts from 0.
    struct Progress {
        std::uint64_t enqueued = 0;
        std::uint64_t finished = 0;
        bool changed = false;
    };

    /// An operation that may be in the event.
    struct Sampled {
        std::uint64_t order = 0;
        NcclOperation operation;

        bool operator<(const Sampled& other) const { return order < other.order; }
    };

    void add_finished(const nccl_ring::Record& record, const nccl_ring::Reader& reader);
    void add_network(const nccl_ring::Record& record);
    void add_to_sample(const nccl_ring::Record& record, const nccl_ring::Reader& reader, NcclPhase phase,
                       double took);
    NcclTotals* totals_of(const nccl_ring::Record& record);
    Progress* progress_of(std::uint64_t communicator, std::uint8_t function);
    void take_open(NcclEvent& event, std::uint64_t now_ns, const Process& process);
    void take_progress(NcclEvent& event, const std::map<ProgressKey, std::uint64_t>& calls_in_flight);
    void take_communicators(NcclEvent& event, const std::vector<Process>& processes);

    std::map<TotalsKey, NcclTotals> totals_;
    std::map<ProgressKey, Progress> progress_;
    std::unordered_map<std::uint64_t, std::uint32_t> network_us_;  ///< by operation: what is in the totals
    std::vector<std::uint64_t> changed_communicators_;
    std::optional<Sampled> longest_;
    std::vector<Sampled> sample_;  ///< without the longest; a heap, the last of the order at its top
    std::uint64_t lost_ = 0;
    bool anything_ = false;
};

}  // namespace rankscope::agent
