// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <remote/desk/archive/export/csv_cell.h>

#include <string_view>

namespace rankscope::inline archive {

namespace {

// "0.5", "1e-05", "0.3 ± 0.1", "inf": what may follow a sign. "2+3" would be computed.
bool is_number(std::string_view text) {
    for (auto at = text.find_first_of("+-"); at != std::string_view::npos;
         at = text.find_first_of("+-", at + 1)) {
        if (at == 0 || (text[at - 1] != 'e' && text[at - 1] != 'E')) {
            return false;
        }
    }
    return text == "inf" || text == "nan" ||
           text.find_first_not_of("0123456789.eE+- ±%") == std::string_view::npos;
}

// What a spreadsheet takes for a formula, also by a sign of full width. A number may have a sign.
bool is_formula(std::string_view text) {
    for (const std::string_view sign : {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
        if (text.starts_with(sign)) {
            return true;
        }
    }
    if (text.empty() || std::string_view("=@\t\r\n+-").find(text.front()) == std::string_view::npos) {
        return false;
    }
    const bool sign = text.front() == '+' || text.front() == '-';
    return !sign || !is_number(text.substr(1));
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

}  // namespace rankscope::inline archive
