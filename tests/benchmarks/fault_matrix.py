#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fault matrix of tests/integration/test_faults.py several times, as one table: median and worst. As root:
tests/benchmarks/fault_matrix.py [--rounds 3] [--bin DIR]
With --culprits: the faults of tests/integration/test_culprits.py, native engine and Gloo script, desk attached and away: how often the title
names the right rank or node."""
from __future__ import annotations

import argparse
import multiprocessing
import os
import queue
import statistics
import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def play_culprits(plays, results) -> None:
    """One of several at work: a cluster of its own, one fault after the other on it."""
    import test_culprits  # noqa: E402 - it looks at the environment
    stage = test_culprits.Stage()
    try:
        while True:
            try:
                turn, name, program, attached = plays.get(timeout=5)
            except queue.Empty:
                return
            fault = next(fault for fault in test_culprits.FAULTS + test_culprits.POWER if fault.name == name)
            try:
                row = stage.play(fault, program, attached)
            except Exception as error:  # pylint: disable=W0718 - one row of a table
                row = (False, f"{type(error).__name__}: {str(error)[:200]}", 0.0)
            results.put((turn, name, program, attached, row))
            if fault in test_culprits.POWER or not row[0]:
                stage.cluster.down()
                stage = test_culprits.Stage()
            else:
                stage.clear()
    finally:
        stage.cluster.down()


def culprits(rounds: int, only: str, jobs: int) -> int:
    import test_culprits  # noqa: E402 - it looks at the environment
    why_not = test_culprits.support.missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return test_culprits.support.SKIP
    plays, results = multiprocessing.Queue(), multiprocessing.Queue()
    chosen = [(turn, fault.name, program, attached) for turn in range(rounds) for fault in test_culprits.FAULTS + test_culprits.POWER
              if only in fault.name for program in ("native", "script") for attached in (True, False)]
    for play in chosen:
        plays.put(play)
    workers = [multiprocessing.Process(target=play_culprits, args=(plays, results)) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    right: dict = {}
    for _ in chosen:
        turn, name, program, attached, row = results.get()
        desk = "attached" if attached else "away"
        right.setdefault((name, program, desk), []).append(row)
        print(f"round {turn + 1}, {name}, {program}, {desk}: {row}", flush=True)
    for worker in workers:
        worker.join()
    print("\n| fault | program | desk | right | verdict after, median (worst) |\n|---|---|---|---|---|")
    for (fault, program, desk), rows in sorted(right.items()):
        took = [seconds for _, _, seconds in rows]
        print(f"| {fault} | {program} | {desk} | {sum(row[0] for row in rows)} of {len(rows)} | "
              f"{statistics.median(took):.0f} s ({max(took):.0f} s) |")
    return 0 if all(row[0] for rows in right.values() for row in rows) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--culprits", action="store_true", help="who is named, instead of how long it takes")
    parser.add_argument("--only", default="", help="of --culprits: faults whose name contains this")
    parser.add_argument("--jobs", type=int, default=1, help="of --culprits: clusters at work at the same time")
    parser.add_argument("--bin", default=str(REPOSITORY / "build/release/bin"))
    arguments = parser.parse_args()
    os.environ["RANKSCOPE_BIN"] = arguments.bin
    sys.path.insert(0, str(REPOSITORY / "tests/integration"))
    if arguments.culprits:
        return culprits(arguments.rounds, arguments.only, max(1, arguments.jobs))
    import test_faults  # noqa: E402 - it looks at the environment
    why_not = test_faults.support.missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return test_faults.support.SKIP
    test_faults.tearDownModule = lambda: None  # one table for all rounds
    failed = 0
    for turn in range(arguments.rounds):
        print(f"round {turn + 1}, load {os.getloadavg()[0]:.1f}", flush=True)
        result = unittest.TextTestRunner(verbosity=1, warnings="ignore").run(unittest.defaultTestLoader.loadTestsFromModule(test_faults))
        failed += len(result.failures) + len(result.errors)
        for test, why in result.skipped:
            print(f"{test}: skipped, {why}")
    rows: dict = {}
    for row in test_faults.TABLE:
        rows.setdefault((row.fault, row.desk), []).append(row)
    print(f"\n{os.cpu_count()} cores for all nodes and the desk, {arguments.rounds} rounds, {failed} failures; seconds, median (worst)\n")
    print("| fault | desk | rounds | all ranks down | nothing left | goal | named |\n|---|---|---|---|---|---|---|")
    for (fault, desk), found in rows.items():
        def column(values):
            return f"{statistics.median(values):.2f} ({max(values):.2f})"
        free = column([row.free for row in found]) if all(row.free for row in found) else "continues"
        print(f"| {fault} | {desk} | {len(found)} | {column([row.took for row in found])} | {free} | {found[0].goal:.0f} | "
              f"{'; '.join(sorted({row.named for row in found}))} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
