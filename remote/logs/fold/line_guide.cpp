// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/foreign_yaml.h>
#include <remote/logs/fold/line_guide.h>
#include <remote/logs/read/own_resource.h>

#include <yaml-cpp/yaml.h>

#include <set>

namespace rankscope::logs {
namespace {

const std::set<std::string> kKeys{"line", "subsystem", "meaning", "since", "until", "some", "own"};

std::string text_of(const YAML::Node& node) {
    return node && node.IsScalar() ? node.Scalar() : std::string();
}

}  // namespace

bool fits(std::string_view pattern, std::string_view text) {
    std::size_t at = 0;
    std::size_t in = 0;
    std::size_t star = pattern.npos;
    std::size_t retry = 0;
    while (in < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            retry = in;
        } else if (at < pattern.size() && pattern[at] == text[in]) {
            ++at;
            ++in;
        } else if (star != pattern.npos) {
            at = star + 1;
            in = ++retry;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', at) == pattern.npos;
}

LineGuide LineGuide::parse(const std::string& text, const std::string& file,
                           std::vector<std::string>& problems) {
    LineGuide guide;
    YAML::Node root;
    try {
        root = load_yaml(text);
    } catch (const YAML::Exception& error) {
        problems.push_back(file + ':' + std::to_string(error.mark.line + 1) + ": " + error.msg);
        return guide;
    }
    if (!root.IsSequence()) {
        problems.push_back(file + ": a list of lines is expected");
        return guide;
    }
    for (const auto& node : root) {
        const auto problem = [&](const std::string& message) {
            problems.push_back(file + ':' + std::to_string(node.Mark().line + 1) + ": " + message);
        };
        if (!node.IsMap()) {
            problem("an entry is a map of keys");
            continue;
        }
        bool known = true;
        for (const auto& item : node) {
            if (!kKeys.contains(text_of(item.first))) {
                problem("unknown key \"" + text_of(item.first) + "\"");
                known = false;
            }
        }
        LineMeaning entry{.pattern = text_of(node["line"]),
                          .subsystem = text_of(node["subsystem"]),
                          .meaning = text_of(node["meaning"]),
                          .since = text_of(node["since"]),
                          .until = text_of(node["until"]),
                          .some = text_of(node["some"]) == "true",
                          .own = text_of(node["own"]) == "true"};
        if (entry.pattern.empty() || entry.subsystem.empty() || entry.meaning.empty()) {
            problem("an entry needs `line`, `subsystem` and `meaning`");
        } else if (known) {
            guide.entries_.push_back(std::move(entry));
        }
    }
    return guide;
}

LineGuide LineGuide::own() {
    const auto file = own_resource("nccl_lines.yaml");
    std::vector<std::string> problems;
    const auto text = file.empty() ? std::nullopt : read_file(file);
    return text ? parse(*text, file.string(), problems) : LineGuide();
}

const LineMeaning* LineGuide::find(std::string_view message) const {
    for (const auto& entry : entries_) {
        if (fits(entry.pattern, message)) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace rankscope::logs
