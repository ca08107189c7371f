// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <remote/agent/link/peer_link.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/host_sampler.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/ranks/error_file.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/ranks/rank_reader.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/supervise/control_socket.h>
#include <remote/agent/supervise/supervisor.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::agent {
namespace {

constexpr double kFlushRetry = 1.0;
constexpr double kOthersReady = 30;  // beyond their grace
constexpr double kStoppedTold = 5;   // a rank stopped by somebody else for so long is worth a word
constexpr double kLateLink = 5;      // after a stop, for the nodes that were never linked
constexpr double kOwnSigterm = 0.5;  // between a rank's SIGTERM and ours, where all get one

class Supervisor {
public:
    Supervisor(RunDir dir, NodePaths paths) : dir_(std::move(dir)), paths_(std::move(paths)) {}

    int run(int ready_fd);

private:
    struct Stop {
        std::string cause;
        bool by_user = false;
        double deadline = 0;
        bool killed = false;
        double kill_again = 0;
        double checkpoint_until = 0;  ///< SIGTERM waits so long for the ranks' own end; 0: it was sent
        double begun = 0;
    };

    std::optional<wire::Failure> prepare();
    std::optional<wire::Failure> prepare_own_program();
    void start_all();
    void loop();
    void signalled(int signal);
    void start_telemetry();
    void sample_if_due();
    void reap();
    void await_own_sigterm();
    void rank_ended(RankProcess& rank, int status);
    void rank_stopped(RankProcess& rank, int signal);
    void rank_continued(RankProcess& rank);
    void watch_stopped_ranks();
    void add_evidence(const RankProcess& rank, wire::Exit& exit);
    void pause(bool resume);
    void terminate();
    void handle_request(const wire::Request& request);
    void begin_stop(const std::string& cause, bool by_user, bool force);
    void prepare_link();
    void tell_peers(const wire::Cause& cause);
    void take_peer_news();
    void drive_stop();
    bool may_restart() const;
    bool expects_others() const;
    bool busy() const;
    void drive_restart();
    void begin_attempt();
    void give_up_restart(const std::string& why);
    void finish();
    int next_timeout() const;
    bool any_running() const;

    RunDir dir_;
    NodePaths paths_;
    wire::StartRun run_;
    SpoolWriter spool_;
    std::vector<RankProcess> ranks_;
    UniqueFd signals_;
    ControlSocket control_;
    PythonEnvironment python_;
    RankReader reader_{spool_, ranks_};
    std::unique_ptr<PeerLink> link_;
    std::uint16_t link_port_ = 0;
    std::optional<Stop> stop_;
    wire::Cause cause_;  ///< of the run's end, wherever it lies; no kind: none
    OomWatch oom_;
    bool failed_ = false;
    bool paused_ = false;
    bool cannot_start_ = false;  ///< a rank's program: no attempt will be better
    std::uint32_t attempt_ = 0;
    std::optional<double> restart_until_;  ///< waits so long for the other nodes to be ready, too
    bool restart_refused_ = false;
    double expected_until_ = 0;  ///< the other nodes' links
    bool finished_told_ = false;
    double flush_retry_ = 0;
    std::optional<HostSampler> host_;  ///< with gpus_: where samples are asked for
    std::optional<GpuMonitor> gpus_;
    double next_sample_ = 0;
};

std::optional<wire::Failure> Supervisor::prepare() {
    const auto failure = [](const char* code, const std::string& detail) {
        wire::Failure result;
        result.set_code(code);
        result.set_detail(detail);
        return result;
    };
    std::ifstream file(dir_.spec(), std::ios::binary);
    if (!run_.ParseFromIstream(&file)) {
        return failure("io-error", dir_.spec().string());
    }
    std::string held_by;
    if (run_.master_port() != 0 && !port_is_free(static_cast<std::uint16_t>(run_.master_port()), held_by)) {
        auto result = failure("port-busy", held_by);
        result.add_args(std::to_string(run_.master_port()));
        if (const pid_t holder = holder_of_port(static_cast<std::uint16_t>(run_.master_port()));
            holder > 0 && is_own(holder)) {
            result.add_args(std::to_string(holder));  // the person may end it
        }
        return result;
    }
    if (auto refused = prepare_own_program()) {
        return refused;
    }
    std::string why;
    if (!SpoolWriter::open(dir_.spool(), spool_, why)) {
        return failure("io-error", dir_.spool().string() + ": " + why);
    }
    spool_.set_quota(run_.spool_quota_bytes());
    std::ofstream(dir_.train_config(), std::ios::binary) << run_.train_config();
    if (!control_.listen(dir_.dir, why)) {
        return failure("io-error", why);
    }
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGUSR1, SIGUSR2}) {
        sigaddset(&set, signal);
    }
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    prepare_link();
    return std::nullopt;
}

