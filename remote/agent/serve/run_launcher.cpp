// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/container/node_container.h>
#include <remote/agent/node/users_umask.h>
#include <remote/agent/serve/run_launcher.h>
#include <remote/wire/frame_codec.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>

namespace rankscope::agent {
namespace {

constexpr double kStartTimeout = 20;
constexpr int kMaxRanks = 4096;  // of one node

// Twice forked: the supervisor belongs to init (or the nearest subreaper), not to the SSH session.
bool spawn_detached(const RunDir& dir, int ready_fd) {
    const std::string log = dir.supervisor_log().string();
    const std::string ready = std::to_string(ready_fd);
    const std::string folder = dir.dir.string();
    const pid_t child = ::fork();
    if (child == 0) {
        ::setsid();
        if (::fork() != 0) {
            ::_exit(0);
        }
        const int null = ::open("/dev/null", O_RDWR);
        const int err = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(null, STDIN_FILENO);
        ::dup2(null, STDOUT_FILENO);
        ::dup2(err >= 0 ? err : null, STDERR_FILENO);
        ::fcntl(ready_fd, F_SETFD, 0);
        ::umask(users_umask());  // the supervisor gives it to the ranks
        ::execl("/proc/self/exe", "rankscope-agent", "supervise", folder.c_str(), ready.c_str(), nullptr);
        ::_exit(127);
    }
    int status = 0;
    return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

bool read_reply(int fd, double seconds, wire::Reply& reply) {
    FrameReader frames;
    const double deadline = monotonic_s() + seconds;
    for (;;) {
        if (const auto payload = frames.next()) {
            return reply.ParseFromArray(payload->data(), static_cast<int>(payload->size()));
        }
        if (!wait_readable(fd, deadline)) {
            return false;
        }
        std::array<char, 4096> bytes;
        const auto got = ::read(fd, bytes.data(), bytes.size());
        if (got <= 0) {
            return false;
        }
        frames.feed({bytes.data(), static_cast<std::size_t>(got)});
    }
}

}  // namespace

AgentResult<wire::Started> launch_run(const wire::StartRun& run, const NodePaths& paths) {
    if (!is_safe_name(run.run_id()) || (!run.bundle().empty() && !is_safe_name(run.bundle()))) {
        return AgentFailure{"bad-request", "unsafe run id or bundle name"};
    }
    if (run.master_port() > std::numeric_limits<std::uint16_t>::max() || run.ranks_size() > kMaxRanks ||
        !std::isfinite(run.grace_s()) || !std::isfinite(run.telemetry_s())) {
        return AgentFailure{"bad-request", "a port, a time or a number of ranks out of range"};
    }
    const RunDir dir{paths.run(run.run_id())};
    std::error_code error;
    std::filesystem::create_directories(paths.runs(), error);
    if (!error && ::mkdir(dir.dir.c_str(), 0700) != 0) {
        error.assign(errno, std::generic_category());
    }
    if (error) {
        if (error.value() == EEXIST) {
            return AgentFailure{"run-exists", dir.dir.string()};
        }
        return failure_from_errno(error.value(), dir.dir.string());
    }
    std::ofstream spec(dir.spec(), std::ios::binary);
    ::chmod(dir.spec().c_str(), 0600);  // it holds the token
    if (!run.SerializeToOstream(&spec) || !spec.flush()) {
        const int why = errno;
        spec.close();
        std::filesystem::remove_all(dir.dir, error);
        return failure_from_errno(why, dir.dir.string());
    }
    spec.close();
    Pipe ready = make_pipe();
    const bool spawned = spawn_detached(dir, ready.write_end.get());
    ready.write_end.reset();
    wire::Reply reply;
    const double patience = kStartTimeout + (run.has_container() ? NodeContainer::kStartWithin : 0);
    if (!spawned || !read_reply(ready.read_end.get(), patience, reply)) {
        std::ifstream log(dir.supervisor_log());
        std::string line;
        std::getline(log, line);
        return AgentFailure{"supervisor-died", line};
    }
    if (reply.has_failure()) {
        std::filesystem::remove_all(dir.dir, error);
        return from_wire(reply.failure());
    }
    return std::move(*reply.mutable_started());
}

}  // namespace rankscope::agent
