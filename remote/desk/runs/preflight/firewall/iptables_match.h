// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/firewall/chains.h>
#include <remote/desk/runs/preflight/firewall/packet.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// One "-A CHAIN …" of iptables-save.
struct IptablesRule {
    std::string chain = {};
    Match matches = Match::Yes;
    std::string target = {};  ///< empty: the rule only counts
    bool goes_to = false;     ///< -g
};

/// The words of a line: quoted ones without their quotes.
std::vector<std::string> iptables_words(std::string_view line);
/// From the words of a line that begins with "-A".
IptablesRule read_iptables_rule(const std::vector<std::string>& words, const Packet& packet);

}  // namespace rankscope::inline runs