std::optional<wire::Failure> Supervisor::prepare_own_program() {
    if (!run_.has_own() || run_.ranks_size() == 0) {
        return std::nullopt;
    }
    if (auto missing = find_python_environment(run_.own(), python_)) {
        return missing;
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
    options.index = run_.peer_index();
    options.timeout_s = run_.peer_timeout_s();
    options.restarts = run_.max_restarts() > 0;
    expected_until_ = monotonic_s() + options.absent_s;
    link_ = std::make_unique<PeerLink>(std::move(options));
    std::string why;
    if (run_.peer_index() == 0) {
        link_port_ = link_->listen(run_.peer_address(), why);
    }
    if (run_.peer_index() == 0 && link_port_ == 0) {
        add_notice(spool_, -1, "peer-link-absent", {why});
        link_.reset();
    }
}

void Supervisor::tell_peers(const wire::Cause& cause) {
    cause_ = cause;
    cause_.set_attempt(attempt_);
    if (cause_.node().empty() && run_.peer_index() < static_cast<std::uint32_t>(run_.peers_size())) {
        cause_.set_node(run_.peers(static_cast<int>(run_.peer_index())));
    }
    if (link_) {
        link_->tell(cause_);
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
        if (!news.cause) {
            add_notice(spool_, -1, "peer-link-absent", {news.absent});
            continue;
        }
        cause_ = *news.cause;
        if (cause_.kind() != "stopped" && !stop_) {
            failed_ = true;
        }
        begin_stop(describe(cause_), cause_.kind() == "stopped", false);
    }
}

void Supervisor::start_all() {
    reader_.begin_attempt(run_, attempt_ == 0);
    ranks_.clear();
    ranks_.resize(static_cast<std::size_t>(run_.ranks_size()));
    for (int i = 0; i < run_.ranks_size(); ++i) {
        ranks_[static_cast<std::size_t>(i)].spec = run_.ranks(i);
        if (attempt_ > 0) {
            (*ranks_[static_cast<std::size_t>(i)].spec.mutable_env())["TORCHELASTIC_RESTART_COUNT"] =
                std::to_string(attempt_);
        }
    }
    if (!python_.note.empty()) {
        add_stage(spool_, -1, "note", StageText::Done, python_.note);
    }
    for (auto& rank : ranks_) {
        std::string why;
        reader_.begin(rank, run_);
        if (start_rank(rank, run_, dir_, paths_, python_, why)) {
            add_stage(spool_, rank.spec.rank(), "start", StageText::Done, "pid " + std::to_string(rank.pid));
            continue;
        }
        wire::Event event;
        event.set_rank(rank.spec.rank());
        event.mutable_exit()->set_code(127);
        event.mutable_exit()->set_reason(why);
        event.mutable_exit()->set_pid(rank.pid);
        event.mutable_exit()->set_attempt(attempt_);
        spool_.add(std::move(event));
        rank.exited = true;
        failed_ = true;
        cannot_start_ = true;
        wire::Cause cause;
        cause.set_kind("rank-ended");
        cause.set_rank(rank.spec.rank());
        cause.mutable_exit()->set_code(127);
        cause.mutable_exit()->set_reason(why);
        tell_peers(cause);
        begin_stop("rank " + std::to_string(rank.spec.rank()) + " could not be started", false, false);
        break;
    }
    spool_.flush();
    if (link_port_ != 0) {
        link_->start();
    }
}

bool Supervisor::any_running() const {
    return std::any_of(ranks_.begin(), ranks_.end(), [](const RankProcess& rank) { return rank.running(); });
}

int Supervisor::next_timeout() const {
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
    wait = std::min(wait, reader_.due_s() - now);
    if (host_) {
        wait = std::min(wait, next_sample_ - now);
    }
    if (spool_.waiting_bytes() > 0) {
        wait = std::min(wait, flush_retry_ - now);
    }
    if (!any_running()) {
        wait = std::min(wait, 0.1);  // only the others need us yet
    }
    return static_cast<int>(std::clamp(wait * 1000 + 1, 0.0, 60000.0));
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
        ::poll(fds.data(), fds.size(), next_timeout());
        reader_.read();
        signalfd_siginfo info{};
        while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            if (info.ssi_signo != SIGCHLD) {
                signalled(static_cast<int>(info.ssi_signo));
            }
        }
        reap();
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

// Slurm reaches a supervisor by signals alone: SIGTERM asks, SIGINT forces, the others are meant for the
// program.
void Supervisor::signalled(int signal) {
    if (signal == SIGUSR1 || signal == SIGUSR2) {
        for (const auto& rank : ranks_) {
            if (rank.running()) {
                ::kill(rank.pid, signal);
            }
        }
        return;
    }
    const auto said = read_file(dir_.stop_cause());
    const bool explained = said && !said->empty();
    wire::Cause cause;
    cause.set_kind(explained ? "stopped" : "signalled");
    cause.set_detail(explained ? *said : "the supervisor received signal " + std::to_string(signal));
    if (!stop_) {
        tell_peers(cause);
    }
    begin_stop(cause.detail(), true, signal == SIGINT);
}

void Supervisor::start_telemetry() {
    if (run_.telemetry_s() > 0) {
        host_.emplace(paths_.root());
        gpus_.emplace(run_.telemetry_s());
        next_sample_ = monotonic_s() + run_.telemetry_s();
    }
}

void Supervisor::sample_if_due() {
    if (!host_) {
        return;
    }
    gpus_->step();
    const double now = monotonic_s();
    if (now < next_sample_) {
        return;
    }
    next_sample_ = next_sample_due(next_sample_, now, run_.telemetry_s());
    wire::Event event;
    event.set_rank(-1);
    *event.mutable_sample() = host_->take();
    for (const auto& [key, value] : gpus_->latest()) {
        event.mutable_sample()->add_keys(key);
        event.mutable_sample()->add_values(value);
    }
    spool_.add(std::move(event));
}

void Supervisor::reap() {
    int status = 0;
    for (;;) {
        const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
        if (pid <= 0) {
            return;
        }
        for (auto& rank : ranks_) {
            if (rank.pid != pid || rank.exited) {
                continue;
            }
            if (WIFSTOPPED(status)) {
                rank_stopped(rank, WSTOPSIG(status));
            } else if (WIFCONTINUED(status)) {
                rank_continued(rank);
            } else {
                if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) {
                    await_own_sigterm();
                }
                rank_ended(rank, status);
            }
        }
    }
}

