// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/paths.h>
#include <base/text.h>
#include <base/wait_fd.h>
#include <remote/agent/container/container_command.h>
#include <remote/agent/container/container_failure.h>
#include <remote/agent/container/node_container.h>
#include <remote/agent/node/ask_program.h>
#include <remote/agent/node/folder_socket.h>
#include <remote/agent/node/process_tree.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

namespace rankscope::agent {
namespace {

namespace fs = std::filesystem;

constexpr double kLook = 0.02;         // between two looks at a runtime that starts
constexpr double kAnswersWithin = 30;  // of the first process, to an order
constexpr double kRemoval = 10;
constexpr std::size_t kKeptWords = 4096;

fs::path own_program() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/exe", ignored);
}

// A rank that was ended because its container was.
constexpr int kKilledStatus = SIGKILL;

std::optional<ucred> peer_of(int fd) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        return std::nullopt;
    }
    return peer;
}

}  // namespace

std::string container_name(const wire::StartRun& run) {
    return "rankscope-" + run.run_id() + '-' + std::to_string(run.peer_index());
}

pid_t innermost_pid(const std::string& status) {
    std::istringstream lines(status);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("NSpid:")) {
            continue;
        }
        const auto last = line.find_last_of(" \t");
        return last == std::string::npos ? 0 : parse_number<pid_t>(line.substr(last + 1)).value_or(0);
    }
    return 0;
}

NodeContainer::NodeContainer(wire::Container container, std::string name, ChildProcess client, bool native)
    : container_(std::move(container)), name_(std::move(name)), native_(native), client_(std::move(client)) {}

NodeContainer::~NodeContainer() {
    close(kRemoval);
}

AgentResult<std::unique_ptr<NodeContainer>> NodeContainer::start(const wire::StartRun& run, const RunDir& dir,
                                                                 const NodePaths& paths) {
    auto listener = listen_in_folder(dir.dir, ContainerSocket::kName, SOCK_SEQPACKET);
    if (!listener) {
        return listener.failure();
    }
    const auto container = with_runtime(run.container());
    const fs::path program = own_program();
    const std::string name = container_name(run);
    std::vector<fs::path> folders{paths.root(), dir.dir, program.parent_path()};
    if (!run.has_own()) {
        folders.push_back(user_cache_dir());  // data sets
        std::error_code ignored;
        fs::create_directories(folders.back(), ignored);
    }
    auto place = container_place(container, name, folders);
    place.pull = run.has_slurm();  // the desk has not pulled it there
    const auto command = container_command(
        container, place,
        {program.string(), "container-init", dir.dir.string(), paths.root().string(), home_dir().string()});
    auto client = ChildProcess::start(
        command, {.error = ChildProcess::Stream::Pipe, .own_session = true, .environment = {}});
    if (!client) {
        return no_container_runtime(container, errno);
    }
    std::unique_ptr<NodeContainer> started(
        new NodeContainer(container, name, std::move(*client), !run.has_own()));
    if (auto ready = started->await_ready(*listener); !ready) {
        return ready.failure();
    }
    return started;
}

AgentFailure NodeContainer::start_failure() {
    read_client();
    return container_failure(container_, said_);
}

AgentResult<void> NodeContainer::await_ready(const UniqueFd& listener) {
    const double deadline = monotonic_s() + kStartWithin;
    wire::ContainerNews news;
    std::vector<UniqueFd> fds;
    while (monotonic_s() < deadline) {
        const bool ended = client_.has_ended();
        read_client();
        if (!socket_) {
            if (wait_readable(listener.get(), monotonic_s() + (ended ? 0 : kLook))) {
                UniqueFd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
                const auto peer = fd ? peer_of(fd.get()) : std::nullopt;
                if (peer && (peer->uid == ::getuid() || peer->uid == 0)) {
                    init_ = peer->pid;
                    socket_ = ContainerSocket(std::move(fd));
                }
                continue;
            }
        } else if (socket_.receive(news, fds)) {
            if (!news.has_ready()) {
                continue;
            }
            note_ = news.ready().note();
            return news.ready().has_failure() ? AgentResult<void>(from_wire(news.ready().failure()))
                                              : AgentResult<void>();
        } else {
            wait_readable(socket_.fd(), monotonic_s() + kLook);
        }
        if (ended || socket_.closed()) {
            return start_failure();
        }
    }
    return start_failure();
}

pid_t NodeContainer::node_pid(pid_t inside) const {
    const auto status_of = [](pid_t pid) {
        return read_file("/proc/" + std::to_string(pid) + "/status").value_or(std::string());
    };
    if (innermost_pid(status_of(init_)) == init_) {
        return inside;  // the node's own namespace
    }
    for (const pid_t pid : all_processes()) {  // also one that has ended
        if (parent_of(pid) == init_ && innermost_pid(status_of(pid)) == inside) {
            return pid;
        }
    }
    return 0;
}

