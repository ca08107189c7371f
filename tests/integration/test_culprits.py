#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is named when ranks and nodes stop answering: the rank or node at fault, not the ranks that waited for it. A few faults with the
native engine and with a Gloo script; all of them, several times: tests/benchmarks/fault_matrix.py --culprits."""
import re
import signal
import sys
import time
import unittest

import support
from support import Run, missing_torch, new_cluster, start, train_job, wait_until
from test_faults import of_runs

NODES = ["node1", "node2", "node3"]
LIMITS = {"peer_timeout_s": 8, "grace_s": 2}
TABLE: list = []  # (fault, program, desk, seconds, right, title)

SCRIPT = """
import datetime, os, time, torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=%d))
value = torch.ones(1)
dist.all_reduce(value)
print("up", flush=True)
ended = torch.zeros(1)
while not ended:  # decided by all of them: none may leave while others wait in a step
    ended = torch.tensor([float(os.path.exists("/tmp/end"))])
    dist.all_reduce(ended)
    time.sleep(0.05)
"""


def job(program: str, timeout: int = 15, **on_failure) -> dict:
    limits = {**LIMITS, **on_failure}
    if program == "native":
        return train_job(NODES, name="culprit", epochs=1000000, validate=False, dataset={"name": "synthetic-digits"}, on_failure=limits)
    return {"name": "culprit", "nodes": NODES, "procs_per_node": 1, "on_failure": limits, "command": ["python3", "-c", SCRIPT % timeout]}


class Fault:
    """What is done to a node, and what the title must say: a regular expression."""

    def __init__(self, name: str, node: int, break_it, repair, says: str, reaches_end=True):
        self.name, self.node, self.break_it, self.repair, self.says, self.reaches_end = name, node, break_it, repair, says, reaches_end


def rank_of(node):
    """The process that trains: the child of the supervisor."""
    processes = of_runs(node)
    return next(p for p in processes if "supervise" not in p.cmdline[:2] and any(q.pid == p.ppid and "supervise" in q.cmdline[:2] for q in processes))


def supervisor_of(node):
    supervisors = [p for p in of_runs(node) if "supervise" in p.cmdline[:2]]
    return next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})


FAULTS = [
    Fault("rank stopped", 1, lambda node: node.signal([rank_of(node).pid], signal.SIGSTOP), lambda node: None,
          r"Rank 1 on node2 .*its process (\d+ )?is stopped"),
    Fault("rank 0 stopped", 0, lambda node: node.signal([rank_of(node).pid], signal.SIGSTOP), lambda node: None,
          r"Rank 0 on node1 .*its process (\d+ )?is stopped"),
    Fault("node frozen", 1, lambda node: node.freeze(), lambda node: node.thaw(), "node2 stopped answering"),
    Fault("node cut off", 1, lambda node: node.partition(), lambda node: node.heal(), "node2 stopped answering"),
    Fault("master cut off", 0, lambda node: node.partition(), lambda node: node.heal(), "node1 stopped answering"),
    Fault("cable out", 1, lambda node: node.unplug(), lambda node: node.plug(), "node2 stopped answering"),
    Fault("supervisor stopped", 1, lambda node: node.signal([supervisor_of(node).pid], signal.SIGSTOP), lambda node: None, "node2 "),
    Fault("supervisor killed", 1, lambda node: node.signal([supervisor_of(node).pid], signal.SIGKILL), lambda node: None, "node2 "),
]
POWER = [
    Fault("node without power", 1, lambda node: node.power_off(), None, "node2 stopped answering"),
    Fault("master without power", 0, lambda node: node.power_off(), None, "node1 stopped answering"),
]


class Stage:
    """A cluster, and one fault after the other on it."""

    def __init__(self):
        self.cluster = new_cluster(len(NODES)).start()
        self.nodes = [self.cluster.node(name) for name in NODES]

    def clear(self):
        for node in self.nodes:
            node.heal()
            node.thaw()
            for process in of_runs(node):
                node.run(["kill", "-KILL", str(process.pid)], user=node.ROOT)
            node.run(["rm", "-f", "/tmp/end"], user=node.ROOT)
        wait_until(lambda: not any(of_runs(node) for node in self.nodes), 20, "nothing of the last run is left")

    def spool(self, node, run_id: str) -> bytes:
        home = node.run(["sh", "-c", "echo $HOME"], check=True).stdout.strip()
        try:
            return node.path(f"{home}/.cache/rankscope/runs/{run_id}/spool").read_bytes()
        except OSError:
            return b""

    def play(self, fault: Fault, program: str, attached: bool) -> tuple:
        """Returns (right, title, seconds until the verdict)."""
        sign = b"loss" if program == "native" else b"up\n"
        run = start(self.cluster, job(program), *([] if attached else ["--detach"]))
        if attached:
            wait_until(lambda: run.of("stage", stage="connect", status="done") or run.process.poll() is not None, 60, "connected")
            wait_until(lambda: self.run_ids() or run.process.poll() is not None, 60, "the run is known")
            run_id = self.run_ids()[0]
        else:
            run.end(120)
            run_id = run.of("detached")[0]["run"]
        wait_until(lambda: all(sign in self.spool(node, run_id) for node in self.nodes), 120 * support.SLOW, "all ranks train")
        node = self.nodes[fault.node]
        broken = time.monotonic()
        fault.break_it(node)
        if not attached:
            others = [other for other in self.nodes if other is not node]
            wait_until(lambda: not any(of_runs(other) for other in others), 120 * support.SLOW, "the others are down")
            if fault.repair:
                fault.repair(node)
            run = Run(self.cluster, ["runs", "attach", run_id])
        try:
            run.end(240)
        finally:
            if run.process.poll() is None:
                run.process.kill()
            if attached and fault.repair:
                fault.repair(node)
        title = run.verdict()["detail"]
        return re.search(fault.says, title) is not None, title, time.monotonic() - broken

    def run_ids(self) -> list:
        listed = self.cluster.run([support.CTL, "--json", "runs", "list"])
        try:
            return [entry["run"] for entry in support.json.loads(listed.stdout)["runs"]]
        except (ValueError, KeyError):
            return []


class Culprits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.cluster.down)

    def tearDown(self):
        self.stage.clear()

    def named(self, name: str, program: str, attached: bool):
        fault = next(fault for fault in FAULTS if fault.name == name)
        right, title, _ = self.stage.play(fault, program, attached)
        self.assertTrue(right, f"{name}, {program}: {title}")

    def test_a_stopped_rank_of_the_engine(self):
        self.named("rank stopped", "native", True)

    def test_a_stopped_rank_of_the_engine_while_the_desk_is_away(self):
        self.named("rank 0 stopped", "native", False)

    @unittest.skipIf(missing_torch(), missing_torch())
    def test_a_stopped_rank_of_a_script(self):
        self.named("rank stopped", "script", True)

    def test_a_frozen_node(self):
        self.named("node frozen", "native", False)

    @unittest.skipIf(missing_torch(), missing_torch())
    def test_a_node_that_is_cut_off(self):
        self.named("node cut off", "script", True)

    def test_a_stopped_supervisor(self):
        self.named("supervisor stopped", "native", True)


class ShortCuts(unittest.TestCase):
    """With the default limits a network that passes nothing for 30 s costs no run."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.cluster.down)

    def tearDown(self):
        self.stage.clear()

    def survives(self, program: str):
        spec = job(program, timeout=600)
        del spec["on_failure"]["peer_timeout_s"]
        if program == "native":
            spec["train"]["epochs"] = 1
            spec["train"]["max_steps"] = 400
        earlier = set(self.stage.run_ids())
        run = start(self.stage.cluster, spec)
        wait_until(lambda: set(self.stage.run_ids()) - earlier, 60, "the run is known")
        run_id = (set(self.stage.run_ids()) - earlier).pop()
        sign = b"loss" if program == "native" else b"up\n"
        wait_until(lambda: all(sign in self.stage.spool(node, run_id) for node in self.stage.nodes), 120 * support.SLOW, "all ranks train")
        cut = self.stage.nodes[1]
        cut.partition()
        time.sleep(30)  # what is tested
        cut.heal()
        for node in self.stage.nodes:
            node.run(["touch", "/tmp/end"], check=True)
        self.assertEqual(run.end(300), 0, run.explain())

    def test_the_engine(self):
        self.survives("native")

    @unittest.skipIf(missing_torch(), missing_torch())
    def test_a_script(self):
        self.survives("script")


if __name__ == "__main__":
    sys.exit(support.main())
