// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/metrics_line.h>
#include <base/text.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/jobs/launchers/slurm/slurm_plan.h>
#include <remote/desk/nodes/session/slurm_failures.h>
#include <remote/desk/runs/launch/agent_session.h>
#include <remote/desk/runs/launch/event_intake.h>
#include <remote/desk/runs/launch/node_environment.h>
#include <remote/desk/runs/launch/own_program_spec.h>
#include <remote/desk/runs/launch/slurm/slurm_launcher.h>
#include <remote/desk/runs/launch/start_spec.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "SlurmLauncher";
constexpr double kSubmitTimeoutS = 90;
constexpr std::size_t kMostLooks = 16;  // an agent answers as many requests at a time
constexpr double kLookDelayS = 8;       // srun starts a step
constexpr double kCancelS = 90;         // KillWait of Slurm is 30 s, and its controller may be busy

wire::Request slurm_stop_request(const StopOrder& order) {
    wire::Request request;
    auto* cancel = request.mutable_cancel_slurm();
    cancel->set_run_id(order.run_id);
    cancel->set_force(order.kind == StopKind::Force);
    cancel->set_cause(order.cause);
    cancel->set_by_user(order.by_user);
    return request;
}

wire::Request slurm_question(const std::string& run_id, const std::string& node, wire::Request request) {
    wire::Request through;
    through.mutable_ask_slurm_node()->set_run_id(run_id);
    through.mutable_ask_slurm_node()->set_node(node);
    *through.mutable_ask_slurm_node()->mutable_request() = std::move(request);
    return through;
}

class SlurmLauncher : public RunLauncher {
public:
    SlurmLauncher(LaunchContext& context, LaunchPlan plan) : context_(context), plan_(std::move(plan)) {}
    ~SlurmLauncher() override;
    SlurmLauncher(const SlurmLauncher&) = delete;
    SlurmLauncher& operator=(const SlurmLauncher&) = delete;

    void start() override;
    Result<void> attach() override;
    void recall(const Event& event) override;
    void stop(const StopOrder& order) override;
    void pause(PauseAction /*action*/) override {}  // only Slurm's administrators can suspend a job
    void report_failure(const std::string& cause, int attempt) override;
    void presume_lost(const std::string& /*node*/) override {}  // Slurm itself reports a lost node
    void conclude_lost(const std::string& node, const std::string& detail) override;
    void ask(const std::string& node, wire::Request request, double timeout_s, OnReply on_reply) override;
    void leave() override;
    std::vector<NodeStatus> nodes() const override;
    double stop_allowance_s() const override { return context_.job.grace_s + kCancelS; }

private:
    enum class Phase { Connecting, Submitting, Submitted };

    Result<void> open_session();
    void run_from_start();
    bool connect();
    bool push();
    bool submit();
    void follow();
    bool resume();
    void fail(StageName stage, const Failure& failure);
    bool enter(Phase phase);
    bool stopping() const;
    void send_stop();
    void take(const wire::Reply& reply);
    void take_events(const wire::EventBatch& batch);
    void take_state(const wire::SlurmState& state);
    void note_start(const Event& event);
    void note_suspension(const wire::SlurmState& state);
    void finish_start();
    void conclude(const wire::SlurmState& state);
    wire::StartRun spec() const;

    LaunchContext& context_;
    LaunchPlan plan_;
    std::string environment_;                ///< folder of the job's Python environment; empty: none
    std::unique_ptr<AgentSession> session_;  ///< set by start() or attach(), then constant

    mutable std::mutex mutex_;  ///< phase, what was asked
    Phase phase_ = Phase::Connecting;
    std::optional<StopOrder> stop_;
    bool stop_sent_ = false;

    std::map<std::string, std::uint64_t> next_seqs_;
    std::string queue_text_;
    bool allocated_ = false;
    bool suspended_ = false;
    bool start_done_ = false;
    std::set<int> ranks_started_;
    bool rank_failed_ = false;
    bool ended_by_signal_ = false;  ///< a supervisor ended its ranks for a signal without a known reason
    std::atomic<bool> over_{false};
    const std::size_t plan_size_ = plan_.nodes.size();
    std::thread thread_;
};

