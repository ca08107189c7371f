// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace rankscope::agent {

/// A rank that the program of another one has started, as its supervisor leaves it for the probes.
struct InnerListEntry {
    int rank = 0;
    pid_t pid = 0;
    std::uint64_t start_ticks = 0;  ///< since boot: tells it from a later process with its number

    bool operator==(const InnerListEntry&) const = default;
};

/// In the folder of the rank that Rankscope has started.
std::filesystem::path inner_list_of(const RunDir& dir, int outer_rank);
void write_inner_list(const RunDir& dir, int outer_rank, const std::vector<InnerListEntry>& ranks);
/// Empty: it has started none.
std::vector<InnerListEntry> read_inner_list(const RunDir& dir, int outer_rank);

}  // namespace rankscope::agent
