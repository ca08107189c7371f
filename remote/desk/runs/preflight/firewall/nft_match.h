// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace rankscope::inline runs {

/// Elements of the named sets and maps of one table, by name.
using NftSets = std::map<std::string, const nlohmann::json*>;

/// How many elements may still be compared: many rules with large sets must not take minutes. At 0 nothing is
/// understood any more.
using NftBudget = long;

/// Whether a "match" of `nft -j` holds.
Match nft_match(const nlohmann::json& match, const Packet& packet, const NftSets& sets, NftBudget& budget);

/// The verdict that a "vmap" of `nft -j` has for the packet.
struct NftVerdict {
    Match matches = Match::No;
    const nlohmann::json* verdict = nullptr;  ///< nullptr: not known which one
};
NftVerdict nft_verdict(const nlohmann::json& vmap, const Packet& packet, const NftSets& sets,
                       NftBudget& budget);

}  // namespace rankscope::inline runs
