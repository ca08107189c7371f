// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/firewall/firewalld_zones.h>
#include <remote/desk/runs/preflight/firewall/opening_commands.h>
#include <remote/desk/runs/preflight/firewall/packet.h>
#include <remote/desk/runs/preflight/firewall/ufw_status.h>
#include <remote/desk/runs/preflight/firewall_fix.h>
#include <remote/desk/runs/preflight/firewall_rules.h>
#include <remote/diagnosis/command_fix.h>

#include <algorithm>
#include <map>
#include <set>

namespace rankscope::inline runs {
namespace {

/// A chain that does not let the peers through.
struct BlockingChain {
    BaseChain chain = {};
    std::string rule_chain = {};  ///< of the rule that blocks
    std::set<std::string> peers = {};
};

struct Peers {
    std::vector<std::string> v4 = {};
    std::vector<std::string> v6 = {};
};

/// In the order of the packets.
struct BlockingChains {
    std::vector<BlockingChain> list = {};
    bool firewalld_table = false;  ///< firewalld has a table of its own; else its rules are those of iptables
};

FirewallFlow flow_of(const FirewallOpening& opening, const std::string& peer, int port) {
    const auto remote = parse_ip(peer);
    const auto own = parse_ip(opening.address);
    const auto address = remote && own && remote->v6 == own->v6 ? opening.address : std::string();
    return {.interface_name = opening.interface_name,
            .from = opening.outgoing ? address : peer,
            .to = opening.outgoing ? peer : address,
            .port = port,
            .outgoing = opening.outgoing};
}

void note(std::vector<BlockingChain>& blocking, const ChainDecision& decision, const std::string& peer) {
    const auto same = std::find_if(blocking.begin(), blocking.end(), [&](const BlockingChain& other) {
        return other.chain.tool == decision.chain.tool && is_same_chain(other.chain, decision.chain) &&
               other.rule_chain == decision.rule_chain;
    });
    if (same != blocking.end()) {
        same->peers.insert(peer);
    } else {
        blocking.push_back({.chain = decision.chain, .rule_chain = decision.rule_chain, .peers = {peer}});
    }
}

/// The chains to be opened: those that block for certain; where none does, those of which it is not known.
BlockingChains find_blocking(const FirewallRules& rules, const FirewallOpening& opening,
                             const std::vector<std::string>& peers) {
    BlockingChains blocking;
    const std::set<int> ports = {opening.first_port,
                                 opening.first_port + (opening.last_port - opening.first_port) / 2,
                                 opening.last_port};
    for (const auto& peer : peers) {
        for (const int port : ports) {
            const auto decisions = rules.chains(flow_of(opening, peer, port));
            const bool certain = std::any_of(decisions.begin(), decisions.end(), [](const auto& decision) {
                return is_blocked(decision.decision.answer);
            });
            for (const auto& decision : decisions) {
                blocking.firewalld_table = blocking.firewalld_table || decision.chain.table == "firewalld";
                // A zone opens only what its own chain decides.
                const bool zone =
                    decision.chain.table != "firewalld" || decision.chain.name == "filter_INPUT";
                const bool unknown = zone && decision.decision.answer == FirewallAnswer::Unknown &&
                                     !decision.chain.nat && decision.chain.family != "bridge";
                if (certain ? is_blocked(decision.decision.answer) : unknown) {
                    note(blocking.list, decision, peer);
                }
            }
        }
    }
    return blocking;
}

template <typename Range>
Peers by_family(const Range& peers) {
    Peers result;
    for (const std::string& peer : peers) {
        (peer.find(':') == std::string::npos ? result.v4 : result.v6).push_back(peer);
    }
    return result;
}

/// Calls with the ports for the peers of each family that has some.
template <typename Range, typename Call>
void for_each_family(const Range& peers, const FirewallOpening& opening, const Call& call) {
    const auto families = by_family(peers);
    for (const bool v6 : {false, true}) {
        const auto& list = v6 ? families.v6 : families.v4;
        OpenedPorts ports{
            .v6 = v6, .first = opening.first_port, .last = opening.last_port, .outgoing = opening.outgoing};
        for (const auto& peer : list) {
            if (auto address = NumericAddress::of(peer)) {
                ports.peers.push_back(*std::move(address));
            }
        }
        if (!ports.peers.empty()) {
            call(ports);
        }
    }
}

/// A table that iptables keeps in nftables: rules that nft adds there may be more than iptables can read.
bool is_of_iptables(const BaseChain& chain) {
    if (chain.tool != FirewallTool::Nft) {
        return true;
    }
    const auto among = [](const std::string& word, std::initializer_list<const char*> list) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    return among(chain.family, {"ip", "ip6"}) &&
           among(chain.table, {"filter", "raw", "mangle", "security"}) &&
           among(chain.name, {"PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"});
}

class Fixer {
public:
    Fixer(const wire::Firewall& firewall, const FirewallOpening& opening)
        : kind_(firewall.kind()),
          status_(firewall.status()),
          zones_(read_firewalld_zones(firewall.zones())),
          opening_(opening) {}

