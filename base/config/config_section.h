// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

/// Reading one object of a configuration with a message for every fault. Knows no key itself.
namespace rankscope::config {

/// One fault of a configuration: where it is, what is wrong and what would be right.
struct ConfigProblem {
    std::string path;     ///< key below `train`, for example "optimizer.lr"; empty: the section itself
    std::string message;  ///< for the person
    bool operator==(const ConfigProblem&) const = default;
};

using ConfigProblems = std::vector<ConfigProblem>;

inline constexpr double kMaxWhole =
    9007199254740992.0;                   ///< 2^53: beyond it not every reader of JSON is exact
inline constexpr double kNoLimit = 1e38;  ///< what a float can hold

/// A value as a message shows it: shortened JSON.
std::string shown(const nlohmann::json& value);
/// With up to 15 digits, as short as it can be.
std::string number_text(double number);
std::string joined(const std::vector<std::string>& names);
/// "; did you mean \"x\"?" for the nearest of the known names, or nothing when none is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

/// Reads one object: each call names one key, checks the value and stores it; what was never named is
/// unknown. Absent keys (and null: a YAML key with nothing behind it) leave the target as it is.
class ConfigSection {
public:
    ConfigSection(const nlohmann::json& object, std::string path, ConfigProblems& problems)
        : object_(object), path_(std::move(path)), problems_(problems) {}

    void add(const std::string& key, std::string message);

    /// nullptr when absent.
    const nlohmann::json* find(const std::string& key);
    /// The object behind the key; nullptr when absent. Anything else is a fault that shows `example`.
    const nlohmann::json* object(const std::string& key, const std::string& example);

    /// Whole numbers from min to max, into std::int64_t or an optional of it.
    void whole(const std::string& key, double min, double max, auto& target) {
        double number = 0;
        if (read_whole(key, min, max, number)) {
            target = static_cast<std::int64_t>(number);
        }
    }
    /// A number with min ≤ x < max, or min < x < max when `open`; into double or an optional of it.
    void real(const std::string& key, double min, bool open, double max, auto& target) {
        double number = 0;
        if (read_real(key, min, open, max, number)) {
            target = number;
        }
    }
    void flag(const std::string& key, bool& target);
    void text(const std::string& key, std::string& target);
    void name(const std::string& key, const std::vector<std::string>& names, bool required,
              std::string& target);
    void name_value(const std::string& key, const nlohmann::json& value,
                    const std::vector<std::string>& names, std::string& target);
    void report_unknown();

    std::string path_of(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

private:
    bool read_whole(const std::string& key, double min, double max, double& number);
    bool read_real(const std::string& key, double min, bool open, double max, double& number);

    const nlohmann::json& object_;
    std::string path_;
    ConfigProblems& problems_;
    std::vector<std::string> known_;
};

}  // namespace rankscope::config
