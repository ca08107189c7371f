// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/distribuuuu/config/python_value.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace rankscope::distribuuuu {
namespace {

// Of a float that does not fit: too large, or too small. The place of its first digit that is not 0 says so.
bool is_huge(std::string_view text) {
    const auto e = text.find_first_of("eE");
    const auto digits = text.substr(0, e);
    const auto point = std::min(digits.find('.'), digits.size());
    const auto first = digits.find_first_not_of("0.");
    if (e != std::string_view::npos) {
        return text.substr(e + 1, 1) != "-";
    }
    return first < point;
}

constexpr int kDeepest = 32;  // nested lists

bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/// Takes '_' between digits out; nothing where it stands elsewhere.
std::optional<std::string> without_underscores(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '_') {
            plain += text[i];
        } else if (i == 0 || i + 1 == text.size() ||
                   std::isxdigit(static_cast<unsigned char>(text[i - 1])) == 0 ||
                   std::isxdigit(static_cast<unsigned char>(text[i + 1])) == 0) {
            return std::nullopt;
        }
    }
    return plain;
}

std::optional<PythonValue> whole(std::string_view digits, int base, bool negative) {
    // As text, so that the sign belongs to it: −2^63 fits, 2^63 does not.
    const std::string text = (negative ? "-" : "") + std::string(digits);
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (digits.empty() || fault != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return PythonValue{number};
}

std::optional<PythonValue> number_of(std::string_view raw, bool negative) {
    const auto plain = without_underscores(raw);
    if (!plain || plain->empty()) {
        return std::nullopt;
    }
    const std::string& text = *plain;
    if (text.size() > 2 && text[0] == '0') {
        constexpr std::array<std::pair<char, int>, 3> kBases{{{'x', 16}, {'o', 8}, {'b', 2}}};
        for (const auto& [letter, base] : kBases) {
            if (text[1] == letter || text[1] == letter - 32) {
                return is_word(text[2]) ? whole(std::string_view(text).substr(2), base, negative)
                                        : std::nullopt;
            }
        }
    }
    if (std::all_of(text.begin(), text.end(), is_digit)) {
        const bool zero = std::all_of(text.begin(), text.end(), [](char c) { return c == '0'; });
        return text[0] == '0' && !zero ? std::nullopt : whole(text, 10, negative);
    }
    // A float: digits with a point, an exponent, or both. from_chars would take "inf" too.
    const bool begins = is_digit(text[0]) || (text[0] == '.' && text.size() > 1 && is_digit(text[1]));
    double number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (!begins || end != text.data() + text.size() ||
        (fault != std::errc() && fault != std::errc::result_out_of_range)) {
        return std::nullopt;
    }
    if (fault == std::errc::result_out_of_range) {
        number = is_huge(text) ? std::numeric_limits<double>::infinity() : 0;  // as Python has it
    }
    return PythonValue{negative ? -number : number};
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::optional<PythonValue> whole_text() {
        auto all = items('\0', 0);
        return all && !all->values.empty() ? single_or_tuple(std::move(*all)) : std::nullopt;
    }

private:
    struct Items {
        PythonList values;
        bool comma = false;
    };

    static std::optional<PythonValue> single_or_tuple(Items items) {
        if (items.comma || items.values.empty()) {
            return PythonValue{std::move(items.values)};
        }
        return std::move(items.values[0]);
    }

    void spaces() {
        while (at_ < text_.size() && std::string_view(" \t\n").find(text_[at_]) != std::string_view::npos) {
            ++at_;
        }
    }
    bool take(char c) {
        spaces();
        const bool here = at_ < text_.size() && text_[at_] == c;
        at_ += here ? 1 : 0;
        return here;
    }
    bool take_end(char close) {
        spaces();
        return close == '\0' ? at_ == text_.size() : take(close);
    }

    /// Values between commas up to `close` ('\0': the end of the text), which is taken.
    std::optional<Items> items(char close, int depth) {
        Items result;
        while (!take_end(close)) {
            auto next = value(depth);
            if (!next) {
                return std::nullopt;
            }
            result.values.push_back(std::move(*next));
            if (take(',')) {
                result.comma = true;
            } else if (take_end(close)) {
                break;
            } else {
                return std::nullopt;
            }
        }
        return result;
    }

    std::optional<PythonValue> value(int depth) {
        if (depth > kDeepest) {
            return std::nullopt;
        }
        if (take('[')) {
            auto inner = items(']', depth + 1);
            return inner ? std::optional(PythonValue{std::move(inner->values)}) : std::nullopt;
        }
        if (take('(')) {
            auto inner = items(')', depth + 1);
            return inner ? single_or_tuple(std::move(*inner)) : std::nullopt;
        }
        for (const char quote : {'\'', '"'}) {
            if (take(quote)) {
                return quoted(quote);
            }
        }
        return word();
    }

    std::optional<PythonValue> word() {
        const bool negative = take('-');
        const bool sign = negative || take('+');
        spaces();
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_word(text_[at_]) || is_exponent_sign(begin))) {
            ++at_;
        }
        const std::string_view word = text_.substr(begin, at_ - begin);
        if (!sign && word == "None") {
            return PythonValue{PythonNone{}};
        }
        if (!sign && (word == "True" || word == "False")) {
            return PythonValue{word == "True"};
        }
        return number_of(word, negative);
    }
    /// The '-' of "5e-05".
    bool is_exponent_sign(std::size_t begin) const {
        const bool sign = text_[at_] == '-' || text_[at_] == '+';
        return sign && at_ > begin && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') &&
               (is_digit(text_[begin]) || text_[begin] == '.') && text_.substr(begin, 2) != "0x";
    }

    /// After the opening quote. Escapes of one character only; others are no literal here.
    std::optional<PythonValue> quoted(char quote) {
        std::string result;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\n') {
                return std::nullopt;
            }
            if (text_[at_] != '\\') {
                result += text_[at_];
                continue;
            }
            constexpr std::string_view kEscapes = "nt\\'\"";
            constexpr std::string_view kMeanings = "\n\t\\'\"";
            ++at_;
            const std::size_t which = at_ < text_.size() ? kEscapes.find(text_[at_]) : std::string_view::npos;
            if (which == std::string_view::npos) {
                return std::nullopt;
            }
            result += kMeanings[which];
        }
        return take(quote) ? std::optional(PythonValue{std::move(result)}) : std::nullopt;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::string repr_of_text(const std::string& text) {
    const bool has_single = text.find('\'') != std::string::npos;
    const char quote = has_single && text.find('"') == std::string::npos ? '"' : '\'';
    std::string result(1, quote);
    for (const char c : text) {
        if (c == quote || c == '\\') {
            result += '\\';
        }
        result += c == '\n' ? "\\n" : c == '\t' ? "\\t" : std::string(1, c);
    }
    return result + quote;
}

}  // namespace

