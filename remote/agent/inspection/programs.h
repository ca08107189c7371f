// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/inspection/inspection_scope.h>

#include <map>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// The programs of the request, as a rank of the job would find them, and what the inspection itself needs.
struct FoundPrograms {
    wire::HostInspection found;
    Tools tools;
    std::string python;                              ///< of the request; empty: none, or not found
    std::map<std::string, std::string> environment;  ///< of the job's venv or conda environment
};
/// PATH may lead to a dead file server: the search is in a process of its own. When it does not answer, the tools are
/// those of the system's folders.
FoundPrograms find_programs(const InspectionScope& scope);

/// A program by name along `search` (folders separated by ':'), or by path ("~/…" and relative ones: from home).
wire::ProgramState program_state(const std::string& name, const std::string& search);

/// The interpreter that the first bytes of a script name; empty: it is no script.
std::string interpreter_of(std::string_view head);

}  // namespace rankscope::agent
