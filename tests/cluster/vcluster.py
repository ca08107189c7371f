#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual cluster on one machine: N nodes with sshd, and a desk, each in namespaces of its own. Needs root; see README.md.

How it holds together: the owner (a test, or `vcluster.py up`) starts one holder, the holder starts the switch (first process of a PID
namespace of its own), and the switch starts the first process of every node and of the desk, each again in its own PID, mount, network,
UTS and IPC namespace. The holder's standard input is a pipe whose other end only the owner has. When the owner closes it, or dies in
whatever way, the holder kills the switch, and the kernel kills everything below it; interfaces and mounts live in namespaces and go too.
"""
from __future__ import annotations

import argparse
import ctypes
import errno
import fcntl
import json
import os
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import namedtuple
from pathlib import Path

SKIP = 77  # what ctest calls "not run", see SKIP_RETURN_CODE
HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
SUBNET = "10.77.0"
DESK_ADDRESS = f"{SUBNET}.254"
MAX_NODES = 250
TRAINER_ID = 59000
PASSWORD = "rankscope"  # of root and trainer on every node; the line below is its hash in the form of shadow(5)
PASSWORD_HASH = "$6$rankscopesalt$e2F.yKqu8zvkn4IHaB.CmEPd8m5XAfqfC5BsU69z5QpQYqSkC.G6llnnkCLnw.75kFK9wCtyLCLtjbfUmxHjO."
TOOL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
START_TIMEOUT_S = 60

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
NEW_MACHINE = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
PR_SET_PDEATHSIG = 1

libc = ctypes.CDLL(None, use_errno=True)


class ClusterError(Exception):
    """The cluster could not do what was asked; the text says what and where."""


class Unsupported(ClusterError):
    """This machine cannot do it (not root, a program or a kernel feature is missing); a test skips itself."""


NodeProcess = namedtuple("NodeProcess", "pid ppid uid state comm cmdline")
NodeProcess.__doc__ = "A process as the node sees it; cmdline is a list."


def wait_until(condition, timeout: float, what: str):
    """Returns the first true value of condition(); after timeout seconds raises TimeoutError that says what was awaited."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise TimeoutError(f"not within {timeout} s: {what}")
        time.sleep(0.01)


def missing_requirements() -> str:
    """Why no cluster can be made here, in one line; empty when it can."""
    if os.geteuid() != 0:
        return "needs root (namespaces and sshd): run it as root"
    for program, package in (("ip", "iproute2"), ("bridge", "iproute2"), ("sshd", "openssh-server"), ("ssh-keygen", "openssh-client")):
        if not shutil.which(program, path=TOOL_PATH):
            return f"{program} is missing: apt-get install {package}"
    probe = os.fork()
    if probe == 0:
        os._exit(0 if libc.unshare(NEW_MACHINE) == 0 else 1)
    if os.waitpid(probe, 0)[1] != 0:
        return "this machine allows no new namespaces (a container without CAP_SYS_ADMIN?)"
    if not os.path.exists("/proc/self/ns/mnt"):
        return "/proc is not mounted: mount -t proc proc /proc"
    return ""


# --- what runs inside: switch, nodes, desk --------------------------------------------------------------------------------------------


def _check(result: int, what: str):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = ""):
    _check(libc.mount(source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), data.encode() or None),
           f"mount {kind or source} on {target}")


def _bind(source, target: str, read_only: bool = False):
    """source: a path, or a descriptor taken before its path was hidden by another mount."""
    _mount(f"/proc/self/fd/{source}" if isinstance(source, int) else source, target, flags=MS_BIND | MS_REC)
    if read_only:
        _mount("none", target, flags=MS_REMOUNT | MS_BIND | MS_RDONLY)


def _tmpfs(target: str, mode: str, size: str = ""):
    os.makedirs(target, exist_ok=True)
    _mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, f"mode={mode}" + (f",size={size}" if size else ""))


def _write(path, text: str, mode: int = 0o644):
    with open(path, "w", encoding="utf-8", opener=lambda p, flags: os.open(p, flags, mode)) as f:
        f.write(text)
    os.chmod(path, mode)


def _quiet(command: list, **kwargs):
    done = subprocess.run(command, stdin=None if "input" in kwargs else subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **kwargs)
    if done.returncode != 0:
        raise ClusterError(f"{' '.join(command)}: exit {done.returncode}: {done.stdout.strip()}")
    return done.stdout


def _private_mounts():
    """From here on no mount of ours is seen outside, and none of outside appears here."""
    try:
        _mount("none", "/", flags=MS_REC | MS_PRIVATE)
    except OSError as e:
        if e.errno != errno.EINVAL:
            raise
        # In a chroot whose root is not a mount point, the mount below it cannot be named, and if it is shared ours would show outside.
        # So move to a private copy of the tree; /proc is a mount of its own even there, and thus a place to hang the copy on.
        _mount("none", "/proc", flags=MS_PRIVATE)
        place = "/proc/sys/kernel"
        _bind("/", place)
        _mount("none", place, flags=MS_REC | MS_PRIVATE)
        os.chroot(place)
        os.chdir("/")


def _become_machine(parent_end: int):
    """Called in a fresh child: returns in the first process of new namespaces, after writing its PID to parent_end."""
    _check(libc.unshare(NEW_MACHINE), "unshare")
    child = os.fork()
    if child:
        os.write(parent_end, struct.pack("i", child))
        os._exit(0)
    os.close(parent_end)


def _reap_forever():
    """The duty of a first process: collect every orphan that ends here."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    while True:
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        signal.sigtimedwait({signal.SIGCHLD}, 5)


def _own_views():
    """/proc, /sys and terminals as this machine sees them, instead of the host's."""
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    if os.path.isdir("/sys"):
        groups = os.open("/sys/fs/cgroup", os.O_PATH) if os.path.isdir("/sys/fs/cgroup") else None
        _mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC)
        if groups is not None and os.path.isdir("/sys/fs/cgroup"):
            _bind(groups, "/sys/fs/cgroup")
    if os.path.isdir("/dev/pts"):
        _mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620,gid=5")
        if not os.path.islink("/dev/ptmx") and os.path.exists("/dev/ptmx"):
            _bind("/dev/pts/ptmx", "/dev/ptmx")


def _own_identity(name: str, folder: str, base: str):
    """Host name, and /etc: the cluster's copy, with this machine's own few files laid over it."""
    _check(libc.sethostname(name.encode(), len(name)), "sethostname")
    _bind(base, "/etc")
    for file in sorted(os.listdir(f"{folder}/etc")):
        _bind(f"{folder}/etc/{file}", f"/etc/{file}")


def _set_up_network(address: str):
    _quiet(["ip", "-batch", "-"], input=f"link set lo up\naddress add {address}/16 dev eth0\nlink set eth0 up\n")


def _outermost(paths) -> list:
    kept = []
    for path in sorted({os.path.realpath(p) for p in paths}, key=len):
        if not any(path == k or path.startswith(k + "/") for k in kept):
            kept.append(path)
    return kept


def _open_binds(binds: dict) -> list:
    """[(descriptor, where, read_only)], taken before mounts hide the sources."""
    return [(os.open(source, os.O_PATH), where, read_only) for source, (where, read_only) in binds.items()]


def _place_binds(opened: list):
    for descriptor, where, read_only in opened:
        is_folder = os.path.isdir(f"/proc/self/fd/{descriptor}")
        if not os.path.exists(where):
            try:
                os.makedirs(where if is_folder else os.path.dirname(where), exist_ok=True)
                if not is_folder:
                    _write(where, "")
            except OSError as e:
                raise ClusterError(f"cannot make {where} to bind on: {e.strerror}; choose a path below /srv") from e
        _bind(descriptor, where, read_only)
        os.close(descriptor)


