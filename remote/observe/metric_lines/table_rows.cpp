// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_lines/field_meaning.h>
#include <remote/observe/metric_lines/table_rows.h>

#include <algorithm>
#include <array>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kLongestName = 40;
constexpr std::size_t kMostColumns = 64;
constexpr std::uint64_t kMostOthers = 2000;  // lines between a heading and a row
constexpr std::size_t kLongestBlock = 4000;  // bytes of its pairs

struct Bar {
    std::string_view before;  ///< the line without it
    bool full = true;         ///< also where there is none
};

// "640: 100%|█████| 24/24 [00:08<00:00,  2.91it/s]", "640: 100% ━━━━ 24/24 2.9it/s", "512: 100% 902/902 [11:07<00:00]"
Bar without_bar(std::string_view line) {
    for (auto at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
        auto first = at;
        while (first > 0 && is_digit(line[first - 1])) {
            --first;
        }
        const auto picture =
            line.substr(std::min(line.size(), at + 1 + (line.substr(at + 1).starts_with(' ') ? 1U : 0U)));
        const bool drawn =
            !picture.empty() && (picture[0] == '|' || static_cast<unsigned char>(picture[0]) >= 0x80);
        const bool apart = first > 0 && (line[first - 1] == ' ' || line[first - 1] == ':');
        const bool count = !picture.empty() && is_digit(picture[0]) && picture.find('[') != picture.npos;
        if (first == at || !(drawn || count) || !apart || picture.find('/') == picture.npos) {
            continue;
        }
        auto before = trimmed(line.substr(0, first));
        before.remove_suffix(before.ends_with(':') ? 1U : 0U);
        return {.before = before, .full = line.substr(first, at - first) == "100"};
    }
    return {.before = line};
}

// "|", "│", "┃", "║"
std::size_t bar_width(std::string_view text) {
    for (const std::string_view bar : {"|", "\u2502", "\u2503", "\u2551"}) {
        if (text.starts_with(bar)) {
            return bar.size();
        }
    }
    return 0;
}

bool has_bars(std::string_view line) {
    for (const std::string_view bar : {"|", "\u2502", "\u2503", "\u2551"}) {
        if (line.find(bar) != line.npos) {
            return true;
        }
    }
    return false;
}

bool is_rule(std::string_view line) {
    return std::all_of(line.begin(), line.end(), [](char c) {
        return std::string_view("-=+|: \t*_").find(c) != std::string_view::npos ||
               static_cast<unsigned char>(c) >= 0x80;
    });
}

// At tabs, at bars, or where several blanks are; `apart` says that one of them was there.
std::vector<std::string_view> cells_of(std::string_view line, bool& apart) {
    std::vector<std::string_view> cells;
    const bool bars = has_bars(line);
    std::size_t from = 0;
    const auto end_cell = [&](std::size_t at) {
        if (const auto cell = trimmed(line.substr(from, at - from)); !cell.empty()) {
            cells.push_back(cell);
        }
    };
    for (std::size_t at = 0; at < line.size();) {
        const auto rest = line.substr(at);
        const std::size_t width = bars                     ? bar_width(rest)
                                  : rest[0] == '\t'        ? 1
                                  : rest.starts_with("  ") ? 2
                                                           : 0;
        if (width > 0) {
            end_cell(at);
            from = at + width;
        }
        at += std::max<std::size_t>(1, width);
    }
    end_cell(line.size());
    apart = cells.size() > 1;
    return cells;
}

std::vector<std::string_view> words_of(std::string_view line) {
    auto words = split(line, ' ');
    std::erase_if(words, [](std::string_view word) { return trimmed(word).empty(); });
    return words;
}

