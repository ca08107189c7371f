// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/command.h>

#include <poll.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The GPUs of this node, through one nvidia-smi that stays: it opens NVML once and prints a line for each
/// GPU now and then. A program of the driver's own, and not NVML in this process, because the agent is static
/// (it runs on any libc, and cannot load a library), and because a driver that hangs must not hang the
/// supervisor.
class GpuMonitor {
public:
    /// `every_s`: the time between two readings. Starts nothing where `device`, the driver's, is not there.
    explicit GpuMonitor(double every_s, const std::filesystem::path& device = "/dev/nvidiactl");

    void add_to(std::vector<pollfd>& fds) const;
    /// Takes what it has printed.
    void step();
    /// The last reading of each GPU that is not older than a few of them; empty: none.
    std::vector<std::pair<std::string, double>> latest() const;

private:
    void start();

    struct Reading {
        double at = 0;
        std::vector<std::pair<std::string, double>> values;
    };
    double every_s_;
    bool basic_ = false;  ///< an old driver does not know all fields
    double start_again_ = 0;
    std::optional<Command> smi_;
    std::string unfinished_;
    std::map<std::string, Reading> readings_;  ///< by index
};

}  // namespace rankscope::agent
