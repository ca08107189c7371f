#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the nodes are while a run goes: samples of every node, as often as asked for, kept and shown; what a node lacks is absent."""
import json
import unittest

import support
from support import CTL, new_cluster, start

WORK = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; sleep 2"


def own(command: str, **overrides) -> dict:
    return {"name": "telemetry", "nodes": ["node1", "node2"], "procs_per_node": 1, "command": ["sh", "-c", command], **overrides}


class Telemetry(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def ctl(self, *arguments) -> str:
        return self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), *arguments], check=True).stdout

    def test_every_node_is_sampled_kept_and_shown(self):
        run = start(self.cluster, own(WORK, telemetry={"every_s": 0.25}))
        self.assertEqual(run.end(60), 0, run.explain())
        for node in ("node1", "node2"):
            samples = run.of("sample", node=node)
            self.assertGreaterEqual(len(samples), 4, run.explain())
            for sample in samples:
                self.assertIsNone(sample["rank"])
                self.assertIn("cpu", sample, samples)
                self.assertTrue(0 <= sample["cpu"] <= 1, sample)
                self.assertTrue(0 < sample["mem_used"] < sample["mem_total"], sample)
                self.assertTrue(0 < sample["disk_free"] <= sample["disk_total"], sample)
                self.assertIn("net.eth0.rx", sample)
                self.assertNotIn("net.lo.rx", sample)
            apart = [b["t"] - a["t"] for a, b in zip(samples, samples[1:])]
            self.assertGreater(sum(apart) / len(apart), 0.2, apart)
            self.assertGreater(max(sample["cpu"] for sample in samples), 0)
            self.assertFalse([key for sample in samples for key in sample if key.startswith("gpu.")], "no GPU: absent")
        shown = json.loads(self.ctl("--json", "runs", "show", run.run_id(self.cluster)))["samples"]
        self.assertEqual(set(shown), {"node1", "node2"})
        last = run.of("sample", node="node1")[-1]
        self.assertAlmostEqual(shown["node1"]["mem_used"]["last"], last["mem_used"])
        self.assertGreaterEqual(shown["node1"]["cpu"]["max"], shown["node1"]["cpu"]["mean"])
        text = self.ctl("runs", "show", run.run_id(self.cluster))
        self.assertIn("CPU mean / max", text)
        self.assertNotIn("GPU  USE", text)
        exported = [json.loads(line) for line in self.ctl("runs", "export", run.run_id(self.cluster)).splitlines()]
        strip = lambda events: [{k: v for k, v in e.items() if k != "at"} for e in events]  # noqa: E731
        self.assertEqual([e for e in exported if e["event"] == "sample" and e["node"] == "node2"], strip(run.of("sample", node="node2")))

    def test_once_a_second_without_a_word_and_never_with_0(self):
        run = start(self.cluster, own("sleep 2.6"))
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertIn(len(run.of("sample", node="node1")), (2, 3) if support.SLOW == 1 else range(1, 30))
        run = start(self.cluster, own("sleep 1.5", telemetry={"every_s": 0}))
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertFalse(run.of("sample"))

    def test_probe_tells_how_the_node_is_now(self):
        facts = json.loads(self.ctl("--json", "probe", "node2"))["nodes"][0]["facts"]
        self.assertGreater(facts["sample"]["mem_total"], facts["sample"]["mem_used"])
        self.assertIn("disk_free", facts["sample"])


if __name__ == "__main__":
    support.main()
