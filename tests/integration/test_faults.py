#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fault matrix: what can happen to a rank, a supervisor or a node, with the desk attached and without. After each fault every rank
on every node is down in time, nothing is left, and the end names the culprit. Prints a table of the times measured;
tests/benchmarks/fault_matrix.py does it several times."""
import signal
import time
import unittest
from typing import NamedTuple

import support
from support import CTL, Run, Unsupported, new_cluster, start, wait_until

NODES = ["node1", "node2", "node3"]
TABLE: list = []  # of Row
# A program without Python and without sockets: whatever ends the other ranks is ours. The environment marks what belongs to a run.
IDLE = "echo up; exec sleep 100000"


class Row(NamedTuple):
    fault: str
    desk: str
    took: float   # seconds until every rank everywhere is down, or until what the fault's name says
    free: float   # seconds until no process and no port of the run is left anywhere; 0: the run continues
    goal: float   # for `took`
    named: str


def command(script: str) -> dict:
    return {"name": "fault", "nodes": NODES, "procs_per_node": 1, "on_failure": {"grace_s": 2, "peer_timeout_s": 10}, "command": ["sh", "-c", script]}


def of_runs(node) -> list:
    """Every process of a run on the node, whatever it is called: ranks carry the run's id, supervisors say what they are."""
    found = []
    for process in node.processes():
        if "supervise" in process.cmdline[:2]:
            found.append(process)
            continue
        try:
            environ = node.path(f"/proc/{process.pid}/environ").read_bytes()
        except OSError:
            continue
        if b"RANKSCOPE_RUN_ID=" in environ:
            found.append(process)
    return found


