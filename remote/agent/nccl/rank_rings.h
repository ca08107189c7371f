// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/reader.h>
#include <remote/agent/nccl/nccl_summary.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// The ring files of one rank: one for each of its processes that uses NCCL; where its program has started ranks, those
/// of all of them. Not thread-safe, never blocks.
class RankRings {
public:
    /// The rank of a process; -1: it is none of its own.
    using RankOf = std::function<int(pid_t pid)>;

    explicit RankRings(std::filesystem::path folder, RankOf rank_of = {})
        : folder_(std::move(folder)), rank_of_(std::move(rank_of)) {}

    /// Looks for new files.
    void scan();
    /// What has been recorded since; everything there is, whatever that takes (within reason).
    void read();
    /// By rank (-1: the rank itself), where something has happened since or is open.
    std::map<int, NcclEvent> take(double now_s);
    /// For all of its processes, those to come too.
    void set_level(std::uint32_t level);

    /// Bits of nccl_ring::Problem, of all processes together.
    std::uint32_t problems() const;
    bool found() const { return !rings_.empty(); }
    /// One of its processes is this rank.
    bool has(int rank) const { return parts_.contains(rank); }
    /// A file is there, for longer than a start takes, and cannot be read.
    bool unreadable() const { return unreadable_; }

private:
    struct Ring {
        std::filesystem::path file;
        nccl_ring::Reader reader;
        std::uint64_t dropped = 0;             ///< by the process itself: what was counted
        std::uint64_t looked_callback_ns = 0;  ///< the last callback before the last look at what is open
        bool had_open = false;
        int rank = -1;
    };
    /// What the processes of one rank do.
    struct Part {
        NcclSummary summary;
        double taken_s = 0;  ///< 0: never
        bool had_open = false;
    };

    bool replaced(const Ring& ring) const;
    std::vector<NcclSummary::Process> look(int rank, bool& open);
    std::optional<NcclEvent> take_part(int rank, Part& part, double now_s);

    std::filesystem::path folder_;
    RankOf rank_of_;
    std::list<Ring> rings_;
    std::set<std::filesystem::path> known_;
    std::set<std::filesystem::path> incomplete_;  ///< seen at the last scan, without a valid header
    std::map<int, Part> parts_;
    std::optional<std::uint32_t> level_;
    bool unreadable_ = false;
};

}  // namespace rankscope::agent
