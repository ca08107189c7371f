// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The readers of what the kernel and other programs print about a node.

#include "support/temporary_folder.h"

#include <remote/agent/inspection/firewall_text.h>
#include <remote/agent/inspection/gpu_states.h>
#include <remote/agent/inspection/host_identity.h>
#include <remote/agent/inspection/infiniband.h>
#include <remote/agent/inspection/limits.h>
#include <remote/agent/inspection/names.h>
#include <remote/agent/inspection/path_states.h>
#include <remote/agent/inspection/programs.h>
#include <remote/agent/inspection/versions.h>
#include <remote/agent/node/kernel_log.h>
#include <remote/agent/node/nccl_conf.h>
#include <remote/agent/probes/interfaces.h>

#include <gtest/gtest.h>
#include <net/if_arp.h>

#include <string>
#include <vector>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

TEST(HostInspectionText, AddressesOfGetentOnceInTheirOrder) {
    EXPECT_EQ(
        read_getent("10.0.0.11      STREAM node-a.cluster\n10.0.0.11      DGRAM  \n10.0.0.11      RAW    \n"
                    "fd00::11       STREAM \nfd00::11       DGRAM  \nfe80::1%eth0   STREAM \n"),
        (Texts{"10.0.0.11", "fd00::11", "fe80::1%eth0"}));
    EXPECT_EQ(read_getent("127.0.1.1       node-a.cluster node-a\n"), (Texts{"127.0.1.1"})) << "getent hosts";
    EXPECT_TRUE(read_getent("").empty());
    EXPECT_TRUE(read_getent("usage: getent [-s config] database\n300.1.2.3 STREAM x\n").empty());
}

TEST(HostInspectionText, HostsFile) {
    const char* text =
        "# 10.9.9.9 node-a\n127.0.0.1\tlocalhost\n127.0.1.1 node-a.cluster Node-A # comment node-b\n"
        "fd00::11 node-a\n127.0.1.1 node-a\nnonsense node-a\n10.0.0.12 node-b";
    EXPECT_EQ(read_hosts(text, "node-a"), (Texts{"127.0.1.1", "fd00::11"}));
    EXPECT_EQ(read_hosts(text, "NODE-B"), (Texts{"10.0.0.12"}));
    EXPECT_TRUE(read_hosts(text, "node-c").empty());
    EXPECT_TRUE(read_hosts(text, "127.0.0.1").empty());
}

TEST(HostInspectionText, NcclConf) {
    const std::map<std::string, std::string> expected{{"NCCL_PROTO", "Simple"},
                                                      {"NCCL_SOCKET_IFNAME", "=eth0"}};
    EXPECT_EQ(
        read_nccl_conf("# NCCL_DEBUG=INFO\n NCCL_SOCKET_IFNAME = =eth0 \nNCCL_PROTO=Simple\nNCCL_PROTO=LL\n"
                       "PATH=/bin\nNCCL_ALGO\n"),
        expected)
        << "the first counts, as NCCL sets only what is not set";
    EXPECT_TRUE(read_nccl_conf("").empty());
    const std::map<std::string, std::string> all{{"NCCL_PROTO", "LL"},
                                                 {"NCLL_DEBUG", "INFO"},
                                                 {"TORCH_NCCL_BLOCKING_WAIT", "1"},
                                                 {"gloo_socket_ifname", "eth0"}};
    EXPECT_EQ(
        read_communication_settings("NCCL_PROTO=LL\nPATH=/bin\nNCLL_DEBUG=INFO\nTORCH_NCCL_BLOCKING_WAIT=1\n"
                                    "gloo_socket_ifname=eth0\nTOR=1\n"),
        all);
}

TEST(HostInspectionText, InterfaceKinds) {
    EXPECT_EQ(interface_kind("bridge", ARPHRD_ETHER, false), "bridge");
    EXPECT_EQ(interface_kind("openvswitch", ARPHRD_ETHER, false), "bridge");
    EXPECT_EQ(interface_kind("ipoib", ARPHRD_INFINIBAND, false), "infiniband");
    EXPECT_EQ(interface_kind("", ARPHRD_INFINIBAND, true), "infiniband");
    EXPECT_EQ(interface_kind("", ARPHRD_LOOPBACK, false), "loopback");
    EXPECT_EQ(interface_kind("", ARPHRD_ETHER, true), "physical");
    EXPECT_EQ(interface_kind("vxlan", ARPHRD_ETHER, true), "virtual");
    EXPECT_EQ(interface_kind("", ARPHRD_ETHER, false), "virtual");
}

