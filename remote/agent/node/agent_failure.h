// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/wire/frames.pb.h>

#include <string>
#include <vector>

namespace rankscope::agent {

/// What the agent could not do, as it goes over the wire: the desk makes the sentence.
struct AgentFailure {
    std::string code;  ///< "disk-full", "no-permission", "damaged", …
    std::string detail{};
    std::vector<std::string> args{};  ///< what the sentence names: a port, a process, a user
    int error = 0;                    ///< errno, where a system call failed

    bool operator==(const AgentFailure&) const = default;
};

/// How the agent's parts report: a value, or an AgentFailure.
template <typename T>
using AgentResult = Result<T, AgentFailure>;

/// "disk-full", "no-permission", "read-only" or "io-error"; `what` is the path or the action.
AgentFailure failure_from_errno(int error, const std::string& what);

wire::Failure to_wire(const AgentFailure& failure);
AgentFailure from_wire(const wire::Failure& failure);

}  // namespace rankscope::agent
