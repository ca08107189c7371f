// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <protocol/metrics_line.h>
#include <remote/agent/control_socket.h>
#include <remote/agent/error_file.h>
#include <remote/agent/event_files.h>
#include <remote/agent/gpu_monitor.h>
#include <remote/agent/host_sampler.h>
#include <remote/agent/peer_link.h>
#include <remote/agent/ports.h>
#include <remote/agent/process_tree.h>
#include <remote/agent/rank_process.h>
#include <remote/agent/spool.h>
#include <remote/agent/supervisor.h>
#include <remote/base/clock.h>
#include <remote/base/files.h>
#include <remote/base/paths.h>

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

/// The statuses of wire::Stage, so that none is misspelt.
struct StageStatusText {
    const char* text;
};
constexpr StageStatusText kStageBegin{"begin"};
constexpr StageStatusText kStageProgress{"progress"};
constexpr StageStatusText kStageDone{"done"};
constexpr StageStatusText kStageFailed{"failed"};

constexpr double kPartialLineWait = 0.2;  // an unfinished line (a prompt, a progress bar) is shown after this
constexpr double kFlushRetry = 1.0;
constexpr double kOthersReady = 30;  // beyond their grace
constexpr double kStoppedTold = 5;   // a rank stopped by somebody else for so long is worth a word
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
    };

    std::optional<wire::Failure> prepare();
    std::optional<wire::Failure> prepare_own_program();
    void open_logs(RankProcess& rank);
    void write_logs(RankProcess& rank, bool is_stderr, std::string_view text);
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
    void read_output(RankProcess& rank, UniqueFd& fd, LineBuffer& lines, bool is_stderr);
    void read_metrics(RankProcess& rank);
    void take_metrics_line(RankProcess& rank, std::string_view line);
    void read_event_files(bool all);
    void emit_metric(RankProcess& rank, const protocol::MetricsLine& line);
    void emit_metrics(RankProcess& rank, const std::vector<protocol::MetricsLine>& lines);
    void emit_lines(RankProcess& rank, LineBuffer& lines, bool is_stderr, bool all);
    void flush_partial_lines();
    void handle_request(const wire::Request& request);
    void begin_stop(const std::string& cause, bool by_user, bool force);
    void prepare_link();
    void tell_peers(const wire::Cause& cause);
    void take_peer_news();
    void emit_notice(int rank, const char* code, const std::vector<std::string>& args);
    void drive_stop();
    bool may_restart() const;
    bool busy() const;
    void drive_restart();
    void begin_attempt();
    void give_up_restart(const std::string& why);
    void finish();
    int next_timeout() const;
    bool any_running() const;
    void emit_stage(int rank, const char* name, StageStatusText status, const std::string& detail,
                    double progress = -1);

    RunDir dir_;
    NodePaths paths_;
    wire::StartRun run_;
    SpoolWriter spool_;
    std::vector<RankProcess> ranks_;
    UniqueFd signals_;
    ControlSocket control_;
    PythonEnvironment python_;
    LogFolder logs_;
    std::vector<metric_lines::Pattern> patterns_;
    std::unique_ptr<EventFiles> event_files_;  ///< null: not asked for
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
    if (const int error = logs_.open(run_.own().log_dir(), run_.ranks(0).workdir(), run_.run_id());
        error != 0) {
        wire::Failure refused;
        refused.set_code("log-dir");
        refused.set_detail(std::strerror(error));
        refused.add_args(run_.own().log_dir());
        return refused;
    }
    for (const auto& text : run_.own().line_patterns()) {
        if (auto pattern = metric_lines::Pattern::compile(text)) {
            patterns_.push_back(std::move(*pattern));
        }
    }
    return std::nullopt;
}

void Supervisor::open_logs(RankProcess& rank) {
    if (!logs_.is_open()) {
        return;
    }
    const auto attempt = rank.spec.env().find("TORCHELASTIC_RESTART_COUNT");
    const auto folder = logs_.rank(attempt == rank.spec.env().end() ? 0 : std::atoi(attempt->second.c_str()),
                                   rank.spec.local_rank());
    const int error = rank.logs.open(folder);
    emit_stage(rank.spec.rank(), "note", error == 0 ? kStageDone : kStageFailed,
               "log files in " + folder.string() +
                   (error == 0 ? std::string() : std::string(": ") + std::strerror(error)));
}

void Supervisor::write_logs(RankProcess& rank, bool is_stderr, std::string_view text) {
    if (const int error = rank.logs.write(is_stderr, text); error != 0) {
        emit_stage(rank.spec.rank(), "note", kStageFailed,
                   std::string("the log file of ") + (is_stderr ? "stderr" : "stdout") +
                       " is given up: " + std::strerror(error) + "; the log here goes on");
    }
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
        emit_notice(-1, "peer-link-absent", {why});
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
            emit_notice(-1, "peer-link-absent", {news.absent});
            continue;
        }
        cause_ = *news.cause;
        if (cause_.kind() != "stopped" && !stop_) {
            failed_ = true;
        }
        begin_stop(describe(cause_), cause_.kind() == "stopped", false);
    }
}

