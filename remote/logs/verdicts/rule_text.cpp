// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/command_parts.h>
#include <base/shell_quote.h>
#include <base/text.h>
#include <remote/logs/verdicts/rule_text.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace rankscope::logs {
namespace {

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

char upper(char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
    });
}

// Calls with the text before each {name}, then with the name; last with the text after them.
void for_each_part(std::string_view text, const std::function<void(std::string_view)>& plain,
                   const std::function<void(std::string_view)>& name) {
    std::size_t begin = 0;
    for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
        const auto end = text.find('}', at);
        if (end == std::string_view::npos) {
            break;
        }
        if (const auto inside = text.substr(at + 1, end - at - 1); is_name(inside)) {
            plain(text.substr(begin, at - begin));
            name(inside);
            begin = end + 1;
        }
    }
    plain(text.substr(begin));
}

// How a language builds a title. That of the text decides: a translated rule is in another one than a user's own.
struct Grammar {
    std::array<std::string_view, 4> separators;  // of the parts of a sentence
    std::string_view comma;
    std::string_view comma_left_out;  // between the parts beside one that is left out
    std::string_view bracket;
    std::string_view closing;
    std::string_view full_stop;
    std::string_view host;  // what stands for a value that the log does not say
    std::string_view peer;
    std::string_view rank;
    bool spaces;  // between words
};

constexpr Grammar kEnglish{.separators = {": ", "; ", ", ", " ("},
                           .comma = ", ",
                           .comma_left_out = " ",
                           .bracket = " (",
                           .closing = ")",
                           .full_stop = ".",
                           .host = "the node",
                           .peer = "another node",
                           .rank = "a rank",
                           .spaces = true};
constexpr Grammar kChinese{.separators = {"：", "；", "，", "（"},
                           .comma = "，",
                           .comma_left_out = "，",
                           .bracket = "（",
                           .closing = "）",
                           .full_stop = "。",
                           .host = "该节点",
                           .peer = "另一个节点",
                           .rank = "某个 rank",
                           .spaces = false};

bool is_han(char lead) {  // of three bytes in UTF-8: U+4000 to U+9FFF
    const auto byte = static_cast<unsigned char>(lead);
    return byte >= 0xE4 && byte <= 0xE9;
}

const Grammar& grammar_of(std::string_view text) {
    return std::any_of(text.begin(), text.end(), is_han) ? kChinese : kEnglish;
}

// Ends with the word, whatever the case of its first letter.
bool ends_with_word(std::string_view text, std::string_view word) {
    if (text.size() < word.size() || !text.ends_with(word.substr(1))) {
        return false;
    }
    const auto begin = text.size() - word.size();
    return lower(text[begin]) == word[0] && (begin == 0 || text[begin - 1] == ' ');
}

// "The card ", "its address ": a noun of which the value is only the name.
bool ends_with_noun(std::string_view text) {
    if (!text.ends_with(' ')) {
        return false;
    }
    text.remove_suffix(1);
    const auto space = text.rfind(' ');
    return ends_with_word(text, "address") || ends_with_word(text, "name") ||
           (space != std::string_view::npos &&
            (ends_with_word(text.substr(0, space), "the") || ends_with_word(text.substr(0, space), "a")));
}

// Empty: nothing stands for it.
std::string_view general_word(const Grammar& grammar, std::string_view name) {
    if (name == "host") {
        return grammar.host;
    }
    if (name == "peer" || name == "node") {
        return grammar.peer;
    }
    return name == "rank" ? grammar.rank : "";
}

bool is_other_than_ascii(char c) {
    return static_cast<unsigned char>(c) >= 0x80;
}

