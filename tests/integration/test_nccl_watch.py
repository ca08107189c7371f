#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs whose ranks are processes of a real RAS network of NCCL (without a GPU): the watcher names the rank that was stopped, that has
called another collective, that has not come. A healthy run gets no verdict. Prints how long after the fault each verdict came."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import support
from support import BIN, CTL, REPOSITORY, new_cluster, patience, start, wait_until

SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"
DUMPS = REPOSITORY / "tests" / "data" / "flight_recorder"
NODE = "node1"
RANKS = 3
TABLE: list = []  # of (fault, seconds, verdict)


def tearDownModule():  # pylint: disable=C0103
    print("\n| fault | verdict after | id, reason |\n|---|---|---|")
    for fault, took, named in TABLE:
        print(f"| {fault} | {took:.1f} s | {named} |")


def layout():
    """The text for ras_process, or why there is none."""
    if not (BIN / "ras_layout").exists():
        return None, "ras_layout is not built"
    answer = subprocess.run([str(BIN / "ras_layout")], capture_output=True, text=True, check=False)
    return (answer.stdout, "") if answer.returncode == 0 else (None, answer.stdout.strip())


def longest_pause(run) -> float:
    times = [event["at"] for event in run.of("metric")]
    return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


class NcclWatch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text, why = layout()
        if text is None:
            raise unittest.SkipTest(why)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        (Path(folder.name) / "layout").write_text(text, encoding="utf-8")
        os.chmod(folder.name, 0o755)
        cls.cluster = new_cluster(1, bind={SCRIPTS: ("/srv/scripts", True), BIN: ("/srv/programs", True),
                                           Path(folder.name): ("/srv/nccl", True), DUMPS: ("/srv/dumps", True)}).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.node = cls.cluster.node(NODE)

    def setUp(self):
        self.runs = []

    def tearDown(self):
        self.node.run(["rm", "-f", "/tmp/hang-now"], user=self.node.ROOT)
        for run in self.runs:
            if run.process.poll() is None:
                run.process.send_signal(signal.SIGINT)
                run.end(60)

    def train(self, kind="none", rank=1, env=None):
        job = {"name": "ras", "nodes": [NODE], "procs_per_node": RANKS, "preflight": "off", "env": env or {},
               "command": ["python3", "/srv/scripts/ras_rank.py", "/srv/programs/ras_process", "/srv/nccl/layout", kind, str(rank)]}
        run = start(self.cluster, job)
        self.runs.append(run)
        run.wait_for("the ranks train", lambda r: max((e.get("step", 0) for e in r.of("metric")), default=0) >= 30, 60)
        return run

    def hang(self):
        self.node.run(["touch", "/tmp/hang-now"], user=self.node.ROOT)
        return time.monotonic()

    def ask(self, what, run):
        return self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "nccl", what, run.run_id(self.cluster)])

    def verdict(self, run, what, begun, timeout=60, **values):
        try:
            run.wait_for(f"a verdict on {what}", lambda r: r.of("diagnosis", phase="live", **values), timeout)
        except AssertionError as e:
            asked = self.ask("ras", run)  # what the watcher had to go by
            raise AssertionError(f"{e}\nRAS: {asked.stdout}{asked.stderr}") from e
        found = run.of("diagnosis", phase="live", **values)[-1]
        TABLE.append((what, found["at"] + run.started - begun, f"{found['id']}, {found.get('reason', '')}"))
        return found

    def processes(self, rank):
        """A rank's own process, and the one of NCCL below it."""
        nccl = [p for p in self.node.processes() if p.cmdline and "ras_process" in p.cmdline[0] and p.cmdline[4] == str(rank)]
        self.assertEqual(len(nccl), 1, self.node.processes())
        return nccl[0].ppid, nccl[0].pid

    def test_a_mismatch_is_named(self):
        run = self.train("other", 1)
        found = self.verdict(run, "another collective (RAS)", self.hang(), id="collective-mismatch")
        self.assertEqual(found["rank"], 1, found)
        self.assertEqual(found["waiting"], [0, 2], found)
        self.assertIn("Broadcast", json.dumps(found))
        self.assertIn("NCCL RAS", json.dumps(found["evidence"]))

    def test_a_mismatch_with_its_line(self):
        run = self.train("wait", 1, {"FLIGHT_DUMPS": "/srv/dumps/skipped"})
        found = self.verdict(run, "a skipped collective (Flight Recorder)", self.hang(), id="collective-mismatch")
        self.assertEqual(found["rank"], 1, found)
        self.assertIn("train.py", found["title"])
        self.assertIn("all_gather", json.dumps(found["evidence"]))
        asked = self.ask("flight", run)
        flight = json.loads(asked.stdout)
        self.assertEqual({one["outcome"] for one in flight["ranks"]}, {"dumped"}, flight)
        self.assertEqual(flight["findings"][0]["ranks"], [1], flight)
        self.assertEqual(asked.returncode, 3)

    def test_a_rank_that_does_not_come(self):
        run = self.train("sleep", 2)
        begun = self.hang()
        wait_until(lambda: not run.of("metric") or time.monotonic() - run.started - run.of("metric")[-1]["at"] > 3, patience(30), "the stall")
        ras = json.loads(self.ask("ras", run).stdout)
        self.assertEqual(ras["ras"]["outcome"], "answered", ras)
        self.assertEqual(ras["findings"][0]["fault"], "not-entered", ras)
        self.assertEqual(ras["findings"][0]["ranks"], [2], ras)
        found = self.verdict(run, "a rank that sleeps", begun, 90, id="rank-hang")
        self.assertEqual(found["rank"], 2, found)
        self.assertIn("NCCL RAS: rank 2", json.dumps(found["evidence"]))

    def test_a_stopped_rank_is_the_cause(self):
        run = self.train()
        pids = self.processes(1)
        begun = time.monotonic()
        for pid in pids:
            self.node.run(["kill", "-STOP", str(pid)], user=self.node.ROOT, check=True)
        found = self.verdict(run, "a stopped rank", begun, id="rank-stopped")
        self.assertEqual(found["rank"], 1, found)
        run.wait_for("the evidence of RAS", lambda r: any("NCCL RAS" in json.dumps(e["evidence"])
                                                          for e in r.of("diagnosis", phase="live", id="rank-stopped")), 60)
        for pid in pids:
            self.node.run(["kill", "-CONT", str(pid)], user=self.node.ROOT, check=True)
        run.wait_for("its end", lambda r: r.of("diagnosis", phase="over"), 60)

    def test_a_killed_process_of_nccl(self):
        run = self.train()
        begun = time.monotonic()
        self.node.run(["kill", "-KILL", str(self.processes(2)[1])], user=self.node.ROOT, check=True)
        found = self.verdict(run, "a killed process of NCCL", begun, 90)
        self.assertEqual((found["id"], found["rank"]), ("nccl-rank-silent", 2), found)

    def test_a_healthy_run_has_none(self):
        run = self.train("long", 0)  # now and then one rank takes its time: a checkpoint
        self.hang()
        run.wait_for("a step that took 14 s", lambda r: longest_pause(r) > 12, 60)
        self.node.run(["rm", "-f", "/tmp/hang-now"], user=self.node.ROOT)
        steps = max(e.get("step", 0) for e in run.of("metric"))
        run.wait_for("the run continues", lambda r: max(e.get("step", 0) for e in r.of("metric")) > steps + 20, 60)
        self.assertEqual(run.of("diagnosis"), [])


if __name__ == "__main__":
    support.main()
