// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/nccl_ring/codes.h>
#include <remote/agent/nccl/nccl_summary.h>
#include <remote/wire/nccl_sample.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

namespace rankscope::agent {
namespace {

namespace ring = nccl_ring;

constexpr std::size_t kMostTotalsOfEvent = 512;
constexpr std::size_t kMostProgress = 4096;
constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kMostRemembered = 4096;
constexpr std::uint64_t kLongOpenNs = 1'000'000'000;

double seconds(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

std::uint64_t bytes_of(std::uint64_t count, std::uint8_t datatype) {
    const std::uint64_t each = ring::element_bytes(datatype);
    return each != 0 && count > std::numeric_limits<std::uint64_t>::max() / each ? 0 : count * each;
}

int size_class_of(std::uint64_t bytes) {
    return bytes == 0 ? 0 : static_cast<int>(std::bit_width(bytes)) - 1;
}

bool is_call(ring::OperationKind kind) {
    return kind == ring::OperationKind::collective_call || kind == ring::OperationKind::p2p_call;
}

bool is_p2p(ring::OperationKind kind) {
    return kind == ring::OperationKind::p2p || kind == ring::OperationKind::p2p_call;
}

// An operation without channels to report ends for NCCL when it is enqueued: how long it took is not known.
bool is_timed(const ring::Record& record) {
    return record.gpu_start_ns != 0 && record.gpu_stop_ns > record.gpu_start_ns;
}

std::uint64_t sequence_after(const ring::Record& record) {
    const bool known = (record.flags & ring::kNoSequence) == 0 &&
                       record.sequence != std::numeric_limits<std::uint64_t>::max();
    return known ? record.sequence + 1 : 0;
}

// ring::Record and ring::Operation name these alike.
template <typename Entry>
NcclOperation described(const Entry& entry, ring::OperationKind kind, const ring::Reader& reader) {
    NcclOperation operation;
    operation.communicator = {entry.communicator};
    operation.sequence = (entry.flags & ring::kNoSequence) == 0 ? entry.sequence : 0;
    operation.function = ring::name_of(ring::kFunctions, entry.function);
    operation.datatype = ring::name_of(ring::kDatatypes, entry.datatype);
    operation.algorithm = ring::name_of(ring::kAlgorithms, entry.algorithm);
    operation.protocol = ring::name_of(ring::kProtocols, entry.protocol);
    operation.bytes = bytes_of(entry.count, entry.datatype);
    operation.channels = entry.channels;
    operation.peer_or_root = entry.root_or_peer;
    operation.start_us = static_cast<std::int64_t>(reader.realtime_ns(entry.start_ns) / 1000);
    operation.point_to_point = is_p2p(kind);
    operation.replayed = (entry.flags & ring::kReplayed) != 0;
    return operation;
}

NcclPhase phase_of(const ring::Operation& operation) {
    if (is_call(operation.kind) || operation.phase == static_cast<std::uint32_t>(ring::Phase::begun)) {
        return NcclPhase::Called;
    }
    return operation.phase == static_cast<std::uint32_t>(ring::Phase::running) ? NcclPhase::Running
                                                                               : NcclPhase::Enqueued;
}

// Whether it is one that the rank is in: not a group, not what is only captured into a graph, not what was overtaken
// (a channel that did not report, or a call of which NCCL makes no operation).
bool is_in_flight(const ring::OpenOperation& open) {
    return open.operation.kind != ring::OperationKind::group && !open.overtaken && !open.group_over &&
           (open.operation.flags & ring::kGraphCaptured) == 0;
}

// A third of what an event takes on the desk's disk. Of one that has ended, the channels are as they should be.
void leave_out_what_totals_say(NcclOperation& operation) {
    operation.datatype.clear();
    operation.algorithm.clear();
    operation.protocol.clear();
    if (operation.channels_done == operation.channels) {
        operation.channels = operation.channels_done = 0;
    }
    static constexpr std::array kWithoutRoot{"AllReduce", "AllGather", "ReduceScatter", "AlltoAll"};
    if (!operation.point_to_point &&
        std::find(kWithoutRoot.begin(), kWithoutRoot.end(), operation.function) != kWithoutRoot.end()) {
        operation.peer_or_root = -1;
    }
}

// A number of no operation of another rank is mixed in where the sequence number does not say which one it is.
std::uint64_t order_of(const ring::Record& record) {
    const bool same_elsewhere = (record.flags & (ring::kNoSequence | ring::kReplayed)) == 0;
    return nccl_sample_order(record.communicator, ring::name_of(ring::kFunctions, record.function),
                             same_elsewhere ? record.sequence : record.start_ns);
}

}  // namespace

NcclTotals* NcclSummary::totals_of(const ring::Record& record) {
    const std::uint64_t bytes = bytes_of(record.count, record.datatype);
    const TotalsKey key{record.communicator, record.function, record.datatype,
                        record.algorithm,    record.protocol, size_class_of(bytes)};
    auto found = totals_.find(key);
    if (found == totals_.end()) {
        if (totals_.size() >= kMostTotalsOfEvent) {
            return nullptr;
        }
        NcclTotals fresh;
        fresh.communicator = {record.communicator};
        fresh.function = ring::name_of(ring::kFunctions, record.function);
        fresh.datatype = ring::name_of(ring::kDatatypes, record.datatype);
        fresh.algorithm = ring::name_of(ring::kAlgorithms, record.algorithm);
        fresh.protocol = ring::name_of(ring::kProtocols, record.protocol);
        fresh.size_class = size_class_of(bytes);
        found = totals_.emplace(key, std::move(fresh)).first;
    }
    return &found->second;
}

NcclSummary::Progress* NcclSummary::progress_of(std::uint64_t communicator, std::uint8_t function) {
    const ProgressKey key{communicator, function};
    auto found = progress_.find(key);
    if (found == progress_.end()) {
        if (progress_.size() >= kMostProgress) {
            return nullptr;
        }
        found = progress_.emplace(key, Progress{}).first;
    }
    return &found->second;
}

void NcclSummary::add(const ring::Record& record, const ring::Reader& reader) {
    anything_ = true;
    switch (record.kind) {
        case ring::RecordKind::communicator_opened:
            // A new one of the same number counts from the start.
            std::erase_if(progress_,
                          [&](const auto& entry) { return entry.first.first == record.communicator; });
            [[fallthrough]];
        case ring::RecordKind::communicator_closed:
            if (changed_communicators_.size() < kMostRemembered) {
                changed_communicators_.push_back(record.communicator);
            }
            break;
        case ring::RecordKind::enqueued:
            if (!is_p2p(record.operation_kind)) {
                if (Progress* progress = progress_of(record.communicator, record.function)) {
                    progress->enqueued = std::max(progress->enqueued, sequence_after(record));
                    progress->changed = true;
                }
            }
            if ((record.flags & ring::kExpectsChannels) == 0) {
                add_finished(record, reader);
            }
            break;
        case ring::RecordKind::finished:
            add_finished(record, reader);
            break;
        case ring::RecordKind::network:
            add_network(record);
            break;
        case ring::RecordKind::abandoned:
            if (!is_call(record.operation_kind) && record.operation_kind != ring::OperationKind::group) {
                add_to_sample(record, reader, NcclPhase::Abandoned, 0);
            }
            break;
        case ring::RecordKind::called:
        case ring::RecordKind::none:
            break;
    }
}

void NcclSummary::add_finished(const ring::Record& record, const ring::Reader& reader) {
    if (!is_p2p(record.operation_kind)) {
        if (Progress* progress = progress_of(record.communicator, record.function)) {
            progress->finished = std::max(progress->finished, sequence_after(record));
            progress->enqueued = std::max(progress->enqueued, progress->finished);
            progress->changed = true;
        }
    }
    NcclTotals* totals = totals_of(record);
    if (totals == nullptr) {
        ++lost_;
        return;
    }
    const bool timed = is_timed(record);
    const double took = timed ? seconds(record.gpu_stop_ns - record.gpu_start_ns) : 0;
    if (timed) {
        totals->seconds += took;
        totals->shortest_s =
            totals->operations == totals->untimed ? took : std::min(totals->shortest_s, took);
        totals->longest_s = std::max(totals->longest_s, took);
    } else {
        ++totals->untimed;
    }
    ++totals->operations;
    totals->bytes += bytes_of(record.count, record.datatype);
    totals->network_s += static_cast<double>(record.network_us) / 1e6;
    totals->peer_wait_s += seconds(record.peer_wait_ns);
    totals->gpu_times = totals->gpu_times || (timed && (record.flags & ring::kHostTimes) == 0);
    if (record.network_operations != 0 && network_us_.size() < kMostRemembered) {
        network_us_[record.operation] = record.network_us;
    }
    add_to_sample(record, reader, NcclPhase::Finished, took);
}

// It ended after its operation, with which the rest of its time was added.
void NcclSummary::add_network(const ring::Record& record) {
    std::uint32_t added = 0;
    if (const auto before = network_us_.find(record.operation); before != network_us_.end()) {
        added = before->second;
        network_us_.erase(before);
    }
    NcclTotals* totals = totals_of(record);
    if (totals != nullptr && record.network_us > added) {
        totals->network_s += static_cast<double>(record.network_us - added) / 1e6;
    }
}

void NcclSummary::add_to_sample(const ring::Record& record, const ring::Reader& reader, NcclPhase phase,
                                double took) {
    const std::uint64_t order = order_of(record);
    const bool is_longest = !longest_ || took > longest_->operation.seconds;
    const bool is_full = sample_.size() >= kMostNcclOperations - 1;
    if (!is_longest && is_full && order >= sample_.front().order) {
        return;
    }
    std::optional<Sampled> sampled = Sampled{order, described(record, record.operation_kind, reader)};
    sampled->operation.phase = phase;
    sampled->operation.channels_done = record.channels_done;
    if (phase == NcclPhase::Finished) {
        leave_out_what_totals_say(sampled->operation);
    }
    sampled->operation.gpu_s = took;
    sampled->operation.seconds = took;
    sampled->operation.network_s = static_cast<double>(record.network_us) / 1e6;
    if (is_longest) {
        std::swap(sampled, longest_);
    }
    if (!sampled || (is_full && !(*sampled < sample_.front()))) {
        return;
    }
    if (is_full) {
        std::pop_heap(sample_.begin(), sample_.end());
        sample_.pop_back();
    }
    sample_.push_back(std::move(*sampled));
    std::push_heap(sample_.begin(), sample_.end());
}

void NcclSummary::take_open(NcclEvent& event, std::uint64_t now_ns, const Process& process) {
    for (const ring::OpenOperation& open : process.open) {
        const ring::Operation& entry = open.operation;
        if (!is_in_flight(open) || entry.start_ns > now_ns || now_ns - entry.start_ns < kLongOpenNs ||
            event.open.size() >= kMostOpen) {
            continue;
        }
        NcclOperation operation = described(entry, entry.kind, *process.reader);
        operation.phase = phase_of(entry);
        operation.seconds = seconds(now_ns - entry.start_ns);
        operation.channels_done = static_cast<int>(open.channels_done);
        if (entry.network_start_ns != 0) {
            const std::uint64_t until = entry.network_open != 0 ? now_ns : entry.network_stop_ns;
            operation.network_s =
                until > entry.network_start_ns ? seconds(until - entry.network_start_ns) : 0;
        }
        event.open.push_back(std::move(operation));
    }
}

// Of what has changed, and of what is in flight: it has an entry in `calls_in_flight`, though it is more than called.
void NcclSummary::take_progress(NcclEvent& event,
                                const std::map<ProgressKey, std::uint64_t>& calls_in_flight) {
    for (const auto& [key, calls] : calls_in_flight) {
        if (Progress* progress = progress_of(key.first, key.second)) {
            progress->changed = true;
        }
    }
    for (auto& [key, progress] : progress_) {
        if (!progress.changed) {
            continue;
        }
        const auto calls = calls_in_flight.find(key);
        NcclProgress entry;
        entry.communicator = {key.first};
        entry.function = ring::name_of(ring::kFunctions, key.second);
        entry.called = progress.enqueued + (calls == calls_in_flight.end() ? 0 : calls->second);
        entry.enqueued = progress.enqueued;
        entry.finished = progress.finished;
        event.progress.push_back(std::move(entry));
        progress.changed = calls != calls_in_flight.end();  // its end is to be seen, too
    }
}

void NcclSummary::take_communicators(NcclEvent& event, const std::vector<Process>& processes) {
    std::vector<std::uint64_t> wanted = std::exchange(changed_communicators_, {});
    for (const auto& entry : event.totals) {
        wanted.push_back(entry.communicator.value);
    }
    for (const auto& entry : event.open) {
        wanted.push_back(entry.communicator.value);
    }
    for (const auto& entry : event.progress) {
        wanted.push_back(entry.communicator.value);
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const std::uint64_t id : wanted) {
        const ring::Communicator* newest = nullptr;
        for (const Process& process : processes) {
            for (const ring::Communicator& communicator : process.communicators) {
                if (communicator.id == id &&
                    (newest == nullptr || communicator.opened_ns >= newest->opened_ns)) {
                    newest = &communicator;
                }
            }
        }
        if (newest != nullptr) {
            NcclCommunicator entry;
            entry.id = {id};
            entry.name = ring::name_of(*newest);
            entry.rank = newest->rank;
            entry.ranks = newest->ranks;
            entry.closed = newest->state == ring::CommunicatorState::closed;
            event.communicators.push_back(std::move(entry));
        }
    }
}

NcclEvent NcclSummary::take(double since_s, std::uint64_t now_ns, const std::vector<Process>& processes) {
    NcclEvent event;
    event.seconds = since_s;
    for (auto& [key, totals] : totals_) {
        event.totals.push_back(std::move(totals));
    }
    if (longest_) {
        for (Sampled& sampled : sample_) {
            event.operations.push_back(std::move(sampled.operation));
        }
        event.operations.push_back(std::move(longest_->operation));
        std::sort(event.operations.begin(), event.operations.end(),
                  [](const NcclOperation& a, const NcclOperation& b) { return a.start_us < b.start_us; });
    }
    std::map<ProgressKey, std::uint64_t> calls_in_flight;
    for (const Process& process : processes) {
        take_open(event, now_ns, process);
        for (const ring::OpenOperation& open : process.open) {
            if (is_in_flight(open) && !is_p2p(open.operation.kind)) {
                // Called, or being placed: its `enqueued` has not come.
                const bool called = phase_of(open.operation) == NcclPhase::Called;
                calls_in_flight[{open.operation.communicator, open.operation.function}] += called ? 1 : 0;
            }
        }
        event.api_version =
            std::max(event.api_version, static_cast<int>(process.reader->header().api_version));
    }
    take_progress(event, calls_in_flight);
    take_communicators(event, processes);
    event.lost = std::exchange(lost_, 0);
    totals_.clear();
    sample_.clear();
    longest_.reset();
    anything_ = false;
    if (network_us_.size() >= kMostRemembered) {
        network_us_.clear();
    }
    return event;
}

}  // namespace rankscope::agent
