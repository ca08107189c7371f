#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that a real Slurm starts: submit, watch, cancel, take up again, what dies, what Slurm ends itself, what it refuses."""
import json
import signal
import subprocess
import time
import unittest
from pathlib import Path

import support  # puts tests/cluster on the path
from support import CTL, Run, Unsupported, new_cluster, start, train_job, wait_until, write_job

from slurm import Slurm, missing_requirements  # isort: skip

GONE_WITHIN = 5


def slurm_job(command, nodes=2, **overrides) -> dict:
    slurm = {"login": "node1", "nodes": nodes}
    job = {"name": "test", "launcher": "slurm", "slurm": slurm, "procs_per_node": 1, "command": ["sh", "-c", command]}
    for key, value in overrides.items():
        (slurm if key in ("partition", "account", "qos", "time", "gres", "extra", "login") else job)[key] = value
    return job


def ours(node) -> list:
    """Ranks, supervisors and what they started on the node; Slurm's own daemons are not ours."""
    words = ("rankscope-worker", "slurm-supervise", "sleep 3600")
    return [p for p in node.processes() if any(word in " ".join(p.cmdline) for word in words)]


class SlurmRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2, shared_home=True, bind={str(support.BIN): ("/srv/programs", True)}).start()
        cls.slurm = Slurm(cls.cluster).start()
        cls.nodes = [cls.cluster.node("node1"), cls.cluster.node("node2")]

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def tearDown(self):
        for job in self.slurm.jobs():
            self.slurm.root(["scancel", str(job)])
        self.slurm.wait_idle()
        self.nodes[0].run(["rm", "-f", "go"])  # one that failed must not fail the next

    def assert_nothing_left(self):
        wait_until(lambda: not [p for node in self.nodes for p in ours(node)], GONE_WITHIN * support.SLOW, "nothing of the run is left")

    def job_id(self, run: Run) -> int:
        run.wait_for("the job is submitted", lambda r: [e for e in r.of("stage", stage="queue") if "submitted" in e.get("detail", "")])
        said = next(e["detail"] for e in run.of("stage", stage="queue") if "submitted" in e.get("detail", ""))
        return int(said.split()[1])

    def queue_texts(self, run: Run) -> str:
        return "\n".join(event.get("detail", "") for event in run.of("stage", stage="queue"))

    def test_a_program_gets_torchruns_and_slurms_environment(self):
        variables = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT", "SLURM_PROCID",
                     "SLURM_LOCALID", "SLURM_NTASKS", "SLURM_NODEID", "SLURM_TASKS_PER_NODE")
        say = "echo $(hostname) " + " ".join(f"{name}=${name}" for name in variables) + "; echo '{\"step\": 1, \"loss\": 0.5}' > $RANKSCOPE_METRICS"
        run = start(self.cluster, slurm_job(say, procs_per_node=2))
        self.assertEqual(run.end(120), 0, run.explain())
        self.assertEqual(run.verdict()["outcome"], "done")
        port = 10000 + self.job_id(run) % 20000
        for rank in range(4):
            said = "".join(event["text"] for event in run.of("log", rank=rank))
            node = f"node{rank // 2 + 1}"
            self.assertEqual(said.split(), [
                node, f"RANK={rank}", f"LOCAL_RANK={rank % 2}", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2", f"GROUP_RANK={rank // 2}",
                "MASTER_ADDR=node1", f"MASTER_PORT={port}", f"SLURM_PROCID={rank}", f"SLURM_LOCALID={rank % 2}", "SLURM_NTASKS=4",
                f"SLURM_NODEID={rank // 2}", "SLURM_TASKS_PER_NODE=2(x2)"])
            self.assertEqual([(event["node"], event["loss"]) for event in run.of("metric", rank=rank)], [(node, 0.5)])
        job = self.job_id(run)
        self.assertEqual((self.slurm.end_state(job), self.slurm.job(job)["JobName"]), ("COMPLETED", "test"))
        self.assertIn("COMPLETED, exit 0:0", json.dumps(run.of("stage", stage="note")))
        stages = [e["stage"] for e in run.of("stage", node="", status="done") if e["stage"] != "note"]
        self.assertEqual(stages[:4], ["connect", "push", "queue", "start"], run.explain())
        self.assert_nothing_left()

    def test_the_window_submits_a_pasted_line(self):
        say = "for i in 1 2 3 4 5; do echo \"step $i loss 0.$((9 - i))\"; done"
        done = support.paste_in_window(self.cluster, [{"name": "small", "text": f"srun -N2 -n4 --ntasks-per-node=2 --job-name=pasted sh -c '{say}'\n",
                                                       "ranks": 4, "ends": True, "submit_on": "node1"}], 240 * support.SLOW)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr[-4000:])
        self.assertIn("ranks 4, logs 4, curves 4, done", done.stdout)
        self.assertIn("pasted", self.slurm.run(["scontrol", "-o", "show", "jobs"], check=True).stdout)
        self.assert_nothing_left()

    def test_what_nccl_does_arrives_from_every_node(self):
        run = start(self.cluster, slurm_job("exec /srv/programs/engine_nccl_rank steps=40 every_ms=5", procs_per_node=2, nccl_profiler="full"))
        self.assertEqual(run.end(120), 0, run.explain())
        for rank in range(4):
            events = run.of("nccl", rank=rank)
            self.assertEqual({event["node"] for event in events}, {f"node{rank // 2 + 1}"}, run.explain())
            self.assertEqual(sum(totals["operations"] for event in events for totals in event.get("totals", [])), 40)
        self.assertFalse([path for node in self.nodes for path in node.path("/dev/shm").glob("rankscope-nccl-*")])

    def test_the_engine_trains_on_two_nodes(self):
        job = train_job([], max_steps=10, batch_size=50, validate=False)
        del job["nodes"]
        job.update(launcher="slurm", slurm={"login": "node1", "nodes": 2, "time": "00:10:00", "extra": ["--mem=500M"]})
        run = start(self.cluster, job)
        self.assertEqual(run.end(120), 0, run.explain())
        checksums = {event["rank"]: event["params"] for event in run.of("metric") if "params" in event}
        self.assertEqual(set(checksums), {0, 1})
        self.assertEqual(len(set(checksums.values())), 1)
        for rank in (0, 1):
            steps = [event["step"] for event in run.of("metric", rank=rank) if "loss" in event]
            self.assertEqual(steps, list(range(1, 11)))
        shown = json.loads(self.cluster.run([CTL, "--json", "runs", "show", run.run_id(self.cluster)], check=True).stdout)
        self.assertEqual(shown["plan"]["master_addr"], "node1")
        self.assertEqual(shown["plan"]["master_port"], 10000 + self.job_id(run) % 20000)
        self.assertEqual([rank["node"] for rank in shown["ranks"]], ["node1", "node2"])

    def test_cancel_while_it_waits_says_why_it_waits(self):
        blocker = self.slurm.run(["sbatch", "--parsable", "-N2", "--exclusive", "-t", "5", "--output=/dev/null", "--wrap", "sleep 3600"], check=True)
        wait_until(lambda: self.slurm.jobs().get(int(blocker.stdout)) == "RUNNING", 60, "the other job runs")
        run = start(self.cluster, slurm_job("echo never", time="1"))
        run.wait_for("the reason", lambda r: "(Resources" in self.queue_texts(r))
        run.wait_for("the estimate", lambda r: "start estimated" in self.queue_texts(r), 120)
        job = self.job_id(run)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        self.assertEqual(run.verdict()["outcome"], "stopped")
        self.assertEqual(self.slurm.end_state(job), "CANCELLED")

    def test_cancel_while_it_runs_asks_the_ranks_first(self):
        run = start(self.cluster, slurm_job("trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.1; done"))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        job = self.job_id(run)
        stopped = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        print(f"stopped after {time.monotonic() - stopped:.2f} s")
        self.assertEqual(run.verdict()["outcome"], "stopped")
        self.assertEqual([e["text"] for e in run.of("log") if "asked" in e["text"]], ["asked\n"] * 2, run.explain())
        self.assertEqual(self.slurm.end_state(job), "CANCELLED")
        self.assert_nothing_left()

    def test_a_checkpoint_signal_comes_before_the_stop(self):
        script = "trap 'echo saving; sleep 0.3; echo saved; exit 0' USR1; trap 'echo too early; exit 1' TERM; echo up; while :; do sleep 0.1; done"
        run = start(self.cluster, slurm_job(script, checkpoint={"signal": "USR1", "wait_s": 30}))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        for rank in (0, 1):
            said = "".join(e["text"] for e in run.of("log", rank=rank))
            self.assertEqual(said.split("\n")[1:3], ["saving", "saved"], run.explain())
        self.assert_nothing_left()

    def test_a_second_stop_kills_what_does_not_listen(self):
        run = start(self.cluster, slurm_job("trap '' TERM; echo up; while :; do sleep 0.1; done", on_failure={"grace_s": 600}))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        run.process.send_signal(signal.SIGINT)
        run.wait_for("the stop has arrived", lambda r: len(r.of("stage", stage="stop")) == 2)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        self.assert_nothing_left()

    def test_a_failing_rank_ends_the_run_and_is_named(self):
        run = start(self.cluster, slurm_job('if [ $RANK = 1 ]; then sleep 1; echo "about to fail" >&2; exit 3; fi; exec sleep 3600'))
        self.assertEqual(run.end(120), 1, run.explain())
        culprit = run.verdict()["culprit"]
        self.assertEqual((culprit["rank"], culprit["node"], culprit["code"], culprit["last_lines"]), (1, "node2", 3, ["about to fail"]))
        self.assertEqual(self.slurm.end_state(self.job_id(run)), "FAILED")
        self.assert_nothing_left()

    def test_a_failing_rank_ends_the_run_without_a_desk(self):
        run = start(self.cluster, slurm_job('if [ $RANK = 0 ]; then while [ ! -e ~/go ]; do sleep 0.1; done; exit 3; fi; exec sleep 3600'), "--detach")
        self.assertEqual(run.end(120), 0, run.explain())
        job = run.of("detached")[0]["run"]
        wait_until(lambda: len([p for node in self.nodes for p in ours(node) if "sleep" in p.cmdline[0]]) >= 1, 60, "it runs")
        self.nodes[0].run(["touch", "go"], check=True)
        failed = time.monotonic()
        self.assert_nothing_left()
        print(f"without a desk all nodes are free {time.monotonic() - failed:.2f} s after the rank's end")
        self.nodes[0].run(["rm", "go"], check=True)
        attached = Run(self.cluster, ["runs", "attach", job])
        self.assertEqual(attached.end(120), 1, attached.explain())
        self.assertEqual(attached.verdict()["culprit"]["rank"], 0)

    def other_desk(self, *arguments) -> subprocess.CompletedProcess:
        """`rankscopectl --json …` of a desk that did not start the run."""
        return self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--data-dir", str(Path(self.cluster.dir) / "other-desk"), "--json", *arguments])

    def test_another_desk_lists_and_stops_a_run(self):
        done = start(self.cluster, slurm_job("true", name="finished"))
        self.assertEqual(done.end(120), 0, done.explain())
        run = start(self.cluster, slurm_job("trap 'echo asked; exit 0' TERM; echo up; while :; do sleep 0.1; done", name="in-progress"))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        job = self.job_id(run)
        listed = json.loads(self.other_desk("runs", "list", "node1").stdout)["runs"]
        self.assertEqual([(entry["name"], entry["state"]) for entry in listed[:2]], [("in-progress", "running"), ("finished", "done")])
        for entry in listed[:2]:
            self.assertLess(abs(entry["started"] - time.time()), 600)
        self.assertEqual(listed[0]["job"], job)
        stopped = self.other_desk("runs", "stop", listed[0]["run"], "--node", "node1")
        self.assertEqual(stopped.returncode, 0, stopped.stderr)
        self.assertEqual((json.loads(stopped.stdout)["was_running"], json.loads(stopped.stdout)["job"]), (True, job))
        run.end(60)
        self.assertEqual(run.verdict()["outcome"], "stopped", run.explain())
        self.assertEqual([e["text"] for e in run.of("log") if "asked" in e["text"]], ["asked\n"] * 2, run.explain())
        self.assertEqual(self.slurm.end_state(job), "CANCELLED")
        self.assert_nothing_left()
        again = self.other_desk("runs", "stop", listed[0]["run"], "--node", "node1")
        self.assertFalse(json.loads(again.stdout)["was_running"], again.stdout)
        after = json.loads(self.other_desk("runs", "list", "node1").stdout)["runs"]
        self.assertEqual((after[0]["name"], after[0]["state"]), ("in-progress", "stopped"))

    def test_another_desk_stops_a_run_that_waits(self):
        blocker = self.slurm.run(["sbatch", "--parsable", "-N2", "--exclusive", "-t", "5", "--output=/dev/null", "--wrap", "sleep 3600"], check=True)
        wait_until(lambda: self.slurm.jobs().get(int(blocker.stdout)) == "RUNNING", 60, "the other job runs")
        run = start(self.cluster, slurm_job("echo never", name="waits"))
        job = self.job_id(run)
        listed = json.loads(self.other_desk("runs", "list", "node1").stdout)["runs"]
        self.assertEqual((listed[0]["name"], listed[0]["state"], listed[0]["job"]), ("waits", "waiting", job))
        stopped = json.loads(self.other_desk("runs", "stop", listed[0]["run"], "--node", "node1").stdout)
        self.assertEqual((stopped["was_running"], stopped["job"]), (True, job))
        run.end(60)
        self.assertEqual(run.verdict()["outcome"], "stopped", run.explain())
        self.assertEqual(run.of("diagnosis"), [], run.explain())
        self.assertEqual(self.slurm.end_state(job), "CANCELLED")

    def test_another_desk_attaches(self):
        run = start(self.cluster, slurm_job("i=0; while [ ! -e ~/go ]; do i=$((i+1)); echo line $i; sleep 0.05; done"), "--detach")
        self.assertEqual(run.end(120), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        other = Run(self.cluster, ["--data-dir", str(Path(self.cluster.dir) / "attaching-desk"), "runs", "attach", run_id, "--node", "node1", "--logs"])
        other.wait_for("lines of both", lambda r: len(r.of("log", rank=0)) > 5 and len(r.of("log", rank=1)) > 5)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(other.end(120), 0, other.explain())
        for rank in (0, 1):
            said = "".join(event["text"] for event in other.of("log", rank=rank)).splitlines()
            self.assertEqual(said, [f"line {i}" for i in range(1, len(said) + 1)])
            self.assertEqual({event["node"] for event in other.of("log", rank=rank)}, {f"node{rank + 1}"})
        self.assertEqual(other.verdict()["outcome"], "done")

    def test_a_killed_desk_takes_the_run_up_again(self):
        lines = "i=0; while [ ! -e ~/go ]; do i=$((i+1)); echo line $i; sleep 0.02; done"
        run = start(self.cluster, slurm_job(lines))
        run.wait_for("lines", lambda r: len(r.of("log")) > 20)
        run.process.kill()
        run.end()
        time.sleep(0.5)  # events that no desk fetches
        attached = Run(self.cluster, ["runs", "attach", run.run_id(self.cluster)])
        attached.wait_for("it continues", lambda r: len(r.of("log")) > len(run.of("log")) + 20)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(attached.end(120), 0, attached.explain())
        self.nodes[0].run(["rm", "go"], check=True)
        for rank in (0, 1):
            said = "".join(event["text"] for event in attached.of("log", rank=rank)).splitlines()
            self.assertEqual(said, [f"line {i}" for i in range(1, len(said) + 1)])
            sequence = [event["seq"] for event in attached.events if event.get("node") == f"node{rank + 1}"]
            self.assertEqual(sequence, list(range(1, len(sequence) + 1)))

    def test_a_desk_killed_while_the_job_waits(self):
        blocker = self.slurm.run(["sbatch", "--parsable", "-N2", "--exclusive", "-t", "5", "--output=/dev/null", "--wrap", "sleep 3600"], check=True)
        run = start(self.cluster, slurm_job("echo here"))
        self.job_id(run)
        run.process.kill()
        run.end()
        attached = Run(self.cluster, ["runs", "attach", run.run_id(self.cluster)])
        attached.wait_for("it waits", lambda r: "PENDING" in self.queue_texts(r))
        self.slurm.root(["scancel", blocker.stdout.strip()])
        self.assertEqual(attached.end(120), 0, attached.explain())
        self.assertEqual(len(attached.of("log")), 2)

    def test_killed_supervisors_end_the_run(self):
        run = start(self.cluster, slurm_job("echo up; exec sleep 3600"))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        # Not signal(): one of them may end by the end of the other before its turn comes.
        pids = " ".join(str(p.pid) for p in ours(self.nodes[1]) if "slurm-supervise" in " ".join(p.cmdline))
        self.assertTrue(pids)
        self.nodes[1].run(["sh", "-c", f"kill -KILL {pids}; true"], user=self.nodes[1].ROOT, cwd="/", check=True)
        self.assertEqual(run.end(120), 1, run.explain())
        # srun sends SIGTERM to whole steps then: the rank of node1 that dies of it is not the cause.
        self.assertIn("node2", run.verdict()["detail"])
        self.assertNotIn("culprit", run.verdict())
        self.assert_nothing_left()

    def test_what_slurm_ends_itself(self):
        cases = [("another user's scancel", "slurm-cancelled", lambda job: self.slurm.root(["scancel", str(job)])),
                 ("a job of higher priority", "slurm-preempted",
                  lambda job: self.slurm.run(["sbatch", "-p", "urgent", "-N2", "--exclusive", "-t", "1", "--output=/dev/null", "--wrap", "true"], check=True)),
                 ("a node that fails", "slurm-node-failed",
                  lambda job: self.slurm.root(["scontrol", "update", "nodename=node2", "state=down", "reason=test"]))]
        for title, diagnosis, end in cases:
            with self.subTest(title):
                run = start(self.cluster, slurm_job("echo up; exec sleep 3600"))
                run.wait_for("both run", lambda r: len(r.of("log")) == 2)
                end(self.job_id(run))
                self.assertEqual(run.end(150), 1, run.explain())
                self.assertEqual([e["id"] for e in run.of("diagnosis")], [diagnosis], run.explain())
                if diagnosis == "slurm-node-failed":
                    self.assertIn("node2", run.verdict()["detail"])
                self.assertEqual(run.verdict()["outcome"], "failed")
                self.slurm.wait_idle()  # slurmd brings its node back by itself

    def test_a_stopped_rank_is_named_with_its_node(self):
        run = start(self.cluster, slurm_job("echo up; exec sleep 3600", on_failure={"stopped_limit_s": 2}))
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        pid = next(event["detail"].split()[1] for event in run.of("stage", stage="start", rank=1))
        self.nodes[1].run(["kill", "-STOP", pid], check=True)
        self.assertEqual(run.end(120), 1, run.explain())
        self.assertEqual((run.verdict()["culprit"]["rank"], run.verdict()["culprit"]["node"]), (1, "node2"), run.explain())
        self.assert_nothing_left()

    def test_what_holds_the_ranks_is_seen_through_a_step_of_the_job(self):
        script = "import os,time\nprint('up',flush=True)\ndef load_batch():\n    while not os.path.exists(os.path.expanduser('~/go')):\n        time.sleep(0.2)\nload_batch()\n"
        run = start(self.cluster, {**slurm_job("true"), "command": ["python3", "-c", script]})
        run.wait_for("both run", lambda r: len(r.of("log")) == 2)
        run_id = run.run_id(self.cluster)
        inspected = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "doctor", run_id])
        found = json.loads(inspected.stdout)
        self.assertEqual([(rank["rank"], rank["node"]) for rank in found["ranks"]], [(0, "node1"), (1, "node2")], inspected.stdout + inspected.stderr)
        self.assertTrue(all(rank["pid"] > 0 for rank in found["ranks"]), inspected.stdout)
        self.assertEqual((found["unseen"], found["unreachable"], found["checks"]), ([], [], []))
        self.assertFalse([path for path in self.nodes[0].run(["sh", "-c", "ls ~/.cache/rankscope/runs/*/question-* 2>/dev/null"]).stdout.split()])
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())

    def test_a_hang_has_its_cause(self):
        """Rank 1 sleeps in its code while rank 0 waits for it: the live verdict names rank, node and line."""
        script = ("import json,os,socket,time\n"
                  "rank,port=int(os.environ['RANK']),int(os.environ['MASTER_PORT'])\n"
                  "out=open(os.environ['RANKSCOPE_METRICS'],'w')\n"
                  "if rank == 0:\n"
                  "    server=socket.create_server(('',port))\n"
                  "    peer=server.accept()[0]\n"
                  "else:\n"
                  "    while True:\n"
                  "        try:\n"
                  "            peer=socket.create_connection((os.environ['MASTER_ADDR'],port))\n"
                  "            break\n"
                  "        except OSError:\n"
                  "            time.sleep(0.1)\n"
                  "def load_batch(step):\n"
                  "    if step == 20 and rank == 1:\n"
                  "        time.sleep(3600)\n"
                  "for step in range(1,100):\n"
                  "    load_batch(step)\n"
                  "    peer.sendall(b'x')\n"
                  "    peer.recv(1)\n"
                  "    out.write(json.dumps({'step':step,'loss':1.0})+chr(10)); out.flush()\n"
                  "    time.sleep(0.1)\n")
        run = start(self.cluster, {**slurm_job("true", hang_after_s=5), "command": ["python3", "-c", script]})
        run.wait_for("a live verdict", lambda r: r.of("diagnosis", phase="live"), 120)
        verdict = run.of("diagnosis", phase="live")[0]
        self.assertEqual((verdict["rank"], verdict["node"]), (1, "node2"), run.explain())
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())

    def test_nodes_that_cannot_be_inspected_are_no_all_clear(self):
        run = start(self.cluster, slurm_job("while [ ! -e ~/go ]; do sleep 0.1; done"))
        run.wait_for("it runs", lambda r: r.of("stage", stage="start", status="done", node=""))
        run_id = run.run_id(self.cluster)
        self.nodes[0].run(["sh", "-c", "mkdir -p ~/empty"], check=True)
        elsewhere = Path(self.cluster.dir) / "elsewhere.yaml"
        elsewhere.write_text("nodes: []\n", encoding="utf-8")
        inspected = self.cluster.run([CTL, "--cluster", str(elsewhere), "doctor", run_id])
        self.assertNotEqual(inspected.returncode, 0, inspected.stdout)
        self.assertNotIn("Nothing holds the ranks", inspected.stdout)
        self.assertNotIn("sudo", inspected.stdout)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())

    def test_pause_is_refused_at_once(self):
        run = start(self.cluster, slurm_job("while [ ! -e ~/go ]; do sleep 0.1; done"))
        run.wait_for("it runs", lambda r: r.of("stage", stage="start", status="done", node=""))
        paused = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "pause", run.run_id(self.cluster)])
        self.assertEqual(paused.returncode, 2, paused.stdout + paused.stderr)
        self.assertIn("launcher: slurm cannot be paused", paused.stderr)
        self.assertNotIn("probe", paused.stderr)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())

    def test_the_level_of_nccl_is_refused_and_not_called_over(self):
        run = start(self.cluster, slurm_job("while [ ! -e ~/go ]; do sleep 0.1; done"))
        run.wait_for("it runs", lambda r: r.of("stage", stage="start", status="done", node=""))
        run_id = run.run_id(self.cluster)
        for node in ([], ["--node", "node1"]):
            changed = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "nccl-level", run_id, "full", *node])
            self.assertEqual(changed.returncode, 2, changed.stdout + changed.stderr)
            self.assertIn("The NCCL level of a run under Slurm cannot be changed.", changed.stderr)
            self.assertNotIn("not running", changed.stdout + changed.stderr)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())

    def test_a_suspended_job_is_no_hang(self):
        run = start(self.cluster, slurm_job("i=0; while [ ! -e ~/go ]; do i=$((i+1)); echo '{\"step\": '$i'}' > $RANKSCOPE_METRICS; sleep 0.2; done"))
        run.wait_for("steps", lambda r: len(r.of("metric")) > 4)
        job = str(self.job_id(run))
        self.slurm.root(["scontrol", "suspend", job])
        run.wait_for("it says so", lambda r: [e for e in r.of("stage", stage="pause") if "suspended" in e.get("detail", "")])
        self.slurm.root(["scontrol", "resume", job])
        run.wait_for("and when it goes on", lambda r: [e for e in r.of("stage", stage="continue") if "resumed" in e.get("detail", "")])
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())
        self.assertEqual(run.of("diagnosis"), [], run.explain())

    def test_nodes_that_an_administrator_has_drained_are_named(self):
        self.slurm.root(["scontrol", "update", "nodename=node2", "state=drain", "reason=disk replaced"])
        try:
            run = start(self.cluster, slurm_job("echo never"))
            run.wait_for("the node and why", lambda r: "node2 is drained (disk replaced)" in self.queue_texts(r))
            self.assertNotIn("_", self.queue_texts(run).split("PENDING", 1)[1])
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.end(60), 130, run.explain())
        finally:
            self.slurm.root(["scontrol", "update", "nodename=node2", "state=resume"])

    def test_what_slurm_refuses_is_passed_on(self):
        for overrides, said, remedy in (({"partition": "nope"}, "invalid partition specified: nope", "sinfo -s"),
                                        ({"partition": "short", "time": "10"}, "time limit", "slurm.time"),
                                        ({"gres": "gpu:1"}, "gres", "slurm.gres"),
                                        ({"extra": ["--bogus"]}, "unrecognized option '--bogus'", "slurm.extra"),
                                        ({"procs_per_node": 99}, "More processors requested than permitted", "procs_per_node")):
            with self.subTest(**overrides):
                run = start(self.cluster, slurm_job("true", **overrides))
                self.assertEqual(run.end(120), 2, run.explain())
                detail = run.verdict()["detail"]
                self.assertIn("node1: Slurm does not accept the job", detail)
                self.assertIn(said, detail)
                self.assertIn(remedy, detail)
        self.assertFalse(self.slurm.jobs())

    def test_a_busy_master_port_is_named(self):
        holder = self.nodes[0].popen(["python3", "-c", "import socket,time; s=socket.create_server(('', 29500)); time.sleep(3600)"])
        try:
            wait_until(lambda: 29500 in self.nodes[0].listening_ports(), 20, "the port is held")
            run = start(self.cluster, slurm_job("exec sleep 3600", master_port=29500))
            self.assertEqual(run.end(120), 1, run.explain())
            self.assertIn("port 29500 is held by python3", run.verdict()["detail"])
            said = [e for e in run.of("notice", id="port-in-use") if "held" not in e["title"]]
            self.assertEqual(len(said), 1, run.explain())
            self.assertIn("python3", said[0]["title"])
            self.assertIn("master_port: 0", json.dumps(said[0]["fix"]))
            self.assertNotIn("--end", json.dumps(said[0]["fix"]))  # another job's, perhaps
        finally:
            holder.kill()
            holder.wait()
        self.assert_nothing_left()

    def test_plan_shows_the_submission_and_touches_nothing(self):
        path = write_job(self.cluster, slurm_job("true", procs_per_node=2, partition="main", time="00:05:00"))
        shown = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "plan", path], check=True).stdout
        self.assertIn("sbatch --job-name=test --nodes=2 --ntasks-per-node=2 --partition=main --time=00:05:00 --no-requeue", shown)
        self.assertFalse(self.slurm.jobs())

    def test_clean_keeps_a_run_that_slurm_still_has(self):
        run = start(self.cluster, slurm_job("while [ ! -e ~/go ]; do sleep 0.1; done"))
        run.wait_for("it runs", lambda r: r.of("stage", stage="start", status="done", node=""))
        base = [CTL, "--cluster", str(self.cluster.inventory), "--json"]
        self.cluster.run([*base, "clean", "node1"])
        self.assertIn(run.run_id(self.cluster), self.nodes[0].run(["ls", ".cache/rankscope/runs"]).stdout)
        self.nodes[0].run(["touch", "go"], check=True)
        self.assertEqual(run.end(120), 0, run.explain())
        self.nodes[0].run(["rm", "go"], check=True)


