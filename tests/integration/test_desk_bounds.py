#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rank writes costs the desk a bounded amount of memory and a settable part of the run store; the run itself does not notice."""
import json
import sqlite3
import time
import unittest
from pathlib import Path

import support
from support import CTL, new_cluster, wait_until

SECONDS = 15
LIMIT_MB = 20
MEMORY_MB = 100
# One rank floods, and reports a metric every tenth of a second to the end.
FLOOD = f"""
import json, os, subprocess, time
pipe = open(os.environ["RANKSCOPE_METRICS"], "w", buffering=1)
flood = subprocess.Popen(["yes"])
for step in range({SECONDS} * 10):
    pipe.write(json.dumps({{"step": step, "loss": 1.0}}) + "\\n")
    time.sleep(0.1)
flood.kill()
"""


def peak_megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0


class Bounds(unittest.TestCase):
    def test_a_rank_that_floods(self):
        cluster = new_cluster(1).start()
        self.addCleanup(cluster.down)
        job = {"name": "flood", "nodes": ["node1"], "procs_per_node": 1, "command": ["python3", "-c", FLOOD]}
        output = Path(cluster.dir) / "output"
        began = time.monotonic()
        with output.open("wb") as out:
            process = cluster.popen([CTL, "--cluster", str(cluster.inventory), "--json", "run", support.write_job(cluster, job),
                                     "--log-limit", str(LIMIT_MB)], stdout=out)
            peak = 0.0

            def over():
                nonlocal peak
                try:
                    peak = max(peak, peak_megabytes(process.inner_pid))
                except OSError:
                    pass
                return process.poll() is not None
            wait_until(over, 300 * support.SLOW, "the run is over")
        took = time.monotonic() - began
        self.assertEqual(process.returncode, 0)
        events = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
        kept = sum(len(e["text"]) for e in events if e.get("event") == "log")
        dropped = sum(e.get("dropped_bytes", 0) for e in events if e.get("event") == "log")
        steps = [e["step"] for e in events if e.get("event") == "metric"]
        store = next(Path(cluster.dir).rglob("runs.sqlite"))
        size = sum(path.stat().st_size for path in store.parent.glob("runs.sqlite*")) / 1e6
        stored = sqlite3.connect(store).execute("SELECT COUNT(*) FROM metrics").fetchone()[0]
        print(f"\npeak memory {peak:.0f} MB, store {size:.0f} MB, {kept / 1e6:.1f} MB of output kept, {dropped / 1e6:.0f} MB left out, "
              f"{took:.0f} s for {SECONDS} s of flood")
        self.assertLess(peak, MEMORY_MB)
        self.assertLess(kept, LIMIT_MB * 1e6 + took * 4096)
        self.assertLess(size, 3 * LIMIT_MB + 20)
        self.assertGreater(dropped, 0, "what is left out is reported")
        self.assertEqual(steps, list(range(SECONDS * 10)), "no metric is lost")
        self.assertEqual(stored, SECONDS * 10)


if __name__ == "__main__":
    support.main()
