// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/placeholders.h>

namespace rankscope::inline jobs {

std::string fill_placeholders(std::string_view text, const PlaceholderValues& values) {
    std::string filled;
    while (!text.empty()) {
        const auto open = text.find('{');
        const auto close = open == std::string_view::npos ? open : text.find('}', open);
        if (close == std::string_view::npos) {
            break;
        }
        const auto value = values.find(text.substr(open + 1, close - open - 1));
        const bool template_of_others = open > 0 && text[open - 1] == '$';
        if (value == values.end() || template_of_others) {
            filled += text.substr(0, open + 1);
            text.remove_prefix(open + 1);
            continue;
        }
        filled += text.substr(0, open);
        filled += value->second;
        text.remove_prefix(close + 1);
    }
    return filled += text;
}

}  // namespace rankscope::inline jobs
