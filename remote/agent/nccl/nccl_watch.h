// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/nccl/rank_rings.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/spool/spool.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope::agent {

/// Seconds between two events of a rank that runs since `age_s`: a run of a day must not fill the desk's disk. A busy
/// rank's event has about 5 kB of JSON.
double nccl_event_interval_s(int world_size, double age_s);

/// What NCCL does in this node's ranks, as events: reads the files that librankscope-nccl.so writes in them, ten times a
/// second, and makes one event of each rank every nccl_event_interval_s(). Costs nothing where no rank is to
/// be observed. Part of the supervisor, on its thread.
class NcclWatch {
public:
    /// `rank_of`: the rank of a process that a rank's program has started.
    explicit NcclWatch(SpoolWriter& spool, RankRings::RankOf rank_of = {})
        : spool_(spool), rank_of_(std::move(rank_of)) {}

    /// Before the first rank starts.
    void prepare(const wire::StartRun& run, const RunDir& dir, const NodePaths& paths);
    /// Before this rank starts, in each attempt: sets its nccl_plugin and nccl_folder.
    void begin(RankProcess& rank);
    /// When there is something to do, on monotonic_s()'s clock.
    double due_s() const;
    void poll(const std::vector<RankProcess>& ranks);
    /// The rank has ended: what it recorded last becomes an event before its exit. Where librankscope-nccl.so saw nothing,
    /// it is what NVIDIA's NCCL Inspector wrote, if that is on.
    void finish(const RankProcess& rank);
    /// Of these ranks, none: of all.
    void set_level(const std::vector<int>& ranks, std::uint32_t level);

private:
    struct Watched {
        RankRings rings;
        double started_s = 0;
        double next_event_s = 0;
        double next_look_s = 0;
        std::uint32_t problems = 0;  ///< that were reported
    };

    void look(const RankProcess& rank, Watched& watched, double now_s);
    void report_problems(int rank, Watched& watched);
    void report_inspector(const RankProcess& rank);
    void report_unobserved(int rank, const std::string& why);
    void emit(int rank, const NcclEvent& event);
    void emit_all(const RankProcess& rank, Watched& watched, double now_s);

    SpoolWriter& spool_;
    RankRings::RankOf rank_of_;
    std::unique_ptr<RingFolder> folder_;
    std::filesystem::path library_;
    int world_size_ = 1;
    bool explicitly_ = false;
    bool wanted_ = false;
    std::map<int, Watched> ranks_;  ///< of this attempt
    std::map<int, std::uint32_t> levels_;
    std::set<int> reported_;  ///< as not observed
    double next_poll_s_ = 0;
    double next_scan_s_ = 0;
};

}  // namespace rankscope::agent
