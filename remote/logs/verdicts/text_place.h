// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::logs {

/// Where a fault is, as the words of a message say it.
struct TextPlace {
    std::string host = {};
    int rank = -1;
    std::string device = {};  ///< "GPU 5", "GPU 0000:b3:00.0", "mlx5_1"
    bool of_another =
        false;  ///< the speaker reports on a task or a node of another: the host stands above its own
};

/// "Rank 2, node node-01, device 2", "srun: error: node-020: task 0: …", "*** JOB 7 ON node-5146 CANCELLED", "Xid (PCI:0000:83:00)",
/// "GPU 5 has a total capacity". A link-local or loopback address is no node.
TextPlace place_in(std::string_view text);

/// Whether others can mean the node by this address; a name always can.
bool names_node(std::string_view address);

}  // namespace rankscope::logs
