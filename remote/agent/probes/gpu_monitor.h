// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/command.h>
#include <remote/agent/nvml/nvml_lines.h>
#include <remote/agent/nvml/nvml_program.h>

#include <poll.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::agent {

/// The numbers are those of the sample key gpu.unavailable.
enum class GpuSilence { None = 0, NoAnswer = 1, NoLibrary = 2, DriverError = 3 };

/// The GPUs of this node, through NVML; through an nvidia-smi that stays where only the tool is found. Either is a process
/// of its own: a driver that hangs must not hang the supervisor, and the agent, which is static, cannot load a library. One
/// that does not answer in time is left behind, and another is started later.
class GpuMonitor {
public:
    /// `every_s`: the time between two readings. Starts nothing where there is no driver.
    explicit GpuMonitor(double every_s, NvmlPlace place = NvmlPlace::of_this_node());
    GpuMonitor(GpuMonitor&&) = delete;
    ~GpuMonitor();

    void add_to(std::vector<pollfd>& fds) const;
    /// Takes what was read, and starts what is to be started.
    void step();
    /// The last reading of each GPU that is not older than a few of them, in the keys of samples; gpu.unavailable where
    /// there is a driver and none of them can be read. Empty: neither.
    std::vector<std::pair<std::string, double>> latest() const;
    /// The processes on each GPU at that reading; nvidia-smi is not asked for them.
    std::map<int, std::vector<NvmlProcess>> processes() const;
    /// What the driver has reported since the last call.
    std::vector<NvmlError> take_errors();
    GpuSilence silence() const;
    /// NVML's words for it and its code, where it gave any.
    const std::optional<NvmlFailure>& failure() const { return failure_; }

private:
    void start();
    void ended();
    void take_smi(std::string_view text);
    bool fresh(double at) const;

    struct Reading {
        double at = 0;
        std::vector<std::pair<std::string, double>> values;
    };
    double every_s_;
    NvmlPlace place_;
    bool driver_;
    bool smi_ = false;    ///< NVML cannot be opened: nvidia-smi
    bool basic_ = false;  ///< an old driver does not know all fields
    double start_again_ = 0;
    double pause_s_;  ///< before the next one
    double heard_ = 0;
    bool answered_ = false;
    GpuSilence silence_ = GpuSilence::None;
    std::optional<Command> program_;
    NvmlLines lines_;
    double round_at_ = 0;
    std::uint64_t rounds_ = 0;
    std::vector<NvmlError> errors_;
    std::optional<NvmlFailure> failure_;
    std::string unfinished_;
    std::map<std::string, Reading> readings_;  ///< of nvidia-smi, by index
};

}  // namespace rankscope::agent
