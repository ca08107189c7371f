// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <remote/desk/export/csv_cell.h>

#include <string_view>

namespace rankscope {

namespace {

// What a spreadsheet takes for a formula. A number may have a sign.
bool is_formula(const std::string& text) {
    if (text.empty() || std::string_view("=@\t\r+-").find(text.front()) == std::string_view::npos) {
        return false;
    }
    const bool sign = text.front() == '+' || text.front() == '-';
    const auto rest = std::string_view(text).substr(1);
    return !sign || !(rest == "inf" || rest == "nan" ||
                      rest.find_first_not_of("0123456789.eE+- ±%") == std::string_view::npos);
}

// Names are the ranks': an escape sequence reaches a terminal by `cat`.
std::string visible_cell(std::string_view text) {
    std::string cell;
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        const bool blank = std::string_view("\t\r\n").find(text.front()) != std::string_view::npos;
        const std::size_t bytes = point.bytes == 0 ? 1 : point.bytes;
        if (blank || (point.bytes > 0 && !is_invisible(point.value))) {
            cell += text.substr(0, bytes);
        } else {
            cell += escape_of(point, text.front());
        }
        text.remove_prefix(bytes);
    }
    return cell;
}

}  // namespace

std::string csv_cell(const std::string& text) {
    const std::string shown = (is_formula(text) ? "'" : "") + visible_cell(text);
    if (shown.find_first_of(",\"\r\n\t") == std::string::npos) {
        return shown;
    }
    std::string result = "\"";
    for (const char c : shown) {
        result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + '"';
}

}  // namespace rankscope
