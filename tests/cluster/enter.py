# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one command inside a machine of a virtual cluster: enter.py PID START USER CWD -- CMD ARG...

PID is the machine's first process, START its start time (so that a recycled PID is noticed). USER is uid:gid; CWD may be empty.
The command's signals and exit status come through as if it had been started directly, and it is killed when this process is:
nsenter from util-linux does neither. Kept small, without the rest of vcluster.py, because it starts often.
"""
import ctypes
import os
import signal
import sys
import warnings  # noqa: F401 - os.execvp wants it, when the folder it comes from may be out of sight already

NAMESPACES = ("ipc", "uts", "net", "pid", "mnt")
FORWARDED = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH,
             signal.SIGCONT, signal.SIGRTMIN}  # SIGRTMIN stands for SIGKILL, which cannot be passed on
PR_SET_PDEATHSIG = 1
SI_KERNEL = 128  # a key pressed at the terminal: the command, of the same process group, has had it already

libc = ctypes.CDLL(None, use_errno=True)


def die(message):
    os.write(2, f"vcluster: {message}\n".encode())
    os._exit(125)


def start_time(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
        return f.read().rpartition(")")[2].split()[19]


def enter(pid, start):
    """Joins every namespace of that process, and its root folder (in a chroot that is not the namespace's own root)."""
    try:
        fds = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in NAMESPACES]
        root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY)
        if start_time(pid) != start:
            raise FileNotFoundError
    except (FileNotFoundError, ProcessLookupError):
        die(f"the machine with process {pid} is gone")
    except PermissionError:
        die("entering a machine needs root")
    for fd in fds:
        if libc.setns(fd, 0) != 0:
            die(f"setns: {os.strerror(ctypes.get_errno())}")
        os.close(fd)
    os.fchdir(root)
    os.chroot(".")
    os.close(root)


def exec_command(user, cwd, command):
    uid, gid = (int(part) for part in user.split(":"))
    if uid:
        os.setgroups([gid])
        os.setgid(gid)
        os.setuid(uid)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        os.chdir(cwd or "/")
    except OSError as e:
        die(f"cannot work in {cwd}: {e.strerror}")
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; a command expects the default
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as e:
        os.write(2, f"vcluster: cannot run {command[0]}: {e.strerror}\n".encode())
        os._exit(126 if isinstance(e, PermissionError) else 127)


def main():
    pid, start, user, cwd = sys.argv[1:5]
    command = sys.argv[6:]
    watched = FORWARDED | {signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, watched)
    enter(pid, start)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        exec_command(user, cwd, command)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):  # the ends of the pipes are the command's alone
        os.dup2(null, fd)
    while True:
        info = signal.sigwaitinfo(watched)
        if info.si_signo != signal.SIGCHLD:
            if info.si_code != SI_KERNEL:
                os.kill(child, signal.SIGKILL if info.si_signo == signal.SIGRTMIN else info.si_signo)
            continue
        done, status = os.waitpid(child, os.WNOHANG)
        if done != child:
            continue
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            libc.prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE: the command has left a core file where it should, this one must not
            if number not in (signal.SIGKILL, signal.SIGSTOP):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
            os.kill(os.getpid(), number)
        os._exit(os.WEXITSTATUS(status))


if __name__ == "__main__":
    main()
