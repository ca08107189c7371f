// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the kernel, nvidia-smi and the reader of the GPUs print about a node.

#include "target.h"

#include <base/utf8.h>
#include <remote/agent/nvml/nvml_lines.h>
#include <remote/agent/probes/host_text.h>

#include <cmath>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    if (const auto time = agent::parse_proc_stat(text)) {
        static_cast<void>(time->total);
    }
    if (const auto memory = agent::parse_meminfo(text)) {
        fuzz::require(memory->available <= memory->total, "no more is free than there is");
    }
    for (const auto& [name, traffic] : agent::parse_net_dev(text)) {
        fuzz::require(!name.empty() && as_utf8(name) == name, "an interface has a name");
    }
    for (const auto& [key, value] : agent::parse_nvidia_smi_line(text)) {
        fuzz::require(key.starts_with("gpu.") && std::isfinite(value) && value >= 0, "a reading is a number");
    }
    agent::NvmlLines lines;
    lines.add(text);
    for (const auto& [key, value] : lines.sample()) {
        fuzz::require(key.starts_with("gpu.") && std::isfinite(value) && value >= 0, "a value is a number");
    }
    for (const auto& [index, gpu] : lines.gpus()) {
        fuzz::require(index >= 0 && as_utf8(gpu.text("name")) == gpu.text("name"), "a name is UTF-8");
    }
    return 0;
}
