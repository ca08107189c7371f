// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/rank_activity.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>

namespace rankscope {
namespace {

constexpr double kBusy = 0.5;           // cores: a thread that waits uses less
constexpr double kMuchThrottled = 0.2;  // of the time between two looks
constexpr std::ptrdiff_t kInnermost = 5;
constexpr double kLeastInterval = 0.2;  // seconds between two looks that can be compared

enum class Wait {
    Nothing,
    File,
    FileLock,
    Socket,
    Connect,
    Accept,
    Events,
    Futex,
    Sleep,
    Child,
    Device,
    Other
};

struct Named {
    std::string_view name;
    Wait wait;
};

constexpr Named kCalls[] = {
    {"read", Wait::File},
    {"pread64", Wait::File},
    {"readv", Wait::File},
    {"preadv", Wait::File},
    {"preadv2", Wait::File},
    {"write", Wait::File},
    {"pwrite64", Wait::File},
    {"writev", Wait::File},
    {"pwritev", Wait::File},
    {"pwritev2", Wait::File},
    {"fsync", Wait::File},
    {"fdatasync", Wait::File},
    {"sync_file_range", Wait::File},
    {"syncfs", Wait::File},
    {"sync", Wait::File},
    {"ftruncate", Wait::File},
    {"fallocate", Wait::File},
    {"fstat", Wait::File},
    {"getdents64", Wait::File},
    {"lseek", Wait::File},
    {"close", Wait::File},
    {"sendfile", Wait::File},
    {"splice", Wait::File},
    {"copy_file_range", Wait::File},
    {"openat", Wait::File},
    {"open", Wait::File},
    {"newfstatat", Wait::File},
    {"statx", Wait::File},
    {"stat", Wait::File},
    {"lstat", Wait::File},
    {"access", Wait::File},
    {"faccessat", Wait::File},
    {"readlink", Wait::File},
    {"readlinkat", Wait::File},
    {"mkdir", Wait::File},
    {"mkdirat", Wait::File},
    {"unlink", Wait::File},
    {"unlinkat", Wait::File},
    {"rename", Wait::File},
    {"truncate", Wait::File},
    {"statfs", Wait::File},
    {"chdir", Wait::File},
    {"execve", Wait::File},
    {"msync", Wait::File},
    {"flock", Wait::FileLock},
    {"fcntl", Wait::FileLock},
    {"recvfrom", Wait::Socket},
    {"recvmsg", Wait::Socket},
    {"recvmmsg", Wait::Socket},
    {"sendto", Wait::Socket},
    {"sendmsg", Wait::Socket},
    {"sendmmsg", Wait::Socket},
    {"connect", Wait::Connect},
    {"accept", Wait::Accept},
    {"accept4", Wait::Accept},
    {"poll", Wait::Events},
    {"ppoll", Wait::Events},
    {"select", Wait::Events},
    {"pselect6", Wait::Events},
    {"epoll_wait", Wait::Events},
    {"epoll_pwait", Wait::Events},
    {"epoll_pwait2", Wait::Events},
    {"io_uring_enter", Wait::Events},
    {"futex", Wait::Futex},
    {"futex_waitv", Wait::Futex},
    {"nanosleep", Wait::Sleep},
    {"clock_nanosleep", Wait::Sleep},
    {"pause", Wait::Sleep},
    {"wait4", Wait::Child},
    {"waitid", Wait::Child},
    {"ioctl", Wait::Device},
};

// The kernel's functions that threads sleep in, where the system call may not be seen. Their names differ a little
// between releases: what they have in common.
struct Channel {
    std::string_view part;
    std::string_view call;
};
constexpr Channel kChannels[] = {
    {"nanosleep", "clock_nanosleep"},
    {"futex", "futex"},
    {"ep_poll", "epoll_wait"},
    {"epoll", "epoll_wait"},
    {"do_select", "select"},
    {"poll_schedule", "poll"},
    {"do_poll", "poll"},
    {"do_sys_poll", "poll"},
    {"pipe_read", "read"},
    {"pipe_write", "write"},
    {"wait_for_partner", "openat"},
    {"inet_csk_accept", "accept"},
    {"inet_wait_for_connect", "connect"},
    {"inet_stream_connect", "connect"},
    {"sk_wait_data", "recvfrom"},
    {"wait_woken", "recvfrom"},
    {"tcp_recvmsg", "recvfrom"},
    {"sk_stream_wait", "sendto"},
    {"do_wait", "wait4"},
    {"flock", "flock"},
    {"locks_lock", "flock"},
    {"posix_lock", "fcntl"},
    {"request_wait_answer", "read"},
    {"fuse", "read"},
    {"rpc_wait", "read"},
    {"nfs", "read"},
    {"folio_wait", "read"},
    {"wait_on_page", "read"},
    {"io_schedule", "read"},
    {"jbd2", "write"},
};

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::string call_of(const RankSnapshot& now) {
    if (!now.system_call.empty()) {
        return now.system_call;
    }
    for (const auto& channel : kChannels) {
        if (has(now.wait_channel, channel.part)) {
            return std::string(channel.call);
        }
    }
    return {};
}

Wait wait_of(const std::string& call) {
    const auto* const known = std::find_if(std::begin(kCalls), std::end(kCalls),
                                           [&](const Named& named) { return named.name == call; });
    return call.empty() ? Wait::Nothing : known == std::end(kCalls) ? Wait::Other : known->wait;
}

// Where the file itself cannot be seen, the function that waits for the server is the file system's own.
std::string file_system_of(const RankSnapshot& now) {
    const auto& channel = now.wait_channel;
    return !now.blocked_file_system.empty()                              ? now.blocked_file_system
           : has(channel, "rpc_wait") || has(channel, "nfs")             ? "nfs"
           : has(channel, "request_wait_answer") || has(channel, "fuse") ? "fuse"
                                                                         : "";
}

bool is_pipe(const RankSnapshot& now) {
    return now.blocked_file.starts_with("pipe:") || has(now.wait_channel, "pipe_read") ||
           has(now.wait_channel, "pipe_write") || has(now.wait_channel, "wait_for_partner");
}

bool is_connected(const RankSocket& socket) {
    return socket.state != "LISTEN" && socket.state != "SYN_SENT" && socket.state != "CLOSE";
}

bool is_unanswered(const RankSocket& socket) {
    return is_connected(socket) && socket.retransmits > 0 && socket.unsent > 0;
}

/// Takes the kinds in the order of how much each explains: what stops the whole process first, what may be a mere
/// consequence last.
class Reading {
public:
    Reading(const RankSnapshot& now, const RankSnapshot* before)
        : now_(now), call_(call_of(now)), wait_(wait_of(call_)) {
        activity_.system_call = call_;
        activity_.line = own_line_of(now);
        const double interval = before == nullptr ? 0 : now.elapsed_s - before->elapsed_s;
        if (before != nullptr && before->pid == now.pid && interval >= kLeastInterval) {
            activity_.cpu_share = std::max(0.0, now.cpu_s - before->cpu_s) / interval;
            throttled_share_ = (now.throttled_s - before->throttled_s) / interval;
        }
    }

