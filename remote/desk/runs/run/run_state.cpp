// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/run_state.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::inline runs {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void apply_to_stage(StageState& stage, const StageEvent& event, std::int64_t t_us) {
    if (!stage.begun) {
        stage.begun = true;
        stage.begin_us = t_us;
    }
    stage.progress = event.progress;
    stage.detail = event.detail;
    if (event.status == StageStatus::Done || event.status == StageStatus::Failed) {
        stage.end_us = std::max(stage.begin_us, t_us);  // two clocks: corrected, not equal
        stage.done = event.status == StageStatus::Done;
        stage.failed = event.status == StageStatus::Failed;
    }
}

void apply_rank_stage(RankState& rank, const StageEvent& stage) {
    if (rank.exit) {
        return;
    }
    if (stage.name == StageName::Start) {
        rank.phase = RankPhase::Starting;
    } else if (stage.name == StageName::Rendezvous || stage.name == StageName::Data) {
        rank.phase = RankPhase::Rendezvous;
    } else if (stage.name == StageName::Train || stage.name == StageName::FirstStep) {
        rank.phase = RankPhase::Training;
    } else if (stage.name == StageName::Validate) {
        rank.phase = RankPhase::Validating;
    }
}

void apply_exit(RankState& rank, const ExitEvent& exit) {
    rank.exit = exit;
    const bool clean = exit.code == 0 && exit.signal == 0;
    rank.phase = clean ? RankPhase::Done : exit.requested ? RankPhase::EndedWithRun : RankPhase::Failed;
}

void apply_sample(NodeSamples& node, const SampleEvent& sample, std::int64_t t_us) {
    node.last_us = t_us;
    for (const auto& [key, number] : sample.values) {
        auto& value = node.values[key];
        value.last = number;
        value.most = value.count == 0 ? number : std::max(value.most, number);
        value.sum += number;
        ++value.count;
        value.last_us = t_us;
    }
}

// Ranks report the same updates, but not at the same moment.
void add_passes(RankState& rank, std::int64_t step, std::int64_t t_us, const std::string& text) {
    constexpr std::size_t kKept = 3;
    auto passes = read_passes(text);
    if (!passes || passes->empty()) {
        return;
    }
    rank.passes.insert(rank.passes.begin(), {step, t_us, *std::move(passes)});
    rank.passes.resize(std::min(rank.passes.size(), kKept));
}

// The ranks of this node have ended, and were started again.
void begin_attempt(RunState& run, const std::string& node) {
    for (auto& rank : run.ranks) {
        if (rank.node == node) {
            rank.exit.reset();
            rank.phase = RankPhase::Starting;
            run.restarts = std::max(run.restarts, ++rank.restarts);
        }
    }
}

std::int64_t total_or(std::int64_t before, double value) {
    return value >= 0 && value < 9e15 ? std::llround(value) : before;
}

}  // namespace

const char* to_string(RankPhase phase) {
    switch (phase) {
        case RankPhase::Waiting:
            return "waiting";
        case RankPhase::Starting:
            return "starting";
        case RankPhase::Rendezvous:
            return "rendezvous";
        case RankPhase::Training:
            return "training";
        case RankPhase::Validating:
            return "validating";
        case RankPhase::Done:
            return "done";
        case RankPhase::Failed:
            return "failed";
        case RankPhase::EndedWithRun:
            return "ended with the run";
    }
    return "waiting";
}

void RunState::set_plan(const LaunchPlan& new_plan) {
    plan = new_plan;
    if (name.empty()) {
        name = plan.job_name;
    }
    ranks.resize(plan.ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        RankState& rank = ranks[i];
        rank.rank = plan.ranks[i].rank;
        rank.local_rank = plan.ranks[i].local_rank;
        rank.node = plan.ranks[i].node;
        rank.device = plan.ranks[i].device;
        rank.outer_rank = plan.ranks[i].outer_rank;
        rank.pid = plan.ranks[i].pid;
        if (rank.phase == RankPhase::Waiting && rank.step < 0) {
            rank.loss = rank.acc1 = rank.images_per_s = kNan;
        }
    }
}

