// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/communication_variable.h>
#include <remote/logs/variables/setting_rows.h>
#include <remote/logs/variables/version_text.h>

#include <algorithm>

namespace rankscope::logs {
namespace {

constexpr std::string_view kDiffer[] = {
    "NCCL_SOCKET_IFNAME", "NCCL_IB_HCA",       "NCCL_IB_GID_INDEX",   "NCCL_IB_ADDR_",
    "NCCL_DEBUG",         "NCCL_TOPO_",        "NCCL_GRAPH_FILE",     "NCCL_GRAPH_DUMP",
    "NCCL_HOSTID",        "NCCL_CONF_FILE",    "NCCL_OOB_NET_IFNAME", "NCCL_IGNORE_CPU_AFFINITY",
    "NCCL_PROFILE",       "NCCL_RAS_",         "GLOO_SOCKET_IFNAME",  "TORCH_NCCL_DEBUG_INFO",
    "TORCH_FR_DUMP",      "NCCL_PROXY_CPUSET", "NCCL_INSPECTOR_"};

std::map<std::size_t, int> ranks_of_processes(const RunFacts& facts) {
    std::map<std::size_t, int> ranks;
    const Communicator* largest = nullptr;
    for (const auto& communicator : facts.communicators) {
        if (largest == nullptr || communicator.nranks > largest->nranks) {
            largest = &communicator;
        }
    }
    if (largest != nullptr) {
        for (const auto& member : largest->members) {
            ranks.emplace(member.process, member.rank);
        }
    }
    return ranks;
}

void add(const RankSet& ranks, RankSet& all) {
    for (const int rank : ranks.ranks()) {
        all.insert(rank);
    }
}

}  // namespace

bool may_differ(std::string_view name) {
    return std::any_of(std::begin(kDiffer), std::end(kDiffer),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

SettingUse& SettingBook::use_of(const std::string& name, const std::string& value, SettingOrigin origin,
                                const std::string& where) {
    auto& uses = uses_[name];
    const auto same = std::find_if(uses.begin(), uses.end(), [&](const SettingUse& use) {
        return use.value == value && use.origin == origin && use.where == where;
    });
    if (same != uses.end()) {
        return *same;
    }
    uses.push_back(
        {.value = value, .origin = origin, .where = where, .ranks = {}, .logged = false, .line = {}});
    return uses.back();
}

void SettingBook::add_rank(const std::string& name, const std::string& value, SettingOrigin origin,
                           const std::string& where, int rank) {
    ranks_.insert(rank);
    if (is_communication_variable(name)) {
        use_of(name, value, origin, where).ranks.insert(rank);
    }
}

// Whether every rank that printed the value got the variable with another one. An environment wins over NCCL's files.
bool SettingBook::all_got_another(const SettingFact& setting, const std::map<std::size_t, int>& ranks) const {
    RankSet got;
    if (const auto uses = uses_.find(setting.name); uses != uses_.end()) {
        for (const auto& use : uses->second) {
            if (use.origin == SettingOrigin::Job || use.origin == SettingOrigin::Rankscope ||
                use.origin == SettingOrigin::Node) {
                add(use.ranks, got);
            }
        }
    }
    return !setting.processes.empty() &&
           std::all_of(setting.processes.begin(), setting.processes.end(), [&](std::size_t process) {
               const auto rank = ranks.find(process);
               return rank != ranks.end() ? got.contains(rank->second)
                                          : !got.empty() && got.size() == ranks_.size();
           });
}

void SettingBook::add_facts(const RunFacts& facts) {
    const auto ranks = ranks_of_processes(facts);
    for (const auto& [process, rank] : ranks) {
        ranks_.insert(rank);
    }
    for (const auto& setting : facts.settings) {
        auto& uses = uses_[setting.name];
        auto known = std::find_if(uses.begin(), uses.end(),
                                  [&](const SettingUse& use) { return use.value == setting.value; });
        if (known == uses.end()) {
            use_of(setting.name, setting.value,
                   all_got_another(setting, ranks) ? SettingOrigin::Program : SettingOrigin::Log, "");
            known = std::prev(uses.end());
        }
        if (!known->logged) {
            known->logged = true;
            known->line = setting.place;
        }
        if (known->origin != SettingOrigin::Log && known->origin != SettingOrigin::Program) {
            continue;  // who has it is known already
        }
        for (const std::size_t process : setting.processes) {
            if (const auto rank = ranks.find(process); rank != ranks.end()) {
                known->ranks.insert(rank->second);
            }
        }
    }
}

std::vector<SettingRow> SettingBook::rows(const VariableTable& table,
                                          const VariableVersions& versions) const {
    std::vector<SettingRow> rows;
    for (const auto& [name, uses] : uses_) {
        if (uses.empty()) {
            continue;
        }
        SettingRow row{.name = name, .uses = {}, .info = table.find(name), .problems = {}, .differs = false};
        std::set<std::string> values;
        RankSet with;
        for (const auto& use : uses) {
            row.uses.push_back(use);
            values.insert(use.value);
            add(use.ranks, with);
            for (auto& problem : table.check(name, use.value, versions)) {
                if (std::find(row.problems.begin(), row.problems.end(), problem) == row.problems.end()) {
                    row.problems.push_back(std::move(problem));
                }
            }
        }
        const bool some_ranks = !with.empty() && with.size() < ranks_.size();
        row.differs = !may_differ(name) && (values.size() > 1 || some_ranks);
        rows.push_back(std::move(row));
    }
    return rows;
}

VariableVersions versions_of(const RunFacts& facts) {
    VariableVersions versions{.nccl = {}, .torch = facts.torch_version};
    for (const auto& version : facts.versions) {
        if (versions.nccl.empty() || is_newer(versions.nccl, version.nccl)) {
            versions.nccl = version.nccl;
        }
    }
    return versions;
}

}  // namespace rankscope::logs
