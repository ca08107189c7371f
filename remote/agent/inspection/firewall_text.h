// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rankscope::agent {

/// What decides which firewall is in force; what its rules mean is decided at the desk.
struct NftRuleset {
    bool valid = false;      ///< it is the answer of `nft -j list ruleset`
    bool native = false;     ///< a table that iptables did not make has a hook with a rule or a policy "drop"
    bool firewalld = false;  ///< firewalld's table
};
NftRuleset read_nft_ruleset(std::string_view json);

struct IptablesRules {
    bool valid = false;   ///< tables were printed
    bool active = false;  ///< a rule, or a policy that is not ACCEPT
    bool ufw = false;     ///< ufw's chains
};
IptablesRules read_iptables_save(std::string_view text);

/// ENABLED=yes in a text like /etc/ufw/ufw.conf.
bool is_ufw_enabled(std::string_view conf);

}  // namespace rankscope::agent
