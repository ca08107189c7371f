#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at Python programs of eight kinds, as often as they answer: none may crash, and none may stand still for long.

  tests/benchmarks/stack_looks.py [--looks 10000] [--kinds compute,…] [--seconds 600] [PYTHON…]

PYTHON is a program, or ROOT:PROGRAM for one within the folder ROOT (as root). Without one: every python3 in PATH and of pyenv.
A row says how many looks were answered, and for how long a look kept the interpreter's lock: by the clock (which on a busy machine
counts other programs, too) and in time of the CPU. Exit code 1: a program crashed, ended wrongly, or of 1,000 looks one used more
than 1 ms (a fault of a large page of memory or an interrupt may count for a single one)."""
from __future__ import annotations

import argparse
import ctypes
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

HOOK = Path(__file__).resolve().parent.parent.parent / "remote/agent/ranks/sitecustomize.py"
SIGNAL = 23  # SIGURG
TGKILL = {"x86_64": 234, "aarch64": 131}[os.uname().machine]
ANSWER_S = 5.0  # on a busy machine
LIMIT_US = 1000
LIBC = ctypes.CDLL(None, use_errno=True)

# Every program begins with this, and ends when the file is there. Its threads take turns ten times as often as usual: more looks
# in the same time, and more of them interrupted half way.
BEGIN = """
import os, sys, time
STOP = sys.argv[1]
sys.setswitchinterval(0.0005)
def stopped():
    return os.path.exists(STOP)
"""
END = """
print("fine", flush=True)
"""
KINDS = {
    "compute": """
import gc
class Node:
    def __init__(self, other): self.other = other; other.append(self)
    def __del__(self): rec(3)
def rec(n): return 0 if n == 0 else 1 + rec(n - 1)
def numbers(n):
    for i in range(n): yield rec(i % 7)
def work(d):
    for i in range(20): rec(d % 40)
    [Node([]) for x in range(5)]
    try: sorted(numbers(50), key=lambda q: -q); raise ValueError(d)
    except ValueError: pass
i = 0
while not stopped():
    for k in range(50):
        i += 1; work(i); [x for x in map(lambda q: q * 2, range(50))]
    if i % 5000 == 0: rec(900)
""",
    "import": """
import importlib
NAMES = ["json", "decimal", "email.message", "http.client", "asyncio", "unittest", "xml.dom.minidom", "logging.handlers", "typing",
         "dataclasses", "inspect", "argparse", "tarfile", "statistics", "fractions", "pydoc", "doctest", "concurrent.futures"]
while not stopped():
    for name in NAMES: importlib.import_module(name)
    for name in list(sys.modules):
        if name.split(".")[0] in {n.split(".")[0] for n in NAMES} and name not in ("typing", "inspect"): del sys.modules[name]
""",
    "fork": """
import multiprocessing, warnings
warnings.simplefilter("error")
def child(n):
    def rec(k): return k and 1 + rec(k - 1)
    for i in range(200): rec(30)
context = multiprocessing.get_context("fork")
while not stopped():
    workers = [context.Process(target=child, args=(n,)) for n in range(3)]
    for worker in workers: worker.start()
    for worker in workers: worker.join(); assert worker.exitcode == 0, worker.exitcode
    pid = os.fork()
    if pid == 0:
        child(1); sys.exit(7)
    assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 7
""",
    "jit": """
import subprocess
n = 0
while not stopped():
    for k in range(20):
        n += 1
        names = {}
        body = "".join("    x = x * %d + [y for y in range(%d)][-1]\\n" % (i, n % 9 + 1) for i in range(30))
        exec(compile("def f(x):\\n" + body + "    return x\\n", "<generated %d>" % n, "exec"), names)
        names["f"](3)
    assert subprocess.run(["/bin/true"]).returncode == 0
""",
    "blocked": """
import select, socket, threading
here, there = socket.socketpair()
lock = threading.Lock(); lock.acquire()
out, into = os.pipe()
def deep(n, wait): return wait() if n == 0 else deep(n - 1, wait)
while not stopped():
    deep(5, lambda: select.select([here], [], [], 0.05))
    deep(50, lambda: lock.acquire(timeout=0.05))
    deep(3, lambda: time.sleep(0.05))
    here.settimeout(0.05)
    try: deep(8, lambda: here.recv(1))
    except socket.timeout: pass
    child = os.spawnv(os.P_NOWAIT, "/bin/sleep", ["sleep", "0.05"]); os.waitpid(child, 0)
here.close(); there.close()
""",
    "threads": """
