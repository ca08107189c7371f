// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <nlohmann/json.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// `nft -j list ruleset`.
class NftRules {
public:
    /// Nothing when it is not that.
    static std::optional<NftRules> parse(std::string_view text);

    /// The chains that the flow passes, in their order.
    std::vector<ChainDecision> decide(const Packet& packet) const;

private:
    explicit NftRules(nlohmann::json ruleset) : ruleset_(std::move(ruleset)) {}

    nlohmann::json ruleset_;  // the array
};

}  // namespace rankscope::inline runs
