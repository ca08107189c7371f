// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/nft_match.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

using Json = nlohmann::json;

constexpr int kMaxMatchDepth = 16;
constexpr unsigned kSyn = 2;
/// No program of a user connects from a port below it.
constexpr long kFirstUserPort = 1024;

/// What an expression is for the packet.
struct Value {
    enum class Kind {
        Unknown,
        Absent,    ///< the packet has no such header: no comparison holds
        NoDevice,  ///< equal to nothing; of "not equal" kernels differ
        Address,
        Number,
        SourcePort,  ///< any from kFirstUserPort
        Words,       ///< equal to each of them
        Flags,
        Parts,
    };
    Kind kind = Kind::Unknown;
    IpAddress address = {};
    IpAddress mask = {};
    bool masked_address = false;
    long number = 0;
    std::vector<std::string> words = {};
    unsigned flags = 0;
    std::vector<Value> parts = {};
};

Value words(std::vector<std::string> list) {
    return {.kind = Value::Kind::Words, .words = std::move(list)};
}
Value absent() {
    return {.kind = Value::Kind::Absent};
}

std::string text_at(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The one key of an object like {"meta": …}; empty: it is none.
std::string only_key(const Json& object) {
    return object.is_object() && object.size() == 1 ? object.begin().key() : std::string();
}

Value address_value(const std::optional<IpAddress>& address) {
    return address ? Value{.kind = Value::Kind::Address, .address = *address} : Value{};
}

Value device(const Packet& packet, bool incoming) {
    if (packet.outgoing == incoming) {
        return {.kind = Value::Kind::NoDevice};
    }
    return packet.interface_name.empty() ? Value{} : words({packet.interface_name});
}

Value meta_value(const Json& body, const Packet& packet) {
    const auto key = text_at(body, "key");
    if (key == "nfproto") {
        return packet.v6 ? words({"ipv6", "10"}) : words({"ipv4", "2"});
    }
    if (key == "protocol") {
        return packet.v6 ? words({"ip6", "ipv6"}) : words({"ip", "ipv4"});
    }
    if (key == "l4proto") {
        return words({"tcp", "6"});
    }
    if (key == "iif" || key == "iifname") {
        return device(packet, true);
    }
    if (key == "oif" || key == "oifname") {
        return device(packet, false);
    }
    if (key == "pkttype" && !packet.outgoing) {
        return words({"host", "unicast", "0"});
    }
    return {};
}

Value payload_value(const Json& body, const Packet& packet) {
    const auto protocol = text_at(body, "protocol");
    const auto field = text_at(body, "field");
    if (protocol == "ip" || protocol == "ip6") {
        if ((protocol == "ip6") != packet.v6) {
            return absent();
        }
        if (field == "saddr") {
            return address_value(packet.from);
        }
        if (field == "daddr") {
            return address_value(packet.to);
        }
        return field == "protocol" || field == "nexthdr" ? words({"tcp", "6"}) : Value{};
    }
    if (protocol == "tcp" || protocol == "th") {
        if (field == "dport") {
            return {.kind = Value::Kind::Number, .number = packet.port};
        }
        if (field == "sport") {
            return {.kind = Value::Kind::SourcePort};
        }
        return field == "flags" ? Value{.kind = Value::Kind::Flags, .flags = kSyn} : Value{};
    }
    for (const char* other :
         {"udp", "udplite", "sctp", "dccp", "icmp", "icmpv6", "igmp", "esp", "ah", "comp", "arp"}) {
        if (protocol == other) {
            return absent();
        }
    }
    return {};
}

Value ct_value(const Json& body, const Packet& packet) {
    const auto key = text_at(body, "key");
    if (body.contains("dir")) {
        return {};
    }
    if (key == "state") {
        return packet.tracked ? words({"new"}) : Value{};
    }
    if (key == "direction") {
        return words({"original", "0"});
    }
    if (key == "status") {  // nothing of it is set yet
        return words({"none"});
    }
    return key == "l3proto" ? (packet.v6 ? words({"ipv6"}) : words({"ipv4"})) : Value{};
}

Value fib_value(const Json& body, const Packet& packet) {
    const auto flags = body.find("flags");
    if (text_at(body, "result") != "type" || flags == body.end()) {
        return {};
    }
    const auto has = [&](const char* name) {
        return *flags == name ||
               (flags->is_array() && std::find(flags->begin(), flags->end(), Json(name)) != flags->end());
    };
    if (has("daddr") && !has("saddr")) {
        return packet.outgoing ? words({"unicast", "1"}) : words({"local", "2"});
    }
    if (has("saddr") && !has("daddr")) {
        return packet.outgoing ? words({"local", "2"}) : words({"unicast", "1"});
    }
    return {};
}

std::optional<unsigned> flags_of(const Json& value, int depth) {
    static constexpr std::array<const char*, 8> kNames = {"fin", "syn", "rst", "psh",
                                                          "ack", "urg", "ecn", "cwr"};
    if (depth > kMaxMatchDepth) {
        return std::nullopt;
    }
    if (value.is_number_unsigned()) {
        return value.get<unsigned>();
    }
    if (value.is_string()) {
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            if (value == kNames[i]) {
                return 1U << i;
            }
        }
        return std::nullopt;
    }
    const Json* list = &value;
    if (only_key(value) == "|") {
        list = &value.begin().value();
    }
    if (!list->is_array()) {
        return std::nullopt;
    }
    unsigned all = 0;
    for (const auto& each : *list) {
        const auto one = flags_of(each, depth + 1);
        if (!one) {
            return std::nullopt;
        }
        all |= *one;
    }
    return all;
}

