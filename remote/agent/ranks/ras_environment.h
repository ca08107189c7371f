// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Onto the environment of a rank: where NCCL's RAS service listens on this node, for this run alone. Processes of one
/// user share the usual port, and each question then reaches any of them. What the user has set there, or in a file of
/// NCCL's, stays.
void add_ras_address(std::map<std::string, std::string>& variables, std::uint16_t port);

struct RasPlace {
    std::vector<std::string> addresses = {};  ///< numeric, in the order in which they may answer
    std::uint16_t port = 0;

    bool operator==(const RasPlace&) const = default;
};

/// The value of NCCL_RAS_ADDR: "localhost:28028", "127.0.0.1:1", "[::1]:1"; empty: NCCL's own. Nothing: it is none.
std::optional<RasPlace> ras_place_of(std::string_view value);

}  // namespace rankscope::agent
