// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/session/agent_link.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// What is still on a node: a process of a run, a port, shared memory, GPU memory.
struct Leftover {
    std::string kind;  ///< process, port, shared-memory, other-shared-memory, gpu-memory
    std::string what;  ///< its command line, or the segment's name
    std::int64_t pid = 0;
    std::string user;
    std::int64_t since_us = 0;  ///< µs since 1970; 0: not known
    std::uint64_t bytes = 0;    ///< 0: not known
    int port = 0;
    std::string run_id;  ///< empty: of no run of ours
    bool own = false;    ///< of the user who asks
    bool live = false;   ///< of a run in progress
    // Of a live run:
    std::string run_name = {};
    std::string desk = {};   ///< who started it: user@computer
    bool elsewhere = false;  ///< another Rankscope of this user runs it, with a cache folder of its own
    std::uint64_t start_ticks = 0;  ///< tells a process from a later one with its PID
};

/// Leftovers of one run, or of none.
struct LeftoverGroup {
    std::string run_id;  ///< empty: of no run
    bool live = false;
    std::vector<Leftover> entries;
};
/// Live runs first, then those that are over, then what is of no run; otherwise in their order.
std::vector<LeftoverGroup> by_run(std::vector<Leftover> entries);

/// What may free it.
enum class FreedBy {
    OtherUser,   ///< another user's: shown, never touched
    StopRun,     ///< its run is live
    Clean,       ///< it is what a run has left
    EndProcess,  ///< a program of the user's own, not of ours: only when asked for that one
    RemoveFile   ///< shared memory of the user's that no program uses, of a name that is not known: by hand
};
FreedBy freed_by(const Leftover& entry);

/// Looks, touches nothing. With a port: only who listens there.
Result<std::vector<Leftover>> find_leftovers(AgentLink& link, int port = 0);

struct Cleaned {
    std::vector<std::string> removed;
    std::vector<std::string> kept;  ///< runs in progress
    std::uint64_t bytes = 0;
};
struct CleanRequest {
    std::string run_id;  ///< empty: of all runs that are over
    bool caches = false;
    bool dry_run = false;
};
Result<Cleaned> clean_leftovers(AgentLink& link, const CleanRequest& what);

/// How a process came to its end.
enum class ProcessEnd { Before, Terminated, Killed };
/// SIGTERM, and SIGKILL three seconds later. Before: it was gone already.
Result<ProcessEnd> end_process(AgentLink& link, const Leftover& entry);

}  // namespace rankscope::inline nodes