TEST(HostInspectionText, DamagedNetlinkMessagesAreNoInterface) {
    wire::Interface interface;
    EXPECT_FALSE(read_link("", interface));
    EXPECT_FALSE(read_link(std::string(16, '\0'), interface)) << "no name";
    EXPECT_EQ(read_address("x").index, 0U);
    EXPECT_EQ(read_address(std::string(8, '\x02')).index, 0U) << "a header without an address";
}

constexpr const char* kMounts =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "23 22 0:5 / /dev rw - devtmpfs dev rw\n"
    "24 23 0:6 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=65536k\n"
    "25 22 0:40 / /data rw master:3 propagate_from:1 - nfs4 10.0.0.9:/export rw,vers=4.2\n"
    "26 22 0:41 / /data\\040sets rw - fuse.sshfs host:/x rw\n"
    "27 22 0:42 / /data rw - xfs /dev/sdb1 rw\n"
    "damaged line - \n- - -\n";

TEST(HostInspectionText, FileSystemOfAPath) {
    EXPECT_EQ(file_system_of(kMounts, "/home/u"), "ext4");
    EXPECT_EQ(file_system_of(kMounts, "/dev/shm"), "tmpfs");
    EXPECT_EQ(file_system_of(kMounts, "/dev/shmem"), "devtmpfs") << "a folder is more than a beginning";
    EXPECT_EQ(file_system_of(kMounts, "/data sets/imagenet"), "fuse.sshfs");
    EXPECT_EQ(file_system_of(kMounts, "/data/imagenet"), "xfs") << "the later mount covers the earlier one";
    EXPECT_EQ(file_system_of("", "/"), "");
}

TEST(HostInspectionText, Interpreters) {
    EXPECT_EQ(interpreter_of("#!/usr/bin/env python3\nprint()"), "/usr/bin/env");
    EXPECT_EQ(interpreter_of("#! /opt/venv/bin/python\r\n"), "/opt/venv/bin/python");
    EXPECT_EQ(interpreter_of("#!"), "");
    EXPECT_EQ(interpreter_of("#!\n/bin/sh"), "");
    EXPECT_EQ(interpreter_of("\x7f"
                             "ELF"),
              "");
}

TEST(HostInspectionText, CgroupNumbers) {
    EXPECT_EQ(read_cgroup_number("max\n"), -1);
    EXPECT_EQ(read_cgroup_number("-1\n"), -1);
    EXPECT_EQ(read_cgroup_number("9223372036854771712\n"), -1) << "v1's way to say unlimited";
    EXPECT_EQ(read_cgroup_number("18446744073709551615\n"), -1);
    EXPECT_EQ(read_cgroup_number("2048\n"), 2048);
    EXPECT_FALSE(read_cgroup_number(""));
    EXPECT_FALSE(read_cgroup_number("-7"));
    EXPECT_FALSE(read_cgroup_number("many"));
}

const wire::Limit* limit_of(const wire::HostInspection& found, const std::string& name) {
    for (const auto& limit : found.limits()) {
        if (limit.name() == name) {
            return &limit;
        }
    }
    ADD_FAILURE() << "no limit " << name;
    static const wire::Limit none;
    return &none;
}

TEST(HostInspectionText, TheTightestGroupAboveUsCounts) {
    const test::TemporaryFolder root;
    const fs::path slice = root / "sys/fs/cgroup/user.slice";
    fs::create_directories(slice / "user-7.slice/session");
    test::write_text(slice / "pids.max", "1000\n");
    test::write_text(slice / "pids.current", "990\n");
    test::write_text(slice / "user-7.slice/pids.max", "500\n");
    test::write_text(slice / "user-7.slice/pids.current", "100\n");
    test::write_text(slice / "user-7.slice/session/pids.max", "max\n");
    test::write_text(slice / "user-7.slice/session/pids.current", "3\n");
    test::write_text(slice / "memory.max", "1073741824\n");
    test::write_text(slice / "memory.current", "4096\n");
    test::write_text(slice / "user-7.slice/cpu.max", "150000 100000\n");
    test::write_text(slice / "user-7.slice/session/cpu.max", "max 100000\n");
    const auto found = cgroup_limits("0::/user.slice/user-7.slice/session\n",
                                     "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", root.path());
    EXPECT_EQ(limit_of(found, "pids.max")->soft(), 1000)
        << "ten are left there, four hundred in the lower one";
    EXPECT_EQ(limit_of(found, "pids.max")->used(), 990);
    EXPECT_EQ(limit_of(found, "pids.max")->source(), "/sys/fs/cgroup/user.slice");
    EXPECT_EQ(limit_of(found, "memory.max")->soft(), 1073741824);
    EXPECT_EQ(limit_of(found, "cpu.max")->soft(), 1500);
    EXPECT_EQ(limit_of(found, "cpu.max")->source(), "/sys/fs/cgroup/user.slice/user-7.slice");
}

