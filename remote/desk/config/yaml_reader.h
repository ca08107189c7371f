// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

/// Collects what is wrong with a YAML file: each fault with file, line, key and what would be right.
class YamlProblems {
public:
    explicit YamlProblems(std::filesystem::path file) : file_(std::move(file)) {}

    void add(const YAML::Node& at, const std::string& key, const std::string& what,
             const std::string& remedy);
    void add_line(int line, const std::string& what, const std::string& remedy);
    std::vector<Failure> take() { return std::move(problems_); }
    bool empty() const { return problems_.empty(); }

private:
    std::filesystem::path file_;
    std::vector<Failure> problems_;
};

/// Parses the text; a syntax error becomes one problem with its line, and nothing is returned. Keys given
/// twice, at any depth, are problems as well.
std::optional<YAML::Node> load_yaml(const std::string& text, YamlProblems& problems);

/// The keys of one mapping, each read once, in the form: reader.text("host", &node.host). Unknown keys are
/// problems that name the nearest known one.
class YamlMapping {
public:
    YamlMapping(const YAML::Node& mapping, std::string path, YamlProblems& problems);

    bool has(const std::string& key) const;
    YAML::Node at(const std::string& key) const;
    /// Each returns whether the key is there and right; a wrong type or value is a problem, `out` stays as it
    /// was.
    bool text(const std::string& key, std::string& out);
    bool whole(const std::string& key, int& out, int min, int max);
    bool number(const std::string& key, double& out, double min, double max);
    bool texts(const std::string& key, std::vector<std::string>& out);
    bool text_map(const std::string& key, std::map<std::string, std::string>& out);
    /// A key that the caller reads by hand through at().
    YAML::Node take(const std::string& key);
    void require(const std::string& key, const std::string& example);
    /// To be called last: names the keys that nobody asked for.
    void finish();
    YamlProblems& problems() { return problems_; }
    std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + '.' + key; }

private:
    const YAML::Node mapping_;
    std::string path_;
    YamlProblems& problems_;
    std::vector<std::string> known_;
};

/// YAML scalars as JSON has them: null, true/false, whole and other numbers, else text (quoted scalars stay
/// text).
nlohmann::json yaml_to_json(const YAML::Node& node);

/// The known word nearest to `word` (Damerau-Levenshtein distance ≤ 2), or empty.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace rankscope