bool is_at_work(const Event& event) {
    const auto* stage = event.as<StageEvent>();
    return event.rank >= 0 &&
           (event.as<MetricEvent>() != nullptr ||
            (stage != nullptr && stage->name != StageName::Start && stage->name != StageName::Note));
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

SlurmLauncher::~SlurmLauncher() {
    leave();
    if (thread_.joinable()) {
        thread_.join();
    }
}

Result<void> SlurmLauncher::open_session() {
    auto login = resolve_nodes(context_.inventory, context_.job);
    if (!login) {
        return login.failure();
    }
    session_ = std::make_unique<AgentSession>(login->front(), context_);
    return {};
}

void SlurmLauncher::start() {
    if (auto opened = open_session(); !opened) {
        return context_.reports.failed(opened.failure());
    }
    thread_ = std::thread([this] { run_from_start(); });
}

void SlurmLauncher::recall(const Event& event) {
    note_start(event);
    if (!event.node.empty()) {
        auto& next = next_seqs_[event.node];
        next = std::max(next, event.seq + 1);
    } else if (const auto* stage = event.as<StageEvent>()) {
        const bool done = stage->status == StageStatus::Done;
        allocated_ = allocated_ || (stage->name == StageName::Queue && done);
        start_done_ = start_done_ || (stage->name == StageName::Start && done);
        if (stage->name == StageName::Pause || stage->name == StageName::Continue) {
            suspended_ = stage->name == StageName::Pause;
        }
    }
}

Result<void> SlurmLauncher::attach() {
    if (auto opened = open_session(); !opened) {
        return opened;
    }
    phase_ = Phase::Submitted;
    thread_ = std::thread([this] {
        static_cast<void>(session_->connect(true));  // follow() tries again
        follow();
    });
    return {};
}

void SlurmLauncher::stop(const StopOrder& order) {
    {
        const std::lock_guard lock(mutex_);
        const std::string cause = stop_ ? stop_->cause : order.cause;
        const bool by_user = order.by_user || (stop_ && stop_->by_user);
        const bool force = order.kind == StopKind::Force || (stop_ && stop_->kind == StopKind::Force);
        stop_sent_ = stop_sent_ && stop_ && (stop_->kind == StopKind::Force) == force;
        stop_ = order;
        stop_->cause = cause;
        stop_->by_user = by_user;
        stop_->kind = force ? StopKind::Force : StopKind::Graceful;
        if (phase_ == Phase::Connecting && session_) {
            session_->leave();  // nothing is submitted yet; later an answer must not be missed
        }
    }
    if (session_) {
        session_->wake();
    }
}

void SlurmLauncher::report_failure(const std::string& cause, int /*attempt*/) {
    StopOrder order;
    order.run_id = context_.run_id;
    order.cause = cause;
    stop(order);
}

void SlurmLauncher::conclude_lost(const std::string& /*node*/, const std::string& /*detail*/) {
    if (!over_.exchange(true)) {
        session_->leave();
        context_.reports.ended();
    }
}

// Each look is a step of the job: what only a stalled run needs, and not of hundreds of nodes at the same time.
void SlurmLauncher::ask(const std::string& node, wire::Request request, double timeout_s, OnReply on_reply) {
    const bool series = request.has_inspect_ranks() && request.inspect_ranks().samples() > 0;
    if (!session_ || !request.has_inspect_ranks() || series) {
        return on_reply(Failure{"look-unavailable", node,
                                text(kContext, "The desk has no connection to the nodes of a Slurm job."), "",
                                ""});
    }
    if (plan_size_ > kMostLooks) {
        return on_reply(
            Failure{"look-unavailable", node,
                    text(kContext, "The ranks of a Slurm job with more than %1 nodes are not inspected.",
                         {std::to_string(kMostLooks)}),
                    "", ""});
    }
    session_->ask(slurm_question(context_.run_id, node, std::move(request)), timeout_s, std::move(on_reply));
}

void SlurmLauncher::leave() {
    if (session_) {
        session_->leave();
    }
}

std::vector<NodeStatus> SlurmLauncher::nodes() const {
    if (!session_) {
        return {};
    }
    const std::lock_guard lock(mutex_);
    NodeStatus status = session_->status();
    status.ended = over_ || phase_ == Phase::Connecting;
    return {status};
}

bool SlurmLauncher::stopping() const {
    const std::lock_guard lock(mutex_);
    return stop_.has_value();
}

void SlurmLauncher::fail(StageName stage, const Failure& failure) {
    context_.stage(stage, StageStatus::Failed, to_line(failure));
    if (!over_.exchange(true)) {
        context_.reports.failed(failure);
    }
}

// false: a stop came before.
bool SlurmLauncher::enter(Phase phase) {
    const std::lock_guard lock(mutex_);
    if (phase == Phase::Submitting && (stop_ || session_->leaving())) {
        return false;
    }
    phase_ = phase;
    return true;
}

void SlurmLauncher::run_from_start() {
    if (connect() && push() && submit()) {
        follow();
    }
}

bool SlurmLauncher::connect() {
    context_.stage(StageName::Connect, StageStatus::Begin);
    if (auto connected = session_->connect(false); !connected) {
        fail(StageName::Connect, connected.failure());
        return false;
    }
    context_.stage(StageName::Connect, StageStatus::Done);
    return true;
}

bool SlurmLauncher::push() {
    context_.stage(StageName::Push, StageStatus::Begin);
    if (auto pushed = session_->push(context_.needs_bundle(plan_, "")); !pushed) {
        fail(StageName::Push, pushed.failure());
        return false;
    }
    // In the cache of the login node, which its nodes share.
    auto environment = make_node_environment(*session_, context_, [] { return false; });
    if (!environment) {
        fail(StageName::Push, environment.failure());
        return false;
    }
    environment_ = std::move(*environment);
    context_.stage(StageName::Push, StageStatus::Done);
    return true;
}

// For all nodes together: each takes its own ranks out of it. They have no link of their own (no peers):
// Slurm reaches every supervisor.
wire::StartRun SlurmLauncher::spec() const {
    wire::StartRun run = start_spec(context_, plan_, session_->bundle());
    run.set_master_port(static_cast<std::uint32_t>(plan_.master_port));
    run.mutable_slurm()->set_nodes(static_cast<std::uint32_t>(plan_.nodes.size()));
    run.mutable_slurm()->set_ranks_per_node(static_cast<std::uint32_t>(plan_.nodes.front().local_world_size));
    for (const auto& rank : plan_.ranks) {
        add_rank(run, rank, context_, session_->pushed_folder());
    }
    add_own_program(context_.job, run);
    if (!environment_.empty()) {
        run.mutable_own()->set_venv(environment_);
    }
    return run;
}

bool SlurmLauncher::submit() {
    const std::string& login = session_->node().name;
    context_.stage(StageName::Queue, StageStatus::Begin, text(kContext, "submitting on %1", {login}));
    if (!enter(Phase::Submitting)) {
        fail(StageName::Queue, Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""});
        return false;
    }
    wire::Request request;
    *request.mutable_submit_slurm()->mutable_run() = spec();
    for (const auto& word : sbatch_arguments(context_.job, plan_.nodes.front().local_world_size)) {
        request.mutable_submit_slurm()->add_sbatch(word);
    }
    auto reply = session_->link().call(std::move(request), kSubmitTimeoutS);
    if (!reply) {
        if (session_->leaving()) {
            return false;  // the program ends: attach() finds the job, or that there is none
        }
        fail(StageName::Queue, reply.failure());
        return false;
    }
    enter(Phase::Submitted);
    context_.stage(
        StageName::Queue, StageStatus::Progress,
        text(kContext, "job %1 submitted on %2", {std::to_string(reply->slurm_submitted().job_id()), login}));
    context_.reports.started();
    return true;
}