    RankActivity take() {
        if (!process_is_held() && !own_file() && !own_socket() && !any_bad_socket() && !helper_file()) {
            main_thread();
        }
        return activity_;
    }

private:
    bool set(Activity kind, bool certain) {
        activity_.kind = kind;
        activity_.certain = certain;
        return true;
    }
    bool set(Activity kind, const RankSocket& socket, bool certain) {
        activity_.peer_address = socket.peer_address;
        activity_.peer_port = socket.peer_port;
        activity_.unsent = socket.unsent;
        activity_.idle_s = socket.idle_s;
        return set(kind, certain);
    }
    bool set_file(Activity kind, bool certain) {
        activity_.file = now_.blocked_file;
        activity_.file_system = file_system_of(now_);
        activity_.source = now_.blocked_source;
        activity_.helper = now_.blocked_pid == now_.pid ? 0 : now_.blocked_pid;
        return set(kind, certain);
    }

    bool process_is_held() {
        const bool threads_run =
            std::any_of(now_.threads.begin(), now_.threads.end(),
                        [](const RankThread& thread) { return thread.state != "Z" && thread.state != "X"; });
        if (now_.pid == 0 || ((now_.state == "Z" || now_.state == "X") && !threads_run)) {
            return set(Activity::Exited, true);
        }
        if (now_.state == "t") {
            activity_.by = now_.traced_by;
            return set(Activity::Traced, true);
        }
        if (now_.state == "T") {
            return set(Activity::Stopped, true);
        }
        if (throttled_share_ >= kMuchThrottled) {
            activity_.by = now_.throttled_by;
            activity_.cpu_limit = now_.cpu_limit;
            return set(Activity::Throttled, true);
        }
        return false;
    }

