// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/supervise/supervisor_impl.h>

#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace rankscope::agent {
namespace {

constexpr double kStopWithin = 1;      // a process in uninterruptible sleep stops later, by itself
constexpr double kKillsContainer = 3;  // after SIGKILL

}  // namespace

void Supervisor::pause(bool resume) {
    if (stop_ || paused_ != resume) {
        return;
    }
    paused_ = !resume;
    if (resume || container_) {
        signal_all(resume ? SIGCONT : SIGSTOP);
    } else {
        stop_descendants(::getpid(), kStopWithin);
    }
    add_stage(spool_, -1, resume ? StageName::Continue : StageName::Pause, StageStatus::Done, "");
}

void Supervisor::begin_stop(const std::string& cause, StopFrom from, bool force) {
    const double now = monotonic_s();
    const bool by_user = from != StopFrom::Failure;
    if (!stop_) {
        stop_ = Stop{cause, by_user, now + (force ? 0 : run_.grace_s()), false, 0, 0, now, from};
        note_recorded_failures();
        add_stage(spool_, -1, StageName::Stop, StageStatus::Begin, cause);
        if (by_user && !force && run_.checkpoint_signal() > 0) {
            stop_->checkpoint_until = now + run_.checkpoint_wait_s();
            add_stage(spool_, -1, StageName::Checkpoint, StageStatus::Begin, "");
            for (const auto& rank : ranks_) {
                if (rank.running()) {
                    signal_rank(rank, run_.checkpoint_signal());
                    signal_rank(rank, SIGCONT);
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

// Before any signal, and by no clock: the time of a file is coarse, and on a network file system another machine's.
void Supervisor::note_recorded_failures() {
    for (auto& rank : ranks_) {
        std::error_code ignored;
        rank.recorded_before_stop =
            rank.running() && std::filesystem::exists(error_file_of(dir_, rank.spec.rank()), ignored);
    }
}

// The processes of a runtime are among our descendants, too: they are left to themselves.
void Supervisor::signal_all(int signal) {
    if (container_) {
        container_->signal_all(signal);
    } else {
        signal_descendants(::getpid(), signal);
    }
}

void Supervisor::signal_rank(const RankProcess& rank, int signal) {
    if (container_) {
        container_->signal_rank(rank.pid, signal);
    } else {
        ::kill(rank.pid, signal);
    }
}

void Supervisor::terminate() {
    signal_all(SIGTERM);
    signal_all(SIGCONT);  // a stopped process cannot act on SIGTERM
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
    signal_all(SIGKILL);
    if (container_ && stop_->killed && now > stop_->deadline + kKillsContainer) {
        container_->close(0);  // it is paused, or its first process is stopped
    }
    stop_->killed = true;
    stop_->kill_again = now + 0.05;
}

}  // namespace rankscope::agent
