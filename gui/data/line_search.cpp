// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_search.h>

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kSearchedAtOnce = std::size_t(4) << 20;  ///< bytes between two looks at the stop token
constexpr std::int64_t kPatternMemory = std::int64_t(32) << 20;  ///< of its automaton

RE2::Options options(const SearchText& wanted) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_never_nl(true);  // a match is within a line
    options.set_case_sensitive(wanted.case_matters);
    options.set_max_mem(kPatternMemory);
    return options;
}

bool is_word(char c) {
    return (c & 0x80) != 0 || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool is_whole_word(std::string_view text, std::size_t begin, std::size_t size) {
    const std::size_t end = begin + size;
    const bool begins = begin == 0 || !is_word(text[begin]) || !is_word(text[begin - 1]);
    const bool ends = end == text.size() || !is_word(text[end - 1]) || !is_word(text[end]);
    return begins && ends;
}

std::size_t line_begin(std::string_view text, std::size_t at) {
    const std::size_t end_before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return end_before == std::string_view::npos ? 0 : end_before + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
    return std::min(text.find('\n', at), text.size());
}

/// Past a bracket expression that begins at `i`.
std::size_t skip_class(std::string_view pattern, std::size_t i) {
    ++i;
    i += i < pattern.size() && pattern[i] == '^' ? 1U : 0U;
    i += i < pattern.size() && pattern[i] == ']' ? 1U : 0U;
    while (i < pattern.size() && pattern[i] != ']') {
        i += pattern[i] == '\\' || (pattern[i] == '[' && i + 1 < pattern.size() && pattern[i + 1] == ':')
                 ? 2U
                 : 1U;
    }
    return i + 1;
}

/// Past a group that begins at `i`.
std::size_t skip_group(std::string_view pattern, std::size_t i) {
    int depth = 0;
    while (i < pattern.size()) {
        if (pattern[i] == '\\') {
            i += 2;
            continue;
        }
        if (pattern[i] == '[') {
            i = skip_class(pattern, i);
            continue;
        }
        depth += pattern[i] == '(' ? 1 : pattern[i] == ')' ? -1 : 0;
        ++i;
        if (depth == 0) {
            break;
        }
    }
    return i;
}

void drop_last_character(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
        text.pop_back();
    }
    if (!text.empty()) {
        text.pop_back();
    }
}

}  // namespace

std::string required_text(std::string_view pattern) {
    if (pattern.find("(?") != std::string_view::npos || pattern.find("\\Q") != std::string_view::npos ||
        pattern.find("[[:") != std::string_view::npos) {
        return {};
    }
    std::string best;
    std::string run;
    const auto end_run = [&] {
        best = run.size() > best.size() ? run : best;
        run.clear();
    };
    for (std::size_t i = 0; i < pattern.size();) {
        const char c = pattern[i];
        if (c == '|') {
            return {};  // the other side may match alone
        }
        if (c == '\\' && i + 1 < pattern.size() &&
            std::ispunct(static_cast<unsigned char>(pattern[i + 1])) != 0) {
            run += pattern[i + 1];
            i += 2;
        } else if (c == '\\') {
            end_run();
            return best;  // what follows some escapes belongs to them
        } else if (c == '?' || c == '*' || c == '{') {
            drop_last_character(run);
            end_run();
            i = c == '{' ? std::min(pattern.find('}', i), pattern.size() - 1) + 1 : i + 1;
        } else if (c == '(' || c == '[') {
            end_run();
            i = c == '(' ? skip_group(pattern, i) : skip_class(pattern, i);
        } else if (c == '.' || c == '^' || c == '$' || c == '+' || c == ')') {
            end_run();
            ++i;
        } else {
            run += c;
            ++i;
        }
    }
    end_run();
    return best;
}

LinePattern::LinePattern(const SearchText& wanted) : wanted_(wanted) {
    const bool plain = wanted.case_matters || TextFinder::can_ignore_case(wanted.text);
    if (wanted.text.size() > kMostPatternBytes) {
        fault_ = Fault{"longer than " + std::to_string(kMostPatternBytes) + " bytes", -1};
    } else if (!wanted.is_pattern && plain) {
        literal_ = TextFinder(wanted.text, wanted.case_matters);
    } else {
        prepare_pattern();
    }
}

LinePattern::~LinePattern() = default;

