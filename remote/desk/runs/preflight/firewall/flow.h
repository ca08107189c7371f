// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <string>

namespace rankscope::inline runs {

/// A new TCP connection that arrives at a node, or that leaves it.
struct FirewallFlow {
    std::string interface_name = {};  ///< of the node, that the packets pass; empty: not known
    std::string from = {};            ///< numeric address
    std::string to = {};              ///< numeric address; empty: not known
    int port = 0;                     ///< of the destination
    bool outgoing = false;            ///< the node connects
};

enum class FirewallAnswer { Unknown, Accept, Drop, Reject };

}  // namespace rankscope::inline runs

namespace rankscope {

template <>
struct EnumNames<FirewallAnswer> {
    static constexpr auto names = std::to_array<const char*>({"unknown", "accept", "drop", "reject"});
};

}  // namespace rankscope

namespace rankscope::inline runs {

/// What a firewall does with a flow, and by which rule.
struct FirewallDecision {
    FirewallAnswer answer = FirewallAnswer::Unknown;
    std::string rule =
        {};  ///< as the firewall prints it; of an unknown answer: the rule that is not understood
    std::string place = {};  ///< its table and chain, or its zone

    bool operator==(const FirewallDecision&) const = default;
};

/// The connection does not come through.
constexpr bool is_blocked(FirewallAnswer answer) {
    return answer == FirewallAnswer::Drop || answer == FirewallAnswer::Reject;
}

}  // namespace rankscope::inline runs