def _make_home(where: str, owner: int, authorized: str):
    os.makedirs(f"{where}/.ssh", exist_ok=True)
    _write(f"{where}/.ssh/authorized_keys", authorized, 0o600)
    os.chmod(f"{where}/.ssh", 0o700)
    os.chmod(where, 0o755)
    for path in (where, f"{where}/.ssh", f"{where}/.ssh/authorized_keys"):
        os.chown(path, owner, owner)


def _node_main(node: dict, spec: dict):
    folder = node["folder"]
    _own_views()
    binds = _open_binds(spec["binds"])
    homes = {"root": ("/root", 0), "trainer": ("/home/trainer", TRAINER_ID)}
    home_fds = {user: os.open(f"{spec['shared_home'] or folder}/home-{user}", os.O_PATH) for user in homes}
    run = os.open(f"{folder}/run", os.O_PATH)
    _own_identity(node["name"], folder, spec["base"])
    for target, mode in (("/home", "755"), ("/srv", "755"), ("/run", "755"), ("/var/log", "755"), ("/var/tmp", "1777"), ("/tmp", "1777"),
                         ("/dev/shm", "1777")):
        _tmpfs(target, mode)
    os.makedirs("/run/sshd", mode=0o755)
    os.makedirs("/run/vcluster")
    _bind(run, "/run/vcluster")
    for user, (home, owner) in homes.items():
        os.makedirs(home, exist_ok=True)
        limited = user == spec["user"] and node["home_size"]
        if limited:
            _tmpfs(home, "755", node["home_size"])
        else:
            _bind(home_fds[user], home)
        _make_home(home, owner, spec["authorized"])
        if user == spec["user"] and node["home_noexec"]:
            _mount("none", home, flags=MS_REMOUNT | MS_BIND | MS_NOEXEC)
    _place_binds(binds)
    os.chdir("/")
    _set_up_network(node["address"])
    _generate_host_key("/run/vcluster")
    _start_sshd()


def _desk_main(desk: dict, spec: dict):
    _own_views()
    keep = [(os.open(path, os.O_PATH), path, False) for path in desk["keep"]]
    binds = _open_binds(spec["binds"])
    temporary = os.open(f"{desk['folder']}/tmp", os.O_PATH)
    _own_identity(desk["name"], desk["folder"], spec["base"])
    _bind(temporary, "/tmp")
    _tmpfs("/dev/shm", "1777")
    if any(where.startswith("/srv/") for where, _ in spec["binds"].values()):
        _tmpfs("/srv", "755")
    _place_binds(keep + binds)
    os.chdir("/")
    _set_up_network(desk["address"])


def _generate_host_key(folder: str):
    for name in ("ssh_host_ed25519_key", "ssh_host_ed25519_key.pub"):
        Path(folder, name).unlink(missing_ok=True)
    _quiet(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "vcluster", "-f", f"{folder}/ssh_host_ed25519_key"])


SSHD_CONFIG = """\
Port 22
HostKey /run/vcluster/ssh_host_ed25519_key
PidFile /run/vcluster/sshd.pid
AuthorizedKeysFile .ssh/authorized_keys
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
MaxStartups 200
MaxSessions 200
LogLevel VERBOSE
Subsystem sftp internal-sftp
"""


def _has_text(path: Path) -> bool:
    """A program creates its PID file before it writes to it: to exist is not enough."""
    return path.exists() and path.stat().st_size > 0


def _start_sshd():
    """sshd writes its PID once it listens: that is the condition awaited, without touching its port."""
    pid_file = Path("/run/vcluster/sshd.pid")
    pid_file.unlink(missing_ok=True)
    sshd = shutil.which("sshd", path=TOOL_PATH)
    _quiet([sshd, "-f", "/run/vcluster/sshd_config", "-E", "/run/vcluster/sshd.log"], env={"PATH": TOOL_PATH})
    try:
        wait_until(lambda: _has_text(pid_file), 20, "sshd listens")
    except TimeoutError as e:
        raise ClusterError(f"sshd did not start: {Path('/run/vcluster/sshd.log').read_text(encoding='utf-8')}") from e


def _switch_main(spec: dict, report: socket.socket):
    """First process of the cluster: connects the machines, then only collects orphans."""
    _check(libc.unshare(NEW_MACHINE & ~CLONE_NEWPID), "unshare")
    _private_mounts()
    _mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    libc.sethostname(b"switch", 6)
    _mount("tmpfs", spec["base"], "tmpfs", MS_NOSUID | MS_NODEV, "mode=755")
    copy = subprocess.Popen(["cp", "-a", "/etc/.", spec["base"]], stdin=subprocess.DEVNULL)

    machines = [spec["desk"], *spec["nodes"]]
    gates, pids = [], []
    for machine in machines:
        pid_read, pid_write = os.pipe()
        gate_read, gate_write = os.pipe()
        if os.fork() == 0:
            for fd in [pid_read, gate_write, *(g for g, _ in gates), *(p for _, p in pids)]:
                os.close(fd)
            _guard(report, machine["name"], _machine_main, machine, spec, report, pid_write, gate_read)
        os.close(pid_write)
        os.close(gate_read)
        gates.append((gate_write, machine))
        pids.append((machine, pid_read))

    lines = ["link set lo up", "link add br0 type bridge", "link set br0 up"]
    for machine, fd in pids:
        raw = os.read(fd, 4)
        if len(raw) < 4:
            raise ClusterError(f"{machine['name']} did not start; see hold.log")
        port = machine["port"]
        lines += [f"link add {port} type veth peer name eth0 netns {struct.unpack('i', raw)[0]}",
                  f"link set {port} master br0 up"]
        os.close(fd)
    _quiet(["ip", "-batch", "-"], input="\n".join(lines) + "\n")
    if copy.wait() != 0:
        raise ClusterError("could not copy /etc")
    _prepare_base(spec)
    for gate, _ in gates:
        os.write(gate, b"g")
        os.close(gate)
    report.send(json.dumps({"ready": "switch"}).encode())
    report.close()
    _reap_forever()


def _machine_main(machine: dict, spec: dict, report: socket.socket, pid_write: int, gate_read: int):
    _become_machine(pid_write)
    if os.read(gate_read, 1) != b"g":
        os._exit(1)
    os.close(gate_read)
    (_desk_main if machine["name"] == "desk" else _node_main)(machine, spec)
    report.send(json.dumps({"ready": machine["name"]}).encode())
    report.close()
    _reap_forever()


def _guard(report: socket.socket, name: str, function, *arguments):
    """Runs the main function of a first process; what goes wrong becomes a message to the owner."""
    try:
        function(*arguments)
    except BaseException as e:  # noqa: B902 - the last resort of a process without a caller
        traceback.print_exc()
        try:
            report.send(json.dumps({"failed": name, "why": str(e)}).encode()[:4000])
        except OSError:
            pass
    sys.stderr.flush()
    os._exit(1)


