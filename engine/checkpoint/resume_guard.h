// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/snapshot.h>
#include <engine/comm/process_group.h>

#include <optional>
#include <string>

namespace rankscope::engine {

struct Resumed {
    std::optional<Snapshot> snapshot;  ///< the same on all ranks; none: a fresh start
    int source = -1;                   ///< the rank whose it is
    /// One line that says who had what, where not all had the same; otherwise empty. The same on all ranks.
    std::string note;
};

/// The resume guard: before the first step all ranks compare step and hash of what each found on its own
/// disk. Where they differ (nodes without a shared file system, an older or damaged copy, a new node) all
/// take the newest, from the lowest rank that has it. Collective: every rank calls it. Throws PeerLostError;
/// Error when what arrived is not what was sent. A null group is a world of one.
Resumed agree_on_snapshot(ProcessGroup* group, std::optional<Snapshot> mine);

}  // namespace rankscope::engine
