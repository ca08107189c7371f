// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/foreign_yaml.h>
#include <base/utf8.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_tree.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace rankscope {
namespace {

using config::ConfigNode;
using config::ConfigProblems;

constexpr const char* kContext = "YamlReader";
constexpr std::size_t kMostProblems = 100;
constexpr std::size_t kLongestPath = 200;

/// Where a value is: written out only where something is wrong with it.
struct Place {
    const Place* outer = nullptr;
    const std::string* key = nullptr;  ///< in a mapping; else in a list
    std::size_t index = 0;

    std::string path() const {
        std::string text = outer == nullptr ? std::string() : outer->path();
        if (key != nullptr) {
            text += (text.empty() ? "" : ".") + key->substr(0, kLongestPath);
        } else if (outer != nullptr) {
            text += '[' + std::to_string(index) + ']';
        }
        return text.size() > kLongestPath ? text.substr(0, kLongestPath) : text;
    }
};

/// Copies yaml-cpp's nodes, of which there are not too many, into the tree.
class TreeCopy {
public:
    explicit TreeCopy(ConfigProblems& problems) : problems_(problems) {}

    void copy(const YAML::Node& from, const Place& place, ConfigNode& to) {
        to.line = from.Mark().line + 1;
        switch (from.Type()) {
            case YAML::NodeType::Scalar:
                copy_scalar(from, place, to);
                break;
            case YAML::NodeType::Sequence:
                copy_list(from, place, to);
                break;
            case YAML::NodeType::Map:
                copy_mapping(from, place, to);
                break;
            default:
                break;
        }
    }

private:
    void add(int line, const Place& place, std::string message, std::string remedy) {
        if (problems_.size() < kMostProblems) {
            problems_.push_back({place.path(), std::move(message), std::move(remedy), line});
        }
    }

    void copy_scalar(const YAML::Node& from, const Place& place, ConfigNode& to) {
        to.kind = ConfigNode::Kind::Scalar;
        to.text = from.Scalar();
        // "!": in quotes in the file.
        to.plain = from.Tag() != "!" && from.Tag() != "tag:yaml.org,2002:str";
        if (to.text.find('\0') != std::string::npos) {
            add(to.line, place, text(kContext, "contains a zero byte"), text(kContext, "Leave out the \\0."));
        }
    }

    void copy_list(const YAML::Node& from, const Place& place, ConfigNode& to) {
        to.kind = ConfigNode::Kind::List;
        for (const auto& item : from) {
            to.items.emplace_back();
            copy(item, {&place, nullptr, to.items.size() - 1}, to.items.back());
        }
    }

    void copy_mapping(const YAML::Node& from, const Place& place, ConfigNode& to) {
        to.kind = ConfigNode::Kind::Mapping;
        std::set<std::string> seen;
        for (const auto& entry : from) {
            ConfigNode key;
            copy(entry.first, place, key);
            ConfigNode::Entry made{key.is_scalar() ? key.text : config::shown(key), key.line, {}};
            const Place below{&place, &made.key};
            if (!seen.insert(made.key).second) {
                add(key.line, below, text(kContext, "given twice"), text(kContext, "Keep one of the two."));
            }
            copy(entry.second, below, made.value);
            to.entries.push_back(std::move(made));
        }
    }

    ConfigProblems& problems_;
};

config::ConfigProblem problem_of(const YamlExcess& excess, const YamlLimits& limits) {
    const int line = excess.mark.line + 1;
    switch (excess.kind) {
        case YamlExcess::Kind::Bytes:
            return {"", text(kContext, "longer than %1 bytes", {std::to_string(limits.bytes)}), "", line};
        case YamlExcess::Kind::Depth:
            return {"", text(kContext, "nested deeper than %1 levels", {std::to_string(limits.depth)}),
                    text(kContext, "Check the aliases (*name): one may contain itself."), line};
        case YamlExcess::Kind::Values:
            break;
    }
    return {"", text(kContext, "more than %1 values", {std::to_string(limits.values)}),
            text(kContext, "An alias (*name) counts each time it is used."), line};
}

}  // namespace

std::optional<ConfigNode> read_yaml(const std::string& content, ConfigProblems& problems) {
    const YamlLimits limits;
    try {
        if (const auto bad = first_bad_byte(content);
            bad != std::string::npos && content.size() <= limits.bytes) {
            const auto line =
                std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
            problems.push_back({"", text(kContext, "not UTF-8 text"),
                                text(kContext, "Save the file as UTF-8."), static_cast<int>(line)});
            return std::nullopt;
        }
        ConfigNode root;
        TreeCopy(problems).copy(load_yaml(content, limits), {}, root);
        return root;
    } catch (const YamlExcess& excess) {
        problems.push_back(problem_of(excess, limits));
    } catch (const YAML::Exception& error) {
        problems.push_back({"", text(kContext, "not valid YAML: %1", {error.msg}),
                            text(kContext, "Check indentation, quotes and brackets near column %1.",
                                 {std::to_string(error.mark.column + 1)}),
                            error.mark.line + 1});
    }
    return std::nullopt;
}

std::vector<Failure> failures_of(const ConfigProblems& problems, const std::filesystem::path& file) {
    std::vector<Failure> failures;
    for (const config::ConfigProblem& problem : problems) {
        Failure failure;
        failure.code = "bad-file";
        failure.where = file.string() + (problem.line > 0 ? ':' + std::to_string(problem.line) : "");
        failure.what = problem.message;
        failure.remedy = problem.remedy;
        failure.key = problem.path;
        failure.file = file.string();
        failure.line = problem.line;
        failures.push_back(std::move(failure));
    }
    return failures;
}

}  // namespace rankscope