void SlurmLauncher::follow() {
    session_->follow({[this] { return !over_.load(); }, [this] { return resume(); }, [this] { send_stop(); },
                      [this](const wire::Reply& reply) { take(reply); }});
}

bool SlurmLauncher::resume() {
    wire::Request request;
    request.mutable_attach_slurm()->set_run_id(context_.run_id);
    for (const auto& [node, seq] : next_seqs_) {
        auto* entry = request.mutable_attach_slurm()->add_nodes();
        entry->set_node(node);
        entry->set_from_seq(seq);
    }
    auto reply = session_->link().call(std::move(request));
    if (!reply) {
        if (reply.failure().code == "no-such-run") {
            fail(StageName::Queue, reply.failure());
        }
        return false;
    }
    const std::lock_guard lock(mutex_);
    stop_sent_ = false;
    return true;
}

void SlurmLauncher::send_stop() {
    const std::lock_guard lock(mutex_);
    if (stop_ && !stop_sent_) {
        stop_sent_ = true;
        session_->link().send(slurm_stop_request(*stop_));
    }
}

void SlurmLauncher::take(const wire::Reply& reply) {
    if (reply.has_events() && reply.events().run_id() == context_.run_id) {
        take_events(reply.events());
    } else if (reply.has_slurm_state() && reply.slurm_state().run_id() == context_.run_id) {
        take_state(reply.slurm_state());
    }
}