void RunState::apply(const Event& event) {
    if (stages.empty()) {
        for (const StageName stage : kStages) {
            stages.push_back({.name = stage});
        }
    }
    if (start_us == 0) {
        start_us = event.t_us;
    }
    last_us = std::max(last_us, event.t_us);
    const auto* of_node = event.as<EndEvent>();
    const bool presumed = of_node != nullptr && of_node->presumed;  // the desk says so: no sign of the node
    if (!event.node.empty() && !presumed) {
        auto& link = links[event.node];
        link.last_seen_us = std::max(link.last_seen_us, event.t_us);
    }
    RankState* rank = event.rank >= 0 && event.rank < static_cast<int>(ranks.size())
                          ? &ranks[static_cast<std::size_t>(event.rank)]
                          : nullptr;
    if (const auto* stage = event.as<StageEvent>()) {
        if (event.node.empty()) {
            apply_desk_stage(*stage, event.t_us);
        } else if (event.rank < 0) {
            apply_node_stage(event.node, *stage, event.t_us);
        }
        if (rank != nullptr) {
            apply_rank_stage(*rank, *stage);
        } else if (stage->name == StageName::Restart && stage->status == StageStatus::Done) {
            begin_attempt(*this, event.node);
            throughput.restart();
            mesh.restart();
        }
        if (!stage->detail.empty() && stage->name != StageName::Note) {
            activity = (event.node.empty() ? "" : event.node + ": ") + stage->detail;
        }
    } else if (const auto* metric = event.as<MetricEvent>(); metric != nullptr && rank != nullptr) {
        apply_metric(*rank, *metric, event.t_us);
        throughput.apply_metric(rank->rank, *metric, event.t_us);
        mesh.apply_metric(rank->rank, *metric);
    } else if (const auto* log = event.as<LogEvent>(); log != nullptr && rank != nullptr) {
        throughput.apply_log(rank->rank, *log);
        mesh.apply_log(rank->rank, *log);
        // Started again: the ranks have met once, and nothing but its output says that it runs.
        if (rank->phase == RankPhase::Starting && !rank->exit && has_no_steps(*this)) {
            rank->phase = RankPhase::Training;
        }
    } else if (const auto* exit = event.as<ExitEvent>(); exit != nullptr && exit->program) {
        apply_program_exit(event, *exit);
    } else if (exit != nullptr && rank != nullptr) {
        apply_exit(*rank, *exit);
    } else if (const auto* inner = event.as<InnerRankEvent>(); inner != nullptr && rank != nullptr) {
        apply_inner_rank(*rank, *inner);
    } else if (const auto* nccl = event.as<NcclEvent>(); nccl != nullptr && rank != nullptr) {
        mesh.apply_nccl(rank->rank, *nccl);
    } else if (const auto* sample = event.as<SampleEvent>(); sample != nullptr) {
        apply_sample(samples[event.node], *sample, event.t_us);
    } else if (const auto* settings = event.as<SettingsEvent>(); settings != nullptr) {
        node_settings[event.node] = settings->settings;
    } else if (const auto* link_event = event.as<LinkEvent>(); link_event != nullptr) {
        apply_link(*link_event);
    } else if (const auto* diagnosis = event.as<DiagnosisEvent>(); diagnosis != nullptr) {
        apply_verdict(*diagnosis);
    } else if (const auto* ended = event.as<EndEvent>(); ended != nullptr) {
        set_paused(event.node, false, event.t_us);
        saving.erase(event.node);
        if (event.node.empty()) {
            saving.clear();
            end = *ended;
            // What the desk itself did while it learned of the end is no part of the run.
            last_us = std::max(start_us, event.t_us);
            outcome = ended->outcome;
            activity = ended->detail;
        } else {
            NodeLink& link = links[event.node];
            link.state = ended->outcome == Outcome::Lost ? LinkState::PresumedLost : LinkState::Ended;
            link.retry_at_us = 0;
        }
    }
}

