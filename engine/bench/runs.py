# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts the ranks of a benchmark and measures what else the machine does meanwhile."""
import json
import os
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field


def busy_seconds():
    """CPU seconds that all programs have used on this machine since it started."""
    with open("/proc/stat") as stat:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, stat.readline().split()[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def busy_cores(seconds=0.5):
    before, begin = busy_seconds(), time.monotonic()
    time.sleep(seconds)
    return (busy_seconds() - before) / (time.monotonic() - begin)


def wait_until_quiet(limit, patience):
    """Until others use less than `limit` cores, at most `patience` seconds. Returns how many they use."""
    end = time.monotonic() + patience
    while (cores := busy_cores()) > limit and time.monotonic() < end:
        time.sleep(1)
    return cores


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


PEER_LOST = 75   # exit status of rankscope-worker
LINES_KEPT = 20


def last_lines(files):
    """Of each rank's file the last lines that say something."""
    kept = {}
    for rank, file in enumerate(files):
        file.seek(0)
        kept[rank] = [line for line in file.read().splitlines() if line.strip()][-LINES_KEPT:]
    return kept


@dataclass
class Run:
    """One benchmark run: the JSON line that its rank 0 printed, or why there is none."""
    line: dict = field(default_factory=dict)
    fault: str = ""
    timed_out: bool = False
    said: dict = field(default_factory=dict)  # of a fault: the last lines on stderr by rank
    wall_s: float = 0.0         # from the start of the first rank until the last has ended
    first_step_s: float = 0.0   # from the start of the first rank until the slowest rank's first step was done
    others_cores: float = 0.0   # what else ran on the machine meanwhile


def last_json(text):
    for line in reversed(text.splitlines()):
        begin = line.find('{"')  # torchrun may put "[default0]:" in front
        if begin >= 0:
            try:
                return json.loads(line[begin:])
            except ValueError:
                pass
    return {}


def start_ranks(command, world=1, threads=1, timeout=600, launcher=False, environment=None, wants_line=True):
    """Runs `command` as `world` ranks on this machine; the word "{port}" in it becomes a free port, "{rank}" in
    `environment` the rank. `launcher`: the command starts the ranks itself."""
    common = dict(os.environ, OMP_NUM_THREADS=str(threads), RANKSCOPE_TOKEN="benchmark")
    common.pop("RANKSCOPE_METRICS", None)
    port = str(free_port())
    command = [port if word == "{port}" else word for word in command]
    faults = [tempfile.TemporaryFile("w+") for _ in range(1 if launcher else world)]
    cpu, busy, begin, started = children_seconds(), busy_seconds(), time.monotonic(), time.time()
    ranks = []
    for rank, errors in enumerate(faults):
        own = {name: value.replace("{rank}", str(rank)) for name, value in (environment or {}).items()}
        if world > 1 and not launcher:
            own.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(world), LOCAL_WORLD_SIZE=str(world),
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
        ranks.append(subprocess.Popen(command, env=dict(common, **own), stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True))
    outputs = []
    try:
        for rank in ranks:
            outputs.append(rank.communicate(timeout=max(1.0, timeout - (time.monotonic() - begin)))[0])
    except subprocess.TimeoutExpired:
        for rank in ranks:
            os.killpg(rank.pid, signal.SIGKILL)  # with the ranks that a launcher started
            rank.wait()
        return Run(fault=f"not done after {timeout:.0f} s", timed_out=True, said=last_lines(faults))
    finally:
        said = last_lines(faults)
        for errors in faults:
            errors.close()
    wall = time.monotonic() - begin
    result = Run(wall_s=wall)
    result.others_cores = max(0.0, (busy_seconds() - busy - (children_seconds() - cpu)) / wall)
    failed = [rank for rank, process in enumerate(ranks) if process.returncode != 0]
    if failed:
        # A rank that lost another one is no cause.
        first = next((rank for rank in failed if ranks[rank].returncode != PEER_LOST), failed[0])
        result.fault = f"rank {first} ended with {ranks[first].returncode}: {said[first][-1] if said[first] else 'no message'}"
        result.said = said
        return result
    if wants_line:
        result.line = last_json("\n".join(outputs))
        if not result.line:
            result.fault = "printed no JSON line"
        elif "first_step_at" in result.line:
            result.first_step_s = result.line["first_step_at"] - started
    return result


def spread(values, digits=None):
    """median (smallest–largest)"""
    values = sorted(values)
    if not values:
        return "–"

    def text(value):
        places = digits if digits is not None else (0 if value >= 100 else 2 if value >= 1 else 4)
        return f"{value:.{places}f}"
    return f"{text(statistics.median(values))} ({text(values[0])}–{text(values[-1])})"


def cpu_name():
    with open("/proc/cpuinfo") as info:
        lines = info.read().splitlines()
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "CPU")
    flags = set(next((line for line in lines if line.startswith("flags")), "").split())
    wide = [title for flag, title in (("avx2", "AVX2"), ("avx512f", "AVX-512"), ("avx512_bf16", "AVX512-BF16"),
                                      ("amx_bf16", "AMX")) if flag in flags]
    return f"{name}, {os.cpu_count()} CPUs, {', '.join(wide)}"