void SlurmLauncher::take_events(const wire::EventBatch& batch) {
    std::uint64_t& next = next_seqs_.try_emplace(batch.node(), 1).first->second;
    std::vector<std::string> missing;
    auto events = take_in(batch, batch.node(), session_->facts().clock_offset_s, next, missing);
    for (const auto& sentence : missing) {
        context_.stage(StageName::Note, StageStatus::Progress, batch.node() + ": " + sentence);
    }
    for (auto& event : events) {
        // One node's ranks may be at work before it is heard of that another's have started.
        if (!start_done_ && is_at_work(event)) {
            finish_start();
        }
        note_start(event);
        context_.post(std::move(event));
        if (!start_done_ && ranks_started_.size() >= plan_.ranks.size()) {
            finish_start();
        }
    }
}

void SlurmLauncher::finish_start() {
    start_done_ = true;
    context_.stage(StageName::Start, StageStatus::Done);
}

// A rank has started, or never will.
void SlurmLauncher::note_start(const Event& event) {
    const auto* stage = event.as<StageEvent>();
    const auto* exit = event.as<ExitEvent>();
    if (event.rank >= 0 && (exit != nullptr || (stage != nullptr && stage->name == StageName::Start))) {
        ranks_started_.insert(event.rank);
    }
    if (exit != nullptr && !exit->requested && exit->code != 0 && exit->code != kExitPeerLost) {
        rank_failed_ = true;
    }
    if (const auto* end = event.as<EndEvent>();
        end != nullptr && end->outcome == Outcome::Stopped && end->lost_how == LostHow::Signalled) {
        ended_by_signal_ = true;
    }
}

void SlurmLauncher::take_state(const wire::SlurmState& state) {
    if (state.has_allocation() && !allocated_) {
        allocated_ = true;
        const std::vector<std::string> hosts(state.allocation().hosts().begin(),
                                             state.allocation().hosts().end());
        plan_ = with_allocation(plan_, hosts, static_cast<int>(state.allocation().master_port()));
        context_.reports.plan(plan_);
        context_.stage(StageName::Queue, StageStatus::Done,
                       text(kContext, "job %1 runs on %2", {std::to_string(state.job_id()), joined(hosts)}));
        context_.stage(StageName::Start, StageStatus::Begin);
    } else if (!allocated_ && !state.over() && !(state.state().empty() && state.problem().empty())) {
        const std::string line = describe_slurm_queue(state);
        if (line != queue_text_) {
            queue_text_ = line;
            context_.stage(StageName::Queue, StageStatus::Progress, line);
        }
    } else if (!state.problem().empty() && !state.over()) {
        context_.stage(StageName::Note, StageStatus::Progress,
                       text(kContext, "Slurm could not be asked for the job's state: %1", {state.problem()}));
    }
    note_suspension(state);
    if (state.over()) {
        conclude(state);
    }
}

