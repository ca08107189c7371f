// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/text.h>
#include <remote/agent/inspection/firewall_text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace rankscope::agent {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* key) {
    const auto value = object.find(key);
    return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
}

struct Table {
    bool hooked = false;
    bool drops = false;  ///< by the policy of a hook
    bool ruled = false;
    bool only_iptables = true;  ///< its hooks bear the names of iptables' chains
};

bool is_iptables_name(const std::string& family, const std::string& table) {
    const bool known_family = family == "ip" || family == "ip6";
    return known_family && (table == "filter" || table == "nat" || table == "mangle" || table == "raw" ||
                            table == "security");
}

bool is_iptables_chain(const std::string& chain) {
    return chain == "INPUT" || chain == "OUTPUT" || chain == "FORWARD" || chain == "PREROUTING" ||
           chain == "POSTROUTING";
}

}  // namespace

NftRuleset read_nft_ruleset(std::string_view text) {
    NftRuleset ruleset;
    const json root = read_json(text);
    if (!root.is_object() || !root.contains("nftables") || !root["nftables"].is_array()) {
        return ruleset;
    }
    ruleset.valid = true;
    std::map<std::pair<std::string, std::string>, Table> tables;
    for (const auto& entry : root["nftables"]) {
        if (!entry.is_object() || entry.empty() || !entry.begin()->is_object()) {
            continue;
        }
        const std::string& kind = entry.begin().key();
        const json& object = *entry.begin();
        const std::string family = text_of(object, "family");
        if (kind == "table") {
            ruleset.firewalld = ruleset.firewalld || text_of(object, "name") == "firewalld";
        } else if (kind == "chain" && object.contains("hook")) {
            auto& table = tables[{family, text_of(object, "table")}];
            table.hooked = true;
            table.drops = table.drops || text_of(object, "policy") == "drop";
            table.only_iptables = table.only_iptables && is_iptables_chain(text_of(object, "name"));
        } else if (kind == "rule") {
            tables[{family, text_of(object, "table")}].ruled = true;
        }
    }
    ruleset.native = std::any_of(tables.begin(), tables.end(), [](const auto& entry) {
        const auto& [name, table] = entry;
        const bool from_iptables = table.only_iptables && is_iptables_name(name.first, name.second);
        return table.hooked && (table.drops || table.ruled) && !from_iptables;
    });
    return ruleset;
}

IptablesRules read_iptables_save(std::string_view text) {
    IptablesRules rules;
    for (const auto raw : split(text, '\n')) {
        const auto line = trimmed(raw);
        if (line.starts_with('*')) {
            rules.valid = true;
        } else if (line.starts_with(':')) {
            const auto words = split(line, ' ');
            const bool is_policy = words.size() > 1 && words[1] != "-";
            rules.active = rules.active || (is_policy && words[1] != "ACCEPT");
            rules.ufw = rules.ufw || line.starts_with(":ufw-") || line.starts_with(":ufw6-");
        } else if (line.starts_with("-A ") || line.starts_with('[')) {
            rules.active = true;
        }
    }
    return rules;
}

bool is_ufw_enabled(std::string_view conf) {
    bool enabled = false;
    for (const auto raw : split(conf, '\n')) {
        const auto line = trimmed(raw);
        const auto equals = line.find('=');
        if (equals == line.npos || trimmed(line.substr(0, equals)) != "ENABLED") {
            continue;
        }
        std::string value(trimmed(line.substr(equals + 1)));
        std::erase_if(value, [](char c) { return c == '"' || c == '\''; });
        std::transform(value.begin(), value.end(), value.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        enabled = value == "yes";
    }
    return enabled;
}

}  // namespace rankscope::agent
