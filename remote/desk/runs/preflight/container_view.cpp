// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/container_spec.h>
#include <remote/desk/runs/preflight/container_view.h>
#include <remote/desk/runs/preflight/host_findings.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";
constexpr double kContainerWithin = 90;  // longer than the agent's own deadline

// Of the node whatever runs on it.
bool is_of_node(const std::string& version) {
    return version == "kernel" || version == "machine" || version.starts_with("driver");
}

wire::Request container_request(const Job& job, const wire::InspectHost& host) {
    wire::Request request;
    auto* asked = request.mutable_inspect_container();
    *asked->mutable_container() = container_spec(job);
    auto* inside = asked->mutable_inside();
    *inside->mutable_paths() = host.paths();
    *inside->mutable_programs() = host.programs();
    inside->set_python(host.python());
    inside->set_venv(host.venv());
    inside->set_conda(host.conda());
    inside->set_quick(host.quick());
    return request;
}

void take_container(NodeView& view, wire::ContainerState&& state) {
    view.container = std::move(state);
    if (view.container->has_failure()) {
        auto& versions = *view.host.mutable_versions();
        versions.erase(std::remove_if(versions.begin(), versions.end(),
                                      [](const auto& version) { return !is_of_node(version.name()); }),
                       versions.end());
        return;
    }
    auto& inside = *view.container->mutable_inside();
    inside.mutable_programs()->Swap(view.host.mutable_programs());
    inside.mutable_limits()->Swap(view.host.mutable_limits());
    // Home is another folder there: the node's stays, in which the agent works.
    for (auto& path : *view.host.mutable_paths()) {
        const auto within = std::find_if(inside.paths().begin(), inside.paths().end(),
                                         [&path](const auto& entry) { return entry.path() == path.path(); });
        if (within != inside.paths().end()) {
            path = *within;
        }
    }
    for (const auto& version : inside.versions()) {
        if (is_of_node(version.name())) {
            continue;
        }
        const auto known =
            std::find_if(view.host.mutable_versions()->begin(), view.host.mutable_versions()->end(),
                         [&version](const wire::Version& entry) { return entry.name() == version.name(); });
        if (known != view.host.mutable_versions()->end()) {
            *known = version;
        } else {
            *view.host.add_versions() = version;
        }
    }
}

}  // namespace

Result<void> look_from_within(PreflightNode& node, const Job& job, const wire::InspectHost& asked) {
    auto state = node.call(container_request(job, asked), kContainerWithin);
    if (!state) {
        return state.failure();
    }
    take_container(node.view, std::move(*state->mutable_container()));
    return {};
}

void leave_out_unseen(const std::vector<NodeView>& views, HostNeeds& needs) {
    const bool unseen = std::any_of(views.begin(), views.end(), [](const NodeView& view) {
        return view.container && view.container->has_failure();
    });
    if (unseen) {
        needs.program.clear();
        needs.script.clear();
        needs.workdir.clear();
        needs.data_paths.clear();
        needs.maybe_paths.clear();
    }
}

std::vector<Check> container_checks(const std::vector<NodeView>& views, const Job& job) {
    HostFindings findings;
    if (!job.container.wanted()) {
        return {};
    }
    for (const auto& view : views) {
        if (!view.container) {
            continue;
        }
        const wire::ContainerState& state = *view.container;
        if (state.has_failure()) {
            const Failure failure = explain(view, state.failure());
            // The start pulls it before any rank starts.
            const bool comes = failure.code == "no-container-image" && !job.container.image.empty();
            Check& check = findings.add(failure.code, comes ? CheckStatus::Warn : CheckStatus::Fail, view,
                                        comes ? text(kContext,
                                                     "%1 does not have the image %2. It is pulled at the "
                                                     "start; programs and versions in it are not checked.",
                                                     {view.name, job.container.image})
                                              : failure.what);
            check.remedy = failure.remedy;
            continue;
        }
        if (state.own_network()) {
            findings
                .add("container-netns", CheckStatus::Fail, view,
                     text(kContext,
                          "The container on %1 has a network of its own: other nodes cannot reach its ranks.",
                          {view.name}))
                .remedy = job.container.name.empty()
                              ? text(kContext, "Leave --network out of container.options.")
                              : text(kContext, "Start it with --network=host.");
        }
        if (state.own_processes()) {
            findings
                .add("container-start", CheckStatus::Warn, view,
                     text(kContext,
                          "The container on %1 has a PID namespace of its own: process ids in messages of "
                          "NCCL and "
                          "PyTorch are not those of the node.",
                          {view.name}))
                .remedy = job.container.name.empty() ? text(kContext, "Leave --pid out of container.options.")
                                                     : text(kContext, "Start it with --pid=host.");
        }
        if (view.gpus && state.node_has_gpus() && !(state.gpu_devices() && state.cuda_driver())) {
            const Failure failure = explain(view, [&state] {
                wire::Failure missing;
                missing.set_code("container-gpu");
                missing.set_detail(state.gpu_devices() ? "libcuda.so.1 is not in it"
                                                       : "/dev/nvidiactl is not in it");
                missing.add_args(state.runtime());
                return missing;
            }());
            findings.add("container-gpu", CheckStatus::Fail, view, failure.what).remedy = failure.remedy;
        }
    }
    findings.pass("container-start", text(kContext, "The container starts on every node."));
    return findings.take();
}

}  // namespace rankscope::inline runs
