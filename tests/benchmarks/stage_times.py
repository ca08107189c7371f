#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long each stage of a start takes: a local run, and two SSH nodes of the virtual cluster with agent and worker already pushed.

    python3 tests/benchmarks/stage_times.py [--rounds 10]

Prints, per case and stage, seconds after the start of rankscopectl (median, min, max over the rounds). "first loss" is the moment the
first loss of any rank came out of rankscopectl. Needs root; RANKSCOPE_BIN names the folder of the programs (default: build/release/bin).
"""
import argparse
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from support import new_cluster, start, train_job  # noqa: E402


def measure(cluster, nodes, procs: int, rounds: int) -> dict:
    times: dict = {}
    for round_ in range(rounds + 1):
        run = start(cluster, train_job(nodes, procs_per_node=procs, master_port=0, max_steps=3, validate=False))
        if run.end(60) != 0:
            raise SystemExit(run.explain())
        if round_ == 0:
            continue  # this one pushes
        stages = run.stage_times()
        stages["first loss"] = next(event["at"] for event in run.of("metric") if "loss" in event)
        stages["end"] = run.verdict()["at"]
        for name, seconds in stages.items():
            times.setdefault(name, []).append(seconds)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    print(f"load before: {os.getloadavg()[0]:.2f}")
    with new_cluster(2) as cluster:
        for title, nodes, procs in (("local, 2 ranks", ["local"], 2), ("two SSH nodes, 1 rank each", ["node1", "node2"], 1)):
            print(f"\n{title}: seconds after start, {rounds} rounds")
            for name, values in measure(cluster, nodes, procs, rounds).items():
                print(f"  {name:<12} median {statistics.median(values):6.3f}   min {min(values):6.3f}   max {max(values):6.3f}")


if __name__ == "__main__":
    main()
