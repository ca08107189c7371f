#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpirun over two nodes without SSH between them: real Open MPI and MPICH, whose ranks are ranks of the run."""
import json
import shutil
import signal
import subprocess
import unittest
from pathlib import Path

import support
from support import CTL, new_cluster, start

PYTHON = "/usr/bin/python3"
# What MPI itself says of rank, size and host; a sum over all ranks each step.
PROGRAM = """
import os, sys, time
from mpi4py import MPI
world = MPI.COMM_WORLD
hosts = world.allgather(MPI.Get_processor_name())
print("hosts", ",".join(hosts), flush=True)
for step in range(1, int(sys.argv[1]) + 1):
    total = world.allreduce(world.rank + 1.0)
    print(f"step {step} loss {total + world.rank / 10:.1f}", flush=True)
    time.sleep(0.1)
"""
# As MPICH numbers it; it needs no library.
PLAIN = """
import os, sys, time
for step in range(1, int(sys.argv[1]) + 1):
    print(f"step {step} loss {int(os.environ['PMI_RANK'])}.5", flush=True)
    time.sleep(0.1)
"""


class Mpi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def job(self, launcher: str, program: str, *arguments: str, **keys) -> dict:
        if not shutil.which(launcher):
            self.skipTest(f"{launcher} is not installed (Debian: openmpi-bin, mpich)")
        if program == PROGRAM and subprocess.run([PYTHON, "-c", "import mpi4py.MPI"], capture_output=True, check=False).returncode != 0:
            self.skipTest("there is no mpi4py of Open MPI (Debian: python3-mpi4py)")
        return {"name": "mpi", "nodes": ["node1", "node2"], "procs_per_node": 2, "mpi": True, "command": [launcher, "-n", "4", PYTHON, "-c", program, *arguments],
                **keys}

    def assert_four_ranks(self, run, losses: list):
        self.assertEqual({event["rank"] for event in run.of("inner-rank")}, {0, 1, 2, 3}, run.explain())
        self.assertEqual({event["rank"]: event["node"] for event in run.of("inner-rank")}, {0: "node1", 1: "node1", 2: "node2", 3: "node2"})
        for rank in range(4):
            self.assertEqual({event["loss"] for event in run.of("metric", rank=rank)}, {losses[rank]}, run.explain())

    def assert_nothing_left(self):
        for name in ("node1", "node2"):
            node = self.cluster.node(name)
            words = ("mpi", "orted", "hydra", "python3 -c")
            support.wait_until(lambda node=node: not [process for process in node.processes() if any(word in " ".join(process.cmdline) for word in words)], 10,
                               f"nothing of MPI is left on {name}")

    def test_open_mpi(self):
        run = start(self.cluster, self.job("mpirun.openmpi", PROGRAM, "20"))
        self.assertEqual(run.end(120), 0, run.explain())
        self.assert_four_ranks(run, [10.0, 10.1, 10.2, 10.3])
        said = "".join(event["text"] for event in run.of("log", rank=3))
        self.assertIn("hosts node1,node1,node2,node2", said)
        self.assert_nothing_left()

    def test_mpich(self):
        run = start(self.cluster, self.job("mpirun.mpich", PLAIN, "20"))
        self.assertEqual(run.end(120), 0, run.explain())
        self.assert_four_ranks(run, [0.5, 1.5, 2.5, 3.5])
        self.assert_nothing_left()

    def test_a_rank_of_the_other_node_is_stopped_and_killed(self):
        run = start(self.cluster, self.job("mpirun.openmpi", PROGRAM, "100000"))
        run.wait_for("all ranks", lambda it: {event["rank"] for event in it.of("metric")} == {0, 1, 2, 3}, 60)
        pid = run.of("inner-rank", rank=3)[-1]["pid"]
        node = self.cluster.node("node2")
        node.signal([pid], signal.SIGSTOP)
        run.wait_for("notice of the stop", lambda it: it.of("notice", id="rank-stopped", rank=3))
        node.signal([pid], signal.SIGCONT)
        run.wait_for("notice of its end", lambda it: it.of("notice", id="rank-continued", rank=3))
        node.signal([pid], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertEqual(run.verdict()["culprit"]["rank"], 3, run.explain())
        self.assert_nothing_left()

    def test_a_run_that_is_stopped_leaves_nothing(self):
        run = start(self.cluster, self.job("mpirun.openmpi", PROGRAM, "100000"))
        run.wait_for("all ranks", lambda it: {event["rank"] for event in it.of("metric")} == {0, 1, 2, 3}, 60)
        run.process.send_signal(signal.SIGINT)
        run.end(60)
        self.assertEqual(run.verdict()["outcome"], "stopped", run.explain())
        self.assert_nothing_left()

    def test_a_launcher_that_is_missing_is_named(self):
        run = start(self.cluster, {"name": "mpi", "nodes": ["node1", "node2"], "mpi": True, "command": ["mpirun.nowhere", "-n", "2", "true"]})
        self.assertNotEqual(run.end(60), 0, run.explain())
        self.assertIn("mpirun.nowhere", run.explain())

    def test_a_pasted_line_becomes_such_a_job(self):
        folder = Path(self.cluster.dir)
        (folder / "uses.py").write_text("from mpi4py import MPI\n", encoding="utf-8")
        read = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "job", "--from", "mpirun -np 4 -H node1:2,node2:2 python3 uses.py"],
                                cwd=str(folder), check=True)
        job = json.loads(read.stdout)["job"]
        self.assertIn("mpi: true", job)
        self.assertIn("nodes: [node1, node2]", job)
        self.assertIn("procs_per_node: 2", job)


if __name__ == "__main__":
    support.main()
