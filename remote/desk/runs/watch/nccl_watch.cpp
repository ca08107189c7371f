// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/flight_dumps.h>
#include <remote/desk/runs/watch/flight_watch.h>
#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/nccl_watch.h>
#include <remote/desk/runs/watch/ras_watch.h>

#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr double kRasWithinS = 8;   // it waits for processes that do not answer, about five seconds
constexpr double kRasStalledS = 3;  // between two questions while the run stalls
constexpr double kRasHealthyS = 60;
constexpr double kRasAbsentS = 300;  // where no node has it: NCCL is too old, or not used
constexpr double kRasAbsentStalledS = 20;
constexpr double kFlightWithinS = 4;
constexpr double kFlightFirstS = 3;  // into a stall: a dump costs the rank some milliseconds
constexpr double kFlightPauseS = 4;
constexpr double kFlightLaterS = 60;
constexpr int kCloseRounds = 3;
constexpr std::size_t kMostFlightRanks = 128;
constexpr double kCrossingPauseS = 5;
constexpr int kCrossingLooks = 24;
constexpr double kCountsPauseS = 2.5;  // the agents send them once a second

/// `standing`: the round before showed it, too.
void mark_standing(std::vector<CollectiveFinding>& now, const std::vector<CollectiveFinding>& before) {
    for (auto& finding : now) {
        finding.standing = finding.standing ||
                           std::any_of(before.begin(), before.end(),
                                       [&](const CollectiveFinding& earlier) { return earlier.is(finding); });
    }
}

}  // namespace

bool NcclWatch::observe(const Event& event) {
    if (const auto* notice = event.as<NoticeEvent>(); notice != nullptr && notice->id == kTensorAcrossNodes) {
        crossing_told_ = true;  // before this desk was connected to the run
    }
    if (const auto* log = event.as<LogEvent>()) {
        mesh_.apply_log(event.rank, *log);
    } else if (const auto* metric = event.as<MetricEvent>()) {
        mesh_.apply_metric(event.rank, *metric);
    }
    if (const auto* nccl = event.as<NcclEvent>()) {
        mesh_.apply_nccl(event.rank, *nccl);
        return event.rank >= 0 && counters_.observe(event.rank, *nccl, directory_);
    }
    if (const auto* stage = event.as<StageEvent>(); stage != nullptr && stage->name == StageName::Restart) {
        end_stall();
        directory_.clear();
        counters_.clear();
        mesh_.restart();
    }
    return false;
}

void NcclWatch::see(const std::string& node, const std::vector<RankSnapshot>& ranks) {
    for (const auto& rank : ranks) {
        directory_.add_process(node, rank.pid, rank.rank);
    }
}

std::optional<NcclWatch::Question> NcclWatch::ras_question(double now, bool stalls, const std::string& run_id,
                                                           const LaunchPlan& plan) {
    if (!sources_.ras || ras_open_ || now < ras_next_ || plan.nodes.empty()) {
        return std::nullopt;
    }
    ras_open_ = true;
    ras_next_ = now + (stalls ? kRasStalledS : kRasHealthyS);
    Question question;
    question.asks = Asks::Ras;
    question.node = plan.nodes[ras_node_ % plan.nodes.size()].node;
    question.timeout_s = kRasWithinS + 2;
    auto* ask = question.request.mutable_ask_ras();
    ask->set_run_id(run_id);
    ask->set_within_s(kRasWithinS);
    ask->set_allow_text(true);  // the agent knows which NCCL it would harm
    return question;
}

std::vector<NcclWatch::Question> NcclWatch::due(double now, bool stalls, const std::string& run_id,
                                                const LaunchPlan& plan) {
    std::vector<Question> questions;
    if (plan.world_size < 2) {
        return questions;
    }
    if (ras_next_ <= 0) {
        ras_next_ = now + kRasHealthyS;  // communicators are still being made
    }
    if (stalls && !stalls_) {
        ras_next_ = ras_refused_ < plan.nodes.size() ? now : std::min(ras_next_, now + kRasStalledS);
        flights_next_ = now + kFlightFirstS;
        flight_rounds_ = 0;
    }
    if (!stalls && stalls_) {
        end_stall();
    }
    stalls_ = stalls;
    if (auto question = ras_question(now, stalls, run_id, plan)) {
        questions.push_back(std::move(*question));
    }
    if (!sources_.flight_recorder || !stalls || flights_open_ > 0 || now < flights_next_) {
        return questions;
    }
    ++flight_rounds_;
    flights_next_ = now + (flight_rounds_ < kCloseRounds ? kFlightPauseS : kFlightLaterS);
    dumps_.clear();
    std::map<std::string, std::vector<int>> asked;
    // Of a large run, some: the dumps of all would be gigabytes.
    const std::size_t step = (plan.ranks.size() + kMostFlightRanks - 1) / kMostFlightRanks;
    for (std::size_t i = 0; i < plan.ranks.size(); i += std::max<std::size_t>(1, step)) {
        asked[plan.ranks[i].node].push_back(plan.ranks[i].rank);
    }
    for (const auto& [node, ranks] : asked) {
        Question question;
        question.asks = Asks::FlightRecorder;
        question.node = node;
        question.timeout_s = kFlightWithinS + 4;
        auto* dump = question.request.mutable_dump_flight();
        dump->set_run_id(run_id);
        dump->set_within_s(kFlightWithinS);
        dump->mutable_ranks()->Assign(ranks.begin(), ranks.end());
        questions.push_back(std::move(question));
    }
    flights_open_ = asked.size();
    return questions;
}