AgentResult<pid_t> NodeContainer::start_rank(const RankProcess& rank, int out, int err) {
    wire::ContainerOrder order;
    auto* start = order.mutable_start();
    *start->mutable_spec() = rank.spec;
    if (native_) {  // as on the node: what it writes in its home folder, and the data sets of the cache
        start->mutable_spec()->set_workdir(
            rank.spec.workdir().empty() ? home_dir().string() : expand_home(rank.spec.workdir()).string());
        start->mutable_spec()->mutable_default_env()->insert(
            {"XDG_CACHE_HOME", user_cache_dir().parent_path().string()});
    } else if (!rank.spec.workdir().empty()) {
        start->mutable_spec()->set_workdir(expand_home(rank.spec.workdir()).string());
    }
    start->set_ras_port(rank.ras_port);
    start->set_nccl_plugin(rank.nccl_plugin.string());
    start->set_nccl_folder(rank.nccl_folder.string());
    if (auto sent = socket_.send(order, {out, err}); !sent) {
        return sent.failure();
    }
    wire::ContainerNews news;
    std::vector<UniqueFd> fds;
    const double deadline = monotonic_s() + kAnswersWithin;
    while (!socket_.closed() && monotonic_s() < deadline) {
        if (!socket_.receive(news, fds)) {
            wait_readable(socket_.fd(), deadline);
            continue;
        }
        if (news.has_status()) {
            changes_.push_back({news.status().pid(), news.status().status()});
        } else if (news.has_started() && news.started().has_failure()) {
            return from_wire(news.started().failure());
        } else if (news.has_started()) {
            const pid_t pid = node_pid(news.started().pid());
            order.mutable_seen();
            if (auto sent = socket_.send(order); !sent) {
                return sent.failure();
            }
            if (pid <= 0) {
                return AgentFailure{.code = "cannot-start",
                                    .detail = "its process in the container cannot be seen from the node"};
            }
            ranks_[pid] = {news.started().pid(), false};
            return pid;
        }
    }
    return start_failure();
}

void NodeContainer::signal_all(int signal) {
    if (signal == SIGKILL) {
        for (const auto& [pid, rank] : ranks_) {
            if (!rank.ended) {
                ::kill(pid, SIGKILL);  // should its first process be stopped
            }
        }
    }
    wire::ContainerOrder order;
    order.mutable_signal()->set_signal(signal);
    static_cast<void>(socket_.send(order));  // gone: take() says so
}

void NodeContainer::signal_rank(pid_t pid, int signal) {
    const auto rank = ranks_.find(pid);
    if (rank == ranks_.end()) {
        return;
    }
    wire::ContainerOrder order;
    order.mutable_signal()->set_pid(rank->second.inside);
    order.mutable_signal()->set_signal(signal);
    static_cast<void>(socket_.send(order));
}

void NodeContainer::add_to(std::vector<pollfd>& fds) const {
    if (!gone_ && socket_) {
        fds.push_back({socket_.fd(), POLLIN, 0});
    }
}

void NodeContainer::read_client() {
    std::array<char, 4096> bytes;
    for (;;) {
        const auto got = ::read(client_.error().get(), bytes.data(), bytes.size());
        if (got <= 0) {
            break;
        }
        said_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    if (said_.size() > kKeptWords) {
        said_.erase(0, said_.size() - kKeptWords);
    }
}

std::vector<NodeContainer::Change> NodeContainer::take() {
    read_client();
    wire::ContainerNews news;
    std::vector<UniqueFd> fds;
    while (socket_.receive(news, fds)) {
        if (news.has_status()) {
            changes_.push_back({news.status().pid(), news.status().status()});
        }
    }
    std::vector<Change> changes;
    for (const auto& change : std::exchange(changes_, {})) {
        const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [&change](const auto& entry) {
            return entry.second.inside == change.pid && !entry.second.ended;
        });
        if (rank != ranks_.end()) {
            rank->second.ended = WIFEXITED(change.status) || WIFSIGNALED(change.status);
            changes.push_back({rank->first, change.status});
        }
    }
    if (!gone_ && socket_.closed()) {
        gone_ = true;
        for (auto& [pid, rank] : ranks_) {
            if (!std::exchange(rank.ended, true)) {
                changes.push_back({pid, kKilledStatus});
            }
        }
    }
    return changes;
}

std::string NodeContainer::last_words() {
    await_end(1);
    read_client();
    return said_.empty() ? container_.runtime() + " does not say why"
                         : container_failure(container_, said_).detail;
}

bool NodeContainer::await_end(double seconds) {
    const double deadline = monotonic_s() + seconds;
    while (!client_.has_ended()) {
        if (monotonic_s() >= deadline) {
            return false;
        }
        sleep_s(kLook);
    }
    return true;
}

void NodeContainer::close(double seconds) {
    if (socket_) {
        socket_.close();  // its first process ends all others
    }
    if (!await_end(socket_.closed() ? seconds : 0)) {
        if (const auto removal = container_removal(container_, name_); !removal.empty()) {
            ask_program({.argv = removal, .seconds = kRemoval}, {});
        }
        await_end(1);  // else its destructor kills it
    }
}

void remove_container(const wire::StartRun& run) {
    if (!run.has_container()) {
        return;
    }
    const auto container = with_runtime(run.container());
    if (const auto removal = container_removal(container, container_name(run)); !removal.empty()) {
        ask_program({.argv = removal, .seconds = kRemoval}, {});
    }
}

}  // namespace rankscope::agent
