// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/nccl_plugin_variables.h>
#include <remote/agent/nccl/inspector_files.h>
#include <remote/agent/nccl/nccl_evidence.h>
#include <remote/agent/nccl/nccl_watch.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/ranks/nccl_plugin.h>
#include <remote/agent/spool/run_events.h>
#include <remote/wire/event_wire.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

namespace rankscope::agent {
namespace {

constexpr std::uint32_t kAutoLevel = 2;
constexpr double kPollS = 0.1;
constexpr double kScanS = 1;
constexpr int kRanksOfOneSecond = 64;  // of the whole run: its events go to one desk
constexpr double kFirstLookS = 10;
constexpr double kLongestLookS = 600;

int world_size_of(const wire::RankSpec& rank) {
    const auto value = rank.env().find("WORLD_SIZE");
    return value == rank.env().end() ? 1 : std::max(1, std::atoi(value->second.c_str()));
}

struct ProblemText {
    nccl_ring::Problem problem;
    const char* text;
};
constexpr std::array kProblems{
    ProblemText{nccl_ring::kChainMissing, "the user's own NCCL profiler plugin cannot be opened"},
    ProblemText{nccl_ring::kChainNoVersion,
                "the user's own NCCL profiler plugin lacks the interface of this NCCL"},
    ProblemText{nccl_ring::kMaskOverridden,
                "something else has changed which events NCCL reports: operations may be missing"}};

}  // namespace

double nccl_event_interval_s(int world_size, double age_s) {
    constexpr double kMinute = 60;
    const double older = age_s < 10 * kMinute ? 1 : age_s < 60 * kMinute ? 5 : 10;
    return older * std::max(1.0, static_cast<double>(world_size) / kRanksOfOneSecond);
}

void NcclWatch::prepare(const wire::StartRun& run, const RunDir& dir, const NodePaths& paths) {
    const auto wanted =
        static_cast<int>(std::count_if(run.ranks().begin(), run.ranks().end(), wants_nccl_plugin));
    wanted_ = wanted > 0;
    if (!wanted_) {
        return;
    }
    folder_ = RingFolder::make(dir, wanted);
    library_ = paths.bundle(run.bundle()) / kNcclPluginFile;
    world_size_ = world_size_of(run.ranks(0));
    explicitly_ = run.nccl().level() != kAutoLevel;
}

void NcclWatch::begin(RankProcess& rank) {
    const int number = rank.spec.rank();
    ranks_.erase(number);
    if (!wanted_ || !wants_nccl_plugin(rank.spec)) {
        return;
    }
    const char* login_plugin = std::getenv(kNcclPluginVariable);
    if (const auto why = plugin_refused(login_plugin == nullptr ? "" : login_plugin);
        !why.empty() && rank.spec.env().count(kNcclChainVariable) == 0) {
        return report_unobserved(number, why);
    }
    if (!folder_ || !folder_->begin_rank(number)) {
        return report_unobserved(number, "ring-unreadable");
    }
    rank.nccl_folder = folder_->of_rank(number);
    rank.nccl_plugin = loadable_nccl_plugin(library_, rank.nccl_folder);
    if (rank.nccl_plugin.empty()) {
        return report_unobserved(number, "not-loaded");
    }
    const double now = monotonic_s();
    Watched watched{.rings = RankRings(rank.nccl_folder, rank_of_), .started_s = now};
    watched.next_event_s = now + nccl_event_interval_s(world_size_, 0);
    watched.next_look_s = now + kFirstLookS;
    if (const auto level = levels_.find(number); level != levels_.end()) {
        watched.rings.set_level(level->second);
    }
    ranks_.emplace(number, std::move(watched));
}

double NcclWatch::due_s() const {
    const bool any_found = std::any_of(ranks_.begin(), ranks_.end(),
                                       [](const auto& entry) { return entry.second.rings.found(); });
    return ranks_.empty() ? std::numeric_limits<double>::infinity() : any_found ? next_poll_s_ : next_scan_s_;
}

void NcclWatch::poll(const std::vector<RankProcess>& ranks) {
    const double now = monotonic_s();
    if (ranks_.empty() || now < due_s()) {
        return;
    }
    next_poll_s_ = now + kPollS;
    const bool scan = now >= next_scan_s_;
    if (scan) {
        next_scan_s_ = now + kScanS;
    }
    for (const RankProcess& rank : ranks) {
        const auto found = ranks_.find(rank.spec.rank());
        if (found == ranks_.end() || !rank.running()) {
            continue;
        }
        Watched& watched = found->second;
        if (scan) {
            watched.rings.scan();
        }
        watched.rings.read();
        if (now >= watched.next_event_s) {
            watched.next_event_s = now + nccl_event_interval_s(world_size_, now - watched.started_s);
            emit_all(rank, watched, now);
        }
        if (now >= watched.next_look_s) {
            look(rank, watched, now);
        }
    }
}

void NcclWatch::look(const RankProcess& rank, Watched& watched, double now_s) {
    const double age_s = now_s - watched.started_s;
    watched.next_look_s = now_s + std::min(age_s, kLongestLookS);
    if (watched.rings.found() || reported_.contains(rank.spec.rank())) {
        watched.next_look_s = std::numeric_limits<double>::infinity();
        return;
    }
    auto processes = descendants_of(rank.pid);
    processes.push_back(rank.pid);
    const NcclEvidence evidence = nccl_evidence(processes);
    const int version = evidence.library.empty() ? 0 : nccl_version_of(evidence.library);
    const std::string why = why_unobserved(evidence, version,
                                           {.age_s = age_s,
                                            .world_size = world_size_of(rank.spec),
                                            .working = rank.first_metric_seen,
                                            .explicitly = explicitly_,
                                            .ring_unreadable = watched.rings.unreadable()});
    if (!why.empty()) {
        report_unobserved(rank.spec.rank(), why);
    }
}

void NcclWatch::finish(const RankProcess& rank) {
    const auto found = ranks_.find(rank.spec.rank());
    if (found == ranks_.end()) {
        return report_inspector(rank);
    }
    RankRings& rings = found->second.rings;
    rings.scan();
    if (!rings.found()) {
        report_inspector(rank);
    }
    rings.read();
    rings.read();  // a record that was not whole is left out at the second time
    emit_all(rank, found->second, monotonic_s());
    report_problems(rank.number(), found->second);
    ranks_.erase(found);
}

void NcclWatch::report_inspector(const RankProcess& rank) {
    const auto folder = inspector_folder(rank.spec);
    if (folder.empty()) {
        return;
    }
    if (const auto event = look_at_inspector_files(folder, rank.pid)) {
        emit(rank.spec.rank(), *event);
    }
}

void NcclWatch::set_level(const std::vector<int>& ranks, std::uint32_t level) {
    for (auto& [rank, watched] : ranks_) {
        const auto is_meant = [number = rank, &rings = watched.rings](int wanted) {
            return wanted == number || rings.has(wanted);
        };
        if (ranks.empty() || std::any_of(ranks.begin(), ranks.end(), is_meant)) {
            levels_[rank] = level;
            watched.rings.set_level(level);
        }
    }
}

void NcclWatch::emit_all(const RankProcess& rank, Watched& watched, double now_s) {
    const auto events = watched.rings.take(now_s);
    for (const auto& [number, event] : events) {
        emit(number >= 0 ? number : rank.number(), event);
    }
    if (!events.empty()) {
        report_problems(rank.number(), watched);
    }
}

void NcclWatch::report_problems(int rank, Watched& watched) {
    const std::uint32_t problems = watched.rings.problems();
    for (const auto& [problem, text] : kProblems) {
        if ((problems & ~watched.problems & problem) != 0) {
            add_stage(spool_, rank, StageName::Note, StageStatus::Progress, text);
        }
    }
    watched.problems |= problems;
}

// Once of each rank, whatever happens in later attempts.
void NcclWatch::report_unobserved(int rank, const std::string& why) {
    if (reported_.insert(rank).second) {
        NcclEvent event;
        event.unavailable = why;
        emit(rank, event);
    }
}

void NcclWatch::emit(int rank, const NcclEvent& event) {
    Event whole;
    whole.rank = rank;
    whole.body = event;
    spool_.add(to_wire(whole));
}

}  // namespace rankscope::agent