// srun ends whole steps by SIGTERM, a node that shuts down everything: a rank may be gone before ours has
// come, and did not end on its own then.
void Supervisor::await_own_sigterm() {
    const double until = monotonic_s() + kOwnSigterm;
    for (double left = kOwnSigterm; !stop_ && left > 0; left = until - monotonic_s()) {
        pollfd fd{signals_.get(), POLLIN, 0};
        ::poll(&fd, 1, static_cast<int>(left * 1000) + 1);
        signalfd_siginfo info{};
        while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            if (info.ssi_signo != SIGCHLD) {
                signalled(static_cast<int>(info.ssi_signo));
            }
        }
    }
}

void Supervisor::rank_stopped(RankProcess& rank, int signal) {
    if (!paused_ && !stop_) {
        rank.stopped_since = monotonic_s();
        rank.stop_signal = signal;
    }
}

void Supervisor::rank_continued(RankProcess& rank) {
    rank.stopped_since = 0;
    if (rank.told_stopped) {
        rank.told_stopped = false;
        add_notice(spool_, rank.spec.rank(), "rank-continued", {std::to_string(rank.pid)});
    }
}

// A stopped rank looks like a hang everywhere else: its peers wait in a collective. Nothing is done to it
// unless the job sets a limit.
void Supervisor::watch_stopped_ranks() {
    const double now = monotonic_s();
    for (auto& rank : ranks_) {
        if (!rank.running() || rank.stopped_since <= 0 || stop_) {
            continue;
        }
        const double since = now - rank.stopped_since;
        if (!rank.told_stopped && since >= kStoppedTold) {
            rank.told_stopped = true;
            add_notice(spool_, rank.spec.rank(), "rank-stopped",
                       {std::to_string(rank.pid), std::to_string(rank.stop_signal)});
        }
        if (run_.stopped_limit_s() > 0 && since >= run_.stopped_limit_s()) {
            failed_ = true;
            wire::Cause cause;
            cause.set_kind("rank-ended");
            cause.set_rank(rank.spec.rank());
            cause.mutable_exit()->set_code(-1);
            cause.mutable_exit()->set_signal(rank.stop_signal);
            cause.mutable_exit()->set_reason("stopped for longer than on_failure.stopped_limit_s");
            tell_peers(cause);
            begin_stop("rank " + std::to_string(rank.spec.rank()) + " was stopped for too long", false,
                       false);
        }
    }
}

