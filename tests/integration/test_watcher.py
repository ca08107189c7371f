#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that hang: the live verdict names the rank, the reason and its Python line, and ends when the run continues. Healthy runs with
validation, checkpoints, slow data and pauses get none. Prints how long after the hang each verdict came."""
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import support
from support import REPOSITORY, Unsupported, long_test, new_cluster, start, train_job, wait_until
from test_user_programs import PYTHON, missing_torch

NODES = ["node1", "node2", "node3"]
SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"
# A file system in user space that greets the kernel and then answers nothing.
SILENT_SERVER = """
import ctypes, os, struct, sys, time
os.makedirs(sys.argv[1], exist_ok=True)
device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other"
if libc.mount(b"silent", sys.argv[1].encode(), b"fuse", 0, options.encode()) != 0:
    sys.exit(os.strerror(ctypes.get_errno()))
unique = struct.unpack_from("<Q", os.read(device, 1 << 18), 8)[0]
answer = struct.pack("<IIIIHHIIHHI", 7, 31, 1 << 16, 0, 8, 6, 1 << 16, 1, 0, 0, 0) + bytes(28)
os.write(device, struct.pack("<IiQ", 16 + len(answer), 0, unique) + answer)
print("up", flush=True)
time.sleep(100000)
"""
TABLE: list = []  # of (fault, program, seconds, verdict)


def tearDownModule():  # pylint: disable=C0103
    print("\n| fault | program | verdict after | id, reason |\n|---|---|---|---|")
    for fault, program, took, named in TABLE:
        print(f"| {fault} | {program} | {took:.1f} s | {named} |")


def live(run) -> list:
    return run.of("diagnosis", phase="live")


class Watched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(len(NODES), bind={SCRIPTS: ("/srv/scripts", True)}).start()
        cls.addClassCleanup(cls.cluster.down)

    def setUp(self):
        self.runs = []

    def tearDown(self):
        for node in map(self.cluster.node, NODES):
            node.heal()
            node.run(["rm", "-f", "/tmp/hang-now"], user=node.ROOT)
        for run in self.runs:
            if run.process.poll() is None:
                run.process.send_signal(signal.SIGINT)
                run.end(60)

    def start(self, job, *arguments):
        run = start(self.cluster, job, *arguments)
        self.runs.append(run)
        return run

    def native(self, **keys) -> dict:
        return train_job(NODES, epochs=1000, dataset={"name": "synthetic-digits"}, validate=False, preflight="off", **keys)

    def wait_for_steps(self, run, steps=20, ranks=1):
        run.wait_for("the ranks train", lambda r: len({e["rank"] for e in r.of("metric") if e.get("step", 0) >= steps}) >= ranks, 120)

    def pid_of(self, name, what="hang.py") -> int:
        found = [p.pid for p in self.cluster.node(name).processes() if any(what in word for word in p.cmdline[:3])]
        self.assertTrue(found, self.cluster.node(name).processes())
        return min(found)

    def expect(self, run, fault, program, since, **values):
        """The first verdict is the right one."""
        limit = values.pop("limit", 60)
        run.wait_for(f"a verdict: {fault}", live, limit + 20)
        took = time.monotonic() - since
        verdict = live(run)[0]
        self.assertEqual({key: verdict.get(key) for key in values}, values, run.explain())
        self.assertLess(took, support.patience(limit), verdict)
        TABLE.append((fault, program, took, f"{verdict['id']} {verdict.get('reason', '')}: {verdict['title']}"))
        print(TABLE[-1], flush=True)
        return verdict


class Gloo(Watched):
    @classmethod
    def setUpClass(cls):
        why = missing_torch()
        if why:
            raise unittest.SkipTest(why)
        super().setUpClass()

    def job(self, kind, step=20, rank=1, steps=100000, **keys) -> dict:
        env = {"PYTHONUNBUFFERED": "1", **keys.pop("env", {})}
        return {"name": "hang", "nodes": NODES, "procs_per_node": 1, "workdir": "/srv/scripts", "env": env, "preflight": "off",
                "command": [PYTHON, "hang.py", kind, str(step), str(rank), str(steps)], **keys}

    def hang(self, kind, node="node2", **keys):
        run = self.start(self.job(kind, **keys))
        self.wait_for_steps(run)
        self.assertEqual(live(run), [])
        self.cluster.node(node).run(["touch", "/tmp/hang-now"], check=True)
        return run, time.monotonic()

    def check_hang(self, kind, reason, line, **keys):
        limit = keys.pop("limit", 60)
        run, since = self.hang(kind, **keys)
        verdict = self.expect(run, kind, "Gloo", since, limit=limit, id="rank-hang", rank=1, node="node2", reason=reason, waiting=[0, 2])
        self.assertIn(line, verdict["title"])
        self.assertIn("hang.py", " ".join(entry["text"] for entry in verdict["evidence"]))
        return run

    def test_one_rank_sleeps(self):
        self.check_hang("sleep", "sleeps", "sleep_in_step")

    @long_test
    def test_a_data_loader_blocks(self):
        self.check_hang("loader", "waits-for-pipe", "in load_data")

    @long_test
    def test_a_lock(self):
        self.check_hang("lock", "waits-for-lock", "in wait_for_lock")

    @long_test
    def test_a_queue(self):
        self.check_hang("queue", "waits-for-lock", "in wait_for_queue")

    @long_test
    def test_a_child(self):
        self.check_hang("child", "waits-for-child", "in wait_for_child")

    @long_test
    def test_a_pipe(self):
        self.cluster.node("node2").run(["sh", "-c", "rm -f /tmp/hang-fifo; mkfifo /tmp/hang-fifo"], check=True)
        self.check_hang("fifo", "waits-for-pipe", "in read_pipe")

    def test_a_file_server_that_does_not_answer(self):
        node = self.cluster.node("node2")
        server = node.popen(["python3", "-c", SILENT_SERVER, "/srv/silent"], user=node.ROOT, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        self.addCleanup(server.stdout.close)
        if server.stdout.readline() != "up\n":
            self.skipTest("no file system in user space can be mounted here")
        run = self.check_hang("file", "uses-file", "in read_file", env={"HANG_FILE": "/srv/silent/x"}, limit=20)
        self.assertIn("fuse", live(run)[0]["title"])

    @long_test
    def test_throttled_by_its_cgroup(self):
        node = self.cluster.node("node2")
        run = self.start(self.job("none"))
        self.wait_for_steps(run)
        group = self.slow_group()
        since = time.monotonic()
        node.run(["sh", "-c", f"for thread in /proc/{self.pid_of('node2')}/task/*; do echo ${{thread##*/}} > {group}/tasks; done"
                  if "cgroup/cpu" in group else f"echo {self.pid_of('node2')} > {group}/cgroup.procs"], user=node.ROOT, check=True)
        verdict = self.expect(run, "throttled by its cgroup", "Gloo", since, rank=1, node="node2", limit=90)
        # It still makes a step now and then, or it does not.
        self.assertIn((verdict["id"], verdict["reason"]), [("rank-slow", "cpu-quota"), ("rank-hang", "throttled")])

    def slow_group(self) -> str:
        """A thousandth of a core: cgroup v2, or v1."""
        for parent, values in (("/sys/fs/cgroup/cpu", {"cpu.cfs_period_us": "1000000", "cpu.cfs_quota_us": "1000"}),
                               ("/sys/fs/cgroup", {"cpu.max": "1000 1000000"})):
            group = Path(parent) / f"rankscope-watch-{os.getpid()}"
            try:
                group.mkdir()
                self.addCleanup(self.remove_group, group)
                for name, value in values.items():
                    (group / name).write_text(value, encoding="ascii")
            except OSError as why:
                reason = why
            else:
                return str(group)
        raise unittest.SkipTest(f"no cgroup can be limited here: {reason}")

    def remove_group(self, group):
        """When its processes have ended."""
        def removed() -> bool:
            try:
                group.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                return False
            return True
        for run in self.runs:
            if run.process.poll() is None:
                run.process.send_signal(signal.SIGINT)
                run.end(60)
        wait_until(removed, 30, "the cgroup is empty")

    @long_test
    def test_one_rank_spins(self):
        self.check_hang("spin", "spins-on-cpu", "in spin")

    @long_test
    def test_another_collective(self):
        run, since = self.hang("other")
        verdict = self.expect(run, "another collective", "Gloo", since, id="collective-mismatch", rank=1, node="node2", waiting=[0, 2])
        self.assertIn("in other_collective", verdict["title"])
        self.assertIn("in train", verdict["title"])

    def test_a_skipped_collective(self):
        run, since = self.hang("skip")
        verdict = self.expect(run, "a skipped collective", "Gloo", since, id="collective-mismatch", rank=1, node="node2", waiting=[0, 2])
        self.assertIn("in train", verdict["title"])

    def test_a_stopped_rank_and_its_continuation(self):
        run = self.start(self.job("none"))
        self.wait_for_steps(run)
        pid = self.pid_of("node2")
        since = time.monotonic()
        self.cluster.node("node2").signal([pid], signal.SIGSTOP)
        verdict = self.expect(run, "SIGSTOP", "Gloo", since, id="rank-stopped", rank=1, node="node2", reason="stopped", waiting=[0, 2], limit=15)
        self.assertEqual([(fix["node"], fix["command"]) for fix in verdict["fixes"]], [("node2", f"kill -CONT {pid}")])
        shown = self.cluster.run([support.CTL, "runs", "show", run.run_id(self.cluster)], check=True).stdout
        self.assertIn("rank-stopped: Rank 1 on node2", shown)
        attached = support.Run(self.cluster, ["runs", "attach", run.run_id(self.cluster)])
        attached.wait_for("the stored verdict", lambda r: r.of("diagnosis", phase="live", id="rank-stopped"), 30)
        attached.process.kill()
        attached.end()
        self.cluster.node("node2").run(["sh", "-c", verdict["fixes"][0]["command"]], check=True)
        run.wait_for("the verdict is over", lambda r: r.of("diagnosis", phase="over", id="rank-stopped", rank=1), 30)
        self.assertEqual(len(live(run)), 1)

    def test_a_rank_ends_in_silence(self):
        run, _ = self.hang("exit")
        self.assertEqual(run.end(60), 1, run.explain())
        verdict = run.of("diagnosis")[-1]
        self.assertEqual((verdict["id"], verdict["rank"], verdict["node"]), ("rank-exit-early", 1, "node2"), run.explain())
        TABLE.append(("exit 0", "Gloo", 0, f"at the end: {verdict['title']}"))

    def test_a_node_is_cut_off(self):
        run = self.start(self.job("none"))
        self.wait_for_steps(run)
        since = time.monotonic()
        try:
            self.cluster.node("node2").partition(["node1", "node3"])
        except Unsupported as why:
            self.skipTest(str(why))
        verdict = self.expect(run, "node2 cut off from the other nodes", "Gloo", since, id="partition-midrun", limit=15)
        self.assertIn("node2", verdict["nodes"])
        self.assertTrue(all("node2" in (pair["from"], pair["to"]) for pair in verdict["pairs"]), verdict)

    def check_node_lost(self, fault, do):
        run = self.start(self.job("none"))
        self.wait_for_steps(run)
        since = time.monotonic()
        try:
            do(self.cluster.node("node2"))
        except Unsupported as why:
            self.skipTest(str(why))
        verdict = self.expect(run, fault, "Gloo", since, id="node-lost", node="node2", limit=15)
        self.assertIn(0, verdict["waiting"])

    @long_test
    def test_a_node_freezes(self):
        self.addCleanup(self.cluster.node("node2").thaw)
        self.check_node_lost("node2 freezes", lambda node: node.freeze())

    @long_test
    def test_a_node_is_unplugged(self):
        self.addCleanup(self.cluster.node("node2").plug)
        self.check_node_lost("node2 is unplugged", lambda node: node.unplug())

    @long_test
    def test_the_master_port_is_blocked_at_the_start(self):
        try:
            self.cluster.node("node1").drop_port(29500)
        except Unsupported as why:
            self.skipTest(str(why))
        since = time.monotonic()
        run = self.start(self.job("none"))
        verdict = self.expect(run, "master port dropped, from the start", "Gloo", since, id="master-port-dropped", limit=25)
        self.assertIn("node1", verdict["nodes"])
        self.assertTrue(verdict["pairs"] and all(pair["to"] == "node1" for pair in verdict["pairs"]), verdict)

    def test_the_end_takes_the_cause_of_the_live_verdict(self):
        # Later than the verdict may come (expect() allows 60 s): on a busy node a look may see something else.
        run, since = self.hang("sleep", env={"GLOO_TIMEOUT": "75"})
        self.expect(run, "sleep, then the others' time-out", "Gloo", since, id="rank-hang", rank=1, node="node2")
        self.assertEqual(run.end(120), 1, run.explain())
        verdict = run.of("diagnosis", phase="end")[-1]
        self.assertEqual((verdict["id"], verdict["rank"], verdict["waiting"]), ("rank-hang", 1, [0, 2]), run.explain())
        self.assertEqual(run.verdict()["culprit"]["rank"], 1)

    @long_test
    def test_the_job_has_a_run_that_hangs_stopped(self):
        run, since = self.hang("sleep", on_hang="stop", hang_after_s=5)
        self.expect(run, "sleep, on_hang: stop after 5 s", "Gloo", since, id="rank-hang", rank=1, limit=25)
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertIn("sleep_in_step", run.verdict()["detail"])
        self.assertEqual(run.verdict()["culprit"]["rank"], 1)

    @long_test
    def test_a_silent_program(self):
        run, since = self.hang_silently("sleep")
        # Without steps, a rank that the others wait for may be called slow before it is known that it hangs.
        run.wait_for("the verdict", lambda r: r.of("diagnosis", phase="live", id="rank-hang"), 150)
        took = time.monotonic() - since
        self.assertEqual({(verdict["rank"], verdict["node"], verdict["reason"]) for verdict in live(run)}, {(1, "node2", "sleeps")})
        TABLE.append(("sleep, silent program", "Gloo", took, live(run)[-1]["title"]))

    def hang_silently(self, kind):
        run = self.start(self.job(kind, env={"SILENT": "1"}))
        for name in NODES:
            wait_until(lambda node=self.cluster.node(name): any("hang.py" in " ".join(p.cmdline) for p in node.processes()), 60, "ranks")
        time.sleep(20)  # healthy: no verdict
        self.assertEqual(live(run), [])
        self.cluster.node("node2").run(["touch", "/tmp/hang-now"], check=True)
        return run, time.monotonic()

    def check_healthy(self, **keys):
        run = self.start(self.job(**keys))
        self.assertEqual(run.end(200), 0, run.explain())
        self.assertEqual(run.of("diagnosis"), [], run.explain())

    @long_test
    def test_validation_on_one_rank_is_no_hang(self):
        self.check_healthy(kind="validate", step=30, rank=0, steps=70)

    @long_test
    def test_a_checkpoint_of_one_rank_is_no_hang(self):
        self.check_healthy(kind="checkpoint", step=30, rank=0, steps=70)

    def test_slow_data_is_no_hang(self):
        self.check_healthy(kind="slow", step=30, rank=2, steps=70)

    def test_a_pause_is_no_hang(self):
        run = self.start(self.job("none", steps=120))
        self.wait_for_steps(run)
        run_id = run.run_id(self.cluster)
        for command in ("pause", "continue"):
            done = self.cluster.run([support.CTL, "--cluster", str(self.cluster.inventory), "runs", command, run_id])
            if done.returncode != 0:
                self.skipTest(done.stderr)
            time.sleep(20 if command == "pause" else 0)
        self.assertEqual(run.end(200), 0, run.explain())
        self.assertEqual(run.of("diagnosis"), [], run.explain())


class NativeEngine(Watched):
    def test_a_stopped_rank(self):
        run = self.start(self.native())
        self.wait_for_steps(run, ranks=3)
        since = time.monotonic()
        self.cluster.node("node3").signal([self.pid_of("node3", "rankscope-worker")], signal.SIGSTOP)
        self.expect(run, "SIGSTOP", "native", since, id="rank-stopped", rank=2, node="node3", reason="stopped", limit=15)

    def test_a_node_is_cut_off(self):
        run = self.start(self.native())
        self.wait_for_steps(run, ranks=3)
        since = time.monotonic()
        try:
            self.cluster.node("node2").partition(["node1", "node3"])
        except Unsupported as why:
            self.skipTest(str(why))
        verdict = self.expect(run, "node2 cut off from the other nodes", "native", since, id="partition-midrun", limit=15)
        self.assertIn("node2", verdict["nodes"])


if __name__ == "__main__":
    support.main()
