#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What dies, and what must not: ranks, supervisors, the desk, the link. After a run nothing of it is left on any node."""
import json
import signal
import time
import unittest

import support
from support import CTL, Run, new_cluster, processes_of_runs, start, train_job, wait_until

GONE_WITHIN = 5


class LifeCycle(unittest.TestCase):
    def setUp(self):
        self.cluster = new_cluster(2).start()
        self.addCleanup(self.cluster.down)
        self.nodes = [self.cluster.node("node1"), self.cluster.node("node2")]

    def long_run(self, *arguments, **overrides) -> Run:
        return start(self.cluster, train_job(["node1", "node2"], epochs=50, batch_size=50, **overrides), *arguments)

    def training(self, run: Run):
        run.wait_for("both ranks train", lambda r: all(r.of("metric", rank=rank) for rank in (0, 1)))

    def left_behind(self) -> list:
        return [(node.name, processes_of_runs(node), node.listening_ports()) for node in self.nodes
                if processes_of_runs(node) or node.listening_ports()]

    def assert_everything_gone(self, since: float, within: float = GONE_WITHIN):
        wait_until(lambda: not self.left_behind(), within * support.SLOW, "no process and no port of the run is left")
        print(f"nodes free after {time.monotonic() - since:.2f} s")

    def worker(self, node):
        return next(process for process in node.processes() if process.cmdline and "rankscope-worker" in process.cmdline[0])

    def test_kill_9_of_one_rank_ends_the_run_everywhere_and_names_it(self):
        for victim in (1, 0):  # rank 0 serves the store: its death looks different to the other
            with self.subTest(rank=victim):
                run = self.long_run()
                self.training(run)
                node = self.nodes[victim]
                killed = time.monotonic()
                node.signal([self.worker(node).pid], signal.SIGKILL)
                self.assert_everything_gone(killed)
                self.assertEqual(run.end(30), 1, run.explain())
                end = run.verdict()
                self.assertEqual(end["outcome"], "failed")
                self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"], end["culprit"]["signal"]),
                                 (victim, node.name, 9), run.explain())
                self.assertIn(f"Rank {victim} on {node.name}", end["detail"])

    def test_a_rank_that_exits_badly_is_named_with_its_last_lines(self):
        job = {"name": "bad", "nodes": ["node1", "node2"],
               "command": ["sh", "-c", 'if [ $RANK = 1 ]; then echo "about to fail" >&2; exit 3; fi; sleep 600']}
        run = start(self.cluster, job)
        self.assertEqual(run.end(30), 1, run.explain())
        culprit = run.verdict()["culprit"]
        self.assertEqual((culprit["rank"], culprit["code"], culprit["last_lines"]), (1, 3, ["about to fail"]))
        self.assert_everything_gone(time.monotonic())

    def test_stop_asks_first_and_kills_after_the_grace(self):
        job = {"name": "stubborn", "nodes": ["node1", "node2"], "on_failure": {"grace_s": 1},
               "command": ["sh", "-c", "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 1; done' & echo up; while :; do sleep 1; done"]}
        run = start(self.cluster, job)
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(30), 130, run.explain())
        for node in self.nodes:
            wait_until(lambda node=node: not [p for p in node.processes() if "sleep" in str(p.cmdline) or "trap" in str(p.cmdline)],
                       5, "the whole tree is gone")

    def test_a_killed_supervisor_takes_its_ranks_with_it(self):
        run = self.long_run()
        self.training(run)
        supervisors = [p for p in self.nodes[1].processes() if "supervise" in p.cmdline[:2]]
        child = next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})
        killed = time.monotonic()
        self.nodes[1].signal([child.pid], signal.SIGKILL)
        self.assert_everything_gone(killed)
        self.assertEqual(run.end(30), 1, run.explain())
        self.assertIn("node2", run.verdict()["detail"])

    def spool_size(self, run_id: str) -> int:
        return sum(node.path(f"{self.home(node)}/.cache/rankscope/runs/{run_id}/spool").stat().st_size for node in self.nodes)

    def assert_no_step_is_missing(self, run: Run, at_least: int):
        for rank in (0, 1):
            steps = [event["step"] for event in run.of("metric", rank=rank) if "loss" in event]
            self.assertGreaterEqual(len(steps), at_least)
            self.assertEqual(steps, list(range(1, len(steps) + 1)), "every step, none missing, none twice")

    def assert_store_has_all(self, run_id: str, seen: Run):
        """From the store alone, as often as one likes."""
        again = Run(self.cluster, ["runs", "export", run_id])
        again.end()

        # Where two desks follow a run, each adds events of its own, and the order is that of a node.
        for node in self.nodes:
            self.assertEqual(*([event["seq"] for event in one.events if event.get("node") == node.name] for one in (seen, again)))

    def test_kill_9_of_the_desk_loses_nothing(self):
        run = self.long_run(validate=False)
        self.training(run)
        run_id = run.run_id(self.cluster)
        run.process.kill()
        run.process.wait()
        alive = {node.name: self.worker(node).pid for node in self.nodes}
        # Training continues without a desk: the spools grow.
        size = self.spool_size(run_id)
        wait_until(lambda: self.spool_size(run_id) > size, 30 * support.SLOW, "the spools grow with the desk gone")
        self.assertEqual(alive, {node.name: self.worker(node).pid for node in self.nodes})
        attached = Run(self.cluster, ["runs", "attach", run_id])
        attached.wait_for("ten steps of both ranks", lambda r: all(len(r.of("metric", rank=rank)) > 10 for rank in (0, 1)))
        stopped = time.monotonic()
        stop = Run(self.cluster, ["runs", "stop", run_id])
        self.assertEqual(stop.end(60), 0, stop.explain())
        attached.end()
        self.assertEqual(attached.verdict()["outcome"], "stopped", attached.explain())
        self.assert_no_step_is_missing(attached, at_least=10)
        self.assert_everything_gone(stopped, 60)
        self.assert_store_has_all(run_id, attached)

    def test_what_ends_without_a_desk_is_fetched_afterwards(self):
        script = 'i=0; while [ ! -e /tmp/end ]; do echo $((i+=1)); sleep 0.05; done; echo last'
        run = start(self.cluster, {"name": "alone", "nodes": ["node1", "node2"], "command": ["sh", "-c", script]})
        run.wait_for("both count", lambda r: {e["rank"] for e in r.of("log")} == {0, 1})
        run_id = run.run_id(self.cluster)
        run.process.kill()
        run.process.wait()
        size = self.spool_size(run_id)
        wait_until(lambda: self.spool_size(run_id) > size, 30 * support.SLOW, "the spools grow with the desk gone")
        for node in self.nodes:
            node.run(["touch", "/tmp/end"], check=True)
        self.assert_everything_gone(time.monotonic(), 60)
        attached = Run(self.cluster, ["runs", "attach", run_id])
        self.assertEqual(attached.end(60), 0, attached.explain())
        self.assertEqual(attached.verdict()["outcome"], "done")
        for rank in (0, 1):
            lines = "".join(event["text"] for event in attached.of("log", rank=rank)).split()
            self.assertEqual(lines, [str(i) for i in range(1, len(lines))] + ["last"])
        self.assert_store_has_all(run_id, attached)

    def home(self, node) -> str:
        return node.run(["sh", "-c", "echo $HOME"], check=True).stdout.strip()

    def test_detach_leaves_it_running_and_stop_ends_it(self):
        run = self.long_run("--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        self.assertTrue(self.worker(self.nodes[0]) and self.worker(self.nodes[1]))
        stopped = time.monotonic()
        stop = Run(self.cluster, ["runs", "stop", run_id])
        self.assertEqual(stop.end(60), 0, stop.explain())
        self.assertEqual(stop.verdict()["outcome"], "stopped")
        self.assert_everything_gone(stopped)

    def test_a_lost_link_is_taken_up_again_without_a_gap(self):
        run = self.long_run(validate=False)
        self.training(run)
        for _ in range(2):
            self.nodes[1].kill_sshd(sessions=True)
            seen = len(run.of("metric", rank=1))
            self.nodes[1].start_sshd()
            run.wait_for("steps of the node whose link was lost", lambda r, seen=seen: len(r.of("metric", rank=1)) > seen)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        self.assert_no_step_is_missing(run, at_least=3)

    def test_pause_continue_and_run_again_with_changes(self):
        script = 'echo "$WORD"; i=0; while [ ! -e /tmp/end ]; do echo $((i+=1)); sleep 0.05; done'
        job = {"name": "counter", "nodes": ["node1", "node2"], "env": {"WORD": "first"}, "command": ["sh", "-c", script]}
        run = start(self.cluster, job)
        run.wait_for("both count", lambda r: {e["rank"] for e in r.of("log")} == {0, 1})
        run_id = run.run_id(self.cluster)
        for verb, paused in (("pause", True), ("continue", False)):
            done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "runs", verb, run_id], check=True)
            self.assertEqual(json.loads(done.stdout), {"run": run_id, "paused": paused})
            run.wait_for(f"{verb} is reported by both", lambda r, verb=verb: {e["node"] for e in r.of("stage", stage=verb)} == {"node1", "node2"})
        for node in self.nodes:
            node.run(["touch", "/tmp/end"], check=True)
        self.assertEqual(run.end(60), 0, run.explain())
        again = Run(self.cluster, ["runs", "rerun", run_id, "--set", "env.WORD=second", "--set", "name=again"])
        self.assertEqual(again.end(60), 0, again.explain())
        self.assertEqual({e["text"].splitlines()[0] for e in again.of("log")}, {"second"})
        wrong = Run(self.cluster, ["runs", "rerun", run_id, "--set", "procs_per_node=none"])
        self.assertEqual(wrong.end(60), 2)

    def test_a_checkpoint_signal_comes_before_the_stop(self):
        script = "trap 'echo saving; sleep 0.3; echo saved; exit 0' USR1; echo up; while :; do sleep 0.05; done"
        run = start(self.cluster, {"name": "saver", "nodes": ["node1", "node2"], "checkpoint": {"signal": "USR1", "wait_s": 20},
                                   "command": ["sh", "-c", script]})
        run.wait_for("both run", lambda r: {e["rank"] for e in r.of("log")} == {0, 1})
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        for rank in (0, 1):
            self.assertIn("saved", "".join(e["text"] for e in run.of("log", rank=rank)))
            self.assertEqual(run.of("exit", rank=rank)[0]["code"], 0)

    def test_an_attach_has_its_own_limit_of_output(self):
        script = "while [ ! -e ~/go-flood ]; do sleep 0.05; done; yes 'a line of the flood' | head -c 6000000"
        run = start(self.cluster, {"name": "flood", "nodes": ["node1"], "command": ["sh", "-c", script]}, "--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        attached = Run(self.cluster, ["runs", "attach", run_id, "--log-limit", "1"])
        attached.wait_for("it is followed", lambda r: r.of("stage"))
        self.nodes[0].run(["touch", "go-flood"], check=True)
        self.addCleanup(self.nodes[0].run, ["rm", "-f", "go-flood"])
        self.assertEqual(attached.end(120), 0, attached.explain())
        kept = sum(len(e["text"]) for e in attached.of("log"))
        dropped = sum(e.get("dropped_bytes", 0) for e in attached.of("log"))
        self.assertGreater(kept, 500_000)
        self.assertLess(kept, 1_200_000)
        self.assertGreater(dropped, 4_000_000)

    def test_what_is_left_is_shown_with_whose_it_is(self):
        node = self.nodes[0]
        holder = node.popen(["python3", "-c", "import socket, time; s = socket.create_server(('', 29521)); time.sleep(600)"])
        self.addCleanup(holder.kill)
        node.run(["sh", "-c", "echo x > /dev/shm/nccl-stale; echo x > /dev/shm/mine"], check=True)
        wait_until(lambda: 29521 in node.listening_ports(), 10, "the port is taken")
        run = self.long_run("--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]

        def show(*arguments):
            done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "clean", "node1", *arguments], check=True)
            return json.loads(done.stdout)["leftovers"]

        held = show("--port", "29521")
        self.assertEqual(len(held), 1)
        self.assertTrue(held[0]["own"] and "python3" in held[0]["what"] and held[0]["user"] == node.user, held)
        left = show("--show")
        self.assertTrue(any(e["kind"] == "process" and e.get("run") == run_id and e["live"] for e in left), left)
        self.assertEqual([e["what"] for e in left if e["kind"] == "shared-memory"], ["nccl-stale"])
        self.assertEqual([e["what"] for e in left if e["kind"] == "other-shared-memory"], ["mine"])
        stop = Run(self.cluster, ["runs", "kill", run_id])
        self.assertEqual(stop.end(60), 0, stop.explain())
        self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "clean", "node1"], check=True)
        self.assertEqual([(e["kind"], e["what"]) for e in show("--show")], [("other-shared-memory", "mine")])
        self.assertEqual(node.shared_memory(), ["mine"], "what is not known to be ours stays")

    def test_who_holds_a_port_is_ended_where_it_is_the_persons_own(self):
        node = self.nodes[0]

        def hold(port: int, program: str, **options):
            holder = node.popen(["python3", "-c", f"import signal, socket, time; {program}; s = socket.create_server(('', {port})); "
                                                  "time.sleep(600)"], **options)
            self.addCleanup(holder.kill)
            wait_until(lambda: port in node.listening_ports(), 10, "the port is taken")
            return holder

        def end(port: int):
            done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "clean", "node1", "--port", str(port), "--end"])
            return done.returncode, json.loads(done.stdout)

        hold(29521, "pass")
        code, said = end(29521)
        self.assertEqual((code, said["port"], said["killed"]), (0, 29521, False), said)
        self.assertNotIn(29521, node.listening_ports())
        hold(29522, "signal.signal(signal.SIGTERM, signal.SIG_IGN)")
        self.assertEqual(end(29522)[1]["killed"], True)
        self.assertNotIn(29522, node.listening_ports())
        other = hold(29523, "pass", user=node.ROOT)
        code, said = end(29523)
        self.assertNotEqual(code, 0)
        self.assertEqual(said["id"], "not-own", said)
        self.assertIn(29523, node.listening_ports())
        self.assertIsNone(other.poll())

    def test_clean_removes_finished_runs_and_spares_live_ones(self):
        done = start(self.cluster, train_job(["node1"], max_steps=1, validate=False))
        self.assertEqual(done.end(), 0, done.explain())
        live = self.long_run("--detach")
        self.assertEqual(live.end(60), 0, live.explain())
        run_id = live.of("detached")[0]["run"]
        out = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "clean", "node1"], check=True).stdout
        cleaned = json.loads(out)
        self.assertEqual(len(cleaned["removed"]), 1)
        self.assertTrue(cleaned["kept"] and run_id in cleaned["kept"][0])
        stop = Run(self.cluster, ["runs", "kill", run_id])
        self.assertEqual(stop.end(60), 0, stop.explain())


if __name__ == "__main__":
    support.main()
