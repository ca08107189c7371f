// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/command_parts.h>
#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/desk/runs/preflight/nccl_setting_checks.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/variables/variable_table.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Preflight";

struct Setting {
    std::string value;
    std::string source;  ///< empty: not set
};

// As a rank gets it: the job's environment wins, and NCCL reads its files for what is not set.
Setting setting_of(const NodeView& view, const std::string& name) {
    if (const auto own = view.env.find(name); own != view.env.end()) {
        return {own->second, text(kContext, "the job")};
    }
    for (const auto& entry : view.host.nccl_settings()) {
        if (entry.name() == name) {
            return {entry.value(), entry.source()};
        }
    }
    return {};
}

// Names of devices and addresses differ between healthy nodes, and so do what is only logged and where.
bool may_differ(std::string_view name) {
    const auto starts = [&](std::string_view prefix) { return name.starts_with(prefix); };
    return starts("NCCL_SOCKET_IFNAME") || starts("NCCL_IB_HCA") || starts("NCCL_IB_GID_INDEX") ||
           starts("NCCL_IB_ADDR_") || starts("NCCL_DEBUG") || starts("NCCL_TOPO_") || starts("NCCL_GRAPH_") ||
           starts("NCCL_HOSTID") || starts("NCCL_CONF_FILE") || starts("NCCL_OOB_NET_IFNAME") ||
           starts("NCCL_IGNORE_CPU_AFFINITY") || starts("NCCL_PROFILER_") || starts("NCCL_RAS_");
}

// What was meant by a name that no program reads; empty: it is right, or nothing is near.
std::string right_name(const std::string& name) {
    for (const auto& problem : logs::VariableTable::own().check(name, "", {})) {
        if (problem.kind == logs::VariableProblemKind::Misspelt) {
            return problem.detail;
        }
    }
    return {};
}

// A variable with such a name has no effect, and no program says so.
void misspelt(const std::vector<NodeView>& views, HostFindings& findings) {
    for (const auto& view : views) {
        for (const auto& entry : view.host.nccl_settings()) {
            const auto right = right_name(entry.name());
            if (right.empty()) {
                continue;
            }
            const logs::VariableProblem problem{.kind = logs::VariableProblemKind::Misspelt, .detail = right};
            Check& check =
                findings.add("env-skew", CheckStatus::Warn, view,
                             variable_problem_text(entry.name(), entry.value(), problem) + ' ' +
                                 text(kContext, "It is set on %1 (%2).", {view.name, entry.source()}));
            check.remedy = text(kContext, "Correct the name where it is set.");
        }
    }
}

void skew(const std::vector<NodeView>& views, bool nccl, HostFindings& findings) {
    std::set<std::string> names;
    for (const auto& view : views) {
        for (const auto& entry : view.host.nccl_settings()) {
            // Becomes a key of the job: no more than a name, whatever the node says.
            if (entry.name().starts_with("NCCL_") && VariableName::of(entry.name()) &&
                right_name(entry.name()).empty()) {
                names.insert(entry.name());
            }
        }
        for (const auto& [name, value] : view.env) {
            if (name.starts_with("NCCL_")) {
                names.insert(name);
            }
        }
    }
    for (const auto& name : names) {
        std::map<std::string, std::vector<const NodeView*>> nodes_of;
        for (const auto& view : views) {
            const Setting setting = setting_of(view, name);
            nodes_of[setting.source.empty() ? "" : '=' + setting.value].push_back(&view);
        }
        if (nodes_of.size() < 2 || may_differ(name)) {
            continue;
        }
        const auto most =
            std::max_element(nodes_of.begin(), nodes_of.end(),
                             [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
        const bool tie = most->second.size() * 2 <= views.size();
        // What the most have, or nothing where that is not clear.
        const std::string common = tie || most->first.empty() ? "" : most->first.substr(1);
        for (const auto& [value, nodes] : nodes_of) {
            if (value == most->first && !tie) {
                continue;
            }
            for (const NodeView* view : nodes) {
                const Setting setting = setting_of(*view, name);
                Check& check = findings.add(
                    "env-skew", nccl ? CheckStatus::Fail : CheckStatus::Warn, *view,
                    setting.source.empty()
                        ? text(kContext, "%1 is not set on %2; other nodes have it.", {name, view->name})
                        : text(kContext, "%1 is \"%2\" on %3 (%4); other nodes have another value.",
                               {name, setting.value, view->name, setting.source}));
                // One value for all ranks, whatever the nodes say.
                const Fix fix{.job = {{"env." + name, common}}};
                if (!common.empty() && is_visible_text(common) &&
                    std::find(check.fixes.begin(), check.fixes.end(), fix) == check.fixes.end()) {
                    check.fixes.push_back(fix);
                }
            }
        }
    }
}

bool is_active(const wire::InfinibandPort& port) {
    return port.state().find("ACTIVE") != std::string::npos;
}

void infiniband(const std::vector<NodeView>& views, HostFindings& findings) {
    const auto count = [](const NodeView& view) {
        return std::count_if(view.host.infiniband().begin(), view.host.infiniband().end(), is_active);
    };
    std::ptrdiff_t most = 0;
    for (const auto& view : views) {
        most = std::max(most, count(view));
    }
    for (const auto& view : views) {
        const std::string off = setting_of(view, "NCCL_IB_DISABLE").value;
        if (!view.gpus || (!off.empty() && off != "0")) {
            continue;
        }
        for (const auto& port : view.host.infiniband()) {
            const std::string name = port.device() + ':' + std::to_string(port.port());
            if (is_active(port) && port.gids().empty()) {
                findings.add(
                    "ib-degraded", CheckStatus::Fail, view,
                    text(kContext, "The port %1 of %2 is active and has no GID.", {name, view.name}));
            } else if (!is_active(port) && most > count(view)) {
                // A port without a cable on every node is how the cluster is wired.
                findings.add(
                    "ib-degraded", CheckStatus::Warn, view,
                    text(kContext, "The port %1 of %2 is %3 (%4); other nodes have more active ports.",
                         {name, view.name, port.state(), port.physical()}));
            }
        }
        if (count(view) == 0 && most > 0 && view.host.infiniband().empty()) {
            findings.add("ib-degraded", CheckStatus::Fail, view,
                         text(kContext, "%1 has no InfiniBand or RoCE port; other nodes have %2 active ones.",
                              {view.name, std::to_string(most)}));
        }
    }
}

}  // namespace

void nccl_setting_checks(const std::vector<NodeView>& views, bool nccl, HostFindings& findings) {
    misspelt(views, findings);
    if (views.size() < 2) {
        return;
    }
    skew(views, nccl, findings);
    if (nccl) {
        infiniband(views, findings);
    }
}

}  // namespace rankscope::inline runs
