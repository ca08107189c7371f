// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/iptables_match.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::inline runs {
namespace {

/// No program of a user connects from a port below it.
constexpr int kFirstSourcePort = 1024;

/// One option of a rule.
struct Option {
    std::string_view name;
    bool negated = false;
    std::vector<std::string_view> arguments;
};

Match match_address(const std::optional<IpAddress>& address, std::string_view text) {
    const auto range = parse_address_range(text);
    return address && range ? match_if(range->contains(*address)) : Match::Maybe;
}

Match match_interface(const Packet& packet, bool incoming, std::string_view name) {
    if (name == "+") {
        return Match::Yes;
    }
    if (packet.outgoing == incoming) {
        return Match::No;
    }
    if (packet.interface_name.empty()) {
        return Match::Maybe;
    }
    return match_if(name.ends_with('+')
                        ? std::string_view(packet.interface_name).starts_with(name.substr(0, name.size() - 1))
                        : name == packet.interface_name);
}

/// "22,80,5000:6000" for a port somewhere from first to last.
Match match_ports(int first, int last, std::string_view list) {
    Match match = Match::No;
    for (const auto part : split(list, ',')) {
        const auto colon = part.find(':');
        const auto from = part.substr(0, colon);
        const auto to = colon == std::string_view::npos ? from : part.substr(colon + 1);
        const auto low = from.empty() ? std::optional(0) : parse_number<int>(from);
        const auto high = to.empty() ? std::optional(65535) : parse_number<int>(to);
        if (low && high && *low <= first && last <= *high) {
            match = Match::Yes;
        } else if (!low || !high || (*low <= last && first <= *high)) {
            match = any_of(match, Match::Maybe);
        }
    }
    return match;
}

/// Whether one of the words is in a list with commas.
Match match_word(std::string_view list, std::initializer_list<std::string_view> words) {
    for (const auto part : split(list, ',')) {
        if (std::find(words.begin(), words.end(), part) != words.end()) {
            return Match::Yes;
        }
    }
    return Match::No;
}

Match match_protocol(std::string_view name) {
    return match_if(name == "tcp" || name == "6" || name == "all" || name == "0");
}

Match match_tcp_flags(const Option& option) {
    if (option.arguments.size() != 2) {
        return Match::Maybe;
    }
    const bool asked = match_word(option.arguments[0], {"SYN", "ALL"}) == Match::Yes;
    const bool wanted = match_word(option.arguments[1], {"SYN", "ALL"}) == Match::Yes;
    const bool only_syn = option.arguments[1] == "SYN" || option.arguments[1] == "NONE";
    return match_if(only_syn && asked == wanted);
}

/// An extension that only other packets than the first one of a TCP connection match.
bool is_of_other_packets(std::string_view name) {
    for (const char* other : {"icmp", "icmp6", "icmpv6", "udp", "udplite", "sctp", "dccp", "esp", "ah", "rt",
                              "frag", "hbh", "dst", "eui64"}) {
        if (name == other) {
            return true;
        }
    }
    return false;
}

/// An extension whose own options say the rest.
bool is_understood(std::string_view name) {
    for (const char* known :
         {"tcp", "multiport", "state", "conntrack", "comment", "limit", "iprange", "addrtype", "pkttype"}) {
        if (name == known) {
            return true;
        }
    }
    return false;
}

Match match_address_type(const Packet& packet, bool source, std::string_view list) {
    // The node's own address is the destination of what arrives, and the source of what leaves.
    return source == packet.outgoing ? match_word(list, {"LOCAL"}) : match_word(list, {"UNICAST"});
}

std::string_view argument(const Option& option) {
    return option.arguments.empty() ? std::string_view() : option.arguments.front();
}

Match match_of(const Option& option, const Packet& packet) {
    const auto name = option.name;
    const auto value = argument(option);
    if (name == "-s" || name == "--source" || name == "--src-range") {
        return match_address(packet.from, value);
    }
    if (name == "-d" || name == "--destination" || name == "--dst-range") {
        return match_address(packet.to, value);
    }
    if (name == "-i" || name == "-o") {
        return match_interface(packet, name == "-i", value);
    }
    if (name == "-p") {
        return match_protocol(value);
    }
    if (name == "-f") {
        return Match::No;
    }
    if (name == "-m") {
        return is_of_other_packets(value) ? Match::No : is_understood(value) ? Match::Yes : Match::Maybe;
    }
    if (name == "--dport" || name == "--dports" || name == "--destination-port") {
        return match_ports(packet.port, packet.port, value);
    }
    if (name == "--sport" || name == "--sports" || name == "--source-port") {
        return match_ports(kFirstSourcePort, 65535, value);
    }
    if (name == "--ports") {
        return any_of(match_ports(packet.port, packet.port, value),
                      match_ports(kFirstSourcePort, 65535, value));
    }
    if (name == "--state" || name == "--ctstate") {
        return packet.tracked ? match_word(value, {"NEW"}) : Match::Maybe;
    }
    if (name == "--ctdir") {
        return match_if(value == "ORIGINAL");
    }
    if (name == "--syn") {
        return Match::Yes;
    }
    if (name == "--tcp-flags") {
        return match_tcp_flags(option);
    }
    if (name == "--src-type" || name == "--dst-type") {
        return match_address_type(packet, name == "--src-type", value);
    }
    if (name == "--pkt-type") {
        return packet.outgoing ? Match::Maybe : match_if(value == "unicast");
    }
    for (const char* neutral :
         {"--comment", "--limit", "--limit-burst", "--limit-iface-in", "--limit-iface-out"}) {
        if (name == neutral) {
            return Match::Yes;
        }
    }
    return Match::Maybe;
}

}  // namespace

std::vector<std::string> iptables_words(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false;
    bool begun = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '\\' && i + 1 < line.size()) {
            word += line[++i];
        } else if (c == '"') {
            quoted = !quoted;
            begun = true;
        } else if (c == ' ' && !quoted) {
            if (begun) {
                words.push_back(word);
            }
            word.clear();
            begun = false;
        } else {
            word += c;
            begun = true;
        }
    }
    if (begun) {
        words.push_back(word);
    }
    return words;
}

IptablesRule read_iptables_rule(const std::vector<std::string>& words, const Packet& packet) {
    IptablesRule rule;
    std::vector<Option> options;
    bool negated = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        // A comment, or the name of a chain, may look like anything.
        if (!options.empty() && options.back().arguments.empty() &&
            (options.back().name == "--comment" || options.back().name == "-A")) {
            options.back().arguments.push_back(word);
            continue;
        }
        if (word == "!") {
            negated = true;
            continue;
        }
        // After a target only its own options follow.
        if ((word == "-j" || word == "-g") && i + 1 < words.size()) {
            rule.target = words[i + 1];
            rule.goes_to = word == "-g";
            break;
        }
        if (!options.empty() && !word.starts_with('-')) {
            options.back().arguments.push_back(word);
        } else {
            options.push_back({.name = word, .negated = negated, .arguments = {}});
        }
        negated = false;
    }
    for (const auto& option : options) {
        if (option.name == "-A") {
            rule.chain = argument(option);
            continue;
        }
        const auto match = match_of(option, packet);
        rule.matches = all_of(rule.matches, option.negated ? rankscope::negated(match) : match);
    }
    return rule;
}

}  // namespace rankscope::inline runs