def tearDownModule():  # pylint: disable=C0103
    print("\n| fault | desk | all ranks down after | nothing left after | goal | named |\n|---|---|---|---|---|---|")
    for row in TABLE:
        print(f"| {row.fault} | {row.desk} | {row.took:.2f} s | {f'{row.free:.2f} s' if row.free else 'continues'} | {row.goal:.0f} s | {row.named} |")


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(len(NODES)).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.nodes = [cls.cluster.node(name) for name in NODES]

    def tearDown(self):
        self.clear()

    def clear(self):
        """A fault that failed its test must not fail the next one's."""
        for node in self.nodes:
            node.heal()
            node.thaw()
            for process in of_runs(node):
                node.run(["kill", "-KILL", str(process.pid)], user=node.ROOT)
        wait_until(lambda: not any(of_runs(node) for node in self.nodes), 20, "nothing of the last run is left")

    # - a run, with or without the desk

    def bring_up(self, job: dict, attached: bool) -> Run:
        self.clear()
        self.attached = attached
        run = start(self.cluster, job, *([] if attached else ["--detach"]))
        if attached:
            run.wait_for("all ranks are up", lambda r: len({e["rank"] for e in r.of("log")}) == len(NODES))
            self.run_id = run.run_id(self.cluster)
        else:
            self.assertEqual(run.end(60), 0, run.explain())
            self.run_id = run.of("detached")[0]["run"]
        wait_until(lambda: all(self.linked(node) for node in self.nodes), 20, "the supervisors are linked")
        return run

    def linked(self, node) -> bool:
        """The supervisor has an established connection to another's: a line of /proc/net/tcp that is not sshd's."""
        text = node.run(["cat", "/proc/net/tcp", "/proc/net/tcp6"]).stdout
        for line in text.splitlines():
            fields = line.split()
            if len(fields) > 3 and fields[3] == "01" and ":0016" not in (fields[1][-5:], fields[2][-5:]):
                return True
        return False

    def rank_of(self, node):
        return next(p for p in of_runs(node) if p.cmdline and p.cmdline[0] == "sleep")

    def supervisor_of(self, node):
        supervisors = [p for p in node.processes() if "supervise" in p.cmdline[:2]]
        return next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})

    def ranks_left(self, nodes) -> list:
        return [(node.name, p) for node in nodes for p in of_runs(node) if "supervise" not in p.cmdline[:2]]

    def everything_left(self, nodes) -> list:
        return [(node.name, of_runs(node), node.listening_ports()) for node in nodes if of_runs(node) or node.listening_ports()]

    def assert_down(self, since: float, goal: float, nodes=None) -> float:
        nodes = nodes or self.nodes
        wait_until(lambda: not self.ranks_left(nodes), goal * 3 * support.SLOW + 10, "every rank is down")
        took = time.monotonic() - since
        wait_until(lambda: not self.everything_left(nodes), 20 * support.SLOW, "no process and no port is left")
        self.free = time.monotonic() - since
        self.assertLess(took, support.patience(goal))
        return took

    def verdict(self, run: Run, code: int = 1) -> dict:
        """The desk's verdict, of the attached run or by attaching now; the ends of the nodes must agree."""
        if not self.attached:
            run = Run(self.cluster, ["runs", "attach", self.run_id])
        self.assertEqual(run.end(120), code, run.explain())
        self.watched = run
        return run.verdict()

    def row(self, fault: str, took: float, goal: float, named: str):
        TABLE.append(Row(fault, "attached" if self.attached else "away", took, self.free, goal, named))

    def continues(self, fault: str, took: float, goal: float, named: str):
        self.free = 0
        self.assertLess(took, support.patience(goal))
        self.row(fault, took, goal, named)

    def spool_text(self, node) -> str:
        home = node.run(["sh", "-c", "echo $HOME"], check=True).stdout.strip()
        return node.path(f"{home}/.cache/rankscope/runs/{self.run_id}/spool").read_bytes().decode("utf-8", "replace")

    # - the matrix

    def test_rank_killed(self):
        for attached, goal in ((True, 2), (False, 5)):
            for victim in (0, 1):  # on the master, and elsewhere
                with self.subTest(attached=attached, victim=victim):
                    run = self.bring_up(command(IDLE), attached)
                    pid = self.rank_of(self.nodes[victim]).pid
                    killed = time.monotonic()
                    self.nodes[victim].signal([pid], signal.SIGKILL)
                    took = self.assert_down(killed, goal)
                    if not attached:  # every node's own end names the culprit, before any desk asks
                        for node in self.nodes:
                            self.assertIn(NODES[victim], self.spool_text(node), node.name)
                    end = self.verdict(run)
                    self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"], end["culprit"]["signal"]),
                                     (victim, NODES[victim], 9))
                    self.assertEqual(len(self.watched.of("end", node="")), 1)
                    self.row(f"rank {victim} SIGKILLed", took, goal, f"rank {victim} on {NODES[victim]}")

    def test_rank_exits_3(self):
        script = 'echo up; if [ $RANK = 1 ]; then while [ ! -e /tmp/go ]; do sleep 0.05; done; echo "about to fail" >&2; exit 3; fi; exec sleep 100000'
        for attached, goal in ((True, 2), (False, 5)):
            with self.subTest(attached=attached):
                self.nodes[1].run(["rm", "-f", "/tmp/go"])
                run = self.bring_up(command(script), attached)
                began = time.monotonic()
                self.nodes[1].run(["touch", "/tmp/go"], check=True)
                took = self.assert_down(began, goal)
                end = self.verdict(run)
                self.assertEqual((end["culprit"]["rank"], end["culprit"]["code"], end["culprit"]["last_lines"]), (1, 3, ["up", "about to fail"]))
                self.row("rank 1 exits with 3", took, goal, "rank 1 on node2, code 3, last lines")

    def test_rank_stopped(self):
        """Named after a while, with the command that continues it; nothing is done to it."""
        run = self.bring_up(command(IDLE), True)
        pid = self.rank_of(self.nodes[1]).pid
        stopped = time.monotonic()
        self.nodes[1].signal([pid], signal.SIGSTOP)
        run.wait_for("the stopped rank is named", lambda r: r.of("notice", id="rank-stopped", node="node2", rank=1), 30)
        took = time.monotonic() - stopped
        reported = run.of("notice", id="rank-stopped")[0]
        self.assertIn("Rank 1 on node2", reported["title"])
        self.assertIn(f"kill -CONT {pid}", reported["fix"][0])
        self.assertEqual(len({p.pid for _, p in self.ranks_left(self.nodes)}) >= 1, True)
        self.nodes[1].signal([pid], signal.SIGCONT)
        run.wait_for("its continuation is reported", lambda r: r.of("notice", id="rank-continued", rank=1), 30)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())
        self.continues("rank 1 SIGSTOPped: reported after", took, 15, "rank 1 on node2, run untouched")

    def test_rank_stopped_beyond_the_limit(self):
        for attached in (True, False):
            with self.subTest(attached=attached):
                job = command(IDLE)
                job["on_failure"]["stopped_limit_s"] = 1
                run = self.bring_up(job, attached)
                stopped = time.monotonic()
                self.nodes[1].signal([self.rank_of(self.nodes[1]).pid], signal.SIGSTOP)
                took = self.assert_down(stopped, 5)
                end = self.verdict(run)
                self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"]), (1, "node2"))
                self.row("rank 1 SIGSTOPped, limit 1 s", took, 5, "rank 1 on node2")

    def test_rank_fails_at_once(self):
        """Before the supervisors are linked, and with no desk there: the others must hear of it all the same."""
        self.attached = False
        for _ in range(10):
            self.clear()
            run = start(self.cluster, command("if [ $RANK = 1 ]; then exit 3; fi; exec sleep 100000"), "--detach")
            run.end(60)
            began = time.monotonic()
            self.run_id = run.of("detached")[0]["run"] if run.of("detached") else run.run_id(self.cluster)
            took = self.assert_down(began, 5)
            end = self.verdict(run)
            self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"]), (1, "node2"))
        self.row("rank 1 exits with 3 at once", took, 5, "rank 1 on node2")

    def test_rank_out_of_memory(self):
        """The limit that needs no rights: RLIMIT_AS. The kernel's own killer is seen where the cgroup or the kernel log shows it."""
        script = ('echo up; if [ $RANK = 1 ]; then while [ ! -e /tmp/take-memory ]; do sleep 0.02; done; rm /tmp/take-memory; '
                  'ulimit -v 200000; exec python3 -c "b = bytearray(1 << 30)"; fi; exec sleep 100000')
        for attached, goal in ((True, 5), (False, 8)):  # Python's own start is part of it
            with self.subTest(attached=attached):
                run = self.bring_up(command(script), attached)
                began = time.monotonic()
                self.nodes[1].run(["touch", "/tmp/take-memory"], check=True)
                took = self.assert_down(began, goal)
                end = self.verdict(run)
                self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"]), (1, "node2"))
                self.assertEqual(self.watched.of("diagnosis")[-1]["id"], "host-oom")
                exit_event = next(e for e in self.watched.of("exit", rank=1))
                self.assertIn("MemoryError", exit_event["traceback"][-1])
                self.row("rank 1 out of memory", took, goal, "rank 1 on node2, MemoryError")

    def test_supervisor_killed(self):
        for attached, goal in ((True, 2), (False, 5)):
            for victim in (0, 2):
                with self.subTest(attached=attached, victim=victim):
                    run = self.bring_up(command(IDLE), attached)
                    pid = self.supervisor_of(self.nodes[victim]).pid
                    killed = time.monotonic()
                    self.nodes[victim].signal([pid], signal.SIGKILL)
                    took = self.assert_down(killed, goal)
                    end = self.verdict(run)
                    self.assertIn(NODES[victim], end["detail"])
                    self.row(f"supervisor of {NODES[victim]} SIGKILLed", took, goal, NODES[victim])

    UNTIL_END = "echo up; while [ ! -e /tmp/end ]; do sleep 0.1; done"

    def let_end(self):
        for node in self.nodes:
            node.run(["touch", "/tmp/end"], check=True)
        self.addCleanup(lambda: [node.run(["rm", "-f", "/tmp/end"]) for node in self.nodes])

    def test_sshd_killed_harms_nothing(self):
        run = self.bring_up(command(self.UNTIL_END), True)
        self.nodes[1].kill_sshd(sessions=True)
        self.nodes[1].start_sshd()
        up = time.monotonic()
        run.wait_for("connected again", lambda r: r.of("link", to="node2", state="retrying") and r.of("link", to="node2")[-1]["state"] == "linked")
        took = time.monotonic() - up
        self.assertEqual(len(self.ranks_left(self.nodes)) >= len(NODES), True)
        self.let_end()
        self.assertEqual(run.end(60), 0, run.explain())
        self.continues("sshd of node2 killed, up again: reconnected after", took, 5, "run continues")

    def test_sshd_stays_down(self):
        """The desk says which node it does not reach and why; training continues, and a stop reaches all nodes nevertheless."""
        for attached in (True, False):
            with self.subTest(attached=attached):
                run = self.bring_up(command(IDLE), attached)
                self.nodes[1].kill_sshd(sessions=True)
                if attached:
                    run.wait_for("the cause is reported", lambda r: any(
                        "refuses" in e.get("failure", "") and e["retry_at_us"] > 0 for e in r.of("link", to="node2", state="retrying")))
                self.assertEqual({name for name, _ in self.ranks_left(self.nodes)}, set(NODES))
                watched = run if attached else Run(self.cluster, ["runs", "stop", self.run_id])
                asked = time.monotonic()
                if attached:
                    run.process.send_signal(signal.SIGINT)
                took = self.assert_down(asked, 5)
                self.nodes[1].start_sshd()
                self.assertEqual(watched.end(120), 130 if attached else 0, watched.explain())
                self.assertEqual(watched.verdict()["outcome"], "stopped")
                self.row("sshd of node2 killed, run stopped by the user", took, 5, "node2, connection refused")

    def test_partition(self):
        for attached in (True, False):
            with self.subTest(attached=attached):
                run = self.bring_up(command(IDLE), attached)
                cut = time.monotonic()
                self.nodes[1].partition()
                took = self.assert_down(cut, 15)
                if attached:
                    self.assertEqual(run.end(120), 1, run.explain())
                    end = run.verdict()
                    self.assertEqual(end["lost_node"], "node2")
                    self.assertIn("node2 stopped answering", end["detail"])
                self.nodes[1].heal()
                if not attached:
                    end = self.verdict(run)
                    self.assertEqual(end["lost_node"], "node2")
                self.row("node2 partitioned", took, 15, "node2")

    def test_node_rebooted(self):
        """Everything of node2 is gone immediately and without notice. The others end; up again, node2 says what happened to it."""
        for attached in (True, False):
            with self.subTest(attached=attached):
                run = self.bring_up(command(IDLE), attached)
                others = [self.nodes[0], self.nodes[2]]
                took = []

                def while_down(others=others, took=took):
                    wait_until(lambda: not self.ranks_left(others), 60 * support.SLOW, "every rank is down")
                    took.append(time.monotonic() - off)

                off = time.monotonic()
                self.nodes[1].reboot(while_down)
                wait_until(lambda: not self.everything_left(self.nodes), 20 * support.SLOW, "no process and no port is left")
                self.free = time.monotonic() - off
                self.assertLess(took[0], support.patience(15))
                end = self.verdict(run)
                self.assertEqual(end["lost_node"], "node2", self.watched.explain())
                self.assertRegex(end["detail"], "rebooted" if not attached else "rebooted|stopped answering")
                self.row("node2 rebooted", took[0], 15, f"node2, {'rebooted' if 'rebooted' in end['detail'] else 'stopped answering'}")

    def test_node_shut_down(self):
        """In good order: SIGTERM to every process of the node. No user stopped anything, and no rank is to blame."""
        for attached, goal in ((True, 2), (False, 5)):
            for nodes in (NODES, ["node2"]):
                with self.subTest(attached=attached, nodes=nodes):
                    self.clear()
                    self.attached = attached
                    run = start(self.cluster, {**command(IDLE), "nodes": nodes}, *([] if attached else ["--detach"]))
                    if attached:
                        run.wait_for("all ranks are up", lambda r, nodes=nodes: len({e["rank"] for e in r.of("log")}) == len(nodes))
                        self.run_id = run.run_id(self.cluster)
                    else:
                        self.assertEqual(run.end(60), 0, run.explain())
                        self.run_id = run.of("detached")[0]["run"]
                    if len(nodes) > 1:
                        wait_until(lambda: all(self.linked(node) for node in self.nodes), 20, "the supervisors are linked")
                    off = time.monotonic()
                    everything = " ".join(str(p.pid) for p in of_runs(self.nodes[1]))
                    self.nodes[1].run(["sh", "-c", f"kill -TERM {everything}"])  # who ends the others is not waited for
                    took = self.assert_down(off, goal)
                    end = self.verdict(run)
                    self.assertEqual(end["lost_node"], "node2", self.watched.explain())
                    self.assertIn("received signal 15", end["detail"])
                    self.row("node2 shut down" if len(nodes) > 1 else "the only node shut down", took, goal, "node2, SIGTERM")

    def test_node_rebooted_as_the_only_one(self):
        """A run on one node: it comes up again before it is presumed lost; the desk reconnects and receives the cause."""
        for attached in (True, False):
            with self.subTest(attached=attached):
                self.clear()
                self.attached = attached
                job = {**command(IDLE), "nodes": ["node2"]}
                run = start(self.cluster, job, *([] if attached else ["--detach"]))
                if attached:
                    run.wait_for("the rank is up", lambda r: r.of("log"))
                    self.run_id = run.run_id(self.cluster)
                else:
                    self.assertEqual(run.end(60), 0, run.explain())
                    self.run_id = run.of("detached")[0]["run"]
                off = time.monotonic()
                self.nodes[1].reboot()
                took = self.assert_down(off, 15)
                end = self.verdict(run)
                self.assertEqual(end["lost_node"], "node2", self.watched.explain())
                self.assertIn("rebooted", end["detail"])
                self.row("the only node rebooted", took, 15, "node2, rebooted")

    def test_no_link_no_harm(self):
        """A firewall that lets only SSH and the master port through: said in a note, and the run is not touched."""
        rules = "tcp dport 1024-65535 tcp flags & (syn | ack) == syn drop"
        nft = ["nft", "-f", "-"]
        self.nodes[0].run(nft, user=self.nodes[0].ROOT, check=True,
                          input=f"table inet fw {{\nchain in {{\ntype filter hook input priority 0;\n{rules}\n}}\n}}\n")
        try:
            job = {**command("echo up; while [ ! -e /tmp/end ]; do sleep 0.1; done"), "preflight": "off"}
            run = start(self.cluster, job)
            run.wait_for("the note", lambda r: r.of("notice", id="peer-link-absent"), 60)
            self.attached = True
            for node in self.nodes:
                node.run(["touch", "/tmp/end"], check=True)
            self.assertEqual(run.end(60), 0, run.explain())
        finally:
            self.nodes[0].run(nft, user=self.nodes[0].ROOT, input="delete table inet fw\n", check=True)
            for node in self.nodes:
                node.run(["rm", "-f", "/tmp/end"])


