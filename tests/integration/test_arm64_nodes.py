#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with an Arm processor, emulated: it gets its own agent and worker (packaging/build arm64), and shares runs with this machine.

RANKSCOPE_ARM64_ROOT names its system: mmdebstrap --variant=minbase --architectures=arm64 --include=python3,python3-venv bookworm FOLDER. The
kernel must run its programs: qemu-user-static with binfmt_misc and the flag F."""
import json
import os
import subprocess
import sys
from pathlib import Path

import other_root
from support import BIN, SKIP

ROOT = os.environ.get("RANKSCOPE_ARM64_ROOT", "")
SCRIPT = """
import json, os, platform, sys, time
rank = int(os.environ["RANK"])
print("rank", rank, "on", platform.machine(), flush=True)
with open(os.environ["RANKSCOPE_METRICS"], "w") as metrics:
    for step in range(1, 4):
        print(json.dumps({"step": step, "loss": 1 / step}), file=metrics, flush=True)
"""


class Arm64Nodes(other_root.OtherRoot):
    ROOT = ROOT
    NAME = "arm"

    def test_a_probe_finds_its_processor(self):
        status, text = self.ctl("--json", "probe", "arm")
        self.assertEqual(status, 0, text)
        self.assertIn('"aarch64"', text)

    def test_both_kinds_of_nodes_train_one_model(self):
        status, text = self.run_job(["local", "arm"])
        self.assertEqual(status, 0, text)
        self.assertIn("the same on all ranks", text)

    def test_ranks_of_the_node_alone(self):
        status, text = self.run_job(["arm"], procs_per_node=2)
        self.assertEqual(status, 0, text)
        self.assertIn("the same on all ranks", text)

    def test_a_script_runs_on_both(self):
        status, text = self.run_job(["local", "arm"], train=None, command=["python3", "-c", SCRIPT])
        self.assertEqual(status, 0, text)
        self.assertIn("rank 0 on x86_64", text)
        self.assertIn("rank 1 on aarch64", text)
        listed = json.loads(self.ctl("--json", "runs", "list")[1])["runs"]
        shown = self.ctl("runs", "export", listed[0]["run"], "--format", "csv", "-o", str(self.folder / "out.csv"))
        self.assertEqual(shown[0], 0, shown[1])

    def test_a_rank_that_kills_itself_is_named(self):
        script = "import os, signal, time\nif os.environ['RANK'] == '1':\n    os.kill(os.getpid(), signal.SIGKILL)\ntime.sleep(600)\n"
        status, text = self.run_job(["local", "arm"], train=None, command=["python3", "-c", script])
        self.assertEqual(status, 1, text)
        self.assertIn("Rank 1 on arm was killed by signal 9 (SIGKILL)", text)
        left = subprocess.run(["pgrep", "-f", "time.sleep.600"], capture_output=True, text=True, check=False).stdout
        self.assertEqual(left, "")

    def test_the_preflight_compares_both(self):
        (self.folder / "job.yaml").write_text(json.dumps({"name": "checked", "nodes": ["local", "arm"], "procs_per_node": 1, "master_port": 0,
                                                          "command": ["python3", "-c", "pass"]}))
        status, text = self.ctl("--json", "preflight", str(self.folder / "job.yaml"))
        self.assertEqual(status, 0, text)


if __name__ == "__main__":
    if not (BIN.parent.parent / "arm64/bin/rankscope-agent").exists():
        print("nothing is built for Arm: packaging/setup --arm64, packaging/build arm64")
        sys.exit(SKIP)
    if ROOT and subprocess.run(["chroot", ROOT, "/bin/true"], capture_output=True, check=False).returncode:
        print(f"programs of {ROOT} do not run here: qemu-user-static and binfmt_misc")
        sys.exit(SKIP)
    other_root.main(ROOT, "RANKSCOPE_ARM64_ROOT")
