// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/wait_fd.h>
#include <remote/agent/container/container_init.h>
#include <remote/agent/container/container_socket.h>
#include <remote/agent/files/own_libc.h>
#include <remote/agent/node/folder_socket.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/node/signal_fd.h>
#include <remote/agent/ranks/python_environment.h>
#include <remote/agent/ranks/rank_process.h>

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <utility>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kKillWithin = 5;
constexpr double kStopWithin = 1;

// Docker gives a user whom the image does not know "/" as home; programs keep caches there.
void find_home(const RunDir& dir) {
    const char* home = std::getenv("HOME");
    if (home != nullptr && ::access(home, W_OK | X_OK) == 0) {
        return;
    }
    std::error_code ignored;
    fs::create_directories(dir.dir / "home", ignored);
    ::setenv("HOME", (dir.dir / "home").c_str(), 1);
}

class ContainerInit {
public:
    ContainerInit(RunDir dir, NodePaths paths, fs::path node_home)
        : dir_(std::move(dir)), paths_(std::move(paths)), node_home_(std::move(node_home)) {}

    int run() {
        std::ifstream file(dir_.spec(), std::ios::binary);
        if (!run_.ParseFromIstream(&file)) {
            std::fprintf(stderr, "rankscope-agent: %s is not there\n", dir_.spec().c_str());
            return 1;
        }
        UniqueFd fd = connect_in_folder(dir_.dir, ContainerSocket::kName, SOCK_SEQPACKET);
        if (!fd) {
            std::fprintf(stderr, "rankscope-agent: no supervisor listens in %s\n", dir_.dir.c_str());
            return 1;
        }
        socket_ = ContainerSocket(std::move(fd));
        prepare();
        loop();
        kill_descendants(::getpid(), kKillWithin);
        return 0;
    }

private:
    void prepare() {
        find_home(dir_);
        signals_ = take_signals({SIGCHLD, SIGTERM, SIGINT});
        wire::ContainerNews news;
        if (!run_.bundle().empty() && !run_.entry().empty()) {
            run_.set_entry(startable_entry(paths_.bundle(run_.bundle()), run_.entry()));
        }
        wire::OwnProgram own = run_.own();
        if (own.venv().starts_with("~/")) {
            own.set_venv((node_home_ / own.venv().substr(2)).string());
        }
        if (own.conda().starts_with("~/")) {
            own.set_conda((node_home_ / own.conda().substr(2)).string());
        }
        if (auto python = find_python_environment(own)) {
            python_ = std::move(*python);
            news.mutable_ready()->set_note(python_.note);
        } else {
            *news.mutable_ready()->mutable_failure() = to_wire(python.failure());
        }
        tell(news);
    }

    void tell(const wire::ContainerNews& news) {
        if (!socket_.send(news)) {
            socket_.close();
        }
    }

    void loop() {
        std::vector<UniqueFd> fds;
        wire::ContainerOrder order;
        while (!socket_.closed()) {
            std::vector<pollfd> polled{{signals_.get(), POLLIN, 0}, {socket_.fd(), POLLIN, 0}};
            wait_any(polled, std::numeric_limits<double>::infinity());
            while (socket_.receive(order, fds)) {
                take(order, fds);
            }
            signalfd_siginfo info{};
            while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
                // `podman stop` and its kin: the ranks are asked, as they would be without us.
                if (info.ssi_signo != SIGCHLD) {
                    signal_descendants(::getpid(), static_cast<int>(info.ssi_signo));
                }
            }
            // The supervisor finds a process by its number in this namespace: until then it must be there.
            if (!unseen_) {
                reap();
            }
        }
    }

    void take(const wire::ContainerOrder& order, const std::vector<UniqueFd>& fds) {
        if (order.has_seen()) {
            unseen_ = false;
        } else if (order.has_start() && fds.size() == 2) {
            start(order.start(), fds[0].get(), fds[1].get());
        } else if (order.has_signal() && order.signal().pid() > 0) {
            if (ranks_.count(order.signal().pid()) > 0) {
                ::kill(order.signal().pid(), order.signal().signal());
            }
        } else if (order.has_signal() && order.signal().signal() == SIGSTOP) {
            stop_descendants(::getpid(), kStopWithin);
        } else if (order.has_signal()) {
            signal_descendants(::getpid(), order.signal().signal());
        }
    }

    void start(const wire::ContainerStart& start, int out, int err) {
        RankProcess rank;
        rank.spec = start.spec();
        std::error_code ignored;
        if (rank.spec.workdir().empty()) {
            rank.spec.set_workdir(fs::current_path(ignored).string());  // that of the image
        } else if (!run_.has_own()) {
            fs::create_directories(rank.spec.workdir(), ignored);  // above the folders that are mounted
        }
        rank.ras_port = static_cast<std::uint16_t>(start.ras_port());
        rank.nccl_plugin = start.nccl_plugin();
        rank.nccl_folder = start.nccl_folder();
        wire::ContainerNews news;
        if (const auto pid = fork_rank(rank, run_, dir_, paths_, python_, out, err)) {
            ranks_.insert(*pid);
            unseen_ = true;
            news.mutable_started()->set_pid(*pid);
        } else {
            *news.mutable_started()->mutable_failure() = to_wire(pid.failure());
        }
        tell(news);
    }

    void reap() {
        int status = 0;
        for (;;) {
            const pid_t pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
            if (pid <= 0) {
                return;
            }
            if (ranks_.count(pid) == 0) {
                continue;
            }
            if (WIFEXITED(status) || WIFSIGNALED(status)) {
                ranks_.erase(pid);
            }
            wire::ContainerNews news;
            news.mutable_status()->set_pid(pid);
            news.mutable_status()->set_status(status);
            tell(news);
        }
    }

    RunDir dir_;
    NodePaths paths_;
    fs::path node_home_;
    wire::StartRun run_;
    PythonEnvironment python_;
    ContainerSocket socket_;
    UniqueFd signals_;
    std::set<pid_t> ranks_;
    bool unseen_ = false;  ///< the last one that was started
};

}  // namespace

int container_init(const RunDir& dir, const NodePaths& paths, const fs::path& node_home) {
    return ContainerInit(dir, paths, node_home).run();
}

}  // namespace rankscope::agent
