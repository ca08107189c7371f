// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <remote/desk/preflight/firewall/opening_commands.h>

#include <algorithm>
#include <cctype>
#include <span>

namespace rankscope {
namespace {

std::string port_range(const OpenedPorts& ports, char separator) {
    return std::to_string(ports.first) +
           (ports.first == ports.last ? "" : separator + std::to_string(ports.last));
}

/// One word that nft takes without quotes, and that no other rule has.
std::string comment_of(const NftChainName& chain, const OpenedPorts& ports) {
    const auto all = chain.family + ' ' + chain.table + ' ' + chain.chain + ' ' + joined(ports.peers) +
                     (ports.outgoing ? " out" : " in");
    return "rankscope-" + port_range(ports, '-') + '-' +
           sha256_hex(std::as_bytes(std::span(all))).substr(0, 8);
}

}  // namespace

bool is_nft_name(const std::string& name) {
    return !name.empty() && name.size() <= 128 &&
           (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
           });
}

void add_nft_commands(const NftChainName& chain, const OpenedPorts& ports, OpeningCommands& commands) {
    const auto place = chain.family + ' ' + chain.table + ' ' + chain.chain;
    const auto comment = comment_of(chain, ports);
    const auto peers = ports.peers.size() == 1 ? ports.peers.front() : "{ " + joined(ports.peers) + " }";
    commands.open.push_back("sudo nft insert rule " + place + (ports.v6 ? " ip6 " : " ip ") +
                            (ports.outgoing ? "daddr " : "saddr ") + shell_quote(peers) + " tcp dport " +
                            port_range(ports, '-') + " accept comment " + comment);
    commands.undo.push_back("sudo sh -c " +
                            shell_quote("for handle in $(nft -a list chain " + place + " | grep -F " +
                                        comment + " | grep -o \"[0-9]*$\"); do nft delete rule " + place +
                                        " handle $handle; done"));
}

void add_iptables_commands(const std::string& table, const std::string& chain, bool legacy,
                           const OpenedPorts& ports, OpeningCommands& commands) {
    const auto program = std::string("sudo ") + (ports.v6 ? "ip6tables" : "iptables") +
                         (legacy ? "-legacy" : "") + (table == "filter" ? "" : " -t " + table);
    const auto rule = ' ' + chain + (ports.outgoing ? " -d " : " -s ") + joined(ports.peers, ",") +
                      " -p tcp --dport " + port_range(ports, ':') +
                      " -m comment --comment rankscope -j ACCEPT";
    commands.open.push_back(program + " -I" + rule);
    commands.undo.push_back(program + " -D" + rule);
}

void add_ufw_commands(bool first, const OpenedPorts& ports, OpeningCommands& commands) {
    for (const auto& peer : ports.peers) {
        const auto port = port_range(ports, ':');
        const auto rule = ports.outgoing ? "allow out proto tcp to " + peer + " port " + port
                                         : "allow proto tcp from " + peer + " to any port " + port;
        commands.open.push_back(std::string("sudo ufw ") + (first ? "prepend " : "") + rule +
                                " comment rankscope");
        commands.undo.push_back("sudo ufw delete " + rule);
    }
}

void add_firewalld_commands(const std::string& zone, int priority, const OpenedPorts& ports,
                            OpeningCommands& commands) {
    std::vector<std::string> add;
    std::vector<std::string> remove;
    for (const auto& peer : ports.peers) {
        const auto rule = std::string("rule ") +
                          (priority == 0 ? "" : "priority=\"" + std::to_string(priority) + "\" ") +
                          "family=\"" + (ports.v6 ? "ipv6" : "ipv4") + "\" source address=\"" + peer +
                          "\" port port=\"" + port_range(ports, '-') + "\" protocol=\"tcp\" accept";
        add.push_back("--add-rich-rule=" + shell_quote(rule));
        remove.push_back("--remove-rich-rule=" + shell_quote(rule));
    }
    const auto in_zone = zone.empty() ? std::string() : "--zone=" + zone + ' ';
    for (const std::string program : {"sudo firewall-cmd ", "sudo firewall-cmd --permanent "}) {
        commands.open.push_back(program + in_zone + joined(add, " "));
        commands.undo.push_back(program + in_zone + joined(remove, " "));
    }
}

}  // namespace rankscope
