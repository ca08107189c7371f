// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/text.h>
#include <remote/desk/shared/yaml_write.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace rankscope {
namespace {

using nlohmann::ordered_json;

bool is_plain(const std::string& word) {
    const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
    const auto allowed = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("._/@+-~").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (word.empty() || !std::all_of(word.begin(), word.end(), allowed) ||
        std::none_of(word.begin(), word.end(), letter) ||
        !(letter(static_cast<unsigned char>(word.front())) ||
          std::string_view("_/.~").find(word.front()) != std::string_view::npos)) {
        return false;
    }
    const std::string lower = lower_case(word);
    // What YAML 1.1 or 1.2 takes for null, a truth value or a number.
    for (const char* special :
         {"null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan"}) {
        if (lower == special) {
            return false;
        }
    }
    return config::scalar_to_json(word).is_string();
}

}  // namespace

std::string yaml_flow(const ordered_json& value) {
    if (value.is_object() || value.is_array()) {
        std::string inner;
        for (const auto& [key, entry] : value.items()) {
            inner += inner.empty() ? "" : ", ";
            inner += (value.is_object() ? yaml_flow(key) + ": " : "") + yaml_flow(entry);
        }
        return value.is_array() ? '[' + inner + ']' : inner.empty() ? "{}" : "{ " + inner + " }";
    }
    if (value.is_string()) {
        const std::string word = value.get<std::string>();
        return is_plain(word) ? word : value.dump();
    }
    if (value.is_number_float()) {
        constexpr double kExact = 1e15;
        const double number = value.get<double>();
        if (number == std::floor(number) && std::abs(number) < kExact) {
            return std::to_string(static_cast<std::int64_t>(number));
        }
    }
    return value.dump();
}

}  // namespace rankscope
