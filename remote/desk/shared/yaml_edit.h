// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace rankscope {

/// A value to set in a YAML text; null takes the key out.
struct YamlEdit {
    std::vector<std::string> path;
    nlohmann::json value;
};

/// What turns one value into the other, key by key.
std::vector<YamlEdit> yaml_edits(const nlohmann::json& before, const nlohmann::json& after);

/// The text with these values and otherwise byte for byte the same: comments, order, quotes and unknown keys
/// stay. Every edit is checked by reading the text again; where a value cannot be changed in place (an alias,
/// an unusual layout), the smallest mapping around it is written in one line instead. Fails for text that is
/// no YAML mapping or contains keys twice.
Result<std::string> edit_yaml(const std::string& yaml, const std::vector<YamlEdit>& edits);

}  // namespace rankscope