import threading, queue
work = queue.Queue(50)
def rec(n): return n and 1 + rec(n - 1)
def short(): rec(20); threading.local().x = [1]
def worker():
    while not over:
        try: rec(work.get(timeout=0.1))
        except queue.Empty: pass
over = False
threads = [threading.Thread(target=worker) for i in range(12)]
for thread in threads: thread.start()
while not stopped():
    for i in range(30): work.put(i)
    few = [threading.Thread(target=short) for i in range(4)]
    for thread in few: thread.start()
    for thread in few: thread.join()
over = True
for thread in threads: thread.join()
""",
    "asyncio": """
import asyncio
async def numbers(n):
    for i in range(n):
        await asyncio.sleep(0); yield i
async def work(n):
    return sum([i async for i in numbers(n)])
async def fails():
    await asyncio.sleep(0.001); raise KeyError(1)
async def main():
    while not stopped():
        await asyncio.gather(*(work(20) for i in range(20)), fails(), return_exceptions=True)
        await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0.001)
asyncio.run(main())
""",
    # Started again and again: looks meet its first lines, its end, and what comes after that.
    "short": """
import threading
class Late:
    def __del__(self):
        for i in range(300): str(i)
late = Late(); late.me = late
threading.Thread(target=lambda: [time.sleep(0.001) for i in range(5)], daemon=True).start()
until = time.time() + 0.03
while time.time() < until: [str(i) for i in range(100)]
""",
}

# What the hook itself measures, in a copy: the time from taking the lock to the system call that gives it back.
MEASURE = [
    ("        collects = self.collects()\n",
     "        began = time.perf_counter_ns(); cpu = time.thread_time_ns()\n        collects = self.collects()\n"),
    ("        try:\n            links = self.links_of(self.stack())\n",
     "        try:\n            links = self.links_of(self.stack())\n"
     "            links[-1] += b'\\n# %d %d' % (time.perf_counter_ns() - began, time.thread_time_ns() - cpu)\n"),
    ("import sys\n\n", "import sys\nimport time\n\n"),
]


def measuring_hook() -> str:
    text = HOOK.read_text()
    for old, new in MEASURE:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@dataclass
class Python:
    name: str
    root: str = ""

    def command(self, *rest: str) -> list[str]:
        return (["chroot", self.root] if self.root else []) + [self.name, *rest]

    def version(self) -> str:
        code = ("import sys; print(sys.implementation.name, '.'.join(map(str, sys.version_info[:3])) + "
                "(' debug' if hasattr(sys, 'gettotalrefcount') else ''))")
        done = subprocess.run(self.command("-c", code), capture_output=True, text=True)
        return done.stdout.strip()


@dataclass
class Row:
    looks: int = 0
    unanswered: int = 0
    wrong: list = field(default_factory=list)
    wall: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    frames: int = 0
    why: str = ""


class Looker:
    def __init__(self, python: Python, folder: str):
        self.python, self.folder = python, folder
        self.inside = folder[len(python.root):] if python.root else folder

    def start(self, kind: str) -> subprocess.Popen:
        program = Path(self.folder) / "program.py"
        program.write_text(BEGIN + KINDS[kind] + END)
        self.stop = Path(self.folder) / "stop"
        self.stop.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": self.inside + "/hook"}
        return subprocess.Popen(self.python.command(self.inside + "/program.py", self.inside + "/stop"), env=environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)

    def link(self, pid: int) -> str:
        return f"{self.folder}/hook/{pid}"

    def thread(self, process: subprocess.Popen) -> int:
        try:
            text = os.readlink(self.link(process.pid))
        except OSError:
            return 0
        return int(text) if text.isdigit() else -1

    def look(self, process: subprocess.Popen, row: Row) -> bool:
        thread = self.thread(process)
        if thread <= 0:
            return False
        if len(row.wrong) >= 5:
            return False
        name = self.link(process.pid)
        try:
            os.unlink(name + ".0")
        except FileNotFoundError:
            pass
        if LIBC.syscall(TGKILL, process.pid, thread, SIGNAL) != 0:
            return False
        until = time.monotonic() + ANSWER_S
        pause = 0.0001
        while time.monotonic() < until:
            try:
                text = os.readlink(name + ".0")
            except FileNotFoundError:
                if process.poll() is not None or self.thread(process) != thread:
                    return False
                time.sleep(pause)
                pause = min(0.002, pause * 1.5)
                continue
            head, _, body = text.partition("\n")
            for i in range(1, int(head.split()[1])):
                body += os.readlink(f"{name}.{i}").partition("\n")[2]
            if not re.match(r"\d+ \S+ |!no frames\n", body):
                row.wrong.append("answer: " + body[:100])
            row.frames = max(row.frames, body.count("\n"))
            wall, cpu = map(int, body.rpartition("# ")[2].split())
            row.wall.append(wall)
            row.cpu.append(cpu)
            row.looks += 1
            return True
        row.unanswered += 1
        return False

    def end(self, process: subprocess.Popen, row: Row) -> None:
        try:
            out, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            row.wrong.append("did not end")
        if process.returncode != 0 or out != b"fine\n" or errors:
            row.wrong.append(f"status {process.returncode}: {out[-200:]!r} {errors[-800:]!r}")

    def run(self, kind: str, looks: int, seconds: float) -> Row:
        row = Row()
        until = time.monotonic() + seconds
        while row.looks < looks and time.monotonic() < until and len(row.wrong) < 5 and row.unanswered < 5:
            process = self.start(kind)
            while process.poll() is None and self.thread(process) == 0 and time.monotonic() < until:
                time.sleep(0.0005)
            if process.poll() is None and self.thread(process) < 0:
                row.why = os.readlink(self.link(process.pid))
                self.stop.touch()
                self.end(process, row)
                return row
            while row.looks < looks and time.monotonic() < until and process.poll() is None:
                if not self.look(process, row):
                    if row.unanswered > 5:
                        break
                    time.sleep(0.001)  # it ends, or forks
            self.stop.touch()
            self.end(process, row)
            for link in glob.glob(self.link(process.pid) + "*"):
                os.unlink(link)
        return row


def pythons() -> list[Python]:
    found = {}
    folders = [*os.environ.get("PATH", "").split(":"), *glob.glob(os.path.expanduser("~/.pyenv/versions/*/bin"))]
    for folder in folders:
        for name in ("python3", *(f"python3.{minor}" for minor in range(8, 20))):
            path = Path(folder) / name
            if path.exists() and "shims" not in folder:
                found.setdefault(os.path.realpath(path), Python(str(path)))
    return list(found.values())


def percentile(values: list[int], share: float) -> float:
    return sorted(values)[max(0, min(len(values) - 2, int(share * len(values))))] / 1000 if values else 0


def limit_share(looks: int) -> float:
    """The part of the looks that keeps the limit. A virtual machine counts what its host took away as CPU time of the thread, so single looks say
    nothing: of a thousand one may be longer, of a few one in twenty."""
    return 0.999 if looks >= 1000 else 0.95


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--looks", type=int, default=10000)
    arguments.add_argument("--seconds", type=float, default=600, help="for one kind of program on one Python, at most")
    arguments.add_argument("--kinds", default=",".join(KINDS))
    arguments.add_argument("--least", type=int, default=0, help="fewer looks are a failure")
    arguments.add_argument("--two", action="store_true", help="without PYTHON: only the first and the newest one")
    arguments.add_argument("pythons", nargs="*")
    given = arguments.parse_args()
    chosen = [Python(text.rpartition(":")[2], text.rpartition(":")[0]) for text in given.pythons] or pythons()
    if given.two and len(chosen) > 2:
        newest = max(chosen[1:], key=lambda python: [int(part) for part in re.findall(r"\d+", python.version())])
        chosen = [chosen[0], newest]
    if not chosen:
        print("skipped: no python3")
        return 77
    failed = False
    print("| Python | program | looks | unanswered | lock kept, µs: median | 99.9 % | longest | CPU, µs: 99.9 % | longest | frames | crashes |",
          flush=True)
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for python in chosen:
        version = python.version()
        for kind in given.kinds.split(","):
            folder = tempfile.mkdtemp(prefix="looks-", dir=(python.root or "") + "/tmp")
            os.mkdir(folder + "/hook")
            Path(folder, "hook", "sitecustomize.py").write_text(measuring_hook())
            row = Looker(python, folder).run(kind, given.looks, given.seconds)
            shutil.rmtree(folder)
            used = percentile(row.cpu, 0.999)
            too_long = percentile(row.cpu, limit_share(row.looks)) > LIMIT_US
            bad = bool(row.wrong) or row.unanswered > 0 or too_long or (not row.why and row.looks < given.least)
            failed = failed or bad
            print(f"| {version} | {kind} | {row.looks} | {row.unanswered} | {percentile(row.wall, 0.5):.0f} | {percentile(row.wall, 0.999):.0f} | "
                  f"{max(row.wall, default=0) / 1000:.0f} | {used:.0f} | {max(row.cpu, default=0) / 1000:.0f} | {row.frames} | {len(row.wrong)} {row.why}{' FAILED' if bad else ''} |", flush=True)
            for text in row.wrong[:3]:
                print("    " + text, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
