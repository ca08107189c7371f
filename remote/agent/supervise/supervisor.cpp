// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/wait_fd.h>
#include <remote/agent/files/own_libc.h>
#include <remote/agent/link/cause.h>
#include <remote/agent/node/forget_secrets.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/node/signal_fd.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/supervise/supervisor_impl.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/sample_keys.h>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

namespace rankscope::agent {
namespace {

constexpr double kFlushRetry = 1.0;
constexpr double kContainerEnds = 15;  // its runtime unmounts and removes it

}  // namespace

AgentResult<void> Supervisor::prepare() {
    std::ifstream file(dir_.spec(), std::ios::binary);
    if (!run_.ParseFromIstream(&file)) {
        return AgentFailure{.code = "io-error", .detail = dir_.spec().string()};
    }
    std::string held_by;
    if (run_.master_port() != 0 && !port_is_free(static_cast<std::uint16_t>(run_.master_port()), held_by)) {
        AgentFailure failure{
            .code = "port-in-use", .detail = held_by, .args = {std::to_string(run_.master_port())}};
        if (const pid_t holder = holder_of_port(static_cast<std::uint16_t>(run_.master_port()));
            holder > 0 && is_own(holder)) {
            failure.args.push_back(std::to_string(holder));  // the user may end it
        }
        return failure;
    }
    if (!run_.bundle().empty() && !run_.entry().empty() && !run_.has_container()) {
        run_.set_entry(startable_entry(paths_.bundle(run_.bundle()), run_.entry()));
    }
    if (auto prepared = prepare_own_program(); !prepared) {
        return prepared;
    }
    auto spool = SpoolWriter::open(dir_.spool());
    if (!spool) {
        return spool.failure();
    }
    spool_ = std::move(*spool);
    spool_.set_quota(run_.spool_quota_bytes());
    nccl_.prepare(run_, dir_, paths_);
    std::ofstream config(dir_.train_config(), std::ios::binary);
    config << run_.train_config();
    if (!config.flush()) {
        return failure_from_errno(errno, dir_.train_config().string());  // else the ranks read half of it
    }
    if (auto listening = control_.listen(dir_.dir); !listening) {
        return listening;
    }
    signals_ = take_signals({SIGCHLD, SIGTERM, SIGINT, SIGURG, SIGUSR1, SIGUSR2});
    if (run_.has_container() && run_.ranks_size() > 0) {
        auto container = NodeContainer::start(run_, dir_, paths_);
        if (!container) {
            return container.failure();
        }
        container_ = std::move(*container);
    }
    prepare_link();
    return {};
}

AgentResult<void> Supervisor::prepare_own_program() {
    if (!run_.has_own() || run_.ranks_size() == 0) {
        return {};
    }
    if (!run_.has_container()) {  // else it is looked for there
        auto python = find_python_environment(run_.own());
        if (!python) {
            return python.failure();
        }
        python_ = std::move(*python);
    }
    return reader_.prepare(run_);
}

void Supervisor::prepare_link() {
    if (run_.peers_size() < 2 || run_.peer_index() >= static_cast<std::uint32_t>(run_.peers_size())) {
        return;
    }
    PeerLink::Options options;
    options.run_id = run_.run_id();
    options.token = run_.token();
    options.nodes = {run_.peers().begin(), run_.peers().end()};
    options.node_of_rank = {run_.peer_of_rank().begin(), run_.peer_of_rank().end()};
    options.index = run_.peer_index();
    options.timeout_s = run_.peer_timeout_s();
    options.restarts = run_.max_restarts() > 0;
    expected_until_ = monotonic_s() + options.absent_s;
    link_ = std::make_unique<PeerLink>(std::move(options));
    if (run_.peer_index() != 0) {
        return;
    }
    if (const auto port = link_->listen(run_.peer_address())) {
        link_port_ = *port;
    } else {
        add_notice(spool_, -1, "peer-link-absent", {port.failure().detail});
        link_.reset();
    }
}

void Supervisor::notify_peers(const wire::Cause& cause) {
    cause_ = cause;
    cause_.set_attempt(attempt_);
    if (cause_.node().empty() && run_.peer_index() < static_cast<std::uint32_t>(run_.peers_size())) {
        cause_.set_node(run_.peers(static_cast<int>(run_.peer_index())));
    }
    if (link_) {
        link_->post(cause_);
    }
}

void Supervisor::take_peer_news() {
    for (auto& news : link_->take_news()) {
        if (news.go) {
            begin_attempt();
            continue;
        }
        if (!news.stuck.empty()) {
            give_up_restart(news.stuck);
            continue;
        }
        if (news.failed_dial) {
            wire::Event event;
            event.set_rank(-1);
            event.mutable_stage()->set_name(wire::STAGE_LINK);
            event.mutable_stage()->set_status(wire::STATUS_PROGRESS);
            event.mutable_stage()->set_progress(-1);
            auto* dial = event.mutable_stage()->mutable_failed_dial();
            dial->set_address(news.failed_dial->address);
            dial->set_port(static_cast<std::uint32_t>(news.failed_dial->port));
            dial->set_error(news.failed_dial->error);
            spool_.add(std::move(event));
            continue;
        }
        if (!news.cause) {
            add_notice(spool_, -1, "peer-link-absent", {news.absent});
            continue;
        }
        cause_ = *news.cause;
        if (cause_.kind() != wire::CAUSE_STOPPED && !stop_) {
            failed_ = true;
        }
        begin_stop(describe(cause_),
                   cause_.kind() == wire::CAUSE_STOPPED ? StopFrom::User : StopFrom::Failure, false);
    }
}

bool Supervisor::any_running() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.running(); });
}

