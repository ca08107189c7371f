// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_node.h>
#include <base/config/config_problem.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Tables of configuration keys. One entry says what a key is; the reader, the writer, the form of the window,
/// docs/job-keys.md and `rankscopectl job keys` are made from the table.
namespace rankscope::config {

enum class KeyKind { Text, Whole, Number, Flag, Choice, Words, TextMap, Special };

/// What a number may be. `above`: greater than min; `below`: less than max.
struct Range {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool above = false;
    bool below = false;
    bool operator==(const Range&) const = default;
};

inline constexpr double kMaxWhole =
    9007199254740992.0;                   ///< 2^53: beyond it not every reader of JSON is exact
inline constexpr double kNoLimit = 1e38;  ///< what a float can hold

/// Which jobs a key is for: bits. Jobs that name their nodes, jobs whose launcher chooses them; the native
/// engine, programs of the user.
enum Applies : unsigned { kNamedNodes = 1, kChosenNodes = 2, kNative = 4, kOwnProgram = 8, kEverywhere = 15 };
/// What a value holds for.
enum class Scope { Run, Node, Rank };

struct KeyInfo {
    std::string path{};  ///< "on_failure.grace_s"
    KeyKind kind = KeyKind::Text;
    Range range{};
    std::vector<std::string> choices{};
    nlohmann::json normal{};   ///< the default; null: none, see `absent`
    const char* label = "";    ///< of the form's field; & marks the letter that jumps to it
    const char* help = "";     ///< one or two sentences without the default
    const char* absent = "";   ///< what holds where the key is absent and has no default: "the data set's"
    const char* example = "";  ///< a line of a file
    const char* group = "";    ///< heading in forms and in the documentation
    bool required = false;
    bool rare = false;     ///< forms fold it away
    bool written = false;  ///< writers write it out even where it has its default
    unsigned applies = kEverywhere;
    const char* launcher = "";  ///< only for this one; empty: for all
    Scope scope = Scope::Run;
    /// What to do where the key is given for a job that it is not for; empty: it has no effect there.
    const char* refusal = "";
    const char* when_key = "";        ///< the key is only for some values of this one …
    std::vector<std::string> when{};  ///< … of these
};

/// Of a mapping that holds keys: an example, and the key that a single word in its place stands for.
struct SectionInfo {
    std::string path;
    const char* example = "";
    const char* shorthand = "";  ///< "name": `dataset: mnist` is {name: mnist}; empty: none
    bool required = false;
};

/// What a key's reader gets: the value, and where faults go.
struct KeyReader {
    const ConfigNode& node;
    const KeyInfo& info;
    std::string path;  ///< as messages name it
    bool quoted_numbers;
    ConfigProblems& problems;

