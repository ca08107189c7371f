// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a preflight says of GPUs, of NCCL's settings and of limits: from typed facts of nodes.

#include <remote/desk/runs/preflight/gpu_checks.h>
#include <remote/desk/runs/preflight/host_checks.h>
#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/nccl_setting_checks.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr std::int64_t kNow_us = std::int64_t{1800000000} * 1000000;

// node1, node2, …, each with two healthy GPUs of which the first is used.
std::vector<NodeView> with_gpus(std::size_t nodes) {
    std::vector<NodeView> views(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        views[i].name = "node" + std::to_string(i + 1);
        views[i].interface_name = "eth0";
        views[i].gpus = true;
        views[i].gpu_indices = {0};
        views[i].host.set_clock_us(kNow_us);
        for (const unsigned index : {0U, 1U}) {
            auto* gpu = views[i].host.add_gpus();
            gpu->set_index(index);
            gpu->set_name("NVIDIA H100");
            gpu->set_pci("00000000:" + std::string(index == 0 ? "3B" : "5C") + ":00.0");
            gpu->set_memory_total(80 * kGiB);
            gpu->set_memory_used(kGiB / 16);
            gpu->set_compute_mode("Default");
            gpu->set_pcie_width(16);
            gpu->set_pcie_width_max(16);
            gpu->set_fabric_state("Completed");
        }
    }
    return views;
}

wire::GpuState& gpu_of(NodeView& view, int index) {
    return *view.host.mutable_gpus(index);
}

std::vector<Check> judged(const std::vector<NodeView>& views) {
    HostFindings findings;
    gpu_checks(views, findings);
    auto checks = findings.take();
    std::erase_if(checks, [](const Check& check) { return check.status == CheckStatus::Pass; });
    return checks;
}

void add_error(NodeView& view, std::uint32_t xid, const std::string& pci, std::int64_t t_us) {
    auto* error = view.host.add_gpu_errors();
    error->set_xid(xid);
    error->set_pci(pci);
    error->set_t_us(t_us);
    error->set_text(std::to_string(xid) + ", pid=1, what the kernel said");
}

void add_version(NodeView& view, const std::string& name, const std::string& value) {
    auto* version = view.host.add_versions();
    version->set_name(name);
    version->set_value(value);
}

TEST(GpuChecks, HealthyOnesPass) {
    EXPECT_TRUE(judged(with_gpus(3)).empty());
}

TEST(GpuChecks, WhoHoldsTheMemoryIsNamed) {
    auto views = with_gpus(2);
    auto* process = gpu_of(views[1], 0).add_processes();
    process->set_pid(4711);
    process->set_user("alice");
    process->set_command("python train.py");
    process->set_memory_bytes(60 * kGiB);
    gpu_of(views[1], 0).set_memory_used(61 * kGiB);
    auto bad = judged(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("gpu-busy"));
    EXPECT_EQ(bad[0].status, CheckStatus::Fail);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node2"});
    EXPECT_NE(bad[0].evidence.back().find("python train.py (pid 4711, alice): 61440 MiB"), std::string::npos)
        << bad[0].evidence.back();
    gpu_of(views[1], 0).clear_processes();
    gpu_of(views[1], 0).set_memory_used(2 * kGiB);
    bad = judged(views);
    ASSERT_EQ(bad.size(), 1U) << "of a container's neighbour: the process is not visible";
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    gpu_of(views[1], 0).set_memory_used(0);
    gpu_of(views[1], 1).set_memory_used(70 * kGiB);
    EXPECT_TRUE(judged(views).empty()) << "the run does not use that one";
    views[1].gpus = false;
    gpu_of(views[1], 0).set_memory_used(70 * kGiB);
    EXPECT_TRUE(judged(views).empty()) << "the run uses none there";
}

