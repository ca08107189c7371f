// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <engine/distribuuuu/config/settings_error.h>
#include <engine/distribuuuu/config/yaml_text.h>

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <limits>
#include <string_view>

namespace rankscope::distribuuuu {
namespace {

constexpr int kDeepestSection = 16;  // nested sections or lists

bool is_one_of(std::string_view text, std::string_view words) {
    // Words are separated by single spaces; none of them contains one.
    const std::string padded = " " + std::string(words) + " ";
    return text.find(' ') == std::string_view::npos &&
           padded.find(" " + std::string(text) + " ") != std::string::npos;
}

/// What PyYAML makes of a scalar without quotes; text stays text.
PythonValue plain_scalar(const std::string& text) {
    if (text.empty() || is_one_of(text, "~ null Null NULL")) {
        return {PythonNone{}};
    }
    if (is_one_of(text, "yes Yes YES true True TRUE on On ON")) {
        return {true};
    }
    if (is_one_of(text, "no No NO false False FALSE off Off OFF")) {
        return {false};
    }
    if (is_one_of(text, ".inf .Inf .INF +.inf +.Inf +.INF")) {
        return {std::numeric_limits<double>::infinity()};
    }
    if (is_one_of(text, "-.inf -.Inf -.INF")) {
        return {-std::numeric_limits<double>::infinity()};
    }
    if (is_one_of(text, ".nan .NaN .NAN")) {
        return {std::numeric_limits<double>::quiet_NaN()};
    }
    // Octal numbers of YAML 1.1; everything else that is a number there is one in Python too.
    if (text.size() > 1 && text[0] == '0' && text.find_first_not_of("01234567") == std::string::npos) {
        std::int64_t number = 0;
        const auto end = std::from_chars(text.data(), text.data() + text.size(), number, 8);
        if (end.ec == std::errc()) {
            return {number};
        }
    }
    return {text};
}

/// yacs: what is text may still be a Python literal.
PythonValue decoded(PythonValue value) {
    if (const auto* text = value.as<std::string>()) {
        if (auto literal = parse_python_literal(*text)) {
            return std::move(*literal);
        }
    }
    return value;
}

class Reader {
public:
    explicit Reader(const std::string& file) : file_(file) {}

    void section(const YAML::Node& node, const std::string& prefix, int depth) {
        check_depth(node, depth);
        for (const auto& entry : node) {
            if (!entry.first.IsScalar()) {
                fail(entry.first, "a key must be a name");
            }
            const std::string key = prefix + entry.first.Scalar();
            if (entry.second.IsMap()) {
                section(entry.second, key + ".", depth + 1);
            } else if (!values.emplace(key, value(entry.second, depth + 1)).second) {
                fail(entry.first, key + " is there twice");
            }
        }
    }

    [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const {
        throw SettingsError(file_ + ":" + std::to_string(node.Mark().line + 1) + ": " + what);
    }

    FlatValues values;

private:
    PythonValue value(const YAML::Node& node, int depth) {
        check_depth(node, depth);
        if (node.IsNull()) {
            return {PythonNone{}};
        }
        if (node.IsScalar()) {
            const bool quoted = node.Tag() == "!";
            return decoded(quoted ? PythonValue{node.Scalar()} : plain_scalar(node.Scalar()));
        }
        PythonList list;
        for (const YAML::Node& item : node) {
            if (item.IsMap()) {
                fail(item, "a list of numbers or names is expected");
            }
            list.push_back(value(item, depth + 1));
        }
        return {std::move(list)};
    }
    void check_depth(const YAML::Node& node, int depth) const {
        if (depth > kDeepestSection) {
            fail(node, "is nested too deeply");
        }
    }

    const std::string& file_;
};

bool needs_quotes(const std::string& text) {
    constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
    const bool begins = kIndicators.find(text.empty() ? '\'' : text[0]) != std::string_view::npos;
    // "-a" and "?a" are plain text, "- a" is not.
    const bool harmless =
        begins && text.size() > 1 && text[1] != ' ' && is_one_of(text.substr(0, 1), "- ? :");
    return (begins && !harmless) || text.find(": ") != std::string::npos ||
           text.find(" #") != std::string::npos || text.back() == ' ' || text.front() == ' ' ||
           text.back() == ':' || plain_scalar(text).as<std::string>() == nullptr ||
           !decoded({text}).as<std::string>();
}

std::string scalar_text(const PythonValue& value) {
    if (const auto* text = value.as<std::string>()) {
        if (text->empty() || needs_quotes(*text)) {
            std::string result;
            for (const char c : *text) {
                result += c == '\'' ? "''" : std::string(1, c);
            }
            return "'" + result + "'";
        }
        return *text;
    }
    if (const bool* flag = value.as<bool>()) {
        return *flag ? "true" : "false";
    }
    if (value.as<double>() != nullptr) {
        // PyYAML: without a point "5e-05" would be text.
        std::string text = repr(value);
        const std::size_t exponent = text.find('e');
        if (exponent != std::string::npos && text.find('.') == std::string::npos) {
            text.insert(exponent, ".0");
        }
        return is_one_of(text, "inf -inf nan") ? (text[0] == '-' ? "-." + text.substr(1) : "." + text) : text;
    }
    return value.as<PythonNone>() != nullptr ? "null" : repr(value);
}

std::string leaf_text(const PythonValue& value, const std::string& indent) {
    const auto* list = value.as<PythonList>();
    if (list == nullptr) {
        return " " + scalar_text(value) + "\n";
    }
    if (list->empty()) {
        return " []\n";
    }
    std::string text = "\n";
    for (const PythonValue& item : *list) {
        text += indent + "- " + scalar_text(item) + "\n";
    }
    return text;
}

}  // namespace

FlatValues read_yaml(const std::string& text, const std::string& file) {
    Reader reader(file);
    YAML::Node root;
    try {
        root = load_yaml(text);
    } catch (const YAML::Exception& error) {
        throw SettingsError(file + ":" + std::to_string(error.mark.line + 1) + ": is not YAML: " + error.msg);
    }
    if (!root.IsMap()) {
        throw SettingsError(file + ": sections such as MODEL: and TRAIN: are expected");
    }
    reader.section(root, "", 0);
    return std::move(reader.values);
}

std::string write_yaml(const FlatValues& values) {
    std::string text;
    std::string open;
    for (const auto& [key, value] : values) {
        const std::size_t dot = key.find('.');
        const std::string section = dot == std::string::npos ? "" : key.substr(0, dot);
        if (section != open) {
            open = section;
            text += section.empty() ? "" : section + ":\n";
        }
        const std::string indent = section.empty() ? "" : "  ";
        text +=
            indent + (dot == std::string::npos ? key : key.substr(dot + 1)) + ":" + leaf_text(value, indent);
    }
    return text;
}

}  // namespace rankscope::distribuuuu