TEST(HostInspectionText, LimitsOfTheFirstVersionsGroups) {
    const test::TemporaryFolder root;
    fs::create_directories(root / "cg/pids/job");
    fs::create_directories(root / "cg/cpu,cpuacct");
    test::write_text(root / "cg/pids/job/pids.max", "64\n");
    test::write_text(root / "cg/pids/job/pids.current", "9\n");
    test::write_text(root / "cg/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
    test::write_text(root / "cg/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    const auto found =
        cgroup_limits("8:pids:/docker/abc/job\n3:cpu,cpuacct:/docker/abc\n0::/\n",
                      "40 22 0:30 /docker/abc /cg/pids rw - cgroup cgroup rw,pids\n"
                      "41 22 0:31 /docker/abc /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
                      root.path());
    EXPECT_EQ(limit_of(found, "pids.max")->soft(), 64) << "the mount begins at the container's own group";
    EXPECT_EQ(limit_of(found, "pids.max")->used(), 9);
    EXPECT_EQ(limit_of(found, "cpu.max")->soft(), 500);
    ASSERT_EQ(found.unseen_size(), 1);
    EXPECT_EQ(found.unseen(0).what(), "limits.memory.max");
}

TEST(HostInspectionText, TheGroupAtTheTopHasNoLimits) {
    const test::TemporaryFolder root;
    fs::create_directories(root / "cg");
    const auto found = cgroup_limits("0::/\n", "30 22 0:26 / /cg rw - cgroup2 cgroup2 rw\n", root.path());
    EXPECT_EQ(limit_of(found, "pids.max")->soft(), -1);
    EXPECT_EQ(limit_of(found, "pids.max")->used(), -1);
    EXPECT_EQ(found.unseen_size(), 0);
}

TEST(HostInspectionText, PortRange) {
    EXPECT_EQ(read_port_range("32768\t60999\n"), (std::pair{32768U, 60999U}));
    for (const char* text : {"", "32768", "60999\t32768\n", "1 70000", "a b"}) {
        EXPECT_FALSE(read_port_range(text)) << text;
    }
}

TEST(HostInspectionText, WhichFirewallMadeTheTables) {
    EXPECT_FALSE(read_nft_ruleset("").valid);
    EXPECT_FALSE(read_nft_ruleset("table inet filter {").valid);
    const auto empty = read_nft_ruleset(R"({"nftables": [{"metainfo": {"version": "1.0.6"}}]})");
    EXPECT_TRUE(empty.valid);
    EXPECT_FALSE(empty.native);
    const auto from_iptables = read_nft_ruleset(
        R"({"nftables": [{"table": {"family": "ip", "name": "filter"}},
            {"chain": {"family": "ip", "table": "filter", "name": "INPUT", "type": "filter", "hook": "input", "policy": "drop"}},
            {"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "expr": []}}]})");
    EXPECT_TRUE(from_iptables.valid);
    EXPECT_FALSE(from_iptables.native);
    const auto native = read_nft_ruleset(
        R"({"nftables": [{"chain": {"family": "inet", "table": "filter", "name": "input", "hook": "input", "policy": "accept"}},
            {"rule": {"family": "inet", "table": "filter", "chain": "input"}}]})");
    EXPECT_TRUE(native.native);
    EXPECT_TRUE(
        read_nft_ruleset(R"({"nftables": [{"table": {"family": "inet", "name": "firewalld"}}]})").firewalld);
    EXPECT_TRUE(
        read_nft_ruleset(R"({"nftables": [3, [], {}, {"table": 4}, {"chain": {"hook": 1, "table": {}}}]})")
            .valid);
}

TEST(HostInspectionText, IptablesSave) {
    const char* kOpen = "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n";
    EXPECT_TRUE(read_iptables_save(kOpen).valid);
    EXPECT_FALSE(read_iptables_save(kOpen).active);
    EXPECT_TRUE(read_iptables_save("*filter\n:INPUT DROP [0:0]\nCOMMIT\n").active);
    EXPECT_TRUE(
        read_iptables_save("*filter\n:INPUT ACCEPT [0:0]\n-A INPUT -p tcp -j REJECT\nCOMMIT\n").active);
    EXPECT_TRUE(read_iptables_save("*filter\n:ufw-before-input - [0:0]\nCOMMIT\n").ufw);
    EXPECT_FALSE(read_iptables_save("").valid);
}

TEST(HostInspectionText, UfwConf) {
    EXPECT_TRUE(is_ufw_enabled("# /etc/ufw/ufw.conf\n\nENABLED=yes\nLOGLEVEL=low\n"));
    EXPECT_TRUE(is_ufw_enabled("ENABLED=no\nENABLED = \"Yes\"\n"));
    EXPECT_FALSE(is_ufw_enabled("ENABLED=no\n#ENABLED=yes\n"));
    EXPECT_FALSE(is_ufw_enabled(""));
}

TEST(HostInspectionText, Versions) {
    EXPECT_EQ(driver_version(
                  "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.161.08  Mon Feb 26 22:52:49 UTC 2024\n"
                  "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n"),
              "535.161.08");
    EXPECT_EQ(driver_version("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release "
                             "Build  (dvs-builder@U16)\n"),
              "550.54.15");
    EXPECT_EQ(driver_version(""), "");
    EXPECT_EQ(library_version("libnccl.so.2.18.5"), "2.18.5");
    EXPECT_EQ(library_version("libnccl.so"), "");
    const auto packages =
        read_packages("python\t3.11.2\ntorch\t2.1.0+cu121\ntorch\t1.0\nnoise\n\t7\nempty\t\n");
    EXPECT_EQ(packages, (std::map<std::string, std::string>{{"python", "3.11.2"}, {"torch", "2.1.0+cu121"}}));
}

TEST(HostInspectionText, Gpus) {
    const auto gpus = read_gpus(
        "0, GPU-5ff1bd0a-6b3c-1c1d-23cf-fee0bc9e2b4c, 00000000:18:00.0, 81559, 4, Default, Enabled, "
        "Disabled, 8, 16, 4, 5, 0, "
        "[N/A], 0x0000000000000001, Completed, NVIDIA H100 80GB HBM3\n"
        "1, GPU-0, 00000000:2A:00.0, 81559, 70000, Exclusive_Process, Disabled, [N/A], 16, 16, 5, 5, [N/A], "
        "3, Not Active, N/A, A, B\n"
        "No devices were found\n",
        gpu_fields());
    ASSERT_EQ(gpus.size(), 2U);
    EXPECT_EQ(gpus[0].uuid(), "GPU-5ff1bd0a-6b3c-1c1d-23cf-fee0bc9e2b4c");
    EXPECT_EQ(gpus[0].name(), "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(gpus[0].memory_total(), 81559ULL << 20U);
    EXPECT_EQ(gpus[0].compute_mode(), "Default");
    EXPECT_TRUE(gpus[0].persistence());
    EXPECT_EQ(gpus[0].pcie_width(), 8U);
    EXPECT_EQ(gpus[0].pcie_width_max(), 16U);
    EXPECT_EQ(gpus[0].pcie_generation_max(), 5U);
    EXPECT_EQ(gpus[0].fabric_state(), "Completed");
    EXPECT_EQ(gpus[0].throttle_reasons(), "0x0000000000000001");
    EXPECT_EQ(gpus[0].pci(), "00000000:18:00.0");
    EXPECT_EQ(gpus[1].compute_mode(), "Exclusive_Process");
    EXPECT_EQ(gpus[1].mig(), "") << "[N/A] is no value";
    EXPECT_EQ(gpus[1].retired_pages(), 3U);
    EXPECT_EQ(gpus[1].name(), "A, B");
    for (const char* text : {"", "No devices were found\n", "99999999999, GPU-1\n", "0",
                             "Unable to determine the device handle for GPU 0000:01:00.0",
                             "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
                             "Make sure that the latest NVIDIA driver is "
                             "installed and running.\n"}) {
        EXPECT_TRUE(read_gpus(text, gpu_fields()).empty()) << text;
    }
}

TEST(HostInspectionText, ProcessesOnGpus) {
    std::vector<wire::GpuState> gpus(2);
    gpus[0].set_uuid("GPU-a");
    gpus[1].set_uuid("GPU-b");
    read_gpu_processes(
        "GPU-b, 4711, 1024\nGPU-b, 4712, [N/A]\nGPU-c, 1, 1\nGPU-a, [Not Found], 5\n, 3, 3\nGPU-a, -4, 1\n",
        gpus);
    EXPECT_EQ(gpus[0].processes_size(), 0);
    ASSERT_EQ(gpus[1].processes_size(), 2);
    EXPECT_EQ(gpus[1].processes(0).pid(), 4711);
    EXPECT_EQ(gpus[1].processes(0).memory_bytes(), 1024ULL << 20U);
    EXPECT_EQ(gpus[1].processes(1).memory_bytes(), 0U);
}

TEST(HostInspectionText, FieldsThatADriverDoesNotKnow) {
    EXPECT_EQ(unknown_field("Field \"fabric.state\" is not a valid field to query.\n\n"), "fabric.state");
    EXPECT_EQ(unknown_field("Field \"fabric.state"), "");
    EXPECT_EQ(unknown_field("0, GPU-a"), "");
}

TEST(HostInspectionText, ErrorsOfTheDriverInTheKernelLog) {
    wire::GpuError error;
    ASSERT_TRUE(
        read_xid("4,1234,5678901,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.\n "
                 "SUBSYSTEM=pci\n",
                 error));
    EXPECT_EQ(error.xid(), 79U);
    EXPECT_EQ(error.pci(), "0000:3b:00");
    EXPECT_EQ(error.t_us(), 5678901);
    EXPECT_EQ(error.text(), "79, pid=1234, GPU has fallen off the bus.");
    for (const char* record : {"", "4,1,2,-;eth0: link up", "4,1,2,-;NVRM: Xid (PCI:0000:3b:00): x",
                               "4,1,2,-;NVRM: Xid (", "NVRM: Xid (PCI:0): 79"}) {
        EXPECT_FALSE(read_xid(record, error)) << record;
    }
}

TEST(HostInspectionText, InfinibandPorts) {
    const test::TemporaryFolder root;
    const fs::path port = root / "mlx5_0/ports/1";
    fs::create_directories(port / "gids");
    fs::create_directories(port / "gid_attrs/ndevs");
    test::write_text(port / "state", "4: ACTIVE\n");
    test::write_text(port / "phys_state", "5: LinkUp\n");
    test::write_text(port / "link_layer", "Ethernet\n");
    test::write_text(port / "rate", "100 Gb/sec (2X HDR)\n");
    test::write_text(port / "gids/0", "fe80:0000:0000:0000:0ac0:ebff:fe8b:3c1e\n");
    test::write_text(port / "gids/1", "0000:0000:0000:0000:0000:0000:0000:0000\n");
    test::write_text(port / "gids/2", "fe80:0000:0000:0000:0000:0000:0000:0000\n");
    test::write_text(port / "gids/3", "0000:0000:0000:0000:0000:ffff:0a00:000b\n");
    test::write_text(port / "gid_attrs/ndevs/0", "ens1f0\n");
    fs::create_directories(root / "mlx5_1/ports/1");
    test::write_text(root / "mlx5_1/ports/1/state", "1: DOWN\n");
    fs::create_directories(root / "mlx5_1/device/net/ib1");
    const auto found = inspect_infiniband(root.path());
    ASSERT_EQ(found.infiniband_size(), 2);
    const auto& first = found.infiniband(0);
    EXPECT_EQ(first.device(), "mlx5_0");
    EXPECT_EQ(first.port(), 1U);
    EXPECT_EQ(first.state(), "ACTIVE");
    EXPECT_EQ(first.physical(), "LinkUp");
    EXPECT_EQ(first.layer(), "Ethernet");
    EXPECT_EQ(first.rate(), "100 Gb/sec (2X HDR)");
    EXPECT_EQ(Texts(first.gids().begin(), first.gids().end()),
              (Texts{"fe80:0000:0000:0000:0ac0:ebff:fe8b:3c1e", "0000:0000:0000:0000:0000:ffff:0a00:000b"}));
    EXPECT_EQ(first.interface(), "ens1f0");
    EXPECT_EQ(found.infiniband(1).state(), "DOWN");
    EXPECT_EQ(found.infiniband(1).interface(), "ib1");
    EXPECT_EQ(inspect_infiniband(root / "absent").infiniband_size(), 0);
}

}  // namespace
}  // namespace rankscope::agent
