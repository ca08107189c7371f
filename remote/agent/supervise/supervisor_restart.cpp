// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/spool/run_events.h>
#include <remote/agent/supervise/supervisor_impl.h>

#include <unistd.h>

#include <csignal>

namespace rankscope::agent {
namespace {

constexpr double kOthersReady = 30;  // beyond their grace
constexpr double kLateLink = 2.5;    // after a stop, for the nodes that were never linked: a desk waits 3 s

bool is_restartable(wire::CauseKind kind) {
    return kind == wire::CAUSE_RANK_ENDED || kind == wire::CAUSE_RANK_STOPPED;
}

}  // namespace

bool Supervisor::may_restart() const {
    return stop_ && !stop_->by_user && attempt_ < run_.max_restarts() && !cannot_start_ &&
           !restart_refused_ &&
           (is_restartable(cause_.kind()) || (cause_.kind() == wire::CAUSE_NONE && link_)) &&
           (run_.peers_size() < 2 || link_);
}

// Ranks may end before the nodes are linked. A node that fails so early stays until it has notified the others,
// which would wait alone; and where all start again, a node that is done stays for a failure of the others.
bool Supervisor::expects_others() const {
    const double now = monotonic_s();
    if (!link_ || link_->complete() || now >= expected_until_) {
        return false;
    }
    // A desk that leaves may have reported a failure to this node only: the others hear of it through the links
    // that they are about to make, above all to the hub.
    return stop_ ? (cause_.kind() != wire::CAUSE_NONE || !stop_->by_user) && now < stop_->begun + kLateLink
                 : run_.max_restarts() > 0;
}

bool Supervisor::busy() const {
    return any_running() || may_restart() || expects_others() ||
           (link_ && (stop_ ? link_->unsettled() : link_->needed()));
}

// When the last rank is down here, the others are notified; when the last node has reported that, all start
// again.
void Supervisor::drive_restart() {
    if (any_running()) {
        return;
    }
    if (!stop_) {
        if (link_ && run_.max_restarts() > 0 && !finished_reported_) {
            finished_reported_ = true;
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
    if (container_) {
        signal_all(SIGKILL);  // what the ranks have started; the container stays
    } else {
        kill_descendants(::getpid(), 5);
    }
    if (!link_) {
        return begin_attempt();
    }
    restart_until_ = monotonic_s() + run_.grace_s() + kOthersReady;
    add_stage(spool_, -1, StageName::Restart, StageStatus::Begin, "");
    link_->ready(attempt_ + 1);
}

void Supervisor::begin_attempt() {
    if (!may_restart()) {
        return;  // stopped by a user in the meantime; the others learn of it
    }
    ++attempt_;
    add_stage(spool_, -1, StageName::Restart, StageStatus::Done,
              std::to_string(attempt_) + '/' + std::to_string(run_.max_restarts()));
    stop_.reset();
    cause_.Clear();
    failed_ = false;
    paused_ = false;
    finished_reported_ = false;
    restart_until_.reset();
    start_all();
}

void Supervisor::give_up_restart(const std::string& why) {
    if (may_restart()) {
        restart_refused_ = true;
        add_notice(spool_, -1, "restart-impossible", {why});
    }
}

}  // namespace rankscope::agent
