// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The table of job keys for readers: docs/job-keys.md, JSON, a terminal.

#include <base/config/train_keys.h>
#include <base/text.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/yaml_write.h>

#include <algorithm>
#include <cmath>

namespace rankscope::inline jobs {
namespace {

using config::KeyInfo;
using config::KeyKind;
using nlohmann::json;

std::string range_of(const KeyInfo& info) {
    const std::string sentence = config::range_sentence(info);  // "Give a number from 0 to 3600."
    return sentence.substr(5, sentence.size() - 6);
}

std::vector<std::string> launchers_of(const KeyInfo& info) {
    std::vector<std::string> names;
    for (const JobLauncher& launcher : job_launchers()) {
        if (is_for_launcher(info, launcher)) {
            names.emplace_back(launcher.name);
        }
    }
    return names;
}

std::vector<std::string> programs_of(const KeyInfo& info) {
    std::vector<std::string> names;
    if ((info.applies & config::kNative) != 0) {
        names.emplace_back("native");
    }
    if ((info.applies & config::kOwnProgram) != 0) {
        names.emplace_back("own");
    }
    return names;
}

const char* scope_of(const KeyInfo& info) {
    switch (info.scope) {
        case config::Scope::Run:
            return "run";
        case config::Scope::Node:
            return "node";
        case config::Scope::Rank:
            return "rank";
    }
    return "run";
}

/// "slurm", "own program", "optimizer.name: sgd"; empty: everywhere.
std::string limits_of(const KeyInfo& info) {
    std::vector<std::string> limits = launchers_of(info);
    if (limits.size() == job_launchers().size()) {
        limits.clear();
    }
    if ((info.applies & config::kNative) == 0) {
        limits.emplace_back("own program");
    }
    if ((info.applies & config::kOwnProgram) == 0) {
        limits.emplace_back("native engine");
    }
    if (!info.when.empty()) {
        limits.push_back(std::string(info.when_key) + ": " + joined(info.when));
    }
    return joined(limits);
}

std::string in_cell(std::string text) {
    for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.insert(at, "\\");
    }
    return text;
}

/// The groups of keys as a reader of a job asks: where does it run, what, and what guards it.
struct Section {
    const char* name;                 ///< also of its first group
    std::vector<std::string> groups;  ///< further ones
};

std::vector<Section> sections() {
    Section where{"Where", {"Device and precision"}};
    for (const JobLauncher& launcher : job_launchers()) {
        for (const KeyInfo& info : all_job_keys()) {
            const bool own = *info.launcher != '\0' && info.launcher == std::string_view(launcher.name);
            if (own &&
                std::find(where.groups.begin(), where.groups.end(), info.group) == where.groups.end()) {
                where.groups.emplace_back(info.group);
            }
        }
    }
    Section what{"What", {}};
    const Section safety{"Safety", {}};
    for (const KeyInfo& info : all_job_keys()) {
        const std::string group = info.group;
        const auto in = [&](const Section& section) {
            return group == section.name ||
                   std::find(section.groups.begin(), section.groups.end(), group) != section.groups.end();
        };
        if (!in(where) && !in(what) && !in(safety)) {
            what.groups.push_back(group);
        }
    }
    return {where, what, safety};
}

void append_table(std::string& page, const std::string& group) {
    page += "| key | type | default | only for | meaning |\n|---|---|---|---|---|\n";
    for (const KeyInfo& info : all_job_keys()) {
        if (info.group != group) {
            continue;
        }
        const std::string normal = default_of(info);
        const bool code = !normal.empty() && normal != info.absent;
        std::string meaning = info.help;
        if (*info.example != '\0') {
            meaning += (meaning.empty() ? "`" : " Example: `") + std::string(info.example) + '`';
        }
        page += "| `" + info.path + "` | " + in_cell(type_of(info)) + " | " +
                (code ? '`' + in_cell(normal) + '`' : in_cell(normal)) + " | " + in_cell(limits_of(info)) +
                " | " + in_cell(meaning) + " |\n";
    }
}

}  // namespace

