// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/reading_snapshot.h>

#include <memory>
#include <string>
#include <vector>

/// Lines as NCCL 2.21 prints them while it sets up a communicator.
namespace rankscope::gui::testing {

struct SyntheticNccl {
    int nodes = 2;
    int gpus = 8;  ///< of each node; a rank for each
    int channels = 2;
    std::string inside = "P2P/CUMEM/read";    ///< transport within a node
    std::string between = "NET/IB/0/GDRDMA";  ///< and between nodes
    int ib_devices = 4;                       ///< 0: none
    bool all_devices = false;                 ///< each channel uses another device
    std::string network = "IB";               ///< "Using network"
    std::vector<int> silent = {};             ///< ranks without a line
    std::string host = "node-";               ///< its number follows
};

std::string nccl_log(const SyntheticNccl& what);

/// Of 16 ranks. Rank 3 uses sockets, rank 5 warns and does not get through the initialisation.
std::string odd_nccl_log();

/// What the window knows after it read a log.
std::shared_ptr<const ReadingSnapshot> snapshot_of(const std::string& log);

}  // namespace rankscope::gui::testing
