#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run on two nodes whose ranks are one RAS network of NCCL (without a GPU): the nodes' RAS threads reach each other, and the watcher
names the rank of the second node that was stopped, or that has not come, and its node."""
import json
import os
import signal
import tempfile
import unittest
from pathlib import Path

import support
from support import BIN, CTL, REPOSITORY, new_cluster, start, wait_until
from test_nccl_watch import layout

SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"
NODES = ["node1", "node2"]
LAST = 3  # the second rank of the second node


class NcclNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        text, why = layout()
        if text is None:
            raise unittest.SkipTest(why)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        (Path(folder.name) / "layout").write_text(text, encoding="utf-8")
        os.chmod(folder.name, 0o755)
        cls.cluster = new_cluster(2, bind={SCRIPTS: ("/srv/scripts", True), BIN: ("/srv/programs", True),
                                           Path(folder.name): ("/srv/nccl", True)}).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.node = cls.cluster.node(NODES[1])

    def setUp(self):
        self.run_ = None

    def tearDown(self):
        self.node.run(["rm", "-f", "/tmp/hang-now"], user=self.node.ROOT)
        if self.run_ and self.run_.process.poll() is None:
            self.run_.process.send_signal(signal.SIGINT)
            self.run_.end(60)

    def train(self, kind="none"):
        job = {"name": "ras", "nodes": NODES, "procs_per_node": 2, "preflight": "off",
               "command": ["python3", "/srv/scripts/ras_rank.py", "/srv/programs/ras_process", "/srv/nccl/layout", kind, str(LAST)]}
        self.run_ = start(self.cluster, job)
        self.run_.wait_for("the ranks train", lambda r: max((e.get("step", 0) for e in r.of("metric")), default=0) >= 30, 90)
        return self.run_

    def ras(self, run) -> dict:
        asked = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "nccl", "ras", run.run_id(self.cluster)])
        return json.loads(asked.stdout)

    def seen(self, run) -> set:
        """Ranks of the run that RAS knows."""
        return {rank["rank"] for one in self.ras(run)["ras"].get("communicators", []) for rank in one["ranks"]}

    def test_a_stopped_rank_of_the_second_node_is_named(self):
        run = self.train()
        # RAS forms its network after the ranks are known.
        wait_until(lambda: self.seen(run) == {0, 1, 2, 3}, 60, "the RAS network of both nodes")
        self.assertEqual(self.ras(run)["findings"], [])
        nccl = [p for p in self.node.processes() if p.cmdline and "ras_process" in p.cmdline[0] and p.cmdline[4] == str(LAST)]
        self.assertEqual(len(nccl), 1, self.node.processes())
        pids = [nccl[0].ppid, nccl[0].pid]
        for pid in pids:
            self.node.run(["kill", "-STOP", str(pid)], user=self.node.ROOT, check=True)
        run.wait_for("a verdict", lambda r: r.of("diagnosis", phase="live", id="rank-stopped"), 90)
        run.wait_for("the evidence of RAS", lambda r: any(f"NCCL RAS: rank {LAST}" in json.dumps(e["evidence"])
                                                          for e in r.of("diagnosis", phase="live", id="rank-stopped")), 60)
        for found in run.of("diagnosis", phase="live"):
            self.assertEqual((found["rank"], found["node"]), (LAST, NODES[1]), found)
        for pid in pids:
            self.node.run(["kill", "-CONT", str(pid)], user=self.node.ROOT, check=True)
        run.wait_for("its end", lambda r: r.of("diagnosis", phase="over"), 60)

    def test_a_rank_of_the_second_node_that_does_not_come(self):
        run = self.train("sleep")
        self.node.run(["touch", "/tmp/hang-now"], user=self.node.ROOT)
        run.wait_for("a verdict", lambda r: r.of("diagnosis", phase="live", id="rank-hang"), 90)
        found = run.of("diagnosis", phase="live", id="rank-hang")[-1]
        self.assertEqual((found["rank"], found["node"]), (LAST, NODES[1]), found)
        self.assertIn(f"NCCL RAS: rank {LAST}", json.dumps(found["evidence"]))
        ras = self.ras(run)
        self.assertEqual([finding["ranks"] for finding in ras["findings"]], [[LAST]], ras)


if __name__ == "__main__":
    support.main()
