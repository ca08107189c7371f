// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/desk/config/yaml_reader.h>
#include <remote/desk/text.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

namespace rankscope {
namespace {

constexpr const char* kContext = "YamlReader";
constexpr int kMaxDepth = 64;

std::string shown(const YAML::Node& node) {
    switch (node.Type()) {
        case YAML::NodeType::Scalar:
            return '"' + node.Scalar() + '"';
        case YAML::NodeType::Sequence:
            return text(kContext, "a list");
        case YAML::NodeType::Map:
            return text(kContext, "a mapping");
        default:
            return text(kContext, "nothing");
    }
}

// Not strtod: it would follow the locale, and a German desktop has 0,1 where the file says 0.1.
std::optional<double> to_number(std::string_view word) {
    if (word.starts_with('+') && !word.starts_with("+-")) {
        word.remove_prefix(1);
    }
    const bool hex = word.starts_with("0x") || word.starts_with("0X");
    double value = 0;
    std::uint64_t bits = 0;
    const char* end = word.data() + word.size();
    const auto result =
        hex ? std::from_chars(word.data() + 2, end, bits, 16) : std::from_chars(word.data(), end, value);
    if (word.empty() || result.ec != std::errc() || result.ptr != end) {
        return std::nullopt;
    }
    value = hex ? static_cast<double>(bits) : value;
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string plain_number(double value) {
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        return std::to_string(static_cast<long long>(value));
    }
    return nlohmann::json(value).dump();
}

/// Looks through the whole document before anybody reads it, for what YAML allows and no reader of ours can
/// stand: values that contain themselves or multiply through aliases, keys given twice, zero bytes.
class TreeCheck {
public:
    explicit TreeCheck(YamlProblems& problems) : problems_(problems) {}

    /// false: the document must not be read at all.
    bool run(const YAML::Node& node, const std::string& path, int depth) {
        constexpr int kMaxValues = 200000;
        if (depth > kMaxDepth) {
            problems_.add(node, path,
                          text(kContext, "nested deeper than %1 levels", {std::to_string(kMaxDepth)}),
                          text(kContext, "Check the aliases (*name): one may contain itself."));
            return false;
        }
        if (++values_ > kMaxValues) {
            problems_.add(node, path, text(kContext, "more than %1 values", {std::to_string(kMaxValues)}),
                          text(kContext, "An alias (*name) counts each time it is used."));
            return false;
        }
        if (node.IsScalar() && node.Scalar().find('\0') != std::string::npos) {
            problems_.add(node, path, text(kContext, "holds a zero byte"),
                          text(kContext, "Leave out the \\0."));
        }
        bool fine = true;
        for (std::size_t i = 0; node.IsSequence() && fine && i < node.size(); ++i) {
            fine = run(node[i], path + '[' + std::to_string(i) + ']', depth + 1);
        }
        return fine && (!node.IsMap() || run_mapping(node, path, depth));
    }

private:
    bool run_mapping(const YAML::Node& node, const std::string& path, int depth) {
        std::set<std::string> seen;
        bool fine = true;
        for (auto entry = node.begin(); fine && entry != node.end(); ++entry) {
            const std::string key = entry->first.IsScalar() ? entry->first.Scalar() : shown(entry->first);
            const std::string below = path.empty() ? key : path + '.' + key;
            if (!seen.insert(key).second) {
                problems_.add(entry->first, below, text(kContext, "given twice"),
                              text(kContext, "Keep one of the two."));
            }
            fine = run(entry->first, below, depth + 1) && run(entry->second, below, depth + 1);
        }
        return fine;
    }

    YamlProblems& problems_;
    int values_ = 0;
};

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
    if (const auto bad = first_bad_byte(content); bad != std::string::npos) {
        const auto line =
            std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
        problems.add_line(static_cast<int>(line), text(kContext, "not UTF-8 text"),
                          text(kContext, "Save the file as UTF-8."));
        return std::nullopt;
    }
    // yaml-cpp recurses once per nesting level; a file of brackets must not exhaust the stack.
    int depth = 0;
    for (const char c : content) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (depth > kMaxDepth) {
            problems.add_line(0, text(kContext, "nested deeper than %1 levels", {std::to_string(kMaxDepth)}),
                              "");
            return std::nullopt;
        }
    }
    try {
        const YAML::Node root = YAML::Load(content);
        return TreeCheck(problems).run(root, "", 0) ? std::optional(root) : std::nullopt;
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
        problems_.add(at(key), path_of(key),
                      rankscope::text(kContext, "%1 is not a whole number", {shown(at(key))}),
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
                      rankscope::text(kContext, "Give a number from %1 to %2.",
                                      {plain_number(min), plain_number(max)}));
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
        problems_.add(node, path_of(key),
                      rankscope::text(kContext, "%1 is not a list of texts", {shown(node)}),
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
        problems_.add(node, path_of(key),
                      rankscope::text(kContext, "%1 is not a mapping of names to texts", {shown(node)}),
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
    std::sort(known_.begin(), known_.end());
    known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
    for (const auto& entry : mapping_) {
        const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : shown(entry.first);
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
                object[entry.first.IsScalar() ? entry.first.Scalar() : std::string("?")] =
                    yaml_to_json(entry.second);
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
        case YAML::NodeType::Scalar:
            break;
        default:
            return nullptr;
    }
    const std::string& word = node.Scalar();
    if (node.Tag() == "!" || node.Tag() == "tag:yaml.org,2002:str") {  // quoted in the file, or !!str
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
        std::vector<std::vector<std::size_t>> d(word.size() + 1,
                                                std::vector<std::size_t>(candidate.size() + 1));
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