class Apart(unittest.TestCase):
    """Faults that change a node for good, or need one made for them: a cluster for each."""
    bring_up, clear, linked, ranks_left, everything_left = Faults.bring_up, Faults.clear, Faults.linked, Faults.ranks_left, Faults.everything_left
    assert_down, verdict, row, continues = Faults.assert_down, Faults.verdict, Faults.row, Faults.continues

    def up(self, nodes):
        self.cluster = new_cluster(nodes).start()
        self.addCleanup(self.cluster.down)
        self.nodes = [self.cluster.node(name) for name in NODES]

    def test_node_powered_off(self):
        for attached, goal in ((True, 15), (False, 15)):
            with self.subTest(attached=attached):
                self.up(len(NODES))
                run = self.bring_up(command(IDLE), attached)
                off = time.monotonic()
                self.nodes[1].power_off()
                others = [self.nodes[0], self.nodes[2]]
                took = self.assert_down(off, goal, others)
                self.assertEqual(self.verdict(run)["lost_node"], "node2")
                self.row("node2 powered off", took, goal, "node2")
                self.cluster.down()

    def test_killed_by_the_kernel_for_want_of_memory(self):
        """A real memory cgroup around what SSH starts on the node; the kernel chooses the rank."""
        script = ('echo up; if [ $RANK = 1 ]; then while [ ! -e /tmp/go ]; do sleep 0.05; done; exec python3 -c "b = bytearray(1 << 30)"; fi; '
                  "exec sleep 100000")
        self.up(len(NODES))
        try:
            self.nodes[1].limit_memory(150)
        except Unsupported as e:
            self.skipTest(str(e))
        for attached, goal in ((True, 2), (False, 5)):
            with self.subTest(attached=attached):
                self.nodes[1].run(["rm", "-f", "/tmp/go"])
                run = self.bring_up(command(script), attached)
                began = time.monotonic()
                self.nodes[1].run(["touch", "/tmp/go"], check=True)
                took = self.assert_down(began, goal)
                end = self.verdict(run)
                self.assertEqual((end["culprit"]["rank"], end["culprit"]["node"], end["culprit"]["signal"]), (1, "node2", 9), self.watched.explain())
                self.assertIn("because memory ran out", end["detail"])
                reported = self.watched.of("diagnosis", id="host-oom")
                self.assertTrue(reported and "batch size" in reported[-1]["fix"][0], self.watched.explain())
                self.row("rank 1 killed by the kernel's OOM killer", took, goal, "rank 1 on node2, memory ran out")

    def test_disk_full(self):
        """The spool's disk is filled by another program: reported immediately, the run continues, and when there is room again all of it arrives."""
        script = """
import json, os, sys, time
pipe = open(os.environ["RANKSCOPE_METRICS"], "w", buffering=1)
n = 0
while not os.path.exists("/tmp/end"):
    n += 1
    print(f"{n} " + "x" * 1000, flush=True)
    pipe.write(json.dumps({"step": n, "loss": 1.0}) + "\\n")
    time.sleep(0.01)
open("/tmp/total", "w").write(str(n))
"""
        self.up([{}, {"home_size": "64m"}, {}])
        node = self.nodes[1]
        job = {**command(""), "command": ["python3", "-c", script], "telemetry": {"every_s": 0}}
        for attached in (True, False):
            with self.subTest(attached=attached):
                run = self.bring_up(job, attached)
                full = time.monotonic()
                node.fill_disk()
                if attached:
                    run.wait_for("it is reported", lambda r: r.of("notice", id="disk-filling", node="node2"), 60)
                    took = time.monotonic() - full
                    run.wait_for("node2 is silent while the others are heard",
                                 lambda r: max(e["at"] for e in r.of("metric", rank=1)) + 2 < max(e["at"] for e in r.of("metric", rank=0)), 60)
                else:
                    spool = node.path(f"{node.home}/.cache/rankscope/runs/{self.run_id}/spool")
                    wait_until(lambda: b"disk-filling" in spool.read_bytes(), 60, "the notice is in the spool")
                    took = time.monotonic() - full
                    size = [0, time.monotonic()]

                    def stands(spool=spool, size=size):
                        now = spool.stat().st_size
                        if now != size[0]:
                            size[:] = [now, time.monotonic()]
                        return time.monotonic() - size[1] > 2
                    wait_until(stands, 60, "the spool has no room any more")
                self.assertEqual({name for name, _ in self.ranks_left(self.nodes)}, set(NODES), "the run continues")
                node.free_disk()
                for each in self.nodes:
                    each.run(["touch", "/tmp/end"], check=True)
                if not attached:
                    run = Run(self.cluster, ["runs", "attach", self.run_id])
                self.assertEqual(run.end(120), 0, run.explain())
                self.assertIn("node2", run.of("notice", id="disk-filling", node="node2")[0]["title"])
                self.assertTrue(run.of("notice", id="disk-has-room", node="node2"), run.explain())
                for rank, each in enumerate(self.nodes):
                    total = int(each.path("/tmp/total").read_text(encoding="utf-8"))
                    self.assertEqual([e["step"] for e in run.of("metric", rank=rank)], list(range(1, total + 1)))
                    text = "".join(e["text"] for e in run.of("log", rank=rank))
                    self.assertEqual([int(line.split()[0]) for line in text.splitlines()], list(range(1, total + 1)))
                    each.run(["rm", "-f", "/tmp/end", "/tmp/total"], check=True)
                self.continues("disk of node2 full: reported after", took, 5, "node2, run continues, nothing lost")


if __name__ == "__main__":
    support.main()