// "Box(P" is P, "mAP@.5" mAP_5, "Train Loss" Train_Loss: a word that the reader of pairs takes as one name.
std::string name_of(std::string_view cell) {
    if (const auto bracket = cell.find('('); bracket != cell.npos && cell.find(')') == cell.npos) {
        cell.remove_prefix(bracket + 1);
    }
    std::string name;
    for (const char c : cell) {
        if (is_letter(c) || is_digit(c)) {
            name += c;
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    while (name.ends_with('_')) {
        name.pop_back();
    }
    return name;
}

bool is_number(std::string_view cell) {
    const auto tokens = tokens_of(cell);
    return !tokens.empty() && (tokens[0].kind == Token::Kind::Number || tokens[0].kind == Token::Kind::Time ||
                               cell == "nan" || cell == "inf");
}

bool is_value(std::string_view cell) {
    const auto tokens = tokens_of(cell);
    return cell == "nan" || cell == "inf" || (!tokens.empty() && tokens[0].kind == Token::Kind::Number);
}

// Also "1.82e+04", which counts pictures.
bool is_whole(std::string_view cell) {
    return std::all_of(cell.begin(), cell.end(), is_digit) || cell.find("e+") != cell.npos;
}

bool is_summary(std::string_view cell) {
    constexpr std::array<std::string_view, 7> kSummaries{"all",   "mean",    "avg", "average",
                                                         "total", "overall", "val"};
    return std::find(kSummaries.begin(), kSummaries.end(), lower_case(cell)) != kSummaries.end();
}

bool is_empty_cell(std::string_view cell) {
    return cell == "-" || cell == "--" || cell == "N/A" || cell == "n/a";
}

}  // namespace

bool TableRows::take_heading(const std::vector<std::string_view>& cells, bool apart) {
    if (cells.size() < 3 || cells.size() > kMostColumns) {
        return false;
    }
    const auto is_sign = [](std::string_view cell) { return cell == "#"; };  // spaCy's "E  #  LOSS  SCORE"
    const bool names = std::all_of(cells.begin(), cells.end(), [&](std::string_view cell) {
        return (is_letter(cell[0]) || is_sign(cell)) && cell.size() <= kLongestName &&
               cell.find_first_of("=;,\"{[") == cell.npos && !cell.ends_with(':') && !cell.ends_with('.') &&
               words_of(cell).size() <= 3;
    });
    if (!names) {
        return false;
    }
    std::vector<Column> columns;
    for (const auto cell : cells) {
        const bool number_sign = is_sign(cell);
        const bool epoch = cell == "E" && cells.size() > 3 && cells[1] == "#";
        Column column{.name = number_sign ? "step" : epoch ? "epoch" : name_of(cell)};
        if (column.name.empty()) {
            return false;
        }
        const Field field{
            .name = lower_case(column.name), .printed = column.name, .assigned = true, .whole = true};
        const auto series = series_of(field, false);
        column.counts = counter_of(field) != Counter::None;
        column.telling = !column.counts && series && series->telling;
        columns.push_back(std::move(column));
    }
    const auto counts = [](const Column& column) { return column.counts; };
    const auto tells = [](const Column& column) { return column.telling; };
    const bool any_counts = std::any_of(columns.begin(), columns.end(), counts);
    const bool any_tells = std::any_of(columns.begin(), columns.end(), tells);
    // One blank between its words has any sentence.
    const bool fits = apart ? any_counts || (any_tells && !counter_.empty()) : columns[0].counts && any_tells;
    if (!fits) {
        return false;
    }
    // Parts of a loss have no word for it (YOLOv5: box, obj, cls, total).
    const bool has_loss = std::any_of(columns.begin(), columns.end(), [](const Column& column) {
        return lower_case(column.name).ends_with("loss");
    });
    for (Column& column : columns) {
        if (!has_loss && any_counts && lower_case(column.name) == "total") {
            column.name = "total_loss";
        }
    }
    columns_ = std::move(columns);
    counts_ = any_counts;
    return true;
}

std::optional<std::string> TableRows::pairs_of(const std::vector<std::string_view>& cells) {
    std::string counter;
    std::string pairs;
    bool is_counted = false;  // "0.5" alone is a number of something else
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto cell = cells[i];
        const Column& column = columns_[i];
        if (!is_number(cell)) {
            const bool label = i == 0 && !counts_ && is_summary(cell);
            if (label || is_empty_cell(cell)) {
                continue;
            }
            return std::nullopt;
        }
        if (column.counts) {
            if (!is_digit(cell[0])) {
                return std::nullopt;
            }
            is_counted = is_counted || cell.find_first_not_of("0123456789/") == cell.npos;
            counter += (counter.empty() ? "" : ", ") + column.name + ": " + std::string(cell);
        } else if (is_value(cell) && (column.telling || !is_whole(cell))) {
            columns_[i].telling = true;
            pairs += ", " + column.name + ": " + std::string(cell);
        }
    }
    if (pairs.empty() || (!counter.empty() && !is_counted) ||
        (counter.empty() && (counts_ || counter_.empty()))) {
        return std::nullopt;
    }
    if (counter.empty()) {
        return "val " + counter_ + pairs;
    }
    counter_ = std::move(counter);
    return counter_ + pairs;
}

