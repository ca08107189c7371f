// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/key_table.h>
#include <base/config/phrase.h>
#include <base/text.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::config {
namespace {

using nlohmann::json;

/// The number behind a key; a problem where there is none or it is out of range.
bool read_number(const KeyReader& reader, bool whole, double& out) {
    const ConfigNode& node = reader.node;
    const auto value = node.is_scalar() ? to_number(node.text) : std::nullopt;
    const Range& range = reader.info.range;
    if (!value) {
        reader.add(phrase("%1 is not a number", {shown(node)}), range_sentence(reader.info));
    } else if (!node.plain && !reader.quoted_numbers) {
        reader.add(phrase("%1 in quotes is a text", {shown(node)}),
                   phrase("Leave out the quotes.") + ' ' + range_sentence(reader.info));
    } else if (whole && *value != std::floor(*value)) {
        reader.add(phrase("%1 is not a whole number", {shown(node)}), range_sentence(reader.info));
    } else if (*value < range.min || *value > range.max || (range.above && *value <= range.min) ||
               (range.below && *value >= range.max)) {
        reader.add(phrase("%1 is out of range", {shown(node)}), range_sentence(reader.info));
    } else {
        out = *value;
        return true;
    }
    return false;
}

bool is_idle(const ConfigNode& node) {
    const json value = to_json(node);
    return value == json(0) || value == json(0.0) || value == json(false);
}

class Walk {
public:
    Walk(const std::vector<BoundKey>& keys, const std::vector<SectionInfo>& sections,
         const ReadOptions& options, ConfigProblems& problems)
        : keys_(keys), sections_(sections), options_(options), problems_(problems) {}

    void level(const std::string& prefix, const ConfigNode& mapping) {
        const std::vector<std::string> names = names_below(prefix);
        for (const std::string& name : names) {
            const std::string path = prefix.empty() ? name : prefix + '.' + name;
            const ConfigNode* value = mapping.find(name);
            const BoundKey* leaf = find(path);
            if (names_below(path).empty() || (leaf != nullptr && value != nullptr && !value->is_mapping())) {
                read_leaf(*leaf, value, outside(path));
            } else {
                read_section(path, value);
            }
        }
        for (const auto& entry : mapping.entries) {
            if (std::find(names.begin(), names.end(), entry.key) == names.end()) {
                report_unknown(prefix, entry.key, names);
            }
        }
    }

private:
    const BoundKey* find(const std::string& path) const {
        const auto found = std::find_if(keys_.begin(), keys_.end(),
                                        [&](const BoundKey& key) { return key.info->path == path; });
        return found == keys_.end() ? nullptr : &*found;
    }

    const SectionInfo& section(const std::string& path) const {
        static const SectionInfo plain{};
        const auto found = std::find_if(sections_.begin(), sections_.end(),
                                        [&](const SectionInfo& one) { return one.path == path; });
        return found == sections_.end() ? plain : *found;
    }

    /// The next parts of all paths below the prefix, each once, in the table's order.
    std::vector<std::string> names_below(const std::string& prefix) const {
        std::vector<std::string> names;
        const std::string start = prefix.empty() ? "" : prefix + '.';
        for (const BoundKey& key : keys_) {
            const std::string& path = key.info->path;
            if (path.starts_with(start)) {
                const auto dot = path.find('.', start.size());
                const std::string name = path.substr(start.size(), dot - start.size());
                if (std::find(names.begin(), names.end(), name) == names.end()) {
                    names.push_back(name);
                }
            }
        }
        return names;
    }

    std::string outside(const std::string& path) const {
        return options_.path.empty() ? path : path.empty() ? options_.path : options_.path + '.' + path;
    }

    bool meant(const KeyInfo& info) const {
        const BoundKey* condition = *info.when_key == '\0' ? nullptr : find(info.when_key);
        return condition == nullptr || is_meant(info, condition->write());
    }

    void read_leaf(const BoundKey& key, const ConfigNode* value, const std::string& path) {
        const KeyInfo& info = *key.info;
        if (!meant(info)) {
            // Forms write "momentum: 0" for every optimizer; what changes nothing is no fault.
            if (value != nullptr && !is_idle(*value)) {
                const json current = find(info.when_key)->write();
                problems_.push_back(
                    {path,
                     phrase("%1 has no effect with %2: %3",
                            {shown(*value), outside(info.when_key),
                             current.is_string() ? current.get<std::string>() : shown(current)}),
                     phrase("Leave it out, or set %1 to %2.", {outside(info.when_key), joined(info.when)})});
            }
        } else if (value != nullptr) {
            key.read({*value, info, path, options_.quoted_numbers, problems_});
        } else if (info.required) {
            report_missing(path, info.example, info.choices);
        }
    }

