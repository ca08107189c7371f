// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/diagnosis/rank_snapshot.h>

#include <array>
#include <cstdint>
#include <string>

namespace rankscope {

/// What a rank does. Those that wait for something outside of the rank name it in RankActivity.
enum class Activity {
    Unknown,
    Runs,                ///< it computes, or waits for nothing in particular
    Exited,              ///< its process is gone, or a zombie
    Stopped,             ///< by a signal: SIGSTOP, SIGTSTP, …
    Traced,              ///< a debugger holds it
    Throttled,           ///< its cgroup permits no more CPU time
    Connecting,          ///< a connection gets no answer
    WaitsForConnection,  ///< it accepts connections, and none has arrived
    DataUnanswered,      ///< the peer's host does not acknowledge what was sent
    PeerTakesNothing,    ///< the peer's program does not read
    WaitsForPeer,        ///< nothing comes from a peer that is connected
    WaitsInCollective,   ///< all its connections are idle: a peer has not arrived
    UsesFile,            ///< a file system does not answer
    WaitsForFileLock,
    WaitsForPipe,   ///< another process of this node does not write, or read
    WaitsForLock,   ///< of the program: a mutex, a condition, a queue
    WaitsForChild,  ///< a process that it has started
    WaitsForGpu,
    Sleeps,  ///< sleep() in the program
    SpinsOnCpu,
};

template <>
struct EnumNames<Activity> {
    static constexpr auto names = std::to_array<const char*>({"unknown",         "runs",
                                                              "exited",          "stopped",
                                                              "traced",          "throttled",
                                                              "connecting",      "waits-for-connection",
                                                              "data-unanswered", "peer-takes-nothing",
                                                              "waits-for-peer",  "waits-in-collective",
                                                              "uses-file",       "waits-for-file-lock",
                                                              "waits-for-pipe",  "waits-for-lock",
                                                              "waits-for-child", "waits-for-gpu",
                                                              "sleeps",          "spins-on-cpu"});
};

struct RankActivity {
    Activity kind = Activity::Unknown;
    bool certain = false;  ///< no other kind fits what was seen; else it is the likeliest

    std::string peer_address = {};  ///< of the connection; WaitsForConnection: our own address
    int peer_port = 0;
    std::uint64_t unsent = 0;  ///< bytes that wait on it
    double idle_s = 0;  ///< since data came from that peer, or from any where there is none; 0: not known

    std::string file = {};  ///< as the kernel names it; empty: not known
    std::string file_system = {};
    std::string source = {};  ///< what is mounted there: "10.0.0.9:/data"
    std::int64_t helper =
        0;  ///< the thread, or the process below the rank, that is in this call; 0: the main thread
    std::string by = {};           ///< Traced: the debugger; Throttled: the cgroup
    double cpu_limit = 0;          ///< Throttled: cores that are permitted; 0: not known
    double cpu_share = -1;         ///< cores used since the look before; negative: there was none
    std::string system_call = {};  ///< of its main thread, also where only the wait channel shows it
    std::string line = {};         ///< the user's own line of the Python stack: "train.py:41 in step"

    bool operator==(const RankActivity&) const = default;
};

/// What a rank does, from one look at it and, where there is one, an earlier look: without it, throttling and CPU use
/// cannot be seen.
RankActivity activity_of(const RankSnapshot& now, const RankSnapshot* before = nullptr);

/// The innermost frame that is not of a library ("…/site-packages/…", "…/lib/python3.11/…"); empty: none.
std::string own_line_of(const RankSnapshot& state);

}  // namespace rankscope
