// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/agent_failure.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <string>

namespace rankscope::agent {

/// A virtual environment or one of conda's, as its activate script would leave the shell: variables to set
/// and to unset, a folder in front of PATH. Nothing is run.
struct PythonEnvironment {
    std::map<std::string, std::string> set;
    std::string path_prefix;  ///< empty: no environment was asked for
    std::string note;         ///< what activation would have done beyond this, for the user

    /// Onto the environment of a rank, before what the job itself sets.
    void apply(std::map<std::string, std::string>& variables) const;
};

/// Looks the job's environment up on this node. Failures: "no-venv", "broken-venv", "no-conda" with the path
/// or name as their argument.
AgentResult<PythonEnvironment> find_python_environment(const wire::OwnProgram& own);

}  // namespace rankscope::agent