    void read_section(const std::string& path, const ConfigNode* value) {
        const SectionInfo& info = section(path);
        const bool word = value != nullptr && value->is_scalar() && *info.shorthand != '\0';
        if (value != nullptr && value->is_mapping()) {
            level(path, *value);
        } else if (word) {
            const BoundKey* named = find(path + '.' + info.shorthand);
            named->read({*value, *named->info, outside(path), options_.quoted_numbers, problems_});
            // What the name then needs beside it.
            for (const BoundKey& key : keys_) {
                if (key.info->path.starts_with(path + '.') && &key != named && key.info->required &&
                    meant(*key.info)) {
                    report_missing(outside(key.info->path), key.info->example, key.info->choices);
                }
            }
        } else if (value != nullptr) {
            problems_.push_back({outside(path), phrase("%1 is not a mapping", {shown(*value)}),
                                 phrase("Write for example: %1", {info.example})});
        } else if (info.required) {
            const BoundKey* named = *info.shorthand == '\0' ? nullptr : find(path + '.' + info.shorthand);
            report_missing(outside(path), info.example,
                           named == nullptr ? std::vector<std::string>() : named->info->choices);
        }
    }

    void report_missing(const std::string& path, const std::string& example,
                        const std::vector<std::string>& choices) {
        std::string remedy = example.empty() ? "" : phrase("Add it, for example: %1", {example});
        if (!choices.empty()) {
            remedy += (remedy.empty() ? "" : " – ") + phrase("Write one of: %1.", {joined(choices)});
        }
        problems_.push_back({path, phrase("missing"), remedy});
    }

    /// Of the key that other programs call so, or nearly so; empty: none of those here.
    static std::string other_name(const std::string& name, const std::vector<std::string>& known) {
        constexpr std::array<std::pair<const char*, const char*>, 12> kNames{
            {{"lr_policy", "schedule"},
             {"lr_scheduler", "schedule"},
             {"scheduler", "schedule"},
             {"learning_rate", "optimizer"},
             {"lr", "optimizer"},
             {"weight_decay", "optimizer"},
             {"momentum", "optimizer"},
             {"num_epochs", "epochs"},
             {"max_epochs", "epochs"},
             {"arch", "model"},
             {"amp", "precision"},
             {"nproc_per_node", "procs_per_node"}}};
        std::vector<std::string> others;
        for (const auto& [other, ours] : kNames) {
            if (std::find(known.begin(), known.end(), ours) != known.end()) {
                others.emplace_back(other);
            }
        }
        const std::string near = nearest_word(name, others);
        const auto found = std::find_if(kNames.begin(), kNames.end(),
                                        [&](const auto& entry) { return entry.first == near; });
        return found != kNames.end() ? found->second : std::string();
    }

    void report_unknown(const std::string& prefix, const std::string& name, std::vector<std::string> known) {
        constexpr std::size_t kLongest = 64;
        std::string near = nearest_word(name, known);
        near = near.empty() ? other_name(name, known) : near;
        std::sort(known.begin(), known.end());
        const std::string key = name.size() > kLongest ? name.substr(0, kLongest) + "…" : name;
        ConfigProblem problem;
        problem.path = outside(prefix.empty() ? key : prefix + '.' + key);
        problem.message = phrase("unknown key");
        problem.remedy = near.empty() ? phrase("Known keys are: %1.", {joined(known)})
                                      : phrase("Did you mean \"%1\"?", {near});
        problem.unknown_key = true;
        problems_.push_back(std::move(problem));
    }

    const std::vector<BoundKey>& keys_;
    const std::vector<SectionInfo>& sections_;
    const ReadOptions& options_;
    ConfigProblems& problems_;
};

}  // namespace

void KeyReader::add(std::string message, std::string remedy) const {
    problems.push_back({path, std::move(message), std::move(remedy)});
}

void KeyReader::add(const std::string& below, std::string message, std::string remedy) const {
    problems.push_back({path + '.' + below, std::move(message), std::move(remedy)});
}

std::string range_sentence(const KeyInfo& info) {
    const Range& range = info.range;
    const bool low = std::isfinite(range.min);
    const bool high = std::isfinite(range.max) && !(info.kind == KeyKind::Whole && range.max >= kMaxWhole);
    const std::string min = number_text(range.min);
    const std::string max = number_text(range.max);
    if (info.kind == KeyKind::Whole) {
        return high ? phrase("Give a whole number from %1 to %2.", {min, max})
                    : phrase("Give a whole number from %1.", {min});
    }
    if (range.above) {
        return high ? phrase("Give a number greater than %1 and less than %2.", {min, max})
                    : phrase("Give a number greater than %1.", {min});
    }
    if (range.below) {
        return phrase("Give a number from %1 and less than %2.", {min, max});
    }
    if (!low) {
        return phrase("Give a number.");
    }
    return high ? phrase("Give a number from %1 to %2.", {min, max})
                : phrase("Give a number from %1.", {min});
}

