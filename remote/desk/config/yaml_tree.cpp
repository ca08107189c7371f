// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/desk/config/yaml_tree.h>
#include <remote/desk/text.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace rankscope {
namespace {

using config::ConfigNode;
using config::ConfigProblems;

constexpr const char* kContext = "YamlReader";
constexpr int kMaxDepth = 64;
constexpr int kMaxValues = 200000;

/// Copies yaml-cpp's nodes into the tree and stops at what YAML allows and no reader here can stand: values
/// that contain themselves or multiply through aliases.
class TreeCopy {
public:
    explicit TreeCopy(ConfigProblems& problems) : problems_(problems) {}

    /// false: the document must not be read at all.
    bool copy(const YAML::Node& from, const std::string& path, int depth, ConfigNode& to) {
        to.line = from.Mark().line + 1;
        if (depth > kMaxDepth) {
            add(to.line, path, text(kContext, "nested deeper than %1 levels", {std::to_string(kMaxDepth)}),
                text(kContext, "Check the aliases (*name): one may contain itself."));
            return false;
        }
        if (++values_ > kMaxValues) {
            add(to.line, path, text(kContext, "more than %1 values", {std::to_string(kMaxValues)}),
                text(kContext, "An alias (*name) counts each time it is used."));
            return false;
        }
        switch (from.Type()) {
            case YAML::NodeType::Scalar:
                copy_scalar(from, path, to);
                return true;
            case YAML::NodeType::Sequence:
                return copy_list(from, path, depth, to);
            case YAML::NodeType::Map:
                return copy_mapping(from, path, depth, to);
            default:
                return true;
        }
    }

private:
    void add(int line, const std::string& path, std::string message, std::string remedy) {
        problems_.push_back({path, std::move(message), std::move(remedy), line});
    }

    void copy_scalar(const YAML::Node& from, const std::string& path, ConfigNode& to) {
        to.kind = ConfigNode::Kind::Scalar;
        to.text = from.Scalar();
        // "!": in quotes in the file.
        to.plain = from.Tag() != "!" && from.Tag() != "tag:yaml.org,2002:str";
        if (to.text.find('\0') != std::string::npos) {
            add(to.line, path, text(kContext, "contains a zero byte"), text(kContext, "Leave out the \\0."));
        }
    }

    bool copy_list(const YAML::Node& from, const std::string& path, int depth, ConfigNode& to) {
        to.kind = ConfigNode::Kind::List;
        for (const auto& item : from) {
            to.items.emplace_back();
            if (!copy(item, path + '[' + std::to_string(to.items.size() - 1) + ']', depth + 1,
                      to.items.back())) {
                return false;
            }
        }
        return true;
    }

    bool copy_mapping(const YAML::Node& from, const std::string& path, int depth, ConfigNode& to) {
        to.kind = ConfigNode::Kind::Mapping;
        std::set<std::string> seen;
        for (const auto& entry : from) {
            ConfigNode key;
            if (!copy(entry.first, path, depth + 1, key)) {
                return false;
            }
            ConfigNode::Entry made{key.is_scalar() ? key.text : config::shown(key), key.line, {}};
            const std::string below = path.empty() ? made.key : path + '.' + made.key;
            if (!seen.insert(made.key).second) {
                add(key.line, below, text(kContext, "given twice"), text(kContext, "Keep one of the two."));
            }
            if (!copy(entry.second, below, depth + 1, made.value)) {
                return false;
            }
            to.entries.push_back(std::move(made));
        }
        return true;
    }

    ConfigProblems& problems_;
    int values_ = 0;
};

}  // namespace

std::optional<ConfigNode> read_yaml(const std::string& content, ConfigProblems& problems) {
    if (const auto bad = first_bad_byte(content); bad != std::string::npos) {
        const auto line =
            std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(bad), '\n') + 1;
        problems.push_back({"", text(kContext, "not UTF-8 text"), text(kContext, "Save the file as UTF-8."),
                            static_cast<int>(line)});
        return std::nullopt;
    }
    // yaml-cpp recurses once per nesting level; a file of brackets must not exhaust the stack.
    int depth = 0;
    for (const char c : content) {
        depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (depth > kMaxDepth) {
            problems.push_back(
                {"", text(kContext, "nested deeper than %1 levels", {std::to_string(kMaxDepth)}), ""});
            return std::nullopt;
        }
    }
    try {
        ConfigNode root;
        return TreeCopy(problems).copy(YAML::Load(content), "", 0, root) ? std::optional(std::move(root))
                                                                         : std::nullopt;
    } catch (const YAML::Exception& error) {
        problems.push_back({"", text(kContext, "not valid YAML: %1", {error.msg}),
                            text(kContext, "Check indentation, quotes and brackets near column %1.",
                                 {std::to_string(error.mark.column + 1)}),
                            error.mark.line + 1});
        return std::nullopt;
    }
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
