// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_edit.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_edit.h>
#include <remote/desk/shared/yaml_tree.h>

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstddef>

namespace rankscope::inline jobs {
namespace {

using nlohmann::json;

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

/// Why the path leads through something that is no mapping; empty: it does not.
std::string obstacle(const json& root, const std::vector<std::string>& levels) {
    const json* value = &root;
    for (const std::string& level : levels) {
        if (!value->is_object() && !value->is_null()) {
            return text(kContext, "The value above \"%1\" is no mapping.", {level});
        }
        if (!value->is_object() || !value->contains(level)) {
            break;
        }
        value = &(*value)[level];
    }
    return {};
}

Result<YamlEdit> edit_of(const std::string& assignment, const json& root) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        return wrong(assignment, text(kContext, "This is no assignment."));
    }
    YamlEdit edit{levels_of(assignment.substr(0, equals)), nullptr};
    if (std::find(edit.path.begin(), edit.path.end(), "") != edit.path.end()) {
        return wrong(assignment, text(kContext, "A part of the key is empty."));
    }
    if (const std::string why = obstacle(root, edit.path); !why.empty()) {
        return wrong(assignment, why);
    }
    config::ConfigProblems problems;
    const auto value = read_yaml(assignment.substr(equals + 1), problems);
    if (!value || !problems.empty()) {
        return wrong(assignment, text(kContext, "The value is no YAML: %1.", {problems.front().message}));
    }
    edit.value = config::to_json(*value);
    return edit;
}

bool is_empty(const json& value) {
    return value.is_null() || value == "" || (value.is_array() && value.empty());
}

/// The document's values with those of the job in which the two differ.
json with_values(const json& document, const Job& written, const Job& job) {
    json result = document;
    for (const auto& key : job_keys().keys) {
        const config::KeyInfo& info = key.info;
        const json value = key.write(job);
        if (value == key.write(written)) {
            continue;
        }
        const bool there = !config::value_at(document, info.path).is_null();
        const bool normal = value == info.normal;
        if (is_empty(value) || (normal && !applies(info, job))) {
            config::set_at(result, info.path, nullptr);
        } else if (there || !normal) {
            config::set_at(result, info.path, value);
        }
    }
    const auto is_empty_mapping = [](const json& value) { return value.is_object() && value.empty(); };
    for (const config::SectionInfo& section : job_keys().sections) {
        const std::string& name = section.path;
        if (result.contains(name) && is_empty_mapping(result[name]) && !is_empty_mapping(document[name])) {
            result.erase(name);
        }
    }
    if (job.checkpoint_signal.empty() && !written.checkpoint_signal.empty()) {
        result.erase("checkpoint");
    }
    for (const JobLauncher& launcher : job_launchers()) {
        const bool changed =
            job.launcher != written.launcher || written.launcher_options.contains(launcher.name);
        if (changed && !job.launcher_options.contains(launcher.name)) {
            result.erase(launcher.name);
        }
    }
    return result;
}

}  // namespace

Result<std::string> with_assignments(const std::string& yaml, const std::vector<std::string>& assignments) {
    std::string now = yaml;
    for (const auto& assignment : assignments) {
        config::ConfigProblems problems;
        const auto root = read_yaml(now, problems);
        if (!root || !problems.empty()) {
            const std::string why = problems.empty() ? std::string() : problems.front().message;
            return Failure{"bad-file", "", text(kContext, "The job's text cannot be read: %1.", {why}), "",
                           ""};
        }
        const auto edit = edit_of(assignment, config::to_json(*root));
        if (!edit) {
            return edit.failure();
        }
        auto edited = edit_yaml(now, {*edit});
        if (!edited) {
            return edited;
        }
        now = *edited;
    }
    return now;
}

Result<std::string> with_changes(const std::string& yaml, const Job& before, const Job& after) {
    config::ConfigProblems problems;
    const auto root = read_yaml(yaml, problems);
    if (!root || !problems.empty()) {
        return edit_yaml(yaml, {});
    }
    const json document = root->is_mapping() ? config::to_json(*root) : json::object();
    return edit_yaml(yaml, yaml_edits(document, with_values(document, before, after)));
}

Result<std::string> with_job(const std::string& yaml, const Job& job) {
    return with_changes(yaml, parse_job(yaml, job.file).job, job);
}

Result<std::string> without_keys(const std::string& yaml, const config::ConfigProblems& faults) {
    config::ConfigProblems problems;
    const auto root = read_yaml(yaml, problems);
    if (!root || !problems.empty()) {
        return edit_yaml(yaml, {});
    }
    const json document = root->is_mapping() ? config::to_json(*root) : json::object();
    std::vector<YamlEdit> edits;
    for (const config::ConfigProblem& fault : faults) {
        // A fault within a value ("nodes[2]", a variable of env) takes the value out.
        std::string path = fault.path.substr(0, fault.path.find('['));
        while (config::value_at(document, path).is_null() && path.find('.') != std::string::npos) {
            path.resize(path.rfind('.'));
        }
        if (!path.empty() && path != "train") {
            edits.push_back({levels_of(path), nullptr});
        }
    }
    return edit_yaml(yaml, edits);
}

}  // namespace rankscope::inline jobs
