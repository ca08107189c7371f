// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Lines of the kernel log, as several drivers and kernels write them: through the reader of the agent, as notices and up
// to the verdict on a rank that failed.

#include "support/events.h"
#include "support/plans.h"
#include "support/temporary_folder.h"

#include <remote/agent/hardware/hardware_events.h>
#include <remote/agent/ranks/exit_cause.h>
#include <remote/desk/nodes/session/notices.h>
#include <remote/desk/runs/run/run_tracker.h>
#include <remote/wire/event_wire.h>

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using agent::HardwareEvents;
using test::make_event;
using test::plan_of;

constexpr std::int64_t kSecond = 1'000'000;

struct Case {
    const char* record;  ///< as /dev/kmsg has it
    const char* id;      ///< of the notice; empty: none
    const char* about;   ///< its first argument
};

// Empty: of a program, or of a port that is not used.
constexpr Case kRecords[] = {
    // Drivers up to 4xx.
    {"3,100,5000,-;NVRM: Xid (PCI:0000:03:00): 13, Graphics Exception: ESR 0x404600=0x80000002", "", ""},
    {"3,101,5000,-;NVRM: Xid (0000:06:00): 48, An uncorrectable double bit error (DBE) has been detected on "
     "GPU in the "
     "framebuffer at partition 5, subpartition 0.",
     "gpu-ecc", "0000:06:00"},
    {"3,102,5000,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=21804, Ch 00000010, intr 10000000. MMU Fault: ENGINE "
     "GRAPHICS "
     "GPCCLIENT_T1_0 faulted @ 0x7f2b_8a000000. Fault is of type FAULT_PDE ACCESS_TYPE_READ",
     "gpu-mmu-fault", "0000:3b:00"},
    {"3,103,5000,-;NVRM: Xid (PCI:0000:3b:00): 43, pid=21804, Ch 00000010", "", ""},
    {"4,104,5000,-;NVRM: Xid (PCI:0000:3b:00): 63, Row Remapper: New row marked for remapping, reset gpu to "
     "activate.",
     "gpu-ecc", "0000:3b:00"},
    {"4,105,5000,-;NVRM: Xid (PCI:0000:3b:00): 64, Row Remapper: Failed to remap row.", "gpu-ecc",
     "0000:3b:00"},
    // From 525 on.
    {"3,106,5000,-;NVRM: Xid (PCI:0000:4f:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error "
     "detected on link "
     "6(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
     "nvlink-error", "0000:4f:00"},
    {"3,107,5000,-;NVRM: Xid (PCI:0000:83:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the "
     "bus.",
     "gpu-fell-off-bus", "0000:83:00"},
    {"3,108,5000,-;NVRM: Xid (PCI:0000:b1:00): 94, pid=7194, name=python3, Ch 0000000e, Contained: SM (0x1). "
     "RST: No, "
     "D-RST: No",
     "gpu-ecc", "0000:b1:00"},
    {"4,109,5000,-;NVRM: Xid (PCI:0000:17:00): 119, pid=2043, name=nvidia-smi, Timeout after 45s of waiting "
     "for RPC "
     "response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).",
     "gpu-fell-off-bus", "0000:17:00"},
    // Without an Xid.
    {"3,110,5000,-;NVRM: GPU at 0000:83:00.0 has fallen off the bus.", "gpu-fell-off-bus", "0000:83:00"},
    {"3,111,5000,-;NVRM: GPU 0000:65:00.0: GPU has fallen off the bus.", "gpu-fell-off-bus", "0000:65:00"},
    {"3,112,5000,-;NVRM: The NVIDIA GPU 0000:e3:00.0 (PCI ID: 10de:2330)\\x0aNVRM: installed in this system "
     "has fallen "
     "off the bus and is not responding to commands.",
     "gpu-fell-off-bus", "0000:e3:00"},
    // A continued record: its further lines are of the same.
    {"3,113,5000,-;NVRM: Xid (PCI:0000:5e:00): 79, pid=0, GPU has fallen off the bus.\n SUBSYSTEM=pci\n "
     "DEVICE=+pci:0000:5e:00.0",
     "gpu-fell-off-bus", "0000:5e:00"},
    // Links.
    {"6,120,5000,-;mlx5_core 0000:3b:00.0 ens1f0np0: Link down", "link-down", "ens1f0np0"},
    {"6,121,5000,-;bond0: (slave ens1f1np1): link status definitely down, disabling slave", "link-down",
     "ens1f1np1"},
    {"6,122,5000,-;bonding: bond1: link status definitely down for interface eth4, disabling it", "link-down",
     "eth4"},
    {"4,123,5000,-;bond0: now running without any active interface!", "link-down", "bond0"},
    {"6,124,5000,-;igb 0000:01:00.0 eno1: igb: eno1 NIC Link is Down", "link-down", "eno1"},
    {"6,125,5000,-;bnxt_en 0000:18:00.0 eth2: NIC Link is Down", "link-down", "eth2"},
    {"6,126,5000,-;r8169 0000:02:00.0 enp2s0: Link is Down", "link-down", "enp2s0"},
    {"6,127,5000,-;mlx5_core 0000:3b:00.0 ens1f0np0: Link up", "", ""},
    {"6,128,5000,-;ata1: SATA link down (SStatus 0 SControl 300)", "", ""},
    {"4,129,5000,-;pcieport 0000:00:1c.0: pciehp: Slot(12-1): Link Down", "", ""},
    {"6,130,5000,-;veth1a2b3c4: Link is Down", "", ""},
    {"3,131,5000,-;Out of memory: Killed process 4711 (python3) total-vm:1kB", "", ""},
    {"6,132,5000,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15", "", ""},
};

