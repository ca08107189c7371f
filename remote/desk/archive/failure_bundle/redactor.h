// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace YAML {
class Node;
}

namespace rankscope::inline archive {

/// What was replaced in a bundle, for the user to check.
struct Redaction {
    std::string what;   ///< "the value of HF_TOKEN", "a token of GitHub"
    std::string where;  ///< "output of rank 3", "plan.json"
    std::string why;    ///< one sentence
    std::uint64_t times = 0;

    bool operator==(const Redaction&) const = default;
};

struct RedactOptions {
    std::set<std::string> secret_names = {};  ///< variables, besides those whose names look secret
    bool hide_users = false;                  ///< names of users: in paths of home folders, before @
};

/// Replaces passwords, tokens and keys in texts, and remembers what and where. A value that was found once is replaced
/// wherever it occurs. The number of lines of a text does not change.
class Redactor {
public:
    explicit Redactor(RedactOptions options);
    ~Redactor();
    Redactor(Redactor&&) noexcept;
    Redactor& operator=(Redactor&&) noexcept;

    std::string redact(std::string_view text, const std::string& where);
    /// All texts in it; keys are the names of their values, and lists may be commands.
    void redact(nlohmann::ordered_json& json, const std::string& where);
    /// The same of a YAML text, which loses its comments where a value is replaced. What is not YAML is redacted as text.
    std::string redact_yaml(const std::string& yaml, const std::string& where);

    /// What was replaced since the last call, in the order in which it was found.
    std::vector<Redaction> take_list();
    /// How many values are known, which are replaced wherever they occur.
    std::size_t known() const { return known_.size(); }

private:
    struct Pattern;

    bool is_secret(std::string_view name) const;
    std::string redact_value(const std::string& secret, const std::string& name, const std::string& where);
    std::vector<std::string> redact_words(std::vector<std::string> words, const std::string& where);
    void redact_below(nlohmann::ordered_json& json, const std::string& name, const std::string& where);
    bool redact_node(YAML::Node node, const std::string& name, const std::string& where);
    void note(const std::string& what, const std::string& where, const std::string& why);
    void learn(const std::string& value, const std::string& what);
    void replace_matches(const Pattern& pattern, std::string& text, const std::string& where);
    void replace_known(std::string& text, const std::string& where);

    RedactOptions options_;
    std::vector<Pattern> patterns_;
    std::map<std::string, std::string> known_;  ///< value → what it is
    std::vector<Redaction> list_;
    std::map<std::pair<std::string, std::string>, std::size_t> index_;  ///< by what and where
};

/// What stands for a value that was replaced.
inline constexpr const char* kRedacted = "[redacted]";

}  // namespace rankscope::inline archive
