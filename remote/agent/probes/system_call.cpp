// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/system_call.h>

#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

namespace rankscope::agent {
namespace {

enum class Takes { Nothing, Descriptor, Path, SecondIsPath };

struct Known {
    std::int64_t number;
    const char* name;
    Takes takes;
};

// The calls that can wait, and those that a file server can hold up. The numbers are those of the architecture that
// the agent is built for, which is the node's.
constexpr Known kCalls[] = {
    {SYS_read, "read", Takes::Descriptor},
    {SYS_pread64, "pread64", Takes::Descriptor},
    {SYS_readv, "readv", Takes::Descriptor},
    {SYS_preadv, "preadv", Takes::Descriptor},
    {SYS_preadv2, "preadv2", Takes::Descriptor},
    {SYS_write, "write", Takes::Descriptor},
    {SYS_pwrite64, "pwrite64", Takes::Descriptor},
    {SYS_writev, "writev", Takes::Descriptor},
    {SYS_pwritev, "pwritev", Takes::Descriptor},
    {SYS_pwritev2, "pwritev2", Takes::Descriptor},
    {SYS_fsync, "fsync", Takes::Descriptor},
    {SYS_fdatasync, "fdatasync", Takes::Descriptor},
    {SYS_sync_file_range, "sync_file_range", Takes::Descriptor},
    {SYS_syncfs, "syncfs", Takes::Descriptor},
    {SYS_sync, "sync", Takes::Nothing},
    {SYS_flock, "flock", Takes::Descriptor},
    {SYS_fcntl, "fcntl", Takes::Descriptor},
    {SYS_ftruncate, "ftruncate", Takes::Descriptor},
    {SYS_fallocate, "fallocate", Takes::Descriptor},
    {SYS_fstat, "fstat", Takes::Descriptor},
    {SYS_getdents64, "getdents64", Takes::Descriptor},
    {SYS_lseek, "lseek", Takes::Descriptor},
    {SYS_close, "close", Takes::Descriptor},
    {SYS_ioctl, "ioctl", Takes::Descriptor},
    {SYS_sendfile, "sendfile", Takes::Descriptor},
    {SYS_splice, "splice", Takes::Descriptor},
    {SYS_copy_file_range, "copy_file_range", Takes::Descriptor},
    {SYS_connect, "connect", Takes::Descriptor},
    {SYS_accept, "accept", Takes::Descriptor},
    {SYS_accept4, "accept4", Takes::Descriptor},
    {SYS_recvfrom, "recvfrom", Takes::Descriptor},
    {SYS_recvmsg, "recvmsg", Takes::Descriptor},
    {SYS_recvmmsg, "recvmmsg", Takes::Descriptor},
    {SYS_sendto, "sendto", Takes::Descriptor},
    {SYS_sendmsg, "sendmsg", Takes::Descriptor},
    {SYS_sendmmsg, "sendmmsg", Takes::Descriptor},
    {SYS_openat, "openat", Takes::SecondIsPath},
    {SYS_newfstatat, "newfstatat", Takes::SecondIsPath},
    {SYS_statx, "statx", Takes::SecondIsPath},
    {SYS_faccessat, "faccessat", Takes::SecondIsPath},
    {SYS_readlinkat, "readlinkat", Takes::SecondIsPath},
    {SYS_mkdirat, "mkdirat", Takes::SecondIsPath},
    {SYS_unlinkat, "unlinkat", Takes::SecondIsPath},
    {SYS_truncate, "truncate", Takes::Path},
    {SYS_statfs, "statfs", Takes::Path},
    {SYS_chdir, "chdir", Takes::Path},
    {SYS_execve, "execve", Takes::Path},
#ifdef SYS_open  // arm64 has only the calls that take a folder
    {SYS_open, "open", Takes::Path},
    {SYS_stat, "stat", Takes::Path},
    {SYS_lstat, "lstat", Takes::Path},
    {SYS_access, "access", Takes::Path},
    {SYS_readlink, "readlink", Takes::Path},
    {SYS_mkdir, "mkdir", Takes::Path},
    {SYS_unlink, "unlink", Takes::Path},
    {SYS_rename, "rename", Takes::Path},
    {SYS_poll, "poll", Takes::Nothing},
    {SYS_select, "select", Takes::Nothing},
    {SYS_epoll_wait, "epoll_wait", Takes::Nothing},
    {SYS_pause, "pause", Takes::Nothing},
    {SYS_fork, "fork", Takes::Nothing},
    {SYS_vfork, "vfork", Takes::Nothing},
#endif
    {SYS_ppoll, "ppoll", Takes::Nothing},
    {SYS_pselect6, "pselect6", Takes::Nothing},
    {SYS_epoll_pwait, "epoll_pwait", Takes::Nothing},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, "epoll_pwait2", Takes::Nothing},
#endif
    {SYS_futex, "futex", Takes::Nothing},
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, "futex_waitv", Takes::Nothing},
#endif
    {SYS_nanosleep, "nanosleep", Takes::Nothing},
    {SYS_clock_nanosleep, "clock_nanosleep", Takes::Nothing},
    {SYS_wait4, "wait4", Takes::Nothing},
    {SYS_waitid, "waitid", Takes::Nothing},
    {SYS_io_uring_enter, "io_uring_enter", Takes::Nothing},
    {SYS_io_getevents, "io_getevents", Takes::Nothing},
    {SYS_rt_sigtimedwait, "rt_sigtimedwait", Takes::Nothing},
    {SYS_rt_sigsuspend, "rt_sigsuspend", Takes::Nothing},
    {SYS_restart_syscall, "restart_syscall", Takes::Nothing},
    {SYS_sched_yield, "sched_yield", Takes::Nothing},
    {SYS_clone, "clone", Takes::Nothing},
    {SYS_mmap, "mmap", Takes::Nothing},
    {SYS_munmap, "munmap", Takes::Nothing},
    {SYS_madvise, "madvise", Takes::Nothing},
    {SYS_msync, "msync", Takes::Nothing},
    {SYS_semtimedop, "semtimedop", Takes::Nothing},
    {SYS_msgrcv, "msgrcv", Takes::Nothing},
    {SYS_mq_timedreceive, "mq_timedreceive", Takes::Nothing},
    {SYS_exit_group, "exit_group", Takes::Nothing},
};

const Known* find(const SystemCall& call) {
    const auto* const found = std::find_if(std::begin(kCalls), std::end(kCalls),
                                           [&](const Known& known) { return known.number == call.number; });
    return found == std::end(kCalls) ? nullptr : found;
}

}  // namespace

std::string name_of(const SystemCall& call) {
    const auto* known = find(call);
    return known != nullptr ? known->name : '#' + std::to_string(call.number);
}

std::optional<int> descriptor_of(const SystemCall& call) {
    const auto* known = find(call);
    if (known == nullptr || known->takes != Takes::Descriptor || call.arguments[0] > 0x7fffffff) {
        return std::nullopt;
    }
    return static_cast<int>(call.arguments[0]);
}

std::uint64_t path_address_of(const SystemCall& call) {
    const auto* known = find(call);
    const auto takes = known == nullptr ? Takes::Nothing : known->takes;
    return takes == Takes::Path ? call.arguments[0] : takes == Takes::SecondIsPath ? call.arguments[1] : 0;
}

}  // namespace rankscope::agent
