#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firewalls that close before and during a run: a start is refused with the rule and the fix; a run that trains gets a live verdict, or its
end has the cause. `doctor` sees the same from outside. Prints the seconds from the fault to the verdict."""
import json
import shlex
import signal
import time
import unittest
from pathlib import Path

import support
from support import CTL, REPOSITORY, new_cluster, train_job
from test_user_programs import PYTHON, missing_torch

NODES = ["node1", "node2", "node3"]
SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"


class PathFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(len(NODES), bind={SCRIPTS: ("/srv/scripts", True)}).start()
        cls.addClassCleanup(cls.cluster.down)
        # Logged in as root: the agent may read the rules of the firewall.
        inventory = Path(cls.cluster.inventory)
        inventory.write_text(inventory.read_text(encoding="utf-8").replace("trainer", "root"), encoding="utf-8")

    def setUp(self):
        self.runs = []

    def tearDown(self):
        self.heal()
        for run in self.runs:
            if run.process.poll() is None:
                run.process.send_signal(signal.SIGINT)
                run.end(60)

    def heal(self):
        for name in NODES:
            self.root(name, "nft delete table inet fault; true")

    def root(self, name, command):
        node = self.cluster.node(name)
        return node.run(["sh", "-c", command], user=node.ROOT, cwd="/", check=False)

    def rule(self, name, rule, chain="input"):
        script = f"table inet fault {{\n chain c {{ type filter hook {chain} priority 0;\n  {rule}\n }}\n}}\n"
        done = self.root(name, f"printf %s {shlex.quote(script)} | nft -f -")
        if done.returncode != 0:
            raise unittest.SkipTest(f"the kernel takes no nftables rules: {done.stderr.strip()}")

    def native(self, **keys):
        return train_job(NODES, epochs=1000, dataset={"name": "synthetic-digits"}, validate=False, **keys)

    def gloo(self, kind="none", **keys):
        why = missing_torch()
        if why:
            raise unittest.SkipTest(why)
        return {"name": "hang", "nodes": NODES, "procs_per_node": 1, "workdir": "/srv/scripts", "env": {"PYTHONUNBUFFERED": "1"},
                "command": [PYTHON, "hang.py", kind, "20", "1", "100000"], **keys}

    def start(self, job):
        run = support.start(self.cluster, job)
        self.runs.append(run)
        return run

    def training(self, job):
        run = self.start(job)
        run.wait_for("all ranks train", lambda r: len({e["rank"] for e in r.of("metric") if e.get("step", 0) >= 20}) == len(NODES), 120)
        return run

    def expect(self, run, since, node, pair, rule):
        run.wait_for("a verdict", lambda r: r.of("diagnosis"), 60)
        took = time.monotonic() - since
        verdict = run.of("diagnosis")[0]
        self.assertEqual((verdict["id"], verdict["node"]), ("gloo-ports-blocked", node), run.explain())
        self.assertIn(pair, [(entry["from"], entry["to"]) for entry in verdict["pairs"]])
        self.assertTrue(any(rule in entry["text"] for entry in verdict["evidence"]), verdict)
        self.assertTrue(any(fix["node"] == node and "nft" in fix["command"] and fix["undo"] for fix in verdict["fixes"]), verdict)
        self.assertLess(took, support.patience(20), verdict)
        print(f"{took:.1f} s: {verdict['title']}", flush=True)
        return verdict

    def from_node1(self):
        return f"ip saddr {self.cluster.node('node1').address} tcp dport != 22"

    def test_a_start_is_refused_and_the_fix_lets_it_pass(self):
        self.rule("node2", self.from_node1() + " drop")
        run = self.start(self.native(max_steps=2))
        self.assertEqual(run.end(60), 3, run.explain())
        verdict = run.of("diagnosis")[0]
        self.assertEqual((verdict["id"], verdict["node"], verdict["phase"]), ("gloo-ports-blocked", "node2", "end"), run.explain())
        self.assertIn({"from": "node1", "to": "node2"}, verdict["pairs"])
        self.assertIn("node1 cannot connect to node2", run.verdict()["detail"])
        self.assertFalse(run.of("exit"), "a rank was started")
        self.assertTrue(verdict["fixes"], verdict)
        done = self.root("node2", verdict["fixes"][0]["command"])
        self.assertEqual(done.returncode, 0, done.stderr)
        again = self.start(self.native(max_steps=2))
        self.assertEqual(again.end(120), 0, again.explain())

    def test_preflight_off_starts_without_it(self):
        run = self.start(self.native(max_steps=2, preflight="off"))
        self.assertEqual(run.end(120), 0, run.explain())
        self.assertFalse(run.of("stage", stage="preflight"))

    def test_drops_while_the_native_engine_trains(self):
        run = self.training(self.native(preflight="off"))
        since = time.monotonic()
        self.rule("node2", self.from_node1() + " drop")
        self.expect(run, since, "node2", ("node1", "node2"), "tcp dport != 22 drop")

    def test_drops_while_a_gloo_script_trains(self):
        run = self.training(self.gloo(preflight="off"))
        since = time.monotonic()
        self.rule("node2", "tcp dport 30000-65535 drop")
        self.expect(run, since, "node2", ("node1", "node2"), "tcp dport 30000-65535 drop")

    def test_a_rule_of_the_sender(self):
        run = self.training(self.gloo(preflight="off"))
        since = time.monotonic()
        self.rule("node2", f"ip daddr {self.cluster.node('node3').address} tcp dport 1024-65535 drop", "output")
        self.expect(run, since, "node2", ("node2", "node3"), "tcp dport 1024-65535 drop")

    def test_resets_end_the_run_with_their_cause(self):
        for job in (self.native(preflight="off"), self.gloo(preflight="off")):
            run = self.training(job)
            since = time.monotonic()
            self.rule("node2", self.from_node1() + " reject with tcp reset")
            self.expect(run, since, "node2", ("node1", "node2"), "reject with tcp reset")
            self.assertEqual(run.end(60), 1, run.explain())
            ends = run.of("diagnosis", phase="end")
            self.assertEqual([verdict["id"] for verdict in ends], ["gloo-ports-blocked"])
            self.assertIn("node1 cannot connect to node2", run.verdict()["detail"])
            self.heal()

    def expect_end(self, run, failure, node):
        self.assertEqual(run.end(240), 1, run.explain())
        ends = [(verdict["id"], verdict["node"]) for verdict in run.of("diagnosis", phase="end")]
        self.assertEqual(ends[:1], [(failure, node)], run.explain())
        self.assertEqual(run.verdict()["marks"]["nodes"], [node], run.verdict())
        self.assertIn(node, run.verdict()["detail"])

    def test_a_rendezvous_port_that_is_reset_while_the_engine_trains(self):
        run = self.training(self.native(preflight="off"))
        self.rule("node1", "tcp dport 29500 reject with tcp reset")
        self.expect_end(run, "master-port-reset", "node1")

    def test_a_rendezvous_port_that_is_dropped_while_steps_go_on(self):
        run = self.training(self.native(preflight="off"))
        since = time.monotonic()
        self.rule("node1", "tcp dport 29500 drop")
        run.wait_for("a verdict", lambda r: r.of("diagnosis", phase="live", id="master-port-dropped", node="node1"), 90)
        print(f"{time.monotonic() - since:.1f} s: {run.of('diagnosis')[0]['title']}", flush=True)
        self.expect_end(run, "master-port-dropped", "node1")

    def test_ranks_that_could_not_meet_end_with_the_cause(self):
        self.rule("node1", "tcp dport 29500 drop")
        run = self.start(self.native(preflight="off"))
        self.expect_end(run, "master-port-dropped", "node1")

    def doctor(self, *targets):
        done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "doctor", *targets], timeout=120 * support.SLOW)
        self.assertTrue(done.stdout, done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_doctor_of_nodes(self):
        code, report = self.doctor(*NODES)
        self.assertEqual((code, [c for c in report["checks"] if c["status"] == "fail"]), (0, []))
        self.rule("node3", "tcp dport 30000-65535 drop")
        code, report = self.doctor("all")
        self.assertEqual(code, 3)
        self.assertEqual([c["id"] for c in report["checks"] if c["status"] == "fail"], ["gloo-ports-blocked"], report["checks"])

    def test_doctor_of_a_run(self):
        run = self.training(self.gloo(preflight="off", hang_after_s=3600))
        run_id = run.run_id(self.cluster)
        code, report = self.doctor(run_id)
        self.assertEqual((code, report["diagnoses"]), (0, []), report)
        self.assertEqual([entry["rank"] for entry in report["ranks"]], [0, 1, 2])
        self.root("node2", "pkill -STOP -f '^[^ ]*python3 .*hang.py'")
        code, report = self.doctor(run_id)
        self.assertEqual((code, report["diagnoses"][0]["id"], report["diagnoses"][0]["rank"]), (3, "rank-stopped", 1), report)
        self.root("node2", "pkill -CONT -f '^[^ ]*python3 .*hang.py'")

    def test_doctor_of_a_rank_that_sleeps(self):
        run = self.training(self.gloo("sleep", preflight="off", hang_after_s=3600))
        self.root("node2", "touch /tmp/hang-now")
        support.wait_until(lambda: self.root("node2", "test -e /tmp/hang-now").returncode != 0, 60 * support.SLOW, "rank 1 sleeps")
        code, report = self.doctor(run.run_id(self.cluster))
        self.assertEqual((code, [(one["id"], one["rank"]) for one in report["diagnoses"]]), (3, [("rank-hang", 1)]), report)
        self.assertIn("in sleep_in_step", report["diagnoses"][0]["title"])


if __name__ == "__main__":
    unittest.main()
