// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/flow.h>
#include <remote/desk/runs/preflight/firewall/nft_rules.h>
#include <remote/wire/frames.pb.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The rules of one node, read once. What the node reported may be anything.
class FirewallRules {
public:
    explicit FirewallRules(const wire::Firewall& firewall);

    /// Whether there are rules of the kernel here: else only what firewalld or ufw say themselves.
    bool readable() const { return nft_.has_value() || !iptables_.empty(); }
    /// The rule that decides the flow. An answer that is not Unknown holds whatever the node's state is that the
    /// rules do not show; limits count as not reached.
    FirewallDecision decide(const FirewallFlow& flow) const;
    /// Of each chain that the flow passes, by the rules of the kernel.
    std::vector<ChainDecision> chains(const FirewallFlow& flow) const;

private:
    std::string kind_;
    std::string zones_;
    std::string status_;
    std::string iptables_;
    std::optional<NftRules> nft_;
};

/// The same for one flow.
FirewallDecision decide(const wire::Firewall& firewall, const FirewallFlow& flow);

}  // namespace rankscope::inline runs
