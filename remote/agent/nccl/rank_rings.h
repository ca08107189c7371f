// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/nccl_ring/reader.h>
#include <remote/agent/nccl/nccl_summary.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <set>

namespace rankscope::agent {

/// The ring files of one rank: one for each of its processes that uses NCCL. Not thread-safe, never blocks.
class RankRings {
public:
    explicit RankRings(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Looks for new files.
    void scan();
    /// What has been recorded since; everything there is, whatever that takes (within reason).
    void read();
    /// Nothing where nothing has happened since and nothing is open.
    std::optional<NcclEvent> take(double now_s);
    /// For all of its processes, those to come too.
    void set_level(std::uint32_t level);

    /// Bits of nccl_ring::Problem, of all processes together.
    std::uint32_t problems() const;
    bool found() const { return !rings_.empty(); }
    /// A file is there, for longer than a start takes, and cannot be read.
    bool unreadable() const { return unreadable_; }

private:
    struct Ring {
        std::filesystem::path file;
        nccl_ring::Reader reader;
        std::uint64_t dropped = 0;             ///< by the process itself: what was counted
        std::uint64_t looked_callback_ns = 0;  ///< the last callback before the last look at what is open
        bool had_open = false;
    };

    bool replaced(const Ring& ring) const;
    std::vector<NcclSummary::Process> look(bool& open);

    std::filesystem::path folder_;
    std::list<Ring> rings_;
    std::set<std::filesystem::path> known_;
    std::set<std::filesystem::path> incomplete_;  ///< seen at the last scan, without a valid header
    NcclSummary summary_;
    std::optional<std::uint32_t> level_;
    double taken_s_ = 0;  ///< 0: never
    bool had_open_ = false;
    bool unreadable_ = false;
};

}  // namespace rankscope::agent