    /// False: there is no command for it.
    bool open(const BlockingChains& blocking) {
        std::set<std::string> managed;  // by ufw
        std::vector<BlockingChain> others;
        for (const auto& each : blocking.list) {
            const bool filter = each.chain.table == "filter";
            if (kind_ == "firewalld" &&
                (each.chain.table == "firewalld" || (filter && !blocking.firewalld_table))) {
                add_zones(each);
            } else if (kind_ == "ufw" && filter &&
                       (each.rule_chain.empty() || each.rule_chain.find("ufw") != std::string::npos)) {
                managed.insert(each.peers.begin(), each.peers.end());
                user_rule_blocks_ = user_rule_blocks_ || each.rule_chain.find("-user-") != std::string::npos;
            } else if (const auto same = std::find_if(others.begin(), others.end(),
                                                      [&](const BlockingChain& other) {
                                                          return is_same_chain(other.chain, each.chain);
                                                      });
                       same != others.end()) {
                same->peers.insert(each.peers.begin(), each.peers.end());
            } else {
                others.push_back(each);
            }
        }
        for (const auto& each : others) {
            if (!open_chain(each)) {
                return false;
            }
        }
        return open_with_ufw(managed) && open_zones();
    }

    /// By the words of ufw or firewalld alone.
    bool open_by_kind(const std::vector<std::string>& peers) {
        if (kind_ == "ufw") {
            return open_with_ufw(peers);
        }
        BlockingChain all{.chain = {}, .rule_chain = {}, .peers = {peers.begin(), peers.end()}};
        add_zones(all);
        return open_zones();
    }

    std::vector<Fix> fixes() const {
        if (commands_.open.empty()) {
            return {};
        }
        return {root_fix(opening_.node, in_turn(commands_.open), in_turn(commands_.undo))};
    }

private:
    struct Zone {
        std::set<std::string> peers = {};
        int priority = 0;
    };

    bool open_chain(const BlockingChain& blocking) {
        const auto& chain = blocking.chain;
        const auto name = nft_chain_name(chain.family, chain.table, chain.name);
        if (!name) {
            return false;
        }
        for_each_family(blocking.peers, opening_, [&](const OpenedPorts& ports) {
            if (is_of_iptables(chain)) {
                add_iptables_commands(*name, chain.tool == FirewallTool::IptablesLegacy, ports, commands_);
            } else {
                add_nft_commands(*name, ports, commands_);
            }
        });
        return true;
    }

    template <typename Range>
    bool open_with_ufw(const Range& peers) {
        const bool first = user_rule_blocks_ || ufw_has_blocking_rules(status_);
        for_each_family(peers, opening_,
                        [&](const OpenedPorts& ports) { add_ufw_commands(first, ports, commands_); });
        return true;
    }

    /// Sorts the peers by their zones: each needs a rule in its own.
    void add_zones(const BlockingChain& blocking) {
        for (const auto& peer : blocking.peers) {
            const auto packet = packet_of(flow_of(opening_, peer, opening_.first_port));
            const auto* zone = packet ? zone_of(zones_, *packet) : nullptr;
            auto name = zone_of_chain(blocking.rule_chain);
            if (name.empty() && zone != nullptr) {
                name = zone->name;
            }
            auto& entry = zone_peers_[name];
            entry.peers.insert(peer);
            entry.priority = std::min(entry.priority, needed_priority(name, blocking.rule_chain));
        }
    }

    /// Before the zone's rules that block: the same rule without a priority comes after them.
    int needed_priority(const std::string& zone, const std::string& rule_chain) const {
        constexpr int kFirst = -32768;
        int priority = rule_chain.ends_with("_deny") ? -1 : rule_chain.ends_with("_pre") ? kFirst : 0;
        for (const auto& each : zones_) {
            if (each.name != zone) {
                continue;
            }
            for (const auto& rule : each.rich_rules) {
                if (rule.find(" reject") != std::string::npos || rule.find(" drop") != std::string::npos) {
                    priority = std::min(priority, std::clamp(rich_rule_priority(rule), kFirst + 1, 0) - 1);
                }
            }
        }
        return priority;
    }

    bool open_zones() {
        if (zone_peers_.empty()) {
            return true;
        }
        if (opening_.outgoing) {  // zones are about what arrives
            return false;
        }
        for (const auto& [name, zone] : zone_peers_) {
            const auto checked = is_zone_name(name) ? FirewallName::of(name) : std::nullopt;
            if (!name.empty() && !checked) {
                return false;
            }
            for_each_family(zone.peers, opening_, [&, &zone = zone](const OpenedPorts& ports) {
                add_firewalld_commands(checked, zone.priority, ports, commands_);
            });
        }
        return true;
    }

    std::string kind_;
    std::string status_;
    std::vector<FirewalldZone> zones_;
    const FirewallOpening& opening_;
    bool user_rule_blocks_ = false;
    std::map<std::string, Zone> zone_peers_;
    OpeningCommands commands_;
};

/// The numeric ones, each once, without a scope.
std::vector<std::string> usable_peers(const FirewallOpening& opening) {
    std::vector<std::string> peers;
    for (const auto& peer : opening.peers) {
        auto plain = peer.substr(0, peer.find('%'));
        if (parse_ip(plain) && std::find(peers.begin(), peers.end(), plain) == peers.end()) {
            peers.push_back(std::move(plain));
        }
    }
    return peers;
}

}  // namespace

std::vector<Fix> firewall_fixes(const wire::Firewall& firewall, const FirewallOpening& opening) {
    const auto peers = usable_peers(opening);
    const bool managed = firewall.kind() == "firewalld" || firewall.kind() == "ufw";
    if (peers.empty() || opening.first_port < 1 || opening.last_port > 65535 ||
        opening.first_port > opening.last_port ||
        !(managed || firewall.kind() == "nftables" || firewall.kind() == "iptables")) {
        return {};
    }
    const FirewallRules rules(firewall);
    if (!managed && !rules.readable()) {
        return {};
    }
    Fixer fixer(firewall, opening);
    const bool done =
        rules.readable() ? fixer.open(find_blocking(rules, opening, peers)) : fixer.open_by_kind(peers);
    return done ? fixer.fixes() : std::vector<Fix>();
}

}  // namespace rankscope::inline runs
