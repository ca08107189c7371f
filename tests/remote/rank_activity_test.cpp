// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/rank_activity.h>
#include <remote/wire/frames.pb.h>
#include <remote/wire/rank_snapshot_wire.h>

#include <gtest/gtest.h>

#include <ostream>

namespace rankscope {

void PrintTo(Activity kind, std::ostream* out) {
    *out << to_string(kind);
}

namespace {

RankSocket socket_to(const std::string& address, int port, const std::string& state = "ESTABLISHED") {
    RankSocket socket;
    socket.state = state;
    socket.local_address = "10.0.0.1";
    socket.local_port = 40000 + port % 1000;
    socket.peer_address = address;
    socket.peer_port = port;
    socket.idle_s = 30;
    socket.inode = port;
    return socket;
}

RankSnapshot waiting(const std::string& call, const std::string& channel = "") {
    RankSnapshot state;
    state.rank = 5;
    state.pid = 4711;
    state.state = "S";
    state.system_call = call;
    state.wait_channel = channel;
    state.elapsed_s = 100;
    state.cpu_s = 50;
    state.threads = {{.tid = 4711, .name = "python", .state = "S"}};
    return state;
}

TEST(RankActivity, TheWholeProcessIsHeld) {
    EXPECT_EQ(activity_of({}).kind, Activity::Exited);
    auto state = waiting("futex");
    state.state = "Z";
    state.threads = {{.tid = 4711, .state = "Z"}};
    EXPECT_EQ(activity_of(state).kind, Activity::Exited);
    state.threads.push_back({.tid = 4712, .state = "S"});
    EXPECT_NE(activity_of(state).kind, Activity::Exited) << "its main thread has ended, the others have not";
    state = waiting("recvfrom");
    state.sockets = {socket_to("10.0.0.2", 29500)};
    state.state = "T";
    EXPECT_EQ(activity_of(state).kind, Activity::Stopped);
    EXPECT_TRUE(activity_of(state).certain);
    state.state = "t";
    state.traced_by = "gdb (pid 9, user trainer)";
    EXPECT_EQ(activity_of(state).kind, Activity::Traced);
    EXPECT_EQ(activity_of(state).by, "gdb (pid 9, user trainer)");
    state.state = "S";
    EXPECT_NE(activity_of(state).kind, Activity::Traced) << "strace watches, and the rank runs on";
}

TEST(RankActivity, AGroupThrottles) {
    auto before = waiting("");
    before.throttled_s = 10;
    auto now = before;
    now.state = "R";
    now.elapsed_s += 5;
    now.cpu_s += 0.25;
    now.throttled_s += 4;
    now.throttled_by = "/slurm/job_7";
    now.cpu_limit = 0.05;
    const auto activity = activity_of(now, &before);
    EXPECT_EQ(activity.kind, Activity::Throttled);
    EXPECT_EQ(activity.by, "/slurm/job_7");
    EXPECT_DOUBLE_EQ(activity.cpu_limit, 0.05);
    EXPECT_DOUBLE_EQ(activity.cpu_share, 0.05);
    now.throttled_s = before.throttled_s + 0.1;
    EXPECT_NE(activity_of(now, &before).kind, Activity::Throttled) << "a little is normal";
    EXPECT_NE(activity_of(now).kind, Activity::Throttled) << "it may have been long ago";
    before.pid = 1;
    EXPECT_EQ(activity_of(now, &before).cpu_share, -1) << "another process: a new attempt";
}

TEST(RankActivity, SpinsOnCpu) {
    auto before = waiting("");
    before.state = "R";
    auto now = before;
    now.elapsed_s += 5;
    now.cpu_s += 4.9;
    auto activity = activity_of(now, &before);
    EXPECT_EQ(activity.kind, Activity::SpinsOnCpu);
    EXPECT_TRUE(activity.certain);
    EXPECT_NEAR(activity.cpu_share, 0.98, 1e-9);
    EXPECT_FALSE(activity_of(now).certain) << "one look is a moment";
    now.gpu = true;
    now.python_stack = {"/usr/lib/python3/site-packages/torch/cuda/__init__.py:792 in synchronize",
                        "train.py:41 in step"};
    activity = activity_of(now, &before);
    EXPECT_EQ(activity.kind, Activity::WaitsForGpu);
    EXPECT_EQ(activity.line, "train.py:41 in step");
    now.cpu_s = before.cpu_s + 0.1;
    EXPECT_EQ(activity_of(now, &before).kind, Activity::Runs) << "caught in a short moment of work";
}

TEST(RankActivity, SleepsInTheProgram) {
    for (auto state : {waiting("clock_nanosleep"), waiting("", "hrtimer_nanosleep")}) {
        state.sockets = {socket_to("10.0.0.2", 29500)};
        state.python_stack = {"train.py:12 in <module>"};
        const auto activity = activity_of(state);
        EXPECT_EQ(activity.kind, Activity::Sleeps);
        EXPECT_EQ(activity.line, "train.py:12 in <module>");
        EXPECT_EQ(activity.system_call, "clock_nanosleep");
    }
}

TEST(RankActivity, AFileServerDoesNotAnswer) {
    auto state = waiting("read", "request_wait_answer");
    state.blocked_file = "/data/x";
    state.blocked_file_system = "nfs4";
    state.blocked_source = "10.0.0.9:/data";
    state.blocked_pid = state.pid;
    state.sockets = {socket_to("10.0.0.2", 29500)};
    auto activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::UsesFile);
    EXPECT_TRUE(activity.certain);
    EXPECT_EQ(activity.file, "/data/x");
    EXPECT_EQ(activity.source, "10.0.0.9:/data");
    EXPECT_EQ(activity.helper, 0);

