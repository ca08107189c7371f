// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/key_table.h>
#include <gui/launch/train_values.h>

namespace rankscope::gui {

using nlohmann::json;

json train_value(const json& section, const std::string& path) {
    const json value = config::value_at(section, path);
    const auto dot = path.rfind('.');
    if (value.is_null() && dot != std::string::npos && path.substr(dot + 1) == "name") {
        const json word = config::value_at(section, path.substr(0, dot));
        return word.is_string() ? word : json();
    }
    return value;
}

void set_train_value(json& section, const std::string& path, const json& value) {
    const auto dot = path.rfind('.');
    const std::string parent = dot == std::string::npos ? std::string() : path.substr(0, dot);
    if (!parent.empty()) {
        if (const json word = config::value_at(section, parent); word.is_string()) {
            if (path == parent + ".name" && !value.is_null()) {
                config::set_at(section, parent, value);
                return;
            }
            config::set_at(section, parent, json{{"name", word}});
        }
    }
    config::set_at(section, path, value);
    if (value.is_null() && !parent.empty() && config::value_at(section, parent).empty()) {
        config::set_at(section, parent, nullptr);
    }
}

}  // namespace rankscope::gui