class HardwareEventsTest : public ::testing::Test {
protected:
    void append(const std::string& record) { std::ofstream(log_, std::ios::app) << record << '\n'; }
    // Netlink speaks of the machine of the test.
    static std::vector<HardwareEvents::Fault> of_log(HardwareEvents& events) { return events.take(); }

    const test::TemporaryFolder folder_;
    const std::filesystem::path log_ = folder_ / "kmsg";
};

// A fault as the desk receives it.
Event notice_of(const HardwareEvents::Fault& fault, const std::string& node, std::int64_t t_us) {
    wire::Event frame;
    frame.set_rank(-1);
    frame.set_t_us(t_us);
    frame.mutable_notice()->set_id(fault.id.str());
    for (const auto& arg : fault.args) {
        frame.mutable_notice()->add_args(arg);
    }
    Event event = from_wire(frame, node);
    describe_notice(event);
    return event;
}

Event exit_of(const std::string& node, int rank, std::int64_t t_us, const std::string& last_line,
              int signal = 0, const std::string& oom = "") {
    ExitEvent exit;
    exit.code = signal != 0 ? -1 : 1;
    exit.signal = signal;
    exit.oom = oom;
    exit.last_lines = {last_line};
    Event event = make_event(exit, 1, node, rank);
    event.t_us = t_us;
    return event;
}

TEST_F(HardwareEventsTest, RecordsOfTheKernelBecomeNotices) {
    append("");
    for (const auto& one : kRecords) {
        HardwareEvents events(log_);
        append(one.record);
        const auto faults = of_log(events);
        if (*one.id == '\0') {
            EXPECT_TRUE(faults.empty()) << one.record;
            continue;
        }
        ASSERT_EQ(faults.size(), 1U) << one.record;
        EXPECT_EQ(faults[0].id.text(), one.id) << one.record;
        ASSERT_FALSE(faults[0].args.empty());
        EXPECT_EQ(faults[0].args[0], one.about) << one.record;
        const auto event = notice_of(faults[0], "node2", kSecond);
        const auto* notice = event.as<NoticeEvent>();
        ASSERT_NE(notice, nullptr);
        EXPECT_FALSE(notice->title.empty());
        EXPECT_EQ(notice->title.find('{'), std::string::npos) << notice->title;
        ASSERT_EQ(notice->evidence.size(), 1U);
        EXPECT_NE(notice->evidence[0].find(one.about), std::string::npos);
    }
}

TEST_F(HardwareEventsTest, TheyBecomeTheCauseOfAnExitThatFits) {
    append("");
    for (const auto& one : kRecords) {
        HardwareEvents events(log_);
        append(one.record);
        for (const bool fits : {true, false}) {
            RunTracker tracker;
            auto plan = plan_of(2, 1);
            plan.nodes[1].interface_name = one.about;
            tracker.set_plan(plan);
            for (const auto& fault : of_log(events)) {
                tracker.observe(notice_of(fault, "node2", 100 * kSecond));
            }
            tracker.observe(exit_of("node2", 1, 110 * kSecond,
                                    fits ? "RuntimeError: CUDA error: unspecified launch failure"
                                         : "ValueError: the label 1000 is out of range"));
            const auto verdict = tracker.diagnosis();
            if (fits && *one.id != '\0') {
                ASSERT_TRUE(verdict) << one.record;
                EXPECT_EQ(verdict->id.text(), one.id);
                EXPECT_EQ(verdict->node, "node2");
                EXPECT_EQ(verdict->rank, 1);
                EXPECT_EQ(verdict->phase, VerdictPhase::End);
                ASSERT_FALSE(verdict->evidence.empty());
                EXPECT_NE(verdict->evidence[0].text.find(one.about), std::string::npos);
            } else {
                EXPECT_FALSE(verdict && verdict->reason == "kernel-log") << one.record;
            }
        }
    }
}

