// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/facts/run_facts.h>
#include <remote/logs/fold/rank_set.h>
#include <remote/logs/variables/variable_table.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::logs {

/// Who set a variable. Node: its login environment, or a configuration file of NCCL there, as the node reported. Log: NCCL's
/// lines say that it was set; where the job is known, the node did (NCCL prints the same line for environment and file).
/// Program: the rank got another value, which no configuration file replaces, so it was set after the start.
enum class SettingOrigin : std::uint8_t { Job, Rankscope, Log, Program, Node };

/// A value of a variable, and for whom it is in force.
struct SettingUse {
    std::string value;
    SettingOrigin origin = SettingOrigin::Log;
    std::string where;    ///< Job: its key ("env", "rank_env"); Node: "environment" or the file
    RankSet ranks;        ///< empty: not known
    bool logged = false;  ///< NCCL printed that it uses the value
    LinePlace line;       ///< where it first did; line 0: nowhere
};

struct SettingRow {
    std::string name;
    std::vector<SettingUse> uses;
    const VariableInfo* info = nullptr;  ///< of the table; null: not in it
    std::vector<VariableProblem> problems;
    bool differs = false;  ///< ranks have different values, and for this variable they should not
};

/// Collects what is known of variables, then says what is in force where.
class SettingBook {
public:
    /// A variable that a rank gets. Others than those of NCCL, PyTorch and Gloo are ignored.
    void add_rank(const std::string& name, const std::string& value, SettingOrigin origin,
                  const std::string& where, int rank);
    /// What NCCL printed.
    void add_facts(const RunFacts& facts);

    /// By name; `table` must live as long as the rows.
    std::vector<SettingRow> rows(const VariableTable& table, const VariableVersions& versions) const;

private:
    bool all_got_another(const SettingFact& setting, const std::map<std::size_t, int>& ranks) const;
    SettingUse& use_of(const std::string& name, const std::string& value, SettingOrigin origin,
                       const std::string& where);

    std::map<std::string, std::vector<SettingUse>> uses_;
    std::set<int> ranks_;
};

/// The versions that the lines of a run name; the oldest where they differ.
VariableVersions versions_of(const RunFacts& facts);

/// Whether healthy nodes may have different values: names of devices, addresses, files.
bool may_differ(std::string_view name);

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::SettingOrigin> {
    static constexpr auto names = std::to_array<const char*>({"job", "rankscope", "log", "program", "node"});
};

}  // namespace rankscope