    bool own_file() {
        const bool own = now_.blocked_pid == 0 || now_.blocked_pid == now_.pid;
        if (wait_ == Wait::FileLock) {
            return set_file(Activity::WaitsForFileLock, true);
        }
        if (wait_ == Wait::File && own && is_pipe(now_)) {
            return set_file(Activity::WaitsForPipe, true);
        }
        const bool named = own && !now_.blocked_file_system.empty();
        if (named || (wait_ == Wait::File && own && !file_system_of(now_).empty())) {
            return set_file(Activity::UsesFile, true);
        }
        // A page of a file that is mapped, or of swap: there is no system call, and no descriptor.
        if (now_.state == "D" && own &&
            (wait_ == Wait::Nothing || wait_ == Wait::Other || wait_ == Wait::File)) {
            return set_file(Activity::UsesFile, false);
        }
        return false;
    }

    bool set_peer(const RankSocket& socket, bool certain) {
        if (socket.state == "SYN_SENT") {
            return set(Activity::Connecting, socket, certain);
        }
        if (is_unanswered(socket)) {
            return set(Activity::DataUnanswered, socket, certain);
        }
        if (socket.zero_window) {
            return set(Activity::PeerTakesNothing, socket, certain);
        }
        return set(Activity::WaitsForPeer, socket, certain);
    }

    // The one socket that the main thread waits for.
    bool own_socket() {
        const auto socket =
            std::find_if(now_.sockets.begin(), now_.sockets.end(), [&](const RankSocket& one) {
                return now_.blocked_socket != 0 && one.inode == now_.blocked_socket;
            });
        if (socket == now_.sockets.end()) {
            return false;
        }
        if (socket->state == "LISTEN") {
            activity_.peer_address = socket->local_address;
            activity_.peer_port = socket->local_port;
            return set(Activity::WaitsForConnection, true);
        }
        // A loop of events may serve more than the sockets in its set: those that are in trouble come first.
        if (wait_ == Wait::Events && any_bad_socket()) {
            return true;
        }
        return set_peer(*socket, true);
    }

    // Libraries talk to their peers in threads of their own: the main thread waits for these.
    bool any_bad_socket() {
        const RankSocket* worst = nullptr;
        const auto weight = [](const RankSocket& socket) {
            return socket.state == "SYN_SENT" && socket.retransmits > 0 ? 3
                   : is_unanswered(socket)                              ? 2
                   : socket.zero_window                                 ? 1
                                                                        : 0;
        };
        for (const auto& socket : now_.sockets) {
            const int weighs = weight(socket);
            if (weighs > 0 && (worst == nullptr || weighs > weight(*worst) ||
                               (weighs == weight(*worst) && socket.retransmits > worst->retransmits))) {
                worst = &socket;
            }
        }
        return worst != nullptr && set_peer(*worst, weight(*worst) > 1);
    }

    bool helper_file() {
        const bool waits = wait_ == Wait::Events || wait_ == Wait::Futex || wait_ == Wait::File ||
                           wait_ == Wait::Socket || wait_ == Wait::Child;
        return waits && now_.blocked_pid != 0 && now_.blocked_pid != now_.pid &&
               !now_.blocked_file_system.empty() && set_file(Activity::UsesFile, false);
    }

