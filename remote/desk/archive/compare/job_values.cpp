// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/compare/job_values.h>
#include <remote/desk/archive/failure_bundle/run_redactor.h>
#include <remote/desk/shared/yaml_tree.h>

namespace rankscope::inline archive {
namespace {

constexpr std::size_t kLongest = 300;

std::string value_text(const config::ConfigNode& node) {
    switch (node.kind) {
        case config::ConfigNode::Kind::Scalar:
            return node.text;
        case config::ConfigNode::Kind::List: {
            std::string text;
            for (const auto& item : node.items) {
                text += (text.empty() ? "[" : ", ") + value_text(item);
                if (text.size() > kLongest) {
                    return text;
                }
            }
            return text.empty() ? "[]" : text + "]";
        }
        case config::ConfigNode::Kind::Mapping: {
            std::string text;
            for (const auto& entry : node.entries) {
                text += (text.empty() ? "{" : ", ") + entry.key + ": " + value_text(entry.value);
                if (text.size() > kLongest) {
                    return text;
                }
            }
            return text.empty() ? "{}" : text + "}";
        }
        case config::ConfigNode::Kind::Null:
            break;
    }
    return {};
}

// Cuts between characters.
std::string shortened(std::string text) {
    if (text.size() > kLongest) {
        std::size_t end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
            --end;
        }
        text = text.substr(0, end) + "…";
    }
    return text;
}

void flatten(const config::ConfigNode& node, const std::string& path,
             std::map<std::string, std::string>& out) {
    for (const auto& entry : node.entries) {
        if (out.size() >= kMostJobValues) {
            return;
        }
        const std::string key = shortened(path.empty() ? entry.key : path + "." + entry.key);
        if (entry.value.is_mapping() && !entry.value.entries.empty()) {
            flatten(entry.value, key, out);
        } else {
            out.emplace(key, shortened(value_text(entry.value)));
        }
    }
}

}  // namespace

std::map<std::string, std::string> job_values(const std::string& job_yaml, const std::string& name) {
    std::map<std::string, std::string> values;
    RunRecord run;
    run.job_yaml = job_yaml;
    run.name = name;
    Redactor redactor = redactor_of(run);
    config::ConfigProblems problems;
    if (const auto tree = read_yaml(shown_job(run, redactor, "job"), problems); tree && tree->is_mapping()) {
        flatten(*tree, "", values);
    } else if (!tree && !problems.empty()) {
        values.emplace(kUnreadableJob, shortened(to_sentence(problems.front())));
    }
    return values;
}

}  // namespace rankscope::inline archive
