// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/aligned_buffer.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rankscope::engine::cpu {

/// Bytes that this process can still have before the kernel kills a process: what /proc/meminfo calls
/// available and the free swap, or less where a memory cgroup (version 1 or 2) above it has less left. Linux
/// promises more than there is, so an allocation that succeeds says nothing. Nothing when it cannot be read.
/// `root` is where /proc and /sys are found.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

/// Memory for one purpose. Throws Error that says for what there is none, and the remedy.
AlignedBuffer allocate_for(const std::string& what, std::size_t bytes, const std::string& remedy);

}  // namespace rankscope::engine::cpu
