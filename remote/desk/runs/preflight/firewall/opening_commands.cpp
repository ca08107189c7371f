// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/opening_commands.h>

#include <cctype>
#include <ranges>
#include <span>

namespace rankscope::inline runs {
namespace {

ShellWord port_range(const OpenedPorts& ports, SourceText separator) {
    ShellWord range = ShellWord("").add(ports.first);
    if (ports.first != ports.last) {
        range.add(separator).add(ports.last);
    }
    return range;
}

std::string list_of(const std::vector<NumericAddress>& peers) {
    return joined(peers | std::views::transform(&NumericAddress::text));
}

ShellWord separated(const std::vector<NumericAddress>& peers, SourceText separator) {
    ShellWord all("");
    for (std::size_t i = 0; i < peers.size(); ++i) {
        if (i > 0) {
            all.add(separator);
        }
        all.add(peers[i]);
    }
    return all;
}

/// One word that nft takes without quotes, and that no other rule has.
ShellWord comment_of(const NftChainName& chain, const OpenedPorts& ports) {
    const auto all = chain.family.text() + ' ' + chain.table.text() + ' ' + chain.chain.text() + ' ' +
                     list_of(ports.peers) + (ports.outgoing ? " out" : " in");
    const auto digest =
        FirewallName::of(sha256_hex(std::as_bytes(std::span(all))).substr(0, 8)).value();  // hexadecimal
    return ShellWord("rankscope-").add(port_range(ports, "-")).add("-").add(digest);
}

bool is_nft_name(const std::string& name) {
    return !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
}

}  // namespace

std::optional<NftChainName> nft_chain_name(const std::string& family, const std::string& table,
                                           const std::string& chain) {
    const auto in = FirewallName::of(family);
    const auto of = FirewallName::of(table);
    const auto name = FirewallName::of(chain);
    if (!in || !of || !name || !is_nft_name(family) || !is_nft_name(table) || !is_nft_name(chain)) {
        return std::nullopt;
    }
    return NftChainName{*in, *of, *name};
}

void add_nft_commands(const NftChainName& chain, const OpenedPorts& ports, OpeningCommands& commands) {
    const auto comment = comment_of(chain, ports);
    const auto at_chain = [&chain](ShellCommand command) {
        return command.word(chain.family).word(chain.table).word(chain.chain);
    };
    const auto peers = ports.peers.size() == 1 ? ShellWord(ports.peers.front())
                                               : ShellWord("{ ").add(separated(ports.peers, ", ")).add(" }");
    auto open = at_chain(ShellCommand("sudo nft insert rule"));
    open.source(ports.v6 ? SourceText("ip6") : SourceText("ip"))
        .source(ports.outgoing ? SourceText("daddr") : SourceText("saddr"))
        .word(peers)
        .source("tcp dport")
        .word(port_range(ports, "-"))
        .source("accept comment")
        .word(comment);
    commands.open.push_back(open);
    auto undo = at_chain(ShellCommand("for handle in $(nft -a list chain"));
    undo.source("| grep -F").word(comment).source("| grep -o \"[0-9]*$\"); do");
    undo.append(at_chain(ShellCommand("nft delete rule"))).source("handle $handle; done");
    commands.undo.push_back(ShellCommand("sudo sh -c").script(undo));
}

void add_iptables_commands(const NftChainName& chain, bool legacy, const OpenedPorts& ports,
                           OpeningCommands& commands) {
    ShellCommand program("sudo");
    program.source(ports.v6 ? (legacy ? SourceText("ip6tables-legacy") : SourceText("ip6tables"))
                            : (legacy ? SourceText("iptables-legacy") : SourceText("iptables")));
    if (chain.table.text() != "filter") {
        program.source("-t").word(chain.table);
    }
    ShellCommand rule;
    rule.word(chain.chain)
        .source(ports.outgoing ? SourceText("-d") : SourceText("-s"))
        .word(separated(ports.peers, ","))
        .source("-p tcp --dport")
        .word(port_range(ports, ":"))
        .source("-m comment --comment rankscope -j ACCEPT");
    commands.open.push_back(ShellCommand(program).source("-I").append(rule));
    commands.undo.push_back(ShellCommand(program).source("-D").append(rule));
}

void add_ufw_commands(bool first, const OpenedPorts& ports, OpeningCommands& commands) {
    for (const auto& peer : ports.peers) {
        ShellCommand rule;
        if (ports.outgoing) {
            rule.source("allow out proto tcp to").word(peer).source("port");
        } else {
            rule.source("allow proto tcp from").word(peer).source("to any port");
        }
        rule.word(port_range(ports, ":"));
        ShellCommand open("sudo ufw");
        if (first) {
            open.source("prepend");
        }
        commands.open.push_back(open.append(rule).source("comment rankscope"));
        commands.undo.push_back(ShellCommand("sudo ufw delete").append(rule));
    }
}

void add_firewalld_commands(const std::optional<FirewallName>& zone, int priority, const OpenedPorts& ports,
                            OpeningCommands& commands) {
    ShellCommand add;
    ShellCommand remove;
    for (const auto& peer : ports.peers) {
        ShellWord rule("rule ");
        if (priority != 0) {
            rule.add("priority=\"").add(priority).add("\" ");
        }
        rule.add("family=\"").add(ports.v6 ? SourceText("ipv6") : SourceText("ipv4"));
        rule.add("\" source address=\"").add(peer).add("\" port port=\"").add(port_range(ports, "-"));
        rule.add("\" protocol=\"tcp\" accept");
        add.option("--add-rich-rule=", rule);
        remove.option("--remove-rich-rule=", rule);
    }
    for (const bool permanent : {false, true}) {
        ShellCommand program("sudo firewall-cmd");
        if (permanent) {
            program.source("--permanent");
        }
        if (zone) {
            program.option("--zone=", *zone);
        }
        commands.open.push_back(ShellCommand(program).append(add));
        commands.undo.push_back(ShellCommand(program).append(remove));
    }
}

}  // namespace rankscope::inline runs
