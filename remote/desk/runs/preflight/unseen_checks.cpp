// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/unseen_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

struct Part {
    std::string_view name;
    std::string (*words)(const std::string& rest);  // of the name
    bool of_gpus = false;
};

// A name that ends with a dot stands for all that begin with it; the longer ones come first.
const std::array kParts{
    Part{"clock_synchronized",
         [](const std::string&) { return text(kContext, "the state of the clock's synchronization"); }},
    Part{"ephemeral_first",
         [](const std::string&) { return text(kContext, "the range of ephemeral ports"); }},
    Part{"firewall", [](const std::string&) { return text(kContext, "the firewall"); }},
    Part{"firewall.rules", [](const std::string&) { return text(kContext, "the rules of the firewall"); }},
    Part{"firewall.status", [](const std::string&) { return text(kContext, "the state of the firewall"); }},
    Part{"firewall.zones", [](const std::string&) { return text(kContext, "the zones of the firewall"); }},
    Part{"gpu_errors",
         [](const std::string&) { return text(kContext, "the errors of the GPUs in the kernel log"); }, true},
    Part{"gpus", [](const std::string&) { return text(kContext, "the GPUs"); }, true},
    Part{"gpus.processes", [](const std::string&) { return text(kContext, "the processes on the GPUs"); },
         true},
    Part{"gpus.", [](const std::string& rest) { return text(kContext, "the value %1 of the GPUs", {rest}); },
         true},
    Part{"interfaces", [](const std::string&) { return text(kContext, "the network interfaces"); }},
    Part{"leftovers", [](const std::string&) { return text(kContext, "processes of earlier runs"); }},
    Part{"limits.", [](const std::string& rest) { return text(kContext, "the limit %1", {rest}); }},
    Part{"names", [](const std::string&) { return text(kContext, "the names of the nodes"); }},
    Part{"names.", [](const std::string& rest) { return text(kContext, "the address of %1", {rest}); }},
    Part{"nccl_settings", [](const std::string&) { return text(kContext, "NCCL's settings"); }, true},
    Part{"paths", [](const std::string&) { return text(kContext, "the paths of the job"); }},
    Part{"paths.", [](const std::string& rest) { return text(kContext, "the path %1", {rest}); }},
    Part{"ports", [](const std::string&) { return text(kContext, "the ports in use"); }},
    Part{"programs", [](const std::string&) { return text(kContext, "the programs of the job"); }},
    Part{"routes", [](const std::string&) { return text(kContext, "the routes to the other nodes"); }},
    Part{"versions",
         [](const std::string&) { return text(kContext, "the versions of the programs and libraries"); }},
    Part{"versions.cublaslt.",
         [](const std::string&) { return text(kContext, "the version of the system's cuBLASLt"); }, true},
    Part{"versions.cuda", [](const std::string&) { return text(kContext, "the version of PyTorch's CUDA"); },
         true},
    Part{"versions.cudnn",
         [](const std::string&) { return text(kContext, "the version of PyTorch's cuDNN"); }, true},
    Part{"versions.cudnn.system",
         [](const std::string&) { return text(kContext, "the version of the system's cuDNN"); }, true},
    Part{"versions.driver.library",
         [](const std::string&) { return text(kContext, "the version of the GPU driver"); }, true},
    Part{"versions.hip", [](const std::string&) { return text(kContext, "the version of PyTorch's HIP"); },
         true},
    Part{"versions.libc", [](const std::string&) { return text(kContext, "the version of the C library"); }},
    Part{"versions.nccl", [](const std::string&) { return text(kContext, "the version of PyTorch's NCCL"); },
         true},
    Part{"versions.nccl.system",
         [](const std::string&) { return text(kContext, "the version of the system's NCCL"); }, true},
    Part{"versions.python", [](const std::string&) { return text(kContext, "the version of Python"); }},
    Part{"versions.torch", [](const std::string&) { return text(kContext, "the version of PyTorch"); }},
};

const Part* part_of(std::string_view name) {
    const auto known = std::find_if(kParts.begin(), kParts.end(), [name](const Part& part) {
        return part.name == name || (part.name.ends_with('.') && name.starts_with(part.name));
    });
    return known == kParts.end() ? nullptr : &*known;
}

}  // namespace

std::string unseen_part_text(std::string_view part) {
    const Part* known = part_of(part);
    return known == nullptr ? std::string(part) : known->words(std::string(part.substr(known->name.size())));
}

void unseen_checks(const NodeView& view, bool nccl, HostFindings& findings) {
    for (const auto& entry : view.host.unseen()) {
        const Part* known = part_of(entry.what());
        if (known != nullptr && known->of_gpus && !view.gpus && !nccl) {
            continue;
        }
        findings.add("probe-incomplete", CheckStatus::Skip, view,
                     text(kContext, "%1: cannot read %2: %3",
                          {view.name, unseen_part_text(entry.what()), entry.why()}));
    }
}

}  // namespace rankscope::inline runs
