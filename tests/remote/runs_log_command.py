#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl runs log` as users run it: runs_log_command.py PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"
JOB = """name: talk
nodes: [local]
procs_per_node: 2
master_port: 0
preflight: off
command: [sh, -c, "echo the model has 7 layers; echo only rank $RANK says this; echo careful >&2"]
"""


class RunsLog(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rankscope log ")
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "cluster.yaml").write_text("nodes: []\n", encoding="utf-8")
        (cls.folder / "job.yaml").write_text(JOB, encoding="utf-8")
        run = cls.run_program("run", "job.yaml")
        assert run.returncode == 0, run.stdout + run.stderr
        cls.run_id = json.loads(cls.run_program("--json", "runs", "list").stdout)["runs"][0]["run"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def run_program(cls, *arguments):
        return subprocess.run([PROGRAM, "--cluster", str(cls.folder / "cluster.yaml"), "--data-dir", str(cls.folder / "data"), *arguments],
                              capture_output=True, text=True, cwd=cls.folder, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": str(cls.folder / "cache")})

    def log(self, *arguments):
        done = self.run_program("runs", "log", self.run_id, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.splitlines()

    def json_log(self, *arguments):
        done = self.run_program("--json", "runs", "log", self.run_id, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_all_lines_with_time_rank_and_stream(self):
        lines = self.log()
        self.assertEqual(len(lines), 6, lines)
        for rank in (0, 1):
            self.assertEqual(sum(f" [rank {rank}] the model has 7 layers" in line for line in lines), 1, lines)
            self.assertEqual(sum(f" [rank {rank}]! careful" in line for line in lines), 1, lines)
        self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[rank ")
        entries = self.json_log()
        self.assertEqual([entry["time"] for entry in entries], sorted(entry["time"] for entry in entries))
        self.assertEqual({entry["stream"] for entry in entries}, {"stdout", "stderr"})
        self.assertEqual({entry["node"] for entry in entries}, {"local"})

    def test_one_rank_one_node_one_pattern(self):
        self.assertEqual({entry["rank"] for entry in self.json_log("--rank", "1")}, {1})
        self.assertEqual(len(self.log("--node", "local")), 6)
        self.assertEqual(len(self.log("--grep", "(?i)CAREFUL|rank 0")), 3)
        none = self.run_program("runs", "log", self.run_id, "--grep", "nothing like this")
        self.assertEqual((none.returncode, none.stdout), (0, ""))
        self.assertIn("No such lines.", none.stderr)

    def test_folded_has_each_line_once(self):
        entries = self.json_log("--folded")
        same = [entry for entry in entries if entry["text"] == "the model has 7 layers"]
        self.assertEqual([(entry["ranks"], entry["count"]) for entry in same], [([0, 1], 2)])
        self.assertEqual(sum(entry["count"] for entry in entries), 6)
        self.assertTrue(any("[ranks 0,1] the model has 7 layers" in line for line in self.log("--folded")))

    def test_since(self):
        self.assertEqual(len(self.log("--since", "1h")), 6)
        self.assertEqual(len(self.log("--since", "2020-01-01 00:00")), 6)
        self.assertEqual(self.log("--since", "2199-01-01T00:00:00"), [])

    def test_wrong_values_name_the_right_ones(self):
        for arguments, said in ((("--rank", "7"), "ranks 0 to 1"), (("--node", "gpu9"), "local"), (("--since", "noon"), "10m"),
                                (("--grep", "("), "regular expression")):
            done = self.run_program("runs", "log", self.run_id, *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
        self.assertEqual(self.run_program("runs", "log", "no-such-run").returncode, 2)
        self.assertNotEqual(self.run_program("runs", "log", self.run_id, "--rank", "0", "--node", "local").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
