// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/metrics_line.h>
#include <remote/desk/node/bundle_push.h>
#include <remote/desk/node/slurm_failures.h>
#include <remote/desk/node/tree_push.h>
#include <remote/desk/plan/slurm_plan.h>
#include <remote/desk/run/event_intake.h>
#include <remote/desk/run/event_pump.h>
#include <remote/desk/run/link_listener.h>
#include <remote/desk/run/own_program_spec.h>
#include <remote/desk/run/slurm_task.h>
#include <remote/desk/run/start_spec.h>
#include <remote/desk/text.h>

#include <poll.h>

#include <algorithm>
#include <sstream>

namespace rankscope {
namespace {

constexpr const char* kContext = "SlurmTask";
constexpr double kSubmitTimeoutS = 90;

bool is_at_work(const Event& event) {
    const auto* stage = event.as<StageEvent>();
    return event.rank >= 0 && (event.as<MetricEvent>() != nullptr ||
                               (stage != nullptr && stage->name != "start" && stage->name != "note"));
}

// "srun: error: node2: task 1: Killed", or the last line that there is.
std::string line_about_a_task(const std::string& output) {
    std::istringstream lines(output);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
        if (line.find(": task ") != std::string::npos && line.find("Killed") != std::string::npos) {
            return line;
        }
        last = line.empty() ? last : line;
    }
    return last.empty() ? "a task of the job was killed" : last;
}

}  // namespace

SlurmTask::SlurmTask(NodeSpec login, RunContext& context, LaunchPlan plan, Hooks hooks)
    : login_(std::move(login)), context_(context), plan_(std::move(plan)), hooks_(std::move(hooks)) {}

SlurmTask::~SlurmTask() {
    leave();
    join();
}

void SlurmTask::start_run() {
    thread_ = std::thread([this] { run_from_start(); });
}

void SlurmTask::attach(const std::vector<Event>& past) {
    phase_ = Phase::Submitted;
    for (const auto& event : past) {
        note_start(event);
        if (!event.node.empty()) {
            auto& next = next_seqs_[event.node];
            next = std::max(next, event.seq + 1);
        } else if (const auto* stage = event.as<StageEvent>()) {
            const bool done = stage->status == StageStatus::Done;
            allocated_ = allocated_ || (stage->name == "queue" && done);
            started_ = started_ || (stage->name == "start" && done);
        }
    }
    thread_ = std::thread([this] { run_attached(); });
}

void SlurmTask::request_stop(int strength, const std::string& cause, bool by_user) {
    {
        const std::lock_guard lock(mutex_);
        if (stop_strength_ == 0) {
            stop_cause_ = cause;
        }
        stop_by_user_ = stop_by_user_ || by_user;
        stop_strength_ = std::max(stop_strength_.load(), strength);
        if (phase_ == Phase::Connecting) {
            stop_.request_stop();  // nothing is submitted yet; later an answer must not be missed
        }
    }
    wake_.wake();
}

void SlurmTask::leave() {
    stop_.request_stop();
    wake_.wake();
}

void SlurmTask::join() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void SlurmTask::post(const char* stage, StageStatus status, const std::string& detail, double progress) {
    context_.pump->post(desk_stage(stage, status, detail, progress));
}

AgentLink::Progress SlurmTask::progress(const char* stage) {
    return [this, stage, at = 0.0](const std::string& what, double share) mutable {
        const double now = monotonic_s();
        if (now - at < 0.1 && share < 1) {
            return;
        }
        at = now;
        std::string detail = login_.name + ": " + what;
        if (share >= 0) {
            detail += ' ' + std::to_string(static_cast<int>(share * 100)) + " %";
        }
        post(stage, StageStatus::Progress, detail, share);
    };
}

void SlurmTask::give_up(const char* stage, const Failure& failure) {
    post(stage, StageStatus::Failed, to_line(failure));
    over_ = true;
    hooks_.failed(failure);
}