void RunState::apply_inner_rank(RankState& rank, const InnerRankEvent& inner) {
    if (rank.exit && rank.exit->pid != inner.pid) {
        rank.exit.reset();  // its program has started it again
        rank.phase = RankPhase::Starting;
        ++rank.restarts;
    } else if (rank.phase == RankPhase::Waiting) {
        rank.phase = RankPhase::Starting;
    }
    rank.outer_rank = inner.outer_rank;
    rank.pid = inner.pid;
}

// A program that has started ranks ends as those of them do whose own end is not known.
void RunState::apply_program_exit(const Event& event, const ExitEvent& exit) {
    for (auto& rank : ranks) {
        if (rank.node == event.node && rank.outer_rank == exit.outer_rank &&
            (!rank.exit || rank.exit->status_unknown)) {
            apply_exit(rank, exit);
        }
    }
}

void RunState::apply_verdict(const DiagnosisEvent& verdict) {
    if (verdict.phase == VerdictPhase::End) {
        diagnoses.push_back(verdict);
        return;
    }
    std::erase_if(live_verdicts, [&](const DiagnosisEvent& live) {
        return live.id == verdict.id && live.node == verdict.node && live.rank == verdict.rank;
    });
    if (verdict.phase == VerdictPhase::Live) {
        live_verdicts.push_back(verdict);
    }
}

void RunState::apply_link(const LinkEvent& event) {
    NodeLink& link = links[event.node];
    if (link.state == LinkState::Ended) {
        return;  // how its part ended is known; the link no longer matters
    }
    link.state = event.state;
    link.last_seen_us = std::max(link.last_seen_us, event.last_seen_us);
    link.retry_at_us = event.retry_at_us;
    link.failure_id = event.failure_id;
    link.failure = event.failure;
    link.remedy = event.remedy;
}

// How far reports are usually apart: a long gap counts at once, shorter ones wear it down.
void RunState::note_step(std::int64_t t_us) {
    if (last_step_us != 0 && t_us > last_step_us && paused.empty()) {
        const double gap_s = static_cast<double>(t_us - last_step_us) / 1e6;
        step_gap_s = std::max(gap_s, step_gap_s * 0.99);
    }
    last_step_us = std::max(last_step_us, t_us);
}

double NodeLink::silent_s(std::int64_t now_us) const {
    if (reachable() || last_seen_us == 0) {
        return 0;
    }
    return std::max(0.0, static_cast<double>(now_us - last_seen_us) / 1e6);
}

RunHealth RunState::health(std::int64_t now_us) const {
    constexpr double kStalledS = 10;
    constexpr double kStalledGaps = 3;
    RunHealth health;
    for (const auto& [node, link] : links) {
        if (!link.reachable()) {
            health.unreachable.push_back(node);
        }
    }
    const bool rank_failed = std::any_of(
        ranks.begin(), ranks.end(), [](const RankState& rank) { return rank.phase == RankPhase::Failed; });
    const auto ended = [this](const std::string& node) {
        const auto link = links.find(node);
        return link != links.end() && link->second.state == LinkState::Ended;
    };
    const bool node_lost = std::any_of(links.begin(), links.end(), [](const auto& entry) {
        return entry.second.state == LinkState::PresumedLost;
    });
    const bool validating = std::any_of(ranks.begin(), ranks.end(), [](const RankState& rank) {
        return rank.phase == RankPhase::Validating;
    });
    const double still_s = last_step_us == 0 ? 0 : static_cast<double>(now_us - last_step_us) / 1e6;
    if (outcome != Outcome::Running) {
        health.condition = RunCondition::Over;
        health.unreachable.clear();
    } else if (rank_failed || node_lost) {
        health.condition = RunCondition::Failing;
        health.waiting_for = health.unreachable;
        for (const auto& node : plan.nodes) {
            const auto link = links.find(node.node);
            if (!ended(node.node) && (link == links.end() || link->second.reachable())) {
                health.waiting_for.push_back(node.node);
            }
        }
    } else if (waits_in_queue()) {
        health.condition = RunCondition::Queued;
    } else if (all_paused()) {
        health.condition = RunCondition::Paused;
        health.for_s = std::max(0.0, static_cast<double>(now_us - paused_since_us) / 1e6);
    } else if (last_step_us == 0) {
        health.condition = has_no_steps(*this) ? RunCondition::Running : RunCondition::Starting;
    } else if (!validating && still_s > std::max(kStalledS, kStalledGaps * step_gap_s)) {
        health.condition = RunCondition::Stalled;
        health.for_s = still_s;
    } else {
        health.condition = RunCondition::Running;
    }
    return health;
}

