#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl merge` as users run it: merge_command.py PROGRAM"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"


class Merge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rankscope merge ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder, check=False)

    def test_lines_are_in_the_order_of_their_times(self):
        (self.folder / "0.log").write_text("2026-01-02 03:04:05,250 zero a\n  more of a\n2026-01-02 03:04:09 zero b\n", encoding="utf-8")
        (self.folder / "1.log").write_text("2026-01-02 03:04:07 one a\n", encoding="utf-8")
        (self.folder / "2.log").write_text("no \x1b[31mtime\n", encoding="utf-8")
        done = self.run_program("merge", "0.log", "1.log", "2.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("2.log:1: no "))
        self.assertEqual(lines[1:3], ["2026-01-02 03:04:05.250 0.log:1: 2026-01-02 03:04:05,250 zero a", "2026-01-02 03:04:05.250 0.log:2:   more of a"])
        self.assertEqual([line.split()[2] for line in lines[1:]], ["0.log:1:", "0.log:2:", "1.log:1:", "0.log:3:"])
        rows = [json.loads(line) for line in self.run_program("--json", "merge", ".").stdout.splitlines()]
        self.assertEqual([Path(row["file"]).name for row in rows], ["2.log", "0.log", "0.log", "1.log", "0.log"])
        self.assertIsNone(rows[0]["time"])
        self.assertAlmostEqual(rows[1]["time"], 1767323045.25)
        self.assertEqual(rows[3]["line"], 1)

    def test_clocks_are_corrected(self):
        for node, ahead in ((0, 0), (1, 300)):
            text = ""
            for communicator in range(3):
                for complete in (False, True):
                    for gpu in range(2):
                        rank = 2 * node + gpu
                        second = 10 * communicator + (5 if complete else 0) + ahead
                        text += (
                            f"[2026-01-02 03:{second // 60:02}:{second % 60:02}] node{node}:{400 + rank}:{400 + rank} [{gpu}] NCCL INFO "
                            f"ncclCommInitRank comm 0x{0x7F00 + 0x100 * communicator + rank:x} rank {rank} nranks 4 cudaDev {gpu} nvmlDev {gpu} "
                            f"busId 1000 commId 0xabc{communicator} - Init {'COMPLETE' if complete else 'START'}\n"
                        )
            (self.folder / f"node{node}.log").write_text(text, encoding="utf-8")
        done = self.run_program("--json", "merge", "node0.log", "node1.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("The clock of node1 is 300.0 s ahead of node0", done.stderr)
        times = [json.loads(line)["time"] for line in done.stdout.splitlines()]
        self.assertEqual(times, sorted(times))
        self.assertLess(times[-1] - times[0], 30)

    def test_nothing_to_read_is_an_error(self):
        done = self.run_program("merge", "no such file")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing to read", done.stderr)
        self.assertIn("not-found", done.stderr)


if __name__ == "__main__":
    unittest.main()