// Its processes are stopped: no hang, and no node has said so.
void SlurmLauncher::note_suspension(const wire::SlurmState& state) {
    const bool suspended = state.state() == "SUSPENDED";
    if (suspended == suspended_ || (state.state().empty() && !state.over())) {
        return;
    }
    suspended_ = suspended;
    const std::string job = std::to_string(state.job_id());
    context_.stage(suspended ? StageName::Pause : StageName::Continue, StageStatus::Done,
                   suspended
                       ? text(kContext, "Slurm has suspended job %1; an administrator resumes it.", {job})
                       : text(kContext, "Slurm has resumed job %1.", {job}));
}

void SlurmLauncher::conclude(const wire::SlurmState& state) {
    if (over_.exchange(true)) {
        return;
    }
    context_.stage(StageName::Note, StageStatus::Done, describe_slurm_end(state));
    const bool stopped = stopping() || state.stopped();
    const auto failure = explain_slurm_end(session_->node(), state, stopped);
    if (failure &&
        (!rank_failed_ || failure->code == "slurm-node-failed" || failure->code == "home-not-shared")) {
        return context_.reports.failed(*failure);
    }
    if (!failure && ended_by_signal_ && !rank_failed_ && !stopped && state.state() == "FAILED") {
        // One supervisor was killed, and srun ended the others: they take themselves for stopped.
        return context_.reports.failed(
            {"slurm-step-failed", session_->node().name,
             text(kContext, "Slurm ended the ranks although no user stopped the run: %1",
                  {line_about_a_task(state.output_tail())}),
             text(kContext,
                  "Was a supervisor killed there, by a user or by the kernel's OOM killer? "
                  "`sacct -j %1` may say more.",
                  {std::to_string(state.job_id())}),
             state.output_tail()});
    }
    if (failure) {
        Event event;
        event.body = verdict_of(*failure);
        context_.post(std::move(event));
    }
    if (!allocated_) {
        return context_.reports.failed(
            stopped ? Failure{"cancelled", "", text(kContext, "Stopped by the user."), "", ""}
                    : Failure{"slurm-lost", session_->node().name,
                              text(kContext, "Slurm no longer knows job %1, and nothing of it was started.",
                                   {std::to_string(state.job_id())}),
                              text(kContext, "`sacct -j %1` there may say more.",
                                   {std::to_string(state.job_id())}),
                              state.output_tail()});
    }
    context_.reports.ended();
}

}  // namespace

LauncherKind slurm_launcher() {
    LauncherKind kind;
    kind.name = kSlurmLauncher;
    kind.plan = [](const Inventory& inventory, const Job& job, const KnownFacts&) {
        return make_slurm_plan(inventory, job);
    };
    kind.abilities.reports_end = true;
    kind.make = [](LaunchContext& context, const LaunchPlan& plan) -> std::unique_ptr<RunLauncher> {
        return std::make_unique<SlurmLauncher>(context, plan);
    };
    kind.abilities.look_delay_s = kLookDelayS;
    kind.ask_through = slurm_question;
    kind.stop_request = slurm_stop_request;
    kind.adopt = [](const SubmittedRun& run, const std::string& node, Job& job, LaunchPlan& plan) {
        job.launcher = kSlurmLauncher;
        job.procs_per_node = run.ranks_per_node;
        slurm_options(job).login = node;
        slurm_options(job).nodes = run.nodes;
        plan = unallocated_plan(run.nodes, run.ranks_per_node, std::move(plan));
    };
    return kind;
}

}  // namespace rankscope::inline runs
