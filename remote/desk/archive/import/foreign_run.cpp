// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/import/foreign_run.h>
#include <remote/desk/runs/run/run_id.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "RunImport";
constexpr std::size_t kBatch = 4096;
constexpr const char* kUnknownMachine = "imported";

LaunchPlan plan_of(const std::string& name, const ForeignRun::Ranks& ranks) {
    LaunchPlan plan;
    plan.job_name = name;
    for (const auto& [number, node] : ranks) {
        auto known = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [&, &machine = node](const NodePlan& one) { return one.node == machine; });
        if (known == plan.nodes.end()) {
            NodePlan fresh;
            fresh.node = node;
            fresh.group_rank = static_cast<int>(plan.nodes.size());
            known = plan.nodes.insert(plan.nodes.end(), std::move(fresh));
        }
        RankPlan rank;
        rank.rank = number;
        rank.local_rank = known->local_world_size++;
        rank.node = node;
        plan.ranks.push_back(std::move(rank));
        plan.world_size = std::max(plan.world_size, number + 1);
    }
    plan.master_node = plan.nodes.empty() ? "" : plan.nodes.front().node;
    return plan;
}

}  // namespace

Result<ForeignRun> ForeignRun::begin(RunStore& store, const std::string& name, const std::string& origin,
                                     std::int64_t started_us, const Ranks& ranks) {
    Ranks known = ranks;
    for (auto& [rank, node] : known) {
        node = node.empty() ? kUnknownMachine : node;
    }
    RunRecord record;
    record.run_id = new_run_id();
    record.name = name;
    record.job_yaml = "# " + origin + "\n";
    record.plan = plan_of(name, known);
    record.started_us = started_us;
    if (auto created = store.create_run(record); !created) {
        return created.failure();
    }
    return ForeignRun(store, record.run_id, std::move(known));
}

ForeignRun::~ForeignRun() {
    if (store_ != nullptr) {
        static_cast<void>(store_->remove_run(id_));
    }
}

ForeignRun::ForeignRun(ForeignRun&& other) noexcept
    : store_(std::exchange(other.store_, nullptr)),
      id_(std::move(other.id_)),
      ranks_(std::move(other.ranks_)),
      batch_(std::move(other.batch_)),
      seqs_(std::move(other.seqs_)),
      last_us_(other.last_us_),
      stored_(std::move(other.stored_)) {}

void ForeignRun::add(Event event) {
    if (const auto rank = ranks_.find(event.rank); rank != ranks_.end()) {
        event.node = rank->second;
    }
    event.seq = ++seqs_[event.node];
    last_us_ = std::max(last_us_, event.t_us);
    batch_.push_back(std::move(event));
    if (batch_.size() >= kBatch) {
        flush();
    }
}

void ForeignRun::flush() {
    if (stored_ && !batch_.empty()) {
        stored_ = store_->append(id_, batch_);
    }
    batch_.clear();
}

Result<std::string> ForeignRun::finish(Outcome outcome, const std::string& summary) {
    for (const auto& [rank, node] : ranks_) {
        if (outcome == Outcome::Done) {
            Event done;
            done.rank = rank;
            done.t_us = last_us_;
            ExitEvent exit;
            exit.reason = text(kContext, "Imported: how the rank ended is not known.");
            done.body = std::move(exit);
            add(std::move(done));
        }
    }
    EndEvent end;
    end.outcome = outcome;
    end.exit_code = outcome == Outcome::Done ? 0 : 1;
    end.detail = summary;
    Event event;
    event.t_us = last_us_;
    event.body = end;
    add(std::move(event));
    flush();
    if (stored_) {
        stored_ = store_->finish_run(id_, last_us_, end);
    }
    if (!stored_) {
        return stored_.failure();
    }
    store_ = nullptr;
    return id_;
}

}  // namespace rankscope::inline archive
