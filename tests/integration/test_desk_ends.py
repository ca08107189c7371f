#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command at the desk ends, whatever the nodes do: when the ranks that can be reached are down and the others are presumed down, and
after Ctrl-C within the grace time. What is not known is said, a stop is recorded, and it is delivered when the node answers again.
Prints a table of the times measured."""
import json
import signal
import time
import unittest

import support
from support import CTL, Run, new_cluster, start, wait_until

NODES = ["node1", "node2", "node3"]
PEER_TIMEOUT, GRACE, MARGIN = 4, 2, 5
TABLE: list = []
# The native engine's ranks notice a lost peer before their supervisors do, and end with 75: no supervisor names a lost node then.
LOST = "echo up; while [ ! -e /tmp/lost ]; do sleep 0.1; done; exit 75"
IDLE = "echo up; exec sleep 100000"


def job(script: str, nodes=None, peer_timeout=PEER_TIMEOUT) -> dict:
    return {"name": "ends", "nodes": nodes or NODES, "procs_per_node": 1, "command": ["sh", "-c", script],
            "on_failure": {"grace_s": GRACE, "peer_timeout_s": peer_timeout}}


def marked(node) -> list:
    """Every process of a run on the node, but not its agents that serve a desk."""
    found = []
    for process in node.processes():
        try:
            environ = node.path(f"/proc/{process.pid}/environ").read_bytes()
        except OSError:
            continue
        if "supervise" in process.cmdline[:2] or b"RANKSCOPE_RUN_ID=" in environ:
            found.append(process)
    return found


def supervisor(node):
    supervisors = [p for p in node.processes() if "supervise" in p.cmdline[:2]]
    return next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})


def tearDownModule():  # pylint: disable=C0103
    print("\n| fault | asked | the command ended after | limit |\n|---|---|---|---|")
    for fault, asked, took, limit in TABLE:
        print(f"| {fault} | {asked} | {took:.1f} s | {limit} s |")


class DeskEnds(unittest.TestCase):
    def setUp(self):
        self.cluster = new_cluster(len(NODES)).start()
        self.addCleanup(self.cluster.down)
        self.nodes = [self.cluster.node(name) for name in NODES]

    def up(self, script: str, peer_timeout=PEER_TIMEOUT) -> Run:
        run = start(self.cluster, job(script, peer_timeout=peer_timeout))
        run.wait_for("all ranks are up", lambda r: len({e["rank"] for e in r.of("log")}) == len(NODES))
        return run

    def lose_peer(self, nodes):
        for node in nodes:
            node.run(["touch", "/tmp/lost"], check=True)

    def ends(self, run: Run, since: float, limit: float, fault: str, asked: str, code: int):
        self.assertEqual(run.end(limit + 60), code, run.explain())
        took = time.monotonic() - since
        TABLE.append((fault, asked, took, limit))
        self.assertLess(took, support.patience(limit), run.explain())
        return run.verdict()

    def fails(self, fault: str, harm, ends_itself: bool = False, peer_timeout=PEER_TIMEOUT):
        """ends_itself: something on node2 may still notice and report the end there; then all is known."""
        run = self.up(LOST, peer_timeout)
        harm()
        self.lose_peer([self.nodes[0], self.nodes[2]])
        others = [self.nodes[0], self.nodes[2]]
        wait_until(lambda: not any(marked(node) for node in others), 60 * support.SLOW, "all reachable ranks are down")
        end = self.ends(run, time.monotonic(), peer_timeout + MARGIN, fault, "nothing", 1)
        self.assertEqual(end["outcome"], "failed", run.explain())
        if ends_itself and "unconfirmed" not in end:
            return run
        self.assertEqual(end["unconfirmed"], ["node2"], run.explain())
        self.assertIn("node2 has not confirmed the end", end["detail"])
        self.assertIn("A stop is recorded", end["detail"])
        return run

    def stops(self, fault: str, harm, nodes_left=("node2",), ends_itself: bool = False):
        """Ctrl-C some time after the fault, before anything else has ended the run."""
        run = self.up(IDLE)
        harm()
        asked = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        end = self.ends(run, asked, GRACE + 6, fault, "Ctrl-C", 130)
        self.assertEqual(end["outcome"], "stopped", run.explain())
        if not ends_itself or "unconfirmed" in end:
            self.assertEqual(sorted(end["unconfirmed"]), sorted(nodes_left), run.explain())
        return run

    def stop_supervisor(self):
        self.nodes[1].signal([supervisor(self.nodes[1]).pid], signal.SIGSTOP)

    # - nothing is asked

    def test_partitioned(self):
        # A link is called silent after 7 to 8 s: with the short limit the run may end before.
        run = self.fails("node2 partitioned", self.nodes[1].partition, peer_timeout=2 * PEER_TIMEOUT)
        run_id = run.run_id(self.cluster)
        states = [e["state"] for e in run.of("link", to="node2")]
        self.assertIn("silent", states, run.explain())
        self.nodes[1].heal()
        listed = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "list"], check=True)
        self.assertIn(f"node2: delivered the recorded stop of run {run_id}", listed.stdout, listed.stderr)
        wait_until(lambda: not marked(self.nodes[1]), 20 * support.SLOW, "nothing of the run is left on node2")
        again = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "list"], check=True)
        self.assertNotIn("recorded stop", again.stdout + again.stderr)

    def test_frozen(self):
        run = self.fails("node2 frozen", lambda: self.nodes[1].freeze(infrastructure=True))
        self.nodes[1].thaw()
        listed = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "list", "node2"], check=True)
        self.assertIn(f"node2: delivered the recorded stop of run {run.run_id(self.cluster)}", listed.stdout, listed.stderr)

    def test_powered_off(self):
        self.fails("node2 powered off", self.nodes[1].power_off)

    def test_supervisor_stopped(self):
        self.fails("supervisor of node2 stopped", self.stop_supervisor, ends_itself=True)

    # - Ctrl-C

    def test_ctrl_c_partitioned(self):
        self.stops("node2 partitioned", self.nodes[1].partition)

    def test_ctrl_c_frozen(self):
        self.stops("node2 frozen", lambda: self.nodes[1].freeze(infrastructure=True))
        self.nodes[1].thaw()

    def test_ctrl_c_powered_off(self):
        self.stops("node2 powered off", self.nodes[1].power_off)

    def test_ctrl_c_supervisor_stopped(self):
        self.stops("supervisor of node2 stopped", self.stop_supervisor, ends_itself=True)

    def test_ctrl_c_without_sshd(self):
        """The supervisors pass the stop on: the node ends, although this desk cannot see it."""
        run = self.stops("sshd of node2 killed for ever", self.nodes[1].kill_sshd)
        self.assertTrue(any(e["state"] == "retrying" for e in run.of("link", to="node2")), run.explain())
        wait_until(lambda: not marked(self.nodes[1]), 20 * support.SLOW, "the ranks of node2 are down")

    def test_ctrl_c_desk_cut_off(self):
        """Nothing reaches the nodes; all of them end once the recorded stop is delivered."""
        def cut():
            for node in self.nodes:
                node.drop_port(22)
        run = self.stops("desk cut off from all nodes", cut, NODES)
        self.assertTrue(all(marked(node) for node in self.nodes), "the run continues without the desk")
        for node in self.nodes:
            node.heal()
        self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "clean", *NODES], check=True)
        wait_until(lambda: not any(marked(node) for node in self.nodes), 20 * support.SLOW, run.explain())

    # - who may stop a run

    def test_sigterm_never_stops_a_run(self):
        run = start(self.cluster, job(IDLE), "--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            watching = Run(self.cluster, ["runs", "attach", run_id])
            watching.wait_for("it is attached", lambda r: len({e["rank"] for e in r.of("log")}) == len(NODES))
            watching.process.send_signal(number)
            watching.end(30)
            self.assertIn("Left running", watching.errors())
        self.assertTrue(all(marked(node) for node in self.nodes))
        stopped = Run(self.cluster, ["runs", "stop", run_id])
        self.assertEqual(stopped.end(60), 0, stopped.explain())

    def test_sigterm_leaves_a_run_that_is_started(self):
        run = self.up(IDLE)
        run.process.send_signal(signal.SIGTERM)
        run.end(30)
        self.assertIn("Left running", run.errors())
        self.assertTrue(all(marked(node) for node in self.nodes))

    def test_another_desk_can_stop_it(self):
        run = start(self.cluster, job(IDLE), "--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        other = [CTL, "--cluster", str(self.cluster.inventory), "--data-dir", str(self.cluster.dir / "other")]
        listed = self.cluster.run([*other, "runs", "list", "node1"], check=True)
        self.assertIn(run_id, listed.stdout)
        watching = Run(self.cluster, ["--data-dir", str(self.cluster.dir / "other"), "runs", "attach", run_id, "--node", "node2", "--logs"])
        watching.wait_for("it is followed from its beginning", lambda r: r.of("log"))
        self.cluster.run([*other, "runs", "stop", run_id, "--node", "node1"], check=True)
        wait_until(lambda: not any(marked(node) for node in self.nodes), 30 * support.SLOW, "all nodes have ended")
        self.assertEqual(watching.end(30), 130, watching.explain())
        self.assertEqual(watching.verdict()["outcome"], "stopped", watching.explain())
        shown = json.loads(self.cluster.run([*other, "--json", "runs", "show", run_id], check=True).stdout)
        self.assertEqual((shown["outcome"], shown["nodes"]), ("stopped", "node2"), "it is kept here, too")


class Unwatched(unittest.TestCase):
    """Runs that end, or may have ended, while nobody watches."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.nodes = [cls.cluster.node(name) for name in ("node1", "node2")]

    def detached(self, script: str, peer_timeout=PEER_TIMEOUT) -> str:
        run = start(self.cluster, job(script, ["node1", "node2"], peer_timeout), "--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        return run.of("detached")[0]["run"]

    def ctl(self, *arguments: str) -> str:
        return self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), *arguments], check=True).stdout

    def listed(self, run_id: str) -> dict:
        return next(run for run in json.loads(self.ctl("--json", "runs", "list"))["runs"] if run["run"] == run_id)

    def on_node(self, run_id: str) -> dict:
        return next(run for run in json.loads(self.ctl("--json", "runs", "list", "node1"))["runs"] if run["run"] == run_id)

    def test_its_end_is_that_of_its_nodes(self):
        run_id = self.detached("sleep 1")
        wait_until(lambda: self.on_node(run_id)["state"] == "done", 30 * support.SLOW, "it has ended")
        known = time.monotonic()
        wait_until(lambda: time.monotonic() - known > 6, 10, "so much time has passed that nobody takes now for its end")
        self.assertIn(" done ", next(line for line in self.ctl("runs", "list").splitlines() if run_id in line))
        listed = self.listed(run_id)
        self.assertEqual((listed["outcome"], listed["exit_code"]), ("done", 0), listed)
        self.assertLess(listed["ended"] - listed["started"], 6, listed)
        shown = json.loads(self.ctl("--json", "runs", "show", run_id))
        self.assertEqual((shown["outcome"], shown["ended"]), ("done", listed["ended"]), "the store has it")
        attached = Run(self.cluster, ["runs", "attach", run_id])
        self.assertEqual(attached.end(30), 0, attached.explain())
        self.assertEqual(attached.verdict()["t"], listed["ended"])

    def test_one_whose_nodes_are_silent_is_not_called_running(self):
        # The nodes cannot hear each other either, for as long as the two commands below take: the run must outlive that.
        run_id = self.detached(IDLE, peer_timeout=60 * support.SLOW)
        self.assertNotIn("not_known_since", self.listed(run_id))
        for node in self.nodes:
            node.partition()
        began = time.monotonic()
        listed = self.listed(run_id)
        self.assertLess(time.monotonic() - began, support.patience(3), "who does not answer is not waited for")
        self.assertGreaterEqual(listed["not_known_since"], listed["started"], listed)
        self.assertIn("not known since", self.ctl("runs", "list"))
        for node in self.nodes:
            node.heal()
        wait_until(lambda: "not_known_since" not in self.listed(run_id), 30 * support.SLOW, "its nodes say that it runs")
        stopped = Run(self.cluster, ["runs", "stop", run_id])
        self.assertEqual(stopped.end(60), 0, stopped.explain())


if __name__ == "__main__":
    support.main()
