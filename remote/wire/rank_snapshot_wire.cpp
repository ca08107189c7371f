// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/wire/frames.pb.h>
#include <remote/wire/rank_snapshot_wire.h>

namespace rankscope {
namespace {

RankThread thread_from(const wire::ThreadState& frame) {
    return {frame.tid(),          frame.name(),        frame.state(),
            frame.wait_channel(), frame.system_call(), frame.cpu_s()};
}

RankSocket socket_from(const wire::SocketState& frame) {
    RankSocket socket;
    socket.state = frame.state();
    socket.local_address = frame.local_address();
    socket.local_port = static_cast<int>(frame.local_port());
    socket.peer_address = frame.peer_address();
    socket.peer_port = static_cast<int>(frame.peer_port());
    socket.unsent = frame.unsent();
    socket.unread = frame.unread();
    socket.retransmits = frame.retransmits();
    socket.retransmitted = frame.retransmitted();
    socket.zero_window = frame.zero_window();
    socket.idle_s = frame.idle_s();
    socket.sent_idle_s = frame.sent_idle_s();
    socket.answer_idle_s = frame.answer_idle_s();
    socket.rtt_s = frame.rtt_s();
    socket.inode = frame.inode();
    socket.busy_s = frame.busy_s();
    socket.acked_bytes = frame.acked_bytes();
    return socket;
}

RankSeries series_from(const wire::RankSeries& frame) {
    RankSeries series;
    series.taken = frame.taken();
    series.runs = frame.runs();
    series.uses_file = frame.uses_file();
    series.waits_child = frame.waits_child();
    series.sleeps = frame.sleeps();
    series.waits = frame.waits();
    series.turns = frame.turns();
    series.seconds = frame.seconds();
    series.queued_s = frame.queued_s();
    series.file = frame.file();
    series.file_system = frame.file_system();
    series.source = frame.source();
    series.major_faults = frame.major_faults();
    series.cpu_hz = frame.cpu_hz();
    series.cpu_hz_max = frame.cpu_hz_max();
    for (const auto& one : frame.neighbours()) {
        series.neighbours.push_back({one.pid(), one.user(), one.command(), one.cpus()});
    }
    series.cpu_s = frame.cpu_s();
    return series;
}

RankSnapshot rank_from(const wire::RankInspection& frame) {
    RankSnapshot state;
    state.rank = frame.rank();
    state.pid = frame.pid();
    state.command = frame.command();
    state.state = frame.state();
    state.wait_channel = frame.wait_channel();
    state.system_call = frame.system_call();
    state.cpu_s = frame.cpu_s();
    state.elapsed_s = frame.elapsed_s();
    for (const auto& thread : frame.threads()) {
        state.threads.push_back(thread_from(thread));
    }
    for (const auto& socket : frame.sockets()) {
        state.sockets.push_back(socket_from(socket));
    }
    state.native_stack = {frame.native_stack().begin(), frame.native_stack().end()};
    state.python_stack = {frame.python_stack().begin(), frame.python_stack().end()};
    state.python_stack_from = frame.python_stack_from();
    state.blocked_file = frame.blocked_file();
    state.blocked_file_system = frame.blocked_file_system();
    state.blocked_source = frame.blocked_source();
    state.blocked_pid = frame.blocked_pid();
    state.blocked_socket = frame.blocked_socket();
    state.throttled_s = frame.throttled_s();
    state.throttled_by = frame.throttled_by();
    state.cpu_limit = frame.cpu_limit();
    state.memory_stalled_s = frame.memory_stalled_s();
    state.io_stalled_s = frame.io_stalled_s();
    state.traced_by = frame.traced_by();
    state.read_bytes = frame.read_bytes();
    state.written_bytes = frame.written_bytes();
    state.gpu = frame.gpu();
    for (const auto& unseen : frame.unseen()) {
        state.unseen.push_back({unseen.what(), unseen.why()});
    }
    state.series = series_from(frame.series());
    return state;
}

}  // namespace

std::vector<RankSnapshot> rank_snapshots_from(const wire::RankInspections& inspections) {
    std::vector<RankSnapshot> states;
    for (const auto& frame : inspections.ranks()) {
        states.push_back(rank_from(frame));
    }
    return states;
}

}  // namespace rankscope