def _prepare_base(spec: dict):
    """The copy of /etc that all machines share: names of all machines, no name service beyond files, two users with a password."""
    base = Path(spec["base"])
    hosts = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n"
    hosts += "".join(f"{m['address']} {m['name']}\n" for m in [*spec["nodes"], spec["desk"]])
    _write(base / "hosts", hosts)
    _write(base / "nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n")
    for name in ("hostname", "machine-id"):
        if not (base / name).is_file() or (base / name).is_symlink():
            (base / name).unlink(missing_ok=True)
            _write(base / name, "")

    def edit(name: str, drop: tuple, add: str, mode: int):
        path = base / name
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
        lines = [line for line in lines if line.split(":")[0] not in drop]
        _write(path, "\n".join(lines) + "\n" + add, mode)

    edit("passwd", ("trainer", "root"), f"root:x:0:0:root:/root:/bin/bash\n"
         f"trainer:x:{TRAINER_ID}:{TRAINER_ID}:Trainer:/home/trainer:/bin/bash\n", 0o644)
    edit("group", ("trainer",), f"trainer:x:{TRAINER_ID}:\n", 0o644)
    edit("shadow", ("trainer", "root"), f"root:{PASSWORD_HASH}:19000:0:99999:7:::\ntrainer:{PASSWORD_HASH}:19000:0:99999:7:::\n", 0o640)
    passwd = (base / "passwd").read_text(encoding="utf-8").replace(":/root:", f":{spec['desk']['home']}:")
    _write(Path(spec["desk"]["folder"], "etc/passwd"), passwd)


def _hold(spec_file: str, report_fd: int):
    """The process between owner and cluster: ends the cluster when standard input ends."""
    spec = json.loads(Path(spec_file).read_text(encoding="utf-8"))
    report = socket.socket(fileno=report_fd)
    _check(libc.unshare(CLONE_NEWPID), "unshare")
    switch = os.fork()
    if switch == 0:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        _guard(report, "switch", _switch_main, spec, report)
    report.close()
    ended = os.pidfd_open(switch)
    select.select([0, ended], [], [])
    wanted = os.read(0, 1) if select.select([0], [], [], 0)[0] else b"keep"
    os.kill(switch, signal.SIGKILL)
    os.waitpid(switch, 0)  # returns only when every process of the cluster is gone
    if spec["temporary"] and not wanted:
        shutil.rmtree(os.path.dirname(spec_file), ignore_errors=True)


# --- the owner's side -----------------------------------------------------------------------------------------------------------------


def _start_time(pid: int) -> str:
    stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    return stat.rpartition(")")[2].split()[19]


class Command(subprocess.Popen):
    """A command started in a machine. Signals sent to it reach the command; its death is the command's (see enter.py)."""

    _code = None

    @property
    def returncode(self):
        return self._code

    @returncode.setter
    def returncode(self, code):  # the stand-in for SIGKILL, if it came before enter.py knew it
        self._code = -signal.SIGKILL if code == -signal.SIGRTMIN else code

    def send_signal(self, sig):
        """SIGKILL goes by way of enter.py, too: killed itself, it could not collect the command, which then stays as a zombie until the
        host's first process looks for it."""
        super().send_signal(signal.SIGRTMIN if sig == signal.SIGKILL else sig)

    @property
    def inner_pid(self):
        """PID of the command itself, as the owner sees it; None when it has not started or is gone."""
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    stat = Path(f"/proc/{entry}/stat").read_text(encoding="utf-8", errors="replace")
                except OSError:
                    continue
                if int(stat.rpartition(")")[2].split()[1]) == self.pid:
                    return int(entry)
        return None


