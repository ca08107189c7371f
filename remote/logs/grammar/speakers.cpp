// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/scan.h>
#include <remote/logs/grammar/speakers.h>

#include <array>
#include <string_view>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

Speaker speaker_of(std::string_view text) {
    constexpr std::array kLaunchers = {
        "slurmstepd: "sv,      "srun: "sv,     "sbatch: "sv, "salloc: "sv,   "mpirun "sv,
        "mpiexec"sv,           "prterun"sv,    "torchrun"sv, "horovodrun"sv, "deepspeed: "sv,
        "Root Cause (first"sv, "launcher: "sv, "kubelet: "sv};
    constexpr std::array kShells = {"ssh: "sv,
                                    "ssh_exchange_identification"sv,
                                    "kex_exchange_identification"sv,
                                    "debug1: "sv,
                                    "debug2: "sv,
                                    "debug3: "sv,
                                    "Host key verification failed"sv,
                                    "Warning: Permanently added "sv,
                                    "Permission denied (publickey"sv,
                                    "client_loop: "sv,
                                    "Received disconnect from "sv,
                                    "OpenSSH_"sv,
                                    "scp: "sv,
                                    "Load key "sv};
    constexpr std::array kKernels = {"NVRM: "sv,
                                     "Out of memory: Killed process"sv,
                                     "Memory cgroup out of memory"sv,
                                     "oom-kill:"sv,
                                     "mlx5_core "sv,
                                     "nvidia-modeset"sv,
                                     "EDAC "sv,
                                     "pcieport "sv};
    if (text.empty()) {
        return Speaker::Program;
    }
    if (starts_with_one(text, kLaunchers)) {
        return Speaker::Launcher;
    }
    const WordFinder finder(text);
    if (starts_with_one(text, kShells) || finder.has(": Permission denied (publickey")) {
        return Speaker::Ssh;
    }
    if (starts_with_one(text, kKernels)) {
        return Speaker::Kernel;
    }
    if (finder.has("gloo/")) {
        return Speaker::Gloo;
    }
    constexpr std::array kTorch = {"[c10d]"sv, "torch.distributed."sv, "ProcessGroupNCCL"sv, "[PG "sv,
                                   "Exception raised from "sv};
    return finder.has_one(kTorch) ? Speaker::Torch : Speaker::Program;
}

LineLevel level_of_message(std::string_view text) {
    constexpr std::array kErrors = {"ERROR"sv,
                                    "Error"sv,
                                    "error: "sv,
                                    "FATAL"sv,
                                    "CRITICAL"sv,
                                    "Traceback (most recent call last)"sv,
                                    "terminate called after"sv,
                                    "Segmentation fault"sv};
    constexpr std::array kWarnings = {"WARNING"sv, "Warning"sv, "WARN "sv};
    if (starts_with_one(text, kErrors)) {
        return LineLevel::Error;
    }
    if (starts_with_one(text, kWarnings)) {
        return LineLevel::Warn;
    }
    // "RuntimeError: …", "torch.distributed.DistBackendError: …"
    const auto colon = text.substr(0, 80).find(": ");
    const auto name = colon == std::string_view::npos ? text.substr(0, 80) : text.substr(0, colon);
    const bool word = name.find(' ') == std::string_view::npos;
    return word && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with(" error"))
               ? LineLevel::Error
               : LineLevel::None;
}

}  // namespace

void find_speaker(LogLine& line) {
    if (line.speaker == Speaker::Program && line.source.empty()) {
        line.speaker = speaker_of(line.message);
    }
    if (line.level == LineLevel::None) {
        line.level = level_of_message(line.message);
    }
}

}  // namespace rankscope::logs