// false: a stop came before.
bool SlurmTask::enter(Phase phase) {
    const std::lock_guard lock(mutex_);
    if (phase == Phase::Submitting && (stop_strength_ > 0 || stop_.stop_requested())) {
        return false;
    }
    phase_ = phase;
    return true;
}

void SlurmTask::run_from_start() {
    if (connect() && push() && submit()) {
        follow();
    }
}

void SlurmTask::run_attached() {
    if (connect() || reconnect()) {
        follow();
    }
}

bool SlurmTask::connect() {
    const bool starts = phase_ == Phase::Connecting;
    if (starts) {
        post("connect", StageStatus::Begin);
    }
    auto connection = connect_node(login_, context_.prompter, wake_, stop_.get_token(), progress("connect"));
    if (!connection) {
        if (starts) {
            give_up("connect", connection.failure());
        } else {
            post("note", StageStatus::Progress, to_line(connection.failure()));
        }
        return false;
    }
    connection_ = std::move(*connection);
    if (context_.facts) {
        context_.facts(login_.name, connection_.facts);
    }
    if (starts) {
        post("connect", StageStatus::Done);
    }
    return true;
}

bool SlurmTask::push() {
    post("push", StageStatus::Begin);
    if (context_.bundle) {
        const auto pushed = push_bundle(*connection_.link, *context_.bundle, progress("push"));
        if (!pushed) {
            give_up("push", pushed.failure());
            return false;
        }
    }
    if (!context_.job.push.empty()) {
        const auto tree =
            collect_user_tree(context_.job.file, context_.job.push, stop_.get_token(), [](std::uint64_t) {});
        const auto pushed = tree ? push_tree(*connection_.link, *tree, context_.job.workdir,
                                             context_.job.name, progress("push"))
                                 : Result<TreePushed>(tree.failure());
        if (!pushed) {
            give_up("push", pushed.failure());
            return false;
        }
        pushed_folder_ = pushed->folder;
    }
    post("push", StageStatus::Done);
    return true;
}

// For all nodes together: each takes its own ranks out of it. They have no link of their own (no peers):
// Slurm reaches every supervisor.
wire::StartRun SlurmTask::spec() const {
    wire::StartRun run = start_spec(context_);
    run.set_master_port(static_cast<std::uint32_t>(plan_.master_port));
    run.mutable_slurm()->set_nodes(static_cast<std::uint32_t>(plan_.nodes.size()));
    run.mutable_slurm()->set_ranks_per_node(static_cast<std::uint32_t>(plan_.nodes.front().local_world_size));
    for (const auto& rank : plan_.ranks) {
        add_rank(run, rank, context_, pushed_folder_);
    }
    add_own_program(context_.job, run);
    return run;
}

bool SlurmTask::submit() {
    post("queue", StageStatus::Begin, text(kContext, "submitting on %1", {login_.name}));
    if (!enter(Phase::Submitting)) {
        give_up("queue", Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""});
        return false;
    }
    wire::Request request;
    *request.mutable_submit_slurm()->mutable_run() = spec();
    for (const auto& word : sbatch_arguments(context_.job, plan_.nodes.front().local_world_size)) {
        request.mutable_submit_slurm()->add_sbatch(word);
    }
    auto reply = connection_.link->call(std::move(request), kSubmitTimeoutS);
    if (!reply) {
        if (stop_.stop_requested()) {
            return false;  // the program ends: attach() finds the job, or that there is none
        }
        give_up("queue", reply.failure());
        return false;
    }
    enter(Phase::Submitted);
    post("queue", StageStatus::Progress,
         text(kContext, "job %1 submitted on %2",
              {std::to_string(reply->slurm_submitted().job_id()), login_.name}));
    hooks_.submitted();
    return true;
}

void SlurmTask::follow() {
    while (!over_ && !stop_.stop_requested()) {
        if (!follow_once() && !over_ && !stop_.stop_requested() && !reconnect()) {
            return;
        }
    }
}