// A line between two rules: "|    loss   | 6.49  |", or "| train/ |  |" before those of a section.
TableRows::Line TableRows::take_block(std::string_view text, const std::vector<std::string_view>& cells) {
    constexpr std::array<std::string_view, 5> kCounts{"total_timesteps", "num_timesteps", "timesteps",
                                                      "total_steps", "global_step"};
    if (bar_width(text) == 0 || cells.empty() || cells.size() > 2 || block_.size() > kLongestBlock) {
        in_block_ = false;
        return {};
    }
    if (cells.size() == 1 && cells[0].ends_with('/')) {
        section_ = cells[0];
        return {.is_of_table = true};
    }
    // "| epoch 1 | loss 0.5 |" is a line of its own, for other readers.
    const std::string name = name_of(cells[0]);
    if (cells.size() == 1 || name.empty() || words_of(cells[0]).size() > 1 || !is_value(cells[1])) {
        return {};
    }
    if (std::find(kCounts.begin(), kCounts.end(), lower_case(name)) != kCounts.end()) {
        block_count_ = "step: " + std::string(cells[1]);
    } else if (const Field field{.name = lower_case(name), .printed = name, .assigned = true, .whole = true};
               counter_of(field) != Counter::None) {
        block_count_ += block_count_.empty() ? "step: " + std::string(cells[1]) : std::string();
    } else if (const auto series = series_of(field, false);
               series && (series->telling || !is_whole(cells[1]) || fractions_.count(section_ + name) > 0)) {
        if (fractions_.size() < kMostColumns) {
            fractions_.insert(section_ + name);
        }
        block_ += ", " + section_ + name + ": " + std::string(cells[1]);
    }
    return {.is_of_table = true};
}

TableRows::Line TableRows::read(std::string_view line) {
    const Bar bar = without_bar(trimmed(line));
    const auto text = trimmed(bar.before);
    if (text.empty()) {
        return {};
    }
    if (is_rule(text)) {
        Line record;
        if (in_block_ && !block_.empty() && !block_count_.empty()) {
            record = {.is_of_table = true, .pairs = block_count_ + block_};
        }
        in_block_ = text.size() > 3 && (text[0] == '-' || text[0] == '+' || text[0] == '=');
        block_.clear();
        block_count_.clear();
        section_.clear();
        return record;
    }
    bool apart = false;
    auto cells = cells_of(text, apart);
    if (in_block_) {
        if (auto row = take_block(text, cells); row.is_of_table) {
            return row;
        }
    }
    if (cells.size() == columns_.size() + 1 && !columns_.empty() && is_whole(cells[0])) {
        cells.erase(cells.begin());  // the index of a pandas table
    }
    if (!columns_.empty() && cells.size() != columns_.size()) {
        cells = words_of(text);  // numbers as wide as their columns
    }
    if (!columns_.empty() && cells.size() == columns_.size()) {
        if (auto pairs = pairs_of(cells)) {
            others_ = 0;
            return {.is_of_table = true, .pairs = bar.full ? std::move(pairs) : std::nullopt};
        }
    }
    cells = cells_of(text, apart);
    if (take_heading(apart ? cells : words_of(text), apart)) {
        others_ = 0;
        return {.is_of_table = true};
    }
    if (!columns_.empty() && ++others_ > kMostOthers) {
        columns_.clear();
        counter_.clear();
    }
    return {};
}

}  // namespace rankscope::metric_lines
