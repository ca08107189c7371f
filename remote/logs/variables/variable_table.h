// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// Who reads a variable. Plugin: a plugin of NCCL, or builds.
enum class VariableOf : std::uint8_t { Nccl, Torch, Gloo, Plugin };

enum class ValueKind : std::uint8_t { Text, Flag, Int, Choice, List, Level };

/// A variable of NCCL, PyTorch or Gloo (resources/nccl_variables.yaml).
struct VariableInfo {
    std::string name;  ///< a family ends with '*'
    VariableOf of = VariableOf::Nccl;
    std::string area;
    std::string meaning;
    ValueKind kind = ValueKind::Text;
    std::string values;  ///< as the file has them: "int 0..31"
    std::optional<std::int64_t> least, most;
    std::vector<std::string> choices;  ///< capital letters
    std::string default_text;
    std::string since, until;  ///< versions of NCCL or PyTorch; empty: not limited
    std::string instead;       ///< the variable that replaces it
    std::string source;
};

/// What is wrong with a variable. `detail` by kind: the right name; ""; the new name; the last version (and the new
/// name in `instead`); the first version; the allowed values.
enum class VariableProblemKind : std::uint8_t { Misspelt, Unknown, Renamed, Removed, TooNew, BadValue };

struct VariableProblem {
    VariableProblemKind kind = VariableProblemKind::Unknown;
    std::string detail = {};
    std::string instead = {};

    bool operator==(const VariableProblem&) const = default;
};

/// Versions of the programs that read the variables; empty: not known.
struct VariableVersions {
    std::string nccl = {};
    std::string torch = {};
};

class VariableTable {
public:
    /// The table that Rankscope brings; empty where the file is missing. Read once; for any thread.
    static const VariableTable& own();
    /// `problems` gets what is wrong, with its line; such entries are left out.
    static VariableTable parse(const std::string& text, const std::string& file,
                               std::vector<std::string>& problems);

    const std::vector<VariableInfo>& all() const { return all_; }
    /// Of that name, else the family that it belongs to; null: unknown.
    const VariableInfo* find(std::string_view name) const;
    /// The known name that was probably meant; empty: none is near.
    std::string nearest(std::string_view name) const;
    std::vector<VariableProblem> check(const std::string& name, const std::string& value,
                                       const VariableVersions& versions) const;

private:
    std::vector<VariableInfo> all_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
};

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::VariableOf> {
    static constexpr auto names = std::to_array<const char*>({"nccl", "torch", "gloo", "plugin"});
};

template <>
struct EnumNames<logs::ValueKind> {
    static constexpr auto names =
        std::to_array<const char*>({"text", "flag", "int", "choice", "list", "level"});
};

template <>
struct EnumNames<logs::VariableProblemKind> {
    static constexpr auto names =
        std::to_array<const char*>({"misspelt", "unknown", "renamed", "removed", "too-new", "bad-value"});
};

}  // namespace rankscope
