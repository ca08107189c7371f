// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/paths.h>
#include <base/wait_fd.h>
#include <remote/agent/link/cause.h>
#include <remote/agent/node/node_settings.h>
#include <remote/agent/probes/ports.h>
#include <remote/agent/ranks/error_file.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/supervise/supervisor_impl.h>

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace rankscope::agent {
namespace {

constexpr double kStoppedReported = 3;    // a rank stopped from outside for so long is worth a notice
constexpr double kStoppedLongEnough = 1;  // a rank that is stopped for less delays no other rank
constexpr double kOwnSigterm = 0.5;       // between a rank's SIGTERM and ours, where all get one

constexpr double kSettingsPatience = 0.2;  // for the user's file of NCCL, which may lie on a dead server

// The same file for all ranks, as jobs set it for all.
std::string user_file_of(const wire::StartRun& run) {
    for (const auto& rank : run.ranks()) {
        if (const auto named = rank.env().find("NCCL_CONF_FILE"); named != rank.env().end()) {
            return named->second;
        }
    }
    return nccl_user_file();
}

}  // namespace

void Supervisor::report_settings() {
    wire::Event event;
    event.set_rank(-1);
    read_node_settings(user_file_of(run_), kSettingsPatience, {}, *event.mutable_settings());
    if (event.settings().settings_size() > 0) {
        spool_.add(std::move(event));
    }
}

void Supervisor::start_all() {
    reader_.begin_attempt(run_, attempt_ == 0);
    if (attempt_ == 0) {
        report_settings();
    }
    inner_.begin_attempt(run_, dir_, attempt_);
    ranks_.clear();
    ranks_.resize(static_cast<std::size_t>(run_.ranks_size()));
    const std::uint16_t ras_port = run_.nccl().ras() ? pick_free_port() : 0;
    for (int i = 0; i < run_.ranks_size(); ++i) {
        ranks_[static_cast<std::size_t>(i)].spec = run_.ranks(i);
        ranks_[static_cast<std::size_t>(i)].ras_port = ras_port;
        if (attempt_ > 0) {
            (*ranks_[static_cast<std::size_t>(i)].spec.mutable_env())["TORCHELASTIC_RESTART_COUNT"] =
                std::to_string(attempt_);
        }
    }
    if (const auto& note = container_ ? container_->note() : python_.note; !note.empty()) {
        add_stage(spool_, -1, StageName::Note, StageStatus::Done, note);
    }
    const StartProgram start_program = [this](const RankProcess& rank, int out, int err) {
        return container_ ? container_->start_rank(rank, out, err)
                          : fork_rank(rank, run_, dir_, paths_, python_, out, err);
    };
    for (auto& rank : ranks_) {
        reader_.begin(rank, run_);
        nccl_.begin(rank);
        inner_.begin(rank);
        const auto started = start_rank(rank, dir_, start_program);
        if (started) {
            oom_.watch_cgroup_of(rank.pid);
            add_stage(spool_, rank.spec.rank(), StageName::Start, StageStatus::Done,
                      "pid " + std::to_string(rank.pid));
            continue;
        }
        wire::Event event;
        event.set_rank(rank.spec.rank());
        event.mutable_exit()->set_code(127);
        event.mutable_exit()->set_reason(started.failure().detail);
        if (started.failure().code == "workdir-missing") {
            add_notice(spool_, rank.spec.rank(), "workdir-missing", {});
        }
        event.mutable_exit()->set_pid(rank.pid);
        event.mutable_exit()->set_attempt(attempt_);
        spool_.add(std::move(event));
        rank.exited = true;
        failed_ = true;
        cannot_start_ = true;
        wire::Cause cause;
        cause.set_kind(wire::CAUSE_RANK_ENDED);
        cause.set_rank(rank.spec.rank());
        cause.mutable_exit()->set_code(127);
        cause.mutable_exit()->set_reason(started.failure().detail);
        notify_peers(cause);
        begin_stop("rank " + std::to_string(rank.spec.rank()) + " could not be started", StopFrom::Failure,
                   false);
        break;
    }
    spool_.flush();
    if (link_port_ != 0) {
        link_->start();
    }
}

void Supervisor::reap() {
    int status = 0;
    for (;;) {
        const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
        if (pid <= 0) {
            return;
        }
        rank_changed(pid, status);
    }
}

void Supervisor::rank_changed(pid_t pid, int status) {
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

void Supervisor::watch_container() {
    if (!container_ || container_->is_gone()) {
        return;
    }
    const auto changes = container_->take();
    if (container_->is_gone() && any_running() && !stop_) {
        const auto& container = run_.container();
        add_notice(
            spool_, -1, "container-ended",
            {container.image().empty() ? container.name() : container.image(), container_->last_words()});
    }
    for (const auto& change : changes) {
        rank_changed(change.pid, change.status);
    }
}

// srun ends whole steps by SIGTERM, a node that shuts down everything: a rank may be gone before ours has
// come, and did not end on its own then.
void Supervisor::await_own_sigterm() {
    const double until = monotonic_s() + kOwnSigterm;
    while (!stop_ && wait_readable(signals_.get(), until)) {
        signalfd_siginfo info{};
        while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
            if (info.ssi_signo != SIGCHLD) {
                signalled(static_cast<int>(info.ssi_signo));
            }
        }
    }
}

void Supervisor::report_rank_state(const RankProcess& rank, bool stopped) {
    if (!link_) {
        return;
    }
    wire::PeerRankState state;
    state.set_rank(rank.spec.rank());
    state.set_node(run_.peers(static_cast<int>(run_.peer_index())));
    state.set_stopped(stopped);
    state.set_signal(rank.stop_signal);
    link_->post(state);
}

void Supervisor::rank_stopped(RankProcess& rank, int signal) {
    if (!paused_ && !stop_) {
        rank.stopped_since = monotonic_s();
        rank.stop_signal = signal;
        report_rank_state(rank, true);
    }
}

void Supervisor::rank_continued(RankProcess& rank) {
    if (rank.stopped_since > 0) {
        report_rank_state(rank, false);
    }
    rank.stopped_since = 0;
    if (rank.stop_reported) {
        rank.stop_reported = false;
        add_notice(spool_, rank.number(), "rank-continued", {std::to_string(rank.pid)});
    }
}

// A stopped rank looks like a hang everywhere else: its peers wait in a collective. It is left alone unless
// there is a limit.
void Supervisor::watch_stopped_ranks() {
    const double now = monotonic_s();
    for (auto& rank : ranks_) {
        if (!rank.running() || rank.stopped_since <= 0 || stop_) {
            continue;
        }
        const double since = now - rank.stopped_since;
        if (!rank.stop_reported && since >= kStoppedReported) {
            rank.stop_reported = true;
            add_notice(spool_, rank.number(), "rank-stopped",
                       {std::to_string(rank.pid), std::to_string(rank.stop_signal)});
        }
        if (run_.stopped_limit_s() > 0 && since >= run_.stopped_limit_s()) {
            failed_ = true;
            wire::PeerRankState state;
            state.set_rank(rank.spec.rank());
            state.set_signal(rank.stop_signal);
            notify_peers(rank_stopped_cause(state, since));
            begin_stop(describe(cause_), StopFrom::Failure, false);
        }
    }
}

// A rank that ended because others did not answer is a victim: where a rank of this node is stopped, that one is
// the cause. What other nodes know is added by the link.
wire::Cause Supervisor::cause_of(const RankProcess& ended, const wire::Exit& exit) const {
    wire::Cause cause;
    cause.set_kind(wire::CAUSE_RANK_ENDED);
    cause.set_rank(ended.number());
    *cause.mutable_exit() = exit;
    if (!exit.lost_peer()) {
        return cause;
    }
    for (const auto& rank : ranks_) {
        const double since = monotonic_s() - rank.stopped_since;
        if (&rank != &ended && rank.running() && rank.stopped_since > 0 && since >= kStoppedLongEnough) {
            wire::PeerRankState state;
            state.set_rank(rank.spec.rank());
            state.set_signal(rank.stop_signal);
            return rank_stopped_cause(state, since);
        }
    }
    return cause;
}

void Supervisor::add_evidence(RankProcess& rank, const ErrorFile& said, wire::Exit& exit) {
    exit.set_reason(said.reason());
    exit.set_failed_us(said.failed_us);
    if (said.missing_rank >= 0) {
        exit.set_missing_rank(said.missing_rank);
    }
    for (const auto& line : rank.traceback.lines()) {
        exit.add_traceback(line);
    }
    for (const auto& line : rank.last_lines.lines()) {
        exit.add_last_lines(line);
    }
    exit.set_lost_peer(lost_its_peers(exit));
    if (const auto crash = rank.crash.dump(); crash.fits(exit.signal())) {
        if (exit.reason().empty()) {
            exit.set_reason(crash.reason());
        }
        exit.clear_traceback();
        for (const auto& line : crash.lines()) {
            exit.add_traceback(line);
        }
    }
    // The kernel may have killed one of its processes: a data loader, an inner rank. A rank that only lost its peers
    // leaves what was counted to the one that it lost.
    if (!exit.requested() && (exit.signal() == SIGKILL || (exit.signal() == 0 && !exit.lost_peer()))) {
        std::string said = exit.reason();
        for (const auto& line : rank.last_lines.lines()) {
            said += '\n' + line;
        }
        exit.set_oom(oom_.evidence(rank.pid, said));
    }
    if (exit.core_dumped()) {
        const std::string program = rank.spec.argv_size() > 0 ? rank.spec.argv(0) : std::string();
        const std::string workdir =
            rank.spec.workdir().empty() ? home_dir().string() : expand_home(rank.spec.workdir()).string();
        exit.set_core_file(find_core({rank.pid, exit.signal(), ::getuid(),
                                      std::filesystem::path(program).filename().string(), workdir}));
    }
}

// The sockets of a process close before it can be waited for: its peers may fail, and their stop may arrive here, before
// its own exit is seen. SIGKILL is ours only once we have sent it; a failure that the rank recorded, or an exception that
// Python ended with (status 1), is the rank's own when it came before the stop.
bool Supervisor::ended_by_our_stop(const RankProcess& rank, const ErrorFile& said,
                                   const wire::Exit& exit) const {
    if (!stop_ || (exit.signal() == SIGKILL && !stop_->killed && !stop_->by_user)) {
        return false;
    }
    const bool recorded = said.failed_us > 0 && rank.recorded_before_stop;
    const bool raised = exit.code() == 1 && !stop_->by_user && !rank.traceback.lines().empty() &&
                        rank.traceback_at < stop_->begun;
    return !recorded && !raised;
}

void Supervisor::rank_ended(RankProcess& rank, int status) {
    reader_.finish(rank, status == 0);
    nccl_.finish(rank);
    rank.exited = true;
    rank.logs.copy_error_file(error_file_of(dir_, rank.spec.rank()));
    wire::Event event;
    auto* exit = event.mutable_exit();
    const auto inner_cause = inner_.finish(rank, *exit);
    event.set_rank(rank.number());
    exit->set_code(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    exit->set_signal(WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    exit->set_core_dumped(WIFSIGNALED(status) && WCOREDUMP(status));
    const bool failed = exit->code() != 0;
    const ErrorFile said = failed ? read_error_file(error_file_of(dir_, rank.spec.rank())) : ErrorFile();
    exit->set_requested(ended_by_our_stop(rank, said, *exit));
    exit->set_pid(rank.pid);
    exit->set_attempt(attempt_);
    if (failed) {
        add_evidence(rank, said, *exit);
    }
    if (exit->requested()) {
        exit->set_stop_cause(stop_->cause);
        exit->set_by_user(stop_->first == StopFrom::User);
    }
    const wire::Exit ended = *exit;
    spool_.add(std::move(event));
    if (failed && !stop_) {
        failed_ = true;
        notify_peers(inner_cause ? *inner_cause : cause_of(rank, ended));
        spool_.flush();  // the desk notifies the other nodes: no moment to lose
        begin_stop("rank " + std::to_string(rank.spec.rank()) + " ended", StopFrom::Failure, false);
    }
}

}  // namespace rankscope::agent
