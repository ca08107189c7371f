// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/cpu_process_group.h>

#include <functional>
#include <string>
#include <vector>

namespace rankscope::engine::test {

/// A world on this machine, one thread per rank. Where each rank reports to be; empty: all on one host.
struct WorldOptions {
    int ranks = 1;
    std::vector<std::string> hosts{};  ///< by rank
    Transport transport = Transport::automatic;
};

/// "2 ranks, one host", "3 ranks on a b b", "4 ranks, gloo".
std::string describe(const WorldOptions& options);
/// The same with letters and digits alone: the name of a parameterised test.
std::string test_name(const WorldOptions& options);

/// Runs `body` on every rank with the group of all ranks; what it throws fails the test.
void in_world(const WorldOptions& options, const std::function<void(ProcessGroup&)>& body);

}  // namespace rankscope::engine::test