Value value_of(const Json& expression, const Packet& packet, int depth);

Value masked_value(const Json& operands, const Packet& packet, int depth) {
    if (!operands.is_array() || operands.size() != 2) {
        return {};
    }
    auto value = value_of(operands[0], packet, depth + 1);
    if (value.kind == Value::Kind::Flags) {
        const auto mask = flags_of(operands[1], depth + 1);
        return mask ? Value{.kind = Value::Kind::Flags, .flags = value.flags & *mask} : Value{};
    }
    if (value.kind == Value::Kind::Address && operands[1].is_string()) {
        const auto mask = parse_ip(operands[1].get<std::string>());
        if (mask && mask->v6 == value.address.v6) {
            return {.kind = Value::Kind::Address, .address = masked(value.address, *mask)};
        }
    }
    return value.kind == Value::Kind::Absent ? value : Value{};
}

Value value_of(const Json& expression, const Packet& packet, int depth) {
    const auto key = only_key(expression);
    if (key.empty() || depth > kMaxMatchDepth) {
        return {};
    }
    const auto& body = expression.begin().value();
    if (key == "concat" && body.is_array()) {
        Value value{.kind = Value::Kind::Parts};
        for (const auto& part : body) {
            value.parts.push_back(value_of(part, packet, depth + 1));
        }
        return value;
    }
    if (key == "&") {
        return masked_value(body, packet, depth);
    }
    if (!body.is_object()) {
        return {};
    }
    if (key == "meta") {
        return meta_value(body, packet);
    }
    if (key == "payload") {
        return payload_value(body, packet);
    }
    if (key == "ct") {
        return ct_value(body, packet);
    }
    if (key == "fib") {
        return fib_value(body, packet);
    }
    // A connection of a program has no routing header and no options of IPv4.
    return key == "exthdr" || key == "ip option" ? absent() : Value{};
}

class Comparison {
public:
    Comparison(const NftSets& sets, NftBudget& budget) : sets_(sets), budget_(budget) {}

