// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::engine::cpu {

/// Bytes that this process can still have before the kernel kills a process: what /proc/meminfo calls
/// available and the free swap, or less where a memory cgroup (version 1 or 2) above it has less left. Linux
/// promises more than there is, so an allocation that succeeds says nothing. Nothing when it cannot be read.
/// `root` is where /proc and /sys are found.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace rankscope::engine::cpu
