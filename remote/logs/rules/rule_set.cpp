// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/logs/read/own_resource.h>
#include <remote/logs/rules/rule_set.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace rankscope::logs {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> rule_files(const fs::path& folder, std::vector<RuleProblem>& problems) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const auto extension = entry->path().extension();
        if (extension == ".yaml" || extension == ".yml") {
            files.push_back(entry->path());
        }
    }
    if (error) {
        problems.push_back({folder.string(), 0, error.message()});
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool has_signature(const std::vector<Rule>& rules, const Rule& own, const std::string& name) {
    const auto slash = name.find('/');
    const Rule* rule = &own;
    if (slash != std::string::npos) {
        const auto known = std::find_if(rules.begin(), rules.end(),
                                        [&](const Rule& r) { return r.id == name.substr(0, slash); });
        if (known == rules.end()) {
            return false;
        }
        rule = &*known;
    }
    const auto last = slash == std::string::npos ? name : name.substr(slash + 1);
    return std::any_of(rule->signatures.begin(), rule->signatures.end(),
                       [&](const Signature& signature) { return signature.name == last; });
}

void check_conditions(const std::vector<Rule>& rules, const Rule& rule,
                      const std::vector<Condition>& conditions, std::vector<RuleProblem>& problems) {
    for (const auto& condition : conditions) {
        for (const auto& name : {condition.of, condition.until}) {
            if (!name.empty() && !has_signature(rules, rule, name)) {
                problems.push_back({rule.file, condition.line, "no signature has the name \"" + name + '"'});
            }
        }
    }
}

void check_names(const std::vector<Rule>& rules, std::vector<RuleProblem>& problems) {
    for (const auto& rule : rules) {
        check_conditions(rules, rule, rule.when, problems);
        for (const auto& adjustment : rule.adjust) {
            check_conditions(rules, rule, adjustment.when, problems);
        }
        for (const auto& signature : rule.signatures) {
            check_conditions(rules, rule, signature.when, problems);
        }
    }
}

}  // namespace

RuleSet load_rules(const std::vector<fs::path>& folders) {
    RuleSet set;
    for (const auto& folder : folders) {
        std::set<std::string> here;
        for (const auto& file : rule_files(folder, set.problems)) {
            std::ifstream stream(file, std::ios::binary);
            std::ostringstream text;
            text << stream.rdbuf();
            if (!stream) {
                set.problems.push_back({file.string(), 0, "the file cannot be read"});
                continue;
            }
            for (auto& rule : parse_rules(text.str(), file.string(), set.problems)) {
                if (!here.insert(rule.id).second) {
                    set.problems.push_back(
                        {rule.file, rule.line, "the id \"" + rule.id + "\" is used twice"});
                    continue;
                }
                const auto known = std::find_if(set.rules.begin(), set.rules.end(),
                                                [&](const Rule& other) { return other.id == rule.id; });
                if (known != set.rules.end()) {
                    *known = std::move(rule);
                } else {
                    set.rules.push_back(std::move(rule));
                }
            }
        }
    }
    check_names(set.rules, set.problems);
    return set;
}

fs::path own_rule_folder() {
    return own_resource("rules");
}

fs::path user_rule_folder() {
    return user_config_dir() / "rules";
}

std::vector<fs::path> usual_rule_folders() {
    std::vector<fs::path> folders;
    if (auto own = own_rule_folder(); !own.empty()) {
        folders.push_back(std::move(own));
    }
    if (std::error_code error; fs::is_directory(user_rule_folder(), error)) {
        folders.push_back(user_rule_folder());
    }
    return folders;
}

}  // namespace rankscope::logs