// One attachment, until the run is over (true), we leave, or the link is lost (false).
bool SlurmTask::follow_once() {
    AgentLink& link = *connection_.link;
    wire::Request request;
    request.mutable_attach_slurm()->set_run_id(context_.run_id);
    for (const auto& [node, seq] : next_seqs_) {
        auto* entry = request.mutable_attach_slurm()->add_nodes();
        entry->set_node(node);
        entry->set_from_seq(seq);
    }
    auto reply = link.call(std::move(request));
    if (!reply) {
        if (reply.failure().code == "no-such-run") {
            give_up("queue", reply.failure());
        }
        return over_;
    }
    stop_sent_ = 0;
    const double lasted =
        listen_to(link, wake_,
                  {[this] { return !over_ && !stop_.stop_requested(); }, [this] { send_stop_if_asked(); },
                   [this](const wire::Reply& said) { take(said); }});
    backoff_.reached(lasted);
    return over_;
}

void SlurmTask::send_stop_if_asked() {
    const int strength = stop_strength_.load();
    if (strength <= stop_sent_) {
        return;
    }
    stop_sent_ = strength;
    wire::Request request;
    auto* cancel = request.mutable_cancel_slurm();
    cancel->set_run_id(context_.run_id);
    cancel->set_force(strength >= 2);
    {
        const std::lock_guard lock(mutex_);
        cancel->set_cause(stop_cause_);
        cancel->set_by_user(stop_by_user_);
    }
    connection_.link->send(std::move(request));
}

void SlurmTask::take(const wire::Reply& reply) {
    if (reply.has_events() && reply.events().run_id() == context_.run_id) {
        take_events(reply.events());
    } else if (reply.has_slurm_state() && reply.slurm_state().run_id() == context_.run_id) {
        take_state(reply.slurm_state());
    }
}

void SlurmTask::take_events(const wire::EventBatch& batch) {
    std::uint64_t& next = next_seqs_.try_emplace(batch.node(), 1).first->second;
    std::vector<std::string> missing;
    auto events = take_in(batch, batch.node(), connection_.facts.clock_offset_s, next, missing);
    for (const auto& sentence : missing) {
        post("note", StageStatus::Progress, batch.node() + ": " + sentence);
    }
    for (auto& event : events) {
        // One node's ranks may be at work before it is heard of that another's have started.
        if (!started_ && is_at_work(event)) {
            finish_start();
        }
        note_start(event);
        context_.pump->post(std::move(event));
        if (!started_ && ranks_started_.size() >= plan_.ranks.size()) {
            finish_start();
        }
    }
}

void SlurmTask::finish_start() {
    started_ = true;
    post("start", StageStatus::Done);
}

// A rank has started, or never will.
void SlurmTask::note_start(const Event& event) {
    const auto* stage = event.as<StageEvent>();
    const auto* exit = event.as<ExitEvent>();
    if (event.rank >= 0 && (exit != nullptr || (stage != nullptr && stage->name == "start"))) {
        ranks_started_.insert(event.rank);
    }
    if (exit != nullptr && !exit->requested && exit->code != 0 && exit->code != kExitPeerLost) {
        rank_failed_ = true;
    }
    // What supervisor.cpp says of a signal that comes without anybody's reason.
    if (const auto* end = event.as<EndEvent>(); end != nullptr && end->outcome == Outcome::Stopped &&
                                                end->detail.starts_with("the supervisor received")) {
        ended_by_signal_ = true;
    }
}