class Machine:
    """What desk, nodes and switch have in common: commands run in them, and their /proc can be read."""

    def __init__(self, name: str, pid: int, start: str, environment: dict, user: tuple, cwd: str):
        self.name, self.pid, self.start = name, pid, start
        self._environment, self._user, self._cwd = environment, user, cwd

    def command_line(self, command, user: tuple | None = None, cwd: str | None = None) -> list:
        """The host's command line that runs this one in the machine, for callers that start processes themselves."""
        uid, gid = user or self._user
        return [sys.executable, "-I", "-S", "-B", str(HERE / "enter.py"), str(self.pid), self.start, f"{uid}:{gid}",
                self._cwd if cwd is None else str(cwd), "--", *map(str, command)]

    def popen(self, command, *, env: dict | None = None, cwd: str | None = None, user: tuple | None = None, **kwargs) -> Command:
        """subprocess.Popen in the machine; env adds to the machine's own environment."""
        environment = {**self._environment, **{k: str(v) for k, v in (env or {}).items()}}
        return Command(self.command_line(command, user, cwd), env=environment, **kwargs)

    def run(self, command, *, check: bool = False, timeout: float | None = 60, input: str | None = None,  # pylint: disable=W0622
            **kwargs) -> subprocess.CompletedProcess:
        """subprocess.run in the machine, with text output captured unless stdout/stderr are given."""
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        kwargs.setdefault("text", True)
        kwargs.setdefault("stdin", subprocess.DEVNULL if input is None else subprocess.PIPE)
        with self.popen(command, **kwargs) as process:
            try:
                out, err = process.communicate(input, timeout=timeout)
            except BaseException:
                process.kill()
                raise
        done = subprocess.CompletedProcess(list(command), process.returncode, out, err)
        if check and done.returncode != 0:
            raise ClusterError(f"{self.name}: {' '.join(map(str, command))}: exit {done.returncode}: {(err or out or '').strip()}")
        return done

    def path(self, inside: str) -> Path:
        """A file of the machine as the owner can open it. Absolute symbolic links on the way would lead to the host's files."""
        return Path(f"/proc/{self.pid}/root/{inside.lstrip('/')}")

    def processes(self, infrastructure: bool = False) -> list:
        """Its processes, PIDs as it sees them; without the first process and every sshd unless infrastructure=True."""
        found = []
        proc = self.path("/proc")
        for entry in os.listdir(proc):
            if not entry.isdigit():
                continue
            try:
                stat = (proc / entry / "stat").read_text(encoding="utf-8", errors="replace")
                cmdline = (proc / entry / "cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
                uid = (proc / entry).stat().st_uid
            except OSError:  # ended meanwhile
                continue
            comm, _, rest = stat.partition("(")[2].rpartition(")")
            state, ppid = rest.split()[:2]
            if state == "Z" and ppid == "0":  # died with its enter.py; the host's first process will collect it
                continue
            process = NodeProcess(int(entry), int(ppid), uid, state, comm, cmdline)
            if infrastructure or not (process.pid == 1 or comm.startswith("sshd")):
                found.append(process)
        return sorted(found)

    def listening_ports(self, infrastructure: bool = False) -> set:
        """TCP ports with a listener; without 22 unless infrastructure=True."""
        ports = set()
        for file in ("tcp", "tcp6"):
            table = Path(f"/proc/{self.pid}/net/{file}")
            for line in table.read_text(encoding="utf-8").splitlines()[1:] if table.exists() else []:
                fields = line.split()
                if fields[3] == "0A":
                    ports.add(int(fields[1].rpartition(":")[2], 16))
        return ports if infrastructure else ports - {22}

    def shared_memory(self) -> list:
        """Names of what lies in /dev/shm."""
        return sorted(os.listdir(self.path("/dev/shm")))

    def alive(self) -> bool:
        try:
            return _start_time(self.pid) == self.start
        except (OSError, IndexError):
            return False


class Node(Machine):
    """One node. Commands run as the inventory's user unless user=(0, 0) is given; faults act as root."""

    ROOT = (0, 0)

    def __init__(self, cluster: "VirtualCluster", spec: dict, pid: int):
        user = cluster.user
        self.home = "/root" if user == "root" else "/home/trainer"
        environment = {"PATH": TOOL_PATH, "HOME": self.home, "USER": user, "LOGNAME": user, "SHELL": "/bin/bash", "LANG": "C.UTF-8"}
        super().__init__(spec["name"], pid, _start_time(pid), environment, (0, 0) if user == "root" else (TRAINER_ID, TRAINER_ID), self.home)
        self._cluster, self._spec = cluster, spec
        self.user = user
        self.address: str = spec["address"]
        self.folder = Path(spec["folder"])
        self.sshd_log = self.folder / "run/sshd.log"
        self._drops: list = []
        self._cable = None

    def _root(self, command, **kwargs):
        return self.run(command, user=self.ROOT, cwd="/", check=True, **kwargs)

    # - sshd

    def _sshd_pids(self) -> list:
        return [p.pid for p in self.processes(infrastructure=True) if p.comm.startswith("sshd")]

    def kill_sshd(self, sessions: bool = True):
        """SIGKILL to sshd; with sessions=True also to the running connections' processes, so that they break."""
        pids = self._sshd_pids()
        if not sessions:
            listener = self.path("/run/vcluster/sshd.pid").read_text(encoding="utf-8").strip()
            pids = [pid for pid in pids if pid == int(listener)]
        # One by one, and a process that is gone is gone: a session may end by itself at any moment.
        self._root(["/bin/sh", "-c", "for pid; do kill -9 $pid 2>/dev/null; done; true", "kill", *map(str, pids)])
        wait_until(lambda: 22 not in self.listening_ports(True), 10, f"{self.name}: sshd is gone")

    def start_sshd(self):
        """Returns when it listens."""
        pid_file = self.folder / "run/sshd.pid"
        pid_file.unlink(missing_ok=True)
        self._root([shutil.which("sshd", path=TOOL_PATH), "-f", "/run/vcluster/sshd_config", "-E", "/run/vcluster/sshd.log"])
        wait_until(lambda: _has_text(pid_file), 20, f"{self.name}: sshd listens")

    def change_host_key(self):
        """As if the machine had been reinstalled (or an attacker stood between): another host key under the same name."""
        running = 22 in self.listening_ports(True)
        if running:
            self.kill_sshd(sessions=False)
        _generate_host_key(str(self.folder / "run"))
        if running:
            self.start_sshd()

    @property
    def host_key(self) -> str:
        """The public key as known_hosts has it, without a name: 'ssh-ed25519 AAAA…'."""
        return " ".join((self.folder / "run/ssh_host_ed25519_key.pub").read_text(encoding="utf-8").split()[:2])

    # - processes

    def signal(self, pids, number: int):
        """Sends a signal to processes by the PIDs that the node sees."""
        self._root(["/bin/sh", "-c", f"kill -{int(number)} " + " ".join(str(int(pid)) for pid in pids)])

    def freeze(self, pattern: str = "", infrastructure: bool = False):
        """Stops (SIGSTOP) all processes whose command line contains pattern; with infrastructure=True sshd too: a node that hangs."""

        def running():
            return [p.pid for p in self.processes(infrastructure)
                    if p.pid != 1 and p.state not in "TZX" and pattern in (" ".join(p.cmdline) or p.comm)]

        def done():
            pids = running()
            if pids:
                self._root(["/bin/sh", "-c", f"kill -STOP {' '.join(map(str, pids))} || true"])
            return not running()

        wait_until(done, 10, f"{self.name}: all processes stand still")

    def thaw(self):
        stopped = [p.pid for p in self.processes(infrastructure=True) if p.state == "T"]
        if stopped:
            self._root(["/bin/sh", "-c", f"kill -CONT {' '.join(map(str, stopped))} || true"])

    def power_off(self):
        """The node is gone between two instructions: no process says goodbye, no connection is closed."""
        self.unplug()  # first, because the kernel closes the connections of a killed process
        os.kill(self.pid, signal.SIGKILL)
        wait_until(lambda: not self.alive(), 10, f"{self.name} is off")

    def reboot(self, boot=None):
        """The reset button: every process is gone without a goodbye, and what lay in memory (/tmp, /dev/shm). Then it is up again, with
        another boot id and its sshd; boot is called in between, for what is to be seen while it is down."""
        self.unplug()  # as in power_off()
        wait_until(self._nothing_runs, 20, f"{self.name}: every process is gone")
        self._root(["find", "/tmp", "/dev/shm", "-mindepth", "1", "-delete"])
        if boot:
            boot()
        self._root(["/bin/sh", "-c", "ss -K >/dev/null 2>&1; cat /proc/sys/kernel/random/uuid > /run/boot_id && "
                    "{ umount /proc/sys/kernel/random/boot_id 2>/dev/null || true; } && mount --bind /run/boot_id /proc/sys/kernel/random/boot_id"])
        self.plug()
        self.start_sshd()

    def _nothing_runs(self) -> bool:
        left = " ".join(str(p.pid) for p in self.processes(infrastructure=True) if p.pid != 1 and p.state != "Z")
        if left:  # stopped first: none must see the others die
            self.run(["/bin/sh", "-c", f"kill -STOP {left}; kill -KILL {left}"], user=self.ROOT, cwd="/")
        return not left

    def limit_memory(self, megabytes: int):
        """What comes in over SSH from now on may use so much together; the kernel kills what goes beyond (a memory cgroup). down() ends it."""
        group = self._cluster.memory_group(self.name)
        try:
            (group / "memory.limit_in_bytes").write_text(str(megabytes << 20), encoding="utf-8")
        except OSError as e:
            raise Unsupported(f"no memory cgroup can be limited here: {e.strerror}") from e
        listener = self.path("/run/vcluster/sshd.pid").read_text(encoding="utf-8").strip()
        self._root(["/bin/sh", "-c", f"echo {listener} > {group}/cgroup.procs"])

    def limit_cpu(self, pids, cores: float):
        """These processes (PIDs that the node sees), with all that they start, get so much CPU time together; release() ends it."""
        microseconds = 100_000
        self._limit("cpu", pids, [("cpu.cfs_period_us", str(microseconds)), ("cpu.cfs_quota_us", str(int(cores * microseconds)))],
                    [("cpu.max", f"{int(cores * microseconds)} {microseconds}")])

    def limit_disk(self, pids, bytes_per_s: int, path: str):
        """These processes read so much per second from the disk that this file of the host's lies on; release() ends it."""
        device = os.stat(path).st_dev
        disk = f"{os.major(device)}:{os.minor(device)}"
        self._limit("blkio", pids, [("blkio.throttle.read_bps_device", f"{disk} {bytes_per_s}")], [("io.max", f"{disk} rbps={bytes_per_s}")])

    def release(self, pids):
        """Ends limit_cpu() and limit_disk()."""
        for group in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup/blkio", "/sys/fs/cgroup"):
            for pid in pids:
                self.run(["/bin/sh", "-c", f"echo {int(pid)} > {group}/cgroup.procs"], user=self.ROOT, cwd="/")

    def _limit(self, controller: str, pids, files, unified_files):
        group, unified = self._cluster.control_group(controller, self.name)
        try:
            for name, text in unified_files if unified else files:
                (group / name).write_text(text, encoding="utf-8")
        except OSError as e:
            raise Unsupported(f"{controller} cannot be limited here: {e.strerror}") from e
        for pid in pids:  # by the node's own numbers
            self._root(["/bin/sh", "-c", f"echo {int(pid)} > {group}/cgroup.procs"])

    # - network

    def partition(self, peers=None):
        """A firewall in between swallows every packet: connections time out. With peers (names) only packets from and to those."""
        if peers is None:
            self._drops.append('iifname != "lo" drop')
        self._drops += [f"ip saddr {self._cluster.address_of(peer)} drop" for peer in peers or []]
        self._apply_drops()

    def drop_port(self, port: int):
        """A firewall that lets connections from elsewhere to this TCP port vanish: they time out."""
        self._drops.append(f'iifname != "lo" tcp dport {int(port)} drop')
        self._apply_drops()

    def reject_port(self, port: int):
        """A firewall that refuses them."""
        self._drops.append(f'iifname != "lo" tcp dport {int(port)} reject with tcp reset')
        self._apply_drops()

    def heal(self):
        """Ends partition, drop_port and reject_port."""
        if self._drops:
            self._drops = []
            self._apply_drops()

    def _apply_drops(self):
        if not shutil.which("nft", path=TOOL_PATH):
            raise Unsupported("nft is missing: apt-get install nftables")
        incoming = "".join(f"    {rule}\n" for rule in self._drops)
        outgoing = "".join(f"    {rule.replace('iifname', 'oifname').replace('saddr', 'daddr')}\n" for rule in self._drops if "dport" not in rule)
        table = (f"table inet vcluster {{\n  chain input {{\n    type filter hook input priority 0;\n{incoming}  }}\n"
                 f"  chain output {{\n    type filter hook output priority 0;\n{outgoing}  }}\n}}\n")
        done = self.run(["nft", "-f", "-"], user=self.ROOT, cwd="/", input=f"table inet vcluster\ndelete table inet vcluster\n{table}")
        if done.returncode != 0:
            raise Unsupported(f"the kernel takes no nftables rules: {done.stderr.strip()}")

    def unplug(self):
        """The cable is out at the switch: not even its hardware address is known any more. (Its own interface stays up.)"""
        self._cluster.switch.run(["bridge", "link", "set", "dev", self._spec["port"], "state", "0"], check=True)

    def plug(self):
        self._cluster.switch.run(["bridge", "link", "set", "dev", self._spec["port"], "state", "3"], check=True)

    def _shape(self, arguments: list):
        done = self.run(["tc", "qdisc", "replace", "dev", "eth0", "root", *arguments], user=self.ROOT, cwd="/")
        if done.returncode != 0:
            raise Unsupported(f"the kernel cannot do 'tc {arguments[0]}': {done.stderr.strip()}")

    def delay(self, milliseconds: float):
        """Every packet that leaves the node comes later; unshape() ends it. Without netem half of the delay is in each direction."""
        try:
            self._shape(["netem", "delay", f"{milliseconds}ms"])
        except Unsupported:
            self._lay_slow_cable(milliseconds / 2000)

    def _lay_slow_cable(self, seconds: float):
        """A program carries the frames between the node's port and the switch (slow_cable.py)."""
        if self.run(["ethtool", "-K", "eth0", "tx", "off", "tso", "off", "gso", "off"], user=self.ROOT, cwd="/").returncode != 0:
            raise Unsupported("no netem in this kernel, and ethtool is missing: apt-get install ethtool")
        port, switch = self._spec["port"], self._cluster.switch
        cable = switch.popen([sys.executable, "-I", "-S", "-B", str(HERE / "slow_cable.py"), port, f"slow-{port}", str(seconds)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._cable = cable
        if cable.stdout.readline() != "up\n":
            self._remove_slow_cable()
            raise Unsupported("no tap device here (/dev/net/tun)")
        switch.run(["sh", "-c", f"ip link set {port} nomaster promisc on && ip link set slow-{port} master br0 up"], check=True)

    def _remove_slow_cable(self):
        cable, self._cable = self._cable, None
        if cable:
            port = self._spec["port"]
            self._cluster.switch.run(["ip", "link", "set", port, "promisc", "off", "master", "br0"], check=True)
            cable.stdin.close()
            cable.stdout.close()
            cable.wait()
            self.run(["ethtool", "-K", "eth0", "tx", "on", "tso", "on", "gso", "on"], user=self.ROOT, cwd="/")

    def loss(self, percent: float):
        """That part of the packets that leave the node gets lost; unshape() ends it."""
        self._shape(["netem", "loss", f"{percent}%"])

    def rate(self, megabits: float):
        """A slow link: traffic from the node is limited to this many Mbit/s; unshape() ends it."""
        self._shape(["tbf", "rate", f"{megabits}mbit", "burst", "64k", "latency", "200ms"])

    def unshape(self):
        self._remove_slow_cable()
        self.run(["tc", "qdisc", "del", "dev", "eth0", "root"], user=self.ROOT, cwd="/")

    def add_interface(self, name: str, address: str):
        """One more interface that leads nowhere, such as docker0 with 172.17.0.1/16 on every node."""
        self._root(["ip", "link", "add", name, "type", "bridge"])
        self._root(["ip", "address", "add", address, "dev", name])
        self._root(["ip", "link", "set", name, "up"])

    # - disk

    def fill_disk(self):
        """Fills the home to the last byte. Only for a node that was given home_size: the disk of this machine is not touched."""
        if not self._spec["home_size"]:
            raise ClusterError(f"{self.name} has no home_size, filling it would fill the host's disk")
        self._root(["/bin/sh", "-c", f"cat /dev/zero > {self.home}/.filler 2>/dev/null || true"])

    def free_disk(self):
        self._root(["rm", "-f", f"{self.home}/.filler"])

    def home_noexec(self, on: bool = True):
        """The home mounted without permission to execute, as some sites have it."""
        self._root(["mount", "-o", f"remount,bind,{'noexec' if on else 'exec'}", self.home])

    def home_readonly(self, on: bool = True):
        self._root(["mount", "-o", f"remount,bind,{'ro' if on else 'rw'}", self.home])

    def remove(self, path: str):
        """A file of the system is missing on this node (a library, a program); the host keeps it."""
        real = os.path.realpath(path)
        folder = os.path.dirname(real)
        script = ('layer=$(mktemp -d /run/overlay.XXXXXX) && mkdir "$layer/upper" "$layer/work" && '
                  'mount -t overlay overlay -o "lowerdir=$1,upperdir=$layer/upper,workdir=$layer/work" "$1" && rm -f "$2"')
        done = self.run(["/bin/sh", "-c", script, "remove", folder, real], user=self.ROOT, cwd="/")
        if done.returncode != 0:
            raise Unsupported(f"cannot take {path} away: {done.stderr.strip()}")


class VirtualCluster:
    """N nodes and a desk. Use as a context manager, or start() and down().

    nodes          how many, or a list of dictionaries per node: {"home_size": "16m", "home_noexec": True, "slots": 2}
    dir            folder for keys, homes and logs; kept afterwards. None: a temporary one, removed at the end
    slots          cpu_slots in the inventory
    user           "trainer" (ordinary user) or "root": whom the inventory names and whose home the node options mean
    datasets       folder bound read-only at /srv/datasets on every machine
    bind           {host path: (path on every machine, read_only)}
    keep           further host folders the desk must see though they lie below /tmp (the desk has a /tmp of its own; working folder,
                   repository and dir are seen anyway)
    shared_home    all nodes have node1's homes, as where a file server holds them
    known_hosts    True: the desk knows the nodes' host keys; False: it has met none of them
    """

    def __init__(self, nodes=2, dir=None, slots: int = 1, user: str = "trainer", datasets=None,  # pylint: disable=W0622
                 bind: dict | None = None, keep=(), known_hosts: bool = True, shared_home: bool = False):
        options = [{} for _ in range(nodes)] if isinstance(nodes, int) else [dict(o) for o in nodes]
        if not 1 <= len(options) <= MAX_NODES:
            raise ValueError(f"nodes: 1 to {MAX_NODES}")
        for option in options:
            unknown = set(option) - {"home_size", "home_noexec", "slots"}
            if unknown:
                raise ValueError(f"unknown node option {sorted(unknown)[0]}")
        if user not in ("trainer", "root"):
            raise ValueError("user: trainer or root")
        self.user, self.password = user, PASSWORD
        self._options, self._slots, self._known, self._shared_home = options, slots, known_hosts, shared_home
        self._asked_dir = dir
        self._keep = list(keep)
        self._binds = {str(source): tuple(where) for source, where in (bind or {}).items()}
        if datasets:
            self._binds[str(datasets)] = ("/srv/datasets", True)
        for source, (where, _) in self._binds.items():
            if not os.path.exists(source):
                raise ClusterError(f"{source}, to be bound at {where}, does not exist")
        self._holder = None
        self._lock = None
        self._report = None
        self._groups: list = []
        self.nodes: list = []

    # - life

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.down()

    def start(self) -> "VirtualCluster":
        why_not = missing_requirements()
        if why_not:
            raise Unsupported(why_not)
        try:
            self._start()
        except BaseException:
            self.down(keep=True)
            raise
        return self

    def _start(self):
        self.dir = Path(self._asked_dir or tempfile.mkdtemp(prefix="rankscope-cluster-")).resolve()
        self.dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._take_folder()
        spec = self._write_files()
        report, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        report.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._report = report
        with open(self.dir / "hold.log", "wb") as log, theirs:
            self._holder = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(HERE / "vcluster.py"), "_hold", str(self.dir / "spec.json"), str(theirs.fileno())],
                stdin=subprocess.PIPE, stdout=log, stderr=log, pass_fds=[theirs.fileno()], start_new_session=True,
                env={"PATH": TOOL_PATH, "LANG": "C.UTF-8"}, cwd="/")
        pids = self._await_ready({"switch", "desk", *(n["name"] for n in spec["nodes"])})
        root = (0, 0)
        self.switch = Machine("switch", pids["switch"], _start_time(pids["switch"]), {"PATH": TOOL_PATH}, root, "/")
        self.desk = Machine("desk", pids["desk"], _start_time(pids["desk"]), self.desk_env, root, self._desk_cwd)
        self.nodes = [Node(self, n, pids[n["name"]]) for n in spec["nodes"]]
        if self._known:
            self.trust_host_keys()
        self._describe()

    def _take_folder(self):
        self._lock = open(self.dir / "lock", "a", encoding="utf-8")  # pylint: disable=R1732
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as e:
            raise ClusterError(f"another cluster lives in {self.dir}") from e
        ours = (self.dir / "spec.json").exists()
        if not ours and set(os.listdir(self.dir)) - {"lock"}:
            raise ClusterError(f"{self.dir} is not empty and was not made by a cluster; choose another folder")
        for entry in self.dir.iterdir():
            if entry.name != "lock":
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()

    def _write_files(self) -> dict:
        d = self.dir
        self.desk_home, self.inventory, self.ssh_config = d / "desk/home", d / "cluster.yaml", d / "desk/home/.ssh/config"
        self.identity, self.known_hosts = d / "desk/home/.ssh/id_ed25519", d / "desk/home/.ssh/known_hosts"
        for path, mode in (("desk", 0o755), ("desk/etc", 0o755), ("desk/tmp", 0o1777), ("desk/runtime", 0o700), ("desk/home", 0o700),
                           ("desk/home/.ssh", 0o700), ("base", 0o755)):
            (d / path).mkdir()
            (d / path).chmod(mode)
        for name in ("id_ed25519", "id_stranger"):
            _quiet(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{name}@desk", "-f", str(d / "desk/home/.ssh" / name)])
        nodes = []
        for k, option in enumerate(self._options, 1):
            name = f"node{k}"
            folder = d / name
            for path in ("", "run", "etc", "home-root", "home-trainer"):
                (folder / path).mkdir()
            (folder / "home-root").chmod(0o700)
            _write(folder / "etc/hostname", f"{name}\n")
            _write(folder / "etc/machine-id", f"{k:032x}\n")
            _write(folder / "run/sshd_config", SSHD_CONFIG)
            nodes.append({"name": name, "address": f"{SUBNET}.{k}", "port": f"p{k}", "folder": str(folder),
                          "home_size": option.get("home_size", ""), "home_noexec": bool(option.get("home_noexec")),
                          "slots": option.get("slots", self._slots)})
        _write(d / "desk/etc/hostname", "desk\n")
        _write(d / "desk/etc/passwd", "")
        self._desk_cwd = os.getcwd()
        keep = _outermost(p for p in [d, REPOSITORY, self._desk_cwd, *self._keep]
                          if str(p).startswith(("/tmp/", "/srv/")) or self._keep and p in self._keep)
        if self._desk_cwd in ("/tmp", "/srv"):
            self._desk_cwd = "/"
        spec = {"user": self.user, "temporary": not self._asked_dir, "base": str(d / "base"), "nodes": nodes, "binds": self._binds,
                "shared_home": nodes[0]["folder"] if self._shared_home else "",
                "authorized": Path(f"{self.identity}.pub").read_text(encoding="utf-8"),
                "desk": {"name": "desk", "address": DESK_ADDRESS, "port": "pdesk", "folder": str(d / "desk"), "home": str(self.desk_home),
                         "keep": keep}}
        _write(d / "spec.json", json.dumps(spec, indent=1))
        self._write_inventory(nodes)
        _write(self.ssh_config, "".join(
            f"Host {n['name']}\n  HostName {n['address']}\n  User {self.user}\n  IdentityFile {self.identity}\n  IdentitiesOnly yes\n"
            f"  UserKnownHostsFile {self.known_hosts}\n  StrictHostKeyChecking yes\n  ConnectTimeout 10\n" for n in nodes), 0o600)
        return spec

    def _write_inventory(self, nodes):
        text = "nodes:\n"
        for n in nodes:
            text += (f"  - name: {n['name']}\n    host: {n['address']}\n    port: 22\n    user: {self.user}\n"
                     f"    identity_file: {self.identity}\n    gpus: auto\n    cpu_slots: {n['slots']}\n    address: {n['address']}\n")
        _write(self.inventory, text)

    def _await_ready(self, names: set) -> dict:
        pids = {}
        deadline = time.monotonic() + START_TIMEOUT_S
        while names - set(pids):
            ready, _, _ = select.select([self._report], [], [], max(0.0, deadline - time.monotonic()))
            message, credentials = b"", []
            if ready:
                message, credentials, _, _ = self._report.recvmsg(8192, socket.CMSG_SPACE(12))
            if not message:
                log = (self.dir / "hold.log").read_text(encoding="utf-8", errors="replace").strip()
                waiting = ", ".join(sorted(names - set(pids)))
                raise ClusterError(f"the cluster {'ended' if ready else 'is not up in time'}, still awaited: {waiting}. {log}")
            said = json.loads(message.decode())
            if "failed" in said:
                raise ClusterError(f"{said['failed']}: {said['why']}")
            pids[said["ready"]] = struct.unpack("3i", credentials[0][2])[0]  # translated by the kernel into the PID that we see
        return pids

    def _describe(self):
        self.description = {
            "dir": str(self.dir), "inventory": str(self.inventory), "ssh_config": str(self.ssh_config), "known_hosts": str(self.known_hosts),
            "identity": str(self.identity), "user": self.user, "password": self.password, "control": str(self.dir / "control.sock"),
            "owner_pid": os.getpid(),
            "desk": {"name": "desk", "address": DESK_ADDRESS, "pid": self.desk.pid, "start": self.desk.start, "home": str(self.desk_home),
                     "env": self.desk_env},
            "nodes": [{"name": n.name, "address": n.address, "pid": n.pid, "start": n.start, "user": n.user, "home": n.home,
                       "files": str(n.folder), "sshd_log": str(n.sshd_log)} for n in self.nodes]}
        _write(self.dir / "cluster.json", json.dumps(self.description, indent=1), 0o600)

    def down(self, keep: bool = False):
        """Ends every process of the cluster; the folder stays when it was given (or keep=True)."""
        if self._holder:
            try:
                self._holder.stdin.write(b"keep" if keep else b"")
                self._holder.stdin.close()
            except BrokenPipeError:
                pass
            try:
                self._holder.wait(20)
            except subprocess.TimeoutExpired:
                self._holder.kill()
                self._holder.wait()
            self._holder = None
        for group in self._groups:
            try:
                group.rmdir()
            except OSError:
                pass
        self._groups = []
        if self._report:
            self._report.close()
            self._report = None
        if self._lock:
            for name in ("cluster.json", "control.sock"):
                (self.dir / name).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    # - use

    @property
    def desk_env(self) -> dict:
        """The caller's environment with a home of the desk's own, and without what leads out of the cluster."""
        out = {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "DBUS_SESSION_BUS_ADDRESS", "TMPDIR", "http_proxy", "https_proxy",
               "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}
        env = {k: v for k, v in os.environ.items() if k not in out}
        home = str(self.desk_home)
        env.update(HOME=home, XDG_CONFIG_HOME=f"{home}/.config", XDG_CACHE_HOME=f"{home}/.cache", XDG_DATA_HOME=f"{home}/.local/share",
                   XDG_STATE_HOME=f"{home}/.local/state", XDG_RUNTIME_DIR=str(self.dir / "desk/runtime"),
                   RANKSCOPE_TEST_CLUSTER=str(self.dir / "cluster.json"))
        if "PATH" not in env:
            env["PATH"] = TOOL_PATH
        return env

    def run(self, command, **kwargs) -> subprocess.CompletedProcess:
        """Runs a command at the desk."""
        return self.desk.run(command, **kwargs)

    def popen(self, command, **kwargs) -> Command:
        """Starts a command at the desk; its kill() is the kill of the command."""
        return self.desk.popen(command, **kwargs)

    def node(self, name) -> Node:
        """By name, or by number from 1."""
        for node in self.nodes:
            if name in (node.name, int(node.name[4:])):
                return node
        raise KeyError(name)

    def address_of(self, name: str) -> str:
        return DESK_ADDRESS if name == "desk" else self.node(name).address

    def memory_group(self, name: str) -> Path:
        """A cgroup for memory below the caller's own, which is the caller's as long as the cluster is up."""
        own = [line.split(":", 2)[2] for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines() if ":memory:" in line]
        group = Path(f"/sys/fs/cgroup/memory{own[0] if own else ''}/rankscope-{os.getpid()}-{name}")
        try:
            group.mkdir()
        except OSError as e:
            raise Unsupported(f"no memory cgroup can be made here (cgroup v1 and root are needed): {group}: {e.strerror}") from e
        self._groups.append(group)
        return group

    def control_group(self, controller: str, name: str):
        """A cgroup of version 1 or 2 that lives as long as the cluster; and whether it is of version 2."""
        for point, unified in ((Path("/sys/fs/cgroup") / controller, False), (Path("/sys/fs/cgroup"), True)):
            kind = "io" if controller == "blkio" else controller
            enabled = point / "cgroup.subtree_control"
            if unified and not (enabled.exists() and kind in enabled.read_text(encoding="utf-8").split()):
                continue
            group = point / f"rankscope-{os.getpid()}-{name}-{controller}"
            try:
                group.mkdir(exist_ok=True)
            except OSError:
                continue
            if group not in self._groups:
                self._groups.append(group)
            return group, unified
        raise Unsupported(f"no {controller} cgroup can be made here: root is needed")

    def trust_host_keys(self):
        """The desk's known_hosts names the present key of every node, and nothing else."""
        _write(self.known_hosts, "".join(f"{n.name},{n.address} {n.host_key}\n" for n in self.nodes), 0o600)

    # - for programs inside, which do not see the host's processes

    CONTROLS = {"kill_sshd", "start_sshd", "change_host_key", "freeze", "thaw", "power_off", "partition", "heal", "unplug", "plug", "drop_port", "reject_port",
                "reboot", "limit_memory", "limit_cpu", "limit_disk", "release", "delay", "loss", "rate", "unshape", "add_interface", "fill_disk", "free_disk",
                "home_noexec", "home_readonly", "remove", "signal", "processes", "listening_ports", "shared_memory", "alive"}

    def serve(self):
        """Answers `vcluster.py ctl` and `exec` from now on, also those that come from inside the cluster; one request a connection."""
        server = socket.socket(socket.AF_UNIX)
        with _short_path(self.dir) as folder:
            server.bind(f"{folder}/control.sock")
        server.listen(64)

        def answer(connection):
            with connection, connection.makefile("rw", encoding="utf-8") as stream:
                try:
                    reply = {"result": self._control(json.loads(stream.readline()))}
                except Exception as e:  # pylint: disable=W0718
                    reply = {"error": str(e), "unsupported": isinstance(e, Unsupported)}
                try:
                    stream.write(json.dumps(reply, default=sorted) + "\n")
                except OSError:
                    pass

        def loop():
            while True:
                connection, _ = server.accept()
                threading.Thread(target=answer, args=(connection,), daemon=True).start()

        threading.Thread(target=loop, daemon=True).start()

    def _control(self, request: dict):
        machine = self.desk if request["machine"] == "desk" else self.node(request["machine"])
        if request["do"] == "exec":
            done = machine.run(request["command"], timeout=None, **({"user": (0, 0)} if request.get("root") else {}))
            return {"exit": done.returncode, "stdout": done.stdout, "stderr": done.stderr}
        if request["do"] not in self.CONTROLS:
            raise ClusterError(f"unknown: {request['do']}; known: {' '.join(sorted(self.CONTROLS))}")
        result = getattr(machine, request["do"])(*request.get("arguments", []))
        if request["do"] == "processes":
            return [p._asdict() for p in result]
        return sorted(result) if isinstance(result, set) else result


class _short_path:
    """A path to the folder that fits into a socket's address (108 bytes) however deep the folder lies."""

    def __init__(self, folder):
        self._folder = folder

    def __enter__(self):
        self._fd = os.open(self._folder, os.O_PATH | os.O_DIRECTORY)
        return f"/proc/self/fd/{self._fd}"

    def __exit__(self, *_):
        os.close(self._fd)


# --- command line ---------------------------------------------------------------------------------------------------------------------


def _add_cluster_options(parser):
    parser.add_argument("--nodes", type=int, default=2, help="how many (default 2)")
    parser.add_argument("--dir", help="folder for keys, homes and logs; kept (default: a temporary one, removed)")
    parser.add_argument("--slots", type=int, default=1, help="cpu_slots per node in the inventory (default 1)")
    parser.add_argument("--user", choices=("trainer", "root"), default="trainer", help="whom the inventory names (default trainer)")
    parser.add_argument("--datasets", help="folder to show read-only at /srv/datasets on every machine; ignored where it does not exist")
    parser.add_argument("--bind", action="append", default=[], metavar="HOST:INSIDE[:ro]", help="show a host path on every machine")
    parser.add_argument("--keep", action="append", default=[], metavar="FOLDER", help="a folder below /tmp that the desk must see")
    parser.add_argument("--unknown-hosts", action="store_true", help="start with an empty known_hosts")
    parser.add_argument("--home-size", metavar="SIZE", help="homes on a file system of that size, e.g. 16m (for fill_disk)")
    parser.add_argument("--home-noexec", action="store_true", help="homes without permission to execute")


def _cluster_from(arguments) -> VirtualCluster:
    binds = {}
    for text in arguments.bind:
        parts = text.split(":")
        if len(parts) not in (2, 3) or (len(parts) == 3 and parts[2] != "ro"):
            raise ClusterError(f"--bind {text}: HOST:INSIDE or HOST:INSIDE:ro")
        binds[parts[0]] = (parts[1], len(parts) == 3)
    options = {"home_size": arguments.home_size or "", "home_noexec": arguments.home_noexec}
    datasets = arguments.datasets if arguments.datasets and os.path.isdir(arguments.datasets) else None
    return VirtualCluster([dict(options) for _ in range(arguments.nodes)], dir=arguments.dir, slots=arguments.slots, user=arguments.user,
                          datasets=datasets, bind=binds, keep=arguments.keep, known_hosts=not arguments.unknown_hosts)


def _exit_on_signals():
    """SIGTERM and SIGHUP end the program as Ctrl-C does: with the cluster taken down."""

    def leave(number, _):
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _up(arguments) -> int:
    _exit_on_signals()
    with _cluster_from(arguments) as cluster:
        cluster.serve()
        print(json.dumps(cluster.description), flush=True)
        try:
            while os.read(0, 4096):
                pass
        except KeyboardInterrupt:
            pass
    return 0


def _run(arguments) -> int:
    _exit_on_signals()
    with _cluster_from(arguments) as cluster:
        cluster.serve()
        command = cluster.popen(arguments.command)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda n, _: command.send_signal(n))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command, in the same process group, has it too
        code = command.wait()
    return 128 - code if code < 0 else code


def _description_of(folder) -> dict:
    if not folder:
        named = os.environ.get("RANKSCOPE_TEST_CLUSTER")
        if not named:
            raise ClusterError("which cluster? Give --dir")
        folder = os.path.dirname(named)
    try:
        return json.loads(Path(folder, "cluster.json").read_text(encoding="utf-8"))
    except FileNotFoundError as e:
        raise ClusterError(f"no cluster is up in {folder}") from e


def _ask(description: dict, request: dict):
    with socket.socket(socket.AF_UNIX) as client:
        with _short_path(description["dir"]) as folder:
            try:
                client.connect(f"{folder}/control.sock")
            except OSError as e:
                raise ClusterError(f"no process answers for the cluster in {description['dir']}: {e.strerror}") from e
        with client.makefile("rw", encoding="utf-8") as stream:
            stream.write(json.dumps(request) + "\n")
            stream.flush()
            answer = stream.readline()
    reply = json.loads(answer) if answer else {"error": "the cluster ended"}
    if "error" in reply:
        raise (Unsupported if reply.get("unsupported") else ClusterError)(reply["error"])
    return reply["result"]


def _exec(arguments) -> int:
    description = _description_of(arguments.dir)
    machines = {m["name"]: m for m in [description["desk"], *description["nodes"]]}
    if arguments.machine not in machines:
        raise ClusterError(f"no machine {arguments.machine}; there are {' '.join(machines)}")
    machine = machines[arguments.machine]
    try:
        here = _start_time(machine["pid"]) == machine["start"]
    except OSError:
        here = False
    if not here:  # asked from inside the cluster, whose processes do not see one another
        request = {"machine": arguments.machine, "do": "exec", "command": arguments.command, "root": arguments.root}
        done = _ask(description, request)
        sys.stdout.write(done["stdout"])
        sys.stderr.write(done["stderr"])
        return done["exit"] if done["exit"] >= 0 else 128 - done["exit"]
    desk = arguments.machine == "desk"
    trainer = not desk and not arguments.root and machine["user"] == "trainer"
    env = machine.get("env") or {"PATH": TOOL_PATH, "HOME": machine["home"] if trainer else "/root", "LANG": "C.UTF-8",
                                 "USER": "trainer" if trainer else "root", "TERM": os.environ.get("TERM", "dumb")}
    user = (TRAINER_ID, TRAINER_ID) if trainer else (0, 0)
    entered = Machine(machine["name"], machine["pid"], machine["start"], env, user, machine["home"])
    line = entered.command_line(arguments.command)
    os.execve(line[0], line, env)


def _ctl(arguments) -> int:
    values = []
    for text in arguments.arguments:
        try:
            values.append(json.loads(text))
        except ValueError:
            values.append(text)
    print(json.dumps(_ask(_description_of(arguments.dir), {"machine": arguments.machine, "do": arguments.do, "arguments": values})))
    return 0


def _check_command(_) -> int:
    why_not = missing_requirements()
    print(why_not or "virtual clusters work here")
    return SKIP if why_not else 0


def main(argv: list) -> int:
    if argv[:1] == ["_hold"]:
        _hold(argv[1], int(argv[2]))
        return 0
    parser = argparse.ArgumentParser(prog="vcluster.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="start a cluster, print one line of JSON when it is ready, end with SIGTERM or end of input")
    _add_cluster_options(up)
    up.set_defaults(function=_up)
    run = verbs.add_parser("run", help=f"run CMD at the desk of a new cluster, pass its exit code on; exit {SKIP} where no cluster can be made")
    _add_cluster_options(run)
    run.add_argument("command", nargs="+", metavar="CMD")
    run.set_defaults(function=_run)
    execute = verbs.add_parser("exec", help="run CMD on a machine of a cluster that is up")
    execute.add_argument("--dir", help="the cluster's folder (default: the one that this program runs in)")
    execute.add_argument("--root", action="store_true", help="as root, also where the inventory names trainer")
    execute.add_argument("machine", metavar="NODE|desk")
    execute.add_argument("command", nargs="+", metavar="CMD")
    execute.set_defaults(function=_exec)
    ctl = verbs.add_parser("ctl", help="cause or end a fault, ask for processes and ports; the result is printed as JSON",
                           epilog="VERB: " + " ".join(sorted(VirtualCluster.CONTROLS)))
    ctl.add_argument("--dir", help="the cluster's folder (default: the one that this program runs in)")
    ctl.add_argument("machine", metavar="NODE|desk")
    ctl.add_argument("do", metavar="VERB")
    ctl.add_argument("arguments", nargs="*", metavar="ARG")
    ctl.set_defaults(function=_ctl)
    verbs.add_parser("check", help=f"say whether clusters work here; exit {SKIP} if not").set_defaults(function=_check_command)
    command = []
    if "--" in argv:  # argparse would also swallow a "--" that belongs to the command
        command = argv[argv.index("--") + 1:]
        argv = argv[:argv.index("--")] + command[:1]
    arguments = parser.parse_args(argv)
    if command:
        arguments.command = command
    try:
        return arguments.function(arguments)
    except Unsupported as e:
        print(f"vcluster: {e}", file=sys.stderr)
        return SKIP
    except (ClusterError, TimeoutError) as e:
        print(f"vcluster: {e}", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
