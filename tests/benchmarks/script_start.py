#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the start command to the first step of a two-node PyTorch (Gloo) script that is left as it is, three ways in the same run:

    script     the script alone, its environment set by hand, on both nodes at the same moment: the time it needs itself
    torchrun   `ssh node torchrun …` to both nodes at once, as a parallel ssh does it
    rankscope  `rankscopectl run job.yaml --json`

    python3 tests/benchmarks/script_start.py [--rounds 10]

The first step is the first "loss = " line that has reached the desk. The three take turns, so that what else the machine does falls on all
alike. Needs root and PyTorch (Debian: python3-torch); RANKSCOPE_BIN names the folder of the programs (default: build/release/bin).
"""
import argparse
import os
import shlex
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
from support import new_cluster, start  # noqa: E402

NODES = ["node1", "node2"]
SCRIPTS = HERE.parent / "data" / "scripts"
SCRIPT = "/srv/scripts/multi_node.py"  # where the nodes see it
STEPS = "3"
# torchrun's own entry. PyTorch 1.13 under Python 3.11 does not find its own default for --redirects (Std.from_str iterates over an IntFlag,
# which no longer yields 0), so that is given back to it.
TORCHRUN = ("import torch.distributed.elastic.multiprocessing.api as api, torch.distributed.run as run; "
            "api.Std.from_str = classmethod(lambda cls, text: cls.NONE); run.main()")
PYTHON = "/usr/bin/python3"  # Debian's, which has torch


def first_loss(programs: list, since: float) -> float:
    """Seconds from `since` until one of the programs has printed a loss; then waits for all of them to end."""
    found = []

    def read(program):
        for line in program.stdout:
            if "loss = " in line:
                found.append(time.monotonic())

    readers = [threading.Thread(target=read, args=(program,)) for program in programs]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    for program in programs:
        if program.wait() != 0:
            raise SystemExit(f"{program.args} ended with {program.returncode}")
    return min(found) - since


def alone(cluster, port: int) -> float:
    began = time.monotonic()
    programs = []
    for rank, name in enumerate(NODES):
        environment = {"MASTER_ADDR": cluster.node("node1").address, "MASTER_PORT": str(port), "WORLD_SIZE": "2", "RANK": str(rank),
                       "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "1", "OMP_NUM_THREADS": "1"}
        programs.append(cluster.node(name).popen([PYTHON, "-u", SCRIPT, STEPS], env=environment, stdout=subprocess.PIPE, text=True))
    return first_loss(programs, began)


def torchrun(cluster, port: int) -> float:
    began = time.monotonic()
    programs = []
    for rank, name in enumerate(NODES):
        line = (f"{PYTHON} -u -c {shlex.quote(TORCHRUN)} --nnodes 2 --nproc_per_node 1 --node_rank {rank} "
                f"--master_addr {cluster.node('node1').address} --master_port {port} {SCRIPT} {STEPS}")
        programs.append(cluster.desk.popen(["ssh", "-o", "BatchMode=yes", name, line], stdout=subprocess.PIPE, text=True))
    return first_loss(programs, began)


def rankscope(cluster, port: int) -> float:
    run = start(cluster, {"name": "start", "nodes": NODES, "procs_per_node": 1, "master_port": port,
                          "command": [PYTHON, SCRIPT, STEPS]})
    if run.end(120) != 0:
        raise SystemExit(run.explain())
    return next(event["at"] for event in run.of("log") if "loss = " in event["text"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    print(f"load before: {os.getloadavg()[0]:.2f}")
    ways = {"script": alone, "torchrun": torchrun, "rankscope": rankscope}
    times: dict = {name: [] for name in ways}
    with new_cluster(2, bind={SCRIPTS: ("/srv/scripts", True)}) as cluster:
        port = 29600
        for round_ in range(rounds + 1):
            for name, measure in ways.items():
                port += 1
                seconds = measure(cluster, port)
                if round_ > 0:  # the first one pushes the agent and warms the files' cache
                    times[name].append(seconds)
    for name, values in times.items():
        print(f"  {name:<10} median {statistics.median(values):6.3f} s   min {min(values):6.3f}   max {max(values):6.3f}")
    above = [mine - script for mine, script in zip(times["rankscope"], times["script"])]
    ratios = [mine / theirs for mine, theirs in zip(times["rankscope"], times["torchrun"])]
    print(f"  above the script's own time, by round: median {statistics.median(above):.3f} s   min {min(above):.3f}   max {max(above):.3f}")
    print(f"  rankscope / torchrun, by round: median {statistics.median(ratios):.2f}   min {min(ratios):.2f}   max {max(ratios):.2f}")


if __name__ == "__main__":
    main()
