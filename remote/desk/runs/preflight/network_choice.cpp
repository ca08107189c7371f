// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/network_choice.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline runs {
namespace {

constexpr std::size_t kMostEvidence = 8;

bool works(const PathResult& path) {
    return path.result.outcome() == wire::CONNECTED;
}

// The address of the view in the network in which `address` of `interface` lies.
bool find_address(const NodeView& view, const wire::Interface& network, const std::string& address,
                  NetworkChoice& choice) {
    for (const auto& interface : view.host.interfaces()) {
        for (const auto& own : interface.addresses()) {
            if (interface.up() && !interface.loopback() && same_subnet(network, address, own)) {
                choice.addresses.push_back(own);
                choice.interfaces.push_back(interface.name());
                return true;
            }
        }
    }
    return false;
}

bool all_reach(const NetworkChoice& choice, const std::vector<PathResult>& paths) {
    std::size_t tried = 0;
    for (const auto& path : paths) {
        if (!path.ssh_port && path.address == choice.addresses[path.to]) {
            ++tried;
            if (!works(path)) {
                return false;
            }
        }
    }
    return tried > 0;
}

}  // namespace

bool planned_network_works(const std::vector<PathResult>& paths) {
    return std::all_of(paths.begin(), paths.end(),
                       [](const PathResult& path) { return !path.chosen || path.ssh_port || works(path); });
}

std::optional<NetworkChoice> choose_other_network(const std::vector<NodeView>& views,
                                                  const std::vector<PathResult>& paths, std::size_t master) {
    std::optional<NetworkChoice> ipv6;
    for (const auto& interface : views[master].host.interfaces()) {
        for (const auto& address : interface.addresses()) {
            if (!interface.up() || interface.loopback() || address == views[master].address ||
                is_link_local(address) || is_shared_address(views, address)) {
                continue;
            }
            NetworkChoice choice;
            const bool complete = std::all_of(views.begin(), views.end(), [&](const NodeView& view) {
                return find_address(view, interface, address, choice);
            });
            if (complete && all_reach(choice, paths)) {
                if (!is_ipv6(address)) {
                    return choice;
                }
                ipv6 = ipv6 ? ipv6 : choice;
            }
        }
    }
    return ipv6;
}

Check other_network_check(const std::vector<NodeView>& views, const std::vector<PathResult>& paths,
                          const NetworkChoice& choice, std::size_t master) {
    Check check;
    check.id = "wrong-subnet-chosen";
    check.status = CheckStatus::Warn;
    check.detail = text("Preflight", "The nodes do not reach each other at %1. The run uses %2 (%3) instead.",
                        {views[master].address, choice.addresses[master], choice.interfaces[master]});
    for (const auto& view : views) {
        check.nodes.push_back(view.name);
    }
    for (const auto& path : paths) {
        if (path.chosen && !path.ssh_port && !works(path) && check.evidence.size() < kMostEvidence) {
            check.evidence.push_back(views[path.from].name + " -> " + path.address + ": " +
                                     outcome_text(path.result));
        }
    }
    return check;
}

}  // namespace rankscope::inline runs
