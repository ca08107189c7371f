// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::gui {

/// The value of a `train` section at a path such as "optimizer.lr"; null: absent. The word in
/// `model: convnet` is the value at "model.name".
nlohmann::json train_value(const nlohmann::json& section, const std::string& path);
/// Sets it; null removes it. A word such as that of `model: convnet` stays a word as far as it can.
void set_train_value(nlohmann::json& section, const std::string& path, const nlohmann::json& value);

}  // namespace rankscope::gui
