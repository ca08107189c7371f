// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/temporary_folder.h"

#include <remote/agent/probes/blocked_file.h>
#include <remote/agent/probes/cgroup_pressure.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/agent/probes/system_call.h>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <filesystem>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

TEST(ProcText, AProcess) {
    const auto stat = parse_process_stat(
        "4711 (a (b) c) S 42 4711 4711 0 -1 4194560 1 2 3 4 500 60 7 8 20 0 3 0 987654 1000000 200 "
        "18446744073709551615");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->command, "a (b) c");
    EXPECT_EQ(stat->state, 'S');
    EXPECT_EQ(stat->parent, 42);
    EXPECT_EQ(stat->cpu_ticks, 560U);
    EXPECT_EQ(stat->children_ticks, 15U);
    EXPECT_EQ(stat->threads, 3U);
    EXPECT_EQ(stat->start_ticks, 987654U);
    EXPECT_EQ(stat->major_faults, 3U);
    EXPECT_EQ(stat->processor, 0U);  // the text ends before
    for (const char* text :
         {"", "1", "1 (a)", "1 )a( S 1", "1 (a) SS 1 1 1", "1 (a) S x", "1 (a) S 1 1 1 0 -1 1"}) {
        EXPECT_FALSE(parse_process_stat(text)) << text;
    }
}

TEST(ProcText, TheProcessorOfAThreadAndItsQueue) {
    const auto stat = parse_process_stat(
        "1 (a) R 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 3 0 9 1000 200 "
        "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 13 0 0 0 0 0");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->processor, 13U);
    EXPECT_EQ(parse_queued_s("48934111 2500000000 17\n"), 2.5);
    for (const char* text : {"", "1", "1 x 2", "a b c"}) {
        EXPECT_FALSE(parse_queued_s(text)) << text;
    }
}

TEST(ProcText, SystemCalls) {
    const auto read =
        parse_system_call(std::to_string(SYS_read) + " 0x7 0x0 0x1 0x0 0x0 0x0 0x7ffc 0x7f4a\n");
    ASSERT_TRUE(read);
    EXPECT_EQ(name_of(*read), "read");
    EXPECT_EQ(descriptor_of(*read), 7);
    EXPECT_EQ(path_address_of(*read), 0U);
    const auto openat =
        parse_system_call(std::to_string(SYS_openat) + " 0xffffff9c 0xbeef 0x0 0x0 0x0 0x0 0x0 0x0");
    ASSERT_TRUE(openat);
    EXPECT_EQ(name_of(*openat), "openat");
    EXPECT_FALSE(descriptor_of(*openat));
    EXPECT_EQ(path_address_of(*openat), 0xbeefU);
    const auto unknown = parse_system_call("60000 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8");
    ASSERT_TRUE(unknown);
    EXPECT_EQ(name_of(*unknown), "#60000");
    for (const char* text :
         {"running\n", "-1 0x7ffc 0x7f4a\n", "", "0", "0 0x1 0x2", "0 1 2 3 4 5 6", "70000 0x1"}) {
        EXPECT_FALSE(parse_system_call(text)) << text;
    }
}

TEST(ProcText, FieldsOfStatusAndIo) {
    EXPECT_EQ(field_of_status("Name:\tx\nTracerPid:\t12\nUid:\t0", "TracerPid"), "12");
    EXPECT_EQ(field_of_status("TracerPids:\t12\n", "TracerPid"), "");
    const auto io = parse_process_io(
        "rchar: 1\nwchar: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 3\n");
    EXPECT_EQ(io.read_bytes, 4096U);
    EXPECT_EQ(io.written_bytes, 8192U);
}

