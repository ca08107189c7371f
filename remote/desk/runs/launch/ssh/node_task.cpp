// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/session/clock_check.h>
#include <remote/desk/nodes/session/notices.h>
#include <remote/desk/runs/launch/event_intake.h>
#include <remote/desk/runs/launch/node_environment.h>
#include <remote/desk/runs/launch/node_stop_request.h>
#include <remote/desk/runs/launch/own_program_spec.h>
#include <remote/desk/runs/launch/ssh/node_task.h>
#include <remote/desk/runs/launch/start_spec.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "NodeTask";
constexpr double kStarts = 60;
constexpr double kContainerStarts = 180;

}  // namespace

NodeTask::NodeTask(NodeSpec node, LaunchContext& context, RunMeeting* meeting)
    : context_(context), meeting_(meeting), session_(std::move(node), context) {}

NodeTask::~NodeTask() {
    leave();
    join();
}

void NodeTask::start_run() {
    thread_ = std::thread([this] { run_from_start(); });
}

void NodeTask::attach(std::uint64_t from_seq) {
    next_seq_ = from_seq;
    launching_ = true;
    thread_ = std::thread([this] {
        static_cast<void>(session_.connect(true));  // follow() tries again
        stream();
    });
}

void NodeTask::request_stop(const StopOrder& order) {
    {
        const std::lock_guard lock(mutex_);
        const bool stronger = !stop_ || (stop_->kind == StopKind::Graceful && order.kind == StopKind::Force);
        const bool by_user = order.by_user && stop_ && !stop_->by_user;
        if (stronger || by_user) {
            const std::string cause = stop_ ? stop_->cause : order.cause;
            stop_ = order;
            stop_->cause = cause;
            stop_sent_ = false;
        }
    }
    session_.wake();
}

void NodeTask::report_failure(const std::string& cause, int attempt) {
    {
        const std::lock_guard lock(mutex_);
        failure_cause_ = cause;
        failed_attempt_ = attempt;
    }
    session_.wake();
}

void NodeTask::request_pause(PauseAction action) {
    {
        const std::lock_guard lock(mutex_);
        pause_ = action;
    }
    session_.wake();
}

void NodeTask::join() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

NodeStatus NodeTask::status() const {
    NodeStatus status = session_.status();
    status.ended = ended_ || !launching_;
    status.trouble = supervisor_stopped_ ? NodeTrouble::SupervisorStopped
                     : disk_full_        ? NodeTrouble::DiskFull
                                         : NodeTrouble::None;
    return status;
}

void NodeTask::run_from_start() {
    const bool started = connect() && meeting_->wait_all(RunMeeting::Point::Connected) && checked() &&
                         push() && meeting_->wait_all(RunMeeting::Point::Pushed) && start();
    if (!started) {
        return;
    }
    if (meeting_->wait_all(RunMeeting::Point::Started)) {
        send_peers();
        meeting_->arrive(RunMeeting::Point::Linked);
    } else {
        // Another node could not start: this one must not wait for it.
        const auto failure = meeting_->failure();
        StopOrder order;
        order.run_id = context_.run_id;
        order.cause = failure ? to_line(*failure) : std::string();
        request_stop(order);
    }
    stream();
}

bool NodeTask::connect() {
    if (auto connected_node = session_.connect(false); !connected_node) {
        meeting_->abort(connected_node.failure());
        return false;
    }
    return make_environment() && connected();
}

// Before the check of the start, which looks at what is in it.
bool NodeTask::make_environment() {
    auto folder =
        make_node_environment(session_, context_, [this] { return meeting_->failure().has_value(); });
    if (!folder) {
        meeting_->abort(folder.failure());
        return false;
    }
    environment_ = std::move(*folder);
    return true;
}

