// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/config/job_edit.h>
#include <remote/desk/text.h>

#include <yaml-cpp/yaml.h>

#include <cstddef>

namespace rankscope {
namespace {

constexpr const char* kContext = "JobEdit";

std::vector<std::string> levels_of(const std::string& path) {
    std::vector<std::string> levels;
    std::size_t begin = 0;
    for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
        levels.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    levels.push_back(path.substr(begin));
    return levels;
}

Failure wrong(const std::string& assignment, const std::string& what) {
    return {"bad-assignment", assignment, what,
            text(kContext, "Write it as key=value, for example train.optimizer.lr=0.01."), ""};
}

// Empty: done; else what is wrong.
std::string assign(YAML::Node mapping, const std::vector<std::string>& levels, std::size_t at,
                   const YAML::Node& value) {
    const std::string& key = levels[at];
    if (key.empty()) {
        return text(kContext, "A part of the key is empty.");
    }
    if (mapping.IsDefined() && !mapping.IsMap() && !mapping.IsNull()) {
        return text(kContext, "What is above \"%1\" is no mapping.", {key});
    }
    if (at + 1 < levels.size()) {
        return assign(mapping[key], levels, at + 1, value);
    }
    if (value.IsNull()) {
        if (mapping.IsMap()) {
            mapping.remove(key);
        }
    } else {
        mapping[key] = value;
    }
    return {};
}

}  // namespace

Result<std::string> with_assignments(const std::string& yaml, const std::vector<std::string>& assignments) {
    if (assignments.empty()) {
        return yaml;
    }
    try {
        YAML::Node root = YAML::Load(yaml);
        for (const auto& assignment : assignments) {
            const auto equals = assignment.find('=');
            if (equals == std::string::npos || equals == 0) {
                return wrong(assignment, text(kContext, "This is no assignment."));
            }
            YAML::Node value;
            try {
                value = YAML::Load(assignment.substr(equals + 1));
            } catch (const YAML::Exception& error) {
                return wrong(assignment, text(kContext, "The value is no YAML: %1.", {error.msg}));
            }
            if (const auto why = assign(root, levels_of(assignment.substr(0, equals)), 0, value);
                !why.empty()) {
                return wrong(assignment, why);
            }
        }
        return YAML::Dump(root) + '\n';
    } catch (const YAML::Exception& error) {
        return Failure{"bad-file", "", text(kContext, "The job's text cannot be read: %1.", {error.msg}), "",
                       ""};
    }
}

}  // namespace rankscope
