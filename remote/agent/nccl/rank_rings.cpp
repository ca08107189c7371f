// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/nccl/rank_rings.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <system_error>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostFilesOfRank = 64;  // of one rank: each is an open descriptor
constexpr std::size_t kPiece = 4096;
constexpr int kMostPieces = 8;  // twice what a file holds

// Of the clock of the files: this process and the rank's run on one kernel.
std::uint64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// What the process could not record at all.
std::uint64_t dropped_by(const nccl_ring::Header& header) {
    return header.records_dropped + header.operations_dropped + header.communicators_dropped;
}

}  // namespace

void RankRings::scan() {
    std::set<std::filesystem::path> incomplete;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder_, error), end; !error && it != end;
         it.increment(error)) {
        const std::filesystem::path& file = it->path();
        if (file.extension() != ".ring" || known_.contains(file) || known_.size() >= kMostFilesOfRank) {
            continue;
        }
        auto reader = nccl_ring::Reader::open(file);
        if (!reader) {
            unreadable_ = unreadable_ || incomplete_.contains(file);
            incomplete.insert(file);
            continue;
        }
        known_.insert(file);
        rings_.push_back({file, std::move(*reader)});
        if (level_) {
            static_cast<void>(
                nccl_ring::set_level(file, *level_));  // it stays at the level of its environment
        }
    }
    incomplete_ = std::move(incomplete);
}

void RankRings::read() {
    for (Ring& ring : rings_) {
        if (rank_of_ && ring.rank < 0) {  // a process may become a rank after it has begun
            ring.rank = rank_of_(static_cast<pid_t>(ring.reader.header().pid));
        }
        NcclSummary& summary = parts_[ring.rank].summary;
        for (int piece = 0; piece < kMostPieces; ++piece) {
            const nccl_ring::RecordBatch batch = ring.reader.read(kPiece);
            for (const auto& record : batch.records) {
                summary.add(record, ring.reader);
            }
            summary.add_lost(batch.lost);
            if (batch.records.size() + batch.lost < kPiece) {
                break;
            }
        }
        if (const std::uint64_t dropped = dropped_by(ring.reader.header()); dropped > ring.dropped) {
            summary.add_lost(dropped - ring.dropped);
            ring.dropped = dropped;
        }
    }
}

// A launcher within the rank's command starts a process again with the same number: what the old one was in is over.
// (The number of a process within a container means nothing here.)
bool RankRings::replaced(const Ring& ring) const {
    const nccl_ring::Header& mine = ring.reader.header();
    const auto pid = static_cast<pid_t>(mine.pid);
    const bool gone = pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH);
    return gone && std::any_of(rings_.begin(), rings_.end(), [&](const Ring& other) {
               const nccl_ring::Header& its = other.reader.header();
               return &other != &ring && its.launch_rank == mine.launch_rank &&
                      its.local_rank == mine.local_rank && its.start_monotonic_ns > mine.start_monotonic_ns;
           });
}

std::vector<NcclSummary::Process> RankRings::look(int rank, bool& open) {
    std::vector<NcclSummary::Process> processes;
    for (Ring& ring : rings_) {
        if (ring.rank != rank) {
            continue;
        }
        NcclSummary::Process process;
        process.reader = &ring.reader;
        process.communicators = ring.reader.communicators();
        // The table is large: without a callback since, and with nothing open then, nothing is open now.
        const std::uint64_t callback_ns = ring.reader.header().last_callback_ns;
        if (ring.had_open || callback_ns != ring.looked_callback_ns) {
            process.open = ring.reader.open_operations();
            ring.had_open = !process.open.empty();
            ring.looked_callback_ns = callback_ns;
        }
        if (replaced(ring)) {
            process.open.clear();
        }
        open = open || !process.open.empty();
        processes.push_back(std::move(process));
    }
    return processes;
}

std::optional<NcclEvent> RankRings::take_part(int rank, Part& part, double now_s) {
    bool open = false;
    const auto processes = look(rank, open);
    if (!part.summary.anything() && !open && !part.had_open) {
        part.taken_s = now_s;
        return std::nullopt;
    }
    const std::uint64_t now_ns = monotonic_ns();
    const double since_s =
        part.taken_s > 0
            ? now_s - part.taken_s
            : static_cast<double>(now_ns - rings_.front().reader.header().start_monotonic_ns) / 1e9;
    NcclEvent event = part.summary.take(since_s, now_ns, processes);
    part.taken_s = now_s;
    part.had_open = open;
    if (event.totals.empty() && event.operations.empty() && event.open.empty() && event.progress.empty() &&
        event.communicators.empty() && event.lost == 0) {
        return std::nullopt;
    }
    return event;
}

std::map<int, NcclEvent> RankRings::take(double now_s) {
    std::map<int, NcclEvent> events;
    if (rings_.empty()) {
        return events;
    }
    for (auto& [rank, part] : parts_) {
        if (auto event = take_part(rank, part, now_s)) {
            events.emplace(rank, std::move(*event));
        }
    }
    return events;
}

std::uint32_t RankRings::problems() const {
    std::uint32_t problems = 0;
    for (const Ring& ring : rings_) {
        problems |= ring.reader.header().problems;
    }
    return problems;
}

void RankRings::set_level(std::uint32_t level) {
    level_ = level;
    for (const Ring& ring : rings_) {
        static_cast<void>(nccl_ring::set_level(ring.file, level));
    }
}

}  // namespace rankscope::agent