class WithoutASharedHome(unittest.TestCase):
    def test_it_is_said(self):
        with new_cluster(2) as cluster:
            slurm = Slurm(cluster).start()
            for nodes, extra in ((2, []), (1, ["--nodelist=node2"])):
                with self.subTest(nodes=nodes):
                    run = start(cluster, slurm_job("true", nodes=nodes, extra=extra))
                    self.assertEqual(run.end(120), 4, run.explain())
                    self.assertIn("do not share the cache folder", run.verdict()["detail"])
                    slurm.wait_idle()


class WithoutAController(unittest.TestCase):
    def test_nothing_is_called_refused(self):
        with new_cluster(1, shared_home=True) as cluster:
            slurm = Slurm(cluster).start()
            slurm.root(["sh", "-c", "kill -KILL $(cat /run/slurm/slurmctld.pid)"])
            run = start(cluster, slurm_job("true", nodes=1))
            self.assertEqual(run.end(120), 4, run.explain())
            self.assertIn("its controller does not answer", run.verdict()["detail"])
            self.assertNotIn("does not accept", run.verdict()["detail"])


class WithoutSlurm(unittest.TestCase):
    def test_a_node_without_sbatch_is_named(self):
        with new_cluster(1) as cluster:
            try:
                cluster.node("node1").remove("/usr/bin/sbatch")
            except Unsupported as e:
                self.skipTest(str(e))
            run = start(cluster, slurm_job("true", nodes=1))
            self.assertEqual(run.end(120), 2, run.explain())
            self.assertIn("Slurm is not available on this node: sbatch was not found", run.verdict()["detail"])


if __name__ == "__main__":
    why_not = missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        raise SystemExit(support.SKIP)
    support.main()
