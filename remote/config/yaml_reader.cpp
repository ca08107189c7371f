// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/config/yaml_reader.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <remote/base/text.h>

namespace rankscope {
namespace {

constexpr const char* kContext = "YamlReader";

std::string shown(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Scalar: return '"' + node.Scalar() + '"';
        case YAML::NodeType::Sequence: return text(kContext, "a list");
        case YAML::NodeType::Map: return text(kContext, "a mapping");
        default: return text(kContext, "nothing");
    }
}

std::optional<double> to_number(const std::string& word) {
    if (word.empty()) {
        return std::nullopt;
    }
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size() || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

std::string plain_number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return std::to_string(static_cast<long long>(value));
    }
    return std::to_string(value);
}

}  // namespace

void YamlProblems::add(const YAML::Node& at, const std::string& key, const std::string& what,
                       const std::string& remedy) {
    add_line(at.IsDefined() ? at.Mark().line + 1 : 0, (key.empty() ? "" : key + ": ") + what, remedy);
}

void YamlProblems::add_line(int line, const std::string& what, const std::string& remedy) {
    Failure failure;
    failure.code = "bad-file";
    failure.where = file_.string() + (line > 0 ? ':' + std::to_string(line) : "");
    failure.what = what;
    failure.remedy = remedy;
    problems_.push_back(std::move(failure));
}

std::optional<YAML::Node> load_yaml(const std::string& content, YamlProblems& problems) {
    // yaml-cpp recurses once per nesting level; a file of brackets must not exhaust the stack.
    constexpr int kMaxDepth = 64;
    int depth = 0;
    for (const char c : content) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (depth > kMaxDepth) {
            problems.add_line(0, text(kContext, "nested deeper than %1 levels", {std::to_string(kMaxDepth)}), "");
            return std::nullopt;
        }
    }
    try {
        return YAML::Load(content);
    } catch (const YAML::Exception& error) {
        problems.add_line(error.mark.line + 1, text(kContext, "not valid YAML: %1", {error.msg}),
                          text(kContext, "Check indentation, quotes and brackets near column %1.",
                               {std::to_string(error.mark.column + 1)}));
        return std::nullopt;
    }
}

YamlMapping::YamlMapping(const YAML::Node& mapping, std::string path, YamlProblems& problems)
    : mapping_(mapping), path_(std::move(path)), problems_(problems) {}

bool YamlMapping::has(const std::string& key) const {
    return mapping_.IsMap() && mapping_[key].IsDefined() && !mapping_[key].IsNull();
}

YAML::Node YamlMapping::at(const std::string& key) const {
    return mapping_[key];
}

YAML::Node YamlMapping::take(const std::string& key) {
    known_.push_back(key);
    return has(key) ? at(key) : YAML::Node(YAML::NodeType::Undefined);
}

bool YamlMapping::text(const std::string& key, std::string& out) {
    known_.push_back(key);
    if (!has(key)) {
        return false;
    }
    const YAML::Node node = at(key);
    if (!node.IsScalar()) {
        problems_.add(node, path_of(key), rankscope::text(kContext, "%1 is not a text", {shown(node)}),
                      rankscope::text(kContext, "Write one value, in quotes where it holds ':' or '#'."));
        return false;
    }
    out = node.Scalar();
    return true;
}

bool YamlMapping::whole(const std::string& key, int& out, int min, int max) {
    double value = 0;
    if (!number(key, value, min, max)) {
        return false;
    }
    if (value != std::floor(value)) {
        problems_.add(at(key), path_of(key), rankscope::text(kContext, "%1 is not a whole number", {shown(at(key))}),
                      rankscope::text(kContext, "Give a whole number from %1 to %2.",
                                      {std::to_string(min), std::to_string(max)}));
        return false;
    }
    out = static_cast<int>(value);
    return true;
}

bool YamlMapping::number(const std::string& key, double& out, double min, double max) {
    known_.push_back(key);
    if (!has(key)) {
        return false;
    }
    const YAML::Node node = at(key);
    const auto value = node.IsScalar() ? to_number(node.Scalar()) : std::nullopt;
    if (!value || *value < min || *value > max) {
        problems_.add(node, path_of(key),
                      value ? rankscope::text(kContext, "%1 is out of range", {shown(node)})
                            : rankscope::text(kContext, "%1 is not a number", {shown(node)}),
                      rankscope::text(kContext, "Give a number from %1 to %2.", {plain_number(min), plain_number(max)}));
        return false;
    }
    out = *value;
    return true;
}

