// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inner/inner_tree.h>
#include <remote/agent/inner/stream_pool.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/node/process_end.h>
#include <remote/agent/probes/rank_processes.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/ranks/rank_reader.h>
#include <remote/agent/spool/spool.h>
#include <remote/wire/frames.pb.h>

#include <poll.h>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// The ranks that programs of this node's ranks start themselves: finds them, reads what they write into pipes of their
/// own, and reports their ends and stops. What becomes of the run is left to the program, which has started them. Part of
/// the supervisor, on its thread.
class InnerWatch {
public:
    struct Hooks {
        /// The end of a rank is a consequence of our own stop.
        std::function<bool(const RankProcess& rank, const wire::Exit& exit)> requested;
        /// Adds reason, traceback and last lines to the end of a rank.
        std::function<void(RankProcess& rank, wire::Exit& exit)> explain;
    };

    InnerWatch(SpoolWriter& spool, RankReader& reader, Hooks hooks);

    /// Before the ranks of an attempt start.
    void begin_attempt(const wire::StartRun& run, const RunDir& dir, std::uint32_t attempt);
    /// Before this rank starts.
    void begin(const RankProcess& outer);
    void add_to(std::vector<pollfd>& fds) const;
    /// When there is something to do though nothing arrives, on monotonic_s()'s clock.
    double due_s() const;
    /// `stops`: a stopped process is worth a notice.
    void poll(std::vector<RankProcess>& outers, bool stops);
    /// This rank's process has ended, and with it those that it has started: what is left of them becomes events. Marks
    /// `exit`. Returns why it failed, where one of its ranks failed first.
    std::optional<wire::Cause> finish(RankProcess& outer, wire::Exit& exit);
    /// The rank of the run that a program here has started as this process; -1: it is none.
    int rank_of(pid_t pid) const;
    /// The same of the nearest of the processes above it that is one.
    int rank_above(pid_t pid) const;

private:
    /// A process below a rank that has pipes of its own, or is a rank.
    struct Inner {
        RankProcess process;
        int outer = 0;
        std::uint64_t start_ticks = 0;
        std::optional<InnerRankFound> found;
        std::optional<ProcessEnd> end;
        bool gone = false;
        double heard_at = 0;  ///< when it first wrote into pipes of its own; 0: not yet, or it has none
        bool sorted = true;   ///< what it writes may be read: who it is, is known, or has been waited for
    };
    /// Of a rank that Rankscope has started.
    struct Outer {
        StreamPool pool;
        std::set<int> known;  ///< its ranks, those that have ended, too
        std::optional<InnerRankFound> itself;
        bool alone_in_mpi = false;          ///< and that was said
        std::optional<wire::Cause> failed;  ///< the first of its ranks that did
    };

    Inner& add(const RankProcess& outer, pid_t pid, std::uint64_t start_ticks);
    bool take_pipes(const std::vector<RankProcess>& outers);
    void read();
    bool is_held_back(Inner& inner);
    void notice_ends();
    void scan(std::vector<RankProcess>& outers, bool stops);
    std::vector<TreeProcess> tree_of(const RankProcess& outer, const ProcessTable& table);
    const std::string& environment_of_process(pid_t pid, const ProcessStat& stat);
    std::string ask(int outer, pid_t pid);
    bool take(RankProcess& outer, const InnerRankFound& found, const ProcessTable& table);
    void assign_shared(RankProcess& outer, const std::vector<TreeProcess>& tree);
    RankProcess* owner_of(int outer, std::string_view line);
    void report_end(Inner& inner);
    void watch_stop(RankProcess& process, bool stopped);
    void write_list(int outer) const;
    Inner* find(pid_t pid);

    SpoolWriter& spool_;
    RankReader& reader_;
    Hooks hooks_;
    wire::StartRun run_;
    RunDir dir_;
    std::uint32_t attempt_ = 0;
    int world_size_ = 1;
    bool wanted_ = false;
    std::map<int, Outer> outers_;  ///< by the rank that Rankscope has started
    std::list<Inner> inner_;
    struct Known {
        std::uint64_t start_ticks = 0;
        double since = 0;
        std::string environment;
        double asked_every = 0;
        double next_ask = 0;
    };
    std::map<pid_t, Known> environments_;
    double next_scan_ = 0;
    double changed_at_ = 0;
};

}  // namespace rankscope::agent
