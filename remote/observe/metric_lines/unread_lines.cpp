// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/line_fields.h>
#include <remote/observe/metric_lines/metric_names.h>
#include <remote/observe/metric_lines/scan.h>
#include <remote/observe/metric_lines/unread_lines.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kSimilar = 20;  // lines that settle it at once
constexpr std::size_t kFew = 3;       // these do after kWhileS, and at the end
constexpr double kWhileS = 60;
constexpr std::size_t kMostKinds = 64;
constexpr std::size_t kLongest = 400;  // longer lines are nobody's example
constexpr std::size_t kMostMarks = 6;
constexpr std::size_t kExamples = 3;
constexpr std::size_t kMostNumbers = 16;  // more are a table of something else

// A name as a pattern takes it: letters, digits and '_'.
std::string as_pattern_name(std::string_view name) {
    std::string result;
    for (const char c : metric_name(name)) {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        result += plain ? c : '_';
    }
    const bool usable = !result.empty() && std::isalpha(static_cast<unsigned char>(result.front())) != 0;
    return usable ? result : std::string();
}

}  // namespace

FailureId UnreadNotice::id() {
    return FailureId::from("lines-unread");
}

// The pattern, how many examples follow, these, the fields.
std::vector<std::string> UnreadNotice::args() const {
    std::vector<std::string> args{pattern, std::to_string(examples.size())};
    args.insert(args.end(), examples.begin(), examples.end());
    args.insert(args.end(), fields.begin(), fields.end());
    return args;
}

std::optional<UnreadNotice> UnreadNotice::of(const std::vector<std::string>& args) {
    std::size_t count = 0;
    if (args.size() < 2) {
        return std::nullopt;
    }
    const auto read = std::from_chars(args[1].data(), args[1].data() + args[1].size(), count);
    if (read.ec != std::errc() || count == 0 || count > args.size() - 2) {
        return std::nullopt;
    }
    const auto examples = args.begin() + 2;
    const auto fields = examples + static_cast<std::ptrdiff_t>(count);
    return UnreadNotice{args[0], {examples, fields}, {fields, args.end()}};
}

std::vector<std::string> UnreadNotice::series() const {
    std::vector<std::string> names;
    for (const auto& field : fields) {
        std::string name = field.substr(0, field.find('='));
        if (name != "step" && name != "epoch") {
            names.push_back(std::move(name));
        }
    }
    return names;
}

std::string UnreadNotice::learn_command() const {
    std::string command = "rankscopectl metrics learn --line " + shell_quote(examples.back());
    for (const auto& field : fields) {
        command += " --field " + shell_quote(field);
    }
    return command;
}

UnreadNotice LineOffer::notice() const {
    return {pattern, examples, fields()};
}

std::vector<std::string> LineOffer::fields() const {
    std::vector<std::string> fields;
    for (const Mark& mark : marks) {
        const std::string value = line.substr(mark.begin, mark.end - mark.begin);
        std::string field = mark.name + '=' + value;
        for (std::size_t which = 1; which <= line.size(); ++which) {
            std::string why;
            const std::string numbered = value + '@' + std::to_string(which);
            const auto there = find_mark(line, mark.name, numbered, why);
            if (!there) {
                break;
            }
            const bool alone = which == 1 && !find_mark(line, mark.name, value + "@2", why);
            if (there->begin == mark.begin) {
                field = mark.name + '=' + (alone ? value : numbered);
                break;
            }
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

void UnreadLines::add(std::string_view line, const std::vector<Token>& tokens) {
    if (offered_ || line.size() > kLongest) {
        return;
    }
    std::vector<Number> numbers;
    for (const Token& token : tokens) {
        if (token.kind == Token::Kind::Number) {
            numbers.push_back({.last = token.value, .whole = token.whole});
        }
    }
    const std::string key = numbers.empty() ? std::string() : template_of(tokens);
    if (key.empty() || (kinds_.size() >= kMostKinds && kinds_.count(key) == 0)) {
        return;
    }
    Kind& kind = kinds_[key];
    for (std::size_t i = 0; i < numbers.size() && kind.count > 0; ++i) {
        const Number& before = kind.numbers[i];
        numbers[i].changes = before.changes || numbers[i].last != before.last;
        numbers[i].rises = before.rises && numbers[i].last > before.last;
        numbers[i].whole = before.whole && numbers[i].whole;
    }
    kind.numbers = std::move(numbers);
    if (kind.lines.size() == kExamples) {
        kind.lines.erase(kind.lines.begin());
    }
    kind.lines.emplace_back(line);
    ++kind.count;
}

std::optional<LineOffer> UnreadLines::offer(double now_s, bool ended) {
    if (offered_ || kinds_.empty()) {
        return std::nullopt;
    }
    first_s_ = any_ ? first_s_ : now_s;
    any_ = true;
    const std::size_t enough = ended || now_s - first_s_ >= kWhileS ? kFew : kSimilar;
    for (const auto& [text, kind] : kinds_) {
        if (kind.count >= enough) {
            if (auto offer = offer_of(kind)) {
                offered_ = true;
                kinds_.clear();
                return offer;
            }
        }
    }
    return std::nullopt;
}

// A number that only rises is the step, the others are named by the word before them. A line whose numbers are all
// whole and have no telling name counts or numbers something: it is no measurement.
std::optional<LineOffer> UnreadLines::offer_of(const Kind& kind) {
    if (kind.numbers.size() > kMostNumbers) {
        return std::nullopt;
    }
    const std::string& line = kind.lines.back();
    const auto tokens = tokens_of(line);
    const auto fields = fields_of(tokens).fields;
    LineOffer offer;
    offer.line = line;
    offer.examples = kind.lines;
    bool has_step = false;
    bool measures = false;
    std::size_t nameless = 0;
    std::size_t number = 0;
    for (std::size_t i = 0; i < tokens.size() && offer.marks.size() < kMostMarks; ++i) {
        if (tokens[i].kind != Token::Kind::Number) {
            continue;
        }
        const Number& seen = kind.numbers[number++];
        const bool part_of_a_word =
            i > 0 && !tokens[i].gap && (tokens[i - 1].is('-') || tokens[i - 1].kind == Token::Kind::Word);
        if (!seen.changes || part_of_a_word) {
            continue;
        }
        const auto field =
            std::find_if(fields.begin(), fields.end(), [i](const Field& one) { return one.token == i; });
        const auto series = field == fields.end() ? std::nullopt : series_of(*field, false);
        const bool is_step = seen.rises && seen.whole && !has_step;
        std::string name = is_step ? "step" : series ? as_pattern_name(series->name) : std::string();
        if (name.empty() && seen.whole) {
            continue;
        }
        if (name.empty() || (!is_step && (name == "step" || name == "epoch"))) {
            name = "value" + (++nameless > 1 ? std::to_string(nameless) : std::string());
        }
        has_step = has_step || is_step;
        measures = measures || (!is_step && (!seen.whole || (series && series->telling)));
        const auto same = [&name](const Mark& mark) { return mark.name == name; };
        if (std::none_of(offer.marks.begin(), offer.marks.end(), same)) {
            const auto begin = static_cast<std::size_t>(tokens[i].text.data() - line.data());
            offer.marks.push_back({name, begin, begin + tokens[i].text.size()});
        }
    }
    std::string why;
    auto pattern = measures ? learn_pattern(line, offer.marks, why) : std::nullopt;
    if (!pattern) {
        return std::nullopt;
    }
    offer.pattern = std::move(*pattern);
    return offer;
}

}  // namespace rankscope::metric_lines