bool YamlMapping::texts(const std::string& key, std::vector<std::string>& out) {
    known_.push_back(key);
    if (!has(key)) {
        return false;
    }
    const YAML::Node node = at(key);
    bool fine = node.IsSequence();
    std::vector<std::string> words;
    for (std::size_t i = 0; fine && i < node.size(); ++i) {
        fine = node[i].IsScalar();
        if (fine) {
            words.push_back(node[i].Scalar());
        }
    }
    if (!fine) {
        problems_.add(node, path_of(key), rankscope::text(kContext, "%1 is not a list of texts", {shown(node)}),
                      rankscope::text(kContext, "Write it as [first, second]."));
        return false;
    }
    out = std::move(words);
    return true;
}

bool YamlMapping::text_map(const std::string& key, std::map<std::string, std::string>& out) {
    known_.push_back(key);
    if (!has(key)) {
        return false;
    }
    const YAML::Node node = at(key);
    bool fine = node.IsMap();
    std::map<std::string, std::string> entries;
    if (fine) {
        for (const auto& entry : node) {
            fine = fine && entry.first.IsScalar() && (entry.second.IsScalar() || entry.second.IsNull());
            if (fine) {
                entries[entry.first.Scalar()] = entry.second.IsNull() ? "" : entry.second.Scalar();
            }
        }
    }
    if (!fine) {
        problems_.add(node, path_of(key), rankscope::text(kContext, "%1 is not a mapping of names to texts", {shown(node)}),
                      rankscope::text(kContext, "Write it as { NAME: value, OTHER: value }."));
        return false;
    }
    out = std::move(entries);
    return true;
}

void YamlMapping::require(const std::string& key, const std::string& example) {
    if (!has(key)) {
        problems_.add(mapping_, path_of(key), rankscope::text(kContext, "missing"),
                      rankscope::text(kContext, "Add it, for example: %1", {example}));
    }
}

void YamlMapping::finish() {
    if (!mapping_.IsMap()) {
        return;
    }
    std::vector<std::string> seen;
    for (const auto& entry : mapping_) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : shown(entry.first);
        if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
            problems_.add(entry.first, path_of(key), rankscope::text(kContext, "given twice"),
                          rankscope::text(kContext, "Keep one of the two."));
        }
        seen.push_back(key);
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) {
            continue;
        }
        const std::string near = nearest(key, known_);
        std::string all;
        for (const auto& name : known_) {
            all += (all.empty() ? "" : ", ") + name;
        }
        problems_.add(entry.first, path_of(key), rankscope::text(kContext, "unknown key"),
                      near.empty() ? rankscope::text(kContext, "Known keys are: %1.", {all})
                                   : rankscope::text(kContext, "Did you mean \"%1\"?", {near}));
    }
}

nlohmann::json yaml_to_json(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Map: {
            nlohmann::json object = nlohmann::json::object();
            for (const auto& entry : node) {
                object[entry.first.IsScalar() ? entry.first.Scalar() : std::string("?")] = yaml_to_json(entry.second);
            }
            return object;
        }
        case YAML::NodeType::Sequence: {
            nlohmann::json list = nlohmann::json::array();
            for (const auto& entry : node) {
                list.push_back(yaml_to_json(entry));
            }
            return list;
        }
        case YAML::NodeType::Scalar: break;
        default: return nullptr;
    }
    const std::string& word = node.Scalar();
    if (node.Tag() == "!") {  // quoted in the file
        return word;
    }
    if (word == "true" || word == "True" || word == "yes" || word == "on") {
        return true;
    }
    if (word == "false" || word == "False" || word == "no" || word == "off") {
        return false;
    }
    if (word == "null" || word == "~" || word.empty()) {
        return nullptr;
    }
    if (const auto value = to_number(word)) {
        if (word.find_first_of(".eE") == std::string::npos && std::abs(*value) < 9e15) {
            return static_cast<std::int64_t>(*value);
        }
        return *value;
    }
    return word;
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
    std::string best;
    std::size_t best_distance = 3;
    for (const auto& candidate : known) {
        std::vector<std::vector<std::size_t>> d(word.size() + 1, std::vector<std::size_t>(candidate.size() + 1));
        for (std::size_t i = 0; i <= word.size(); ++i) {
            for (std::size_t j = 0; j <= candidate.size(); ++j) {
                if (i == 0 || j == 0) {
                    d[i][j] = i + j;
                    continue;
                }
                const std::size_t cost = word[i - 1] == candidate[j - 1] ? 0 : 1;
                d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
                if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1]) {
                    d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
                }
            }
        }
        if (d[word.size()][candidate.size()] < best_distance) {
            best_distance = d[word.size()][candidate.size()];
            best = candidate;
        }
    }
    return best;
}

}  // namespace rankscope
