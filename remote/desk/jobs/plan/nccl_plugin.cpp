// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <string_view>

namespace rankscope::inline jobs {
namespace {

constexpr const char* kContext = "LaunchPlan";

bool is_wanted(const RankPlan& rank, const Job& job) {
    if (job.nccl_profiler == NcclProfiler::Off) {
        return false;
    }
    const bool nccl = rank.device != "cpu" || job.backend == BackendChoice::Nccl;
    return nccl || (!job.train && job.nccl_profiler != NcclProfiler::Auto);
}

// NCCL's own words for "no library".
bool is_no_library(std::string_view value) {
    return value.empty() || value == "none" || value == "STATIC_PLUGIN";
}

void add_once(std::vector<std::string>& notes, std::string note) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(std::move(note));
    }
}

}  // namespace

int nccl_level(NcclProfiler wanted) {
    switch (wanted) {
        case NcclProfiler::Light:
            return 1;
        case NcclProfiler::Auto:
            return 2;
        case NcclProfiler::Full:
            return 3;
        case NcclProfiler::Off:
            break;
    }
    return 0;
}

void add_nccl_plugin(RankPlan& rank, const Job& job, std::vector<std::string>& notes) {
    if (!is_wanted(rank, job)) {
        return;
    }
    if (const auto own = rank.env.find(kNcclPluginVariable); own != rank.env.end()) {
        if (is_no_library(own->second)) {
            add_once(notes, text(kContext, "%1=%2 is set by the job: NCCL is not observed.",
                                 {kNcclPluginVariable, own->second}));
            return;
        }
        add_once(notes, text(kContext, "%1=%2 is set by the job: this plugin is loaded through Rankscope's.",
                             {kNcclPluginVariable, own->second}));
        rank.env[kNcclChainVariable] = own->second;
    }
    rank.env[kNcclPluginVariable] = kNcclPluginPlaceholder;
    rank.env[kNcclFolderVariable] = kNcclFolderPlaceholder;
    rank.env.try_emplace(kNcclLevelVariable, std::to_string(nccl_level(job.nccl_profiler)));
}

bool loads_nccl_plugin(const RankPlan& rank) {
    const auto plugin = rank.env.find(kNcclPluginVariable);
    return plugin != rank.env.end() && plugin->second == kNcclPluginPlaceholder;
}

std::map<std::string, std::string> environment_without_nccl_plugin(const RankPlan& rank) {
    auto env = rank.env;
    if (!loads_nccl_plugin(rank)) {
        return env;
    }
    const auto own = env.find(kNcclChainVariable);
    const std::string users = own == env.end() ? "" : own->second;
    for (const char* name :
         {kNcclPluginVariable, kNcclChainVariable, kNcclFolderVariable, kNcclLevelVariable}) {
        env.erase(name);
    }
    if (!users.empty()) {
        env[kNcclPluginVariable] = users;
    }
    return env;
}

bool observes_nccl(const LaunchPlan& plan, const std::string& node) {
    return std::any_of(plan.ranks.begin(), plan.ranks.end(), [&](const RankPlan& rank) {
        return (node.empty() || rank.node == node) && loads_nccl_plugin(rank);
    });
}

}  // namespace rankscope::inline jobs
