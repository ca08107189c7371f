#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl collectives` as users run it, on files of NCCL Inspector: collectives_command.py PROGRAM"""
import contextlib
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"


def line(rank, microseconds, size=17179869184):
    return json.dumps(
        {
            "header": {"id": "0x7f8c496ae9f661", "rank": rank, "n_ranks": 8, "nnodes": 1},
            "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node a", "pid": 100 + rank},
            "coll_perf": {"coll": "AllReduce", "coll_sn": 7, "coll_msg_size_bytes": size, "coll_exec_time_us": microseconds},
        },
        separators=(",", ":"),
    )


class Collectives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rankscope inspector ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments):
        return subprocess.run(
            [PROGRAM, "--data-dir", str(self.folder / "data"), *arguments], capture_output=True, text=True, cwd=self.folder, check=False
        )

    def test_inspector_files_give_bandwidth_and_the_last_rank(self):
        for rank in range(8):
            (self.folder / f"node-pid{rank}.log").write_text(line(rank, 61974 if rank == 3 else 80000) + "\n{cut", encoding="utf-8")
        done = self.run_program("--json", "collectives", ".")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        row = found["collectives"][0]
        self.assertEqual((row["function"], row["ranks"], row["ranks_seen"], row["last_rank"]), ("AllReduce", 8, 8, 3))
        self.assertAlmostEqual(row["algorithm_bandwidth"] / 1e9, 277.210914, 4)  # as NVIDIA's README has it
        self.assertAlmostEqual(row["bus_bandwidth"] / 1e9, 485.119099, 4)
        self.assertIsNone(row["link_share"])
        self.assertEqual([rank["rank"] for rank in found["ranks"]], list(range(8)))
        text = self.run_program("collectives", ".").stdout
        self.assertIn("485.12", text)
        self.assertIn("unknown", text)

    def test_nothing_to_see_is_said(self):
        (self.folder / "train.log").write_text("epoch 1 loss 2.3\n", encoding="utf-8")
        done = self.run_program("collectives", "train.log")
        self.assertEqual((done.returncode, done.stdout), (0, "No operation of NCCL was reported there.\n"))
        self.assertEqual(self.run_program("collectives", "no-such-run").returncode, 2)

    def test_a_part_of_a_run_is_of_its_seconds(self):
        self.assertEqual(self.run_program("runs", "list").returncode, 0)
        start_us = 1_760_000_000_000_000
        body = {
            "seconds": 1,
            "communicators": [{"id": "0x7", "rank": 0, "ranks": 2}],
            "totals": [{"communicator": "0x7", "function": "AllReduce", "size_class": 20, "operations": 10, "bytes": 10485760, "seconds": 0.1}],
        }
        with contextlib.closing(sqlite3.connect(self.folder / "data" / "runs.sqlite")) as store, store:
            store.execute(
                "INSERT INTO runs (run_id, name, job_yaml, plan, started_us, ended_us, world_size) VALUES ('r', 'r', '', '{}', ?, ?, 2)",
                (start_us, start_us + 10_000_000),
            )
            for second in range(1, 11):
                store.execute(
                    "INSERT INTO events VALUES ('r', 'node1', ?, ?, ?, 0, 'nccl', ?)",
                    (second, second, start_us + second * 1_000_000, json.dumps(body)),
                )

        def operations(*part):
            done = self.run_program("--json", "collectives", "r", *part)
            self.assertEqual(done.returncode, 0, done.stderr)
            return sum(row["operations"] for row in json.loads(done.stdout)["collectives"])

        self.assertEqual(operations(), 100)
        self.assertEqual(operations("--since", "3s"), 40, "the second that ends then, and the three after it")
        clock = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(start_us / 1e6 + 5))
        self.assertEqual(operations("--since", "6s", "--until", clock), 30)
        self.assertEqual(operations("--until", "20s"), 0)
        for part, option in ((["--since", "soon"], "--since"), (["--until", "x"], "--until"), (["--since", "1s", "--until", "2s"], "--until")):
            done = self.run_program("collectives", "r", *part)
            self.assertEqual(done.returncode, 2)
            self.assertIn(option, done.stderr)

    def test_files_have_no_parts(self):
        (self.folder / "node-pid1.log").write_text(line(0, 61974) + "\n", encoding="utf-8")
        done = self.run_program("collectives", "node-pid1.log", "--since", "3s")
        self.assertEqual(done.returncode, 2)
        self.assertIn("NCCL Inspector", done.stderr)


if __name__ == "__main__":
    unittest.main()
