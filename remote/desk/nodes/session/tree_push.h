// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/deploy/user_tree.h>
#include <remote/desk/nodes/session/agent_link.h>

namespace rankscope::inline nodes {

struct TreePushed {
    std::string folder;         ///< on the node, absolute
    std::uint64_t bytes = 0;    ///< of the files that were not there, or different
    std::size_t files = 0;      ///< how many those were
    std::uint32_t removed = 0;  ///< of an earlier push, no longer among the files
};

/// Makes `folder` on the node (empty: one of the job's in the node's cache) hold the tree. Files that are
/// there with the same content stay; the others travel compressed, many small ones in one frame, several
/// frames on the way.
Result<TreePushed> push_tree(AgentLink& link, const UserTree& tree, const std::string& folder,
                             const std::string& job, const AgentLink::Progress& progress);

/// The same into the node's store of packages, where files of earlier pushes stay.
Result<TreePushed> push_packages(AgentLink& link, const UserTree& tree, const AgentLink::Progress& progress);

}  // namespace rankscope::inline nodes
