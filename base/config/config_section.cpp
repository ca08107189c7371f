// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_section.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <sstream>

namespace rankscope::config {
namespace {

using nlohmann::json;

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

}  // namespace

std::string number_text(double number) {
    std::ostringstream out;
    out.precision(15);
    out << number;
    return out.str();
}

std::string shown(const json& value) {
    std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
    constexpr std::size_t kLongest = 60;
    if (text.size() > kLongest) {
        text = text.substr(0, kLongest) + "…";
    }
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 2) + 1;
    for (const std::string& name : known) {
        // A very long key can be no misspelling, and the distance costs its length squared.
        const std::size_t distance = word.size() > 64 ? best_distance : edit_distance(word, name);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    constexpr std::size_t kTelling = 3;  // letters; "batch" for "batch_size", "cosine" for "cos"
    for (const std::string& name : known) {
        const bool begins = name.starts_with(word) || word.starts_with(name);
        if (best.empty() && begins && std::min(name.size(), word.size()) >= kTelling) {
            best = name;
        }
    }
    return best.empty() ? "" : "; did you mean \"" + best + "\"?";
}

void ConfigSection::add(const std::string& key, std::string message) {
    problems_.push_back({key.empty() ? path_ : path_of(key), std::move(message)});
}

const json* ConfigSection::find(const std::string& key) {
    if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
        known_.push_back(key);
    }
    const auto it = object_.find(key);
    return it == object_.end() || it->is_null() ? nullptr : &*it;
}

const json* ConfigSection::object(const std::string& key, const std::string& example) {
    const json* value = find(key);
    if (value != nullptr && !value->is_object()) {
        add(key, "is " + shown(*value) + "; " + example + " is expected");
        return nullptr;
    }
    return value;
}

bool ConfigSection::read_whole(const std::string& key, double min, double max, double& number) {
    const json* value = find(key);
    if (value == nullptr) {
        return false;
    }
    number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= min && number <= max) || number != std::floor(number)) {
        add(key, "is " + shown(*value) + "; a whole number from " + number_text(min) +
                     (max < kMaxWhole ? " to " + number_text(max) : "") + " is expected");
        return false;
    }
    return true;
}

bool ConfigSection::read_real(const std::string& key, double min, bool open, double max, double& number) {
    const json* value = find(key);
    if (value == nullptr) {
        return false;
    }
    number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(std::isfinite(number) && (open ? number > min : number >= min) && number < max)) {
        add(key, "is " + shown(*value) + "; a number " + (open ? "greater than " : "from ") +
                     number_text(min) + (std::isfinite(max) ? " and less than " + number_text(max) : "") +
                     " is expected");
        return false;
    }
    return true;
}

void ConfigSection::flag(const std::string& key, bool& target) {
    const json* value = find(key);
    if (value == nullptr) {
        return;
    }
    if (!value->is_boolean()) {
        add(key, "is " + shown(*value) + "; true or false is expected");
        return;
    }
    target = value->get<bool>();
}

void ConfigSection::text(const std::string& key, std::string& target) {
    const json* value = find(key);
    if (value == nullptr) {
        return;
    }
    if (!value->is_string()) {
        add(key, "is " + shown(*value) + "; text is expected");
        return;
    }
    target = value->get<std::string>();
    if (target.find('\0') != std::string::npos) {
        add(key, "contains a zero byte");
    }
}

void ConfigSection::name(const std::string& key, const std::vector<std::string>& names, bool required,
                         std::string& target) {
    const json* value = find(key);
    if (value == nullptr) {
        if (required) {
            add(key, "is missing; one of: " + joined(names));
        }
        return;
    }
    name_value(key, *value, names, target);
}

void ConfigSection::name_value(const std::string& key, const json& value,
                               const std::vector<std::string>& names, std::string& target) {
    if (!value.is_string()) {
        add(key, "is " + shown(value) + "; a name is expected, one of: " + joined(names));
        return;
    }
    const std::string word = value.get<std::string>();
    if (std::find(names.begin(), names.end(), word) == names.end()) {
        add(key, "is " + shown(value) + ", which is not known; one of: " + joined(names) +
                     suggestion(word, names));
        return;
    }
    target = word;
}

void ConfigSection::report_unknown() {
    for (const auto& [key, value] : object_.items()) {
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
            add(key.size() > 64 ? key.substr(0, 64) + "…" : key,
                "is not a known key; the keys here are: " + joined(known_) + suggestion(key, known_));
        }
    }
}

}  // namespace rankscope::config