void LinePattern::prepare_pattern() {
    const std::string text = wanted_.is_pattern ? wanted_.text : RE2::QuoteMeta(wanted_.text);
    const RE2 alone(text, options(wanted_));
    if (!alone.ok()) {
        const std::size_t place =
            alone.error_arg().empty() ? std::string::npos : text.find(alone.error_arg());
        fault_ = Fault{alone.error(), place == std::string::npos ? -1 : int(place)};
        return;
    }
    pattern_ = std::make_unique<RE2>(
        wanted_.whole_words ? "(?m)\\b(?:" + text + ")\\b" : "(?m)(?:" + text + ")", options(wanted_));
    if (!pattern_->ok()) {
        fault_ = Fault{pattern_->error(), -1};
        return;
    }
    const std::string required = wanted_.is_pattern ? required_text(wanted_.text) : std::string();
    if (required.size() > 1 && (wanted_.case_matters || TextFinder::can_ignore_case(required))) {
        literal_ = TextFinder(required, wanted_.case_matters);
    }
}

std::optional<LinePattern::Match> LinePattern::find_literal(std::string_view text, std::size_t from) const {
    for (std::size_t at = literal_.find(text, from); at != std::string_view::npos;
         at = literal_.find(text, at + 1)) {
        if (!wanted_.whole_words || is_whole_word(text, at, literal_.size())) {
            return Match{at, literal_.size()};
        }
    }
    return std::nullopt;
}

std::optional<LinePattern::Match> LinePattern::find_pattern(std::string_view text, std::size_t from) const {
    re2::StringPiece match;
    const re2::StringPiece whole(text.data(), text.size());
    if (from > text.size() || !pattern_->Match(whole, from, text.size(), RE2::UNANCHORED, &match, 1)) {
        return std::nullopt;
    }
    return Match{std::size_t(match.data() - text.data()), match.size()};
}

std::optional<LinePattern::Match> LinePattern::find(std::string_view text, std::size_t from) const {
    if (fault_ || wanted_.text.empty()) {
        return std::nullopt;
    }
    if (!pattern_) {
        return find_literal(text, from);
    }
    for (auto match = find_pattern(text, from); match; match = find_pattern(text, match->begin + 1)) {
        if (match->size > 0) {
            return match;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> LinePattern::find_line(std::string_view text, std::size_t from) const {
    if (fault_ || wanted_.text.empty()) {
        return std::nullopt;
    }
    if (!pattern_) {
        const auto match = find_literal(text, from);
        return match ? std::optional(match->begin) : std::nullopt;
    }
    if (literal_.empty()) {
        const auto match = find_pattern(text, from);
        return match && match->begin < text.size() ? std::optional(match->begin) : std::nullopt;
    }
    for (std::size_t at = literal_.find(text, from); at != std::string_view::npos;
         at = literal_.find(text, line_end(text, at))) {
        const std::size_t begin = std::max(line_begin(text, at), from);
        if (find_pattern(text.substr(begin, line_end(text, at) - begin), 0)) {
            return at;
        }
    }
    return std::nullopt;
}

std::uint32_t search_lines(const LineSource& store, const LinePattern& pattern, std::uint32_t first,
                           std::uint32_t end, const std::stop_token& stop,
                           const std::function<void(std::uint32_t)>& found,
                           const std::function<void(std::uint32_t)>& progress) {
    while (first < end) {
        const LineSource::Piece piece = store.piece(first, end);
        std::uint32_t line = piece.first;
        std::size_t done = 0;
        while (done < piece.text.size()) {
            if (stop.stop_requested()) {
                return line;
            }
            const std::size_t part_end =
                std::min(line_end(piece.text, std::min(done + kSearchedAtOnce, piece.text.size())) + 1,
                         piece.text.size());
            const std::string_view part = piece.text.substr(0, part_end);
            std::optional<std::size_t> at;
            while (done < part.size() && (at = pattern.find_line(part, done))) {
                line = store.line_at(piece, *at, line);
                found(line);
                done = line_end(part, *at) + 1;
                line += line + 1 < piece.end ? 1 : 0;
            }
            done = part_end;
            if (done < piece.text.size()) {
                line = store.line_at(piece, done, line);
                if (progress) {
                    progress(line);
                }
            }
        }
        first = piece.end;
        if (progress) {
            progress(first);
        }
    }
    return first;
}

}  // namespace rankscope::gui
