#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fault of tests/integration/preflight_faults.py several times, with its printed fix applied and undone, as one table; then healthy
preflights, which must raise no alarm. As root: tests/benchmarks/preflight_matrix.py [--rounds 3] [--healthy 50] [--only TEXT] [--bin DIR]"""
from __future__ import annotations

import argparse
import os
import statistics
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent


def healthy(stage, count: int) -> int:
    """Prints one line; returns the number of alarms."""
    import preflight_faults  # noqa: E402 - it looks at the environment
    seconds, alarms = [], 0
    for turn in range(count):
        code, report = stage.preflight({})
        bad = preflight_faults.bad_of(report["checks"])
        seconds.append(report["took_s"])
        if code != 0 or bad:
            alarms += 1
            print(f"healthy, turn {turn + 1}: {list(bad.values())}", flush=True)
    print(f"\n{count} healthy preflights of {len(preflight_faults.NODES)} nodes: {alarms} with an alarm; {statistics.median(seconds):.2f} s, worst "
          f"{max(seconds):.2f} s")
    return alarms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--healthy", type=int, default=50)
    parser.add_argument("--only", default="", help="faults whose name contains this")
    parser.add_argument("--bin", default=str(REPOSITORY / "build/release/bin"))
    arguments = parser.parse_args()
    os.environ["RANKSCOPE_BIN"] = arguments.bin
    sys.path.insert(0, str(REPOSITORY / "tests/integration"))
    import preflight_faults  # noqa: E402 - it looks at the environment
    from support import SKIP, Unsupported, missing_requirements
    why_not = missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return SKIP
    rows: dict = {}
    stage = preflight_faults.Stage()
    failed = 0
    try:
        for turn in range(arguments.rounds):
            for fault in preflight_faults.FAULTS:
                if arguments.only not in fault.name:
                    continue
                try:
                    wrong, took = preflight_faults.play(stage, fault, stage.sudo)
                except Unsupported as why:
                    wrong, took = [f"not played: {why}"], 0.0
                except Exception as error:  # pylint: disable=W0718 - one row of a table
                    wrong, took = [f"{type(error).__name__}: {str(error)[:500]}"], 0.0
                rows.setdefault(fault.name, (fault, []))[1].append((wrong, took))
                for line in wrong:
                    print(f"round {turn + 1}, {fault.name}: {line}", flush=True)
        print(f"\n{os.cpu_count()} cores for all nodes and the desk, load {os.getloadavg()[0]:.1f}\n")
        print("| fault | id | at | right | fix applied, undone | seconds, median (worst) |\n|---|---|---|---|---|---|")
        for name, (fault, played) in rows.items():
            right = sum(not wrong for wrong, _ in played)
            failed += len(played) - right
            seconds = [took for _, took in played]
            fix = "none" if not fault.fixed else "printed" if not fault.applied else "yes, no undo" if not fault.undone else "yes"
            print(f"| {name} | {', '.join(finding.id.replace('|', ' or ') for finding in fault.findings)} | {', '.join(fault.findings[0].nodes)} | "
                  f"{right} of {len(played)} | {fix if stage.sudo else 'no sudo here'} | {statistics.median(seconds):.1f} ({max(seconds):.1f}) |")
        if arguments.healthy:
            failed += healthy(stage, arguments.healthy)
    finally:
        stage.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