void RunState::apply_metric(RankState& rank, const MetricEvent& metric, std::int64_t t_us) {
    bool advances = metric.step > rank.step;
    for (const auto& [key, value] : metric.values) {
        if (is_total(key)) {
            std::int64_t& total = key == "epochs"            ? epochs
                                  : key == "steps_per_epoch" ? steps_per_epoch
                                                             : steps;
            total = total_or(total, value);
            continue;
        }
        if (const auto id = metrics.intern(key)) {
            if (id->value() >= rank.last.size()) {
                rank.last.resize(id->value() + 1);
            }
            rank.last[id->value()] = value;
        }
        if (metric.step >= 0 && key == "loss") {
            rank.loss = value;
            advances = advances || !metric.from_file;  // who resumes from a checkpoint reports smaller steps
        } else if (metric.step >= 0 && key == "acc1") {
            rank.acc1 = value;
        } else if (metric.step >= 0 && key == "images_per_s") {
            rank.images_per_s = value;
        }
    }
    if (metric.step >= 0 && advances) {
        note_step(t_us);
        rank.step = metric.step;
        rank.epoch = metric.epoch;
        if (!rank.exit) {
            rank.phase = RankPhase::Training;
        }
    }
    // Every rank reports the same figure, of all ranks together: the first one of an epoch counts.
    // Where no epoch is reported (event files without one), the last one stands for all.
    if (metric.has("val_acc1") && metric.epoch < 0 && !validations.empty() && validations.back().epoch < 0) {
        validations.pop_back();
    }
    if (metric.has("val_acc1") && (validations.empty() || validations.back().epoch < metric.epoch)) {
        validations.push_back({metric.epoch, metric.value("val_loss"), metric.value("val_acc1")});
    }
    for (const auto& [key, value] : metric.texts) {
        if (key == "params") {
            rank.params = value;
        } else if (key == kPassesKey && metric.step >= 0) {
            add_passes(rank, metric.step, t_us, value);
        }
    }
}

// A stage of the whole run.
void RunState::apply_desk_stage(const StageEvent& stage, std::int64_t t_us) {
    if (stage.name == StageName::Pause || stage.name == StageName::Continue) {
        set_paused("", stage.name == StageName::Pause, t_us);  // by who starts the nodes' parts
    }
    for (auto& entry : stages) {
        if (entry.name == stage.name) {
            apply_to_stage(entry, stage, t_us);
        }
    }
    if (stage.name == StageName::Queue) {
        if (!queue) {
            queue = StageState{.name = stage.name};
        }
        apply_to_stage(*queue, stage, t_us);
    } else if (stage.name == StageName::FirstStep && stage.status == StageStatus::Done) {
        first_step_us = t_us;
    } else if (stage.name == StageName::Rendezvous && stage.status == StageStatus::Done) {
        // A program that says nothing of itself but what it prints, which may be no steps.
        for (auto& rank : ranks) {
            if (rank.phase == RankPhase::Starting && !rank.exit) {
                rank.phase = RankPhase::Training;
            }
        }
    }
}