void Supervisor::add_evidence(const RankProcess& rank, wire::Exit& exit) {
    const auto said = read_error_file(error_file_of(dir_, rank.spec.rank()));
    exit.set_reason(said.reason());
    exit.set_failed_us(said.failed_us);
    for (const auto& line : rank.traceback.lines()) {
        exit.add_traceback(line);
    }
    if (exit.signal() == SIGKILL && !stop_) {
        exit.set_oom(oom_.evidence(rank.pid));
    }
    if (exit.core_dumped()) {
        const std::string program = rank.spec.argv_size() > 0 ? rank.spec.argv(0) : std::string();
        const std::string workdir =
            rank.spec.workdir().empty() ? home_dir().string() : expand_home(rank.spec.workdir()).string();
        exit.set_core_file(find_core({rank.pid, exit.signal(), ::getuid(),
                                      std::filesystem::path(program).filename().string(), workdir}));
    }
}

void Supervisor::pause(bool resume) {
    if (stop_ || paused_ != resume) {
        return;
    }
    paused_ = !resume;
    // Twice: what was forked while the first round went on.
    for (int round = 0; round < 2; ++round) {
        signal_descendants(::getpid(), resume ? SIGCONT : SIGSTOP);
    }
    add_stage(spool_, -1, resume ? "continue" : "pause", StageText::Done, "");
}