TEST(ProcText, Mounts) {
    const auto mounts = parse_mountinfo(
        "21 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
        "30 21 0:44 / /data\\040sets rw - nfs4 10.0.0.9:/export rw,vers=4.2,addr=10.0.0.9\n"
        "31 21 0:45 / /data rw - fuse.sshfs user@host: rw\n"
        "32 21 0:46 / /nothing rw nfs4 no-separator\n"
        "x 21 0:46 / /bad rw - ext4 /dev/x rw\n");
    ASSERT_EQ(mounts.size(), 3U);
    EXPECT_EQ(mounts[1].id, 30U);
    EXPECT_EQ(mounts[1].point, "/data sets");
    EXPECT_EQ(mounts[1].type, "nfs4");
    EXPECT_EQ(mounts[1].source, "10.0.0.9:/export");
    ASSERT_NE(mount_of("/data sets/train/1.jpg", mounts), nullptr);
    EXPECT_EQ(mount_of("/data sets/train/1.jpg", mounts)->type, "nfs4");
    EXPECT_EQ(mount_of("/data/x", mounts)->type, "fuse.sshfs");
    EXPECT_EQ(mount_of("/data", mounts)->type, "fuse.sshfs");
    EXPECT_EQ(mount_of("/database/x", mounts)->type, "ext4");
    EXPECT_EQ(mount_of("/x", {}), nullptr);
}

TEST(ProcText, Sockets) {
    const auto lines = parse_net_tcp(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:1F90 0200000A:0050 01 0000000A:00000002 04:00000000 00000003  1000        0 4711 1 0 "
        "20 4 30 10 -1\n"
        "   1: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 "
        "00000000     0        0 99 1\n"
        "   2: 0100007F:1F90 nonsense 01 0:0 0:0 0 0 0 5\n");
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].local_address, "127.0.0.1");
    EXPECT_EQ(lines[0].local_port, 8080);
    EXPECT_EQ(lines[0].peer_address, "10.0.0.2");
    EXPECT_EQ(lines[0].peer_port, 80);
    EXPECT_EQ(lines[0].unsent, 10U);
    EXPECT_EQ(lines[0].unread, 2U);
    EXPECT_EQ(lines[0].timer, 4U);
    EXPECT_EQ(lines[0].retransmits, 3U);
    EXPECT_EQ(lines[0].inode, 4711U);
    EXPECT_EQ(lines[1].local_address, "::1");
    EXPECT_EQ(lines[1].state, 10U);
}

TEST(ProcText, Pressure) {
    EXPECT_DOUBLE_EQ(parse_throttled_s("usage_usec 5\nnr_throttled 3\nthrottled_usec 2500000\n"), 2.5);
    EXPECT_DOUBLE_EQ(parse_throttled_s("nr_periods 0\nnr_throttled 0\nthrottled_time 1500000000\n"), 1.5);
    EXPECT_DOUBLE_EQ(parse_throttled_s("throttled_usec much\n"), 0);
    EXPECT_DOUBLE_EQ(parse_cpu_max("50000 100000\n"), 0.5);
    EXPECT_DOUBLE_EQ(parse_cpu_max("max 100000\n"), 0);
    EXPECT_DOUBLE_EQ(parse_cpu_max("1 0\n"), 0);
    EXPECT_DOUBLE_EQ(
        *parse_full_pressure_s("some avg10=1.00 avg60=0 avg300=0 total=9\nfull avg10=0.00 avg60=0.00 "
                               "avg300=0.00 total=1234567\n"),
        1.234567);
    EXPECT_FALSE(parse_full_pressure_s("some avg10=0.00 total=9\n"));
    EXPECT_FALSE(parse_full_pressure_s("full total=x\n"));
}

TEST(BlockedFile, AServerIsNamedWhereTheFileIsNot) {
    const test::TemporaryFolder folder;
    const ProcFolder process(folder.path().string());
    const auto mounts = parse_mountinfo(
        "21 1 254:0 / / rw - ext4 /dev/vda rw\n30 21 0:44 / /data rw - nfs4 10.0.0.9:/export rw\n"
        "31 21 0:45 / /sys/fs/fuse rw - fusectl fusectl rw\n");
    const auto blocked = served_file_of(process, "rpc_wait_bit_killable", mounts);
    EXPECT_EQ(blocked.file, "");
    EXPECT_EQ(blocked.file_system, "nfs4");
    EXPECT_EQ(blocked.source, "10.0.0.9:/export");
    EXPECT_FALSE(served_file_of(process, "futex_wait_queue", mounts).on_a_file_system());
    auto two = mounts;
    two.push_back(mounts[1]);
    two.back().source = "10.0.0.8:/home";
    EXPECT_FALSE(served_file_of(process, "rpc_wait_bit_killable", two).on_a_file_system())
        << "one of two servers";
}

