// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/nodes/session/nvidia_packages.h>
#include <remote/desk/runs/preflight/gpu_engine_checks.h>
#include <remote/desk/runs/preflight/oldest_driver.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
// The first that describes devices, and the first that allocates and registers memory for collectives.
constexpr std::pair<int, int> kOldestCudnn{9, 8};
constexpr std::pair<int, int> kOldestNccl{2, 19};

// Nothing: the look did not report it. Empty: it is not there.
std::optional<std::string> known_version(const NodeView& view, std::string_view name) {
    for (const auto& version : view.host.versions()) {
        if (version.name() == name) {
            return version.value();
        }
    }
    return std::nullopt;
}

bool is_unseen(const NodeView& view, std::string_view what) {
    return std::any_of(view.host.unseen().begin(), view.host.unseen().end(),
                       [what](const auto& entry) { return entry.what() == what; });
}

std::pair<int, int> numbers_of(const std::string& version) {
    const auto parts = split(version, '.');
    const auto part = [&parts](std::size_t place) {
        return place < parts.size() ? parse_number<int>(parts[place]).value_or(0) : 0;
    };
    return {part(0), part(1)};
}

std::string words_of(const std::pair<int, int>& version) {
    return std::to_string(version.first) + '.' + std::to_string(version.second);
}

// The command for this distribution, else where it comes from.
std::string how_to_get(NvidiaPart part, const NodeView& view) {
    const std::string command = view.engine_cuda.empty()
                                    ? nvidia_install_command(part, view.os)
                                    : nvidia_install_command(part, view.os, view.engine_cuda);
    return command.empty()
               ? text(kContext, "Install it from %1.", {kNvidiaRepository})
               : text(kContext, "On %1: %2 (packages: %3).", {view.name, command, kNvidiaRepository});
}

// false: nothing else can be judged.
bool driver(const NodeView& view, HostFindings& findings) {
    const auto version = known_version(view, "driver");
    if (!version && view.host.gpus().empty() && !is_unseen(view, "gpus")) {
        findings
            .add("no-gpu", CheckStatus::Fail, view,
                 text(kContext, "Ranks on %1 need a GPU, and no NVIDIA driver is loaded there.", {view.name}))
            .remedy = how_to_get(NvidiaPart::Driver, view);
        return false;
    }
    const int oldest = oldest_driver(numbers_of(view.engine_cuda).first);
    if (view.native && version && numbers_of(*version).first < oldest && numbers_of(*version).first > 0) {
        findings
            .add(
                "cuda-driver-too-old", CheckStatus::Fail, view,
                text(kContext, "The driver %1 of %2 is too old for the CUDA engine, which needs at least %3.",
                     {*version, view.name, std::to_string(oldest)}))
            .remedy = how_to_get(NvidiaPart::Driver, view);
    }
    return true;
}

void library(const NodeView& view, const std::string& name, const char* title, NvidiaPart part,
             const std::pair<int, int>& oldest, HostFindings& findings) {
    // Where the look was late, or the job brings folders of its own, an absent library says nothing.
    const bool looked = known_version(view, "driver.library") || known_version(view, "cudnn.system") ||
                        known_version(view, "nccl.system");
    if (!looked || is_unseen(view, "versions." + name) || view.env.contains("LD_LIBRARY_PATH")) {
        return;
    }
    const auto version = known_version(view, name);
    if (version && !version->empty() && numbers_of(*version) >= oldest) {
        return;
    }
    const bool missing = !version || version->empty();
    auto& check = findings.add(
        "worker-missing-library", CheckStatus::Fail, view,
        missing ? text(kContext, "%1 has no %2, which the CUDA engine needs.", {view.name, title})
                : text(kContext, "%1 has %2 %3; the CUDA engine needs at least %4.",
                       {view.name, title, *version, words_of(oldest)}));
    check.evidence.push_back(std::string(title) + ": " + how_to_get(part, view));
}

void precision(const NodeView& view, HostFindings& findings) {
    const std::pair<int, int> needs = view.precision == "bf16" || view.precision == "tf32" ? std::pair{8, 0}
                                      : view.precision == "fp16"                           ? std::pair{7, 0}
                                                                                           : std::pair{0, 0};
    for (const auto& gpu : view.host.gpus()) {
        if (!view.gpu_indices.empty() && !view.gpu_indices.contains(static_cast<int>(gpu.index()))) {
            continue;
        }
        const auto has = known_version(view, "compute." + std::to_string(gpu.index()));
        if (has && numbers_of(*has) < needs) {
            findings
                .add("device-and-backend", CheckStatus::Fail, view,
                     text(kContext, "GPU %1 (%2) of %3 has compute capability %4; %5 needs %6.",
                          {std::to_string(gpu.index()), gpu.name(), view.name, *has, view.precision,
                           words_of(needs)}))
                .fixes = {{.job = {{"train.precision", "fp32"}}}};
        }
    }
}

}  // namespace

void gpu_engine_checks(const NodeView& view, HostFindings& findings) {
    if (!driver(view, findings) || !view.native) {
        return;
    }
    library(view, "cudnn.system", "cuDNN", NvidiaPart::Cudnn, kOldestCudnn, findings);
    // The engine is linked to the library of its own CUDA version.
    if (const int cuda = numbers_of(view.engine_cuda).first; cuda > 0) {
        library(view, "cublaslt." + std::to_string(cuda) + ".system", "cuBLASLt", NvidiaPart::Cublas,
                {cuda, 0}, findings);
    }
    library(view, "nccl.system", "NCCL", NvidiaPart::Nccl, kOldestNccl, findings);
    precision(view, findings);
}

}  // namespace rankscope::inline runs
