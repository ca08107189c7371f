// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope {

/// A value in one line of YAML: { name: sgd, lr: 0.01 }. Texts are in quotes where any reader of YAML could take
/// them for something else.
std::string yaml_flow(const nlohmann::ordered_json& value);

}  // namespace rankscope