// Files as the kernel has them, in a folder of the test.
class Cgroups : public ::testing::Test {
protected:
    ProcFolder process_in(const std::string& cgroup) {
        fs::create_directories(folder_ / "process");
        test::write_text(folder_ / "process" / "cgroup", cgroup);
        return ProcFolder((folder_ / "process").string());
    }
    void write(const std::string& name, const std::string& content) {
        fs::create_directories((folder_ / name).parent_path());
        test::write_text(folder_ / name, content);
    }
    CgroupPressures pressures(const std::string& type, const std::string& options) {
        Mount mount;
        mount.point = (folder_ / "cgroup").string();
        mount.type = type;
        mount.options = options;
        return CgroupPressures({mount}, (folder_ / "pressure").string());
    }

    test::TemporaryFolder folder_;
};

TEST_F(Cgroups, AGroupAboveThrottles) {
    write("cgroup/user.slice/job/cpu.stat", "usage_usec 9\nthrottled_usec 0\n");
    write("cgroup/user.slice/job/memory.pressure", "some total=1\nfull avg10=0.00 total=3000000\n");
    write("cgroup/user.slice/job/io.pressure", "full avg10=0.00 total=4000000\n");
    write("cgroup/user.slice/cpu.stat", "throttled_usec 7000000\n");
    write("cgroup/user.slice/cpu.max", "20000 100000\n");
    auto all = pressures("cgroup2", "rw,nsdelegate");
    const auto pressure = all.of(process_in("0::/user.slice/job\n"));
    EXPECT_DOUBLE_EQ(pressure.throttled_s, 7);
    EXPECT_EQ(pressure.throttled_by, "/user.slice");
    EXPECT_DOUBLE_EQ(pressure.cpu_limit, 0.2);
    EXPECT_DOUBLE_EQ(pressure.memory_stalled_s.value_or(-1), 3);
    EXPECT_DOUBLE_EQ(pressure.io_stalled_s.value_or(-1), 4);
    EXPECT_FALSE(pressure.of_the_node);
}

TEST_F(Cgroups, VersionOneAndTheNodesOwnStalls) {
    write("cgroup/slurm/cpu.stat", "nr_throttled 3\nthrottled_time 2000000000\n");
    write("cgroup/slurm/cpu.cfs_quota_us", "150000\n");
    write("cgroup/slurm/cpu.cfs_period_us", "100000\n");
    write("pressure/memory", "full avg10=0.00 total=5000000\n");
    auto all = pressures("cgroup", "rw,cpu,cpuacct");
    const auto pressure = all.of(process_in("4:memory:/slurm\n2:cpu,cpuacct:/slurm\n0::/\n"));
    EXPECT_DOUBLE_EQ(pressure.throttled_s, 2);
    EXPECT_EQ(pressure.throttled_by, "/slurm");
    EXPECT_DOUBLE_EQ(pressure.cpu_limit, 1.5);
    EXPECT_DOUBLE_EQ(pressure.memory_stalled_s.value_or(-1), 5);
    EXPECT_TRUE(pressure.of_the_node);
    EXPECT_FALSE(pressure.io_stalled_s);
}

TEST_F(Cgroups, NothingIsMounted) {
    CgroupPressures none({}, (folder_ / "pressure").string());
    const auto pressure = none.of(process_in("nonsense\n0::/x\n"));
    EXPECT_EQ(pressure.throttled_s, 0);
    EXPECT_EQ(pressure.throttled_by, "");
    EXPECT_FALSE(pressure.memory_stalled_s);
}

}  // namespace
}  // namespace rankscope::agent