void add_chinese_word(std::string_view name, std::string& sentence) {
    constexpr std::string_view kRank = "rank ";
    std::string_view word = general_word(kChinese, name);
    if (sentence.ends_with("地址 ") || sentence.ends_with("名称 ")) {
        word = "";  // a noun of which the value is only the name
    }
    if (name == "rank" && ends_with_word(sentence, kRank)) {
        sentence.resize(sentence.size() - kRank.size());
    }
    const bool gap =
        sentence.size() > 1 && sentence.back() == ' ' && is_other_than_ascii(sentence.rbegin()[1]);
    if (gap || (word.empty() && (sentence.ends_with(' ') || sentence.ends_with(':')))) {
        sentence.pop_back();
    }
    sentence += word;
}

void add_general_word(const Grammar& grammar, std::string_view name, std::string& sentence) {
    if (!grammar.spaces) {
        return add_chinese_word(name, sentence);
    }
    const std::string word(name);
    if (sentence.ends_with(' ') &&
        ends_with_word(std::string_view(sentence).substr(0, sentence.size() - 1), word)) {
        const auto begin = sentence.size() - 1 - word.size();  // "Rank " → "A rank"
        sentence.insert(begin, std::islower(static_cast<unsigned char>(sentence[begin])) != 0 ? "a " : "A ");
        sentence[begin + 2] = lower(sentence[begin + 2]);
        sentence.pop_back();
        return;
    }
    const std::string_view general = ends_with_noun(sentence) ? "" : general_word(grammar, name);
    if (!general.empty()) {
        sentence += general;
        char& first = sentence[sentence.size() - general.size()];
        first = sentence.size() == general.size() ? upper(first) : first;
    } else if (!sentence.empty() && (sentence.back() == ' ' || sentence.back() == ':')) {
        sentence.pop_back();
    }
}

// No space stays between two Chinese words where a value stood.
void add_plain(std::string_view plain, std::string& sentence) {
    const bool gap = plain.size() > 1 && plain[0] == ' ' && is_other_than_ascii(plain[1]);
    sentence += plain.substr(gap && !sentence.empty() && is_other_than_ascii(sentence.back()) ? 1 : 0);
}

// A part of a sentence, and what stands before it.
struct Part {
    std::string_view before;
    std::string_view text;
};

std::vector<Part> parts_of(const Grammar& grammar, std::string_view sentence) {
    std::vector<Part> parts;
    std::string_view before;
    while (true) {
        auto end = std::string_view::npos;
        std::string_view next;
        for (const auto separator : grammar.separators) {
            if (const auto at = sentence.find(separator); at < end) {
                end = at;
                next = separator;
            }
        }
        parts.push_back({before, sentence.substr(0, end)});
        if (end == std::string_view::npos) {
            return parts;
        }
        before = next;
        sentence.remove_prefix(end + next.size());
    }
}

// The quote of a shell that is open behind the text; '\0': none.
char quote_after(std::string_view text, char open) {
    for (const char c : text) {
        if (open == '\0' ? c == '\'' || c == '"' : c == open) {
            open = open == '\0' ? c : '\0';
        }
    }
    return open;
}

// What a log says, as one word of the command that a step of a fix may be; empty where it cannot be one. Nothing that
// would need quotes gets between those of the step.
std::string word_of(const std::string& value, bool quoted) {
    const bool speakable = !value.empty() && value.front() != '-' && is_visible_text(value);
    const std::string word = speakable ? shell_quote(value) : std::string();
    return quoted && word != value ? std::string() : word;
}

}  // namespace

std::optional<std::string> complete_text(const std::string& text, const ValueOf& value_of) {
    std::string result;
    bool complete = true;
    for_each_part(
        text, [&](std::string_view plain) { result += plain; },
        [&](std::string_view name) {
            const auto value = value_of(name);
            complete = complete && !value.empty();
            result += value;
        });
    return complete ? std::optional(result) : std::nullopt;
}