TEST(GpuChecks, ComputeModes) {
    auto views = with_gpus(1);
    gpu_of(views[0], 0).set_compute_mode("Exclusive_Process");
    EXPECT_TRUE(judged(views).empty());
    gpu_of(views[0], 0).add_processes()->set_pid(7);
    EXPECT_EQ(judged(views).at(0).status, CheckStatus::Fail);
    gpu_of(views[0], 0).clear_processes();
    gpu_of(views[0], 0).set_compute_mode("Prohibited");
    const auto bad = judged(views);
    ASSERT_EQ(bad.at(0).fixes.size(), 1U);
    EXPECT_EQ(bad[0].fixes[0].command, "sudo nvidia-smi -i 0 -c DEFAULT");
    EXPECT_EQ(bad[0].fixes[0].undo, "sudo nvidia-smi -i 0 -c PROHIBITED");
}

TEST(GpuChecks, MemoryErrorsLanesAndFabric) {
    auto views = with_gpus(2);
    gpu_of(views[0], 0).set_ecc_errors(3);
    gpu_of(views[1], 0).set_retired_pages(2);
    gpu_of(views[1], 0).set_pcie_width(4);
    gpu_of(views[1], 0).set_fabric_state("In Progress");
    std::map<std::string, CheckStatus> found;
    for (const auto& check : judged(views)) {
        found[check.id.str() + " " + check.nodes.front()] = check.status;
    }
    EXPECT_EQ(found, (std::map<std::string, CheckStatus>{{"gpu-ecc node1", CheckStatus::Fail},
                                                         {"gpu-ecc node2", CheckStatus::Warn},
                                                         {"gpu-pcie-degraded node2", CheckStatus::Warn},
                                                         {"fabric-manager node2", CheckStatus::Fail}}));
}

TEST(GpuChecks, ErrorsOfTheKernelLog) {
    auto views = with_gpus(3);
    add_error(views[0], 79, "0000:3b:00", kNow_us - 60000000);  // it answers again
    add_error(views[1], 79, "0000:9f:00", kNow_us - 60000000);  // it does not
    add_error(views[2], 31, "0000:3b:00", kNow_us);             // of a program
    add_error(views[2], 79, "0000:5c:00", kNow_us);             // not used
    auto bad = judged(views);
    ASSERT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad[0].id, FailureId("gpu-fell-off-bus"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node1"});
    EXPECT_EQ(bad[1].status, CheckStatus::Fail);
    EXPECT_EQ(bad[1].nodes, std::vector<std::string>{"node2"});
    views = with_gpus(1);
    add_error(views[0], 95, "0000:3b:00", kNow_us - std::int64_t{3} * 24 * 3600 * 1000000);
    add_error(views[0], 74, "0000:3b:00", kNow_us);
    bad = judged(views);
    ASSERT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad[0].id, FailureId("gpu-ecc"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn) << "days ago";
    EXPECT_EQ(bad[1].id, FailureId("nvlink-error"));
}

TEST(GpuChecks, ADriverThatIsTooOldForTheCudaVersion) {
    auto views = with_gpus(2);
    add_version(views[0], "driver", "550.54.14");
    add_version(views[1], "driver", "470.82.01");
    for (auto& view : views) {
        add_version(view, "cuda", "12.4");
    }
    auto bad = judged(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("cuda-driver-too-old"));
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node2"});
    add_version(views[0], "driver.library", "555.42.02");
    bad = judged(views);
    ASSERT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad[0].id, FailureId("version-skew")) << "updated without a restart";
}

