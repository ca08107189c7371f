#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ranks print names the cause of a run that fails or hangs, with file and line; runs that finish or are stopped get no verdict."""
import json
import signal
import unittest
from pathlib import Path

import support
from support import new_cluster, start

NODES = ["node1", "node2"]
SECRET = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz012345"
# Prints what NCCL and PyTorch print where a firewall rejects NCCL's ports.
REJECTED = """
import os, sys, time
rank, host = int(os.environ["RANK"]), os.environ.get("HOSTNAME", "host")
print("step 1 loss 2.3", flush=True)
if rank == 1:
    print("login with hf_AbCdEfGh" + "IjKlMnOpQrStUvWxYz012345", flush=True)
print(f"{host}:7:7 [0] NCCL INFO NCCL version 2.21.5+cuda12.4", flush=True)
if rank == 1:
    print(f"{host}:7:91 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.9.8.7<45903> failed : No route to host", flush=True)
    print("[rank1]: torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:2027, unhandled system error", file=sys.stderr, flush=True)
    sys.exit(1)
time.sleep(600)
"""
# Everything but a failure; and what may look like one to a careless reader.
HEALTHY = """
import time
for step in range(5):
    print(f"step {step} loss 2.3", flush=True)
    print("host:7:7 [0] NCCL INFO Channel 00/02 : 0 1", flush=True)
    print("WARNING: this will raise an error in the next release", flush=True)
%s
"""
# The kernel's line of a GPU that is lost, and then nothing more.
LOST_GPU = """
import os, time
for step in range(20):
    print(f"step {step} loss 2.3", flush=True)
    time.sleep(0.2)
if os.environ["RANK"] == "1":
    print("kernel: NVRM: Xid (PCI:0000:83:00): 79, pid=0, GPU has fallen off the bus.", flush=True)
time.sleep(600)
"""


class LogVerdicts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(len(NODES)).start()
        cls.addClassCleanup(cls.cluster.down)

    def start(self, script, **keys):
        job = {"name": "logs", "nodes": NODES, "procs_per_node": 1, "preflight": "off", "command": ["python3", "-c", script], **keys}
        run = start(self.cluster, job)
        self.addCleanup(lambda: run.process.poll() is None and (run.process.send_signal(signal.SIGINT), run.end(60)))
        return run

    def output_of(self, run_id, rank) -> list:
        shown = self.cluster.run([support.CTL, "--json", "runs", "logs", run_id], check=True).stdout
        text = "".join(event["text"] for event in map(json.loads, shown.splitlines()) if event.get("event") == "log" and event["rank"] == rank)
        return text.splitlines()

    def test_a_run_that_fails(self):
        run = self.start(REJECTED)
        self.assertEqual(run.end(60), 1, run.explain())
        ends = run.of("diagnosis", phase="end")
        self.assertEqual([verdict["id"] for verdict in ends].count("nccl-ports-icmp-reject"), 1, run.explain())
        first = ends[0]
        self.assertEqual((first["id"], first["reason"]), ("nccl-ports-icmp-reject", "logs"), run.explain())
        self.assertIn(first["title"], run.verdict()["detail"])
        evidence = first["evidence"][0]
        run_id = run.run_id(self.cluster)
        self.assertEqual(evidence["file"], f"{run_id}/rank1")
        self.assertIn("No route to host", evidence["text"])
        diagnosed = json.loads(self.cluster.run([support.CTL, "--json", "diagnose", run_id], check=True).stdout)["diagnoses"]
        self.assertEqual([v["id"] for v in diagnosed].count("nccl-ports-icmp-reject"), 1)
        self.assertEqual(diagnosed[0]["evidence"][0], evidence)
        shown = self.cluster.run([support.CTL, "runs", "show", run_id], check=True).stdout
        self.assertIn(f"{run_id}/rank1:{evidence['line']}: ", shown)
        self.check_bundle(run_id, evidence)

    def check_bundle(self, run_id, evidence):
        """The run as one file: opens elsewhere as it was here, without the secret that it printed."""
        file, elsewhere = f"{self.cluster.dir}/f.rankscope", f"{self.cluster.dir}/elsewhere"
        def ctl(*words, code=0):
            done = self.cluster.run([support.CTL, *words])
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout
        listed = json.loads(ctl("--json", "bundle", run_id, "-o", file, "--dry-run"))
        self.assertFalse(Path(file).exists())
        self.assertIn("output of rank 1", [entry["where"] for entry in listed["redactions"]], listed)
        text = ctl("bundle", run_id, "-o", file)
        self.assertIn("plan.json", text)
        self.assertIn("output of rank 1", text)
        self.assertIn("exists", ctl("--json", "bundle", run_id, "-o", file, code=2))
        ctl("bundle", run_id, "-o", file, "--force")
        diagnosed = json.loads(ctl("--json", "diagnose", file))["diagnoses"]
        self.assertEqual(diagnosed[0]["evidence"][0], evidence)
        self.assertIn(run_id, ctl("--data-dir", elsewhere, "bundle", "--open", file))
        exported = ctl("--data-dir", elsewhere, "runs", "export", run_id)
        self.assertNotIn(SECRET, exported)
        self.assertEqual(exported, ctl("runs", "export", run_id).replace(SECRET, "[redacted]"))
        self.assertIn("run-exists", ctl("--data-dir", elsewhere, "--json", "runs", "import", file, code=2))
        Path(file).write_bytes(Path(file).read_bytes()[:-100])
        self.assertIn("bad-file", ctl("--data-dir", f"{elsewhere}2", "--json", "runs", "import", file, code=2))

    def test_a_run_that_finishes_and_one_that_is_stopped(self):
        finished = self.start(HEALTHY % "")
        self.assertEqual(finished.end(60), 0, finished.explain())
        stopped = self.start(HEALTHY % "time.sleep(600)")
        self.assertEqual(finished.of("diagnosis"), [], finished.explain())
        stopped.wait_for("its output", lambda r: "step 4" in "".join(e["text"] for e in r.of("log")))
        stopped.process.send_signal(signal.SIGINT)
        self.assertEqual(stopped.end(60), 130, stopped.explain())
        self.assertEqual(stopped.of("diagnosis"), [], stopped.explain())

    def test_a_run_that_hangs(self):
        run = self.start(LOST_GPU, hang_after_s=3)
        run.wait_for("what the logs say of the hang", lambda r: r.of("diagnosis", phase="live", reason="logs"), 90)
        verdict = run.of("diagnosis", phase="live", reason="logs")[0]
        self.assertEqual((verdict["id"], verdict["node"]), ("gpu-fell-off-bus", "node2"), run.explain())
        self.assertRegex(verdict["evidence"][0]["file"], "/rank1$")


if __name__ == "__main__":
    support.main()
