// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/inspection/firewall.h>
#include <remote/agent/inspection/gpu_states.h>
#include <remote/agent/inspection/held_ports.h>
#include <remote/agent/inspection/host_identity.h>
#include <remote/agent/inspection/host_inspection.h>
#include <remote/agent/inspection/infiniband.h>
#include <remote/agent/inspection/inspection_scope.h>
#include <remote/agent/inspection/limits.h>
#include <remote/agent/inspection/names.h>
#include <remote/agent/inspection/path_states.h>
#include <remote/agent/inspection/programs.h>
#include <remote/agent/inspection/routes.h>
#include <remote/agent/inspection/versions.h>
#include <remote/agent/node/node_settings.h>
#include <remote/agent/probes/interfaces.h>

#include <cstring>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <thread>

namespace rankscope::agent {
namespace {

constexpr double kLongest = 4.8;
constexpr double kLongestQuick = 0.28;

constexpr double kSettingsPatience = 1;
constexpr double kQuickSettingsPatience = 0.2;

/// What the login environment and NCCL's files set on this node.
wire::HostInspection inspect_nccl_settings(const InspectionScope& scope) {
    wire::HostInspection found;
    wire::NodeSettings settings;
    const double patience = scope.patience(kSettingsPatience, kQuickSettingsPatience);
    if (!read_node_settings(nccl_user_file(), patience, scope.stop, settings)) {
        add_unseen(found, "nccl_settings", late_text(patience));
    }
    found.mutable_nccl_settings()->Swap(settings.mutable_settings());
    return found;
}

wire::HostInspection inspect_interfaces() {
    wire::HostInspection found;
    int error = 0;
    for (auto& interface : network_interfaces(error)) {
        *found.add_interfaces() = std::move(interface);
    }
    if (error != 0) {
        add_unseen(found, "interfaces", std::strerror(error));
    }
    return found;
}

/// Parts that run at the same time; each fills a message of its own.
class Parts {
public:
    void start(const char* name, std::function<wire::HostInspection()> look) {
        auto& part = parts_.emplace_back();
        part.thread = std::jthread([&part, name, look = std::move(look)] {
            try {
                part.found = look();
            } catch (const std::exception& error) {
                add_unseen(part.found, name, error.what());
            }
        });
    }
    /// Waits for all and puts them together in the order of their start.
    void add_to(wire::HostInspection& all) {
        for (auto& part : parts_) {
            part.thread.join();
            all.MergeFrom(part.found);
        }
        parts_.clear();
    }

private:
    struct Part {
        wire::HostInspection found;
        std::jthread thread;
    };
    std::list<Part> parts_;
};

}  // namespace

wire::HostInspection inspect_host(const NodePaths& paths, const wire::InspectHost& request,
                                  const std::stop_token& stop) {
    const InspectionScope scope{.paths = paths,
                                .request = request,
                                .stop = stop,
                                .end = monotonic_s() + (request.quick() ? kLongestQuick : kLongest)};
    wire::HostInspection all;
    FoundPrograms programs;
    Parts parts;  // they end before what they refer to
    parts.start("paths", [&scope] { return inspect_paths(scope); });
    parts.start("nccl_settings", [&scope] { return inspect_nccl_settings(scope); });
    parts.start("interfaces", [&scope] {
        auto found = inspect_interfaces();
        found.MergeFrom(inspect_routes(scope));
        found.MergeFrom(inspect_identity());
        found.MergeFrom(inspect_infiniband());
        return found;
    });
    parts.start("ports", [&scope] {
        auto found = inspect_ports(scope);
        found.MergeFrom(inspect_limits(scope));
        found.MergeFrom(inspect_leftovers(scope));
        return found;
    });
    programs = find_programs(scope);
    all.MergeFrom(programs.found);
    parts.start("names", [&] { return inspect_names(scope, programs.tools); });
    parts.start("firewall", [&] { return inspect_firewall(scope, programs.tools); });
    parts.start("versions", [&] { return inspect_versions(scope, programs); });
    parts.start("gpus", [&] { return inspect_gpus(scope, programs.tools); });
    parts.add_to(all);
    all.set_clock_us(now_us());
    return all;
}

}  // namespace rankscope::agent