void NcclWatch::take(double now, Asks asks, const std::string& node, const Result<wire::Reply>& reply,
                     const LaunchPlan& plan) {
    if (asks == Asks::Ras) {
        ras_open_ = false;
        take_ras(now, reply && reply->has_ras() ? reply->ras() : wire::RasReply(), plan);
        return;
    }
    if (reply && reply->has_flight_dumps()) {
        std::set<int> ranks;
        for (const auto& rank : plan.ranks) {
            if (rank.node == node) {
                ranks.insert(rank.rank);
            }
        }
        for (const auto& one : reply->flight_dumps().ranks()) {
            if (auto dump = flight_dump_of(one)) {
                dumps_.insert_or_assign(one.rank(), std::move(*dump));
            }
        }
    }
    if (--flights_open_ == 0) {
        take_flights(now, plan);
    }
}

void NcclWatch::take_ras(double now, const wire::RasReply& reply, const LaunchPlan& plan) {
    const auto report = reply.outcome() == "answered" ? read_ras_report(reply.text()) : std::nullopt;
    if (!report) {
        // Another node's processes may answer.
        ++ras_node_;
        ++ras_refused_;
        const bool tried_all = ras_refused_ % std::max<std::size_t>(1, plan.nodes.size()) == 0;
        ras_next_ = tried_all ? now + (stalls_ ? kRasAbsentStalledS : kRasAbsentS) : now;
        return;
    }
    ras_refused_ = 0;
    for (const RasCommunicator& communicator : report->communicators) {
        std::vector<int> ranks;
        for (const RasRank& rank : communicator.ranks) {
            ranks.push_back(directory_.rank_of(rank, communicator.hash, communicator.size, plan));
        }
        if (std::find(ranks.begin(), ranks.end(), -1) == ranks.end()) {
            mesh_.add_members(communicator.hash, communicator.size, ranks);
        }
    }
    ras_ = collective_findings(*report, ras_before_, "NCCL RAS", directory_, plan);
}

void NcclWatch::take_flights(double now, const LaunchPlan& plan) {
    if (dumps_.empty()) {  // no recorder, or no process group of NCCL yet
        flights_next_ = std::max(flights_next_, now + kFlightLaterS / 2);
        return;
    }
    const bool all = dumps_.size() == plan.ranks.size();
    auto found = all ? collective_findings(match_flight_dumps(dumps_, plan.world_size),
                                           words_of_groups(mesh_of(mesh_, plan, observed_groups(dumps_))))
                     : collective_findings(dumps_, 0);
    mark_standing(found, flights_);
    flights_ = std::move(found);
    dumps_.clear();
}

std::vector<CollectiveFinding> NcclWatch::findings(double now, const LaunchPlan& plan) {
    if (now - counted_at_ >= kCountsPauseS) {
        counted_at_ = now;
        auto counted =
            collective_findings(counters_.report(), counters_before_, "NCCL profiler", directory_, plan);
        auto open = counters_.open_faults();
        mark_standing(open, counted_);
        counted.insert(counted.end(), std::make_move_iterator(open.begin()),
                       std::make_move_iterator(open.end()));
        counted_ = std::move(counted);
    }
    // Calls with the lines of the program first.
    std::vector<CollectiveFinding> all = flights_;
    all.insert(all.end(), counted_.begin(), counted_.end());
    all.insert(all.end(), ras_.begin(), ras_.end());
    if (!all.empty()) {
        const auto roles = words_of_groups(mesh_of(mesh_, plan));
        for (CollectiveFinding& finding : all) {
            if (const auto role = roles.find(finding.group); finding.role.empty() && role != roles.end()) {
                finding.role = role->second;
            }
        }
    }
    return all;
}

std::optional<NoticeEvent> NcclWatch::take_crossing(double now, const LaunchPlan& plan) {
    if (crossing_told_ || crossing_looks_ == kCrossingLooks || now < crossing_next_) {
        return std::nullopt;
    }
    crossing_next_ = now + kCrossingPauseS;
    const RunMesh run = mesh_of(mesh_, plan);
    crossing_looks_ += run.groups.empty() ? 0 : 1;
    auto notice = tensor_across_nodes(run, plan);
    crossing_told_ = notice.has_value();
    return notice;
}

void NcclWatch::end_stall() {
    ras_.clear();
    ras_before_.clear();
    flights_.clear();
    counted_.clear();
    counters_before_.clear();
    counted_at_ = 0;
}

}  // namespace rankscope::inline runs
