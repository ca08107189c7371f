// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/node/bundle_push.h>
#include <remote/desk/node/clock_check.h>
#include <remote/desk/node/notices.h>
#include <remote/desk/node/tree_push.h>
#include <remote/desk/run/event_intake.h>
#include <remote/desk/run/event_pump.h>
#include <remote/desk/run/link_listener.h>
#include <remote/desk/run/node_task.h>
#include <remote/desk/run/own_program_spec.h>
#include <remote/desk/run/run_tracker.h>
#include <remote/desk/run/start_spec.h>
#include <remote/desk/text.h>

#include <poll.h>

#include <algorithm>

namespace rankscope {
namespace {

constexpr const char* kContext = "NodeTask";
constexpr double kLostRetryS = 2;  // how often a node that the others have lost is tried
constexpr double kGiveUpS = 10;    // a node that the others have lost, and that we cannot reach for so long

}  // namespace

NodeTask::NodeTask(NodeSpec node, RunContext& context) : node_(std::move(node)), context_(context) {}

NodeTask::~NodeTask() {
    leave();
    join();
}

void NodeTask::start_run() {
    thread_ = std::thread([this] { run_from_start(); });
}

void NodeTask::attach(std::uint64_t from_seq) {
    next_seq_ = from_seq;
    thread_ = std::thread([this] { run_attached(); });
}

void NodeTask::request_stop(int strength, const std::string& cause, bool by_user) {
    if (by_user) {
        stop_by_user_ = true;
    }
    {
        const std::lock_guard lock(cause_mutex_);
        if (stop_cause_.empty()) {
            stop_cause_ = cause;
        }
    }
    int before = stop_strength_.load();
    while (before < strength && !stop_strength_.compare_exchange_weak(before, strength)) {
    }
    wake_.wake();
}

void NodeTask::tell_failure(const std::string& cause, int attempt) {
    {
        const std::lock_guard lock(cause_mutex_);
        failure_cause_ = cause;
        failed_attempt_ = attempt;
    }
    wake_.wake();
}

void NodeTask::request_pause(bool resume) {
    pause_ = resume ? Pause::Continue : Pause::Pause;
    wake_.wake();
}

void NodeTask::presume_lost() {
    presumed_lost_ = true;
    wake_.wake();
}

void NodeTask::leave() {
    stop_.request_stop();
    wake_.wake();
}

void NodeTask::join() {
    if (thread_.joinable()) {
        thread_.join();
    }
}

void NodeTask::note(const std::string& detail) {
    context_.pump->post(desk_stage("note", StageStatus::Progress, node_.name + ": " + detail));
}

AgentLink::Progress NodeTask::progress(const char* stage) {
    return [this, stage, last = std::string(), at = 0.0](const std::string& what, double share) mutable {
        // Ten a second are enough for any eye.
        const double now = monotonic_s();
        if (what == last && now - at < 0.1 && share < 1) {
            return;
        }
        last = what;
        at = now;
        std::string detail = node_.name + ": " + what;
        if (share >= 0) {
            detail += ' ' + std::to_string(static_cast<int>(share * 100)) + " %";
        }
        context_.pump->post(desk_stage(stage, StageStatus::Progress, detail, share));
    };
}

void NodeTask::run_from_start() {
    auto& meeting = *context_.meeting;
    const bool started = connect("connect") && meeting.wait_all(RunMeeting::Point::Connected) && push() &&
                         meeting.wait_all(RunMeeting::Point::Pushed) && start();
    if (!started) {
        return;
    }
    if (!meeting.wait_all(RunMeeting::Point::Started)) {
        // Another node could not start: this one must not wait for it for ever.
        const auto failure = meeting.failure();
        request_stop(1, failure ? to_line(*failure) : std::string());
    } else {
        send_peers();
        meeting.arrive(RunMeeting::Point::Linked);
    }
    stream();
}

// From now on the supervisors find one another without us.
void NodeTask::send_peers() {
    const auto& meeting = *context_.meeting;
    if (meeting.peer_port() == 0 || meeting.plan().master_node == node_.name) {
        return;
    }
    wire::Request request;
    auto* link = request.mutable_link_peers();
    link->set_run_id(context_.run_id);
    link->set_port(static_cast<std::uint32_t>(meeting.peer_port()));
    for (const auto& address : meeting.master_addresses()) {
        link->add_addresses(address);
    }
    static_cast<void>(connection_.link->call(std::move(request)));  // without it the desk's way is left
}

void NodeTask::run_attached() {
    if (connect("connect") || reconnect()) {
        stream();
    }
}

bool NodeTask::connect(const char* stage) {
    wake_.clear();
    auto connection = connect_node(node_, context_.prompter, wake_, stop_.get_token(), progress(stage),
                                   context_.sessions.get());
    if (!connection) {
        if (context_.meeting != nullptr) {
            context_.meeting->abort(connection.failure());
        } else {
            note(to_line(connection.failure()));
        }
        return false;
    }
    connection_ = std::move(*connection);
    if (context_.facts) {
        context_.facts(node_.name, connection_.facts);
    }
    if (context_.meeting == nullptr) {
        return true;
    }
    if (const auto off = clock_off(node_.name, connection_.facts.clock_offset_s)) {
        Event event;
        event.body = notice_of(*off);
        context_.pump->post(std::move(event));
    }
    int master_port = 0;
    const auto nodes = resolve_nodes(context_.inventory, context_.job);
    if (nodes && nodes->front().name == node_.name && context_.job.master_port == 0) {
        wire::Request request;
        request.mutable_find_port();
        auto reply = connection_.link->call(std::move(request));
        if (!reply) {
            context_.meeting->abort(reply.failure());
            return false;
        }
        master_port = static_cast<int>(reply->port().port());
    }
    context_.meeting->connected(node_.name, connection_.facts, master_port);
    return true;
}

bool NodeTask::push() {
    if (context_.bundle) {
        const double begin = monotonic_s();
        auto pushed = push_bundle(*connection_.link, *context_.bundle, progress("push"));
        if (!pushed) {
            context_.meeting->abort(pushed.failure());
            return false;
        }
        if (*pushed > 0) {
            note(text(kContext, "pushed %1 MB in %2 ms",
                      {std::to_string((*pushed + 500000) / 1000000),
                       std::to_string(static_cast<int>((monotonic_s() - begin) * 1000))}));
        }
    }
    if (!context_.job.push.empty() && !push_files()) {
        return false;
    }
    context_.meeting->arrive(RunMeeting::Point::Pushed);
    return true;
}

const Result<UserTree>& NodeTask::collect_files() {
    const std::lock_guard lock(context_.tree_mutex);
    if (!context_.tree) {
        auto report = [tell = progress("push")](std::uint64_t bytes) {
            tell(text(kContext, "reading the files of push:, %1 MB", {std::to_string(bytes / 1000000)}), -1);
        };
        context_.tree =
            collect_user_tree(context_.job.file, context_.job.push, stop_.get_token(), std::move(report));
    }
    return *context_.tree;
}

bool NodeTask::push_files() {
    const double begin = monotonic_s();
    const auto& tree = collect_files();
    auto pushed =
        tree ? push_tree(*connection_.link, *tree, context_.job.workdir, context_.job.name, progress("push"))
             : Result<TreePushed>(tree.failure());
    if (!pushed) {
        context_.meeting->abort(pushed.failure());
        return false;
    }
    pushed_folder_ = pushed->folder;
    if (pushed->files > 0 || pushed->removed > 0) {
        note(text(kContext, "pushed %1 files, %2 kB, to %3 in %4 ms; %5 of an earlier push are gone",
                  {std::to_string(pushed->files), std::to_string((pushed->bytes + 500) / 1000),
                   pushed->folder, std::to_string(static_cast<int>((monotonic_s() - begin) * 1000)),
                   std::to_string(pushed->removed)}));
    }
    return true;
}

wire::StartRun NodeTask::spec() const {
    const LaunchPlan plan = context_.meeting->plan();
    wire::StartRun run = start_spec(context_);
    if (plan.master_node == node_.name) {
        run.set_master_port(static_cast<std::uint32_t>(plan.master_port));
    }
    for (const auto& node : plan.nodes) {
        if (node.node == node_.name) {
            run.set_peer_index(static_cast<std::uint32_t>(run.peers_size()));
        }
        run.add_peers(node.node);
    }
    run.set_peer_address(plan.master_addr);
    run.set_peer_timeout_s(context_.job.peer_timeout_s);
    for (const auto& rank : plan.ranks) {
        const auto node = std::find(run.peers().begin(), run.peers().end(), rank.node);
        run.add_peer_of_rank(static_cast<std::uint32_t>(node - run.peers().begin()));
        if (rank.node == node_.name) {
            add_rank(run, rank, context_, pushed_folder_);
        }
    }
    add_own_program(context_.job, run);
    return run;
}

bool NodeTask::start() {
    // Announce, then look: whoever aborts the meeting looks at launching() afterwards, so that either we see
    // the abort or it sees that there may be ranks to stop here.
    launching_ = true;
    if (context_.meeting->failure()) {
        launching_ = false;
        return false;
    }
    wire::Request request;
    *request.mutable_start_run() = spec();
    auto reply = connection_.link->call(std::move(request));
    if (!reply) {
        context_.meeting->abort(reply.failure());
        return false;
    }
    if (reply->started().peer_port() != 0) {
        context_.meeting->set_peer_port(static_cast<int>(reply->started().peer_port()));
    }
    context_.meeting->arrive(RunMeeting::Point::Started);
    return true;
}

void NodeTask::stream() {
    while (!ended_ && !stop_.stop_requested()) {
        if (!stream_once() && !ended_ && !stop_.stop_requested() && !reconnect()) {
            return;
        }
    }
}

// One attachment, until the run ends here (true), we leave, or the link is lost (false).
bool NodeTask::stream_once() {
    AgentLink& link = *connection_.link;
    wire::Request request;
    request.mutable_attach()->set_run_id(context_.run_id);
    request.mutable_attach()->set_from_seq(next_seq_);
    auto reply = link.call(std::move(request));
    if (!reply) {
        if (reply.failure().code == "no-such-run") {
            Event event;
            event.node = node_.name;
            event.seq = next_seq_;
            EndEvent end;
            end.outcome = Outcome::Lost;
            end.detail = reply.failure().what;
            event.body = end;
            context_.pump->post(std::move(event));
            ended_ = true;
        }
        return ended_;
    }
    stop_sent_ = 0;
    failure_sent_ = -1;
    const double lasted = listen_to(link, wake_,
                                    {[this] { return !ended_ && !stop_.stop_requested(); },
                                     [this] {
                                         send_stop_if_asked();
                                         send_failure_if_told();
                                         send_pause_if_asked();
                                     },
                                     [this](const wire::Reply& unasked) { take(unasked); }});
    backoff_.reached(lasted);
    return ended_;
}

void NodeTask::take(const wire::Reply& reply) {
    if (!reply.has_events() || reply.events().run_id() != context_.run_id) {
        return;
    }
    std::vector<std::string> missing;
    auto events = take_in(reply.events(), node_.name, connection_.facts.clock_offset_s, next_seq_, missing);
    for (const auto& sentence : missing) {
        note(sentence);
    }
    if (!reply.events().supervisor_state().empty()) {
        note(reply.events().supervisor_state() == "T"
                 ? text(kContext, "the supervisor is stopped (state T): nothing is watched there")
                 : text(kContext, "the supervisor continues"));
    }
    for (const auto& event : events) {
        ended_ = ended_ || event.as<EndEvent>() != nullptr;
    }
    if (!events.empty()) {
        context_.pump->post(std::move(events));
    }
}

void NodeTask::send_stop_if_asked() {
    const int strength = stop_strength_.load();
    if (strength <= stop_sent_) {
        return;
    }
    stop_sent_ = strength;
    wire::Request request;
    request.mutable_stop_run()->set_run_id(context_.run_id);
    request.mutable_stop_run()->set_force(strength >= 2);
    request.mutable_stop_run()->set_everywhere(stop_by_user_);
    {
        const std::lock_guard lock(cause_mutex_);
        request.mutable_stop_run()->set_cause(stop_cause_);
    }
    connection_.link->send(std::move(request));
}

void NodeTask::send_failure_if_told() {
    if (failed_attempt_ <= failure_sent_) {
        return;
    }
    wire::Request request;
    auto* stop = request.mutable_stop_run();
    stop->set_run_id(context_.run_id);
    {
        const std::lock_guard lock(cause_mutex_);
        failure_sent_ = failed_attempt_;
        stop->set_cause(failure_cause_);
    }
    stop->set_failed_attempt(
        failure_sent_ == RunTracker::kAnyAttempt ? 0 : static_cast<std::uint32_t>(failure_sent_ + 1));
    connection_.link->send(std::move(request));
}

void NodeTask::send_pause_if_asked() {
    const Pause asked = pause_.exchange(Pause::None);
    if (asked == Pause::None) {
        return;
    }
    wire::Request request;
    request.mutable_pause_run()->set_run_id(context_.run_id);
    request.mutable_pause_run()->set_resume(asked == Pause::Continue);
    connection_.link->send(std::move(request));
}

// Training goes on there meanwhile; the spool keeps what we miss.
bool NodeTask::reconnect() {
    const double since = monotonic_s();
    std::string why = text(kContext, "connection lost; the run goes on there;");
    while (!stop_.stop_requested()) {
        const double wait_s = backoff_.next();
        note(wait_s < 1 ? text(kContext, "%1 trying again", {why})
                        : text(kContext, "%1 trying again in %2 s",
                               {why, std::to_string(static_cast<int>(wait_s))}));
        wait_before_retry(wait_s);
        if (stop_.stop_requested()) {
            return false;
        }
        auto connection = connect_node(node_, context_.prompter, wake_, stop_.get_token(), {});
        if (connection) {
            connection_ = std::move(*connection);
            note(text(kContext, "connected again"));
            return true;
        }
        Failure failure = connection.failure();
        failure.where.clear();  // the note names the node
        why = text(kContext, "%1 The run goes on there;", {to_line(failure)});
        if (give_up(since)) {
            return false;
        }
    }
    return false;
}

// Somebody who asks for the end, or others that have lost the node, do not wait for the next attempt.
void NodeTask::wait_before_retry(double wait_s) {
    const int asked = stop_strength_;
    const double begin = monotonic_s();
    while (!stop_.stop_requested() && stop_strength_ == asked) {
        const double left = begin + (presumed_lost_ ? std::min(wait_s, kLostRetryS) : wait_s) - monotonic_s();
        if (left <= 0) {
            return;
        }
        pollfd fd{wake_.fd(), POLLIN, 0};
        ::poll(&fd, 1, static_cast<int>(left * 1000) + 1);
        wake_.clear();
    }
}

bool NodeTask::give_up(double since) {
    if (!presumed_lost_ || monotonic_s() - since < kGiveUpS) {
        return false;
    }
    Event event;
    event.node = node_.name;
    event.seq = next_seq_;
    EndEvent end;
    end.outcome = Outcome::Lost;
    end.detail = text(kContext, "neither the other nodes nor this computer reach it");
    event.body = end;
    context_.pump->post(std::move(event));
    ended_ = true;
    return true;
}

}  // namespace rankscope