    void add(std::string message, std::string remedy) const;
    /// Of one entry of the value.
    void add(const std::string& below, std::string message, std::string remedy) const;
};

/// Each stores the value if it is right; a wrong type, range or name is a problem, `out` stays as it was.
bool read_value(const KeyReader& reader, double& out);
bool read_value(const KeyReader& reader, std::int64_t& out);
bool read_value(const KeyReader& reader, int& out);
bool read_value(const KeyReader& reader, bool& out);
bool read_value(const KeyReader& reader, std::string& out);
bool read_value(const KeyReader& reader, std::vector<std::string>& out);
bool read_value(const KeyReader& reader, std::map<std::string, std::string>& out);

template <typename Value>
bool read_value(const KeyReader& reader, std::optional<Value>& out) {
    Value value{};
    if (!read_value(reader, value)) {
        return false;
    }
    out = std::move(value);
    return true;
}

/// "Give a whole number from 1 to 1024."
std::string range_sentence(const KeyInfo& info);

template <typename Value>
nlohmann::json value_to_json(const Value& value) {
    return value;
}
template <typename Value>
nlohmann::json value_to_json(const std::optional<Value>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

template <typename T>
struct Key {
    KeyInfo info;
    std::function<void(const KeyReader&, T&)> read;
    std::function<nlohmann::json(const T&)> write;  ///< null: not set
};

template <typename T>
struct KeyTable {
    std::vector<SectionInfo> sections;
    std::vector<Key<T>> keys;

    const Key<T>* find(const std::string& path) const {
        for (const Key<T>& key : keys) {
            if (key.info.path == path) {
                return &key;
            }
        }
        return nullptr;
    }
};

inline KeyKind kind_of(const double*) {
    return KeyKind::Number;
}
inline KeyKind kind_of(const std::int64_t*) {
    return KeyKind::Whole;
}
inline KeyKind kind_of(const int*) {
    return KeyKind::Whole;
}
inline KeyKind kind_of(const bool*) {
    return KeyKind::Flag;
}
inline KeyKind kind_of(const std::string*) {
    return KeyKind::Text;
}
inline KeyKind kind_of(const std::vector<std::string>*) {
    return KeyKind::Words;
}
inline KeyKind kind_of(const std::map<std::string, std::string>*) {
    return KeyKind::TextMap;
}
template <typename Value>
KeyKind kind_of(const std::optional<Value>*) {
    return kind_of(static_cast<const Value*>(nullptr));
}

/// A key of its own making: `read` and `write` say how the value looks.
template <typename T>
Key<T> special_key(std::string path, KeyInfo info, std::function<void(const KeyReader&, T&)> read,
                   std::function<nlohmann::json(const T&)> write) {
    info.path = std::move(path);
    info.normal = write(T{});
    return {std::move(info), std::move(read), std::move(write)};
}

/// A key that is one member: `get` is a generic lambda, [](auto& job) -> auto& { return job.name; }. The kind
/// and the default follow from the member.
template <typename T, typename Get>
Key<T> key(std::string path, Get get, KeyInfo info = {}) {
    using Value = std::remove_cvref_t<decltype(get(std::declval<const T&>()))>;
    info.kind = kind_of(static_cast<const Value*>(nullptr));
    if (!info.choices.empty()) {
        info.kind = KeyKind::Choice;
    }
    return special_key<T>(
        std::move(path), std::move(info),
        [get](const KeyReader& reader, T& target) { read_value(reader, get(target)); },
        [get](const T& target) { return value_to_json(get(target)); });
}

/// A key that is an enumeration, with the names of its values.
template <typename T, typename Enum, typename Get>
Key<T> choice_key(std::string path, Get get, std::vector<std::pair<std::string, Enum>> names,
                  KeyInfo info = {}) {
    info.kind = KeyKind::Choice;
    for (const auto& [name, value] : names) {
        info.choices.push_back(name);
    }
    return special_key<T>(
        std::move(path), std::move(info),
        [get, names](const KeyReader& reader, T& target) {
            std::string word;
            if (read_value(reader, word)) {
                for (const auto& [name, value] : names) {
                    get(target) = name == word ? value : get(target);
                }
            }
        },
        [get, names](const T& target) -> nlohmann::json {
            for (const auto& [name, value] : names) {
                if (value == get(target)) {
                    return name;
                }
            }
            return nullptr;
        });
}

struct ReadOptions {
    std::string path{};  ///< of the root, for messages
    /// "8" in quotes is a number as well.
    bool quoted_numbers = false;
};

/// A key without its type, for the walk over a file.
struct BoundKey {
    const KeyInfo* info;
    std::function<void(const KeyReader&)> read;
    std::function<nlohmann::json()> write;
};
void read_bound(const std::vector<BoundKey>& keys, const std::vector<SectionInfo>& sections,
                const ConfigNode& root, const ReadOptions& options, ConfigProblems& problems);

/// Whether `current` (value of info.when_key) is one that the key is for.
bool is_meant(const KeyInfo& info, const nlohmann::json& current);
/// Sets the value at "optimizer.lr", making the objects on the way; null takes it out.
void set_at(nlohmann::json& root, const std::string& path, const nlohmann::json& value);
/// null when absent.
nlohmann::json value_at(const nlohmann::json& root, const std::string& path);

/// Reads all keys of the table out of a mapping. Absent keys leave the target as it is; every fault becomes a
/// problem with its line, keys that the table does not have as well.
template <typename T>
void read_keys(const KeyTable<T>& table, const ConfigNode& root, T& target, ConfigProblems& problems,
               const ReadOptions& options = {}) {
    std::vector<BoundKey> bound;
    for (const Key<T>& key : table.keys) {
        bound.push_back({&key.info, [&](const KeyReader& reader) { key.read(reader, target); },
                         [&] { return key.write(target); }});
    }
    read_bound(bound, table.sections, root, options, problems);
}

/// Every key that means something for these values. read_keys() gives the same values again.
template <typename T>
nlohmann::json write_keys(const KeyTable<T>& table, const T& values) {
    nlohmann::json root = nlohmann::json::object();
    for (const Key<T>& key : table.keys) {
        const Key<T>* condition = *key.info.when_key == '\0' ? nullptr : table.find(key.info.when_key);
        const nlohmann::json value = key.write(values);
        // NOLINTNEXTLINE(readability-container-size-empty): empty() of a JSON text is false
        const bool no_name = key.info.kind == KeyKind::Choice && value == "";
        if (!value.is_null() && !no_name &&
            (condition == nullptr || is_meant(key.info, condition->write(values)))) {
            set_at(root, key.info.path, value);
        }
    }
    return root;
}

}  // namespace rankscope::config
