// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_text_help.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_cursor.h>
#include <remote/logs/variables/variable_table.h>

#include <algorithm>
#include <set>

namespace rankscope::inline jobs {
namespace {

using config::KeyInfo;
using config::KeyKind;
using logs::VariableInfo;
using logs::VariableTable;

constexpr const char* kKeys = "JobKeys";  // the context of the table's texts
constexpr const char* kContext = "JobHelp";

const KeyInfo* key_at(const std::string& path) {
    const auto& all = all_job_keys();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const KeyInfo& info) { return info.path == path; });
    return found == all.end() ? nullptr : &*found;
}

std::string in_words(const char* source) {
    return *source == '\0' ? std::string() : text(kKeys, source);
}

/// Whether names of variables stand below it: env, node_env.node1, rank_env.0.
bool holds_variables(const std::string& path) {
    const auto below = [&](const char* root) {
        return path.starts_with(root) && path.find('.', std::string(root).size()) == std::string::npos;
    };
    return path == "env" || below("node_env.") || below("rank_env.");
}

bool is_family(const VariableInfo& info) {
    return info.name.ends_with('*');
}

std::vector<JobSuggestion> variables() {
    std::vector<JobSuggestion> found;
    for (const VariableInfo& info : VariableTable::own().all()) {
        if (!is_family(info) && info.until.empty()) {
            found.push_back({info.name + ": ", info.meaning});
        }
    }
    return found;
}

std::vector<JobSuggestion> keys_below(const std::string& parent, const std::set<std::string>& there) {
    std::vector<JobSuggestion> found;
    std::set<std::string> seen;
    const std::string start = parent.empty() ? std::string() : parent + '.';
    for (const KeyInfo& info : all_job_keys()) {
        if (!info.path.starts_with(start)) {
            continue;
        }
        const auto dot = std::min(info.path.find('.', start.size()), info.path.size());
        const std::string path = info.path.substr(0, dot);
        if (there.contains(path) || !seen.insert(path).second) {
            continue;
        }
        const bool leaf = dot == info.path.size();
        found.push_back({path.substr(start.size()) + ": ", in_words(leaf ? info.help : info.group)});
    }
    return found;
}

std::vector<JobSuggestion> values_of(const std::string& path, const std::vector<std::string>& nodes) {
    std::vector<JobSuggestion> found;
    const KeyInfo* info = key_at(path);
    if (info == nullptr || info->choices.empty()) {  // `model: convnet` is short for model.name
        const KeyInfo* name = key_at(path + ".name");
        info = name == nullptr ? info : name;
    }
    if (path == "nodes" || path == "master" || path == "slurm.login") {
        for (const std::string& node : nodes) {
            found.push_back({node, {}});
        }
        found.push_back({kLocalNodeName, text(kContext, "this computer")});
        if (path == "nodes") {
            found.push_back({"all", text(kContext, "every node of the inventory")});
        }
    } else if (info != nullptr && info->kind == KeyKind::Flag) {
        found = {{"true", {}}, {"false", {}}};
    } else if (info != nullptr) {
        const std::string normal = info->normal.is_string() ? info->normal.get<std::string>() : std::string();
        for (const std::string& choice : info->choices) {
            found.push_back({choice, choice == normal ? text(kContext, "the default") : std::string()});
        }
    }
    return found;
}

std::vector<JobSuggestion> values_of_variable(const std::string& name) {
    std::vector<JobSuggestion> found;
    if (const VariableInfo* info = VariableTable::own().find(name)) {
        for (const std::string& choice : info->choices) {
            found.push_back(
                {choice, choice == info->default_text ? text(kContext, "the default") : std::string()});
        }
    }
    return found;
}

std::string help_of(const VariableInfo& info, const std::string& name) {
    std::string help = name + "\n" + info.meaning;
    help += "\n" + text(kContext, "Values: %1", {info.values});
    if (!info.default_text.empty()) {
        help += "\n" + text(kContext, "Default: %1", {info.default_text});
    }
    return help;
}

}  // namespace

std::vector<JobSuggestion> job_suggestions(std::string_view yaml, std::size_t at,
                                           const std::vector<std::string>& nodes) {
    const YamlCursor cursor = cursor_in_yaml(yaml, at);
    const std::string parent = joined_path(cursor.parents);
    if (cursor.nowhere) {
        return {};
    }
    if (cursor.in_value) {
        return holds_variables(parent)
                   ? values_of_variable(cursor.key)
                   : values_of(parent.empty() ? cursor.key : parent + '.' + cursor.key, nodes);
    }
    return holds_variables(parent) ? variables() : keys_below(parent, key_paths_in_yaml(yaml));
}

std::string job_key_help(const std::string& path) {
    const auto dot = path.rfind('.');
    if (dot != std::string::npos && holds_variables(path.substr(0, dot))) {
        const std::string name = path.substr(dot + 1);
        const VariableInfo* info = VariableTable::own().find(name);
        return info == nullptr ? std::string() : help_of(*info, name);
    }
    const KeyInfo* info = key_at(path);
    if (info == nullptr) {
        std::string below;
        for (const JobSuggestion& key : keys_below(path, {})) {
            below += (below.empty() ? "" : ", ") + key.text.substr(0, key.text.find(':'));
        }
        return below.empty() ? std::string() : path + "\n" + text(kContext, "Keys: %1", {below});
    }
    std::string help = path + ": " + type_of(*info);
    if (*info->help != '\0') {
        help += "\n" + in_words(info->help);
    }
    if (const std::string normal = default_of(*info); !normal.empty()) {
        help += "\n" + text(kContext, "Default: %1", {normal});
    }
    if (*info->example != '\0') {
        help += "\n" + text(kContext, "Example: %1", {info->example});
    }
    return help;
}

std::string job_help_at(std::string_view yaml, std::size_t at) {
    const YamlCursor cursor = cursor_in_yaml(yaml, at);
    if (cursor.nowhere || cursor.key.empty()) {
        return {};
    }
    const std::string parent = joined_path(cursor.parents);
    return job_key_help(parent.empty() ? cursor.key : parent + '.' + cursor.key);
}

}  // namespace rankscope::inline jobs
