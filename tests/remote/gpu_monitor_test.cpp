// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The GPUs of a node through NVML: against a library of the tests' own (mock_nvml), and against the real one where there is
// a driver.

#include "support/agent_fixture.h"
#include "support/scoped_environment.h"
#include "support/temporary_folder.h"
#include "support/wait_until.h"

#include <base/files.h>
#include <remote/agent/hardware/xid_reports.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/wire/sample_keys.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <utility>
#include <vector>

namespace rankscope::agent {
namespace {

using Values = std::map<std::string, double>;

constexpr const char* kEveryValue =
    "set * util 97\nset * mem_util 41\nset * mem_used 42503995392\nset * mem_total 85899345920\n"
    "set * power 412530\nset * power_limit 700000\nset * temp 61\nset * sm_clock 1410\nset * mem_clock 1593\n"
    "set * sm_clock_max 1980\nset * mem_clock_max 2619\nset * throttle 4\nset * ecc 0\nset * ecc_corrected "
    "3\n"
    "set * pcie_gen 5\nset * pcie_width 16\nset * pcie_replays 2\nset * compute 90\n"
    "text * name NVIDIA H100 80GB HBM3\ntext * uuid GPU-1234\ntext * pci 00000000:3B:00.0\n";

Values values_of(const GpuMonitor& monitor) {
    const auto latest = monitor.latest();
    return {latest.begin(), latest.end()};
}

class MockNvml : public ::testing::Test {
protected:
    void say(const std::string& text) { ASSERT_EQ(write_file_atomically(file_, text), 0); }
    NvmlPlace place(const char* library = RANKSCOPE_MOCK_NVML) const {
        return {.library = library, .device = folder_ / "no-device"};
    }
    static bool step_until(GpuMonitor& monitor, const std::function<bool()>& condition) {
        return test::wait_until([&] {
            monitor.step();
            return condition();
        });
    }
    static Values first_of(GpuMonitor& monitor) {
        step_until(monitor, [&monitor] { return !monitor.latest().empty(); });
        return values_of(monitor);
    }

