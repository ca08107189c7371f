// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/python_json.h>
#include <base/text.h>
#include <remote/observe/metric_files/file_readers.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rankscope::metric_files {
namespace {

constexpr std::size_t kMostColumns = 1000;
constexpr int kDeepest = 4;
constexpr JsonLimits kLimits{.bytes = 2 * TextLines::kLongest, .depth = 16, .values = 20'000};

// A cell as a number: Python's "nan" and "inf" as well.
std::optional<double> number_in_cell(std::string_view cell) {
    const std::string word = lower_case(cell);
    if (word == "nan") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (word == "inf" || word == "-inf") {
        return word[0] == '-' ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::infinity();
    }
    if (cell.starts_with('+')) {
        cell.remove_prefix(1);
    }
    return parse_number<double>(cell);
}

// RFC 4180: a cell in quotes may hold separators, and quotes twice.
std::vector<std::string> cells_of(std::string_view line, char separator) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '"') {
            if (quoted && at + 1 < line.size() && line[at + 1] == '"') {
                cells.back() += line[at++];
            } else {
                quoted = !quoted;
            }
        } else if (line[at] == separator && !quoted && cells.size() < kMostColumns) {
            cells.emplace_back();
        } else {
            cells.back() += line[at];
        }
    }
    for (auto& cell : cells) {
        cell = std::string(trimmed(cell));
    }
    return cells;
}

void flatten(const nlohmann::json& object, const std::string& group, int depth, Record& record) {
    for (const auto& [key, value] : object.items()) {
        const std::string name = group.empty() ? key : group + '/' + key;
        if (record.size() >= kMostColumns) {
            return;
        }
        if (value.is_number()) {
            record.emplace_back(name, value.get<double>());
        } else if (value.is_null()) {
            record.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
        } else if (value.is_string()) {
            const auto& text = value.get_ref<const std::string&>();
            if (text == "inf" || text == "-inf") {
                record.emplace_back(name, *number_in_cell(text));
            }
        } else if (value.is_object() && depth < kDeepest) {
            flatten(value, name, depth + 1, record);
        }
    }
}

}  // namespace

bool TextLines::next(std::string_view& bytes, std::string& line) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto part = bytes.substr(0, end);
        too_long_ = too_long_ || pending_.size() + part.size() > kLongest;
        if (too_long_) {
            offset_ += pending_.size() + part.size();
            pending_.clear();
        } else {
            pending_ += part;
        }
        if (end == std::string_view::npos) {
            bytes = {};
            return false;
        }
        bytes.remove_prefix(end + 1);
        offset_ += pending_.size() + 1;
        const bool whole = !too_long_;
        too_long_ = false;
        line.swap(pending_);
        pending_.clear();
        if (whole) {
            if (line.ends_with('\r')) {
                line.pop_back();
            }
            return true;
        }
    }
    return false;
}

bool CsvTable::read_heading(std::string_view line) {
    if (line.starts_with("\xef\xbb\xbf")) {
        line.remove_prefix(3);
    }
    for (const char separator : {',', '\t', ';'}) {
        auto cells = cells_of(line, separator);
        const bool numbers =
            std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return number_in_cell(cell); });
        if (cells.size() > 1 && !numbers && std::any_of(cells.begin(), cells.end(), is_counter)) {
            separator_ = separator;
            names_ = std::move(cells);
            return true;
        }
    }
    return false;
}

ReadState CsvTable::feed(std::string_view bytes, std::vector<Scalars>& out) {
    std::string line;
    while (lines_.next(bytes, line)) {
        if (trimmed(line).empty()) {
            continue;
        }
        if (names_.empty()) {
            if (!read_heading(line)) {
                return ReadState::Foreign;
            }
            continue;
        }
        if (++rows_ <= taken_) {
            continue;
        }
        const auto cells = cells_of(line, separator_);
        Record record;
        for (std::size_t column = 0; column < std::min(cells.size(), names_.size()); ++column) {
            if (const auto number = number_in_cell(cells[column]); number && !names_[column].empty()) {
                record.emplace_back(names_[column], *number);
            }
        }
        if (auto scalars = placed(record, rows_)) {
            out.push_back(std::move(*scalars));
        }
    }
    return ReadState::Good;
}

void CsvTable::begin_again() {
    taken_ = std::max(taken_, rows_);
    rows_ = 0;
    names_.clear();
    lines_ = TextLines();
}

ReadState JsonLines::feed(std::string_view bytes, std::vector<Scalars>& out) {
    std::string line;
    while (lines_.next(bytes, line)) {
        if (trimmed(line).empty()) {
            continue;
        }
        auto object = read_json(line, kLimits);
        if (object.is_discarded()) {
            if (const auto repaired = without_non_finite(line)) {
                object = read_json(*repaired, kLimits);
            }
        }
        if (!object.is_object()) {
            if (!any_) {
                return ReadState::Foreign;
            }
            continue;
        }
        any_ = true;
        Record record;
        flatten(object, {}, 0, record);
        if (auto scalars = placed(record, objects_ + 1)) {
            ++objects_;
            out.push_back(std::move(*scalars));
        }
    }
    return ReadState::Good;
}

ReadState MlflowValues::feed(std::string_view bytes, std::vector<Scalars>& out) {
    std::string line;
    while (lines_.next(bytes, line)) {
        const auto words = split(trimmed(line), ' ');
        const auto time = words.empty() ? std::nullopt : parse_number<std::int64_t>(words[0]);
        const auto value = words.size() < 2 ? std::nullopt : number_in_cell(words[1]);
        const auto step =
            words.size() < 3 ? std::optional<std::int64_t>(0) : parse_number<std::int64_t>(words[2]);
        if (!time || !value || !step || words.size() > 4) {
            return ReadState::Foreign;
        }
        Scalars scalars;
        scalars.step = *step;
        scalars.wall_time = static_cast<double>(*time) / 1000;
        scalars.values.emplace_back(name_, *value);
        out.push_back(std::move(scalars));
    }
    return ReadState::Good;
}

}  // namespace rankscope::metric_files