    /// Whether the value is that, or in that set.
    Match equal(const Value& value, const Json& other, int depth) const {
        if (depth > kMaxMatchDepth || budget_ <= 0) {
            return Match::Maybe;
        }
        --budget_;
        if (value.kind == Value::Kind::Absent || value.kind == Value::Kind::NoDevice) {
            return Match::No;
        }
        if (other.is_string()) {
            const auto& name = other.get_ref<const std::string&>();
            if (name == "*") {
                return Match::Yes;
            }
            if (name.starts_with('@')) {
                const auto found = sets_.find(name.substr(1));
                return found == sets_.end() ? Match::Maybe : any(value, *found->second, depth + 1);
            }
        }
        if (other.is_array() && value.kind != Value::Kind::Flags) {
            return any(value, other, depth + 1);
        }
        const auto key = only_key(other);
        if (key == "set") {
            return equal_set(value, other.begin().value(), depth + 1);
        }
        if (key == "elem") {
            const auto& body = other.begin().value();
            return body.is_object() && body.contains("val") ? equal(value, body["val"], depth + 1)
                                                            : Match::Maybe;
        }
        switch (value.kind) {
            case Value::Kind::Address:
                return equal_address(value.address, other);
            case Value::Kind::Number:
                return equal_number(value.number, value.number, other);
            case Value::Kind::SourcePort:
                return equal_number(kFirstUserPort, 65535, other);
            case Value::Kind::Words:
                return equal_word(value.words, other);
            case Value::Kind::Flags: {
                const auto flags = flags_of(other, depth);
                return flags ? match_if(*flags == value.flags) : Match::Maybe;
            }
            case Value::Kind::Parts:
                return equal_parts(value.parts, other, depth);
            case Value::Kind::Unknown:
            case Value::Kind::Absent:
            case Value::Kind::NoDevice:
                break;
        }
        return Match::Maybe;
    }

    Match holds(const Value& value, const std::string& op, const Json& other) const {
        if (value.kind == Value::Kind::Absent) {
            return Match::No;
        }
        if (op == "in" && value.kind == Value::Kind::Flags) {
            const auto flags = flags_of(other, 0);
            return flags ? match_if((*flags & value.flags) != 0) : Match::Maybe;
        }
        if (op == "==" || op == "in") {
            return equal(value, other, 0);
        }
        if (op == "!=") {
            const bool unclear =
                value.kind == Value::Kind::NoDevice || (value.kind == Value::Kind::Flags && other.is_array());
            return unclear ? Match::Maybe : negated(equal(value, other, 0));
        }
        if (value.kind != Value::Kind::Number || !other.is_number_integer()) {
            return Match::Maybe;
        }
        const auto number = other.get<std::int64_t>();
        if (op == "<" || op == ">=") {
            return match_if((value.number < number) == (op == "<"));
        }
        return op == ">" || op == "<=" ? match_if((value.number > number) == (op == ">")) : Match::Maybe;
    }

private:
    Match any(const Value& value, const Json& list, int depth) const {
        if (!list.is_array()) {
            return equal(value, list, depth);
        }
        Match match = Match::No;
        for (const auto& each : list) {
            match = any_of(match, equal(value, each, depth));
            if (match == Match::Yes) {
                break;
            }
        }
        return match;
    }

    Match equal_set(const Value& value, const Json& set, int depth) const {
        if (value.kind == Value::Kind::Flags && set.is_array()) {
            Match match = Match::No;
            for (const auto& each : set) {
                match = any_of(match, equal(value, each, depth));
            }
            return match;
        }
        return any(value, set, depth);
    }

    static Match equal_address(const IpAddress& address, const Json& other) {
        std::string text;
        const auto key = only_key(other);
        if (other.is_string()) {
            text = other.get<std::string>();
        } else if (key == "prefix") {
            const auto& body = other.begin().value();
            if (!body.is_object() || !body.contains("len") || !body["len"].is_number_integer()) {
                return Match::Maybe;
            }
            text = text_at(body, "addr") + '/' + std::to_string(body["len"].get<std::int64_t>());
        } else if (key == "range") {
            const auto& body = other.begin().value();
            if (!body.is_array() || body.size() != 2 || !body[0].is_string() || !body[1].is_string()) {
                return Match::Maybe;
            }
            text = body[0].get<std::string>() + '-' + body[1].get<std::string>();
        }
        const auto range = parse_address_range(text);
        return range ? match_if(range->contains(address)) : Match::Maybe;
    }

