// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/metric_lines/pattern.h>
#include <remote/observe/metric_lines/scan.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace rankscope::metric_lines {
namespace {

constexpr std::size_t kMaxPattern = 1000;
constexpr std::size_t kMaxLine = 4096;
const std::set<std::string, std::less<>> kPlaces{"step", "epoch", "epochs", "step_in_epoch",
                                                 "steps_per_epoch"};

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= 100 &&
           (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
           std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 ||
                      std::string_view("_@/.-").find(static_cast<char>(c)) != std::string_view::npos;
           });
}

// "0.5" in "10.5" is no number of its own.
bool inside_number(std::string_view line, std::size_t at) {
    return at > 0 && at < line.size() && (std::isdigit(static_cast<unsigned char>(line[at - 1])) != 0) &&
           (std::isdigit(static_cast<unsigned char>(line[at])) != 0 || line[at] == '.');
}

using Found = std::vector<std::pair<std::string_view, double>>;

Reading reading_of(const Found& found) {
    Reading reading;
    for (const auto& [name, value] : found) {
        if (name == "step") {
            reading.step = value;
        } else if (name == "epoch") {
            reading.epoch = value;
        } else if (name == "epochs") {
            reading.epochs = value;
        } else if (name == "step_in_epoch") {
            reading.in_epoch = value;
        } else if (name == "steps_per_epoch") {
            reading.per_epoch = value;
        } else {
            reading.validation = reading.validation || name.starts_with("val_");
            reading.add(std::string(name), value);
        }
    }
    reading.counted = !reading.step && !reading.in_epoch && !reading.validation;
    return reading;
}

}  // namespace

bool Pattern::add_place(std::string_view inside, std::string& why) {
    if (inside == "*") {
        if (parts_.empty() || parts_.back().kind != Part::Kind::Any) {
            parts_.push_back({Part::Kind::Any, "", false});
        }
        return true;
    }
    Part part{Part::Kind::Number, std::string(inside), false};
    if (!part.text.empty() && part.text.back() == '%') {
        part.text.pop_back();
        part.percent = true;
    }
    if (!part.text.empty() && !is_name(part.text)) {
        why.assign("{").append(inside).append("} is no name: letters, digits and _@/.-, a letter first");
        return false;
    }
    parts_.push_back(std::move(part));
    return true;
}

bool Pattern::check_names(std::string& why) const {
    std::set<std::string> names;
    bool series = false;
    for (const auto& part : parts_) {
        if (part.kind != Part::Kind::Number || part.text.empty()) {
            continue;
        }
        if (!names.insert(part.text).second) {
            why = "{" + part.text + "} is there twice";
            return false;
        }
        series = series || kPlaces.find(part.text) == kPlaces.end();
    }
    if (!series) {
        why = "it marks no value, such as {loss}";
    }
    return series;
}

std::optional<Pattern> Pattern::compile(const std::string& text, std::string* why) {
    std::string reason;
    std::string& said = why != nullptr ? *why : reason;
    Pattern pattern;
    pattern.text_ = text;
    if (text.size() > kMaxPattern) {
        said = "longer than " + std::to_string(kMaxPattern) + " bytes";
        return std::nullopt;
    }
    const auto literal = [&pattern](char c) {
        if (pattern.parts_.empty() || pattern.parts_.back().kind != Part::Kind::Literal) {
            pattern.parts_.push_back({});
        }
        pattern.parts_.back().text += c;
    };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (is_blank(text[at])) {
            const bool twice = !pattern.parts_.empty() && pattern.parts_.back().kind == Part::Kind::Spaces;
            if (!twice && !pattern.parts_.empty()) {
                pattern.parts_.push_back({Part::Kind::Spaces, "", false});
            }
        } else if (text[at] != '{') {
            literal(text[at]);
        } else if (at + 1 < text.size() && text[at + 1] == '{') {
            literal('{');
            ++at;
        } else {
            const auto close = text.find('}', at);
            if (close == std::string::npos) {
                said = "a { without its }; write {{ for the brace itself";
                return std::nullopt;
            }
            if (!pattern.add_place(std::string_view(text).substr(at + 1, close - at - 1), said)) {
                return std::nullopt;
            }
            at = close;
        }
    }
    while (!pattern.parts_.empty() && pattern.parts_.back().kind == Part::Kind::Spaces) {
        pattern.parts_.pop_back();
    }
    if (!pattern.check_names(said)) {
        return std::nullopt;
    }
    return pattern;
}

std::optional<Reading> Pattern::match(std::string_view line) const {
    line = trimmed(line.substr(0, kMaxLine));
    constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t at = 0;
    std::size_t next = 0;
    std::size_t any = kNone;  // the last {*} met, what it takes so far, and what was found before it
    std::size_t any_end = 0;
    std::size_t found_before = 0;
    Found found;
    const auto fits = [&](const Part& part) {
        switch (part.kind) {
            case Part::Kind::Literal:
                if (line.substr(at).starts_with(part.text)) {
                    at += part.text.size();
                    return true;
                }
                return false;
            case Part::Kind::Spaces:
                while (at < line.size() && is_blank(line[at])) {
                    ++at;
                }
                return true;
            case Part::Kind::Number: {
                const auto length = inside_number(line, at) ? 0 : number_length(line.substr(at));
                const auto value = to_number(line.substr(at, length));
                if (!value) {
                    return false;
                }
                at += length;
                if (!part.text.empty()) {
                    found.emplace_back(part.text, part.percent ? *value / 100 : *value);
                }
                return true;
            }
            case Part::Kind::Any:
                any = next;
                any_end = at;
                found_before = found.size();
                return true;
        }
        return false;
    };
    while (next < parts_.size()) {
        if (fits(parts_[next])) {
            ++next;
            continue;
        }
        if (any == kNone || any_end >= line.size()) {
            return std::nullopt;
        }
        at = ++any_end;
        next = any + 1;
        found.resize(found_before);
    }
    return reading_of(found);
}

}  // namespace rankscope::metric_lines
