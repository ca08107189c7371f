// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/frame_fields.h>
#include <remote/wire/frames.pb.h>
#include <remote/wire/rank_snapshot_wire.h>

namespace rankscope {
namespace {

void copy_frame(const wire::ThreadState& frame, RankThread& event) {
    constexpr FromFrame copy;
    RANKSCOPE_FIELDS(tid, name, state, wait_channel, system_call, cpu_s);
}

void copy_frame(const wire::SocketState& frame, RankSocket& event) {
    constexpr FromFrame copy;
    RANKSCOPE_FIELDS(state, local_address, local_port, peer_address, peer_port, unsent, unread, retransmits,
                     retransmitted, zero_window, idle_s, sent_idle_s, answer_idle_s, rtt_s, inode, busy_s,
                     acked_bytes);
}

void copy_frame(const wire::Unseen& frame, NotSeen& event) {
    event = {frame.what(), frame.why()};
}

void copy_frame(const wire::BusyProcess& frame, BusyProcess& event) {
    event = {frame.pid(), frame.user(), frame.command(), frame.cpus()};
}

template <typename Part>
void copy_list(const auto& frames, std::vector<Part>& parts) {
    for (const auto& frame : frames) {
        copy_frame(frame, parts.emplace_back());
    }
}

void copy_frame(const wire::RankSeries& frame, RankSeries& event) {
    constexpr FromFrame copy;
    RANKSCOPE_FIELDS(taken, runs, uses_file, waits_child, sleeps, waits, turns, seconds, queued_s, file,
                     file_system, source, major_faults, cpu_hz, cpu_hz_max, cpu_s);
    copy_list(frame.neighbours(), event.neighbours);
}

void copy_frame(const wire::RankInspection& frame, RankSnapshot& event) {
    constexpr FromFrame copy;
    RANKSCOPE_FIELDS(rank, pid, command, state, wait_channel, system_call, cpu_s, elapsed_s, native_stack,
                     python_stack, python_stack_from, blocked_file, blocked_file_system, blocked_source,
                     blocked_pid, blocked_socket, throttled_s, throttled_by, cpu_limit, memory_stalled_s,
                     io_stalled_s, traced_by, read_bytes, written_bytes, gpu);
    copy_list(frame.threads(), event.threads);
    copy_list(frame.sockets(), event.sockets);
    copy_list(frame.unseen(), event.unseen);
    copy_frame(frame.series(), event.series);
}

}  // namespace

std::vector<RankSnapshot> rank_snapshots_from(const wire::RankInspections& inspections) {
    std::vector<RankSnapshot> states;
    for (const auto& frame : inspections.ranks()) {
        copy_frame(frame, states.emplace_back());
    }
    return states;
}

}  // namespace rankscope
