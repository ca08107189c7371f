// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/gpu_checks.h>
#include <remote/desk/runs/preflight/gpu_engine_checks.h>
#include <remote/desk/runs/preflight/oldest_driver.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
constexpr std::uint64_t kMiB = 1U << 20U;
// A display server and the driver itself hold less.
constexpr std::uint64_t kBusyMemory = 512 * kMiB;
constexpr std::int64_t kRecent_us = std::int64_t{24} * 3600 * 1000000;

bool is_used(const NodeView& view, const wire::GpuState& gpu) {
    return view.gpu_indices.empty() || view.gpu_indices.count(static_cast<int>(gpu.index())) > 0;
}

std::string name_of(const wire::GpuState& gpu) {
    return text(kContext, "GPU %1 (%2)",
                {std::to_string(gpu.index()), gpu.name().empty() ? gpu.pci() : gpu.name()});
}

std::string holder_of(const wire::GpuProcess& process) {
    const std::string memory = std::to_string(process.memory_bytes() / kMiB) + " MiB";
    return text(kContext, "%1 (pid %2, %3): %4",
                {process.command().empty() ? text(kContext, "a process") : process.command(),
                 std::to_string(process.pid()),
                 process.user().empty() ? text(kContext, "user not known") : process.user(), memory});
}

void busy(const NodeView& view, const wire::GpuState& gpu, HostFindings& findings) {
    const bool prohibited = gpu.compute_mode() == "Prohibited";
    const bool exclusive = gpu.compute_mode().starts_with("Exclusive");
    std::uint64_t held = 0;
    for (const auto& process : gpu.processes()) {
        held += process.memory_bytes();
    }
    // In a container the processes of others are not visible, but their memory is.
    const std::uint64_t used = std::max(held, gpu.memory_used());
    Check* check = nullptr;
    if (prohibited) {
        check = &findings.add(
            "gpu-busy", CheckStatus::Fail, view,
            text(kContext, "%1 of %2 is in the compute mode \"Prohibited\".", {name_of(gpu), view.name}));
    } else if (exclusive && gpu.processes_size() > 0) {
        check = &findings.add("gpu-busy", CheckStatus::Fail, view,
                              text(kContext, "%1 of %2 is in exclusive mode, and another process uses it.",
                                   {name_of(gpu), view.name}));
    } else if (used > kBusyMemory || (gpu.memory_total() > 0 && used * 4 > gpu.memory_total())) {
        // Half of the memory is hardly left over by chance.
        const bool much = gpu.memory_total() > 0 && used * 2 > gpu.memory_total();
        check = &findings.add("gpu-busy", much ? CheckStatus::Fail : CheckStatus::Warn, view,
                              text(kContext, "%1 of %2 is in use: %3 of %4 MiB are taken.",
                                   {name_of(gpu), view.name, std::to_string(used / kMiB),
                                    std::to_string(gpu.memory_total() / kMiB)}));
    }
    if (check == nullptr) {
        return;
    }
    for (const auto& process : gpu.processes()) {
        check->evidence.push_back(view.name + ", " + name_of(gpu) + ": " + holder_of(process));
    }
    if (prohibited) {
        const auto of_gpu = ShellCommand("sudo nvidia-smi -i").number(gpu.index());
        check->fixes.push_back(root_fix(view.name, ShellCommand(of_gpu).source("-c DEFAULT"),
                                        ShellCommand(of_gpu).source("-c PROHIBITED")));
    }
}

void health(const NodeView& view, const wire::GpuState& gpu, HostFindings& findings) {
    if (gpu.ecc_errors() > 0) {
        findings.add("gpu-ecc", CheckStatus::Fail, view,
                     text(kContext, "%1 of %2 reports %3 memory errors that were not corrected.",
                          {name_of(gpu), view.name, std::to_string(gpu.ecc_errors())}));
    } else if (gpu.retired_pages() > 0) {
        findings.add("gpu-ecc", CheckStatus::Warn, view,
                     text(kContext, "%1 of %2 has retired %3 pages of its memory after errors.",
                          {name_of(gpu), view.name, std::to_string(gpu.retired_pages())}));
    }
    // The generation falls when the GPU is idle, the width does not.
    if (gpu.pcie_width() > 0 && gpu.pcie_width() < gpu.pcie_width_max()) {
        findings.add("gpu-pcie-degraded", CheckStatus::Warn, view,
                     text(kContext, "%1 of %2 uses %3 of %4 PCIe lanes.",
                          {name_of(gpu), view.name, std::to_string(gpu.pcie_width()),
                           std::to_string(gpu.pcie_width_max())}));
    }
    if (gpu.fabric_state() == "In Progress" || gpu.fabric_state() == "Not Started") {
        findings
            .add("fabric-manager", CheckStatus::Fail, view,
                 text(kContext, "The NVLink fabric of %1 of %2 is not ready: \"%3\".",
                      {name_of(gpu), view.name, gpu.fabric_state()}))
            .fixes = {root_fix(view.name, ShellCommand("sudo systemctl enable --now nvidia-fabricmanager"),
                               ShellCommand("sudo systemctl disable --now nvidia-fabricmanager"))};
    }
}

struct XidRule {
    std::uint32_t xid;
    FailureId id;
    bool fails;  ///< the GPU is unusable until it is reset
};