    state.system_call = "poll";
    state.wait_channel = "poll_schedule_timeout";
    state.blocked_pid = 5000;
    activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::UsesFile) << "its data loader waits";
    EXPECT_EQ(activity.helper, 5000);
    EXPECT_FALSE(activity.certain);

    auto unseen = waiting("", "rpc_wait_bit_killable");
    unseen.state = "D";
    EXPECT_EQ(activity_of(unseen).kind, Activity::UsesFile);
    EXPECT_EQ(activity_of(unseen).file_system, "nfs");
    EXPECT_EQ(activity_of(waiting("", "request_wait_answer")).file_system, "fuse");
    auto page = waiting("", "folio_wait_bit_common");
    page.state = "D";
    EXPECT_EQ(activity_of(page).kind, Activity::UsesFile);
    EXPECT_FALSE(activity_of(page).certain);
}

TEST(RankActivity, LocksAndPipes) {
    EXPECT_EQ(activity_of(waiting("futex")).kind, Activity::WaitsForLock);
    EXPECT_TRUE(activity_of(waiting("futex")).certain);
    EXPECT_EQ(activity_of(waiting("", "futex_wait_queue")).kind, Activity::WaitsForLock);
    auto state = waiting("flock", "locks_lock_inode_wait");
    state.blocked_file = "/home/u/.cache/lock";
    state.blocked_file_system = "ext4";
    state.blocked_pid = state.pid;
    EXPECT_EQ(activity_of(state).kind, Activity::WaitsForFileLock);
    EXPECT_EQ(activity_of(state).file, "/home/u/.cache/lock");
    state = waiting("read", "anon_pipe_read");
    state.blocked_file = "pipe:[99]";
    state.blocked_pid = state.pid;
    EXPECT_EQ(activity_of(state).kind, Activity::WaitsForPipe);
    EXPECT_EQ(activity_of(waiting("", "pipe_read")).kind, Activity::WaitsForPipe);
    EXPECT_EQ(activity_of(waiting("wait4", "do_wait")).kind, Activity::WaitsForChild);
    EXPECT_EQ(activity_of(waiting("#60000")).kind, Activity::Unknown);
    EXPECT_EQ(activity_of(waiting("")).kind, Activity::Unknown);
}

TEST(RankActivity, ConnectionsInTrouble) {
    auto state = waiting("futex");
    state.sockets = {socket_to("10.0.0.2", 29500), socket_to("10.0.0.3", 43217, "SYN_SENT")};
    EXPECT_NE(activity_of(state).kind, Activity::Connecting) << "the answer may come in a moment";
    state.sockets[1].retransmits = 2;
    auto activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::Connecting);
    EXPECT_EQ(activity.peer_address, "10.0.0.3");
    EXPECT_EQ(activity.peer_port, 43217);

    state.sockets[1] = socket_to("10.0.0.3", 43217);
    state.sockets[1].unsent = 4096;
    state.sockets[1].retransmits = 3;
    activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::DataUnanswered);
    EXPECT_EQ(activity.unsent, 4096U);

    state.sockets[1].retransmits = 0;
    state.sockets[1].zero_window = true;
    EXPECT_EQ(activity_of(state).kind, Activity::PeerTakesNothing);

    state = waiting("connect");
    state.sockets = {socket_to("10.0.0.3", 43217, "SYN_SENT")};
    state.blocked_socket = state.sockets[0].inode;
    EXPECT_EQ(activity_of(state).kind, Activity::Connecting) << "the main thread is in it";
}

