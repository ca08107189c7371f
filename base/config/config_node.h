// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

/// A value of a configuration and the line that it stands in, whatever the format of the file is: JSON
/// (below) or YAML (remote/desk/shared/yaml_tree.h). A scalar keeps its text; the key's reader decides
/// whether it is a number or a text.
struct ConfigNode {
    enum class Kind { Null, Scalar, List, Mapping };
    struct Entry;

    Kind kind = Kind::Null;
    std::string text;               ///< of a scalar, as the file has it without quotes
    bool plain = false;             ///< a scalar without quotes: may be a number, true, false
    int line = 0;                   ///< from 1; 0: unknown
    std::vector<ConfigNode> items;  ///< of a list
    std::vector<Entry> entries;     ///< of a mapping, in the order of the file

    /// nullptr when the key is absent or null.
    const ConfigNode* find(std::string_view key) const;
    bool is_scalar() const { return kind == Kind::Scalar; }
    bool is_list() const { return kind == Kind::List; }
    bool is_mapping() const { return kind == Kind::Mapping; }
};

struct ConfigNode::Entry {
    std::string key;
    int line = 0;
    ConfigNode value;
};

ConfigNode from_json(const nlohmann::json& value);
/// Plain scalars become what YAML's core schema makes of them: null, true or false, a number, else text.
nlohmann::json to_json(const ConfigNode& node);
nlohmann::json scalar_to_json(const std::string& word);
/// The number that the whole word is, decimal or 0x…; follows no locale.
std::optional<double> to_number(std::string_view word);

/// The line of "optimizer.lr", or of the deepest part of the path that exists. A key may itself contain dots.
int line_of(const ConfigNode& root, std::string_view path);

/// A value as a message shows it: a scalar in quotes, shortened; "a list", "a mapping", "nothing".
std::string shown(const ConfigNode& node);
/// Shortened JSON.
std::string shown(const nlohmann::json& value);
/// With up to 15 digits, as short as it can be.
std::string number_text(double number);

}  // namespace rankscope::config