double Supervisor::next_timeout_s() const {
    double wait = 60;
    const double now = monotonic_s();
    if (stop_) {
        wait = std::min(wait, stop_->killed                 ? stop_->kill_again - now
                              : stop_->checkpoint_until > 0 ? stop_->checkpoint_until - now
                                                            : stop_->deadline - now);
    }
    if (std::any_of(ranks_.begin(), ranks_.end(),
                    [](const RankProcess& rank) { return rank.running() && rank.stopped_since > 0; })) {
        wait = std::min(wait, 0.5);
    }
    wait = std::min({wait, reader_.due_s() - now, inner_.due_s() - now, nccl_.due_s() - now});
    if (host_) {
        wait = std::min(wait, next_sample_ - now);
    }
    if (spool_.waiting_bytes() > 0) {
        wait = std::min(wait, flush_retry_ - now);
    }
    if (!any_running()) {
        wait = std::min(wait, 0.1);  // only the other nodes need this one yet
    }
    return std::max(wait, 0.0);
}

void Supervisor::loop() {
    std::vector<pollfd> fds;
    while (busy()) {
        fds.clear();
        fds.push_back({signals_.get(), POLLIN, 0});
        if (link_) {
            fds.push_back({link_->fd(), POLLIN, 0});
        }
        control_.add_to(fds);
        if (container_) {
            container_->add_to(fds);
        }
        inner_.add_to(fds);
        hardware_.add_to(fds);
        if (gpus_) {
            gpus_->add_to(fds);
        }
        for (const auto& rank : ranks_) {
            for (const auto* fd : {&rank.out, &rank.err, &rank.metrics}) {
                if (*fd) {
                    fds.push_back({fd->get(), POLLIN, 0});
                }
            }
        }
        wait_any(fds, next_timeout_s());
        reader_.read();
        inner_.poll(ranks_, !paused_ && !stop_);
        signalfd_siginfo info{};
        while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            if (info.ssi_signo != SIGCHLD) {
                signalled(static_cast<int>(info.ssi_signo));
            }
        }
        nccl_.poll(ranks_);
        reap();
        watch_container();
        watch_gpus();
        for (auto& fault : hardware_.take()) {
            add_notice(spool_, -1, fault.id, fault.args);
        }
        watch_stopped_ranks();
        if (link_) {
            take_peer_news();
        }
        control_.serve([this](const wire::Request& request) { handle_request(request); });
        drive_stop();
        drive_restart();
        sample_if_due();
        if (!spool_.flush()) {
            flush_retry_ = monotonic_s() + kFlushRetry;
        }
    }
}

// Slurm reaches a supervisor by signals alone: SIGURG (of our scancel) and SIGTERM (of Slurm's own) ask, SIGINT
// forces, the others are meant for the program.
void Supervisor::signalled(int signal) {
    if (signal == SIGUSR1 || signal == SIGUSR2) {
        for (const auto& rank : ranks_) {
            if (rank.running()) {
                signal_rank(rank, signal);
            }
        }
        return;
    }
    const auto said = read_file(dir_.stop_cause());
    const bool explained = said && !said->empty();
    wire::Cause cause;
    cause.set_kind(explained ? wire::CAUSE_STOPPED : wire::CAUSE_SIGNALLED);
    cause.set_detail(explained ? *said : "the supervisor received signal " + std::to_string(signal));
    if (!stop_) {
        notify_peers(cause);
    }
    begin_stop(cause.detail(), StopFrom::Outside, signal == SIGINT);
}

void Supervisor::handle_request(const wire::Request& request) {
    if (request.has_stop_run()) {
        const auto& stop = request.stop_run();
        if (stop.failed_attempt() != 0 && stop.failed_attempt() != attempt_ + 1) {
            return;  // it was of an attempt that is over
        }
        if (stop.everywhere() && !stop_) {
            wire::Cause cause;
            cause.set_kind(wire::CAUSE_STOPPED);
            cause.set_detail(stop.cause());
            notify_peers(cause);
        }
        const auto from = stop.failed_attempt() != 0 ? StopFrom::Failure
                          : stop.everywhere()        ? StopFrom::User
                                                     : StopFrom::Outside;
        begin_stop(stop.cause(), from, stop.force());
    } else if (request.has_pause_run()) {
        pause(request.pause_run().resume());
    } else if (request.has_set_nccl_level()) {
        const auto& wanted = request.set_nccl_level();
        nccl_.set_level({wanted.ranks().begin(), wanted.ranks().end()}, wanted.level());
    } else if (request.has_link_peers() && link_) {
        const auto& link = request.link_peers();
        link_->connect({link.addresses().begin(), link.addresses().end()},
                       static_cast<std::uint16_t>(link.port()));
    }
}