// Reports what the meeting needs of this node; the master's also finds a port.
bool NodeTask::connected() {
    if (const auto off = clock_off(node().name, session_.facts().clock_offset_s)) {
        Event event;
        event.body = notice_of(*off);
        context_.post(std::move(event));
    }
    int master_port = 0;
    const auto nodes = resolve_nodes(context_.inventory, context_.job);
    if (nodes && nodes->front().name == node().name && context_.job.master_port == 0) {
        wire::Request request;
        request.mutable_find_port();
        auto reply = session_.link().call(std::move(request));
        if (!reply) {
            meeting_->abort(reply.failure());
            return false;
        }
        master_port = static_cast<int>(reply->port().port());
    }
    meeting_->connected(node().name, session_.facts(), master_port);
    return true;
}

// Until the preflight of all nodes is over, which asks this one's agent.
bool NodeTask::checked() {
    if (!session_.serve_until([this] { return meeting_->passed(RunMeeting::Point::Checked); }) &&
        !session_.leaving()) {
        meeting_->abort(session_.link().lost());
    }
    return meeting_->wait_all(RunMeeting::Point::Checked);
}

bool NodeTask::push() {
    if (auto pushed = session_.push(context_.needs_bundle(meeting_->plan(), node().name)); !pushed) {
        meeting_->abort(pushed.failure());
        return false;
    }
    if (!context_.job.container.image.empty()) {
        const auto abandoned = [this] { return meeting_->failure().has_value(); };
        if (auto pulled = session_.pull_image(abandoned); !pulled) {
            meeting_->abort(pulled.failure());
            return false;
        }
    }
    meeting_->arrive(RunMeeting::Point::Pushed);
    return true;
}

wire::StartRun NodeTask::spec() const {
    const LaunchPlan plan = meeting_->plan();
    wire::StartRun run = start_spec(context_, plan, session_.bundle());
    if (plan.master_node == node().name) {
        run.set_master_port(static_cast<std::uint32_t>(plan.master_port));
    }
    for (const auto& entry : plan.nodes) {
        if (entry.node == node().name) {
            run.set_peer_index(static_cast<std::uint32_t>(run.peers_size()));
        }
        run.add_peers(entry.node);
    }
    run.set_peer_address(plan.master_addr);
    run.set_peer_timeout_s(context_.job.peer_timeout_s);
    for (const auto& rank : plan.ranks) {
        const auto peer = std::find(run.peers().begin(), run.peers().end(), rank.node);
        run.add_peer_of_rank(static_cast<std::uint32_t>(peer - run.peers().begin()));
        if (rank.node == node().name) {
            add_rank(run, rank, context_, session_.pushed_folder());
        }
    }
    add_own_program(context_.job, run);
    if (!environment_.empty()) {
        run.mutable_own()->set_venv(environment_);
    }
    return run;
}

bool NodeTask::start() {
    // Announce, then look: whoever aborts the meeting looks at launching_ afterwards, so that either we see
    // the abort or it sees that there may be ranks to stop here.
    launching_ = true;
    if (meeting_->failure()) {
        launching_ = false;
        return false;
    }
    wire::Request request;
    *request.mutable_start_run() = spec();
    auto reply = session_.link().call(std::move(request),
                                      context_.job.container.wanted() ? kContainerStarts : kStarts);
    if (!reply) {
        // Refused: nothing was started. Without an answer there may be ranks: they are stopped.
        launching_ = !session_.link().alive();
        meeting_->abort(reply.failure());
        return launching_;
    }
    if (reply->started().peer_port() != 0) {
        meeting_->set_peer_port(static_cast<int>(reply->started().peer_port()));
    }
    meeting_->arrive(RunMeeting::Point::Started);
    return true;
}

// From now on the supervisors find one another without the desk.
void NodeTask::send_peers() {
    if (meeting_->peer_port() == 0 || meeting_->plan().master_node == node().name) {
        return;
    }
    wire::Request request;
    auto* peers = request.mutable_link_peers();
    peers->set_run_id(context_.run_id);
    peers->set_port(static_cast<std::uint32_t>(meeting_->peer_port()));
    for (const auto& address : meeting_->master_addresses()) {
        peers->add_addresses(address);
    }
    static_cast<void>(session_.link().call(std::move(request)));  // without it the way over the desk is left
}

