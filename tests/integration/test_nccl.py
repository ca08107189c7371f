#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What NCCL does in the ranks of two nodes arrives at the desk: a program loads the plugin and calls it as NCCL does."""
import json
import unittest

import support
from support import BIN, CTL, new_cluster, start, wait_until

RANK = "/srv/programs/engine_nccl_rank"


def job(options: str, **overrides) -> dict:
    return {"name": "nccl", "nodes": ["node1", "node2"], "procs_per_node": 1, "nccl_profiler": "full", "command": [RANK, *options.split()],
            "on_failure": {"grace_s": 1}, "preflight": "off", **overrides}


class Nccl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2, bind={str(BIN): ("/srv/programs", True)}).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def ctl(self, *arguments) -> str:
        return self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), *arguments], check=True).stdout

    def left(self) -> list:
        """Folders of ring files on the nodes."""
        return [path for name in ("node1", "node2") for folder in ("/dev/shm", "/tmp")
                for path in self.cluster.node(name).path(folder).glob("rankscope-nccl-*")]

    @staticmethod
    def operations(run, rank: int) -> int:
        return sum(totals["operations"] for event in run.of("nccl", rank=rank) for totals in event.get("totals", []))

    def test_every_operation_of_both_nodes_arrives_and_nothing_is_left(self):
        run = start(self.cluster, job("steps=100 every_ms=20"))
        self.assertEqual(run.end(60), 0, run.explain())
        for rank, node in ((0, "node1"), (1, "node2")):
            events = run.of("nccl", rank=rank)
            self.assertGreaterEqual(len(events), 2, run.explain())
            self.assertEqual({event["node"] for event in events}, {node})
            self.assertEqual(self.operations(run, rank), 100, run.explain())
            totals = events[0]["totals"][0]
            self.assertEqual((totals["function"], totals["communicator"], totals["size_class"]), ("AllReduce", "0xfeed0001", 20), totals)
            self.assertTrue(totals["gpu_times"])
            self.assertEqual(events[-1]["progress"][0]["finished"], 100)
            self.assertEqual(events[0]["communicators"][0]["ranks"], 2)
            for operation in events[0]["operations"]:
                self.assertLess(abs(operation["start_us"] / 1e6 - events[0]["t"]), support.patience(30), "the desk's clock")
        stored = [json.loads(line) for line in self.ctl("runs", "export", run.run_id(self.cluster)).splitlines()]
        self.assertEqual(len([event for event in stored if event["event"] == "nccl"]), len(run.of("nccl")))
        self.assertFalse(self.left())

    def test_the_rank_that_is_behind_shows_and_the_level_can_be_changed(self):
        run = start(self.cluster, job("steps=50 every_ms=5 away=1:30", on_hang="report"))
        stuck = lambda r: [event for event in r.of("nccl", rank=0) if event.get("open")]  # noqa: E731
        run.wait_for("rank 0 waits in an AllReduce", stuck, 30)
        run.wait_for("rank 1's operations", lambda r: self.operations(r, 1) == 30, 30)
        waiting = stuck(run)[0]["open"][0]
        self.assertEqual((waiting["function"], waiting["sequence"], waiting["phase"]), ("AllReduce", 30, "running"), waiting)
        self.assertEqual(stuck(run)[0]["progress"][0]["called"], 31)
        self.assertEqual(run.of("nccl", rank=1)[-1]["progress"][0]["called"], 30)
        run_id = run.run_id(self.cluster)
        changed = [json.loads(line) for line in self.ctl("--json", "runs", "nccl-level", run_id, "light").splitlines()]
        self.assertEqual([(line["node"], line["was_running"]) for line in changed], [("node1", True), ("node2", True)])
        self.assertTrue(self.left(), "while it runs")
        self.ctl("runs", "kill", run_id)
        run.end(60)
        wait_until(lambda: not self.left(), 20 * support.SLOW, "the folders of a killed run to be gone")

    def test_the_last_operations_of_a_killed_rank_are_visible(self):
        run = start(self.cluster, job("steps=1000 every_ms=10 dies=1:40"))
        self.assertNotEqual(run.end(60), 0)
        self.assertEqual(self.operations(run, 1), 40, run.explain())
        progress = run.of("nccl", rank=1)[-1]["progress"][0]
        self.assertEqual((progress["enqueued"], progress["finished"]), (41, 40), progress)
        at = lambda kind: [i for i, event in enumerate(run.events) if event["event"] == kind and event.get("rank") == 1]  # noqa: E731
        self.assertLess(at("nccl")[-1], at("exit")[0], "before its exit")
        self.assertFalse(self.left())

    def test_off_and_a_rank_without_gpu_have_nothing(self):
        for overrides in ({"nccl_profiler": "off"}, {"nccl_profiler": "auto"}):
            run = start(self.cluster, job("steps=3 every_ms=1", **overrides))
            self.assertEqual(run.end(60), 0, run.explain())
            self.assertFalse(run.of("nccl"), overrides)
            said = "".join(event["text"] for event in run.of("log", rank=0))
            self.assertIn("plugin: none", said)

    def test_a_plugin_of_the_users_own_is_said_and_the_word_none_wins(self):
        run = start(self.cluster, job("steps=3 every_ms=1", env={"NCCL_PROFILER_PLUGIN": "none"}))
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertFalse(run.of("nccl"))
        path = support.write_job(self.cluster, job("steps=3", env={"NCCL_PROFILER_PLUGIN": "/opt/mine.so"}))
        plan = self.ctl("plan", path)
        self.assertIn("this plugin is loaded through Rankscope's", plan)
        self.assertIn("RANKSCOPE_NCCL_CHAIN=/opt/mine.so", plan)


if __name__ == "__main__":
    support.main()
