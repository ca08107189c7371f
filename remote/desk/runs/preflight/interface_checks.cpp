// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/interface_checks.h>
#include <remote/desk/runs/preflight/path_checks.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

bool has_usable_address(const wire::Interface& interface) {
    return interface.up() && std::any_of(interface.addresses().begin(), interface.addresses().end(),
                                         [](const std::string& address) { return !is_link_local(address); });
}

std::string ifname_of(const NodeView& view) {
    const auto own = view.env.find("NCCL_SOCKET_IFNAME");
    return own != view.env.end() ? own->second : std::string();
}

class Findings {
public:
    Check& add(FailureId id, CheckStatus status, const std::string& node, const std::string& detail) {
        Check& check = checks_[id];
        if (check.nodes.empty()) {
            check.id = id;
            check.detail = detail;
            check.status = status;
        } else if (check.status != CheckStatus::Fail) {
            check.status = status;
        }
        if (std::find(check.nodes.begin(), check.nodes.end(), node) == check.nodes.end()) {
            check.nodes.push_back(node);
        }
        if (std::find(check.evidence.begin(), check.evidence.end(), detail) == check.evidence.end()) {
            check.evidence.push_back(detail);
        }
        return check;
    }
    std::vector<Check> take() {
        std::vector<Check> all;
        for (auto& [id, check] : checks_) {
            all.push_back(std::move(check));
        }
        return all;
    }

private:
    std::map<FailureId, Check> checks_;
};

FailureId bridge_id(const wire::Interface& interface) {
    return interface.name().starts_with("virbr") ? FailureId("virbr0-chosen") : FailureId("docker0-chosen");
}

bool is_bridge_trap(const std::vector<NodeView>& views, const wire::Interface& interface) {
    return std::any_of(interface.addresses().begin(), interface.addresses().end(),
                       [&](const std::string& address) { return is_shared_address(views, address); });
}

void add_auto_fix(Check& check) {
    const Fix fix{.job = {{"interface", "auto"}}};
    if (std::find(check.fixes.begin(), check.fixes.end(), fix) == check.fixes.end()) {
        check.fixes.push_back(fix);
    }
}

// Without the variable the ranks get the interface of the plan.
void add_environment_fix(Check& check, const NodeView& view) {
    const auto key = view.env_keys.find("NCCL_SOCKET_IFNAME");
    if (key == view.env_keys.end()) {
        return;
    }
    const Fix fix{.job = {{key->second, ""}}};
    if (std::find(check.fixes.begin(), check.fixes.end(), fix) == check.fixes.end()) {
        check.fixes.push_back(fix);
    }
}

// What the job itself names.
void named_interface(const std::vector<NodeView>& views, const NodeView& view, const std::string& name,
                     Findings& findings) {
    const auto& all = view.host.interfaces();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const wire::Interface& interface) { return interface.name() == name; });
    if (found == all.end()) {
        add_auto_fix(findings.add("socket-ifname-invalid", CheckStatus::Fail, view.name,
                                  text(kContext, "%1 has no interface \"%2\".", {view.name, name})));
    } else if (!found->up() || !found->carrier()) {
        add_auto_fix(findings.add("link-down", CheckStatus::Fail, view.name,
                                  text(kContext, "The interface %2 of %1 has no link.", {view.name, name})));
    } else if (is_bridge_trap(views, *found)) {
        add_auto_fix(findings.add(
            bridge_id(*found), CheckStatus::Fail, view.name,
            text(kContext,
                 "The job names %2. On %1 and other nodes it is a bridge with the same address (%3): no node "
                 "reaches another one there.",
                 {view.name, name, found->addresses(0)})));
    } else if (!has_usable_address(*found)) {
        add_auto_fix(
            findings.add("ipv6-link-local", CheckStatus::Fail, view.name,
                         text(kContext, "The interface %2 of %1 has no address that other nodes can reach.",
                              {view.name, name})));
    }
}

