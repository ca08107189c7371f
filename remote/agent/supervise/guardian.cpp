// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/files.h>
#include <base/wait_fd.h>
#include <remote/agent/container/node_container.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/forget_secrets.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/spool/spool_summary.h>
#include <remote/agent/supervise/supervisor.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

namespace rankscope::agent {
namespace {

constexpr std::time_t kStarting = 30;

bool read_spec(const RunDir& dir, wire::StartRun& run) {
    std::ifstream file(dir.spec(), std::ios::binary);
    return run.ParseFromIstream(&file);
}

// Another number after each start of the machine.
std::string boot_id() {
    return read_file("/proc/sys/kernel/random/boot_id").value_or(std::string());
}

// The guardian leaves it in its lock.
bool rebooted_since(const RunDir& dir) {
    const auto then = read_file(dir.lock().string());
    return then && !then->empty() && *then != boot_id();
}

// When a supervisor has ended whose end is missing.
enum class Gone { JustNow, Before };

// Caller holds the lock, or is the guardian that took it.
void write_missing_end(const RunDir& dir, int left, Gone gone, bool was_stopped = false) {
    wire::StartRun run;
    if (!read_spec(dir, run)) {
        return;
    }
    if (summarize_spool(dir.spool()).end) {
        return forget_secrets(dir);
    }
    std::map<int, bool> exited;
    for (const auto& rank : run.ranks()) {
        exited[rank.rank()] = false;
    }
    bool ended = false;
    std::int64_t last_us = 0;
    SpoolReader reader(dir.spool());
    wire::Event event;
    while (reader.is_open() && reader.next_kept(event)) {
        ended = ended || event.has_end();
        last_us = event.t_us();
        if (event.has_exit()) {
            exited[event.rank()] = true;
        }
        if (event.has_stage() && event.stage().name() == wire::STAGE_RESTART &&
            event.stage().status() == wire::STATUS_DONE) {
            for (auto& [rank, has_exited] : exited) {
                has_exited = false;
            }
        }
    }
    if (ended) {
        forget_secrets(dir);
        return;
    }
    auto opened = SpoolWriter::open(dir.spool());
    if (!opened) {
        return;
    }
    SpoolWriter& spool = *opened;
    // Who finds it days later knows no more than its last sign of life. 0: now.
    const std::int64_t ended_us = gone == Gone::Before ? last_us : 0;
    for (const auto& [rank, has_exited] : exited) {
        if (!has_exited) {
            wire::Event exit;
            exit.set_t_us(ended_us);
            exit.set_rank(rank);
            exit.mutable_exit()->set_code(-1);
            exit.mutable_exit()->set_signal(SIGKILL);
            exit.mutable_exit()->set_requested(true);
            exit.mutable_exit()->set_stop_cause("the node's supervisor was killed");
            spool.add(std::move(exit));
        }
    }
    wire::Event end;
    end.set_t_us(ended_us);
    end.set_rank(-1);
    end.mutable_end()->set_outcome(wire::OUTCOME_LOST);
    end.mutable_end()->set_detail(
        was_stopped ? "the supervisor of this node was stopped by a signal; its ranks were ended"
                    : "the supervisor of this node was killed; its ranks were ended with it");
    end.mutable_end()->mutable_cause()->set_kind(was_stopped ? wire::CAUSE_SUPERVISOR_STOPPED
                                                             : wire::CAUSE_SUPERVISOR_KILLED);
    if (rebooted_since(dir)) {
        end.mutable_end()->set_detail("it was rebooted during the run");
        end.mutable_end()->mutable_cause()->set_kind(wire::CAUSE_NODE_REBOOTED);
    }
    end.mutable_end()->set_left_processes(left);
    spool.add(std::move(end));
    spool.flush();
    spool.close();
    forget_secrets(dir);
}

// Others hold it for a moment, to see whether a supervisor does.
bool take_lock(const UniqueFd& lock) {
    for (int round = 0; round < 100; ++round) {
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
            return true;
        }
        sleep_s(0.01);
    }
    return false;
}

// A stopped supervisor watches nothing and answers no request: after peer_timeout_s the other nodes presume this one
// lost. Then it is killed, so that its ranks do not run on alone.
int wait_for(pid_t supervisor, const RunDir& dir, bool& was_stopped) {
    double stopped_since = 0;
    for (;;) {
        int status = 0;
        const pid_t pid =
            ::waitpid(supervisor, &status, WUNTRACED | WCONTINUED | (stopped_since > 0 ? WNOHANG : 0));
        if (pid < 0 && errno != EINTR) {
            return status;
        }
        if (pid == supervisor && WIFSTOPPED(status)) {
            stopped_since = monotonic_s();
        } else if (pid == supervisor && WIFCONTINUED(status)) {
            stopped_since = 0;
        } else if (pid == supervisor) {
            return status;
        }
        if (stopped_since <= 0) {
            continue;
        }
        sleep_s(0.1);
        wire::StartRun run;
        if (!was_stopped && read_spec(dir, run) && run.peer_timeout_s() > 0 &&
            monotonic_s() - stopped_since > run.peer_timeout_s()) {
            was_stopped = true;
            ::kill(supervisor, SIGKILL);
        }
    }
}

}  // namespace