// Stages of all ranks of a node.
void RunState::apply_node_stage(const std::string& node, const StageEvent& stage, std::int64_t t_us) {
    if (stage.name == StageName::Pause || stage.name == StageName::Continue) {
        set_paused(node, stage.name == StageName::Pause, t_us);
    } else if (stage.name == StageName::Checkpoint || stage.name == StageName::Stop) {
        set_paused(node, false, t_us);  // a stop wakes what was paused
        if (stage.name == StageName::Checkpoint && stage.status == StageStatus::Begin) {
            saving.insert(node);
        } else {
            saving.erase(node);
        }
    }
}

// The run is over for an empty name: nothing is paused any more.
void RunState::set_paused(const std::string& node, bool pause, std::int64_t t_us) {
    throughput.interrupt();
    if (pause) {
        paused.insert(node);
    } else if (node.empty()) {
        paused.clear();
    } else {
        paused.erase(node);
    }
    if (!paused.empty() && paused_since_us == 0) {
        paused_since_us = t_us;
    } else if (paused.empty() && paused_since_us != 0) {
        if (first_step_us != 0) {
            pause_us += std::max<std::int64_t>(0, t_us - std::max(paused_since_us, first_step_us));
        }
        paused_since_us = 0;
    }
}

bool RunState::waits_in_queue() const {
    return queue && queue->begun && !queue->done && !queue->failed && outcome == Outcome::Running;
}

bool RunState::all_paused() const {
    return !paused.empty() && std::all_of(ranks.begin(), ranks.end(), [this](const RankState& rank) {
        return rank.exit || paused.count(rank.node) > 0;
    });
}

// Since the first step, without the pauses.
double RunState::trained_s() const {
    const std::int64_t until = paused_since_us != 0 ? std::max(paused_since_us, first_step_us) : last_us;
    return static_cast<double>(until - first_step_us - pause_us) / 1e6;
}

double RunState::slowest_step() const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const auto& rank : ranks) {
        slowest = std::min(slowest, std::max<std::int64_t>(rank.step, 0));
    }
    return ranks.empty() ? 0 : static_cast<double>(slowest);
}

double RunState::progress() const {
    // As doubles: the totals are whatever a rank has said, and their product may be beyond any whole number.
    const double total = steps > 0 ? static_cast<double>(steps)
                                   : static_cast<double>(epochs) * static_cast<double>(steps_per_epoch);
    if (total <= 0 || ranks.empty()) {
        return outcome == Outcome::Done ? 1 : -1;
    }
    return std::min(1.0, slowest_step() / total);
}

double RunState::epoch_progress() const {
    const double all = progress();
    if (all < 0 || all >= 1 || steps_per_epoch <= 0) {
        return all;
    }
    return std::fmod(slowest_step(), static_cast<double>(steps_per_epoch)) /
           static_cast<double>(steps_per_epoch);
}

double RunState::eta_s() const {
    const double done = progress();
    if (done <= 0 || first_step_us == 0 || trained_s() <= 0) {
        return -1;
    }
    return trained_s() * (1 - done) / done;
}

double RunState::epoch_eta_s() const {
    const double all = eta_s();
    const double step = slowest_step();
    if (all <= 0 || step <= 0 || steps_per_epoch <= 0) {
        return all;
    }
    const double pace = trained_s() / step;
    return std::min(all, (1 - epoch_progress()) * static_cast<double>(steps_per_epoch) * pace);
}

double RunState::images_per_s() const {
    double sum = kNan;
    for (const auto& rank : ranks) {
        if (std::isfinite(rank.images_per_s)) {
            sum = (std::isfinite(sum) ? sum : 0) + rank.images_per_s;
        }
    }
    return sum;
}

}  // namespace rankscope::inline runs
