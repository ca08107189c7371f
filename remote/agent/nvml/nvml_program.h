// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/command.h>
#include <remote/agent/nvml/nvml_lines.h>

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

namespace rankscope::agent {

/// Where NVML is, and what shows that this node has a driver.
struct NvmlPlace {
    /// Of the environment: RANKSCOPE_NVML names the library, where it lies in an unusual folder.
    static NvmlPlace of_this_node();

    std::string library = {};  ///< empty: the driver's own
    std::filesystem::path device = "/dev/nvidiactl";

    /// Without a driver nothing needs to be started.
    bool has_driver() const;
};

/// Starts the reader of the GPUs (reader_main.cpp), which this agent carries: values every `every_s`, until it is killed.
/// Nothing: it cannot be started here.
std::optional<Command> watch_nvml(const NvmlPlace& place, double every_s);
/// What one look has found.
struct NvmlAnswer {
    NvmlLines lines = {};
    bool opened = false;   ///< the driver's library is there; else nvidia-smi may be
    std::string why = {};  ///< there is no good answer

    bool good() const { return lines.rounds() > 0; }
};

/// Facts and values of the GPUs, once; at most `seconds`, or until the stop request. Any thread.
NvmlAnswer ask_nvml(const NvmlPlace& place, double seconds, const std::stop_token& stop = {});

}  // namespace rankscope::agent
