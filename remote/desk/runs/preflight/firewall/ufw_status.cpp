// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/ufw_status.h>

#include <array>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

struct Action {
    const char* name;
    bool outgoing;
    RuleEffect effect;
};

constexpr auto kActions = std::to_array<Action>({
    {" ALLOW IN ", false, RuleEffect::Accept},
    {" DENY IN ", false, RuleEffect::Drop},
    {" REJECT IN ", false, RuleEffect::Reject},
    {" LIMIT IN ", false, RuleEffect::Accept},  // a limit is taken as not reached
    {" ALLOW OUT ", true, RuleEffect::Accept},
    {" DENY OUT ", true, RuleEffect::Drop},
    {" REJECT OUT ", true, RuleEffect::Reject},
    {" LIMIT OUT ", true, RuleEffect::Accept},
});

std::vector<std::string_view> words_of_rule(std::string_view text) {
    std::vector<std::string_view> words;
    for (const auto word : split(text.substr(0, text.find(" # ")), ' ')) {
        if (!word.empty() && word != "\r") {
            words.push_back(word);
        }
    }
    return words;
}

/// "22/tcp", "80,443/tcp", "50000:51000/tcp", "29500"; nothing when it is none of these.
std::optional<Match> match_ports(std::string_view word, int port) {
    const auto slash = word.find('/');
    const bool tcp = slash == std::string_view::npos || word.substr(slash + 1) == "tcp";
    bool found = false;
    for (const auto part : split(word.substr(0, slash), ',')) {
        const auto colon = part.find(':');
        const auto first = parse_number<int>(part.substr(0, colon));
        const auto last = colon == std::string_view::npos ? first : parse_number<int>(part.substr(colon + 1));
        if (!first || !last) {
            return std::nullopt;
        }
        found = found || (*first <= port && port <= *last);
    }
    return match_if(found && tcp);
}

/// One column of a row: where the flow comes from, or goes to.
Match match_column(std::string_view text, const Packet& packet, const std::optional<IpAddress>& address,
                   bool destination, bool& v6) {
    Match match = Match::Yes;
    const auto words = words_of_rule(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto word = words[i];
        if (word == "Anywhere") {
            continue;
        }
        if (word == "(v6)") {
            v6 = true;
        } else if (word == "on" && i + 1 < words.size()) {
            ++i;
            match =
                all_of(match, packet.interface_name.empty() ? Match::Maybe
                                                            : match_if(words[i] == packet.interface_name));
        } else if (const auto range = parse_address_range(word)) {
            v6 = v6 || range->first.v6;
            match = all_of(match, address ? match_if(range->contains(*address)) : Match::Maybe);
        } else if (const auto ports = match_ports(word, packet.port)) {
            match = all_of(match, destination ? *ports : Match::Maybe);
        } else if (!word.starts_with('(')) {  // "(OpenSSH)": the name of the ports before it
            match = all_of(match, Match::Maybe);
        }
    }
    return match;
}

std::optional<ChainRule> read_row(std::string_view line, const Packet& packet) {
    for (const auto& action : kActions) {
        const auto at = line.find(action.name);
        if (at == std::string_view::npos) {
            continue;
        }
        if (action.outgoing != packet.outgoing) {
            return std::nullopt;
        }
        bool v6 = false;
        const auto to = match_column(line.substr(0, at), packet, packet.to, true, v6);
        const auto from = match_column(line.substr(at + std::string_view(action.name).size()), packet,
                                       packet.from, false, v6);
        return ChainRule{.text = joined(words_of_rule(line), " "),
                         .matches = v6 == packet.v6 ? all_of(to, from) : Match::No,
                         .effect = action.effect};
    }
    return std::nullopt;
}

/// "deny" of "Default: deny (incoming), allow (outgoing)"
std::string_view default_policy(std::string_view line, bool outgoing) {
    for (auto part : split(line.substr(std::string_view("Default:").size()), ',')) {
        while (part.starts_with(' ')) {
            part.remove_prefix(1);
        }
        if (part.find(outgoing ? "(outgoing)" : "(incoming)") != std::string_view::npos) {
            return part.substr(0, part.find(' '));
        }
    }
    return {};
}

}  // namespace

std::optional<ChainDecision> decide_ufw(std::string_view status, const Packet& packet) {
    RuleChain chain{.place = "ufw"};
    std::optional<ChainRule> last;
    for (const auto line : split(status, '\n')) {
        if (line.starts_with("Status: inactive")) {
            last = ChainRule{.text = "Status: inactive", .effect = RuleEffect::Accept};
        } else if (line.starts_with("Default:")) {
            const auto policy = default_policy(line, packet.outgoing);
            last = ChainRule{
                .text = "Default: " + std::string(policy) + (packet.outgoing ? " (outgoing)" : " (incoming)"),
                .effect = policy == "allow"    ? RuleEffect::Accept
                          : policy == "deny"   ? RuleEffect::Drop
                          : policy == "reject" ? RuleEffect::Reject
                                               : RuleEffect::Unknown};
        } else if (auto row = read_row(line, packet)) {
            chain.rules.push_back(std::move(*row));
        }
    }
    if (!last) {
        return std::nullopt;
    }
    chain.rules.push_back(std::move(*last));
    return walk_chain({{"ufw", chain}},
                      {.tool = FirewallTool::Iptables, .table = "ufw", .name = "ufw", .key = "ufw"});
}

bool ufw_has_blocking_rules(std::string_view status) {
    for (const char* action :
         {" DENY IN ", " REJECT IN ", " LIMIT IN ", " DENY OUT ", " REJECT OUT ", " LIMIT OUT "}) {
        if (status.find(action) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace rankscope::inline runs
