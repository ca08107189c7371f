// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

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

}  // namespace rankscope::gui::testing
