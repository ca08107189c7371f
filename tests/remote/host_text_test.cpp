// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/scoped_environment.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/host_sampler.h>
#include <remote/agent/probes/host_text.h>
#include <remote/wire/sample_keys.h>

#include <gtest/gtest.h>

#include <map>

namespace rankscope::agent {
namespace {

std::map<std::string, double> values_of(const wire::Sample& sample) {
    std::map<std::string, double> values;
    EXPECT_EQ(sample.keys_size(), sample.values_size());
    for (int i = 0; i < sample.keys_size(); ++i) {
        EXPECT_TRUE(values.emplace(sample.keys(i), sample.values(i)).second) << sample.keys(i) << " twice";
    }
    return values;
}

std::map<std::string, double> smi(const std::string& line) {
    const auto pairs = parse_nvidia_smi_line(line);
    return {pairs.begin(), pairs.end()};
}

TEST(HostText, ProcessorTime) {
    const auto time = parse_proc_stat(
        "cpu  10132153 290696 3084719 46828483 16683 0 25195 0 175628 0\ncpu0 1393280 32966 572056 13343292 "
        "6130 0 "
        "17875 0 23933 0\nintr 199292");
    ASSERT_TRUE(time);
    EXPECT_EQ(time->busy, 10132153U + 290696U + 3084719U + 25195U)
        << "neither idle, nor waiting, nor guests twice";
    EXPECT_EQ(time->total, time->busy + 46828483U + 16683U);
    EXPECT_EQ(parse_proc_stat("cpu  1 2 3 4\n")->total, 10U) << "Linux 2.4";
    for (const char* text : {"", "cpu", "cpu0 1 2 3 4", "cpu  1 2 x 4", "intr 5", "cpu 1 2 3"}) {
        EXPECT_FALSE(parse_proc_stat(text)) << text;
    }
}

TEST(HostText, Memory) {
    const auto memory = parse_meminfo(
        "MemTotal:       24689764 kB\nMemFree:         1318648 kB\nMemAvailable:   22013040 kB\nBuffers:     "
        "     "
        "190408 kB\nCached:         19812344 kB\nHugePages_Total:       0\n");
    ASSERT_TRUE(memory);
    EXPECT_EQ(memory->total, 24689764ULL * 1024);
    EXPECT_EQ(memory->available, 22013040ULL * 1024);
    EXPECT_EQ(parse_meminfo("MemTotal: 100 kB\nMemFree: 10 kB\nBuffers: 5 kB\nCached: 20 kB\n")->available,
              35U * 1024);
    EXPECT_EQ(parse_meminfo("MemTotal: 100 kB\nMemAvailable: 200 kB\n")->available, 100U * 1024)
        << "in a container one may be the host's";
    EXPECT_FALSE(parse_meminfo(""));
    EXPECT_FALSE(parse_meminfo("MemTotal: much\n"));
    EXPECT_FALSE(parse_meminfo("MemTotal: 99999999999999999999 kB\n"));
}

TEST(HostText, Traffic) {
    const auto traffic = parse_net_dev(
        "Inter-|   Receive                                                |  Transmit\n"
        " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
        "colls "
        "carrier compressed\n"
        "    lo: 1234 5 0 0 0 0 0 0 1234 5 0 0 0 0 0 0\n"
        "  eth0:1500000000 100 3 5 0 0 0 0 2500 50 4 6 0 0 0 0\n"
        "eth0:1: 7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\n"
        "  bad0: 1 2 3\n");
    ASSERT_EQ(traffic.size(), 2U);
    EXPECT_EQ(traffic.at("eth0").received, 1500000000U) << "no blank after the colon";
    EXPECT_EQ(traffic.at("eth0").sent, 2500U);
    EXPECT_EQ(traffic.at("eth0").errors, 7U) << "of both directions";
    EXPECT_EQ(traffic.at("eth0").drops, 11U);
    EXPECT_EQ(traffic.at("eth0:1").sent, 8U);
    EXPECT_TRUE(parse_net_dev("").empty());
}

TEST(HostText, NvidiaSmi) {
    const auto gpu = smi("3, 97, 40536, 81920, 61, 412.53, 1410, 1593, 0x0000000000000004, 0, 4, 16");
    EXPECT_EQ(gpu.size(), 11U);
    EXPECT_DOUBLE_EQ(gpu.at("gpu.3.util"), 0.97);
    EXPECT_EQ(gpu.at("gpu.3.mem_used"), 40536.0 * (1 << 20));
    EXPECT_EQ(gpu.at("gpu.3.mem_total"), 81920.0 * (1 << 20));
    EXPECT_EQ(gpu.at("gpu.3.temp"), 61);
    EXPECT_EQ(gpu.at("gpu.3.power"), 412.53);
    EXPECT_EQ(gpu.at("gpu.3.sm_clock"), 1410e6);
    EXPECT_EQ(gpu.at("gpu.3.throttle"), 4);
    EXPECT_EQ(gpu.at("gpu.3.ecc"), 0);
    EXPECT_EQ(gpu.at("gpu.3.pcie_width"), 16);
}

TEST(HostText, WhatAGpuDoesNotTellIsAbsent) {
    const auto gpu =
        smi("0, [N/A], 10240, 10240, 54, [Not Supported], N/A, [Unknown Error], Not Active, [N/A], , x");
    EXPECT_EQ(gpu, (std::map<std::string, double>{{"gpu.0.mem_used", 10240.0 * (1 << 20)},
                                                  {"gpu.0.mem_total", 10240.0 * (1 << 20)},
                                                  {"gpu.0.temp", 54}}));
    EXPECT_EQ(smi("0, 5, 1, 2, 30").size(), 4U) << "the basic fields";
    for (const char* line : {"", "No devices were found", "Field \"clocks.x\" is not a valid field to query.",
                             "0", "x, 1, 2", "-1, 5", "99999999999999999999, 5",
                             "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
                             "Unable to determine the device handle for GPU 0000:01:00.0: GPU is lost.  "
                             "Reboot the system to recover this GPU"}) {
        EXPECT_TRUE(smi(line).empty()) << line;
    }
    EXPECT_TRUE(smi("0, nan, inf, -5, 1e999").empty());
}

TEST(HostSampler, IsAskedOnTheBeatAndNeverTwiceAtOnce) {
    EXPECT_DOUBLE_EQ(next_sample_due(10, 10.01, 1), 11);
    EXPECT_DOUBLE_EQ(next_sample_due(10, 10.4, 1), 11);
    EXPECT_DOUBLE_EQ(next_sample_due(10, 10.9, 1), 11.9);
    EXPECT_DOUBLE_EQ(next_sample_due(10, 3700, 1), 3701);
}

TEST(HostSampler, ReportsTheStateOfThisMachine) {
    const test::TemporaryFolder folder;
    HostSampler sampler(folder.path());
    const auto first = values_of(sampler.take());
    EXPECT_FALSE(first.contains(sample_key::kCpu)) << "no time has passed: no rate, and not 0";
    EXPECT_GT(first.at(sample_key::kMemTotal), first.at(sample_key::kMemUsed));
    EXPECT_GT(first.at(sample_key::kDiskTotal), 0);
    std::map<std::string, double> later;
    ASSERT_TRUE(test::wait_until([&] {
        later = values_of(sampler.take());
        return later.contains(sample_key::kCpu);
    }));
    EXPECT_GE(later.at(sample_key::kCpu), 0);
    EXPECT_LE(later.at(sample_key::kCpu), 1);
}

// A program by that name, because no GPU is needed to see how it is kept, read and started again.
class SmiOfTheTest : public ::testing::Test {
protected:
    void install(const std::string& body) {
        test::write_text(folder_ / "nvidia-smi", "#!/bin/sh\n" + body);
        std::filesystem::permissions(folder_ / "nvidia-smi", std::filesystem::perms::owner_all);
    }
    std::map<std::string, double> wait_for_reading(GpuMonitor& monitor) {
        std::map<std::string, double> values;
        test::wait_until([&] {
            monitor.step();
            const auto latest = monitor.latest();
            values = {latest.begin(), latest.end()};
            return !values.empty();
        });
        return values;
    }

