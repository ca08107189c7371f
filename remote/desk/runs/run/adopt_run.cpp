// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/event_intake.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/run/adopt_run.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <map>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AdoptRun";
constexpr int kWaitMs = 500;
constexpr double kSilence = 30;  ///< seconds without an event that must be there

using RankNodes = std::map<int, std::string>;

// Ranks are numbered without gaps; those below the last one that run elsewhere have no node here.
LaunchPlan plan_of(const std::vector<AdoptedNode>& nodes, const RankNodes& ranks) {
    LaunchPlan plan;
    plan.job_name = nodes.front().run.name;
    plan.master_node = nodes.front().name;
    for (const AdoptedNode& node : nodes) {
        NodePlan entry;
        entry.node = node.name;
        entry.group_rank = static_cast<int>(plan.nodes.size());
        plan.nodes.push_back(std::move(entry));
    }
    plan.world_size = ranks.empty() ? 0 : ranks.rbegin()->first + 1;
    for (int number = 0; number < plan.world_size; ++number) {
        RankPlan rank;
        rank.rank = number;
        if (const auto found = ranks.find(number); found != ranks.end()) {
            rank.node = found->second;
            const auto node = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                           [&](const NodePlan& one) { return one.node == rank.node; });
            rank.local_rank = node->local_world_size++;
        }
        plan.ranks.push_back(std::move(rank));
    }
    return plan;
}

std::string one_line(std::string word) {
    std::replace_if(
        word.begin(), word.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return word;
}

void fill(RunRecord& record, const NodeRun& run, const Job& job) {
    record.run_id = run.run_id;
    record.name = run.name;
    record.job_yaml = "# Started by " + one_line(run.desk) + "; its job file is there.\n" + to_yaml(job);
    record.started_us = run.started_us != 0 ? run.started_us : now_us();
}

// Of a run that a scheduler starts: the node it was submitted on has the events of all its nodes, and sends them to whom
// attaches.
Result<RunRecord> submitted_record(const AdoptedNode& node) {
    const SubmittedRun& submitted = *node.run.submitted;
    const LauncherKind* launcher = launcher_kind(submitted.launcher);
    if (launcher == nullptr || launcher->adopt == nullptr) {
        return Failure{"bad-request", node.name,
                       text(kContext, "A launcher that is unknown here has submitted the run: %1.",
                            {submitted.launcher}),
                       text(kContext, "Update Rankscope on this computer."), ""};
    }
    Job job;
    job.name = node.run.name;
    RunRecord record;
    record.plan.job_name = node.run.name;
    launcher->adopt(submitted, node.name, job, record.plan);
    fill(record, node.run, job);
    return record;
}

RunRecord record_of(const std::vector<AdoptedNode>& nodes) {
    const NodeRun& run = nodes.front().run;
    Job job;
    job.name = run.name;
    for (const AdoptedNode& node : nodes) {
        job.nodes.push_back(node.name);
    }
    RunRecord record;
    fill(record, run, job);
    record.plan = plan_of(nodes, {});
    return record;
}

// Everything that the node has of it now.
Result<void> read_events(RunStore& store, const AdoptedNode& node, RankNodes& ranks, std::uint64_t& count,
                         const std::function<void(std::uint64_t)>& progress, const std::stop_token& stop) {
    AgentLink& link = *node.connection->link;
    wire::Request request;
    request.mutable_attach()->set_run_id(node.run.run_id);
    request.mutable_attach()->set_from_seq(1);
    if (const auto reply = link.call(std::move(request)); !reply) {
        return reply.failure();
    }
    std::uint64_t next = 1;
    double heard = monotonic_s();
    while (next <= node.run.last_seq) {
        if (stop.stop_requested()) {
            return Failure{"cancelled", node.run.run_id, text(kContext, "Cancelled."), "", ""};
        }
        const auto reply = link.next(kWaitMs);
        if (!reply && !link.alive()) {
            return link.lost();
        }
        if (!reply || !reply->has_events() || reply->events().run_id() != node.run.run_id) {
            if (monotonic_s() - heard > kSilence) {
                return Failure{"no-answer", node.name, text(kContext, "The node sends no events of the run."),
                               text(kContext, "Try again; `rankscopectl probe` shows whether it answers."),
                               ""};
            }
            continue;
        }
        heard = monotonic_s();
        std::vector<std::string> missing;  // thinned by the node itself: the rest is kept
        const auto events =
            take_in(reply->events(), node.name, node.connection->facts.clock_offset_s, next, missing);
        for (const Event& event : events) {
            if (event.rank >= 0) {
                ranks.emplace(event.rank, node.name);
            }
        }
        if (const auto kept = store.append(node.run.run_id, events); !kept) {
            return kept.failure();
        }
        count += events.size();
        if (progress) {
            progress(count);
        }
    }
    return {};
}

}  // namespace

Result<void> adopt_run(RunStore& store, const std::vector<AdoptedNode>& nodes,
                       const std::function<void(std::uint64_t)>& progress, const std::stop_token& stop) {
    const std::string& run_id = nodes.front().run.run_id;
    if (store.run(run_id)) {
        return {};
    }
    if (nodes.front().run.submitted) {
        const auto record = submitted_record(nodes.front());
        return record ? store.create_run(*record) : record.failure();
    }
    if (const auto created = store.create_run(record_of(nodes)); !created) {
        return created.failure();
    }
    RankNodes ranks;
    std::uint64_t count = 0;
    for (const AdoptedNode& node : nodes) {
        auto read = read_events(store, node, ranks, count, progress, stop);
        if (read) {
            read = store.set_plan(run_id, plan_of(nodes, ranks));
        }
        if (!read) {
            (void)store.remove_run(run_id);  // half of it would look like all of it
            return read.failure();
        }
    }
    return {};
}

}  // namespace rankscope::inline runs
