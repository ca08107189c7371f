// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/firewalld_zones.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMaxZones = 256;

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (const auto word : split(text, ' ')) {
        if (!word.empty()) {
            words.emplace_back(word);
        }
    }
    return words;
}

/// "29500/tcp" or "50000-51000/tcp"
Match match_port(std::string_view text, int port) {
    const auto slash = text.find('/');
    if (slash != std::string_view::npos && text.substr(slash + 1) != "tcp") {
        return Match::No;
    }
    const auto range = text.substr(0, slash);
    const auto dash = range.find('-');
    const auto first = parse_number<int>(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number<int>(range.substr(dash + 1));
    return first && last ? match_if(*first <= port && port <= *last) : Match::Maybe;
}

/// The ports of a service, where it is one that zones have from the start.
Match match_service(std::string_view name, int port) {
    static constexpr auto kTcp = std::to_array<std::pair<const char*, int>>(
        {{"ssh", 22}, {"http", 80}, {"https", 443}, {"cockpit", 9090}, {"vnc-server", -1}});
    for (const char* other : {"dhcpv6-client", "dhcp", "mdns", "samba-client", "tftp", "ntp"}) {
        if (name == other) {
            return Match::No;
        }
    }
    for (const auto& [service, number] : kTcp) {
        if (name == service) {
            return number < 0 ? match_if(port >= 5900 && port <= 5903) : match_if(number == port);
        }
    }
    return Match::Maybe;
}

/// The value of `key="…"` after `from`; nothing: there is none.
std::optional<std::string_view> quoted(std::string_view rule, std::string_view key) {
    std::size_t at = 0;
    while ((at = rule.find(key, at)) != std::string_view::npos) {
        const auto value = at + key.size();
        const bool word = at == 0 || rule[at - 1] == ' ';
        if (word && rule.substr(value, 2) == "=\"") {
            const auto end = rule.find('"', value + 2);
            return end == std::string_view::npos ? std::nullopt
                                                 : std::optional(rule.substr(value + 2, end - value - 2));
        }
        at = value;
    }
    return std::nullopt;
}

/// The part of a rich rule from one of its words up to the next element.
std::optional<std::string_view> element(std::string_view rule, std::string_view word) {
    const auto at = rule.find(word);
    return at == std::string_view::npos ? std::nullopt : std::optional(rule.substr(at + word.size()));
}

Match match_end(std::string_view rule, std::string_view word, const std::optional<IpAddress>& address) {
    const auto part = element(rule, word);
    if (!part) {
        return Match::Yes;
    }
    const bool inverted = part->starts_with("NOT ");
    const auto text = inverted ? part->substr(4) : *part;
    if (!text.starts_with("address=")) {
        return Match::Maybe;
    }
    const auto value = quoted(text, "address");
    const auto range = value ? parse_address_range(*value) : std::nullopt;
    if (!range || !address) {
        return Match::Maybe;
    }
    const auto match = match_if(range->contains(*address));
    return inverted ? negated(match) : match;
}

ChainRule rich_rule(const std::string& text, const Packet& packet) {
    ChainRule rule{.text = text, .matches = Match::Yes, .effect = RuleEffect::None, .target = {}};
    if (const auto family = quoted(text, "family")) {
        rule.matches = match_if((*family == "ipv6") == packet.v6);
    }
    rule.matches = all_of(rule.matches, match_end(text, " source ", packet.from));
    rule.matches = all_of(rule.matches, match_end(text, " destination ", packet.to));
    if (const auto port = element(text, " port ")) {
        const auto number = quoted(*port, "port");
        const bool tcp = quoted(*port, "protocol") == "tcp";
        rule.matches = all_of(rule.matches,
                              tcp && number ? match_port(*number, packet.port) : match_if(!tcp && !number));
    } else if (const auto service = element(text, " service ")) {
        const auto name = quoted(*service, "name");
        rule.matches = all_of(rule.matches, name ? match_service(*name, packet.port) : Match::Maybe);
    } else if (const auto protocol = element(text, " protocol ")) {
        rule.matches = all_of(rule.matches, match_if(quoted(*protocol, "value") == "tcp"));
    } else {
        for (const char* other :
             {" icmp-block", " icmp-type", " masquerade", " forward-port", " source-port", " tcp-mss"}) {
            if (text.find(other) != std::string::npos) {
                rule.matches = Match::No;
            }
        }
    }
    if (text.find(" accept") != std::string::npos) {
        rule.effect = RuleEffect::Accept;
    } else if (text.find(" reject") != std::string::npos) {
        rule.effect = RuleEffect::Reject;
    } else if (text.find(" drop") != std::string::npos) {
        rule.effect = RuleEffect::Drop;
    }
    return rule;
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

std::vector<FirewalldZone> read_firewalld_zones(std::string_view text) {
    std::vector<FirewalldZone> zones;
    for (const auto line : split(text, '\n')) {
        const auto content = trimmed(line);
        if (content.empty()) {
            continue;
        }
        if (line.front() != ' ' && line.front() != '\t') {
            if (zones.size() == kMaxZones) {
                break;
            }
            const auto blank = content.find(' ');
            zones.push_back({.name = std::string(content.substr(0, blank)),
                             .is_default = content.find("default") != std::string_view::npos &&
                                           content.find('(') != std::string_view::npos});
            continue;
        }
        if (zones.empty()) {
            continue;
        }
        auto& zone = zones.back();
        const auto colon = content.find(':');
        const auto key = content.substr(0, colon);
        const auto value =
            colon == std::string_view::npos ? std::string_view() : trimmed(content.substr(colon + 1));
        if (content.starts_with("rule ")) {
            zone.rich_rules.emplace_back(content);
        } else if (key == "target") {
            zone.target = value;
        } else if (key == "interfaces") {
            zone.interfaces = words_of(value);
        } else if (key == "sources") {
            zone.sources = words_of(value);
        } else if (key == "services") {
            zone.services = words_of(value);
        } else if (key == "ports") {
            zone.ports = words_of(value);
        }
    }
    return zones;
}

const FirewalldZone* zone_of(const std::vector<FirewalldZone>& zones, const Packet& packet) {
    const auto& peer = packet.outgoing ? packet.to : packet.from;
    for (const auto& zone : zones) {
        for (const auto& source : zone.sources) {
            const auto range = parse_address_range(source);
            if (peer && range && range->contains(*peer)) {
                return &zone;
            }
        }
    }
    for (const auto& zone : zones) {
        if (contains(zone.interfaces, packet.interface_name)) {
            return &zone;
        }
    }
    const auto found =
        std::find_if(zones.begin(), zones.end(), [](const auto& zone) { return zone.is_default; });
    return found == zones.end() ? nullptr : &*found;
}

ChainDecision decide_zone(const FirewalldZone& zone, const Packet& packet) {
    std::vector<ChainRule> first;
    std::vector<ChainRule> deny;
    std::vector<ChainRule> allow;
    std::vector<ChainRule> last;
    auto rich = zone.rich_rules;
    std::stable_sort(rich.begin(), rich.end(), [](const std::string& a, const std::string& b) {
        return rich_rule_priority(a) < rich_rule_priority(b);
    });
    for (const auto& text : rich) {
        auto rule = rich_rule(text, packet);
        const int priority = rich_rule_priority(text);
        auto& list = priority < 0                        ? first
                     : priority > 0                      ? last
                     : rule.effect == RuleEffect::Accept ? allow
                                                         : deny;
        list.push_back(std::move(rule));
    }
    for (const auto& service : zone.services) {
        allow.push_back({.text = "service " + service,
                         .matches = match_service(service, packet.port),
                         .effect = RuleEffect::Accept});
    }
    for (const auto& port : zone.ports) {
        allow.push_back(
            {.text = "port " + port, .matches = match_port(port, packet.port), .effect = RuleEffect::Accept});
    }
    last.push_back({.text = "target: " + zone.target,
                    .effect = zone.target == "ACCEPT" ? RuleEffect::Accept
                              : zone.target == "DROP" ? RuleEffect::Drop
                              : zone.target == "default" || zone.target == "%%REJECT%%"
                                  ? RuleEffect::Reject
                                  : RuleEffect::Unknown});
    RuleChain chain{.place = "zone " + zone.name};
    for (auto* list : {&first, &deny, &allow, &last}) {
        chain.rules.insert(chain.rules.end(), list->begin(), list->end());
    }
    return walk_chain({{"zone", chain}}, {.table = "firewalld", .name = zone.name, .key = "zone"});
}

std::string zone_of_chain(const std::string& place) {
    constexpr std::string_view kIncoming = "IN_";
    const auto name_at = place.rfind(' ') + 1;
    const auto at = place.find(kIncoming, name_at);
    if (at == std::string::npos || (at > name_at && place[at - 1] != '_')) {
        return {};
    }
    auto zone = place.substr(at + kIncoming.size());
    for (const std::string_view part : {"_pre", "_log", "_deny", "_allow", "_post"}) {
        if (zone.ends_with(part)) {
            zone.resize(zone.size() - part.size());
            break;
        }
    }
    return zone.starts_with("policy_") ? std::string() : zone;
}

int rich_rule_priority(std::string_view rule) {
    const auto value = quoted(rule, "priority");
    return value ? parse_number<int>(*value).value_or(0) : 0;
}

bool is_zone_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 && name.front() != '-' &&
           std::all_of(name.begin(), name.end(),
                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

}  // namespace rankscope::inline runs