TEST(GpuChecks, SettingsThatDifferAreShown) {
    auto views = with_gpus(2);
    gpu_of(views[0], 0).set_persistence(true);
    const auto bad = judged(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("version-skew"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_NE(bad[0].evidence.back().find("node1 has persistence on, MIG off"), std::string::npos)
        << bad[0].detail;
}

void set_nccl(NodeView& view, const std::string& name, const std::string& value) {
    auto* setting = view.host.add_nccl_settings();
    setting->set_name(name);
    setting->set_value(value);
    setting->set_source("/etc/nccl.conf");
}

std::vector<Check> settings_of(const std::vector<NodeView>& views, bool nccl = true) {
    HostFindings findings;
    nccl_setting_checks(views, nccl, findings);
    return findings.take();
}

TEST(HostFindings, SentencesThatAreJoinedHaveAFullStop) {
    HostFindings findings;
    for (const char* node : {"node1", "node2"}) {
        findings.add("probe-incomplete", CheckStatus::Skip, node, "the name of the file does not hold it");
        findings.add("shm-too-small", CheckStatus::Warn, node, "Too small.");
    }
    const std::vector<Check> checks = findings.take();
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_EQ(checks[0].detail, "the name of the file does not hold it. The same check concerns node2.");
    EXPECT_EQ(checks[1].detail, "Too small. The same check concerns node2.");
}

TEST(NcclSettings, WhatMustBeEqualOnAllNodes) {
    auto views = with_gpus(3);
    for (auto& view : views) {
        set_nccl(view, "NCCL_PROTO", "Simple");
        set_nccl(view, "NCCL_SOCKET_IFNAME", view.name);  // may differ
    }
    EXPECT_TRUE(settings_of(views).empty());
    views[2].host.mutable_nccl_settings(0)->set_value("LL");
    auto bad = settings_of(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("env-skew"));
    EXPECT_EQ(bad[0].status, CheckStatus::Fail);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node3"});
    EXPECT_NE(bad[0].detail.find("/etc/nccl.conf"), std::string::npos);
    EXPECT_EQ(bad[0].fixes.at(0).job.at("env.NCCL_PROTO"), "Simple");
    EXPECT_EQ(settings_of(views, false).at(0).status, CheckStatus::Warn) << "Gloo does not read it";
    for (auto& view : views) {
        view.env["NCCL_PROTO"] = "LL128";
    }
    EXPECT_TRUE(settings_of(views).empty()) << "the job sets it";
    views = with_gpus(2);
    set_nccl(views[0], "NCCL_IB_DISABLE", "1");
    EXPECT_EQ(settings_of(views).at(0).nodes.size(), 2U) << "which of two is right is not known";
}

TEST(NcclSettings, MisspeltNamesOfANodeGetTheRightOne) {
    auto views = with_gpus(1);
    set_nccl(views[0], "NCCL_SOCKET_IFNAM", "eth0");
    set_nccl(views[0], "NCCL_DEBUG", "INFO");
    auto bad = settings_of(views);
    ASSERT_EQ(bad.size(), 1U) << "one node is enough";
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node1"});
    EXPECT_NE(bad[0].detail.find("Did you mean NCCL_SOCKET_IFNAME?"), std::string::npos) << bad[0].detail;
    EXPECT_NE(bad[0].detail.find("set on node1 (/etc/nccl.conf)"), std::string::npos) << bad[0].detail;
    views = with_gpus(3);
    set_nccl(views[2], "TORCH_NCCL_BLOKING_WAIT", "1");
    set_nccl(views[2], "GLOO_SOCKET_IFNAM", "eth0");
    set_nccl(views[2], "NCCL_SOCKET_IFNAM", "eth0");
    set_nccl(views[2], "TORCH_HOME", "/data/models");
    bad = settings_of(views, false);
    std::string all;
    for (const auto& check : bad) {
        EXPECT_EQ(check.nodes, std::vector<std::string>{"node3"});
        EXPECT_TRUE(check.fixes.empty()) << "no value of it is the right one for all";
        for (const auto& line : check.evidence) {
            all += line + '\n';
        }
    }
    for (const char* name : {"TORCH_NCCL_BLOCKING_WAIT?", "GLOO_SOCKET_IFNAME?", "NCCL_SOCKET_IFNAME?"}) {
        EXPECT_NE(all.find(name), std::string::npos) << all;
    }
    EXPECT_EQ(all.find("not set on"), std::string::npos) << all;
    EXPECT_EQ(all.find("TORCH_HOME"), std::string::npos) << all;
}

TEST(NcclSettings, AnInterfaceThatTheNodeDoesNotHave) {
    auto views = with_gpus(2);
    for (auto& view : views) {
        auto* interface = view.host.add_interfaces();
        interface->set_name("eth0");
        interface->add_addresses("10.0.0." + view.name.substr(4));
        interface->set_up(true);
        interface->set_carrier(true);
    }
    set_nccl(views[1], "NCCL_SOCKET_IFNAME", "ens9");
    auto checks = interface_checks(views, {}, "");
    const auto found = std::find_if(checks.begin(), checks.end(),
                                    [](const Check& check) { return check.id == "socket-ifname-invalid"; });
    ASSERT_NE(found, checks.end());
    EXPECT_EQ(found->status, CheckStatus::Warn) << "the ranks of this run get eth0";
    EXPECT_EQ(found->nodes, std::vector<std::string>{"node2"});
    views[1].env["NCCL_SOCKET_IFNAME"] = "ens9";
    views[1].env_keys["NCCL_SOCKET_IFNAME"] = "node_env.node2.NCCL_SOCKET_IFNAME";
    checks = interface_checks(views, {}, "");
    ASSERT_EQ(checks.at(0).status, CheckStatus::Fail);
    EXPECT_EQ(checks[0].fixes.at(0).job,
              (std::map<std::string, std::string>{{"node_env.node2.NCCL_SOCKET_IFNAME", ""}}));
}

TEST(NcclSettings, InfinibandPortsThatAreNotReady) {
    auto views = with_gpus(2);
    for (auto& view : views) {
        for (const char* device : {"mlx5_0", "mlx5_1"}) {
            auto* port = view.host.add_infiniband();
            port->set_device(device);
            port->set_port(1);
            port->set_state("ACTIVE");
            port->set_physical("LinkUp");
            port->add_gids("fe80:0000:0000:0000:0000:0000:0000:0001");
        }
    }
    EXPECT_TRUE(settings_of(views).empty());
    views[1].host.mutable_infiniband(1)->set_state("DOWN");
    views[1].host.mutable_infiniband(1)->set_physical("Polling");
    auto bad = settings_of(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("ib-degraded"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node2"});
    views[0].host.mutable_infiniband(1)->set_state("DOWN");
    EXPECT_TRUE(settings_of(views).empty()) << "not wired on any node";
    views[0].host.mutable_infiniband(0)->clear_gids();
    EXPECT_EQ(settings_of(views).at(0).status, CheckStatus::Fail);
    for (auto& view : views) {
        view.env["NCCL_IB_DISABLE"] = "1";
    }
    EXPECT_TRUE(settings_of(views).empty()) << "NCCL does not use it";
}

std::vector<Check> host_of(const std::vector<NodeView>& views, const HostNeeds& needs) {
    auto checks = host_checks(views, needs);
    std::erase_if(checks, [](const Check& check) { return check.status == CheckStatus::Pass; });
    return checks;
}

void add_limit(NodeView& view, const std::string& name, std::int64_t soft, std::int64_t hard,
               const std::string& source = "rlimit") {
    auto* limit = view.host.add_limits();
    limit->set_name(name);
    limit->set_soft(soft);
    limit->set_hard(hard);
    limit->set_used(1);
    limit->set_source(source);
}

TEST(LimitFixes, TheSoftLimitAloneWhereTheHardOneIsHighEnough) {
    std::vector<NodeView> views(1);
    views[0].name = "node1";
    add_limit(views[0], "nofile", 256, 4096);
    auto bad = host_of(views, {});
    ASSERT_EQ(bad.at(0).fixes.size(), 1U);
    EXPECT_NE(bad[0].fixes[0].command.find("* soft nofile 4096"), std::string::npos)
        << bad[0].fixes[0].command;
    EXPECT_NE(bad[0].fixes[0].undo.find("--nofile=256:"), std::string::npos) << bad[0].fixes[0].undo;
    views[0].host.clear_limits();
    add_limit(views[0], "nofile", 256, 256);
    bad = host_of(views, {});
    EXPECT_NE(bad.at(0).fixes.at(0).command.find("* - nofile 1048576"), std::string::npos);
    EXPECT_NE(bad[0].fixes[0].undo.find("--nofile=256:256"), std::string::npos);
    views[0].host.clear_limits();
    add_limit(views[0], "pids.max", 20, 20, "/sys/fs/cgroup/user.slice");
    bad = host_of(views, {});
    EXPECT_EQ(bad.at(0).id, FailureId("pids-limit"));
    EXPECT_NE(bad[0].fixes.at(0).command.find("/sys/fs/cgroup/user.slice/pids.max"), std::string::npos);
    EXPECT_NE(bad[0].fixes[0].undo.find("echo 20 > "), std::string::npos);
}

TEST(OpenWorkdir, IsAWarningWithFolderOwnerModeAndRemedy) {
    std::vector<NodeView> views(2);
    views[0].name = "node1";
    views[1].name = "node2";
    auto* path = views[1].host.add_paths();
    path->set_path("~/proj");
    path->set_resolved("/srv/a b/proj");
    path->set_exists(true);
    path->mutable_open()->set_path("/srv/a b");
    path->mutable_open()->set_owner("trainer");
    path->mutable_open()->set_mode(02775);
    path->mutable_open()->set_writers("group lab");
    auto bad = host_of(views, {.workdir = "~/proj"});
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("workdir-unsafe"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node2"});
    EXPECT_EQ(bad[0].detail,
              "Others can change what the run executes on node2: /srv/a b has the owner trainer and the mode "
              "2775; the "
              "group lab can write there.");
    EXPECT_EQ(bad[0].remedy,
              "Remove their permission there: `chmod go-w '/srv/a b'`. Or set workdir: to a folder that only "
              "you can "
              "write.");
    path->mutable_open()->set_writers("owner");
    EXPECT_EQ(host_of(views, {.workdir = "~/proj"}).at(0).remedy,
              "Set workdir: to a folder that only you can write.");
    path->clear_open();
    EXPECT_TRUE(host_of(views, {.workdir = "~/proj"}).empty());
}

TEST(ClockSkew, AgainstTheMedianAndInBothDirections) {
    std::vector<NodeView> views(4);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].name = "node" + std::to_string(i + 1);
        views[i].clock_offset_s = 3600;  // the desk's own clock is wrong
    }
    EXPECT_TRUE(host_of(views, {}).empty());
    for (const double off : {-90.0, 5.0}) {
        views[2].clock_offset_s = 3600 + off;
        const auto bad = host_of(views, {});
        ASSERT_EQ(bad.size(), 1U) << off;
        EXPECT_EQ(bad[0].id, FailureId("clock-skew"));
        EXPECT_EQ(bad[0].nodes, std::vector<std::string>{"node3"});
        EXPECT_NE(bad[0].detail.find("off by " + std::to_string(static_cast<int>(off))), std::string::npos);
    }
}

TEST(StaleProcesses, AreNamedWithTheirRun) {
    std::vector<NodeView> views(1);
    views[0].name = "node1";
    auto* entry = views[0].host.add_leftovers();
    entry->set_run_id("20261122-1");
    entry->set_pid(42);
    entry->set_what("python3 train.py");
    const auto bad = host_of(views, {});
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("stale-process"));
    EXPECT_EQ(bad[0].status, CheckStatus::Warn);
    EXPECT_EQ(bad[0].fixes.at(0).node, "node1");
    EXPECT_EQ(bad[0].fixes[0].command, "kill 42 2>/dev/null; true");
}

std::vector<NodeView> of_the_engine(const std::string& cudnn, const std::string& nccl,
                                    const std::string& driver = "580.82.07",
                                    const std::string& cublas = "13.0.2.14") {
    auto views = with_gpus(1);
    views[0].native = true;
    views[0].engine_cuda = "13.0";
    views[0].os = "Ubuntu 22.04.5 LTS";
    add_version(views[0], "driver", driver);
    add_version(views[0], "driver.library", driver);
    if (!cudnn.empty()) {
        add_version(views[0], "cudnn.system", cudnn);
    }
    if (!nccl.empty()) {
        add_version(views[0], "nccl.system", nccl);
    }
    if (!cublas.empty()) {
        add_version(views[0], "cublaslt.13.system", cublas);
    }
    return views;
}

TEST(GpuEngineChecks, LibrariesOfTheEngineAreNamedWithTheirCommand) {
    EXPECT_TRUE(judged(of_the_engine("9.10.2", "2.26.2")).empty());
    const auto bad = judged(of_the_engine("9.1.0", ""));
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].id, FailureId("worker-missing-library"));
    std::string all;
    for (const auto& line : bad[0].evidence) {
        all += line + '\n';
    }
    EXPECT_NE(all.find("node1 has cuDNN 9.1.0; the CUDA engine needs at least 9.8."), std::string::npos)
        << all;
    EXPECT_NE(all.find("node1 has no NCCL"), std::string::npos) << all;
    EXPECT_NE(all.find("sudo apt-get install -y libnccl2"), std::string::npos) << all;
    EXPECT_NE(all.find("cudnn9-cuda-13"), std::string::npos) << all;

    const auto unlinked = judged(of_the_engine("9.10.2", "2.26.2", "580.82.07", ""));
    ASSERT_EQ(unlinked.size(), 1U);
    EXPECT_NE(unlinked[0].detail.find("node1 has no cuBLASLt"), std::string::npos) << unlinked[0].detail;
    std::string how;
    for (const auto& line : unlinked[0].evidence) {
        how += line + '\n';
    }
    EXPECT_NE(how.find("libcublas-13-0"), std::string::npos) << how;
    EXPECT_EQ(judged(of_the_engine("9.10.2", "2.18.5")).size(), 1U) << "allocates no memory for collectives";

    auto own = of_the_engine("", "");
    own[0].native = false;
    EXPECT_TRUE(judged(own).empty()) << "PyTorch brings its own";
    auto folders = of_the_engine("", "");
    folders[0].env["LD_LIBRARY_PATH"] = "/opt/cudnn/lib";
    EXPECT_TRUE(judged(folders).empty()) << "the job's folders are not looked at";
}