bool read_value(const KeyReader& reader, double& out) {
    return read_number(reader, false, out);
}

bool read_value(const KeyReader& reader, std::int64_t& out) {
    double value = 0;
    if (!read_number(reader, true, value)) {
        return false;
    }
    out = static_cast<std::int64_t>(value);
    return true;
}

bool read_value(const KeyReader& reader, int& out) {
    double value = 0;
    if (!read_number(reader, true, value)) {
        return false;
    }
    out = static_cast<int>(value);
    return true;
}

bool read_value(const KeyReader& reader, bool& out) {
    const json value = reader.node.is_scalar() ? to_json(reader.node) : json();
    const bool quoted = reader.quoted_numbers && (value == "true" || value == "false");
    if (!value.is_boolean() && !quoted) {
        reader.add(phrase("%1 is neither true nor false", {shown(reader.node)}),
                   phrase("Write true or false."));
        return false;
    }
    out = quoted ? value == "true" : value.get<bool>();
    return true;
}

bool read_value(const KeyReader& reader, std::string& out) {
    const ConfigNode& node = reader.node;
    const auto& choices = reader.info.choices;
    if (!node.is_scalar()) {
        reader.add(phrase("%1 is not a text", {shown(node)}),
                   choices.empty() ? phrase("Write one value, in quotes where it contains ':' or '#'.")
                                   : suggest("", choices));
        return false;
    }
    if (!choices.empty() && std::find(choices.begin(), choices.end(), node.text) == choices.end()) {
        reader.add(phrase("%1 is not known", {shown(node)}), suggest(node.text, choices));
        return false;
    }
    if (node.text.find('\0') != std::string::npos) {
        reader.add(phrase("contains a zero byte"), phrase("Leave it out."));
        return false;
    }
    out = node.text;
    return true;
}

bool read_value(const KeyReader& reader, std::vector<std::string>& out) {
    const ConfigNode& node = reader.node;
    bool fine = node.is_list();
    std::vector<std::string> words;
    for (const ConfigNode& item : node.items) {
        fine = fine && item.is_scalar();
        words.push_back(item.text);
    }
    if (!fine) {
        reader.add(phrase("%1 is not a list of texts", {shown(node)}),
                   phrase("Write it as [first, second]."));
        return false;
    }
    out = std::move(words);
    return true;
}

bool read_value(const KeyReader& reader, std::map<std::string, std::string>& out) {
    const ConfigNode& node = reader.node;
    bool fine = node.is_mapping();
    std::map<std::string, std::string> texts;
    for (const auto& entry : node.entries) {
        fine = fine && !entry.value.is_list() && !entry.value.is_mapping();
        texts[entry.key] = entry.value.text;
    }
    if (!fine) {
        reader.add(phrase("%1 is not a mapping of names to texts", {shown(node)}),
                   phrase("Write it as { NAME: value, OTHER: value }."));
        return false;
    }
    out = std::move(texts);
    return true;
}

void read_bound(const std::vector<BoundKey>& keys, const std::vector<SectionInfo>& sections,
                const ConfigNode& root, const ReadOptions& options, ConfigProblems& problems) {
    const std::size_t before = problems.size();
    Walk(keys, sections, options, problems).level("", root);
    for (std::size_t i = before; i < problems.size(); ++i) {
        ConfigProblem& problem = problems[i];
        if (problem.line == 0) {
            const std::size_t prefix = options.path.empty() ? 0 : options.path.size() + 1;
            problem.line = line_of(root, problem.path.substr(std::min(prefix, problem.path.size())));
        }
    }
}

bool is_meant(const KeyInfo& info, const json& current) {
    return current.is_string() &&
           std::find(info.when.begin(), info.when.end(), current.get<std::string>()) != info.when.end();
}

void set_at(json& root, const std::string& path, const json& value) {
    json* object = &root;
    std::size_t begin = 0;
    for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
        const std::string name = path.substr(begin, dot - begin);
        if (value.is_null() && !(object->contains(name) && (*object)[name].is_object())) {
            return;
        }
        json& next = (*object)[name];
        if (!next.is_object()) {
            next = json::object();
        }
        object = &next;
        begin = dot + 1;
    }
    if (value.is_null()) {
        object->erase(path.substr(begin));
    } else {
        (*object)[path.substr(begin)] = value;
    }
}

json value_at(const json& root, const std::string& path) {
    const json* value = &root;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const auto dot = std::min(path.find('.', begin), path.size());
        const auto found = value->is_object() ? value->find(path.substr(begin, dot - begin)) : value->end();
        if (!value->is_object() || found == value->end()) {
            return nullptr;
        }
        value = &*found;
        begin = dot + 1;
    }
    return *value;
}

}  // namespace rankscope::config