    test::TemporaryFolder folder_;
    std::filesystem::path file_ = folder_ / "nvml.txt";
    test::ScopedEnvironment variable_{"MOCK_NVML", file_.string()};
};

TEST_F(MockNvml, EveryValueOfEightGpusInTheUnitsOfSamples) {
    say("gpus 8\nset 3 util 12\n" + std::string(kEveryValue));
    GpuMonitor monitor(0.1, place());
    const Values values = first_of(monitor);
    EXPECT_EQ(values.size(), 8U * 17) << "no counters of links here";
    const Values expected{{"util", 0.97},
                          {"mem_util", 0.41},
                          {"mem_used", 42503995392},
                          {"mem_total", 85899345920},
                          {"power", 412.53},
                          {"power_limit", 700},
                          {"temp", 61},
                          {"sm_clock", 1410e6},
                          {"mem_clock", 1593e6},
                          {"sm_clock_max", 1980e6},
                          {"mem_clock_max", 2619e6},
                          {"throttle", 4},
                          {"ecc", 0},
                          {"ecc_corrected", 3},
                          {"pcie_gen", 5},
                          {"pcie_width", 16},
                          {"pcie_replays", 2}};
    for (const auto& [key, value] : expected) {
        EXPECT_DOUBLE_EQ(values.at("gpu.7." + key), value) << key;
    }
    EXPECT_DOUBLE_EQ(values.at("gpu.3.util"), 0.12);
    EXPECT_EQ(monitor.silence(), GpuSilence::None);
}

TEST_F(MockNvml, WhatAGpuDoesNotReportIsAbsentAndNotZero) {
    // MIG: no utilisation of the whole GPU; error 3 is "not supported", 4 "no permission".
    say(std::string(kEveryValue) +
        "set * mig 1\nerror 0 UtilizationRates 3\nerror 0 PowerUsage 3\nerror 0 TotalEccErrors 4\n");
    GpuMonitor monitor(0.1, place());
    const Values values = first_of(monitor);
    for (const char* key : {"gpu.0.util", "gpu.0.mem_util", "gpu.0.power", "gpu.0.ecc"}) {
        EXPECT_FALSE(values.contains(key)) << key;
    }
    EXPECT_EQ(values.at("gpu.0.mem_used"), 42503995392.0);
    EXPECT_EQ(values.at("gpu.0.temp"), 61);
}

TEST_F(MockNvml, AnOlderLibraryLacksFunctions) {
    say(std::string(kEveryValue) + "process 0 " + std::to_string(::getpid()) + " 5000\nset * field.138 77\n");
    GpuMonitor monitor(0.1, place(RANKSCOPE_MOCK_NVML_OLD));
    const Values values = first_of(monitor);
    EXPECT_EQ(values.at("gpu.0.mem_used"), 42503995392.0) << "by the first version of the function";
    EXPECT_EQ(values.at("gpu.0.throttle"), 4) << "by its older name";
    EXPECT_FALSE(values.contains("gpu.0.nvlink_tx"));
    ASSERT_EQ(monitor.processes().at(0).size(), 1U);
    EXPECT_EQ(monitor.processes().at(0)[0].pid, ::getpid());
    EXPECT_EQ(monitor.processes().at(0)[0].bytes, 5000U);
}

TEST_F(MockNvml, TrafficOfLinksIsARate) {
    const std::string hopper =
        std::string(kEveryValue) + "set * field.91 18\nset * field.197 1000\nset * field.198 2000\n";
    say(hopper + "set * field.138 1000\nset * field.139 5\nset 0 field.161.0 1\nset 0 field.163.17 2\n");
    GpuMonitor monitor(0.1, place());
    first_of(monitor);
    EXPECT_FALSE(values_of(monitor).contains("gpu.0.nvlink_tx")) << "one reading is no rate";
    EXPECT_EQ(values_of(monitor).at("gpu.0.nvlink_errors"), 3) << "of all links";
    ASSERT_TRUE(step_until(monitor, [&] { return values_of(monitor).contains("gpu.0.nvlink_tx"); }));
    EXPECT_EQ(values_of(monitor).at("gpu.0.nvlink_tx"), 0);
    double sent = 0;
    double received = 0;
    say(hopper + "set * field.138 100001000\nset * field.139 5\nset * field.198 9000\n");
    ASSERT_TRUE(step_until(monitor, [&] {
        sent = std::max(sent, values_of(monitor)["gpu.0.nvlink_tx"]);
        received = std::max(received, values_of(monitor)["gpu.0.pcie_rx"]);
        return sent > 0 && received > 0;
    }));
    EXPECT_GT(sent, 1e8 * 1024 / 60) << "KiB";
    EXPECT_LT(sent, 1e8 * 1024 / 0.01);
    EXPECT_EQ(values_of(monitor)["gpu.0.pcie_tx"], 0);
}

TEST_F(MockNvml, NewerLinksCountBytesEach) {
    say(std::string(kEveryValue) +
        "set * field.91 2\nset 0 field.202.0 10\nset 0 field.202.1 20\n"
        "set 0 field.204.0 1\nset 0 field.208.1 4\nset 0 field.215.0 1\n");
    GpuMonitor monitor(0.1, place());
    first_of(monitor);
    EXPECT_EQ(values_of(monitor).at("gpu.0.nvlink_errors"), 5);
    EXPECT_TRUE(step_until(monitor, [&] { return values_of(monitor).contains("gpu.0.nvlink_rx"); }));
}

TEST_F(MockNvml, PcieTrafficOfADriverThatMeasuresIt) {
    say(std::string(kEveryValue) + "gpus 2\nset * pcie_tx_rate 100\nset * pcie_rx_rate 300\n");
    GpuMonitor monitor(0.5, place());
    ASSERT_TRUE(step_until(monitor, [&] {
        return values_of(monitor).contains("gpu.0.pcie_rx") && values_of(monitor).contains("gpu.1.pcie_rx");
    })) << "a GPU each round, and the value is kept";
    EXPECT_EQ(values_of(monitor).at("gpu.1.pcie_rx"), 300 * 1024.0);
}

TEST_F(MockNvml, AGpuThatIsLostHidesNoOther) {
    say("gpus 3\n" + std::string(kEveryValue));
    GpuMonitor monitor(0.1, place());
    ASSERT_TRUE(first_of(monitor).contains("gpu.1.util"));
    say("gpus 3\nerror 1 PowerUsage 15\ntext 1 pci 00000000:AF:00.0\n" + std::string(kEveryValue));
    std::vector<NvmlError> errors;
    ASSERT_TRUE(step_until(monitor, [&] {
        for (auto& error : monitor.take_errors()) {
            errors.push_back(std::move(error));
        }
        return !errors.empty() && !values_of(monitor).contains("gpu.1.temp");
    }));
    EXPECT_TRUE(values_of(monitor).contains("gpu.2.temp"));
    EXPECT_EQ(errors.size(), 1U) << "once, and not in every round";
    EXPECT_EQ(errors[0].xid, 79U);
    EXPECT_TRUE(errors[0].lost);
    EXPECT_EQ(errors[0].pci, "0000:3b:00") << "as it was when the reader began";
}

TEST_F(MockNvml, XidsComeAsEvents) {
    say("gpus 2\n" + std::string(kEveryValue));
    GpuMonitor monitor(600, place());
    ASSERT_FALSE(first_of(monitor).empty());
    say("gpus 2\nxid 1 1 74\nxid 2 0 13\n" + std::string(kEveryValue));
    std::vector<NvmlError> errors;
    ASSERT_TRUE(step_until(monitor, [&] {
        for (auto& error : monitor.take_errors()) {
            errors.push_back(std::move(error));
        }
        return errors.size() == 2;
    })) << "without waiting for the next reading";
    EXPECT_EQ(errors[0].xid, 74U);
    EXPECT_FALSE(errors[0].lost);
    EXPECT_EQ(errors[1].xid, 13U);
}

TEST_F(MockNvml, ADriverWithoutEventsIsReadAllTheSame) {
    say(std::string(kEveryValue) + "error * EventSetWait 999\n");
    GpuMonitor monitor(0.1, place());
    first_of(monitor);
    say("set * temp 62\nerror * EventSetWait 999\n");
    EXPECT_TRUE(step_until(monitor, [&] { return values_of(monitor)["gpu.0.temp"] == 62; }));
}

TEST_F(MockNvml, AHungDriverHoldsNothingUpAndIsStated) {
    say(kEveryValue);
    GpuMonitor monitor(0.1, place());
    ASSERT_FALSE(first_of(monitor).empty());
    say(std::string(kEveryValue) + "slow 0 PowerUsage 600000\n");
    double longest = 0;
    ASSERT_TRUE(step_until(monitor, [&] {
        const double begin = monotonic_s();
        monitor.step();
        longest = std::max(longest, monotonic_s() - begin);
        return values_of(monitor).contains(sample_key::kGpuUnavailable);
    }));
    EXPECT_EQ(values_of(monitor).size(), 1U) << "no old values";
    EXPECT_EQ(monitor.silence(), GpuSilence::NoAnswer);
    EXPECT_LT(longest, 2);
}

TEST_F(MockNvml, ADriverThatWasUpgradedUnderTheKernelsModule) {
    say("error * init 18\n");
    GpuMonitor monitor(0.1, place());
    ASSERT_TRUE(step_until(monitor, [&] { return monitor.silence() != GpuSilence::None; }));
    EXPECT_EQ(monitor.silence(), GpuSilence::DriverError);
    ASSERT_TRUE(monitor.failure());
    EXPECT_EQ(monitor.failure()->code, 18U);
}

TEST_F(MockNvml, WithoutTheLibraryTheToolIsUsed) {
    const test::ScopedEnvironment path{"PATH", folder_.path().string() + ":/usr/bin:/bin"};
    {
        GpuMonitor monitor(600, place("/no/such/library.so"));
        ASSERT_TRUE(step_until(monitor, [&] { return monitor.silence() != GpuSilence::None; }));
        EXPECT_EQ(monitor.silence(), GpuSilence::NoLibrary);
        EXPECT_EQ(values_of(monitor).at(sample_key::kGpuUnavailable), 2);
    }
    test::write_text(folder_ / "nvidia-smi", "#!/bin/sh\necho 0, 50, 1, 2, 30; exec sleep 600\n");
    std::filesystem::permissions(folder_ / "nvidia-smi", std::filesystem::perms::owner_all);
    GpuMonitor monitor(600, place("/no/such/library.so"));
    EXPECT_EQ(first_of(monitor).at("gpu.0.temp"), 30);
    EXPECT_EQ(monitor.silence(), GpuSilence::None);
}

// What a reading costs, without the driver's share: the lines of the reader name it.
TEST_F(MockNvml, CostOfAReadingOfEightGpus) {
    std::string text = "gpus 8\n" + std::string(kEveryValue) +
                       "set * field.138 1\nset * field.139 1\nset * field.91 18\n" +
                       "set * field.38 0\nset * field.45 0\nset * field.197 1\nset * field.198 1\n";
    for (int gpu = 0; gpu < 8; ++gpu) {
        text += "process " + std::to_string(gpu) + " 4711 1000\n";
    }
    say(text);
    auto program = watch_nvml(place(), 0.02);
    ASSERT_TRUE(program);
    NvmlLines lines;
    std::vector<std::uint64_t> costs;
    double parse_s = 0;
    ASSERT_TRUE(test::wait_until([&] {
        program->step();
        const auto output = std::exchange(program->output(), {});
        const double begin = monotonic_s();
        lines.add(output);
        parse_s += monotonic_s() - begin;
        if (lines.rounds() > costs.size()) {
            costs.resize(lines.rounds(), lines.cost_us());
        }
        return lines.rounds() >= 40;
    }));
    std::sort(costs.begin(), costs.end());
    const auto median = costs[costs.size() / 2];
    std::cout << "8 GPUs, " << lines.sample().size() << " values: " << median << " us to read, "
              << static_cast<int>(parse_s * 1e6 / static_cast<double>(lines.rounds())) << " us to parse\n";
    RecordProperty("read_us", static_cast<int>(median));
    EXPECT_LT(median, 100000U);
}

TEST(RealNvml, ReadsTheGpusOfThisNode) {
    const NvmlPlace place = NvmlPlace::of_this_node();
    if (!place.has_driver()) {
        GTEST_SKIP() << "no NVIDIA driver on this node";
    }
    GpuMonitor monitor(0.2, place);
    Values values;
    ASSERT_TRUE(test::wait_until([&] {
        monitor.step();
        values = values_of(monitor);
        return !values.empty();
    }));
    ASSERT_EQ(monitor.silence(), GpuSilence::None) << (monitor.failure() ? monitor.failure()->why : "");
    EXPECT_GT(values.at("gpu.0.mem_total"), 1e9);
    EXPECT_LE(values.at("gpu.0.mem_used"), values.at("gpu.0.mem_total"));
    for (const auto& [key, value] : values) {
        std::cout << key << ' ' << value << '\n';
    }
}

TEST(NvmlLines, TakesPiecesAndLeavesOutWhatItDoesNotUnderstand) {
    NvmlLines lines;
    for (const char letter :
         std::string("driver 550.54\ncuda 12040\ntext 0 name A b c\nbegin 1000000\n"
                     "value 0 util 50\nvalue 0 util\nvalue x util 3\nvalue -1 util 3\n"
                     "value 9999 util 3\nvalue 0 power 99999999999999999999999\nnonsense\n\n"
                     "process 0 12 34\nprocess 0 -1 34\nend 77\nbegin 2000000\nvalue 0 util 7\n")) {
        lines.add(std::string(1, letter));
    }
    EXPECT_EQ(lines.rounds(), 1U);
    EXPECT_EQ(lines.cost_us(), 77U);
    EXPECT_EQ(lines.driver(), "550.54");
    EXPECT_EQ(lines.cuda(), 12040U);
    ASSERT_EQ(lines.gpus().size(), 1U);
    EXPECT_EQ(lines.gpus().at(0).text("name"), "A b c");
    EXPECT_EQ(lines.gpus().at(0).processes.size(), 1U);
    EXPECT_EQ(lines.sample(), (std::vector<std::pair<std::string, double>>{{"gpu.0.util", 0.5}}))
        << "the second round is not complete";
}

TEST(NvmlLines, ACounterThatWentBackIsNoRate) {
    NvmlLines lines;
    lines.add(
        "begin 1000000\nvalue 0 nvlink_tx_bytes 5000\nend 1\nbegin 3000000\nvalue 0 nvlink_tx_bytes "
        "9000\nend 1\n");
    EXPECT_EQ(lines.sample(), (std::vector<std::pair<std::string, double>>{{"gpu.0.nvlink_tx", 2000}}));
    lines.add("begin 4000000\nvalue 0 nvlink_tx_bytes 10\nend 1\n");
    EXPECT_TRUE(lines.sample().empty());
}

TEST(NvmlLines, PciAddressesAreThoseOfTheKernel) {
    EXPECT_EQ(kernel_pci("00000000:3B:00.0"), "0000:3b:00");
    EXPECT_EQ(kernel_pci("0000:3b:00"), "0000:3b:00");
    EXPECT_EQ(kernel_pci("00010000:3B:00.0"), "00010000:3b:00") << "a domain of five digits";
    EXPECT_EQ(kernel_pci(""), "");
}

TEST(XidReports, OneErrorIsOneReportInEitherOrder) {
    XidReports reports;
    const NvmlError error{"0000:3b:00", 79, false};
    EXPECT_TRUE(reports.add_of_kernel("0000:3b:00", 79, 100));
    reports.add_of_nvml(error, true, 100.5);
    EXPECT_TRUE(reports.take_due(103).empty()) << "the kernel's line was first";

    reports.add_of_nvml({"0000:3b:00", 48, false}, true, 200);
    EXPECT_TRUE(reports.take_due(200.1).empty()) << "it waits for the kernel's";
    EXPECT_TRUE(reports.add_of_kernel("0000:3b:00", 48, 201));
    EXPECT_TRUE(reports.take_due(203).empty());

    reports.add_of_nvml({"0000:3b:00", 74, false}, true, 300);
    ASSERT_EQ(reports.take_due(302.1).size(), 1U) << "no line came";
    EXPECT_FALSE(reports.add_of_kernel("0000:3b:00", 74, 303)) << "late";
    EXPECT_TRUE(reports.add_of_kernel("0000:3b:00", 74, 400)) << "another one";

    reports.add_of_nvml({"0000:af:00", 79, true}, false, 500);
    ASSERT_EQ(reports.take_due(500).size(), 1U) << "the log cannot be read: at once";
    reports.add_of_nvml({"0000:af:00", 79, false}, false, 501);
    EXPECT_TRUE(reports.take_due(501).empty()) << "NVML's event after the lost GPU is the same error";
}

// The whole way: a run's supervisor, its samples and its notices.
class GpusOfARun : public test::AgentFixture {};

TEST_F(GpusOfARun, SamplesNameTheMemoryOfRanksAndNoticesTheErrors) {
    const auto file = folder_ / "nvml.txt";
    const auto say = [&](const std::string& more) {
        ASSERT_EQ(write_file_atomically(file, "gpus 2\n" + std::string(kEveryValue) + more), 0);
    };
    say("");
    const test::ScopedEnvironment library("RANKSCOPE_NVML", RANKSCOPE_MOCK_NVML);
    const test::ScopedEnvironment variable("MOCK_NVML", file.string());
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    // The rank's own process, and one that it starts.
    auto run = run_of(
        {"echo $$ >own.tmp; sleep 600 & echo $! >child.tmp; mv own.tmp own; mv child.tmp child; wait"});
    run.set_telemetry_s(0.1);
    start_and_attach(run);
    const auto pid_in = [&](const char* name) {
        std::string text;
        test::wait_until([&] {
            text = read_file(folder_ / name).value_or("");
            return !text.empty();
        });
        return text.substr(0, text.find('\n'));
    };
    say("process 1 " + pid_in("own") + " 1000\nprocess 1 " + pid_in("child") +
        " 500\nprocess 0 1 7\nxid 1 1 79\n");
    bool has_memory = false;
    int notices = 0;
    ASSERT_TRUE(client_->wait_for([&] {
        notices = 0;
        for (const auto& event : client_->events()) {
            for (int i = 0; i < event.sample().keys_size(); ++i) {
                has_memory =
                    has_memory || (event.sample().keys(i) == sample_key::gpu_of_rank(1, 0, "mem_used") &&
                                   event.sample().values(i) == 1500);
                EXPECT_FALSE(event.sample().keys(i).starts_with("gpu.0.rank.")) << "a process of no rank";
            }
            notices += event.has_notice() && event.notice().id() == "gpu-fell-off-bus" ? 1 : 0;
        }
        return has_memory && notices > 0;
    })) << history();
    stop(run, true);
    client_->wait_for_end();
    EXPECT_EQ(notices, 1);
}

// A node with a driver and without nvidia-smi: what is asked once.
TEST_F(GpusOfARun, ANodeWithoutTheToolReportsItsGpus) {
    const auto file = folder_ / "nvml.txt";
    ASSERT_EQ(write_file_atomically(file, "gpus 8\n" + std::string(kEveryValue) +
                                              "set * mig 0\nset * compute_mode 3\nset * fabric 2\nset * "
                                              "pcie_width_max 16\nset * retired_pages 1\nprocess 5 " +
                                              std::to_string(::getpid()) + " 900\n"),
              0);
    const test::ScopedEnvironment library("RANKSCOPE_NVML", RANKSCOPE_MOCK_NVML);
    const test::ScopedEnvironment variable("MOCK_NVML", file.string());
    const test::ScopedEnvironment path("PATH", "/usr/bin:/bin");
    client_ = std::make_unique<test::AgentClient>(folder_.path().string());
    wire::Request request;
    request.mutable_probe();
    const auto facts = client_->call(request).facts();
    ASSERT_EQ(facts.gpus_size(), 8);
    EXPECT_EQ(facts.gpus(7).name(), "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(facts.gpus(7).memory_bytes(), 85899345920U);
    Values sample;
    for (int i = 0; i < facts.sample().keys_size(); ++i) {
        sample[facts.sample().keys(i)] = facts.sample().values(i);
    }
    EXPECT_EQ(sample[sample_key::gpu(7, "compute")], 90);
    EXPECT_EQ(sample[sample_key::kCudaDriver], 12040);
    EXPECT_TRUE(sample.contains(sample_key::kMemTotal)) << "beside the node's own";

    request.Clear();
    request.mutable_inspect_host();
    const auto found = client_->call(request).host();
    ASSERT_EQ(found.gpus_size(), 8);
    const auto& gpu = found.gpus(5);
    EXPECT_EQ(gpu.compute_mode(), "Exclusive_Process");
    EXPECT_EQ(gpu.mig(), "Disabled");
    EXPECT_EQ(gpu.fabric_state(), "In Progress");
    EXPECT_EQ(gpu.throttle_reasons(), "0x0000000000000004");
    EXPECT_EQ(gpu.retired_pages(), 1U);
    ASSERT_EQ(gpu.processes_size(), 1);
    EXPECT_EQ(gpu.processes(0).memory_bytes(), 900U);
    EXPECT_FALSE(gpu.processes(0).command().empty());
    std::map<std::string, std::string> versions;
    for (const auto& version : found.versions()) {
        versions[version.name()] = version.value();
    }
    EXPECT_EQ(versions["compute.5"], "9.0");
    EXPECT_EQ(versions["driver.cuda"], "12.4");

    request.Clear();
    request.mutable_leftovers();
    const auto left = client_->call(request).leftovers();
    EXPECT_TRUE(std::any_of(left.entries().begin(), left.entries().end(), [](const auto& entry) {
        return entry.kind() == "gpu-memory" && entry.pid() == ::getpid() && entry.bytes() == 900;
    }));

    ASSERT_EQ(write_file_atomically(file, "error * init 18\n"), 0);
    request.Clear();
    request.mutable_inspect_host();
    const auto broken = client_->call(request).host();
    EXPECT_TRUE(std::any_of(broken.unseen().begin(), broken.unseen().end(), [](const auto& entry) {
        return entry.what() == "gpus" && entry.why().find("different versions") != std::string::npos;
    }));
}

}  // namespace
}  // namespace rankscope::agent
