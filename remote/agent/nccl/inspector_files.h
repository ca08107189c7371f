// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>
#include <remote/wire/nccl_event.h>

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>

namespace rankscope::agent {

inline constexpr std::size_t kMostInspectorBytes = std::size_t{8} << 20U;  ///< of a rank: the end of its file

/// The folder into which NVIDIA's NCCL Inspector writes in this rank, by the job's environment, else the node's; empty:
/// it is not on.
std::filesystem::path inspector_folder(const wire::RankSpec& rank);

/// What Inspector has written there of the operations of a process: their sums, and the newest ones. Nothing: no
/// operation. Reads files, which may lie on a dead server.
std::optional<NcclEvent> read_inspector_files(const std::filesystem::path& folder, pid_t pid);

/// The same, not longer than a few seconds.
std::optional<NcclEvent> look_at_inspector_files(const std::filesystem::path& folder, pid_t pid);

}  // namespace rankscope::agent