void NodeTask::stream() {
    session_.follow({[this] { return !ended_.load(); }, [this] { return resume(); },
                     [this] { send_requests(); }, [this](const wire::Reply& reply) { take(reply); }});
}

bool NodeTask::resume() {
    wire::Request request;
    request.mutable_attach()->set_run_id(context_.run_id);
    request.mutable_attach()->set_from_seq(next_seq_);
    auto reply = session_.link().call(std::move(request));
    if (!reply) {
        if (reply.failure().code == "no-such-run") {
            end_as_lost(reply.failure().what, false);
        }
        return false;
    }
    const std::lock_guard lock(mutex_);
    stop_sent_ = false;
    failure_sent_ = -1;
    return true;
}

void NodeTask::take(const wire::Reply& reply) {
    if (!reply.has_events() || reply.events().run_id() != context_.run_id) {
        return;
    }
    std::vector<std::string> missing;
    std::uint64_t next = next_seq_;
    auto events = take_in(reply.events(), node().name, session_.facts().clock_offset_s, next, missing);
    next_seq_ = next;
    for (const auto& sentence : missing) {
        session_.note(sentence);
    }
    if (!reply.events().supervisor_state().empty()) {
        supervisor_stopped_ = reply.events().supervisor_state() == "T";
        session_.note(supervisor_stopped_
                          ? text(kContext, "the supervisor is stopped (state T): nothing is watched there")
                          : text(kContext, "the supervisor continues"));
    }
    bool over = false;
    for (const auto& event : events) {
        over = over || event.as<EndEvent>() != nullptr;
        note_trouble(event);
    }
    if (!events.empty()) {
        context_.reports.post(std::move(events));
    }
    ended_ = ended_ || over;
}

void NodeTask::note_trouble(const Event& event) {
    if (const auto* notice = event.as<NoticeEvent>()) {
        disk_full_ = notice->id == "disk-filling" || (disk_full_ && notice->id != "disk-has-room");
    }
}

void NodeTask::end_as_lost(const std::string& detail, bool presumed) {
    if (ended_.exchange(true)) {
        return;
    }
    Event event;
    event.node = node().name;
    event.seq = next_seq_;
    EndEvent end;
    end.outcome = Outcome::Lost;
    end.detail = detail;
    end.presumed = presumed;
    if (supervisor_stopped_) {
        end.lost_node = node().name;
        end.lost_how = LostHow::SupervisorStopped;
    }
    event.body = end;
    context_.post(std::move(event));
}

void NodeTask::conclude_lost(const std::string& detail) {
    session_.leave();
    end_as_lost(detail, true);
}

void NodeTask::send_requests() {
    const std::lock_guard lock(mutex_);
    send_stop();
    send_failure();
    send_pause();
}

void NodeTask::send_stop() {
    if (stop_ && !stop_sent_) {
        stop_sent_ = true;
        session_.link().send(node_stop_request(*stop_));
    }
}

void NodeTask::send_failure() {
    if (failed_attempt_ <= failure_sent_) {
        return;
    }
    failure_sent_ = failed_attempt_;
    wire::Request request;
    auto* stop = request.mutable_stop_run();
    stop->set_run_id(context_.run_id);
    stop->set_cause(failure_cause_);
    stop->set_failed_attempt(
        failure_sent_ == RunLauncher::kAnyAttempt ? 0 : static_cast<std::uint32_t>(failure_sent_ + 1));
    session_.link().send(std::move(request));
}

void NodeTask::send_pause() {
    if (!pause_) {
        return;
    }
    wire::Request request;
    request.mutable_pause_run()->set_run_id(context_.run_id);
    request.mutable_pause_run()->set_resume(*pause_ == PauseAction::Continue);
    pause_.reset();
    session_.link().send(std::move(request));
}

}  // namespace rankscope::inline runs
