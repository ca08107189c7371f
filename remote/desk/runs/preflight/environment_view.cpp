// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/desk/runs/preflight/environment_view.h>
#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace rankscope::inline runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kContext = "Preflight";
constexpr double kLookWithin = 60;
constexpr std::size_t kShownDigits = 12;

fs::path from_job(const Job& job, const std::string& name) {
    const fs::path path = expand_home(name);
    std::error_code ignored;
    return name.empty()         ? fs::path()
           : path.is_absolute() ? path
                                : fs::absolute(job.file, ignored).parent_path() / path;
}

bool is_unmade(const NodeView& view) {
    return view.environment && view.environment->folder().empty();
}

// Nodes with another processor or Python have other files of the same packages.
std::string kind_of(const wire::EnvironmentState& state) {
    return state.machine() + ' ' + state.python();
}

}  // namespace

RequirementsSource requirements_source(const Job& job) {
    return {from_job(job, job.environment.uv), job.environment.extras,
            from_job(job, job.environment.requirements)};
}

Result<PythonRequirements> requirements_of(const Job& job, const std::stop_token& stop) {
    return job.environment.wanted() ? read_requirements(requirements_source(job), stop)
                                    : Result<PythonRequirements>(PythonRequirements());
}

wire::MakeEnvironment environment_request(const Job& job, const PythonRequirements& requirements) {
    wire::MakeEnvironment request;
    for (const auto& file : requirements.files) {
        auto* added = request.add_files();
        added->set_name(file.name);
        added->set_text(file.text);
    }
    request.set_python(job.environment.python);
    request.set_packages_of(requirements.name);
    return request;
}

std::string environment_text(const wire::EnvironmentState& state) {
    const std::string content = state.content().substr(0, kShownDigits);
    return state.packages() == 1
               ? text(kContext, "%1 (1 package)", {content})
               : text(kContext, "%1 (%2 packages)", {content, std::to_string(state.packages())});
}

void look_for_environment(PreflightNode& node, const Job& job, const PythonRequirements& requirements,
                          wire::InspectHost& host) {
    if (requirements.files.empty()) {
        return;
    }
    wire::Request request;
    *request.mutable_make_environment() = environment_request(job, requirements);
    request.mutable_make_environment()->set_look(true);
    auto reply = node.call(std::move(request), kLookWithin);
    if (!reply) {
        return;  // nor does it answer what follows, which says so
    }
    node.view.environment = std::move(*reply->mutable_environment());
    if (!is_unmade(node.view)) {
        host.set_venv(node.view.environment->folder());
    }
}

void add_environment_version(NodeView& view) {
    if (view.environment && !is_unmade(view)) {
        auto* version = view.host.add_versions();
        version->set_name("environment");
        version->set_value(environment_text(*view.environment));
    }
}

void leave_out_unmade(const std::vector<NodeView>& views, HostNeeds& needs) {
    if (std::any_of(views.begin(), views.end(), is_unmade)) {
        needs.program.clear();
    }
}

std::vector<Check> environment_checks(const std::vector<NodeView>& views, const Job& job) {
    HostFindings findings;
    if (!job.environment.wanted()) {
        return {};
    }
    const std::string name = fs::path(job.environment.file()).filename();
    std::map<std::string, std::map<std::string, std::vector<std::string>>>
        nodes_of;  // kind → content → nodes
    for (const auto& view : views) {
        if (!view.environment) {
            continue;
        }
        const wire::EnvironmentState& state = *view.environment;
        if (state.has_failure()) {
            const Failure failure = explain(view, state.failure());
            findings.add(failure.code, CheckStatus::Fail, view, failure.what).remedy = failure.remedy;
        } else if (state.folder().empty()) {
            findings
                .add("no-environment", CheckStatus::Warn, view,
                     text(kContext,
                          "%1 does not have the Python environment of %2. It is made at the start; programs "
                          "and versions in it are not checked.",
                          {view.name, name}))
                .remedy.clear();
        } else {
            nodes_of[kind_of(state)][state.content()].push_back(view.name);
        }
    }
    for (const auto& [kind, contents] : nodes_of) {
        for (const auto& [content, nodes] : contents) {
            if (contents.size() < 2) {
                continue;
            }
            for (const auto& node : nodes) {
                findings.add(
                    "environment-differs", CheckStatus::Warn, node,
                    text(kContext, "%1 has other packages in the environment of %2 than other nodes: %3.",
                         {node, name, content.substr(0, kShownDigits)}));
            }
        }
    }
    findings.pass("no-environment", text(kContext, "Every node has the Python environment of %1.", {name}));
    findings.pass("environment-differs", text(kContext, "The Python environments are the same."));
    return findings.take();
}

}  // namespace rankscope::inline runs
