// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/config/phrase.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <locale>
#include <sstream>

namespace rankscope::config {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 100;  ///< below it a JSON value is dropped: no configuration is that deep
constexpr std::size_t kLongestShown = 60;

std::string shortened(std::string text) {
    if (text.size() > kLongestShown) {
        std::size_t end = kLongestShown;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
            --end;  // not in the middle of a UTF-8 character
        }
        text = text.substr(0, end) + "…";
    }
    return text;
}

ConfigNode from_json(const json& value, int depth) {
    ConfigNode node;
    if (value.is_null() || value.is_discarded() || depth > kMaxDepth) {
        return node;
    }
    if (value.is_object()) {
        node.kind = ConfigNode::Kind::Mapping;
        for (const auto& [key, child] : value.items()) {
            node.entries.push_back({key, 0, from_json(child, depth + 1)});
        }
    } else if (value.is_array()) {
        node.kind = ConfigNode::Kind::List;
        for (const json& child : value) {
            node.items.push_back(from_json(child, depth + 1));
        }
    } else {
        node.kind = ConfigNode::Kind::Scalar;
        node.plain = !value.is_string();
        node.text = value.is_string() ? value.get<std::string>() : value.dump();
    }
    return node;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [key](const Entry& one) { return one.key == key; });
    return entry == entries.end() || entry->value.kind == Kind::Null ? nullptr : &entry->value;
}

ConfigNode from_json(const json& value) {
    return from_json(value, 0);
}

std::optional<double> to_number(std::string_view word) {
    // Not strtod: it follows the locale, and a German desktop has 0,1 where the file says 0.1.
    if (word.starts_with('+') && !word.starts_with("+-")) {
        word.remove_prefix(1);
    }
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    double value = 0;
    std::uint64_t bits = 0;
    const char* end = word.data() + word.size();
    const auto result =
        hex ? std::from_chars(word.data() + 2, end, bits, 16) : std::from_chars(word.data(), end, value);
    if (word.empty() || result.ec != std::errc() || result.ptr != end) {
        return std::nullopt;
    }
    value = hex ? static_cast<double>(bits) : value;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

json scalar_to_json(const std::string& word) {
    if (word == "true" || word == "True" || word == "yes" || word == "on") {
        return true;
    }
    if (word == "false" || word == "False" || word == "no" || word == "off") {
        return false;
    }
    if (word == "null" || word == "~" || word.empty()) {
        return nullptr;
    }
    if (const auto value = to_number(word)) {
        if (word.find_first_of(".eE") == std::string::npos && std::abs(*value) < 9e15) {
            return static_cast<std::int64_t>(*value);
        }
        return *value;
    }
    return word;
}

json to_json(const ConfigNode& node) {
    switch (node.kind) {
        case ConfigNode::Kind::Mapping: {
            json object = json::object();
            for (const auto& entry : node.entries) {
                object[entry.key] = to_json(entry.value);
            }
            return object;
        }
        case ConfigNode::Kind::List: {
            json list = json::array();
            for (const auto& item : node.items) {
                list.push_back(to_json(item));
            }
            return list;
        }
        case ConfigNode::Kind::Scalar:
            return node.plain ? scalar_to_json(node.text) : json(node.text);
        case ConfigNode::Kind::Null:
            break;
    }
    return nullptr;
}

int line_of(const ConfigNode& root, std::string_view path) {
    int line = root.line;
    const ConfigNode* node = &root;
    while (!path.empty()) {
        const auto entry = std::find_if(node->entries.begin(), node->entries.end(), [path](const auto& one) {
            return path.starts_with(one.key) &&
                   (path.size() == one.key.size() || path[one.key.size()] == '.');
        });
        if (entry == node->entries.end()) {
            break;
        }
        path.remove_prefix(std::min(path.size(), entry->key.size() + 1));
        line = entry->line;
        node = &entry->value;
    }
    return line;
}

std::string shown(const ConfigNode& node) {
    switch (node.kind) {
        case ConfigNode::Kind::Scalar:
            return '"' + shortened(node.text) + '"';
        case ConfigNode::Kind::List:
            return phrase("a list");
        case ConfigNode::Kind::Mapping:
            return phrase("a mapping");
        case ConfigNode::Kind::Null:
            break;
    }
    return phrase("nothing");
}

std::string shown(const json& value) {
    return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string number_text(double number) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(15);
    out << number;
    return out.str();
}

}  // namespace rankscope::config