const std::vector<KeyInfo>& all_job_keys() {
    static const std::vector<KeyInfo> keys = [] {
        std::vector<KeyInfo> all;
        for (const auto& key : job_keys().keys) {
            all.push_back(key.info);
        }
        // Their texts are literals; the name of the condition needs the prefix as well.
        static std::vector<std::string> conditions;
        conditions.reserve(config::train_keys().keys.size());
        for (const auto& key : config::train_keys().keys) {
            KeyInfo info = key.info;
            info.path = "train." + info.path;
            info.applies = config::kNamedNodes | config::kChosenNodes | config::kNative;
            if (*info.when_key != '\0') {
                conditions.push_back(std::string("train.") + info.when_key);
                info.when_key = conditions.back().c_str();
            }
            all.push_back(info);
        }
        return all;
    }();
    return keys;
}

std::string type_of(const KeyInfo& info) {
    switch (info.kind) {
        case KeyKind::Text:
            return "text";
        case KeyKind::Whole:
        case KeyKind::Number:
            return range_of(info);
        case KeyKind::Flag:
            return "true or false";
        case KeyKind::Choice:
            return "one of " + joined(info.choices);
        case KeyKind::Words:
            return "list of texts";
        case KeyKind::TextMap:
            return "mapping of names to texts";
        case KeyKind::Special:
            return "see the example";
    }
    return "text";
}

std::string default_of(const KeyInfo& info) {
    const bool empty = info.normal.is_null() || info.normal == json("") || info.normal == json::array();
    if (info.required && *info.absent == '\0') {
        return "";
    }
    return empty ? info.absent : yaml_flow(info.normal);
}

std::string job_keys_markdown() {
    std::string page =
        "# Keys of a job file\n\n"
        "<!-- Made by `rankscopectl job keys --markdown` from the table of keys; change the table instead. "
        "-->\n\n"
        "A key is known by its path: `on_failure.grace_s` is\n\n"
        "```yaml\non_failure:\n  grace_s: 5\n```\n\n"
        "`rankscopectl job keys` prints this list in a terminal, and with `--json` for programs. A key "
        "without a\n"
        "default must be given. *Only for* names the jobs that a key is for; empty: all of them.\n";
    for (const Section& section : sections()) {
        page += std::string("\n## ") + section.name + "\n\n";
        append_table(page, section.name);
        for (const std::string& group : section.groups) {
            page += "\n### " + group + "\n\n";
            append_table(page, group);
        }
    }
    return page;
}

json job_keys_json() {
    json list = json::array();
    for (const KeyInfo& info : all_job_keys()) {
        json key{{"key", info.path},
                 {"type", type_of(info)},
                 {"default", info.normal},
                 {"required", info.required},
                 {"help", info.help},
                 {"launchers", launchers_of(info)},
                 {"programs", programs_of(info)},
                 {"scope", scope_of(info)}};
        if (std::isfinite(info.range.min)) {
            key["min"] = info.range.min;
        }
        if (std::isfinite(info.range.max)) {
            key["max"] = info.range.max;
        }
        if (!info.choices.empty()) {
            key["choices"] = info.choices;
        }
        if (*info.absent != '\0') {
            key["absent"] = info.absent;
        }
        if (*info.example != '\0') {
            key["example"] = info.example;
        }
        if (!info.when.empty()) {
            key["when"] = {{info.when_key, info.when}};
        }
        list.push_back(std::move(key));
    }
    return {{"keys", std::move(list)}};
}

std::string job_keys_text() {
    std::string out;
    const auto append = [&out](const std::string& group) {
        out += (out.empty() ? "" : "\n") + group + '\n';
        for (const KeyInfo& info : all_job_keys()) {
            if (info.group != group) {
                continue;
            }
            const std::string normal = default_of(info);
            const std::string limits = limits_of(info);
            out += "  " + info.path + "  (" + type_of(info) +
                   (normal.empty() ? "; required" : "; default: " + normal) +
                   (limits.empty() ? "" : "; only for " + limits) + ")\n";
            if (*info.help != '\0') {
                out += std::string("      ") + info.help + '\n';
            }
        }
    };
    for (const Section& section : sections()) {
        append(section.name);
        for (const std::string& group : section.groups) {
            append(group);
        }
    }
    return out;
}

}  // namespace rankscope::inline jobs
