#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One rank of a running training is made slow by a real cause: the run says who is slow, and why. No rank is named when all are equally slow."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import support
from support import REPOSITORY, SLOW, Unsupported, long_test, missing_torch, new_cluster, start, train_job

SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"
PYTHON = "/usr/bin/python3"
PATIENCE = 150  # seconds until a cause must be named; measured: 20 to 40 on two free processors


class Stragglers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = tempfile.TemporaryDirectory(dir=support.BIN if os.access(support.BIN, os.W_OK) else None)
        os.chmod(cls.files.name, 0o755)
        for rank in range(2):
            (Path(cls.files.name) / f"data{rank}").write_bytes(os.urandom(1 << 19))
        os.sync()
        cls.cluster = new_cluster(2, bind={SCRIPTS: ("/srv/scripts", True), Path(cls.files.name): ("/srv/files", True)}).start()
        cls.node = cls.cluster.node("node2")

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()
        cls.files.cleanup()

    def setUp(self):
        self.run_ = None
        self.neighbour = None

    def tearDown(self):
        if self.neighbour:
            self.neighbour.kill()
            self.neighbour.wait()
        if self.run_:
            if self.run_.process.poll() is None:
                self.run_.process.send_signal(signal.SIGINT)
            self.run_.end(120)

    def ranks(self, node=None) -> list:
        """The trees of the ranks of a node, by PIDs that it sees."""
        return [process.pid for process in (node or self.node).processes()
                if "ddp_steps.py" in " ".join(process.cmdline) or "rankscope-worker" in " ".join(process.cmdline[:1])]

    def start(self, job):
        self.run_ = start(self.cluster, job)
        self.run_.wait_for("the first step", lambda run: run.of("log", rank=0) or run.of("metric", rank=0), 60)
        return self.run_

    def script(self, **env):
        if why := missing_torch():
            self.skipTest(why)
        return self.start({"name": "slow", "nodes": ["node1", "node2"], "procs_per_node": 1, "preflight": "off",
                           "env": {name.upper(): value for name, value in env.items()}, "command": [PYTHON, "-u", "/srv/scripts/ddp_steps.py"]})

    def engine(self):
        return self.start(train_job(["node1", "node2"], epochs=1000, batch_size=100, preflight="off",
                                    dataset={"name": "synthetic-digits", "train_size": 20000}))

    def verdicts(self, phase) -> list:
        return self.run_.of("diagnosis", id="rank-slow", phase=phase)

    def named(self, *reasons):
        """Waits until the rank of node2 is named with one of the causes."""
        since = time.monotonic()
        self.run_.wait_for("a rank is named", lambda run: any(verdict["reason"] in reasons for verdict in self.verdicts("live")), PATIENCE)
        verdict = [verdict for verdict in self.verdicts("live") if verdict["reason"] in reasons][0]
        print(f"\n  {verdict['reason']}: after {time.monotonic() - since:.0f} s: {verdict['title']}", flush=True)
        self.assertEqual({(found["rank"], found["node"]) for found in self.verdicts("live")}, {(1, "node2")}, self.run_.explain())
        self.assertEqual(verdict["ranks"], [1])
        self.assertEqual(verdict["waiting"], [0])
        self.assertGreater(len(verdict["evidence"]), 1)
        self.assertTrue(verdict["fix"])
        self.assertGreater(verdict["since_us"], 0)
        return verdict

    def passed(self):
        self.run_.wait_for("it is over", lambda run: self.verdicts("over"), PATIENCE)
        self.assertEqual(self.verdicts("over")[0]["rank"], 1)

    def limit(self, how, *arguments):
        try:
            how(*arguments)
        except Unsupported as e:
            self.skipTest(str(e))

    def test_a_quota_of_the_processor(self):
        self.script()
        pids = self.ranks()
        self.limit(self.node.limit_cpu, pids, 0.1)
        verdict = self.named("cpu-quota")
        self.assertIn("0.1 CPUs", verdict["title"])
        self.node.release(pids)
        self.passed()

    @long_test
    def test_a_quota_in_the_native_engine(self):
        self.engine()
        self.limit(self.node.limit_cpu, self.ranks(), 0.1)
        self.named("cpu-quota")

    @long_test
    def test_a_program_that_prints_nothing(self):
        if why := missing_torch():
            self.skipTest(why)
        self.run_ = start(self.cluster, {"name": "slow", "nodes": ["node1", "node2"], "procs_per_node": 1, "preflight": "off",
                                         "env": {"QUIET": "1"}, "command": [PYTHON, "-u", "/srv/scripts/ddp_steps.py"]})
        self.run_.wait_for("ranks", lambda run: self.ranks(), 60)
        self.limit(self.node.limit_cpu, self.ranks(), 0.1)
        self.named("cpu-quota")

    @long_test
    def test_a_slow_disk(self):
        if os.major(os.stat(self.files.name).st_dev) == 0:
            self.skipTest(f"{self.files.name} is not on a disk")
        self.script(read="/srv/files/data{rank}")
        self.limit(self.node.limit_disk, self.ranks(), 1_000_000, f"{self.files.name}/data1")
        verdict = self.named("slow-disk")
        self.assertIn("data1", verdict["title"])

    def test_a_slow_link(self):
        self.script()
        try:
            self.node.rate(20)
        except Exception as e:  # pylint: disable=broad-except
            self.skipTest(f"no traffic shaping here: {e}")
        self.addCleanup(self.node.unshape)
        verdict = self.named("slow-link")
        self.assertEqual(verdict["pairs"], [{"from": "node2", "to": "node1"}])

    @long_test
    def test_a_neighbour(self):
        self.script()
        processor = str(min(os.sched_getaffinity(0)))
        for pid in self.ranks():
            self.node.run(["taskset", "-acp", processor, str(pid)], user=self.node.ROOT, cwd="/", check=True)
        # It gets most of that processor, however many other programs the tests' machine runs: the scheduler shares processors between
        # sessions where there are autogroups, else between processes.
        spin = "echo -10 > /proc/$$/autogroup; while :; do :; done"
        self.neighbour = self.node.popen(["nice", "-n", "-10", "taskset", "-c", processor, "/bin/sh", "-c", spin], user=self.node.ROOT, cwd="/",
                                         stderr=subprocess.DEVNULL)
        verdict = self.named("neighbour")
        self.assertIn("while :", verdict["title"])
        self.assertIn("user root", verdict["title"])

    def test_no_rank_is_named_when_all_are_equally_slow(self):
        run = self.script()
        for node in self.cluster.nodes:
            self.limit(node.limit_cpu, self.ranks(node), 0.2)
        # As long as it takes to name one that is slower than the others.
        last = time.monotonic() + 60 * SLOW
        run.wait_for("a minute", lambda run: time.monotonic() > last, 90)
        self.assertEqual(self.verdicts("live"), [], run.explain())


if __name__ == "__main__":
    support.main()