TEST(RankActivity, WaitsForOnePeerOrForAll) {
    auto state = waiting("recvfrom");
    state.sockets = {socket_to("10.0.0.2", 29500), socket_to("10.0.0.3", 43217)};
    state.sockets[0].idle_s = 12;
    state.blocked_socket = state.sockets[1].inode;
    auto activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::WaitsForPeer);
    EXPECT_EQ(activity.peer_port, 43217);
    EXPECT_DOUBLE_EQ(activity.idle_s, 30);

    state = waiting("futex");
    state.sockets = {socket_to("10.0.0.2", 29500), socket_to("10.0.0.3", 43217)};
    state.sockets[0].idle_s = 12;
    activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::WaitsInCollective);
    EXPECT_FALSE(activity.certain) << "it may be a lock of the program";
    EXPECT_DOUBLE_EQ(activity.idle_s, 12);

    state.python_stack = {
        "/venv/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py:2810 in all_reduce",
        "/home/u/train.py:41 in step"};
    activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::WaitsInCollective);
    EXPECT_TRUE(activity.certain);
    EXPECT_EQ(activity.line, "/home/u/train.py:41 in step");

    state.python_stack = {"/venv/lib/python3.11/site-packages/torch/autograd/__init__.py:197 in backward",
                          "/venv/lib/python3.11/site-packages/torch/_tensor.py:488 in backward",
                          "/home/u/train.py:52 in step"};
    EXPECT_EQ(activity_of(state).kind, Activity::WaitsInCollective) << "the gradients are reduced there";
    EXPECT_TRUE(activity_of(state).certain);
    state.python_stack = {"/usr/lib/python3.11/threading.py:320 in wait",
                          "/usr/lib/python3.11/queue.py:171 in get", "/home/u/train.py:12 in load"};
    activity = activity_of(state);
    EXPECT_EQ(activity.kind, Activity::WaitsForLock);
    EXPECT_EQ(activity.line, "/home/u/train.py:12 in load");
    state.python_stack = {"<frozen runpy>:88 in run", "/home/u/lib/python/train.py:12 in load"};
    EXPECT_EQ(own_line_of(state), "/home/u/lib/python/train.py:12 in load");
    state.python_stack = {
        "/usr/lib/python3/dist-packages/torch/distributed/distributed_c10d.py:1541 in all_reduce",
        "<frozen importlib._bootstrap>:241 in _call_with_frames_removed", "<string>:11 in <module>"};
    EXPECT_EQ(own_line_of(state), "<string>:11 in <module>") << "python -c";

    auto listening = waiting("accept");
    listening.sockets = {socket_to("", 0, "LISTEN")};
    listening.sockets[0].inode = 7;
    listening.blocked_socket = 7;
    EXPECT_EQ(activity_of(listening).kind, Activity::WaitsForConnection);
    EXPECT_EQ(activity_of(listening).peer_port, 40000);
}

TEST(RankActivity, OtherThreadsWork) {
    auto before = waiting("futex");
    before.sockets = {socket_to("10.0.0.2", 29500)};
    auto now = before;
    now.elapsed_s += 5;
    now.cpu_s += 15;
    EXPECT_EQ(activity_of(now, &before).kind, Activity::Runs);
}

TEST(RankActivity, EveryFieldComesFromItsFrame) {
    wire::RankInspections inspections;
    inspections.add_ranks();
    auto* rank = inspections.add_ranks();
    rank->set_rank(3);
    rank->set_pid(4711);
    rank->set_state("S");
    rank->set_system_call("recvfrom");
    rank->set_blocked_socket(77);
    rank->set_throttled_by("/x");
    rank->set_cpu_limit(0.5);
    rank->set_gpu(true);
    rank->add_python_stack("train.py:41 in step");
    auto* thread = rank->add_threads();
    thread->set_tid(4712);
    thread->set_name("pt_autograd_0");
    thread->set_system_call("futex");
    auto* socket = rank->add_sockets();
    socket->set_state("ESTABLISHED");
    socket->set_peer_address("10.0.0.3");
    socket->set_peer_port(43217);
    socket->set_retransmits(2);
    socket->set_unsent(5);
    socket->set_answer_idle_s(1.5);
    socket->set_inode(77);
    auto* unseen = rank->add_unseen();
    unseen->set_what("native_stack");
    unseen->set_why("no eu-stack");
    const auto states = rank_snapshots_from(inspections);
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0], RankSnapshot{.rank = 0});
    const auto& state = states[1];
    EXPECT_EQ(state.rank, 3);
    EXPECT_EQ(state.threads,
              (std::vector<RankThread>{{.tid = 4712, .name = "pt_autograd_0", .system_call = "futex"}}));
    EXPECT_EQ(state.sockets.at(0).answer_idle_s, 1.5);
    EXPECT_EQ(state.throttled_by, "/x");
    EXPECT_TRUE(state.gpu);
    EXPECT_EQ(state.unseen, (std::vector<NotSeen>{{"native_stack", "no eu-stack"}}));
    EXPECT_EQ(activity_of(state).kind, Activity::DataUnanswered);
    EXPECT_EQ(activity_of(state).line, "train.py:41 in step");
}

}  // namespace
}  // namespace rankscope
