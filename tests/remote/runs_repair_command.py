#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl runs repair` as users run it: runs_repair_command.py PROGRAM"""
import json
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"


class RunsRepair(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="rankscope repair ")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.store = self.folder / "data" / "runs.sqlite"
        (self.folder / "cluster.yaml").write_text("nodes: []\n", encoding="utf-8")

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, "--cluster", str(self.folder / "cluster.yaml"), "--data-dir", str(self.folder / "data"), *arguments],
                              capture_output=True, text=True, cwd=self.folder, check=False)

    def make_store(self):
        self.assertEqual(self.run_program("runs", "list").returncode, 0)
        self.assertTrue(self.store.exists())

    def others(self):
        return [path for path in self.store.parent.iterdir() if path.suffix == ".sqlite" and path != self.store]

    def test_a_store_in_order_is_left_alone(self):
        self.make_store()
        before = self.store.read_bytes()
        done = self.run_program("runs", "repair")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in order", done.stdout)
        self.assertEqual(self.store.read_bytes(), before)
        self.assertEqual(self.others(), [])

    def test_no_store_is_no_problem(self):
        done = self.run_program("--json", "runs", "repair")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual((said["old"], said["problem"]), ("", ""))

    def test_a_damaged_store_is_kept_and_a_new_one_begins(self):
        self.make_store()
        damaged = self.store.read_bytes()[:4096] + b"\xa5" * 20000
        self.store.write_bytes(damaged)
        listed = self.run_program("runs", "list")
        self.assertNotEqual(listed.returncode, 0)
        self.assertIn("runs repair", listed.stderr)
        done = self.run_program("--json", "runs", "repair")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual((said["store"], said["problem"]), (str(self.store), "store-damaged"))
        self.assertEqual(Path(said["old"]).read_bytes(), damaged)
        self.assertEqual(self.others(), [Path(said["old"])])
        self.assertEqual(self.run_program("runs", "list").returncode, 0)
        self.assertIn("in order", self.run_program("runs", "repair").stdout)

    def test_a_store_of_a_newer_version_is_kept(self):
        self.make_store()
        with sqlite3.connect(self.store) as database:
            database.execute("PRAGMA user_version = 99")
        database.close()
        self.assertIn("newer", self.run_program("runs", "list").stderr)
        done = self.run_program("runs", "repair")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.others()), 1)
        self.assertIn(str(self.others()[0]), done.stdout)

    def test_a_store_in_use_is_not_touched(self):
        self.make_store()
        self.store.write_bytes(b"x" * 5000)
        with open(self.store, "rb"):
            done = self.run_program("--json", "runs", "repair")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("store-busy", done.stdout + done.stderr)
        self.assertIn("process", done.stdout + done.stderr)
        self.assertEqual(self.store.read_bytes(), b"x" * 5000)
        self.assertEqual(self.others(), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