void Supervisor::start_telemetry() {
    if (run_.telemetry_s() > 0) {
        host_.emplace(paths_.root());
        gpus_.emplace(run_.telemetry_s());
        next_sample_ = monotonic_s() + run_.telemetry_s();
    }
}

void Supervisor::watch_gpus() {
    constexpr std::uint32_t kVersionMismatch =
        18;  // of NVML: the driver was upgraded under the kernel's module
    if (!gpus_) {
        return;
    }
    gpus_->step();
    hardware_.add(gpus_->take_errors());
    const auto& failure = gpus_->failure();
    if (!mismatch_reported_ && failure && failure->code == kVersionMismatch) {
        mismatch_reported_ = true;
        add_notice(spool_, -1, FailureId("nvml-mismatch"), {});
    }
}

void Supervisor::sample_if_due() {
    if (!host_) {
        return;
    }
    const double now = monotonic_s();
    if (now < next_sample_) {
        return;
    }
    next_sample_ = next_sample_due(next_sample_, now, run_.telemetry_s());
    wire::Event event;
    event.set_rank(-1);
    *event.mutable_sample() = host_->take();
    const auto add = [&event](const std::string& key, double value) {
        event.mutable_sample()->add_keys(key);
        event.mutable_sample()->add_values(value);
    };
    for (const auto& [key, value] : gpus_->latest()) {
        add(key, value);
    }
    for (const auto& [gpu, processes] : gpus_->processes()) {
        for (const auto& [rank, bytes] : memory_of_ranks(processes)) {
            add(sample_key::gpu_of_rank(gpu, rank, "mem_used"), static_cast<double>(bytes));
        }
    }
    spool_.add(std::move(event));
}

std::map<int, std::uint64_t> Supervisor::memory_of_ranks(const std::vector<NvmlProcess>& processes) const {
    constexpr int kDeepest = 32;
    std::map<int, std::uint64_t> bytes;
    for (const auto& process : processes) {
        // Its own process, or one that a launcher in the rank has started.
        pid_t pid = process.pid;
        for (int level = 0; level < kDeepest && pid > 1; ++level, pid = parent_of(pid)) {
            if (const int inner = inner_.rank_of(pid); inner >= 0) {
                bytes[inner] += process.bytes;
                break;
            }
            const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [pid](const RankProcess& entry) {
                return entry.running() && entry.pid == pid;
            });
            if (rank != ranks_.end()) {
                bytes[rank->number()] += process.bytes;
                break;
            }
        }
    }
    return bytes;
}

void Supervisor::finish() {
    if (link_) {
        link_->leave();
        if (stop_) {
            take_peer_news();  // the cause may have come behind its consequence
        }
    }
    if (container_) {
        container_->close(kContainerEnds);
    }
    // All ranks have ended; what they started may not have.
    if (!descendants_of(::getpid()).empty()) {
        signal_descendants(::getpid(), SIGTERM);
        const double until = monotonic_s() + std::min(1.0, run_.grace_s());
        while (monotonic_s() < until && !descendants_of(::getpid()).empty()) {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            sleep_s(0.01);
        }
    }
    const int left = kill_descendants(::getpid(), 5);
    reader_.finish_files(!stop_ && !failed_);
    wire::Event event;
    event.set_rank(-1);
    auto* end = event.mutable_end();
    end->set_outcome(failed_ ? wire::OUTCOME_FAILED : stop_ ? wire::OUTCOME_STOPPED : wire::OUTCOME_DONE);
    end->set_detail(cause_.kind() != wire::CAUSE_NONE ? describe(cause_) : stop_ ? stop_->cause : "");
    end->set_left_processes(left);
    if (cause_.kind() != wire::CAUSE_NONE) {
        *end->mutable_cause() = cause_;
    }
    spool_.add(std::move(event));
    // The end must not be lost to a full disk: logs of other runs may be cleaned meanwhile.
    for (int round = 0; round < 600 && !spool_.flush(); ++round) {
        sleep_s(1);
    }
    spool_.close();
    forget_secrets(dir_);
}

int Supervisor::run(int ready_fd) {
    wire::Reply reply;
    if (const auto prepared = prepare(); !prepared) {
        *reply.mutable_failure() = to_wire(prepared.failure());
    } else {
        start_all();
        reply.mutable_started()->set_supervisor_pid(::getpid());
        reply.mutable_started()->set_peer_port(link_port_);
    }
    std::string frame;
    append_frame(frame, reply.SerializeAsString());
    [[maybe_unused]] const auto put = ::write(ready_fd, frame.data(), frame.size());
    ::close(ready_fd);
    if (reply.has_failure()) {
        return 0;
    }
    start_telemetry();
    loop();
    gpus_.reset();
    finish();
    return 0;
}

int run_supervisor(const RunDir& dir, const NodePaths& paths, int ready_fd) {
    return Supervisor(dir, paths).run(ready_fd);
}

}  // namespace rankscope::agent
