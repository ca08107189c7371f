# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""engine/bench/compare and what it starts ranks with, on a machine without PyTorch.

    test_bench_scripts.py PROGRAM      the rankscope-worker to measure"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "engine" / "bench"
sys.path.insert(0, str(BENCH))
import runs  # noqa: E402

WORKER = os.environ.get("RANKSCOPE_WORKER", "")


def compare(*arguments):
    return subprocess.run([sys.executable, str(BENCH / "compare"), "--worker", WORKER, "--python", "/bin/false", "--quiet",
                           "99", "--rounds", "1", *arguments], text=True, capture_output=True)


class Compare(unittest.TestCase):
    def test_table_of_two_ranks(self):
        done = compare("--case", "toy", "--world", "2", "--steps", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/bin/false has no torch: left out", done.stderr)
        row = [line for line in done.stdout.splitlines() if line.startswith("| rankscope")]
        self.assertEqual(len(row), 1, done.stdout)
        self.assertGreater(float(row[0].split("|")[2].split()[0]), 0)

    def test_communication_and_launch(self):
        done = compare("--case", "comm", "--model", "toy", "--steps", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("exposed %", done.stdout)
        done = compare("--case", "launch")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("first step done", done.stdout)

    def test_another_build(self):
        done = compare("--case", "toy", "--steps", "10", "--against", WORKER)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = [line for line in done.stdout.splitlines() if line.startswith("| the other build")]
        self.assertEqual(len(row), 1, done.stdout)
        self.assertGreater(float(row[0].split("|")[3].split()[0]), 0)
        self.assertIn("--against /nowhere: no such program", compare("--case", "toy", "--against", "/nowhere").stderr)

    def test_failures_are_reported(self):
        done = compare("--case", "toy", "--precision", "fp16")
        self.assertEqual(done.returncode, 1)
        self.assertIn("rank 0 ended with 2", done.stdout)
        self.assertIn("fp16", done.stdout)


class GpuCheck(unittest.TestCase):
    def test_without_a_gpu_the_report_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(WORKER, pathlib.Path(folder) / "rankscope-worker")
            done = subprocess.run([sys.executable, str(BENCH / "gpu-check"), "--packed", folder, "--only", "ranks", "--python",
                                   "/bin/false"], text=True, capture_output=True)
        report = json.loads(done.stdout)
        if report["capabilities"].get("cuda", {}).get("devices"):
            self.skipTest("there is a GPU")
        self.assertEqual(done.returncode, 1)
        self.assertEqual({one["ranks"] for one in report["ranks"]}, {2, 4})
        for one in report["ranks"]:
            self.assertIn("device: cuda, but", one["fault"])


class StartRanks(unittest.TestCase):
    def test_every_rank_has_its_number(self):
        run = runs.start_ranks([sys.executable, "-c", "import os, sys; print('{\"mine\": \"' + os.environ['MINE'] + '\"}'"
                                " if os.environ['RANK'] == '1' else '')"], world=2, environment={"MINE": "x{rank}"})
        self.assertEqual(run.fault, "")
        self.assertEqual(run.line, {"mine": "x1"})

    def test_a_rank_that_hangs_is_terminated(self):
        begin = time.monotonic()
        run = runs.start_ranks([sys.executable, "-c", "import time; time.sleep(600)"], world=2, timeout=1)
        self.assertEqual(run.fault, "not done after 1 s")
        self.assertLess(time.monotonic() - begin, 100)

    def test_no_line(self):
        self.assertEqual(runs.start_ranks(["true"]).fault, "printed no JSON line")

    def test_line_behind_a_launchers_prefix(self):
        self.assertEqual(runs.last_json('warning\n[default0]:{"a": 1}\ndone'), {"a": 1})

    def test_spread(self):
        self.assertEqual(runs.spread([200.4, 100.2, 300.0]), "200 (100–300)")
        self.assertEqual(runs.spread([1.0, 2.0], 1), "1.5 (1.0–2.0)")
        self.assertEqual(runs.spread([]), "–")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        WORKER = sys.argv.pop(1)
    unittest.main(verbosity=1)
