// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/communication_variable.h>
#include <remote/desk/jobs/config/secret_env.h>
#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "Variables";

using logs::VariableProblemKind;

const char* reader_of(const std::string& name) {
    return name.starts_with("GLOO") ? "Gloo" : name.starts_with("TORCH") ? "PyTorch" : "NCCL";
}

// "int 0..31" → "0 to 31".
std::string allowed(const std::string& values) {
    if (values == "flag") {
        return text(kContext, "0 or 1");
    }
    if (values == "level") {
        return "LOC, NVL, PIX, PXB, PHB, SYS";
    }
    const auto space = values.find(' ');
    std::string rest = space == std::string::npos ? values : values.substr(space + 1);
    if (values.starts_with("int ")) {
        const auto dots = rest.find("..");
        const std::string least = rest.substr(0, dots);
        const std::string most = rest.substr(dots + 2);
        return most.empty()    ? text(kContext, "a number from %1 on", {least})
               : least.empty() ? text(kContext, "a number up to %1", {most})
                               : text(kContext, "a number from %1 to %2", {least, most});
    }
    for (std::size_t at = 0; (at = rest.find(',', at)) != std::string::npos; at += 2) {
        rest.replace(at, 1, ", ");
    }
    return rest;
}

}  // namespace

std::string variable_problem_text(const std::string& name, const std::string& value,
                                  const logs::VariableProblem& problem) {
    switch (problem.kind) {
        case VariableProblemKind::Misspelt:
            return text(kContext, "%1 has no variable %2. Did you mean %3?",
                        {reader_of(problem.detail), name, problem.detail});
        case VariableProblemKind::Unknown:
            return text(kContext, "Rankscope does not know the variable %1.", {name});
        case VariableProblemKind::Renamed:
            return text(kContext, "%1 is replaced by %2.", {name, problem.detail});
        case VariableProblemKind::Removed:
            return problem.instead.empty()
                       ? text(kContext, "%1 has no effect: version %2 was the last to read it.",
                              {name, problem.detail})
                       : text(kContext, "%1 has no effect: version %2 was the last to read it. Use %3.",
                              {name, problem.detail, problem.instead});
        case VariableProblemKind::TooNew:
            return text(kContext, "%1 has no effect: version %2 is the first to read it.",
                        {name, problem.detail});
        case VariableProblemKind::BadValue:
            return text(kContext, "%1=%2 is out of range: %3.", {name, value, allowed(problem.detail)});
    }
    return {};
}

std::vector<std::string> variable_notes(const Job& job, const logs::VariableTable& table) {
    std::vector<std::string> notes;
    const auto look = [&](const std::map<std::string, std::string>& env) {
        for (const auto& [name, value] : env) {
            if (!is_communication_variable(name)) {
                continue;
            }
            for (const auto& problem : table.check(name, value, {})) {
                if (problem.kind != VariableProblemKind::Misspelt &&
                    problem.kind != VariableProblemKind::BadValue) {
                    continue;  // depends on versions that the nodes have
                }
                auto note = variable_problem_text(name, is_secret_name(name) ? "***" : value, problem);
                if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
                    notes.push_back(std::move(note));
                }
            }
        }
    };
    look(job.env);
    for (const auto& [node, env] : job.node_env) {
        look(env);
    }
    for (const auto& [rank, env] : job.rank_env) {
        look(env);
    }
    return notes;
}

}  // namespace rankscope::inline jobs