std::string title_text(const std::string& text, const ValueOf& value_of) {
    std::string_view sentence = text;
    const Grammar& grammar = grammar_of(sentence);
    const bool full_stop = sentence.ends_with(grammar.full_stop);
    if (full_stop) {
        sentence.remove_suffix(grammar.full_stop.size());
    }
    std::string result;
    bool left_out = false;
    bool shortened = false;
    for (const auto& part : parts_of(grammar, sentence)) {
        const bool between_commas = left_out && part.before == grammar.comma && !result.empty();
        left_out = false;
        if (part.before.empty()) {
            for_each_part(
                part.text, [&](std::string_view plain) { add_plain(plain, result); },
                [&](std::string_view name) {
                    if (const auto value = value_of(name); !value.empty()) {
                        result += value;
                    } else {
                        add_general_word(grammar, name, result);
                    }
                });
            continue;
        }
        // What follows a closing bracket belongs to the sentence.
        const auto close =
            part.before == grammar.bracket ? part.text.find(grammar.closing) : std::string_view::npos;
        const auto inside = part.text.substr(0, close);
        const auto value = complete_text(std::string(inside), value_of);
        if (value) {
            result.append(between_commas ? grammar.comma_left_out : part.before).append(*value);
        }
        if (close != std::string_view::npos) {
            result +=
                complete_text(std::string(part.text.substr(close + (value ? 0 : grammar.closing.size()))),
                              value_of)
                    .value_or("");
        }
        left_out = !value && part.before == grammar.comma;
        shortened = shortened || !value;
    }
    return full_stop || shortened ? result.append(grammar.full_stop) : result;
}

namespace {

constexpr std::size_t kMostRanks = 8;

// Whether the word stands in the sentence and is no part of another one.
bool names_word(std::string_view sentence, std::string_view word) {
    const auto is_part = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; };
    for (auto at = sentence.find(word); at != std::string_view::npos; at = sentence.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_part(sentence[at - 1])) && (end == sentence.size() || !is_part(sentence[end]))) {
            return true;
        }
    }
    return false;
}

std::string ranks_text(const TitlePlace& place, std::string_view title) {
    if (place.rank >= 0) {
        const auto number = std::to_string(place.rank);
        const bool named = names_word(title, "rank " + number) || names_word(title, "Rank " + number);
        return named ? std::string() : "rank " + number;
    }
    std::string all;
    bool named = true;
    for (const int rank : place.ranks) {
        named = named && names_word(title, std::to_string(rank));
        all += (all.empty() ? "" : ", ") + std::to_string(rank);
    }
    return named || place.ranks.size() < 2 || place.ranks.size() > kMostRanks ? std::string()
                                                                              : "ranks " + all;
}

}  // namespace

std::string with_place(std::string title, const TitlePlace& place) {
    const bool chinese = &grammar_of(title) == &kChinese;
    std::string all = ranks_text(place, title);
    const auto add = [&](const std::string& what) {
        if (!what.empty() && !names_word(title, what)) {
            all += (all.empty() ? "" : chinese ? "，" : ", ") + what;
        }
    };
    if (place.rank < 0 && place.ranks.empty() && place.local_rank >= 0) {
        add((chinese ? "本地 rank " : "local rank ") + std::to_string(place.local_rank));
    }
    add(place.node);
    add(place.device);
    if (all.empty()) {
        return title;
    }
    if (!title.ends_with('.') && !title.ends_with("。") && !title.ends_with('!') && !title.ends_with('?')) {
        title += chinese ? "。" : ".";
    }
    return title.append(chinese ? "位置：" : " Place: ").append(all).append(chinese ? "。" : ".");
}

std::string fix_text(const std::string& text, const ValueOf& value_of) {
    std::string result;
    char quote = '\0';
    for_each_part(
        text,
        [&](std::string_view plain) {
            result += plain;
            quote = quote_after(plain, quote);
        },
        [&](std::string_view name) {
            auto value = word_of(value_of(name), quote != '\0');
            if (value.empty()) {
                value = name == "host" || name == "peer" ? "node" : std::string(name);
                std::transform(value.begin(), value.end(), value.begin(), upper);
            }
            result += value;
        });
    return result;
}

}  // namespace rankscope::logs
