#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on each node that starts two ranks, as torchrun does: all four are ranks of the run, each with its curve, stop and end."""
import signal
import unittest

import support
from support import new_cluster, start

PYTHON = "/usr/bin/python3"
RANK = """
import os, time
for step in range(1, 100000):
    print(f"step {step} loss {os.environ['RANK']}.5", flush=True)
    time.sleep(0.1)
"""
LAUNCHER = f"""
import os, subprocess, sys, time
first = 2 * int(sys.argv[1])
ranks = [subprocess.Popen([sys.executable, "-c", {RANK!r}],
                          env=dict(os.environ, RANK=str(first + i), LOCAL_RANK=str(i), WORLD_SIZE="4")) for i in range(2)]
while all(rank.poll() is None for rank in ranks):
    time.sleep(0.1)
for rank in ranks:
    rank.terminate()
sys.exit(1)
"""


class InnerRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def test_ranks_of_a_launcher_on_each_node(self):
        run = start(self.cluster, {"name": "inner", "nodes": ["node1", "node2"], "procs_per_node": 1,
                                   "command": [PYTHON, "-c", LAUNCHER, "{node_rank}"]})
        run.wait_for("curves of four ranks",
                     lambda it: all(len([1 for event in it.of("metric", rank=rank) if "loss" in event]) > 5 for rank in range(4)))
        for rank in range(4):
            found = run.of("inner-rank", rank=rank)[-1]
            self.assertEqual((found["node"], found["outer_rank"], found["local_rank"], found["world_size"]),
                             (f"node{rank // 2 + 1}", rank // 2, rank % 2, 4))
            self.assertEqual({event["loss"] for event in run.of("metric", rank=rank)[-3:]}, {rank + 0.5})
        victim = run.of("inner-rank", rank=3)[-1]["pid"]
        node = self.cluster.node("node2")
        node.signal([victim], signal.SIGSTOP)
        run.wait_for("notice of the stop", lambda it: it.of("notice", id="rank-stopped", rank=3, node="node2"))
        node.signal([victim], signal.SIGCONT)
        run.wait_for("notice of the end of the stop", lambda it: it.of("notice", id="rank-continued", rank=3))
        node.signal([victim], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        verdict = run.verdict()
        self.assertEqual(verdict["culprit"]["rank"], 3, run.explain())
        self.assertEqual(verdict["detail"],
                         f"Rank 3 on node2 (process {victim}, started by the program of rank 1) was killed by signal 9 (SIGKILL).")
        self.assertEqual({event["rank"] for event in run.of("exit", inner=True)}, {0, 1, 2, 3})


if __name__ == "__main__":
    support.main()