    static std::optional<long> number_of(const Json& value) {
        if (value.is_number_integer()) {
            return static_cast<long>(value.get<std::int64_t>());
        }
        return value.is_string() ? parse_number<long>(value.get_ref<const std::string&>()) : std::nullopt;
    }

    /// Whether a number somewhere from first to last is in the other one.
    static Match equal_number(long first, long last, const Json& other) {
        auto low = number_of(other);
        auto high = low;
        if (only_key(other) == "range") {
            const auto& body = other.begin().value();
            if (!body.is_array() || body.size() != 2) {
                return Match::Maybe;
            }
            low = number_of(body[0]);
            high = number_of(body[1]);
        }
        if (!low || !high) {
            return Match::Maybe;
        }
        if (last < *low || first > *high) {
            return Match::No;
        }
        return *low <= first && last <= *high ? Match::Yes : Match::Maybe;
    }

    static Match equal_word(const std::vector<std::string>& list, const Json& other) {
        std::string text;
        if (other.is_string()) {
            text = other.get<std::string>();
        } else if (other.is_number_integer()) {
            text = std::to_string(other.get<std::int64_t>());
        } else {
            return Match::Maybe;
        }
        const bool wildcard = text.ends_with('*');
        const auto stem = std::string_view(text).substr(0, text.size() - (wildcard ? 1 : 0));
        return match_if(std::any_of(list.begin(), list.end(), [&](const std::string& word) {
            return wildcard ? std::string_view(word).starts_with(stem) : word == text;
        }));
    }

    Match equal_parts(const std::vector<Value>& parts, const Json& other, int depth) const {
        if (only_key(other) != "concat" || !other.begin().value().is_array() ||
            other.begin().value().size() != parts.size()) {
            return Match::Maybe;
        }
        Match match = Match::Yes;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            match = all_of(match, equal(parts[i], other.begin().value()[i], depth + 1));
        }
        return match;
    }

    const NftSets& sets_;
    NftBudget& budget_;
};

}  // namespace

Match nft_match(const Json& match, const Packet& packet, const NftSets& sets, NftBudget& budget) {
    if (!match.is_object() || !match.contains("left") || !match.contains("right")) {
        return Match::Maybe;
    }
    const auto op = text_at(match, "op");
    return Comparison(sets, budget)
        .holds(value_of(match["left"], packet, 0), op.empty() ? "==" : op, match["right"]);
}

NftVerdict nft_verdict(const Json& vmap, const Packet& packet, const NftSets& sets, NftBudget& budget) {
    constexpr NftVerdict kUnclear{.matches = Match::Maybe, .verdict = nullptr};
    if (!vmap.is_object() || !vmap.contains("key") || !vmap.contains("data")) {
        return kUnclear;
    }
    const auto value = value_of(vmap["key"], packet, 0);
    const Json* data = &vmap["data"];
    if (data->is_string() && data->get_ref<const std::string&>().starts_with('@')) {
        const auto found = sets.find(data->get_ref<const std::string&>().substr(1));
        if (found == sets.end()) {
            return kUnclear;
        }
        data = found->second;
    } else if (only_key(*data) == "set") {
        data = &data->begin().value();
    }
    if (!data->is_array()) {
        return kUnclear;
    }
    const Comparison comparison(sets, budget);
    NftVerdict rest;
    for (const auto& pair : *data) {
        if (!pair.is_array() || pair.size() != 2) {
            return kUnclear;
        }
        const bool any =
            pair[0] == "*" || (only_key(pair[0]) == "elem" && pair[0].begin().value().is_object() &&
                               pair[0].begin().value().value("val", Json()) == "*");
        if (any) {  // for what has no element of its own
            rest = {.matches = Match::Yes, .verdict = &pair[1]};
            continue;
        }
        const auto match = comparison.equal(value, pair[0], 0);
        if (match == Match::Yes) {
            return {.matches = match, .verdict = &pair[1]};
        }
        if (match == Match::Maybe) {
            return kUnclear;
        }
    }
    return rest;
}

}  // namespace rankscope::inline runs