void Supervisor::rank_ended(RankProcess& rank, int status) {
    reader_.finish(rank, status == 0);
    rank.exited = true;
    rank.logs.copy_error_file(error_file_of(dir_, rank.spec.rank()));
    wire::Event event;
    event.set_rank(rank.spec.rank());
    auto* exit = event.mutable_exit();
    exit->set_code(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    exit->set_signal(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    exit->set_core_dumped(WIFSIGNALED(status) && WCOREDUMP(status));
    exit->set_requested(stop_.has_value());
    exit->set_pid(rank.pid);
    exit->set_attempt(attempt_);
    const bool failed = exit->code() != 0;
    if (failed) {
        add_evidence(rank, *exit);
        for (const auto& line : rank.last_lines.lines()) {
            exit->add_last_lines(line);
        }
    }
    if (stop_) {
        exit->set_stop_cause(stop_->cause);
    }
    const wire::Exit ended = *exit;
    spool_.add(std::move(event));
    if (failed && !stop_) {
        failed_ = true;
        wire::Cause cause;
        cause.set_kind("rank-ended");
        cause.set_rank(rank.spec.rank());
        *cause.mutable_exit() = ended;
        tell_peers(cause);
        spool_.flush();  // the desk tells the other nodes: no moment to lose
        begin_stop("rank " + std::to_string(rank.spec.rank()) + " ended", false, false);
    }
}

void Supervisor::handle_request(const wire::Request& request) {
    if (request.has_stop_run()) {
        const auto& stop = request.stop_run();
        if (stop.failed_attempt() != 0 && stop.failed_attempt() != attempt_ + 1) {
            return;  // it was of an attempt that is over
        }
        if (stop.everywhere() && !stop_) {
            wire::Cause cause;
            cause.set_kind("stopped");
            cause.set_detail(stop.cause());
            tell_peers(cause);
        }
        begin_stop(stop.cause(), stop.failed_attempt() == 0, stop.force());
    } else if (request.has_pause_run()) {
        pause(request.pause_run().resume());
    } else if (request.has_link_peers() && link_) {
        const auto& link = request.link_peers();
        link_->connect({link.addresses().begin(), link.addresses().end()},
                       static_cast<std::uint16_t>(link.port()));
    }
}

void Supervisor::begin_stop(const std::string& cause, bool by_user, bool force) {
    const double now = monotonic_s();
    if (!stop_) {
        stop_ = Stop{cause, by_user, now + (force ? 0 : run_.grace_s()), false, 0, 0, now};
        add_stage(spool_, -1, "stop", StageText::Begin, cause);
        if (by_user && !force && run_.checkpoint_signal() > 0) {
            stop_->checkpoint_until = now + run_.checkpoint_wait_s();
            add_stage(spool_, -1, "checkpoint", StageText::Begin, "");
            for (const auto& rank : ranks_) {
                if (rank.running()) {
                    ::kill(rank.pid, run_.checkpoint_signal());
                    ::kill(rank.pid, SIGCONT);
                }
            }
        } else if (!force) {
            terminate();
        }
    } else {
        if (by_user) {
            stop_->by_user = true;  // nothing is started again
            stop_->cause = cause;
        }
        if (force) {
            stop_->checkpoint_until = 0;
            stop_->deadline = now;
        }
    }
}

void Supervisor::terminate() {
    signal_descendants(::getpid(), SIGTERM);
    signal_descendants(::getpid(), SIGCONT);  // a stopped process cannot act on SIGTERM
}

void Supervisor::drive_stop() {
    const double now = monotonic_s();
    if (stop_ && stop_->checkpoint_until > 0) {
        if (now < stop_->checkpoint_until) {
            return;
        }
        stop_->checkpoint_until = 0;
        stop_->deadline = now + run_.grace_s();
        terminate();
    }
    if (!stop_ || now < stop_->deadline || (stop_->killed && now < stop_->kill_again)) {
        return;
    }
    signal_descendants(::getpid(), SIGKILL);
    stop_->killed = true;
    stop_->kill_again = now + 0.05;
}

bool Supervisor::may_restart() const {
    return stop_ && !stop_->by_user && attempt_ < run_.max_restarts() && !cannot_start_ &&
           !restart_refused_ && (cause_.kind() == "rank-ended" || (cause_.kind().empty() && link_)) &&
           (run_.peers_size() < 2 || link_);
}

// Ranks may end before the nodes' links stand. Whoever fails so early stays until it could tell the others,
// who would train on, or wait, alone; and where all start again, whoever is done stays for the others'
// failure.
bool Supervisor::expects_others() const {
    const double now = monotonic_s();
    if (!link_ || link_->complete() || now >= expected_until_) {
        return false;
    }
    return stop_ ? !cause_.kind().empty() && now < stop_->begun + kLateLink : run_.max_restarts() > 0;
}

bool Supervisor::busy() const {
    return any_running() || may_restart() || expects_others() ||
           (link_ && (stop_ ? link_->unsettled() : link_->needed()));
}

// When the last rank is down here, the others are told; when the last node has said so, all start again.
void Supervisor::drive_restart() {
    if (any_running()) {
        return;
    }
    if (!stop_) {
        if (link_ && run_.max_restarts() > 0 && !finished_told_) {
            finished_told_ = true;
            link_->finished();
        }
        return;
    }
    if (!may_restart()) {
        return;
    }
    if (restart_until_) {
        if (monotonic_s() > *restart_until_) {
            give_up_restart("");
        }
        return;
    }
    kill_descendants(::getpid(), 5);
    if (!link_) {
        return begin_attempt();
    }
    restart_until_ = monotonic_s() + run_.grace_s() + kOthersReady;
    add_stage(spool_, -1, "restart", StageText::Begin, "");
    link_->ready(attempt_ + 1);
}

void Supervisor::begin_attempt() {
    if (!may_restart()) {
        return;  // stopped by a person in the meantime; the others hear of it
    }
    ++attempt_;
    add_stage(spool_, -1, "restart", StageText::Done,
              std::to_string(attempt_) + '/' + std::to_string(run_.max_restarts()));
    stop_.reset();
    cause_.Clear();
    failed_ = false;
    paused_ = false;
    finished_told_ = false;
    restart_until_.reset();
    start_all();
}

void Supervisor::give_up_restart(const std::string& why) {
    if (may_restart()) {
        restart_refused_ = true;
        add_notice(spool_, -1, "restart-impossible", {why});
    }
}

void Supervisor::finish() {
    if (link_) {
        link_->leave();
        if (stop_) {
            take_peer_news();  // the cause may have come behind its consequence
        }
    }
    // All ranks have ended; what they started may not have.
    if (!descendants_of(::getpid()).empty()) {
        signal_descendants(::getpid(), SIGTERM);
        const double until = monotonic_s() + std::min(1.0, run_.grace_s());
        while (monotonic_s() < until && !descendants_of(::getpid()).empty()) {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            ::poll(nullptr, 0, 10);
        }
    }
    const int left = kill_descendants(::getpid(), 5);
    reader_.finish_event_files(!stop_ && !failed_);
    wire::Event event;
    event.set_rank(-1);
    auto* end = event.mutable_end();
    end->set_outcome(failed_ ? "failed" : stop_ ? "stopped" : "done");
    end->set_detail(stop_ ? stop_->cause : "");
    end->set_left_processes(left);
    if (!cause_.kind().empty()) {
        *end->mutable_cause() = cause_;
    }
    spool_.add(std::move(event));
    // The end must not be lost to a full disk: logs of other runs may be cleaned meanwhile.
    for (int round = 0; round < 600 && !spool_.flush(); ++round) {
        ::poll(nullptr, 0, 1000);
    }
    spool_.close();
}

int Supervisor::run(int ready_fd) {
    wire::Reply reply;
    if (auto failure = prepare()) {
        *reply.mutable_failure() = std::move(*failure);
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

}  // namespace

int run_supervisor(const RunDir& dir, const NodePaths& paths, int ready_fd) {
    return Supervisor(dir, paths).run(ready_fd);
}

}  // namespace rankscope::agent