    std::optional<double> time_since_data() const {
        std::optional<double> idle;
        for (const auto& socket : now_.sockets) {
            if (is_connected(socket)) {
                idle = std::min(idle.value_or(socket.idle_s), socket.idle_s);  // the last data from anybody
            }
        }
        return idle;
    }

    // In one of the innermost frames; the outer ones may be wrappers around the whole program.
    bool stack_has(std::initializer_list<std::string_view> parts) const {
        const auto end =
            now_.python_stack.begin() + std::min<std::ptrdiff_t>(kInnermost, std::ssize(now_.python_stack));
        return std::any_of(now_.python_stack.begin(), end, [&](const std::string& frame) {
            return std::any_of(parts.begin(), parts.end(),
                               [&](std::string_view part) { return has(frame, part); });
        });
    }

    void main_thread() {
        const auto silence = time_since_data();
        const bool busy = now_.state == "R" && (activity_.cpu_share < 0 || activity_.cpu_share >= kBusy);
        const bool in_collective = stack_has({"torch/distributed/", "torch/nn/parallel/"});
        // DistributedDataParallel reduces the gradients below backward(), where no frame shows it.
        const bool in_backward =
            wait_ == Wait::Futex && silence && !now_.gpu && stack_has({"torch/autograd/"});
        if (busy && (in_collective || stack_has({"torch/cuda/", " in synchronize"}))) {
            // A wait for the GPU spins; so does a collective of NCCL, which runs there.
            set(now_.gpu ? Activity::WaitsForGpu : Activity::Runs, now_.gpu);
        } else if (busy) {
            set(Activity::SpinsOnCpu, activity_.cpu_share >= 0 && !now_.gpu);
        } else if (wait_ == Wait::Nothing) {
            set(now_.state == "R" ? Activity::Runs : Activity::Unknown, false);
        } else if (wait_ == Wait::Child) {
            set(Activity::WaitsForChild, true);
        } else if (wait_ == Wait::Sleep && !in_collective) {
            set(Activity::Sleeps, true);
        } else if (wait_ == Wait::Device) {
            set(now_.gpu ? Activity::WaitsForGpu : Activity::Unknown, false);
        } else if (wait_ == Wait::Futex && !now_.gpu && activity_.cpu_share >= kBusy) {
            set(Activity::Runs, false);  // its other threads do the work
        } else if (in_collective || in_backward || (silence && activity_.line.empty())) {
            activity_.idle_s = silence.value_or(0);
            set(Activity::WaitsInCollective, in_collective || in_backward);
        } else if (wait_ == Wait::Futex) {
            set(Activity::WaitsForLock, !silence || !now_.python_stack.empty());
        } else if (wait_ == Wait::Events) {
            set(Activity::WaitsForPipe, false);
        } else {
            set(Activity::Unknown, false);
        }
    }

    const RankSnapshot& now_;
    std::string call_;
    Wait wait_;
    double throttled_share_ = 0;
    RankActivity activity_;
};

}  // namespace

RankActivity activity_of(const RankSnapshot& now, const RankSnapshot* before) {
    return Reading(now, before).take();
}

std::string own_line_of(const RankSnapshot& state) {
    const auto is_library = [](const std::string& frame) {
        return frame.starts_with('<') || has(frame, "site-packages/") || has(frame, "dist-packages/") ||
               has(frame, "/lib/python3.") || has(frame, "/lib64/python3.");
    };
    // Without a file of its own: python -c, a program from standard input, a notebook. Libraries make such code, too.
    const auto has_no_file = [](const std::string& frame) {
        return frame.starts_with("<string>:") || frame.starts_with("<stdin>:") ||
               frame.starts_with("<ipython-input");
    };
    const auto& stack = state.python_stack;
    auto own = std::find_if_not(stack.begin(), stack.end(), is_library);
    if (own == stack.end()) {
        own = std::find_if(stack.begin(), stack.end(), has_no_file);
    }
    return own == stack.end() ? std::string() : *own;
}

}  // namespace rankscope
