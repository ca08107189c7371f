// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/runs/preflight/firewall/nft_text.h>

#include <vector>

namespace rankscope::inline runs {
namespace {

using Json = nlohmann::json;

constexpr int kMaxTextDepth = 16;
constexpr std::size_t kMaxElements = 40;

std::string text_of_key(const Json& object, const char* key) {
    const auto found = object.is_object() ? object.find(key) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string plain(const Json& value) {
    if (value.is_structured()) {  // not understood, and as deep as the node likes
        return "…";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string expression(const Json& value, int depth);

std::string list(const Json& values, const char* separator, int depth) {
    if (!values.is_array()) {
        return expression(values, depth);
    }
    std::vector<std::string> parts;
    for (const auto& each : values) {
        if (parts.size() == kMaxElements) {
            parts.emplace_back("…");
            break;
        }
        parts.push_back(expression(each, depth));
    }
    return joined(parts, separator);
}

/// {"saddr", "iif"} → "saddr . iif"
std::string fib(const Json& body, int depth) {
    return "fib " + list(body.value("flags", Json::array()), " . ", depth) + ' ' +
           text_of_key(body, "result");
}

std::string meta(const Json& body) {
    const auto key = text_of_key(body, "key");
    for (const char* unqualified : {"iif", "iifname", "iifgroup", "iiftype", "oif", "oifname", "oifgroup",
                                    "oiftype", "skuid", "skgid"}) {
        if (key == unqualified) {
            return unqualified;
        }
    }
    return "meta " + key;
}

std::string ct(const Json& body) {
    const auto direction = text_of_key(body, "dir");
    const auto family = text_of_key(body, "family");
    return "ct " + (direction.empty() ? "" : direction + ' ') + (family.empty() ? "" : family + ' ') +
           text_of_key(body, "key");
}

/// Elements of a set or a map.
std::string elements(const Json& data, int depth) {
    if (!data.is_array()) {
        return expression(data, depth);
    }
    std::vector<std::string> parts;
    for (const auto& each : data) {
        if (parts.size() == kMaxElements) {
            parts.emplace_back("…");
            break;
        }
        const bool pair = each.is_array() && each.size() == 2;
        parts.push_back(pair ? expression(each[0], depth) + " : " + expression(each[1], depth)
                             : expression(each, depth));
    }
    return "{ " + joined(parts) + " }";
}

std::string verdict(const std::string& name, const Json& body) {
    const auto target = text_of_key(body, "target");
    return target.empty() ? name : name + ' ' + target;
}

std::string expression(const Json& value, int depth) {
    if (depth > kMaxTextDepth) {
        return "…";
    }
    if (value.is_array()) {
        return list(value, ",", depth + 1);
    }
    if (!value.is_object() || value.size() != 1) {
        return plain(value);
    }
    const auto& key = value.begin().key();
    const auto& body = value.begin().value();
    if (key == "prefix") {
        return text_of_key(body, "addr") + '/' + (body.is_object() ? plain(body.value("len", Json())) : "");
    }
    if (key == "range") {
        return list(body, "-", depth + 1);
    }
    if (key == "set") {
        return elements(body, depth + 1);
    }
    if (key == "elem" && body.is_object()) {
        return expression(body.value("val", Json()), depth + 1);
    }
    if (key == "concat") {
        return list(body, " . ", depth + 1);
    }
    if (key == "|") {
        return list(body, "|", depth + 1);
    }
    if (key == "&" && body.is_array() && body.size() == 2) {
        return expression(body[0], depth + 1) + " & (" + list(body[1], "|", depth + 1) + ')';
    }
    if (key == "meta") {
        return meta(body);
    }
    if (key == "ct") {
        return ct(body);
    }
    if (key == "payload" && body.is_object()) {
        return body.contains("field")
                   ? text_of_key(body, "protocol") + ' ' + text_of_key(body, "field")
                   : '@' + text_of_key(body, "base") + ',' + plain(body.value("offset", Json())) + ',' +
                         plain(body.value("len", Json()));
    }
    if (key == "fib" && body.is_object()) {
        return fib(body, depth + 1);
    }
    if (key == "exthdr" || key == "tcp option" || key == "ip option") {
        const auto field = text_of_key(body, "field");
        return (key == "exthdr" ? "" : key + ' ') + text_of_key(body, "name") +
               (field.empty() ? "" : ' ' + field);
    }
    if (body.is_null() || key == "jump" || key == "goto") {
        return verdict(key, body);
    }
    return plain(value);
}

std::string match(const Json& body) {
    if (!body.is_object() || !body.contains("left") || !body.contains("right")) {
        return plain(body);
    }
    const auto& left = body["left"];
    const auto& right = body["right"];
    const auto op = text_of_key(body, "op");
    const bool implied = op.empty() || op == "==" || op == "in";
    std::string text = expression(left, 0) + (implied ? " " : ' ' + op + ' ');
    if (right.is_boolean()) {
        return text + (right.get<bool>() ? "exists" : "missing");
    }
    const bool masked = left.is_object() && left.contains("&");
    if (masked && implied) {
        text += "== ";
    }
    const auto name =
        left.is_object() && left.contains("meta") ? text_of_key(left["meta"], "key") : std::string();
    const bool quoted =
        right.is_string() && (name == "iif" || name == "iifname" || name == "oif" || name == "oifname");
    return text + (quoted ? '"' + right.get<std::string>() + '"' : expression(right, 0));
}

std::string limit(const Json& body) {
    if (!body.is_object()) {
        return "limit";
    }
    const auto unit = text_of_key(body, "rate_unit");
    const bool over = body.value("inv", Json()) == true;
    return std::string("limit rate ") + (over ? "over " : "") + plain(body.value("rate", Json())) +
           (unit.empty() || unit == "packets" ? "" : ' ' + unit) + '/' + text_of_key(body, "per");
}

std::string reject(const Json& body) {
    const auto type = text_of_key(body, "type");
    if (type.empty()) {
        return "reject";
    }
    const auto reason = body.value("expr", Json());
    return "reject with " + type + (reason.is_null() ? "" : ' ' + plain(reason));
}

std::string log(const Json& body) {
    const auto prefix = text_of_key(body, "prefix");
    return prefix.empty() ? "log" : "log prefix \"" + prefix + '"';
}

std::string statement(const Json& value) {
    if (!value.is_object() || value.size() != 1) {
        return plain(value);
    }
    const auto& key = value.begin().key();
    const auto& body = value.begin().value();
    if (key == "match") {
        return match(body);
    }
    if (key == "counter") {
        return "counter";
    }
    if (key == "limit") {
        return limit(body);
    }
    if (key == "reject") {
        return reject(body);
    }
    if (key == "log") {
        return log(body);
    }
    if (key == "vmap" && body.is_object()) {
        const auto data = body.value("data", Json());
        const auto elements_of =
            data.is_object() && data.contains("set") ? elements(data["set"], 1) : plain(data);
        return expression(body.value("key", Json()), 0) + " vmap " + elements_of;
    }
    if (key == "ct count" && body.is_object()) {
        return std::string("ct count ") + (body.value("inv", Json()) == true ? "over " : "") +
               plain(body.value("val", Json()));
    }
    if (key == "mangle" && body.is_object()) {
        return expression(body.value("key", Json()), 0) + " set " +
               expression(body.value("value", Json()), 0);
    }
    if (key == "xt" && body.is_object()) {
        return "xt " + text_of_key(body, "type") + " \"" + text_of_key(body, "name") + '"';
    }
    if (body.is_null() || key == "jump" || key == "goto") {
        return verdict(key, body);
    }
    return key;
}

}  // namespace

std::string nft_text(const Json& rule) {
    std::vector<std::string> parts;
    if (const auto statements = rule.find("expr"); statements != rule.end() && statements->is_array()) {
        for (const auto& each : *statements) {
            parts.push_back(statement(each));
        }
    }
    if (const auto comment = text_of_key(rule, "comment"); !comment.empty()) {
        parts.push_back("comment \"" + comment + '"');
    }
    return joined(parts, " ");
}

}  // namespace rankscope::inline runs
