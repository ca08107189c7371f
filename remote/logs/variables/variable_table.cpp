// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/foreign_yaml.h>
#include <base/text.h>
#include <remote/logs/read/own_resource.h>
#include <remote/logs/variables/variable_table.h>
#include <remote/logs/variables/version_text.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace rankscope::logs {
namespace {

const std::set<std::string> kKeys{"name",    "of",    "area",  "meaning", "values",
                                  "default", "since", "until", "instead", "source"};
constexpr std::array<std::string_view, 9> kLevels{"LOC", "NVL", "PORT", "PIX", "PXB",
                                                  "PXN", "PHB", "SYS",  "C2C"};
constexpr std::array<std::string_view, 3> kPrefixes{"NCCL_", "TORCH_", "GLOO_"};
constexpr std::size_t kFarthest = 3;  // letters that a misspelling has more or less
constexpr std::size_t kTelling = 12;  // letters that both begin with

std::string upper(std::string_view text) {
    std::string all(text);
    std::transform(all.begin(), all.end(), all.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return all;
}

std::string text_of(const YAML::Node& node) {
    return node && node.IsScalar() ? node.Scalar() : std::string();
}

// "int 0..31" → kind and limits. False: it is written differently.
bool read_values(const std::string& text, VariableInfo& info) {
    const std::string_view all(text);
    const auto space = all.find(' ');
    const auto kind = enum_from<ValueKind>(all.substr(0, space));
    const auto rest = space == all.npos ? std::string_view() : all.substr(space + 1);
    if (!kind) {
        return false;
    }
    info.kind = *kind;
    info.values = text;
    if (*kind == ValueKind::Int) {
        const auto dots = rest.find("..");
        if (dots == rest.npos) {
            return false;
        }
        info.least = parse_number<std::int64_t>(rest.substr(0, dots));
        info.most = parse_number<std::int64_t>(rest.substr(dots + 2));
        return info.least || info.most;
    }
    if (*kind == ValueKind::Choice || *kind == ValueKind::List) {
        for (const auto choice : split(rest, ',')) {
            info.choices.emplace_back(choice);
        }
        return !info.choices.empty();
    }
    return rest.empty();
}

// As NCCL reads numbers: decimal, 0x, 0.
std::optional<std::int64_t> number_of(const std::string& value) {
    char* end = nullptr;
    const long long number = std::strtoll(value.c_str(), &end, 0);
    return end != nullptr && end != value.c_str() && *end == '\0' ? std::optional<std::int64_t>(number)
                                                                  : std::nullopt;
}

bool is_word(std::string_view word) {
    static const std::set<std::string> kWords{"true", "false", "yes", "no", "on", "off"};
    return kWords.contains(lower_case(word));
}

// Every name of a list; from NCCL 2.24 on "function:list;function:list".
bool fits_list(const VariableInfo& info, std::string_view value) {
    for (auto part : split(value, ';')) {
        if (const auto colon = part.find(':'); colon != part.npos) {
            part.remove_prefix(colon + 1);
        }
        if (part.starts_with('^')) {
            part.remove_prefix(1);
        }
        for (auto word : split(part, ',')) {
            word = trimmed(word);
            if (word.starts_with('^')) {
                word.remove_prefix(1);
            }
            if (!word.empty() &&
                std::find(info.choices.begin(), info.choices.end(), upper(word)) == info.choices.end()) {
                return false;
            }
        }
    }
    return true;
}

// Text that NCCL would not understand. An empty value is as if it were not set.
bool fits(const VariableInfo& info, const std::string& value) {
    const std::string word(trimmed(value));
    if (word.empty() || word.find('{') != word.npos) {
        return true;  // {rank} and the like are filled in at the start
    }
    const auto number = number_of(word);
    switch (info.kind) {
        case ValueKind::Text:
            return true;
        case ValueKind::Flag:
            return number ? *number >= -2 && *number <= 1 : info.of != VariableOf::Nccl && is_word(word);
        case ValueKind::Int:
            return number && (!info.least || *number >= *info.least) && (!info.most || *number <= *info.most);
        case ValueKind::Choice:
            return std::find(info.choices.begin(), info.choices.end(), upper(word)) != info.choices.end();
        case ValueKind::List:
            return fits_list(info, word);
        case ValueKind::Level:
            return number ? *number >= 0
                          : std::find(kLevels.begin(), kLevels.end(), upper(word)) != kLevels.end();
    }
    return true;
}

}  // namespace

VariableTable VariableTable::parse(const std::string& text, const std::string& file,
                                   std::vector<std::string>& problems) {
    VariableTable table;
    YAML::Node root;
    try {
        root = load_yaml(text);
    } catch (const YAML::Exception& error) {
        problems.push_back(file + ':' + std::to_string(error.mark.line + 1) + ": " + error.msg);
        return table;
    }
    for (const auto& node : root) {
        const std::string where = file + ':' + std::to_string(node.Mark().line + 1) + ": ";
        if (!node.IsMap()) {
            problems.push_back(where + "an entry is a map of keys");
            continue;
        }
        bool good = true;
        for (const auto& item : node) {
            if (!kKeys.contains(text_of(item.first))) {
                problems.push_back(where + "unknown key \"" + text_of(item.first) + '"');
                good = false;
            }
        }
        VariableInfo info;
        info.name = text_of(node["name"]);
        info.area = text_of(node["area"]);
        info.meaning = text_of(node["meaning"]);
        info.default_text = text_of(node["default"]);
        info.since = text_of(node["since"]);
        info.until = text_of(node["until"]);
        info.instead = text_of(node["instead"]);
        info.source = text_of(node["source"]);
        const auto of = enum_from<VariableOf>(text_of(node["of"]));
        if (info.name.empty() || info.meaning.empty() || !of) {
            problems.push_back(where + "an entry needs `name`, `of` and `meaning`");
            continue;
        }
        info.of = *of;
        if (!read_values(text_of(node["values"]), info)) {
            problems.push_back(where + "the values of " + info.name + " are not understood");
            continue;
        }
        if (good && !table.by_name_.emplace(info.name, table.all_.size()).second) {
            problems.push_back(where + info.name + " is there twice");
            continue;
        }
        if (good) {
            table.all_.push_back(std::move(info));
        }
    }
    return table;
}

const VariableTable& VariableTable::own() {
    static const VariableTable table = [] {
        const auto file = own_resource("nccl_variables.yaml");
        const auto text = file.empty() ? std::nullopt : read_file(file);
        std::vector<std::string> problems;
        return text ? parse(*text, file.string(), problems) : VariableTable();
    }();
    return table;
}

const VariableInfo* VariableTable::find(std::string_view name) const {
    if (const auto found = by_name_.find(name); found != by_name_.end()) {
        return &all_[found->second];
    }
    for (const auto& info : all_) {
        const std::string_view family(info.name);
        if (family.ends_with('*') && name.starts_with(family.substr(0, family.size() - 1))) {
            return info.of == VariableOf::Plugin ? &info : nullptr;
        }
    }
    return nullptr;
}

std::string VariableTable::nearest(std::string_view name) const {
    std::vector<std::string> names;
    for (const auto& info : all_) {
        if (!info.name.ends_with('*')) {
            names.push_back(info.name);
        }
    }
    std::string word = upper(name);
    if (by_name_.contains(word)) {
        return word;
    }
    std::string near = nearest_word(word, names);
    if (near.starts_with(word) && word.size() >= kTelling) {
        return near;  // an end that is missing
    }
    const auto longer = std::max(near.size(), word.size());
    const auto shorter = std::min(near.size(), word.size());
    if (near.empty() || longer - shorter > kFarthest) {
        return {};
    }
    // nearest_word() allows a third of the letters to differ; names of this length share so much by chance.
    std::size_t same = 0;
    while (same < shorter && near[same] == word[same]) {
        ++same;
    }
    std::size_t tail = 0;
    while (tail + same < shorter && near[near.size() - 1 - tail] == word[word.size() - 1 - tail]) {
        ++tail;
    }
    return longer - same - tail <= kFarthest + 1 ? near : std::string();
}

std::vector<VariableProblem> VariableTable::check(const std::string& name, const std::string& value,
                                                  const VariableVersions& versions) const {
    const VariableInfo* info = find(name);
    if (info == nullptr) {
        const std::string near = nearest(name);
        if (!near.empty()) {
            return {{.kind = VariableProblemKind::Misspelt, .detail = near}};
        }
        const bool known_family =
            std::any_of(kPrefixes.begin(), kPrefixes.end(),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
        return known_family ? std::vector<VariableProblem>{{.kind = VariableProblemKind::Unknown}}
                            : std::vector<VariableProblem>();
    }
    std::vector<VariableProblem> problems;
    const std::string& version = info->of == VariableOf::Nccl ? versions.nccl : versions.torch;
    if (!info->until.empty() && (version.empty() || is_newer(version, info->until))) {
        problems.push_back(
            {.kind = VariableProblemKind::Removed, .detail = info->until, .instead = info->instead});
    } else if (!info->instead.empty() && find(info->instead) != nullptr &&
               (version.empty() || !is_newer(find(info->instead)->since, version))) {
        problems.push_back({.kind = VariableProblemKind::Renamed, .detail = info->instead});
    }
    if (!info->since.empty() && !version.empty() && is_newer(info->since, version)) {
        problems.push_back({.kind = VariableProblemKind::TooNew, .detail = info->since});
    }
    if (!rankscope::logs::fits(*info, value)) {
        problems.push_back({.kind = VariableProblemKind::BadValue, .detail = info->values});
    }
    return problems;
}

}  // namespace rankscope::logs