// What would mislead programs that choose by themselves. Rankscope sets the interface for its ranks.
void other_interfaces(const std::vector<NodeView>& views, std::size_t index,
                      const std::vector<PathResult>& results, const std::string& job_interface,
                      Findings& findings) {
    const NodeView& view = views[index];
    const std::string ifname = ifname_of(view);
    const bool by_job = !ifname.empty();
    const std::string chosen = !job_interface.empty() ? job_interface : view.interface_name;
    for (const wire::Interface* interface : nccl_interfaces(view.host, ifname)) {
        const CheckStatus status = by_job ? CheckStatus::Fail : CheckStatus::Warn;
        const std::string reassurance =
            by_job || chosen.empty() ? std::string()
                                     : ' ' + text(kContext, "The ranks of this run use %1 alone.", {chosen});
        if (interface->name() == chosen && !by_job) {
            continue;
        }
        if (is_bridge_trap(views, *interface)) {
            Check& check = findings.add(
                bridge_id(*interface), status, view.name,
                by_job ? text(kContext,
                              "NCCL_SOCKET_IFNAME of the job takes the bridge %2 of %1, which has the same "
                              "address "
                              "(%3) as on other nodes: no node reaches another one there.",
                              {view.name, interface->name(), interface->addresses(0)})
                       : text(kContext,
                              "%1 has the bridge %2 with the same address (%3) as other nodes: NCCL takes it "
                              "unless NCCL_SOCKET_IFNAME says otherwise.",
                              {view.name, interface->name(), interface->addresses(0)}) +
                             reassurance);
            add_environment_fix(check, view);
            continue;
        }
        for (const auto& path : results) {
            const auto outcome = path.result.outcome();
            if (path.to != index || path.chosen || path.interface_name != interface->name() ||
                outcome == wire::CONNECTED || outcome == wire::CONNECT_NOT_TRIED) {
                continue;
            }
            Check& check =
                findings.add("extra-nic-unreachable", status, view.name,
                             text(kContext, "The other nodes do not reach %1 at %2 (%3): %4.",
                                  {view.name, path.address, interface->name(), outcome_text(path.result)}) +
                                 reassurance);
            check.pairs.push_back({views[path.from].name, view.name});
            add_environment_fix(check, view);
        }
    }
}

// What the node itself says. The ranks get the interface of the plan: it counts only where the plan has none.
void names_of_the_node(const NodeView& view, Findings& findings) {
    for (const auto& setting : view.host.nccl_settings()) {
        if (setting.name() != "NCCL_SOCKET_IFNAME" || setting.value().empty() || !ifname_of(view).empty() ||
            !nccl_interfaces(view.host, setting.value()).empty()) {
            continue;
        }
        const bool overridden = !view.interface_name.empty();
        findings.add("socket-ifname-invalid", overridden ? CheckStatus::Warn : CheckStatus::Fail, view.name,
                     text(kContext, "NCCL_SOCKET_IFNAME=%1 (%2) names no usable interface of %3.",
                          {setting.value(), setting.source(), view.name}) +
                         (overridden ? ' ' + text(kContext, "The ranks of this run use %1 alone.",
                                                  {view.interface_name})
                                     : std::string()));
    }
}

void same_hardware_address(const std::vector<NodeView>& views, Findings& findings) {
    std::map<std::string, std::set<std::string>> owners;
    for (const auto& view : views) {
        for (const auto& interface : view.host.interfaces()) {
            if (interface.name() == view.interface_name && !interface.mac().empty() &&
                interface.mac() != "00:00:00:00:00:00") {
                owners[interface.mac()].insert(view.name);
            }
        }
    }
    for (const auto& [mac, nodes] : owners) {
        if (nodes.size() < 2) {
            continue;
        }
        for (const auto& node : nodes) {
            findings.add(
                "duplicate-mac", CheckStatus::Warn, node,
                text(kContext, "%1 and another node have the same hardware address %2.", {node, mac}));
        }
    }
}