TEST_F(HardwareEventsTest, RecordsBeforeTheRunAreNoCause) {
    for (const auto& one : kRecords) {
        append(one.record);
    }
    HardwareEvents events(log_);
    EXPECT_TRUE(of_log(events).empty());
    append("6,200,9000,-;usb 1-1: new high-speed USB device");
    EXPECT_TRUE(of_log(events).empty());
    append("3,201,9000,-;NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.");
    EXPECT_EQ(of_log(events).size(), 1U);
}

TEST_F(HardwareEventsTest, AFaultLongBeforeAnExitOrOfAnotherNodeIsNotItsCause) {
    append("");
    HardwareEvents events(log_);
    append("3,201,9000,-;NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.");
    const auto faults = of_log(events);
    ASSERT_EQ(faults.size(), 1U);
    const auto cause = [&](const std::string& node, std::int64_t exit_us) {
        RunTracker tracker;
        tracker.set_plan(plan_of(2, 1));
        tracker.observe(notice_of(faults[0], node, 100 * kSecond));
        tracker.observe(exit_of("node2", 1, exit_us, "RuntimeError: CUDA error: unspecified launch failure"));
        const auto verdict = tracker.diagnosis();
        return verdict ? verdict->id.str() : "";
    };
    EXPECT_EQ(cause("node2", 110 * kSecond), "gpu-fell-off-bus");
    EXPECT_EQ(cause("node1", 110 * kSecond), "");
    EXPECT_EQ(cause("node2", 1000 * kSecond), "");
}

TEST_F(HardwareEventsTest, OneFaultIsReportedOnce) {
    append("");
    HardwareEvents events(log_);
    for (int i = 0; i < 100; ++i) {
        append("3," + std::to_string(200 + i) + ",9000,-;NVRM: Xid (PCI:0000:3b:00): 31, pid=" +
               std::to_string(i) + ", Ch 00000010, MMU Fault: faulted @ 0x7f00000" + std::to_string(i));
    }
    append("3,300,9000,-;NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.");
    append("3,301,9000,-;NVRM: GPU at 0000:83:00.0 has fallen off the bus.");
    EXPECT_EQ(of_log(events).size(), 2U);
    append("3,302,9000,-;NVRM: Xid (PCI:0000:84:00): 79, pid=0, GPU has fallen off the bus.");
    EXPECT_EQ(of_log(events).size(), 1U) << "another GPU";
}

TEST_F(HardwareEventsTest, ALogThatCannotBeReadIsNoFailure) {
    HardwareEvents events(folder_ / "absent");
    EXPECT_TRUE(of_log(events).empty());
}

TEST_F(HardwareEventsTest, TheOomKillerIsTheCauseOfASigkill) {
    append("");
    agent::OomWatch watch(log_);
    append(
        "4,1213,9020,-;oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/"
        ",mems_allowed=0,global_oom,"
        "task=python3,pid=4711,uid=1000");
    append("3,1214,9021,-;Out of memory: Killed process 4711 (python3) total-vm:1kB, anon-rss:2kB, UID:1000");
    RunTracker tracker;
    tracker.set_plan(plan_of(2, 1));
    tracker.observe(exit_of("node2", 1, 110 * kSecond, "step 9", 9, watch.evidence(4711)));
    const auto verdict = tracker.diagnosis();
    ASSERT_TRUE(verdict);
    EXPECT_EQ(verdict->id.text(), "host-oom");
    RunTracker other;
    other.set_plan(plan_of(2, 1));
    other.observe(exit_of("node2", 1, 110 * kSecond, "step 9", 9, watch.evidence(4712)));
    ASSERT_TRUE(other.diagnosis());
    EXPECT_EQ(other.diagnosis()->id.text(), "killed-external");
}

}  // namespace
}  // namespace rankscope
