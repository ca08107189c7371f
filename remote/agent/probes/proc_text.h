// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Readers of the texts in /proc/PID and of a cgroup's files. Whatever they are given, they return what is there and
/// nothing else: a line that is not understood is left out.

/// The next word of `text`, ended by blanks, tabs or line ends, and what follows it stays in `text`; empty: none.
std::string_view next_word(std::string_view& text);
/// The next line without its end, and what follows it stays in `text`.
std::string_view next_line(std::string_view& text);
/// A whole word as an unsigned number; nothing: it is none.
std::optional<std::uint64_t> number_of(std::string_view word, int base = 10);

/// /proc/PID/stat, and that of a thread.
struct ProcessStat {
    std::string command;  ///< at most 15 bytes, any bytes
    char state = '?';
    std::int64_t parent = 0;
    std::uint64_t cpu_ticks = 0;       ///< user and system
    std::uint64_t children_ticks = 0;  ///< of children that have ended
    std::uint64_t threads = 0;
    std::uint64_t start_ticks = 0;   ///< since boot
    std::uint64_t major_faults = 0;  ///< pages that were read from disk
    std::uint64_t processor = 0;     ///< that it ran on last
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

/// Seconds that a thread could run and had no CPU: /proc/PID/schedstat.
std::optional<double> parse_queued_s(std::string_view text);

/// "4711" of the line "TracerPid:\t4711" in /proc/PID/status and in fdinfo; empty: there is no such line.
std::string_view field_of_status(std::string_view text, std::string_view name);

/// /proc/PID/syscall.
struct SystemCall {
    std::int64_t number = 0;
    std::array<std::uint64_t, 6> arguments{};
};
/// Nothing: the thread runs, or waits outside of a system call (a page fault).
std::optional<SystemCall> parse_system_call(std::string_view text);

/// Bytes that reached, or came from, storage: /proc/PID/io.
struct ProcessIo {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
};
ProcessIo parse_process_io(std::string_view text);

/// A line of /proc/PID/mountinfo.
struct Mount {
    std::uint64_t id = 0;
    std::string root;     ///< the folder of the file system that is mounted
    std::string point;    ///< as the process sees it
    std::string type;     ///< ext4, nfs4, fuse.sshfs, …
    std::string source;   ///< /dev/vda, 10.0.0.9:/export, …
    std::string options;  ///< of the file system, separated by commas
};
std::vector<Mount> parse_mountinfo(std::string_view text);

/// A line of /proc/PID/cgroup.
struct CgroupLine {
    std::string controllers;  ///< separated by commas; empty: version 2
    std::string path;
};
std::vector<CgroupLine> parse_cgroup(std::string_view text);

/// Seconds that the group was not permitted to run, of cpu.stat (throttled_usec, version 1: throttled_time).
double parse_throttled_s(std::string_view text);
/// Cores that cpu.max permits; 0: no limit.
double parse_cpu_max(std::string_view text);
/// Seconds in which all tasks were stalled: "full … total=" of a pressure file. Nothing: the file has no such line.
std::optional<double> parse_full_pressure_s(std::string_view text);

/// A line of /proc/net/tcp or tcp6.
struct TcpLine {
    std::string local_address;
    std::uint16_t local_port = 0;
    std::string peer_address;
    std::uint16_t peer_port = 0;
    std::uint64_t state = 0;  ///< as in linux/tcp_states.h
    std::uint64_t unsent = 0;
    std::uint64_t unread = 0;
    std::uint64_t timer = 0;  ///< 1 retransmission, 2 keep-alive, 4 zero window
    std::uint64_t retransmits = 0;
    std::uint64_t inode = 0;
};
std::vector<TcpLine> parse_net_tcp(std::string_view text);

}  // namespace rankscope::agent
