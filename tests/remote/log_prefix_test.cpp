// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/line_parser.h>

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>

namespace rankscope::logs {
namespace {

LogLine parsed(std::string_view text, std::string_view file = "out.log") {
    static LineParser parser;
    parser = {};
    parser.begin(file, 1'795'392'000);  // 2026-11-23
    return parser.parse({{0, 1}, text});
}

TEST(LogPrefix, NcclInfo) {
    const auto line = parsed("gpu-01:18681:18690 [3] NCCL INFO Bootstrap : Using eth0:10.20.0.11<0>");
    EXPECT_EQ(line.speaker, Speaker::Nccl);
    EXPECT_EQ(line.level, LineLevel::Info);
    EXPECT_EQ(line.host, "gpu-01");
    EXPECT_EQ(line.pid, 18681);
    EXPECT_EQ(line.tid, 18690);
    EXPECT_EQ(line.device, 3);
    EXPECT_EQ(line.message, "Bootstrap : Using eth0:10.20.0.11<0>");
    EXPECT_TRUE(std::isnan(line.time));
}

TEST(LogPrefix, NcclWarnHasItsPlace) {
    const auto line =
        parsed("gpu-01:19:19 [0] misc/socket.cc:504 NCCL WARN Net : Connect to 10.0.0.1<4> failed");
    EXPECT_EQ(line.level, LineLevel::Warn);
    EXPECT_EQ(line.source, "misc/socket.cc:504");
    EXPECT_EQ(line.message, "Net : Connect to 10.0.0.1<4> failed");
}

TEST(LogPrefix, NcclWarnOf230HasTimeAndFunction) {
    const auto line =
        parsed("[2026-11-20 18:35:02] node-b:7:9 [1] misc/socket.cc:71 (socketProgress) NCCL WARN closed");
    EXPECT_EQ(line.source, "misc/socket.cc:71");
    EXPECT_EQ(line.message, "closed");
    EXPECT_EQ(line.host, "node-b");
    EXPECT_EQ(line.time, 1795199702);
}

TEST(LogPrefix, NcclUnixTime) {
    const auto line = parsed("[1795192288.724679] node:12:34 [0] NCCL INFO Using network Socket");
    EXPECT_NEAR(line.time, 1795192288.724679, 1e-6);
    EXPECT_EQ(line.message, "Using network Socket");
}

TEST(LogPrefix, NcclTraceAndCall) {
    const auto trace =
        parsed("node-01:103:313 [0] 12.5 nccl_net_ofi_init:1284 NCCL TRACE NET/OFI Provider cxi");
    EXPECT_EQ(trace.source, "nccl_net_ofi_init:1284");
    EXPECT_EQ(trace.message, "NET/OFI Provider cxi");
    const auto call = parsed("node-01:103:313 NCCL CALL ncclGroupStart()");
    EXPECT_EQ(call.message, "ncclGroupStart()");
    EXPECT_EQ(call.device, -1);
    EXPECT_EQ(parsed("NCCL version 2.10.3+cuda13.0").speaker, Speaker::Nccl);
    EXPECT_EQ(parsed("NCCL version 2.10.3+cuda13.0").message, "NCCL version 2.10.3+cuda13.0");
}

TEST(LogPrefix, NcclOf232HasAttentionAndDiagnostics) {
    const auto attention =
        parsed("[2026-11-20 18:35:02] node-b:7:9 [1] init.cc:71 (commAlloc) NCCL ATTN Cuda Host Alloc");
    EXPECT_EQ(attention.level, LineLevel::Info);
    EXPECT_EQ(attention.source, "init.cc:71");
    EXPECT_EQ(attention.message, "Cuda Host Alloc");
    const auto fault = parsed("node-b:7 NCCL DIAG [CRIT] ECC: uncorrected volatile errors on rank(s) 5");
    EXPECT_EQ(fault.host, "node-b");
    EXPECT_EQ(fault.pid, 7);
    EXPECT_EQ(fault.level, LineLevel::Warn);
    EXPECT_EQ(fault.message, "[CRIT] ECC: uncorrected volatile errors on rank(s) 5");
    EXPECT_EQ(parsed("node-b:7 NCCL DIAG === RAS Diagnostics ===").message, "=== RAS Diagnostics ===");
    EXPECT_EQ(parsed("step 7 node-b:7 NCCL DIAG [OK] NVLink: all active").speaker, Speaker::Nccl);
}

TEST(LogPrefix, NcclBehindAnUnfinishedLine) {
    const auto line = parsed(" 12%|###   | 3/25 node-1:77:78 [0] NCCL INFO Connected all rings");
    EXPECT_EQ(line.host, "node-1");
    EXPECT_EQ(line.message, "Connected all rings");
    const auto cut = parsed("103:3134364 [0] NCCL INFO NCCL_CROSS_NIC set by environment to 1.");
    EXPECT_EQ(cut.speaker, Speaker::Nccl);
    EXPECT_EQ(cut.message, "NCCL_CROSS_NIC set by environment to 1.");
}

TEST(LogPrefix, Kubernetes) {
    const auto line =
        parsed("2026-07-17T02:20:41.693432562Z verify-pod:41:41 [0] NCCL INFO cudaDriverVersion 12040");
    EXPECT_NEAR(line.time, 1784254841.693432562, 1e-6);
    EXPECT_EQ(line.host, "verify-pod");
    const auto cri = parsed("2026-07-17T02:20:41.693432562+02:00 stderr F RuntimeError: boom");
    EXPECT_NEAR(cri.time, 1784254841.693432562 - 7200, 1e-6);
    EXPECT_EQ(cri.message, "RuntimeError: boom");
    const auto pod = parsed("[pod/trainer-worker-3/pytorch] Traceback (most recent call last):");
    EXPECT_EQ(pod.host, "trainer-worker-3");
    EXPECT_EQ(pod.message, "Traceback (most recent call last):");
    EXPECT_EQ(pod.level, LineLevel::Error);
}

TEST(LogPrefix, TorchRankAndGlog) {
    const auto line =
        parsed("[rank3]:[E1120 18:35:02.265149503 ProcessGroupNCCL.cpp:683] [Rank 3] Watchdog caught");
    EXPECT_EQ(line.rank, 3);
    EXPECT_EQ(line.speaker, Speaker::Torch);
    EXPECT_EQ(line.level, LineLevel::Error);
    EXPECT_EQ(line.source, "ProcessGroupNCCL.cpp:683");
    EXPECT_EQ(line.message, "[Rank 3] Watchdog caught");
    EXPECT_NEAR(line.time, 1795199702.265149503, 1e-6);
    const auto old = parsed("[rank7]:[E ProcessGroupNCCL.cpp:828] [Rank 7] Timeout");
    EXPECT_EQ(old.rank, 7);
    EXPECT_EQ(old.source, "ProcessGroupNCCL.cpp:828");
    const auto gloo =
        parsed("[E1120 18:35:02.2 ProcessGroupGloo.cpp:145] Gloo connectFullMesh failed with …");
    EXPECT_EQ(gloo.level, LineLevel::Error);
    const auto short_month = parsed("[rank3]:[E810 03:04:11.06 ProcessGroupNCCL.cpp:683] late");
    EXPECT_NEAR(short_month.time, 1786331051.06, 1e-6);
    EXPECT_EQ(short_month.message, "late");
}

TEST(LogPrefix, TorchrunAgent) {
    const auto line = parsed(
        "E1120 18:35:02.265000 140123 torch/distributed/elastic/multiprocessing/api.py:869] failed "
        "(exitcode: 1)");
    EXPECT_EQ(line.speaker, Speaker::Launcher);
    EXPECT_EQ(line.level, LineLevel::Error);
    EXPECT_EQ(line.pid, 140123);
    EXPECT_EQ(line.message, "failed (exitcode: 1)");
    const auto logging =
        parsed("ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0");
    EXPECT_EQ(logging.speaker, Speaker::Launcher);
    EXPECT_EQ(logging.message, "failed (exitcode: 1) local_rank: 0");
    const auto torch20 = parsed(
        "[2024-01-02 03:04:05,678] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: "
        "-9)");
    EXPECT_EQ(torch20.level, LineLevel::Error);
    EXPECT_EQ(torch20.message, "failed (exitcode: -9)");
}

TEST(LogPrefix, TorchrunTee) {
    EXPECT_EQ(parsed("[default5]:Traceback (most recent call last):").local_rank, 5);
    EXPECT_EQ(parsed("[default5]:Traceback (most recent call last):").message,
              "Traceback (most recent call last):");
    EXPECT_EQ(parsed("[trainer1|9]: x").rank, 9);
}

TEST(LogPrefix, SlurmLabel) {
    EXPECT_EQ(parsed("13: node-1:5:6 [0] NCCL INFO Using network IB").rank, 13);
    EXPECT_EQ(parsed("13: node-1:5:6 [0] NCCL INFO Using network IB").message, "Using network IB");
    EXPECT_EQ(parsed("  3: RuntimeError: no").rank, 3);
    EXPECT_EQ(parsed("slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED ***").speaker, Speaker::Launcher);
}

TEST(LogPrefix, Mpirun) {
    const auto line = parsed("[1,12]<stdout>:worker-1:29:29 [4] NCCL INFO NET/OFI Selected Provider is efa");
    EXPECT_EQ(line.rank, 12);
    EXPECT_EQ(line.host, "worker-1");
    EXPECT_EQ(line.device, 4);
    EXPECT_EQ(parsed("[1,3]<stderr>:Segmentation fault").message, "Segmentation fault");
    EXPECT_EQ(parsed("[prterun-n1-77@1,3]<stderr>: x").rank, 3);
    EXPECT_EQ(parsed("[2] n1:29:29 [4] NCCL INFO x").rank, 2);
    EXPECT_EQ(parsed("[2] is no rank").rank, -1);
}

TEST(LogPrefix, DeepSpeed) {
    LineParser parser;
    parser.begin("out", 0);
    EXPECT_EQ(parser.parse({{0, 1}, "worker-1: [rank4]: RuntimeError: x"}).host, "worker-1");
    EXPECT_EQ(parser.parse({{0, 2}, "worker-1: plain text"}).host, "worker-1");
    EXPECT_EQ(parser.parse({{0, 2}, "worker-1: plain text"}).message, "plain text");
    EXPECT_EQ(parser.parse({{0, 3}, "debug1: identity file"}).host, "");
    const auto line = parser.parse({{0, 4},
                                    "[2024-01-02 03:04:05,678] [ERROR] [launch.py:325:sigkill_handler] "
                                    "['python'] exits with return code = 1"});
    EXPECT_EQ(line.speaker, Speaker::Launcher);
    EXPECT_EQ(line.level, LineLevel::Error);
    EXPECT_EQ(line.source, "launch.py:325");
    EXPECT_EQ(line.message, "['python'] exits with return code = 1");
}

TEST(LogPrefix, KernelAndSyslog) {
    const auto line =
        parsed("Nov 20 18:35:02 node-b kernel: [ 1234.567890] NVRM: Xid (PCI:0000:41:00): 79, pid=1");
    EXPECT_EQ(line.speaker, Speaker::Kernel);
    EXPECT_EQ(line.host, "node-b");
    EXPECT_EQ(line.time, 1795199702);
    EXPECT_EQ(line.message, "NVRM: Xid (PCI:0000:41:00): 79, pid=1");
    EXPECT_EQ(parsed("[12345.678901] Out of memory: Killed process 5 (python)").speaker, Speaker::Kernel);
    const auto slurmd =
        parsed("2026-11-20T18:35:02+00:00 n1 slurmstepd[77]: error: Detected 1 oom_kill event");
    EXPECT_EQ(slurmd.speaker, Speaker::Launcher);
    EXPECT_EQ(slurmd.pid, 77);
}

TEST(LogPrefix, Python) {
    const auto line = parsed("2024-01-02 03:04:05,678 - ERROR - it failed");
    EXPECT_EQ(line.level, LineLevel::Error);
    EXPECT_EQ(line.message, "it failed");
    EXPECT_EQ(parsed("RuntimeError: CUDA out of memory").level, LineLevel::Error);
    EXPECT_EQ(parsed("(RayTrainWorker pid=1234, ip=10.0.0.1) hello").pid, 1234);
}

TEST(LogPrefix, NamesOfFiles) {
    EXPECT_EQ(parsed("x", "logs/gpu-01-rank-3.log").rank, 3);
    EXPECT_EQ(parsed("x", "logs/gpu-01-rank-3.log").host, "") << "the name of a file is no node";
    EXPECT_EQ(parsed("x", "logs/gpu-01-rank-3.log").view, "gpu-01");
    EXPECT_EQ(parsed("x", "logs/gpu-01-rank-3.log").origin(), "gpu-01");
    EXPECT_EQ(parsed("node-7:1:2 [0] NCCL INFO x", "logs/gpu-01-rank-3.log").origin(), "node-7");
    EXPECT_EQ(parsed("x", "report-005.txt").origin(), "");
    EXPECT_EQ(parsed("x", "run/none_abc/attempt_0/3/stderr.log").local_rank, 3);
    EXPECT_EQ(parsed("x", "log-0013.txt").host, "");
    EXPECT_EQ(parsed("x", "slurm-4711.out").host, "");
    EXPECT_EQ(parsed("x", "run-2024-01.log").host, "");
}

TEST(LogPrefix, LabelsOfUnknownLaunchers) {
    const auto nemo = parsed("i.pretrain/0 [default2]:[rank2]: RuntimeError: found NaN");
    EXPECT_EQ(nemo.rank, 2);
    EXPECT_EQ(nemo.message, "RuntimeError: found NaN");
    EXPECT_EQ(nemo.level, LineLevel::Error);
    EXPECT_EQ(parsed("trainer/0 ValueError: x").message, "ValueError: x");
    EXPECT_EQ(parsed("worker-3 pytorch Traceback (most recent call last):").host, "worker-3");
    EXPECT_EQ(parsed("it ended with a ValueError: x").message, "it ended with a ValueError: x");
    const auto pdsh = parsed("10.3.35.83: WARN: Function: main Line: 66: NET/OFI OFI NCCL failure: 2");
    EXPECT_EQ(pdsh.host, "10.3.35.83");
    EXPECT_EQ(pdsh.level, LineLevel::Warn);
    EXPECT_EQ(parsed("node-a: Test CUDA failure common.cu:892 'invalid device ordinal'").host, "node-a");
    EXPECT_EQ(parsed("gpu-4: RuntimeError: boom").host, "gpu-4");
    EXPECT_EQ(parsed("libfoo-2.so: cannot open shared object file").host, "");
    EXPECT_EQ(parsed("[rank: 3] RuntimeError: boom").rank, 3);
    EXPECT_EQ(parsed("[node-a:4711] *** Process received signal ***").host, "node-a");
    EXPECT_EQ(parsed("[utils.py:96] a step").host, "");
    EXPECT_EQ(parsed("stderr: RuntimeError: boom").message, "RuntimeError: boom");
}

TEST(LogPrefix, MessageBehindAProgressBar) {
    const auto line = parsed(
        "[rank0]: Map:   9%|▊   | 28/296 [29:55<4:48:08, 155.57 examples/s][E ProcessGroupNCCL.cpp:475] "
        "[Rank 2] "
        "Watchdog caught");
    EXPECT_EQ(line.message, "[Rank 2] Watchdog caught");
    EXPECT_EQ(line.level, LineLevel::Error);
    EXPECT_EQ(line.bar_rank, 0);
    EXPECT_TRUE(line.bar.starts_with("Map:   9%")) << line.bar;
    const auto closed =
        parsed(" 16%|# | 4084/25120 [3:02:22<16:20:02,  2.79s/it, loss=1.2]slurmstepd: error: x");
    EXPECT_EQ(closed.speaker, Speaker::Launcher);
    EXPECT_EQ(parsed(" 16%|# | 4084/25120 [3:02:22<16:20:02,  2.79s/it]").bar, "");
}

TEST(LogPrefix, RankWithinTheMessage) {
    EXPECT_EQ(parsed("[E ProcessGroupNCCL.cpp:475] [Rank 2] Watchdog caught").rank, 2);
    EXPECT_EQ(parsed("[E817 17:40:34.2 ProcessGroupNCCL.cpp:1515] [PG 0 (default_pg) Rank 12] ended").rank,
              12);
    EXPECT_EQ(parsed("[Rank 2] starts").rank, -1) << "no error: it may be the rank of a group";
}

TEST(LogPrefix, PartsOfAFile) {
    LineParser parser;
    parser.begin("both.log", 0);
    parser.parse({{0, 1}, "==> node-a.log <=="});
    EXPECT_EQ(parser.parse({{0, 2}, "RuntimeError: x"}).host, "node-a");
    parser.parse({{0, 3}, "==> kernel log of node-b <=="});
    EXPECT_EQ(parser.parse({{0, 4}, "x"}).host, "node-b");
    EXPECT_EQ(parser.parse({{0, 4}, "x"}).part, "kernel log of node-b");
    parser.parse({{0, 5}, "===== gpu07 ====="});
    EXPECT_EQ(parser.parse({{0, 6}, "x"}).host, "gpu07");
    parser.parse({{0, 7}, "----------------"});
    parser.parse({{0, 8}, "node12"});
    parser.parse({{0, 9}, "----------------"});
    EXPECT_EQ(parser.parse({{0, 10}, "x"}).host, "node12");
    parser.parse({{0, 11}, "==== backtrace (tid:  10096) ===="});
    EXPECT_EQ(parser.parse({{0, 12}, "x"}).host, "node12");
}

}  // namespace
}  // namespace rankscope::logs