void Supervisor::emit_notice(int rank, const char* code, const std::vector<std::string>& args) {
    wire::Event event;
    event.set_rank(rank);
    event.mutable_notice()->set_code(code);
    for (const auto& arg : args) {
        event.mutable_notice()->add_args(arg);
    }
    spool_.add(std::move(event));
}

void Supervisor::emit_stage(int rank, const char* name, StageStatusText status, const std::string& detail,
                            double progress) {
    wire::Event event;
    event.set_rank(rank);
    event.mutable_stage()->set_name(name);
    event.mutable_stage()->set_status(status.text);
    event.mutable_stage()->set_detail(detail);
    event.mutable_stage()->set_progress(progress);
    spool_.add(std::move(event));
}

void Supervisor::start_all() {
    if (attempt_ == 0) {
        event_files_ = EventFiles::of(run_);
    } else {
        read_event_files(true);  // what the attempt before wrote last
    }
    ranks_.clear();
    ranks_.resize(static_cast<std::size_t>(run_.ranks_size()));
    for (int i = 0; i < run_.ranks_size(); ++i) {
        ranks_[static_cast<std::size_t>(i)].spec = run_.ranks(i);
        if (attempt_ > 0) {
            (*ranks_[static_cast<std::size_t>(i)].spec.mutable_env())["TORCHELASTIC_RESTART_COUNT"] =
                std::to_string(attempt_);
        }
        if (run_.has_own() && (run_.own().read_lines() || !patterns_.empty())) {
            ranks_[static_cast<std::size_t>(i)].printed.emplace(patterns_, run_.own().read_lines());
        }
    }
    if (!python_.note.empty()) {
        emit_stage(-1, "note", kStageDone, python_.note);
    }
    for (auto& rank : ranks_) {
        std::string why;
        open_logs(rank);
        if (start_rank(rank, run_, dir_, paths_, python_, why)) {
            emit_stage(rank.spec.rank(), "start", kStageDone, "pid " + std::to_string(rank.pid));
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
    for (const auto& rank : ranks_) {
        if (!rank.out_lines.empty() || !rank.err_lines.empty()) {
            wait = std::min(wait, rank.quiet_since + kPartialLineWait - now);
        }
    }
    if (host_) {
        wait = std::min(wait, next_sample_ - now);
    }
    if (event_files_) {
        wait = std::min(wait, event_files_->due_s() - now);
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
        for (auto& rank : ranks_) {
            // The pipe first: what a program writes there before it prints it is not read twice.
            read_metrics(rank);
            read_output(rank, rank.out, rank.out_lines, false);
            read_output(rank, rank.err, rank.err_lines, true);
        }
        read_event_files(false);
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
        flush_partial_lines();
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
    // After a pause (the machine slept) one sample, not all that were missed.
    next_sample_ = std::max(next_sample_ + run_.telemetry_s(), now);
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
        emit_notice(rank.spec.rank(), "rank-continued", {std::to_string(rank.pid)});
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
            emit_notice(rank.spec.rank(), "rank-stopped",
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
    emit_stage(-1, resume ? "continue" : "pause", kStageDone, "");
}

void Supervisor::rank_ended(RankProcess& rank, int status) {
    // What it wrote before its end is still in the pipes.
    read_metrics(rank);
    read_output(rank, rank.out, rank.out_lines, false);
    read_output(rank, rank.err, rank.err_lines, true);
    if (status == 0) {
        read_event_files(true);  // a failure must be told at once: its files are read behind it
    }
    if (rank.printed) {
        emit_metrics(rank, rank.printed->finish());
    }
    emit_lines(rank, rank.out_lines, false, true);
    emit_lines(rank, rank.err_lines, true, true);
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

void Supervisor::read_output(RankProcess& rank, UniqueFd& fd, LineBuffer& lines, bool is_stderr) {
    std::array<char, 65536> bytes;
    for (int round = 0; fd && round < 16; ++round) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
            fd.reset();
            return;
        }
        if (got < 0) {
            return;
        }
        const std::string_view text(bytes.data(), static_cast<std::size_t>(got));
        rank.last_lines.add(text);
        write_logs(rank, is_stderr, text);
        if (is_stderr) {
            rank.traceback.feed(text);
        }
        lines.feed(text);
        rank.quiet_since = monotonic_s();
        emit_lines(rank, lines, is_stderr, false);
        if (rank.printed) {
            emit_metrics(rank, rank.printed->feed(is_stderr, text));
        }
    }
}

void Supervisor::emit_lines(RankProcess& rank, LineBuffer& lines, bool is_stderr, bool all) {
    for (std::string chunk = lines.take(all); !chunk.empty(); chunk = lines.take(all)) {
        wire::Event event;
        event.set_rank(rank.spec.rank());
        event.mutable_log()->set_is_stderr(is_stderr);
        event.mutable_log()->set_text(std::move(chunk));
        spool_.add(std::move(event));
    }
}

void Supervisor::flush_partial_lines() {
    const double now = monotonic_s();
    for (auto& rank : ranks_) {
        if (now - rank.quiet_since >= kPartialLineWait) {
            emit_lines(rank, rank.out_lines, false, true);
            emit_lines(rank, rank.err_lines, true, true);
        }
    }
}

void Supervisor::read_metrics(RankProcess& rank) {
    std::array<char, 65536> bytes;
    for (int round = 0; rank.metrics && round < 16; ++round) {
        const auto got = ::read(rank.metrics.get(), bytes.data(), bytes.size());
        if (got <= 0) {
            return;
        }
        rank.metrics_lines.append(bytes.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (auto end = rank.metrics_lines.find('\n'); end != std::string::npos;
             end = rank.metrics_lines.find('\n', begin)) {
            take_metrics_line(rank, std::string_view(rank.metrics_lines).substr(begin, end - begin));
            begin = end + 1;
        }
        rank.metrics_lines.erase(0, begin);
        if (rank.metrics_lines.size() > protocol::kMaxMetricsLine) {
            rank.metrics_lines.clear();
            take_metrics_line(rank, "(line too long)");
        }
    }
}

void Supervisor::take_metrics_line(RankProcess& rank, std::string_view line) {
    if (line.empty()) {
        return;
    }
    std::string why;
    const auto parsed = protocol::parse_metrics_line(line, &why);
    if (!parsed) {
        if (++rank.bad_metrics == 1) {
            emit_stage(rank.spec.rank(), "note", kStageFailed,
                       "a line on the metrics pipe was not understood (" + why +
                           "): " + std::string(line.substr(0, 200)));
        }
        return;
    }
    if (!parsed->stage.empty()) {
        double done = 0;
        double total = 0;
        for (const auto& [key, value] : parsed->values) {
            done = key == "done" ? value : done;
            total = key == "total" ? value : total;
        }
        emit_stage(rank.spec.rank(), parsed->stage.c_str(), kStageProgress, parsed->detail,
                   total > 0 ? done / total : -1);
        return;
    }
    if (rank.printed) {
        rank.printed->given(*parsed);
    }
    if (event_files_) {
        event_files_->given(rank.spec.rank(), *parsed);
    }
    emit_metric(rank, *parsed);
}

void Supervisor::read_event_files(bool all) {
    if (!event_files_ || (!all && monotonic_s() < event_files_->due_s())) {
        return;
    }
    EventFiles::Processes processes;
    for (const auto& rank : ranks_) {
        processes[rank.spec.rank()] = rank.pid;
    }
    const auto news = event_files_->poll(processes, all);
    for (const auto& notice : news.notices) {
        emit_notice(-1, notice.code, notice.args);
    }
    for (const auto& [number, line] : news.metrics) {
        for (auto& rank : ranks_) {
            if (rank.spec.rank() == number) {
                if (rank.printed) {
                    rank.printed->given(line);
                }
                emit_metric(rank, line);
            }
        }
    }
}

void Supervisor::emit_metrics(RankProcess& rank, const std::vector<protocol::MetricsLine>& lines) {
    for (const auto& line : lines) {
        emit_metric(rank, line);
    }
}

void Supervisor::emit_metric(RankProcess& rank, const protocol::MetricsLine& line) {
    if (!rank.first_metric_seen && line.step) {
        rank.first_metric_seen = true;
        emit_stage(rank.spec.rank(), "first-step", kStageDone, "");
    }
    wire::Event event;
    event.set_rank(rank.spec.rank());
    auto* metric = event.mutable_metric();
    metric->set_step(line.step.value_or(-1));
    metric->set_epoch(line.epoch.value_or(-1));
    for (const auto& [key, value] : line.values) {
        metric->add_keys(key);
        metric->add_values(value);
    }
    for (const auto& [key, value] : line.texts) {
        metric->add_text_keys(key);
        metric->add_text_values(value);
    }
    spool_.add(std::move(event));
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
        stop_ = Stop{cause, by_user, now + (force ? 0 : run_.grace_s()), false, 0, 0};
        emit_stage(-1, "stop", kStageBegin, cause);
        if (by_user && !force && run_.checkpoint_signal() > 0) {
            stop_->checkpoint_until = now + run_.checkpoint_wait_s();
            emit_stage(-1, "checkpoint", kStageBegin, "");
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

bool Supervisor::busy() const {
    // A rank that is done at once must be there for the others' failure, which may come before the link.
    const bool expects_others =
        link_ && run_.max_restarts() > 0 && !stop_ && !link_->complete() && monotonic_s() < expected_until_;
    return any_running() || may_restart() || expects_others ||
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
    emit_stage(-1, "restart", kStageBegin, "");
    link_->ready(attempt_ + 1);
}

void Supervisor::begin_attempt() {
    if (!may_restart()) {
        return;  // stopped by a person in the meantime; the others hear of it
    }
    ++attempt_;
    emit_stage(-1, "restart", kStageDone,
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
        emit_notice(-1, "restart-impossible", {why});
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
    read_event_files(true);
    if (event_files_ && !stop_ && !failed_) {
        for (const auto& notice : event_files_->missing()) {
            emit_notice(-1, notice.code, notice.args);
        }
    }
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
