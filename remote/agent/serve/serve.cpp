// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/event_loop.h>
#include <base/fd.h>
#include <base/files.h>
#include <remote/agent/cleanup/end_process.h>
#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/cleanup/run_registry.h>
#include <remote/agent/files/bundle_store.h>
#include <remote/agent/files/tree_store.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/host_sampler.h>
#include <remote/agent/probes/node_probe.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/probes/probe_listener.h>
#include <remote/agent/serve/background_requests.h>
#include <remote/agent/serve/node_looks.h>
#include <remote/agent/serve/run_launcher.h>
#include <remote/agent/serve/serve.h>
#include <remote/agent/serve/slurm_node.h>
#include <remote/agent/slurm/slurm_submit.h>
#include <remote/agent/slurm/slurm_watch.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/supervise/control_socket.h>
#include <remote/agent/supervise/supervisor.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <list>
#include <string>
#include <utility>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMaxQueued = 4U << 20U;  // above this no more events are read: SSH's window is full
constexpr std::size_t kMaxBatch = 256U << 10U;
constexpr double kAliveCheck = 1;
constexpr double kCloseAgain =
    20;  // where the end of an abandoned run could not be written: the disk is full

class Server {
public:
    explicit Server(NodePaths paths)
        : paths_(std::move(paths)), bundles_(paths_), trees_(paths_), sampler_(paths_.root()) {}

    int run();

private:
    struct Attachment {
        std::string run_id;
        RunDir dir;
        SpoolReader reader;
        std::uint64_t from_seq;
        bool ended = false;
        double next_alive_check = 0;
        bool past_damage = false;
        bool supervisor_stopped = false;
        bool closed = false;  ///< its supervisor is gone, and its end was written
    };

    bool read_requests();
    void handle(const wire::Request& request);
    bool handle_in_background(const wire::Request& request);
    void start_run(const wire::StartRun& run, wire::Reply& reply);
    void attach(const wire::Request& request, wire::Reply& reply);
    void attach_slurm(const wire::AttachSlurm& attach, wire::Reply& reply);
    void stop(const wire::StopRun& stop, wire::Reply& reply);
    void stop_slurm(const wire::StopRun& stop, const SlurmDir& dir, wire::Reply& reply);
    void cancel_slurm_run(const wire::CancelSlurm& cancel, wire::Reply& reply);
    void forward(const std::string& run_id, const wire::Request& request, wire::Reply& reply);
    void stream(Attachment& attachment);
    bool send_events(Attachment& attachment);
    void check_supervisor(Attachment& attachment, bool all_sent);
    void report_supervisor_state(Attachment& attachment);
    void reopen(Attachment& attachment);
    void send(const wire::Reply& reply);
    bool flush();
    bool has_room() const { return queued_.size() - sent_ < kMaxQueued; }

