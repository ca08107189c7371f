// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/python_json.h>

#include <utility>

namespace rankscope {

std::optional<std::string> without_non_finite(std::string_view text) {
    std::string result;
    bool in_string = false;
    bool found = false;
    for (std::size_t i = 0; i < text.size();) {
        if (in_string && text[i] == '\\') {
            result += text.substr(i, 2);
            i += 2;
            continue;
        }
        in_string = in_string != (text[i] == '"');
        std::string_view token = text.substr(i, 1);
        std::string_view as = token;
        for (const auto& [word, json_form] : {std::pair("NaN", "null"), std::pair("Infinity", "\"inf\""),
                                              std::pair("-Infinity", "\"-inf\"")}) {
            if (!in_string && text.substr(i).starts_with(word)) {
                token = word;
                as = json_form;
                found = true;
            }
        }
        result += as;
        i += token.size();
    }
    return found ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace rankscope