std::string type_name(const PythonValue& value) {
    constexpr std::array<const char*, 6> kNames{"NoneType", "bool", "int", "float", "str", "list"};
    return kNames[value.value.index()];
}

std::string repr(double number) {
    if (std::isnan(number)) {
        return "nan";
    }
    if (std::isinf(number)) {
        return number > 0 ? "inf" : "-inf";
    }
    std::array<char, 64> buffer{};
    const double size = std::abs(number);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string text(buffer.data(), end.ptr);
    return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string repr(const PythonValue& value) {
    if (const bool* flag = value.as<bool>()) {
        return *flag ? "True" : "False";
    }
    if (const auto* whole = value.as<std::int64_t>()) {
        return std::to_string(*whole);
    }
    if (const auto* number = value.as<double>()) {
        return repr(*number);
    }
    if (const auto* text = value.as<std::string>()) {
        return repr_of_text(*text);
    }
    if (const auto* list = value.as<PythonList>()) {
        std::string result;
        for (const PythonValue& item : *list) {
            result += (result.empty() ? "" : ", ") + repr(item);
        }
        return "[" + result + "]";
    }
    return "None";
}

std::optional<PythonValue> parse_python_literal(std::string_view text) {
    return Parser(text).whole_text();
}

}  // namespace rankscope::distribuuuu
