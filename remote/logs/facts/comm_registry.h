// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/nccl_message.h>
#include <remote/logs/facts/run_facts.h>
#include <remote/logs/grammar/log_line.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::logs {

/// Rings, trees and edges of a communicator; or of a thread whose communicator is not named yet: before 2.18 its
/// only line comes at the end of init.
struct Topology {
    std::vector<RingList> lists;
    std::vector<RingHop> hops;
    std::vector<TreeNode> trees;
    std::vector<Edge> edges;
    std::uint64_t edges_left_out = 0;
    ChannelCounts counts;
    std::vector<TuningFact> tuning;

    bool empty() const;
    void append(Topology&& other);
    void add(const Edge& edge);
    void add(TuningFact fact);
};

/// Which communicators there are, who belongs to them, and which one a line is about.
class CommRegistry {
public:
    /// Index of a thread of a process (see LogLine), for the calls below.
    std::size_t thread(std::size_t process, std::int64_t tid);

    void comm(std::size_t thread, const CommLine& comm, const LogLine& line);
    void timings(std::size_t thread, const InitTimings& timings);
    /// The thread has all connections. `device`: LogLine::device.
    void connected(std::size_t thread, int device, double time);
    void call(std::size_t thread, const CallLine& call);
    /// Where the topology goes that a thread prints. `device`: LogLine::device.
    Topology& topology(std::size_t thread, int device);

    /// The communicators with all that was found, and an empty registry.
    std::vector<Communicator> take(const std::vector<ProcessFacts>& processes);

private:
    struct Member {
        std::size_t comm = 0;
        std::size_t index = 0;  ///< in Work::facts.members
    };
    struct Thread {
        std::size_t process = 0;
        std::vector<Member> members;  ///< that it set up; the last is the current one
        Topology waiting;
    };
    struct Work {
        Communicator facts;
        Topology topology;
        std::unordered_map<int, std::size_t> by_rank;  ///< → index in facts.members
    };

    Member* member_of(std::size_t process, std::uint64_t pointer);
    const Member* current(const Thread& thread, int device) const;
    Member add_member(std::size_t process, const CommLine& comm);
    std::size_t find_comm(const CommLine& comm);
    const CommMember& facts(const Member& member) const {
        return comms_[member.comm].facts.members[member.index];
    }
    CommMember& facts(const Member& member) { return comms_[member.comm].facts.members[member.index]; }

    std::vector<Work> comms_;
    std::vector<Thread> threads_;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> thread_index_;
    std::unordered_map<std::size_t, std::vector<Member>> of_process_;
    std::unordered_map<std::string, std::size_t> by_id_;
    std::unordered_map<int, std::vector<std::size_t>> without_id_;  ///< by nranks
};

}  // namespace rankscope::logs