TEST(GpuEngineChecks, ADriverThatIsMissingOrTooOld) {
    // Every driver from the branch of the engine's CUDA on will do.
    EXPECT_TRUE(judged(of_the_engine("9.10.2", "2.26.2", "580.65.06")).empty());
    EXPECT_EQ(judged(of_the_engine("9.10.2", "2.26.2", "575.57.08")).size(), 1U);
    auto older = of_the_engine("9.10.2", "2.26.2", "535.183.01");
    older[0].engine_cuda = "12.8";
    add_version(older[0], "cublaslt.12.system", "12.8.4.1");
    EXPECT_TRUE(judged(older).empty());
    auto views = of_the_engine("9.10.2", "2.26.2", "470.82.01");
    views[0].os = "Rocky Linux 9.4 (Blue Onyx)";
    const auto old = judged(views);
    ASSERT_EQ(old.size(), 1U);
    EXPECT_EQ(old[0].id, FailureId("cuda-driver-too-old"));
    EXPECT_NE(old[0].remedy.find("sudo dnf install -y nvidia-open"), std::string::npos) << old[0].remedy;

    auto none = with_gpus(1);
    none[0].host.clear_gpus();
    none[0].os = "Arch Linux";
    const auto missing = judged(none);
    ASSERT_EQ(missing.size(), 1U);
    EXPECT_EQ(missing[0].id, FailureId("no-gpu"));
    EXPECT_NE(missing[0].remedy.find("https://developer.nvidia.com"), std::string::npos)
        << "not a known distribution";
    auto* late = none[0].host.add_unseen();
    late->set_what("gpus");
    late->set_why("no answer within 3 s");
    EXPECT_TRUE(judged(none).empty()) << "a driver that hangs is there";
}

TEST(GpuEngineChecks, GpusThatLackThePrecision) {
    auto views = of_the_engine("9.10.2", "2.26.2");
    add_version(views[0], "compute.0", "7.0");
    add_version(views[0], "compute.1", "6.1");
    for (const char* precision : {"fp32", "fp16", ""}) {
        views[0].precision = precision;
        EXPECT_TRUE(judged(views).empty()) << precision;
    }
    views[0].precision = "bf16";
    const auto bad = judged(views);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_NE(bad[0].detail.find("GPU 0 (NVIDIA H100) of node1 has compute capability 7.0; bf16 needs 8.0"),
              std::string::npos)
        << bad[0].detail;
    ASSERT_EQ(bad[0].fixes.size(), 1U);
    EXPECT_EQ(bad[0].fixes[0].job.at("train.precision"), "fp32");
}

}  // namespace
}  // namespace rankscope