// Xids of programs (13, 31, 43, 45: bad addresses, kills) say nothing about the next run.
const std::array<XidRule, 12>& xid_rules() {
    static const std::array<XidRule, 12> rules{{{48, "gpu-ecc", true},
                                                {63, "gpu-ecc", false},
                                                {64, "gpu-ecc", true},
                                                {74, "nvlink-error", false},
                                                {79, "gpu-fell-off-bus", true},
                                                {92, "gpu-ecc", false},
                                                {94, "gpu-ecc", false},
                                                {95, "gpu-ecc", true},
                                                {119, "gpu-fell-off-bus", false},
                                                {145, "nvlink-error", false},
                                                {149, "nvlink-error", false},
                                                {154, "gpu-fell-off-bus", false}}};
    return rules;
}

// "00000000:3B:00.0" of nvidia-smi and "0000:3b:00" of the kernel are one device.
std::string device_of(std::string_view pci) {
    const std::string device = lower_case(pci.substr(0, pci.find('.')));
    const auto colon = device.find(':');
    const auto first = device.find_first_not_of('0');
    return colon == device.npos || first == device.npos ? device : device.substr(std::min(first, colon));
}

void errors(const NodeView& view, HostFindings& findings) {
    for (const auto& error : view.host.gpu_errors()) {
        const auto rule = std::find_if(xid_rules().begin(), xid_rules().end(),
                                       [&](const XidRule& entry) { return entry.xid == error.xid(); });
        if (rule == xid_rules().end()) {
            continue;
        }
        const auto gpu = std::find_if(
            view.host.gpus().begin(), view.host.gpus().end(),
            [&](const wire::GpuState& entry) { return device_of(entry.pci()) == device_of(error.pci()); });
        const bool answers = gpu != view.host.gpus().end();
        if (answers && !is_used(view, *gpu)) {
            continue;
        }
        // A GPU that answers has been reset since it fell off the bus.
        const bool lost = rule->id == "gpu-fell-off-bus" && !answers;
        const bool recent = view.host.clock_us() - error.t_us() < kRecent_us;
        const bool fails = recent && (rule->id == "gpu-fell-off-bus" ? lost : rule->fails);
        findings.add(rule->id, fails ? CheckStatus::Fail : CheckStatus::Warn, view,
                     text(kContext, "The kernel of %1 reports Xid %2 for %3: %4",
                          {view.name, std::to_string(error.xid()), answers ? name_of(*gpu) : error.pci(),
                           error.text()}));
    }
}

std::string version_of(const NodeView& view, std::string_view name) {
    for (const auto& version : view.host.versions()) {
        if (version.name() == name) {
            return version.value();
        }
    }
    return {};
}

std::optional<int> major_of(const std::string& version) {
    return parse_number<int>(std::string_view(version).substr(0, version.find('.')));
}

void old_driver(const NodeView& view, HostFindings& findings) {
    const std::string driver = version_of(view, "driver");
    const std::string cuda = version_of(view, "cuda");
    const auto has = major_of(driver);
    const auto wants = major_of(cuda);
    if (!has || !wants) {
        return;
    }
    if (*has < oldest_driver(*wants)) {
        findings.add("cuda-driver-too-old", CheckStatus::Fail, view,
                     text(kContext, "The driver %1 of %2 is too old for CUDA %3, which needs at least %4.",
                          {driver, view.name, cuda, std::to_string(oldest_driver(*wants))}));
    }
}

// A library of another version than the module: nothing works until the node restarts.
void mixed_driver(const NodeView& view, HostFindings& findings) {
    const std::string driver = version_of(view, "driver");
    const std::string library = version_of(view, "driver.library");
    if (!driver.empty() && !library.empty() && driver != library) {
        findings.add(
            "version-skew", CheckStatus::Warn, view,
            text(kContext, "%1 runs the driver %2 with the library of %3: restart the node after an update.",
                 {view.name, driver, library}));
    }
}

// Shown, not judged: settings that explain differences in start-up time and memory.
void different_settings(const std::vector<NodeView>& views, HostFindings& findings) {
    std::map<std::string, std::vector<std::string>> nodes_of;
    for (const auto& view : views) {
        for (const auto& gpu : view.host.gpus()) {
            if (!view.gpus || !is_used(view, gpu)) {
                continue;
            }
            const std::string setting =
                text(kContext, "persistence %1, MIG %2",
                     {gpu.persistence() ? "on" : "off", gpu.mig().empty() ? "off" : gpu.mig()});
            auto& nodes = nodes_of[setting];
            if (std::find(nodes.begin(), nodes.end(), view.name) == nodes.end()) {
                nodes.push_back(view.name);
            }
        }
    }
    for (const auto& [setting, nodes] : nodes_of) {
        for (const auto& node : nodes) {
            if (nodes_of.size() > 1) {
                findings.add(
                    "version-skew", CheckStatus::Warn, node,
                    text(kContext, "The GPUs of the nodes are set differently: %1 has %2.", {node, setting}));
            }
        }
    }
}

}  // namespace

void gpu_checks(const std::vector<NodeView>& views, HostFindings& findings) {
    bool any = false;
    for (const auto& view : views) {
        if (!view.gpus) {
            continue;
        }
        any = true;
        for (const auto& gpu : view.host.gpus()) {
            if (is_used(view, gpu)) {
                busy(view, gpu, findings);
                health(view, gpu, findings);
            }
        }
        errors(view, findings);
        old_driver(view, findings);
        mixed_driver(view, findings);
        gpu_engine_checks(view, findings);
    }
    different_settings(views, findings);
    if (any) {
        findings.pass("gpu-busy", text(kContext, "The GPUs are free."));
    }
}

}  // namespace rankscope::inline runs
