#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl nccl-vars` and the notes of `plan` as users run them: nccl_vars_command.py PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"
JOB = """name: tune
nodes: [local]
procs_per_node: 2
command: [python3, train.py]
env: { NCCL_SOCKET_IFNAM: eth0, NCCL_IB_TIMEOUT: "99", NCCL_ALGO: Ring }
rank_env: { 1: { NCCL_ALGO: Tree } }
"""
LOG = """node-a:7:7 [0] NCCL INFO NCCL version 2.20.5+cuda12.4
node-a:7:7 [0] NCCL INFO NCCL_RAS_ENABLE set by environment to 0.
"""


class NcclVars(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rankscope variables ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "cluster.yaml").write_text("nodes: []\n", encoding="utf-8")

    def run_program(self, *arguments, **variables):
        return subprocess.run([PROGRAM, "--cluster", str(self.folder / "cluster.yaml"), "--data-dir", str(self.folder / "data"), *arguments],
                              capture_output=True, text=True, cwd=self.folder, check=False, env={**os.environ, **variables})

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def test_lists_and_explains(self):
        variables = json.loads(self.run_program("--json", "nccl-vars").stdout)["variables"]
        self.assertGreater(len(variables), 300)
        one = self.run_program("nccl-vars", "NCCL_RAS_ADDR")
        self.assertEqual(one.returncode, 0)
        self.assertIn("localhost:28028", one.stdout)
        self.assertIn("NCCL 2.24.3 and newer", one.stdout)

    def test_misspelt_name_gets_the_right_one(self):
        done = self.run_program("nccl-vars", "NCCL_SOCKET_IFNAM")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Did you mean NCCL_SOCKET_IFNAME?", done.stderr)

    def test_run_names_what_its_node_sets(self):
        job = self.write("job.yaml", 'name: node\nnodes: [local]\nprocs_per_node: 2\ncommand: ["true"]\nenv: { NCCL_PROTO: Simple }\n')
        file = self.folder / "nccl.conf"
        file.write_text("NCCL_IB_HCA=mlx5_0\nNCCL_ALGO=Tree\nNCCL_PROTO=LL\n", encoding="utf-8")
        run = self.run_program("run", job, NCCL_CONF_FILE=str(file), NCCL_ALGO="Ring", TORCH_NCCL_BLOCKING_WAIT="1")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        listed = json.loads(self.run_program("--json", "runs", "list").stdout)["runs"]
        done = self.run_program("--json", "nccl-vars", "--run", listed[0]["run"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = {row["name"]: [(use["value"], use["origin"], use["where"], use["ranks"]) for use in row["uses"]]
                 for row in json.loads(done.stdout)["settings"]}
        self.assertEqual(found["NCCL_IB_HCA"], [("mlx5_0", "node", str(file), [0, 1])])
        self.assertEqual(found["NCCL_ALGO"], [("Ring", "node", "environment", [0, 1])])
        self.assertEqual(found["TORCH_NCCL_BLOCKING_WAIT"], [("1", "node", "environment", [0, 1])])
        self.assertEqual(found["NCCL_PROTO"], [("Simple", "job", "env", [0, 1])])
        self.assertEqual(self.run_program("nccl-vars", "--run", "absent").returncode, 2)

    def test_job(self):
        job = self.write("job.yaml", JOB)
        done = self.run_program("--json", "nccl-vars", "--job", job)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        settings = {row["name"]: row for row in json.loads(done.stdout)["settings"]}
        self.assertEqual(settings["NCCL_SOCKET_IFNAM"]["problems"][0]["detail"], "NCCL_SOCKET_IFNAME")
        self.assertEqual(settings["NCCL_IB_TIMEOUT"]["problems"][0]["kind"], "bad-value")
        self.assertTrue(settings["NCCL_ALGO"]["differs"])
        self.assertEqual([(use["value"], use["where"], use["ranks"]) for use in settings["NCCL_ALGO"]["uses"]],
                         [("Ring", "env", [0]), ("Tree", "rank_env", [1])])
        self.assertEqual(settings["TORCH_NCCL_ASYNC_ERROR_HANDLING"]["uses"][0]["origin"], "rankscope")

    def test_plan_warns(self):
        done = self.run_program("plan", self.write("job.yaml", JOB))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("NCCL has no variable NCCL_SOCKET_IFNAM. Did you mean NCCL_SOCKET_IFNAME?", done.stdout)
        self.assertIn("NCCL_IB_TIMEOUT=99 is out of range: a number from 0 to 31.", done.stdout)

    def test_logs(self):
        done = self.run_program("--json", "nccl-vars", "--logs", self.write("rank.log", LOG))
        row = json.loads(done.stdout)["settings"][0]
        self.assertEqual((row["name"], row["uses"][0]["origin"], row["problems"][0]["kind"]), ("NCCL_RAS_ENABLE", "log", "too-new"))


if __name__ == "__main__":
    unittest.main()