void different_mtu(const std::vector<NodeView>& views, Findings& findings) {
    std::map<std::uint32_t, std::string> sizes;
    for (const auto& view : views) {
        if (const auto* interface = interface_of(view, view.address)) {
            sizes.try_emplace(interface->mtu(), view.name);
        }
    }
    if (sizes.size() < 2) {
        return;
    }
    for (const auto& [mtu, node] : sizes) {
        findings.add("mtu-skew", CheckStatus::Warn, node,
                     text(kContext, "The MTU differs between the nodes: %1 has %2 bytes.",
                          {node, std::to_string(mtu)}));
    }
}

}  // namespace

bool is_shared_address(const std::vector<NodeView>& views, const std::string& address) {
    if (is_loopback(address) || is_link_local(address)) {
        return false;
    }
    return std::count_if(views.begin(), views.end(),
                         [&](const NodeView& view) { return interface_of(view, address) != nullptr; }) > 1;
}

std::vector<const wire::Interface*> nccl_interfaces(const wire::HostInspection& host,
                                                    const std::string& ifname) {
    const auto usable = [](const wire::Interface& interface) {
        return has_usable_address(interface) &&
               interface.carrier();  // from 2.28.3 on without a link: skipped
    };
    const auto starting = [&](auto wanted) {
        std::vector<const wire::Interface*> found;
        for (const auto& interface : host.interfaces()) {
            if (usable(interface) && wanted(interface.name())) {
                found.push_back(&interface);
            }
        }
        return found;
    };
    if (!ifname.empty()) {
        const bool excludes = ifname.front() == '^';
        const bool exact = ifname.front() == '=' || ifname.starts_with("^=");
        std::vector<std::string> words;
        std::istringstream stream(ifname.substr(ifname.find_first_not_of("^=")));
        for (std::string word; std::getline(stream, word, ',');) {
            words.push_back(word);
        }
        return starting([&](const std::string& name) {
            const bool match = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
                return exact ? name == word : name.starts_with(word);
            });
            return match != excludes;
        });
    }
    if (auto found = starting([](const std::string& name) { return name.starts_with("ib"); });
        !found.empty()) {
        return found;
    }
    if (auto found = starting(
            [](const std::string& name) { return !name.starts_with("docker") && !name.starts_with("lo"); });
        !found.empty()) {
        return found;
    }
    if (auto found = starting([](const std::string& name) { return name.starts_with("docker"); });
        !found.empty()) {
        return found;
    }
    return starting([](const std::string& name) { return name.starts_with("lo"); });
}

std::vector<Check> interface_checks(const std::vector<NodeView>& views,
                                    const std::vector<PathResult>& results,
                                    const std::string& job_interface) {
    Findings findings;
    if (views.size() < 2) {
        return {};
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
        const NodeView& view = views[i];
        if (!job_interface.empty()) {
            named_interface(views, view, job_interface, findings);
        } else if (const auto* interface = interface_of(view, view.address);
                   interface != nullptr && !interface->carrier()) {
            findings.add(
                "link-down", CheckStatus::Fail, view.name,
                text(kContext, "The interface %2 of %1 has no link.", {view.name, interface->name()}));
        }
        if (const auto gloo = view.env.find("GLOO_SOCKET_IFNAME"); gloo != view.env.end()) {
            named_interface(views, view, gloo->second, findings);
        }
        if (!ifname_of(view).empty() && nccl_interfaces(view.host, ifname_of(view)).empty()) {
            add_environment_fix(
                findings.add("socket-ifname-invalid", CheckStatus::Fail, view.name,
                             text(kContext, "NCCL_SOCKET_IFNAME=%2 names no usable interface of %1.",
                                  {view.name, ifname_of(view)})),
                view);
        }
        names_of_the_node(view, findings);
        other_interfaces(views, i, results, job_interface, findings);
    }
    same_hardware_address(views, findings);
    different_mtu(views, findings);
    auto checks = findings.take();
    if (checks.empty()) {
        Check fine;
        fine.id = "socket-ifname-invalid";
        fine.detail = text(kContext, "Every node has one interface that leads to the others.");
        checks.push_back(std::move(fine));
    }
    return checks;
}

}  // namespace rankscope::inline runs
