// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <base/failure.h>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace rankscope {

enum class CheckStatus { Pass, Warn, Fail, Skip };

template <>
struct EnumNames<CheckStatus> {
    static constexpr auto names = std::to_array<const char*>({"pass", "warn", "fail", "skip"});
};

/// One change that removes the cause: a command for one node, or keys of the job.
struct Fix {
    std::string node = {};     ///< where the command runs; empty: a change of the job
    std::string command = {};  ///< for a shell there; empty: a change of the job
    std::string undo = {};     ///< restores the state before; empty: there is none
    bool needs_root = false;
    std::map<std::string, std::string> job = {};  ///< key of the job → value, as `job set` takes it

    bool operator==(const Fix&) const = default;

    /// Calls visit(name, field) for every field.
    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("node", self.node);
        visit("command", self.command);
        visit("undo", self.undo);
        visit("root", self.needs_root);
        visit("job", self.job);
    }
};

/// From one node to another.
struct NodePair {
    std::string from = {};
    std::string to = {};

    bool operator==(const NodePair&) const = default;
    auto operator<=>(const NodePair&) const = default;

    template <typename Self, typename Visit>
    static void visit_fields(Self& self, Visit visit) {
        visit("from", self.from);
        visit("to", self.to);
    }
};

/// What a preflight looked at, and what it found. The id is that of the failure which it looks for; where there is
/// none (a pass, or what could not be seen) `fixes` is empty.
struct Check {
    FailureId id = {};
    CheckStatus status = CheckStatus::Pass;
    std::vector<std::string> nodes = {};  ///< the node at fault first
    std::vector<NodePair> pairs = {};     ///< the directions that fail, of a check of paths
    std::string detail = {};              ///< one sentence for users
    std::vector<std::string> evidence = {};
    std::vector<Fix> fixes = {};
    std::string remedy = {};  ///< a sentence; only where there is no fix

    bool operator==(const Check&) const = default;
};

/// The failing ones first, then warnings, then what could not be seen, then the rest; otherwise in their order.
void sort_checks(std::vector<Check>& checks);
/// Whether a run must not start.
bool any_failed(const std::vector<Check>& checks);
/// The first failing check as the failure of a run.
Failure failure_of(const Check& check);
/// What could not be inspected, as a failing check.
Check check_of(const Failure& failure, const std::string& node);
/// For a line: "NODE: COMMAND", or "KEY: VALUE" of the job.
std::string to_line(const Fix& fix);

}  // namespace rankscope