void SlurmTask::take_state(const wire::SlurmState& state) {
    if (state.has_allocation() && !allocated_) {
        allocated_ = true;
        const std::vector<std::string> hosts(state.allocation().hosts().begin(),
                                             state.allocation().hosts().end());
        plan_ = with_allocation(plan_, hosts, static_cast<int>(state.allocation().master_port()));
        std::string names;
        for (const auto& host : hosts) {
            names += (names.empty() ? "" : ", ") + host;
        }
        context_.pump->set_plan(plan_);
        post("queue", StageStatus::Done,
             text(kContext, "job %1 runs on %2", {std::to_string(state.job_id()), names}));
        post("start", StageStatus::Begin);
    } else if (!allocated_ && !state.over() && !(state.state().empty() && state.problem().empty())) {
        const std::string line = describe_slurm_queue(state);
        if (line != queue_text_) {
            queue_text_ = line;
            post("queue", StageStatus::Progress, line);
        }
    } else if (!state.problem().empty() && !state.over()) {
        post("note", StageStatus::Progress,
             text(kContext, "Slurm could not be asked for the job's state: %1", {state.problem()}));
    }
    if (state.over()) {
        conclude(state);
    }
}

void SlurmTask::conclude(const wire::SlurmState& state) {
    over_ = true;
    post("note", StageStatus::Done, describe_slurm_end(state));
    const auto failure = explain_slurm_end(login_, state, stop_strength_ > 0);
    if (failure &&
        (!rank_failed_ || failure->code == "slurm-node-failed" || failure->code == "home-not-shared")) {
        return hooks_.failed(*failure);
    }
    if (!failure && ended_by_signal_ && !rank_failed_ && stop_strength_ == 0 && state.state() == "FAILED") {
        // One supervisor was killed, and srun ended the others: they take themselves for stopped.
        return hooks_.failed({"slurm-step-failed", login_.name,
                              text(kContext, "Slurm ended the ranks, though nobody stopped the run: %1",
                                   {line_about_a_task(state.output_tail())}),
                              text(kContext,
                                   "Was a supervisor killed there, by a person or for want of memory? "
                                   "`sacct -j %1` may say more.",
                                   {std::to_string(state.job_id())}),
                              state.output_tail()});
    }
    if (failure) {
        Event event;
        event.body = verdict_of(*failure);
        context_.pump->post(std::move(event));
    }
    if (!allocated_) {
        const bool by_user = stop_strength_ > 0;
        return hooks_.failed(
            by_user ? Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""}
                    : Failure{"slurm-lost", login_.name,
                              text(kContext, "Slurm no longer knows job %1, and nothing of it was started.",
                                   {std::to_string(state.job_id())}),
                              text(kContext, "`sacct -j %1` there may say more.",
                                   {std::to_string(state.job_id())}),
                              state.output_tail()});
    }
    hooks_.ended();
}

// The job waits or runs meanwhile; the spools keep what we miss.
bool SlurmTask::reconnect() {
    std::string why = text(kContext, "%1: connection lost; the job goes on there;", {login_.name});
    while (!stop_.stop_requested()) {
        const double wait_s = backoff_.next();
        post("note", StageStatus::Progress,
             wait_s < 1 ? text(kContext, "%1 trying again", {why})
                        : text(kContext, "%1 trying again in %2 s",
                               {why, std::to_string(static_cast<int>(wait_s))}));
        const int asked = stop_strength_;
        const double until = monotonic_s() + wait_s;
        while (!stop_.stop_requested() && stop_strength_ == asked && monotonic_s() < until) {
            pollfd fd{wake_.fd(), POLLIN, 0};
            ::poll(&fd, 1, static_cast<int>(std::max(0.0, until - monotonic_s()) * 1000) + 1);
            wake_.clear();
        }
        if (stop_.stop_requested()) {
            return false;
        }
        auto connection = connect_node(login_, context_.prompter, wake_, stop_.get_token(), {});
        if (connection) {
            connection_ = std::move(*connection);
            post("note", StageStatus::Progress, text(kContext, "%1: connected again", {login_.name}));
            return true;
        }
        why = text(kContext, "%1 The job goes on there;", {to_line(connection.failure())});
    }
    return false;
}

}  // namespace rankscope