bool supervisor_is_alive(const RunDir& dir) {
    const UniqueFd lock(::open(dir.lock().c_str(), O_RDWR | O_CLOEXEC));
    if (!lock) {
        // `serve` makes the folder, the supervisor a moment later the lock: a run that is just being started
        // is alive.
        struct stat info {};
        return errno == ENOENT && ::stat(dir.dir.c_str(), &info) == 0 &&
               std::time(nullptr) - info.st_mtime < kStarting;
    }
    return ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

bool close_abandoned_spool(const RunDir& dir) {
    const UniqueFd lock(::open(dir.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return false;
    }
    // Supervisor and guardian both gone (the node was rebooted, or both were killed): ranks died by their
    // parent-death signal, but what they had started may live on.
    wire::StartRun run;
    int left = 0;
    if (read_spec(dir, run)) {
        for (const pid_t pid : processes_with_environment("RANKSCOPE_RUN_ID=" + run.run_id())) {
            ::kill(pid, SIGKILL);
            ++left;
        }
    }
    remove_ring_folder(dir);
    write_missing_end(dir, 0, Gone::Before);
    return true;
}

int run_guarded_supervisor(const RunDir& dir, const NodePaths& paths, int ready_fd) {
    const UniqueFd lock(
        ::open(dir.lock().c_str(), O_RDWR | O_CREAT, 0600));  // inherited: held by both processes
    if (!lock || !take_lock(lock)) {
        return 1;
    }
    const std::string boot = boot_id();
    [[maybe_unused]] const auto noted = ::pwrite(lock.get(), boot.data(), boot.size(), 0);
    ::fcntl(lock.get(), F_SETFD, 0);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t guardian = ::getpid();
    const pid_t supervisor = ::fork();
    if (supervisor == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (::getppid() != guardian) {
            ::_exit(1);
        }
        ::fcntl(lock.get(), F_SETFD, FD_CLOEXEC);
        ::_exit(run_supervisor(dir, paths, ready_fd));
    }
    ::close(ready_fd);
    sigset_t pending;
    if (::sigpending(&pending) == 0 && sigismember(&pending, SIGURG) == 1) {
        ::kill(supervisor, SIGURG);  // a stop that came before the fork: a child does not inherit it
    }
    std::ofstream(dir.supervisor_pid()) << supervisor;
    for (const int signal : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) {
        ::signal(signal, SIG_IGN);  // stops go through the supervisor
    }
    bool was_stopped = false;
    const int status = wait_for(supervisor, dir, was_stopped);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    const int left = kill_descendants(guardian, 5);
    if (wire::StartRun run; read_spec(dir, run)) {
        remove_container(run);
    }
    remove_ring_folder(dir);
    write_missing_end(dir, left, Gone::JustNow, was_stopped);
    return 1;
}

}  // namespace rankscope::agent
