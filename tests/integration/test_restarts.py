#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""on_failure.max_restarts: after a rank's failure all ranks of all nodes start again, whether the desk is there or not; never after the
person's own stop, and never when a node is gone."""
import signal
import unittest

import support
from support import Run, new_cluster, processes_of_runs, start, train_job, wait_until

NODES = ["node1", "node2"]
# Rank 1 fails in the first attempts; rank 0 would wait for it for ever.
FAILS = ('echo "attempt $TORCHELASTIC_RESTART_COUNT of $TORCHELASTIC_MAX_RESTARTS"; '
         'if [ $TORCHELASTIC_RESTART_COUNT -ge {good} ]; then exit 0; fi; '
         'if [ $RANK = 1 ]; then echo "about to fail" >&2; exit 3; fi; exec sleep 100000')


def job(script: str, max_restarts: int, **more) -> dict:
    return {"name": "again", "nodes": NODES, "procs_per_node": 1, "command": ["sh", "-c", script],
            "on_failure": {"grace_s": 2, "max_restarts": max_restarts}, **more}


class Restarts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.nodes = [cls.cluster.node(name) for name in NODES]

    def left(self) -> list:
        return [(node.name, processes_of_runs(node), node.listening_ports()) for node in self.nodes
                if processes_of_runs(node) or node.listening_ports()]

    def assert_nothing_left(self):
        wait_until(lambda: not self.left(), 20 * support.SLOW, "no process and no port of the run is left")

    def rank_of(self, node, name="sleep"):
        return next(p for p in node.processes() if p.cmdline and name in p.cmdline[0])

    def attempts(self, run: Run, rank: int) -> list:
        return [e.get("attempt", 0) for e in run.of("exit", rank=rank)]

    def printed(self, run: Run, rank: int) -> str:
        return "".join(e["text"] for e in run.of("log", rank=rank) if e["stream"] == "stdout")

    def test_all_ranks_start_again_and_the_run_ends_well(self):
        for detached in (False, True):
            with self.subTest(detached=detached):
                run = start(self.cluster, job(FAILS.format(good=2), 3), *(["--detach"] if detached else []))
                if detached:
                    self.assertEqual(run.end(60), 0, run.explain())
                    run_id = run.of("detached")[0]["run"]
                    # No desk is attached: the supervisors agree by themselves.
                    self.assert_nothing_left()
                    run = Run(self.cluster, ["runs", "attach", run_id])
                self.assertEqual(run.end(90), 0, run.explain())
                for rank in (0, 1):
                    self.assertEqual(self.attempts(run, rank), [0, 1, 2], run.explain())
                # Rank 0 may have been ended before it came to print.
                self.assertEqual(self.printed(run, 1), "".join(f"attempt {i} of 3\n" for i in range(3)))
                self.assertEqual(len([e for e in run.of("stage") if e["stage"] == "restart" and e["status"] == "done"]), 4)
                self.assertEqual(run.verdict()["outcome"], "done")
                self.assert_nothing_left()

    def test_the_last_failure_is_the_runs(self):
        run = start(self.cluster, job(FAILS.format(good=9), 1))
        self.assertEqual(run.end(60), 1, run.explain())
        end = run.verdict()
        self.assertEqual((end["culprit"]["rank"], end["culprit"]["code"]), (1, 3))
        self.assertIn("Rank 1 on node2 exited with code 3", end["detail"])
        self.assertIn("started again 1 times", end["detail"])
        self.assertEqual(self.attempts(run, 1), [0, 1])
        self.assert_nothing_left()

    def test_a_node_whose_ranks_are_done_starts_them_again_too(self):
        script = ('echo "attempt $TORCHELASTIC_RESTART_COUNT"; if [ $TORCHELASTIC_RESTART_COUNT = 1 ]; then exit 0; fi; '
                  'if [ $RANK = {done} ]; then exit 0; fi; while [ ! -e /tmp/fail-now ]; do sleep 0.05; done; exit 3')
        for done in (0, 1):  # the master's node, and the other
            with self.subTest(done=done):
                other = self.nodes[1 - done]
                other.run(["rm", "-f", "/tmp/fail-now"])
                run = start(self.cluster, job(script.format(done=done), 1))
                run.wait_for("the one rank is done", lambda r: r.of("exit", rank=done))
                other.run(["touch", "/tmp/fail-now"])
                self.assertEqual(run.end(60), 0, run.explain())
                self.assertEqual(self.attempts(run, done), [0, 1])
                self.assertEqual(self.attempts(run, 1 - done), [0, 1])
                self.assert_nothing_left()

    def test_the_persons_stop_is_the_last_word(self):
        run = start(self.cluster, job(FAILS.format(good=9).replace("exit 3", "[ $TORCHELASTIC_RESTART_COUNT = 1 ] && exec sleep 100000; exit 3"), 5))
        run.wait_for("the second attempt is on its way", lambda r: self.printed(r, 0).count("attempt 1") and self.printed(r, 1).count("attempt 1"))
        stop = Run(self.cluster, ["runs", "stop", run.run_id(self.cluster)])
        self.assertEqual(stop.end(60), 0, stop.explain())
        self.assertEqual(run.end(60), 130, run.explain())
        self.assertEqual(self.attempts(run, 0), [0, 1])
        self.assert_nothing_left()

    def test_without_a_node_nothing_is_started_again(self):
        run = start(self.cluster, job("echo up; exec sleep 100000", 3))
        run.wait_for("all ranks are up", lambda r: len({e["rank"] for e in r.of("log")}) == 2)
        supervisors = [p for p in self.nodes[1].processes() if "supervise" in p.cmdline[:2]]
        victim = next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})
        self.nodes[1].signal([victim.pid], signal.SIGKILL)
        self.assertEqual(run.end(90), 1, run.explain())
        self.assertIn("node2", run.verdict()["detail"])
        self.assertEqual([e for e in run.of("stage") if e["stage"] == "restart" and e["status"] == "done"], [])
        self.assert_nothing_left()

    def test_what_cannot_be_started_is_not_tried_again(self):
        run = start(self.cluster, {**job("", 5), "command": ["/no/such/program"], "preflight": "off"})
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertEqual([e for e in run.of("stage") if e["stage"] == "restart"], [])
        self.assertIn("/no/such/program", run.verdict()["detail"] + run.verdict()["culprit"]["reason"])

    def test_the_native_engine_meets_again_on_the_same_port(self):
        run = start(self.cluster, {**train_job(NODES, epochs=1), "on_failure": {"grace_s": 2, "max_restarts": 1}})
        run.wait_for("both ranks train", lambda r: all(r.of("metric", rank=rank) for rank in (0, 1)))
        self.nodes[0].signal([self.rank_of(self.nodes[0], "rankscope-worker").pid], signal.SIGKILL)
        self.assertEqual(run.end(200), 0, run.explain())
        self.assertEqual(self.attempts(run, 0), [0, 1])
        self.assertEqual(run.of("exit", rank=0)[0]["signal"], 9)
        self.assert_nothing_left()

    def test_a_single_node(self):
        run = start(self.cluster, {**job(FAILS.format(good=1), 1), "nodes": ["node1"], "procs_per_node": 2})
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertEqual(self.attempts(run, 0), [0, 1])
        self.assertEqual(self.attempts(run, 1), [0, 1])
        self.assert_nothing_left()


if __name__ == "__main__":
    support.main()
