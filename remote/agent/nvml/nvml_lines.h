// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {

struct NvmlProcess {
    pid_t pid = 0;
    std::uint64_t bytes = 0;  ///< of the GPU's memory; 0: not known
};

/// A GPU in one round of readings.
struct NvmlGpu {
    std::map<std::string, std::string, std::less<>>
        texts{};  ///< facts: name, uuid, pci, compute_mode, mig, fabric
    std::map<std::string, std::uint64_t, std::less<>> values{};  ///< in NVML's units
    std::vector<NvmlProcess> processes{};

    /// 0: it is not known.
    std::uint64_t value(std::string_view key) const;
    /// Empty: it is not known.
    std::string text(std::string_view key) const;
};

/// The driver's report of an error; xid 79 as well where a GPU no longer answers.
struct NvmlError {
    std::string pci;  ///< "0000:3b:00"; empty: not known
    std::uint32_t xid = 0;
    bool lost = false;  ///< found by a call that failed, not by an event
};

/// Why there is nothing to read.
struct NvmlFailure {
    std::string what;        ///< open, init, count
    std::uint32_t code = 0;  ///< of NVML
    std::string why;
};

/// "nvmlInit_v2: the driver and its library are of different versions (error 18)".
std::string describe(const NvmlFailure& failure);

/// What rankscope-nvml prints, a piece at a time. Lines that are not understood are left out.
class NvmlLines {
public:
    void add(std::string_view text);

    /// Complete rounds so far.
    std::uint64_t rounds() const { return rounds_; }
    /// Of the last complete round, by index; with the facts.
    const std::map<int, NvmlGpu>& gpus() const { return gpus_; }
    /// What the last round took, in microseconds.
    std::uint64_t cost_us() const { return cost_us_; }
    const std::string& driver() const { return driver_; }
    /// The newest CUDA version of the driver: 12040 for 12.4; 0: not known.
    std::uint64_t cuda() const { return cuda_; }
    const std::optional<NvmlFailure>& failure() const { return failure_; }
    /// Those since the last call.
    std::vector<NvmlError> take_errors() { return std::exchange(errors_, {}); }
    /// Keys and units of remote/wire/sample_keys.h. Rates are of the time between the last two rounds.
    std::vector<std::pair<std::string, double>> sample() const;

private:
    void take_line(std::string_view line);
    void end_round();
    void add_error(int gpu, std::uint32_t xid, bool lost);

    struct Round {
        std::uint64_t at_us = 0;
        std::map<int, NvmlGpu> gpus;
    };
    std::string unfinished_;
    std::map<int, std::map<std::string, std::string, std::less<>>> texts_;
    std::map<int, std::map<std::string, std::uint64_t, std::less<>>> facts_;
    bool in_round_ = false;
    Round next_;
    std::uint64_t at_us_ = 0;
    std::map<int, NvmlGpu> gpus_;
    std::map<int, std::map<std::string, double>> rates_;
    std::uint64_t rounds_ = 0;
    std::uint64_t cost_us_ = 0;
    std::string driver_;
    std::uint64_t cuda_ = 0;
    std::optional<NvmlFailure> failure_;
    std::vector<NvmlError> errors_;
};

/// "00000000:3B:00.0" of NVML and "0000:3b:00" of the kernel's log are one device: the latter.
std::string kernel_pci(std::string_view pci);

}  // namespace rankscope::agent
