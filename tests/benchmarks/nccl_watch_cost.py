#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What observing NCCL costs a node's supervisor: 8 ranks with about 200 operations a second each, with and without it.

    RANKSCOPE_BIN=build/release/bin tests/benchmarks/nccl_watch_cost.py [SECONDS]
"""
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "integration"))
from support import BIN, new_cluster, start  # noqa: E402

RANKS = 8
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def supervisor_of(run_id: str) -> int:
    """Of this machine's view: the process with a rank below it."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if b"engine_nccl_rank" in (folder / "cmdline").read_bytes() and f"RANKSCOPE_RUN_ID={run_id}".encode() in (folder / "environ").read_bytes():
                return int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    raise SystemExit("no supervisor")


def measure(cluster, profiler: str, seconds: float) -> None:
    job = {"name": "cost", "nodes": ["node1"], "procs_per_node": RANKS, "nccl_profiler": profiler, "preflight": "off",
           "telemetry": {"every_s": 0}, "command": ["/srv/programs/engine_nccl_rank", "steps=1000000", "every_ms=4"]}
    run = start(cluster, job)
    run.wait_for("its start", lambda r: len(r.of("stage", stage="start", status="done")) >= RANKS)
    time.sleep(3)
    pid = supervisor_of(run.run_id(cluster))
    cpu, at = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    share = (cpu_seconds(pid) - cpu) / (time.monotonic() - at)
    done = sum(t["operations"] for e in run.of("nccl") for t in e.get("totals", []))
    sizes = [len(str(event)) for event in run.of("nccl")]
    covered = sum(event["seconds"] for event in run.of("nccl"))
    print(f"{profiler}: supervisor {share:.3%} of a core; {done / covered if covered else 0:.0f} operations/s and rank, "
          f"{len(sizes)} events of {statistics.median(sizes) if sizes else 0:.0f} characters, lost {sum(e.get('lost', 0) for e in run.of('nccl'))}")
    run.process.terminate()
    run.end(60)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20
    with new_cluster(1, bind={str(BIN): ("/srv/programs", True)}) as cluster:
        for profiler in ("off", "light", "full"):
            measure(cluster, profiler, seconds)


if __name__ == "__main__":
    main()