    test::TemporaryFolder folder_;
    test::ScopedEnvironment path_{"PATH", folder_.path().string() + ":/usr/bin:/bin"};
    std::string device_ = folder_ / "nvidiactl";
};

TEST_F(SmiOfTheTest, NoDriverNoReading) {
    install("echo 0, 50, 1, 2, 30; exec sleep 600");
    GpuMonitor monitor(0.1, NvmlPlace{.device = folder_ / "not-there"});
    std::vector<pollfd> fds;
    monitor.step();
    monitor.add_to(fds);
    EXPECT_TRUE(fds.empty()) << "nothing was started";
    EXPECT_TRUE(monitor.latest().empty());
}

TEST_F(SmiOfTheTest, ReadsLinesAsTheyCome) {
    test::write_text(device_, "");
    install("printf '0, 50, 1, 2, 3'; sleep 0.1; printf '0\\n1, 70, 1, 2, 40\\n'; exec sleep 600");
    GpuMonitor monitor(600, NvmlPlace{.device = device_});
    auto values = wait_for_reading(monitor);
    EXPECT_EQ(values.at("gpu.0.temp"), 30);
    test::wait_until([&] {
        monitor.step();
        return monitor.latest().size() == 8;
    });
    EXPECT_EQ(monitor.latest().size(), 8U);
}

TEST_F(SmiOfTheTest, AnOldDriverIsAskedForLess) {
    test::write_text(device_, "");
    install(
        "case $1 in *throttle*) echo 'Field \"clocks_throttle_reasons.active\" is not a valid field to "
        "query.'; exit 2;; esac; "
        "echo 0, 50, 1, 2, 30; exec sleep 600");
    GpuMonitor monitor(600, NvmlPlace{.device = device_});
    EXPECT_EQ(wait_for_reading(monitor).at("gpu.0.util"), 0.5);
}

TEST_F(SmiOfTheTest, AHungDriverGivesNothingAndBlocksNothing) {
    test::write_text(device_, "");
    install("echo 0, 50, 1, 2, 30; exec sleep 600");
    GpuMonitor monitor(0.1, NvmlPlace{.device = device_});
    ASSERT_FALSE(wait_for_reading(monitor).empty());
    EXPECT_TRUE(test::wait_until([&] {
        monitor.step();
        return monitor.latest().empty();
    })) << "an old reading is no reading";
}

}  // namespace
}  // namespace rankscope::agent
