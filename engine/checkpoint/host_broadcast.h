// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/process_group.h>

#include <cstddef>
#include <span>

namespace rankscope::engine {

/// Replaces bytes in host memory on every rank by those of `root`, whatever the backend's own memory is. In
/// pieces: what the group copies on the way stays small. Collective.
void broadcast_host(ProcessGroup& group, std::span<std::byte> bytes, int root);

/// The same by gathering from all ranks, for NCCL, whose broadcast takes device memory only. It moves world
/// size times the bytes.
void broadcast_by_gather(ProcessGroup& group, std::span<std::byte> bytes, int root);

}  // namespace rankscope::engine