    NodePaths paths_;
    BundleStore bundles_;
    TreeStore trees_;
    HostSampler sampler_;
    FrameReader requests_;
    std::string queued_;
    std::size_t sent_ = 0;  ///< of queued_
    UniqueFd inotify_{::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
    EventLoop loop_;  ///< before what is watched in it
    bool over_ = false;
    std::list<Attachment> attachments_;
    std::list<SlurmWatch> slurm_;
    ProbeListener probe_listener_{loop_};
    HeldPort held_port_;  ///< for rank 0 of the run that starts next
    BackgroundRequests background_{loop_, [this](const wire::Reply& reply) { send(reply); }};
};

void fail(wire::Reply& reply, const AgentFailure& failure) {
    *reply.mutable_failure() = to_wire(failure);
}

// The value in its field of the reply, or the failure.
template <typename T>
void answer(wire::Reply& reply, AgentResult<T> result, T* (wire::Reply::*field)()) {
    if (result) {
        *(reply.*field)() = std::move(*result);
    } else {
        fail(reply, result.failure());
    }
}

bool is_port(std::uint32_t port) {
    return port != 0 && port <= std::numeric_limits<std::uint16_t>::max();
}

void Server::send(const wire::Reply& reply) {
    append_frame(queued_, reply.SerializeAsString());
}

bool Server::flush() {
    while (sent_ < queued_.size()) {
        const auto put = ::write(STDOUT_FILENO, queued_.data() + sent_, queued_.size() - sent_);
        if (put < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (errno == EAGAIN) {
                break;
            }
            return false;
        }
        sent_ += static_cast<std::size_t>(put);
    }
    // A pipe takes little at a time: what is left is not moved each time.
    if (sent_ == queued_.size() || sent_ > kMaxQueued / 2) {
        queued_.erase(0, sent_);
        sent_ = 0;
    }
    return true;
}

bool Server::read_requests() {
    std::array<char, 65536> bytes;
    for (int round = 0; round < 64; ++round) {
        const auto got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (got == 0) {
            return false;
        }
        if (got < 0) {
            if (errno == EAGAIN || errno == EINTR) {
                break;
            }
            return false;
        }
        requests_.feed({bytes.data(), static_cast<std::size_t>(got)});
        while (const auto payload = requests_.next()) {
            wire::Request request;
            if (request.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
                handle(request);
            }
        }
        if (requests_.damaged()) {
            return false;
        }
    }
    return true;
}

// Those that wait for other nodes, programs or files. false: not one of them.
bool Server::handle_in_background(const wire::Request& request) {
    if (is_look(request)) {
        background_.start(request.id(), [this, request](const std::stop_token& stop, wire::Reply& reply) {
            answer_look(paths_, request, stop, reply);
        });
        return true;
    }
    if (!request.has_ask_slurm_node()) {
        return false;
    }
    background_.start(request.id(), [this, asked = request.ask_slurm_node()](const std::stop_token& stop,
                                                                             wire::Reply& reply) {
        if (const auto found = find_run(paths_, asked.run_id())) {
            ask_slurm_node(SlurmDir{*found}, asked, stop, reply);
        } else {
            fail(reply, {"no-such-run", asked.run_id()});
        }
    });
    return true;
}

void Server::handle(const wire::Request& request) {
    if (handle_in_background(request)) {
        return;
    }
    wire::Reply reply;
    reply.set_id(request.id());
    switch (request.body_case()) {
        case wire::Request::kProbe:
            *reply.mutable_facts() = probe_this_node(paths_);
            reply.mutable_facts()->mutable_sample()->MergeFrom(sampler_.take());
            break;
        case wire::Request::kHaveFiles:
            answer(reply, bundles_.missing(request.have_files()), &wire::Reply::mutable_missing);
            break;
        case wire::Request::kPutFile:
            if (const auto received = bundles_.put(request.put_file())) {
                reply.mutable_put_done()->set_received(*received);
            } else {
                fail(reply, received.failure());
            }
            break;
        case wire::Request::kStartRun:
            start_run(request.start_run(), reply);
            break;
        case wire::Request::kAttach:
            attach(request, reply);
            break;
        case wire::Request::kStopRun:
            stop(request.stop_run(), reply);
            break;
        case wire::Request::kListRuns:
            *reply.mutable_runs() = list_runs(paths_);
            break;
        case wire::Request::kClean:
            *reply.mutable_cleaned() = clean(paths_, request.clean());
            break;
        case wire::Request::kFindPort: {
            const auto preferred = request.find_port().preferred();
            std::string held_by;
            const bool take =
                is_port(preferred) && port_is_free(static_cast<std::uint16_t>(preferred), held_by);
            held_port_ = hold_port(take ? static_cast<std::uint16_t>(preferred) : 0);
            reply.mutable_port()->set_port(held_port_.port);
            reply.mutable_port()->set_held_by(held_by);
            break;
        }
        case wire::Request::kLinkPeers:
            forward(request.link_peers().run_id(), request, reply);
            break;
        case wire::Request::kPauseRun:
            forward(request.pause_run().run_id(), request, reply);
            break;
        case wire::Request::kSetNcclLevel:
            forward(request.set_nccl_level().run_id(), request, reply);
            break;
        case wire::Request::kLeftovers:
            if (request.leftovers().port() != 0 && !is_port(request.leftovers().port())) {
                fail(reply, {"bad-request", "there is no such port"});
            } else {
                *reply.mutable_leftovers() = find_leftovers(paths_, request.leftovers());
            }
            break;
        case wire::Request::kEndProcess:
            answer(reply, end_process(paths_, request.end_process()), &wire::Reply::mutable_process_ended);
            break;
        case wire::Request::kPing:
            reply.mutable_pong()->set_clock_us(now_us());
            break;
        case wire::Request::kHaveTree:
            answer(reply, trees_.have(request.have_tree()), &wire::Reply::mutable_tree_missing);
            break;
        case wire::Request::kPutTree:
            if (const auto put = trees_.put(request.put_tree())) {
                reply.mutable_put_done();
            } else {
                fail(reply, put.failure());
            }
            break;
        case wire::Request::kFinishTree:
            answer(reply, trees_.finish(), &wire::Reply::mutable_tree_done);
            break;
        case wire::Request::kSubmitSlurm:
            answer(reply, submit_slurm(request.submit_slurm(), paths_),
                   &wire::Reply::mutable_slurm_submitted);
            break;
        case wire::Request::kAttachSlurm:
            attach_slurm(request.attach_slurm(), reply);
            break;
        case wire::Request::kCancelSlurm:
            cancel_slurm_run(request.cancel_slurm(), reply);
            break;
        case wire::Request::kOpenProbePorts:
            *reply.mutable_probe_ports() = probe_listener_.open(request.open_probe_ports());
            break;
        case wire::Request::kInspectHost:
        case wire::Request::kConnectTargets:
        case wire::Request::kInspectRanks:
        case wire::Request::kAskRas:
        case wire::Request::kDumpFlight:
        case wire::Request::kInspectContainer:
        case wire::Request::kMakeEnvironment:
        case wire::Request::kAskSlurmNode:
            return;  // in the background
        case wire::Request::BODY_NOT_SET:
            fail(reply, {"bad-request", "a request this agent does not know: it is older than the desk"});
            break;
    }
    send(reply);
}

void Server::start_run(const wire::StartRun& run, wire::Reply& reply) {
    if (run.bundle().empty()) {
        held_port_ = {};  // the user's program may listen without SO_REUSEADDR
    }
    answer(reply, launch_run(run, paths_), &wire::Reply::mutable_started);
    held_port_ = {};  // the supervisor has its own ports by now
}

void Server::attach(const wire::Request& request, wire::Reply& reply) {
    const std::string& run_id = request.attach().run_id();
    const auto found = find_run(paths_, run_id);
    if (!found) {
        return fail(reply, {"no-such-run", run_id});
    }
    const RunDir& dir = *found;
    SpoolReader reader(dir.spool());
    if (!reader.is_open()) {
        return fail(reply, {"no-such-run", dir.spool().string()});
    }
    ::inotify_add_watch(inotify_.get(), dir.spool().c_str(), IN_MODIFY);
    reply.mutable_events()->set_run_id(run_id);
    attachments_.push_back(
        {run_id, dir, std::move(reader), std::max<std::uint64_t>(1, request.attach().from_seq())});
}

void Server::attach_slurm(const wire::AttachSlurm& attach, wire::Reply& reply) {
    const auto found = find_run(paths_, attach.run_id());
    const auto job = found ? slurm_job_of({*found}) : std::nullopt;
    if (!job) {
        return fail(reply, {"no-such-run", attach.run_id()});
    }
    reply.mutable_slurm_submitted()->set_job_id(*job);
    slurm_.emplace_back(attach, SlurmDir{*found}, *job, inotify_.get(), loop_);
}

void Server::cancel_slurm_run(const wire::CancelSlurm& cancel, wire::Reply& reply) {
    const auto found = find_run(paths_, cancel.run_id());
    if (!found) {
        return fail(reply, {"no-such-run", cancel.run_id()});
    }
    answer(reply, cancel_slurm(cancel, SlurmDir{*found}), &wire::Reply::mutable_stopping);
}

void Server::stop(const wire::StopRun& stop, wire::Reply& reply) {
    if (!is_safe_name(stop.run_id())) {
        return fail(reply, {"bad-request", "unsafe run id"});
    }
    wire::Request request;
    *request.mutable_stop_run() = stop;
    const auto run = find_run(paths_, stop.run_id());
    if (run && slurm_job_of({*run})) {
        return stop_slurm(stop, SlurmDir{*run}, reply);
    }
    reply.mutable_stopping()->set_was_running(run && send_to_supervisor(run->dir, request));
}

// Its supervisors are on nodes that only Slurm reaches.
void Server::stop_slurm(const wire::StopRun& stop, const SlurmDir& dir, wire::Reply& reply) {
    if (!slurm_job_is_alive(dir)) {
        reply.mutable_stopping()->set_was_running(false);
        return;
    }
    wire::CancelSlurm cancel;
    cancel.set_run_id(stop.run_id());
    cancel.set_force(stop.force());
    cancel.set_cause(stop.cause());
    cancel.set_by_user(stop.everywhere());
    answer(reply, cancel_slurm(cancel, dir), &wire::Reply::mutable_stopping);
    if (reply.has_stopping()) {
        reply.mutable_stopping()->set_was_running(true);  // also one that waits
    }
}

void Server::forward(const std::string& run_id, const wire::Request& request, wire::Reply& reply) {
    if (!is_safe_name(run_id)) {
        return fail(reply, {"bad-request", "unsafe run id"});
    }
    const auto run = find_run(paths_, run_id);
    reply.mutable_delivered()->set_was_running(run && send_to_supervisor(run->dir, request));
}

void Server::stream(Attachment& attachment) {
    const bool all_sent = send_events(attachment);
    if (!attachment.ended && monotonic_s() >= attachment.next_alive_check) {
        check_supervisor(attachment, all_sent);
    }
}

// false: there may be more.
bool Server::send_events(Attachment& attachment) {
    while (!attachment.ended && has_room()) {
        wire::Reply reply;
        reply.mutable_events()->set_run_id(attachment.run_id);
        std::size_t bytes = 0;
        wire::Event event;
        while (bytes < kMaxBatch && (attachment.past_damage ? attachment.reader.next_kept(event)
                                                            : attachment.reader.next(event))) {
            if (event.seq() >= attachment.from_seq) {
                bytes += event.ByteSizeLong();
                attachment.ended = attachment.ended || event.has_end();
                attachment.from_seq = event.seq() + 1;
                *reply.mutable_events()->add_events() = std::move(event);
            } else {
                attachment.ended = attachment.ended || event.has_end();
            }
        }
        if (reply.events().events_size() > 0) {
            send(reply);
        } else if (attachment.reader.replaced()) {
            reopen(attachment);
        } else {
            return true;
        }
    }
    return false;
}

// What was sent already is skipped by its number.
void Server::reopen(Attachment& attachment) {
    attachment.reader = SpoolReader(attachment.dir.spool());
    ::inotify_add_watch(inotify_.get(), attachment.dir.spool().c_str(), IN_MODIFY);
}

void Server::check_supervisor(Attachment& attachment, bool all_sent) {
    attachment.next_alive_check = monotonic_s() + kAliveCheck;
    if (attachment.reader.damaged()) {
        attachment.past_damage = true;  // the damage lasts since the check before: read past it
    }
    if (attachment.closed && !all_sent) {
        return;  // its end lies behind what is still to be sent
    }
    if (supervisor_is_alive(attachment.dir)) {
        return report_supervisor_state(attachment);
    }
    // Its end is in the spool, or is written there now, behind the last event that can be read. That takes as long as
    // reading the whole spool: it is done once, and not for each piece that is sent.
    if (attachment.closed) {
        attachment.next_alive_check = monotonic_s() + kCloseAgain;
    }
    attachment.closed = close_abandoned_spool(attachment.dir);
    // What looks like a frame that is still being written is damage now: a wrong length.
    attachment.past_damage = true;
    if (attachment.reader.damaged()) {
        attachment.reader = SpoolReader(attachment.dir.spool());
    }
    send_events(attachment);
}

// A stopped supervisor cannot report that itself.
void Server::report_supervisor_state(Attachment& attachment) {
    const pid_t pid = std::atoi(read_file(attachment.dir.supervisor_pid()).value_or("").c_str());
    const bool stopped = pid > 0 && is_stopped(pid);
    if (stopped == attachment.supervisor_stopped) {
        return;
    }
    attachment.supervisor_stopped = stopped;
    wire::Reply reply;
    reply.mutable_events()->set_run_id(attachment.run_id);
    reply.mutable_events()->set_supervisor_state(stopped ? "T" : "S");
    send(reply);
}

int Server::run() {
    ::signal(SIGPIPE, SIG_IGN);
    queued_.assign(kAgentGreeting);
    set_nonblocking(STDIN_FILENO, true);
    set_nonblocking(STDOUT_FILENO, true);
    // Requests first: a desk may send one and close both ways.
    const auto requests = loop_.watch(STDIN_FILENO, POLLIN, [this](short) { over_ = !read_requests(); });
    auto replies = loop_.watch(STDOUT_FILENO, 0, [this](short events) {
        over_ = over_ || (events & (POLLERR | POLLHUP | POLLNVAL)) != 0;
    });
    const auto changes = loop_.watch(inotify_.get(), POLLIN, [this](short) {
        std::array<char, 4096> notices;
        while (::read(inotify_.get(), notices.data(), notices.size()) > 0) {
        }
    });
    // The runs are not ours to end: they continue without a desk.
    for (;;) {
        replies.set_events(queued_.empty() ? 0 : POLLOUT);
        const bool waiting =
            !slurm_.empty() || std::any_of(attachments_.begin(), attachments_.end(),
                                           [](const Attachment& attachment) { return !attachment.ended; });
        loop_.run_once(waiting ? kAliveCheck : std::numeric_limits<double>::infinity());
        if (over_) {
            flush();
            return 0;
        }
        for (auto& attachment : attachments_) {
            stream(attachment);
        }
        attachments_.remove_if([](const Attachment& attachment) { return attachment.ended; });
        for (auto& watch : slurm_) {
            watch.step([this] { return has_room(); }, [this](const wire::Reply& reply) { send(reply); });
        }
        slurm_.remove_if([](const SlurmWatch& watch) { return watch.over(); });
        if (!flush()) {
            return 0;
        }
    }
}

}  // namespace

int serve(const NodePaths& paths) {
    return Server(paths).run();
}

}  // namespace rankscope::agent
