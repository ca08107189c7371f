// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope {

/// A thread of a rank, as the kernel has it.
struct RankThread {
    std::int64_t tid = 0;
    std::string name = {};
    std::string state = {};         ///< R, S, D, T, t, Z, …
    std::string wait_channel = {};  ///< the kernel's function it waits in; empty: it runs
    std::string system_call = {};   ///< empty: it runs, or its calls are not permitted to be seen
    double cpu_s = 0;

    bool operator==(const RankThread&) const = default;
};

/// A TCP socket of a rank.
struct RankSocket {
    std::string state = {};  ///< ESTABLISHED, SYN_SENT, LISTEN, …
    std::string local_address = {};
    int local_port = 0;
    std::string peer_address = {};
    int peer_port = 0;
    std::uint64_t unsent = 0;         ///< bytes that the peer has not acknowledged
    std::uint64_t unread = 0;         ///< bytes that the rank has not read
    std::uint32_t retransmits = 0;    ///< of the segment that waits now
    std::uint32_t retransmitted = 0;  ///< segments, in all
    bool zero_window = false;         ///< the peer takes nothing more
    double idle_s = 0;                ///< since data was received
    double sent_idle_s = 0;           ///< since data was sent
    double answer_idle_s = 0;         ///< since the peer's kernel acknowledged anything
    double rtt_s = 0;
    std::int64_t inode = 0;
    double busy_s = 0;  ///< with data that the network has not delivered yet, in all
    std::uint64_t acked_bytes = 0;

    bool operator==(const RankSocket&) const = default;
};

struct NotSeen {
    std::string what = {};  ///< "system_call", "python_stack", …
    std::string why = {};

    bool operator==(const NotSeen&) const = default;
};

/// A process that is none of the run's, and what it used of the CPUs of a rank.
struct BusyProcess {
    std::int64_t pid = 0;
    std::string user = {};
    std::string command = {};
    double cpus = 0;

    bool operator==(const BusyProcess&) const = default;
};

/// What the main thread of a rank was found to do, in many samples: the fields of the frame RankSeries, which explains
/// them.
struct RankSeries {
    std::uint32_t taken = 0;  ///< 0: none were asked for
    std::uint32_t runs = 0;
    std::uint32_t uses_file = 0;
    std::uint32_t waits_child = 0;
    std::uint32_t sleeps = 0;
    std::uint32_t waits = 0;
    std::uint32_t turns = 0;
    double seconds = 0;
    double queued_s = 0;
    std::string file = {};
    std::string file_system = {};
    std::string source = {};
    std::uint64_t major_faults = 0;
    double cpu_hz = 0;
    double cpu_hz_max = 0;
    std::vector<BusyProcess> neighbours = {};
    double cpu_s = 0;

    bool operator==(const RankSeries&) const = default;
};

/// What one look at a rank has found: the fields of the frame RankInspection, which explains them.
struct RankSnapshot {
    int rank = -1;
    std::int64_t pid = 0;  ///< 0: it has ended
    std::string command = {};
    std::string state = {};
    std::string wait_channel = {};
    std::string system_call = {};
    double cpu_s = 0;      ///< of the rank and all that it has started
    double elapsed_s = 0;  ///< since its start
    std::vector<RankThread> threads = {};
    std::vector<RankSocket> sockets = {};
    std::vector<std::string> native_stack = {};
    std::vector<std::string> python_stack = {};  ///< "train.py:41 in step", innermost first
    std::string python_stack_from = {};
    std::string blocked_file = {};
    std::string blocked_file_system = {};
    std::string blocked_source = {};
    std::int64_t blocked_pid = 0;
    std::int64_t blocked_socket = 0;
    double throttled_s = 0;
    std::string throttled_by = {};
    double cpu_limit = 0;
    double memory_stalled_s = 0;
    double io_stalled_s = 0;
    std::string traced_by = {};
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    bool gpu = false;
    std::vector<NotSeen> unseen = {};
    RankSeries series = {};

    bool operator==(const RankSnapshot&) const = default;
};

}  // namespace rankscope
