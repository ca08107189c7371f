# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""engine/bench/compare, gpu-check and what they start ranks with, on a machine without PyTorch.

    test_bench_scripts.py PROGRAM      the rankscope-worker to measure"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "engine" / "bench"
sys.path[:0] = [str(BENCH), str(pathlib.Path(__file__).resolve().parent)]
import gpu_machine  # noqa: E402
import runs  # noqa: E402
from gpu_check import budget, machine, packing, parts, ranks, speed, suites, table  # noqa: E402

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


def programs(folder):
    """A folder with the programs of this build, as the archive has them."""
    for name in ("rankscope-worker", "rankscope-worker-bench", "engine_cuda_test"):
        for build in (pathlib.Path(WORKER).parent, pathlib.Path(WORKER).parent.parent / "tests/engine"):
            if (build / name).exists():
                os.symlink(build / name, pathlib.Path(folder) / name)


class GpuCheck(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.programs = pathlib.Path(self.folder.name) / "programs"
        self.programs.mkdir()
        programs(self.programs)
        self.out = pathlib.Path(self.folder.name) / "out"

    def check(self, *arguments):
        done = subprocess.run([sys.executable, str(BENCH / "gpu-check"), "--programs", str(self.programs), "--out", str(self.out),
                               "--python", "/bin/false", *arguments], text=True, capture_output=True)
        path = self.out / "report.json"
        return done, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def test_a_dry_run_tries_every_part(self):
        done, report = self.check("--dry-run", "--budget", "200")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(report) - {"machine"}, set(parts.PARTS))
        for name, part in report.items():
            if name != "machine":
                self.assertIn(part["state"], ("done", "unavailable"), name)
        for one in report["ranks"]["result"]:
            self.assertLessEqual(one["after_one_update"], one["limit"])
        self.assertEqual({one["ranks"] for one in report["ranks"]["result"]}, {2, 4})
        self.assertGreater(report["ours"]["result"][0]["images_per_s"], 0)
        self.assertIn("/bin/false has no torch", report["eager"]["why"])
        self.assertEqual(report["sanitizer"]["why"], "needs a GPU")
        self.assertEqual((self.out / "table.md").read_text(encoding="utf-8"), done.stdout)

    def test_the_table_names_the_longest_operations(self):
        operations = [{"name": f"operation {i}", "lane": "main", "kernels": 1, "bytes": 4_000_000, "us": float(i)} for i in range(1, 30)]
        report = {"operations": {"state": "done", "result": [{"model": "resnet18", "batch": 256, "operations": operations},
                                                             {"model": "resnet18", "batch": 1024, "fault": "no memory"}]}}
        shown = list(table.lines(report))
        self.assertIn("29 operations, 0.43 ms one after the other; resnet18 1024: no memory", shown[2])
        self.assertIn("| resnet18 256 | operation 29 | main | 29.0 | 6.7% | 138 |", shown)
        self.assertEqual(sum("operation " in line and line.startswith("| resnet18") for line in shown), table.LONGEST)

    def test_every_part_belongs_to_one_call(self):
        in_calls = [name for call in parts.CALLS.values() for name in call if name != "ours-beside"]  # beside the peers of each
        self.assertEqual(sorted(in_calls + ["ours-beside"]), sorted(parts.PARTS))

    def test_nothing_starts_that_cannot_end_in_time(self):
        begin = time.monotonic()
        done, report = self.check("--dry-run", "--budget", "12")
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["ours"]["state"], "out-of-time")
        self.assertEqual(report["ranks"]["state"], "out-of-time")

    def test_a_part_that_fails_leaves_the_others(self):
        worker = self.programs / "rankscope-worker"
        real = worker.readlink()
        worker.unlink()
        worker.write_text(f'#!/bin/sh\ntest "$1" != bench || exit 3\nexec "{real}" "$@"\n', encoding="utf-8")
        worker.chmod(0o755)
        done, report = self.check("--dry-run", "--part", "ours", "--part", "ranks")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(report["ours"]["state"], "failed")
        self.assertIn("rank 0 ended with 3", report["ours"]["result"][0]["fault"])
        self.assertEqual(report["ranks"]["state"], "done")

    def test_the_product_needs_its_package(self):
        done, report = self.check("--dry-run", "--part", "product", "--budget", "60")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(report["product"]["state"], "unavailable")
        self.assertIn("has no torch", report["product"]["why"])

    def test_without_a_gpu_the_report_says_so(self):
        done, report = self.check("--part", "ranks", "--budget", "200")
        if report["machine"]["capabilities"].get("cuda", {}).get("devices"):
            self.skipTest("there is a GPU")
        self.assertEqual(done.returncode, 1)
        for one in report["ranks"]["result"]:
            self.assertIn("device: cuda, but", one["fault"])

    def test_missing_programs_are_named(self):
        os.unlink(self.programs / "rankscope-worker")
        done, _ = self.check("--dry-run")
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds no rankscope-worker", done.stderr)

    def test_an_incomplete_build_is_not_packed(self):
        done, _ = self.check("--pack", str(self.out.with_suffix(".tar.xz")), "--as-built", "--build", self.folder.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("does not hold", done.stderr)
        self.assertFalse(self.out.with_suffix(".tar.xz").exists())


class GpuCheckOnAGpu(unittest.TestCase):
    """All parts as on a machine with a GPU: gpu_machine.py."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.programs, self.python, tools = gpu_machine.make(self.folder.name, pathlib.Path(WORKER).resolve())
        self.environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}")
        self.out = pathlib.Path(self.folder.name) / "out"

    def run_parts(self, *names):
        """The report of these parts; ranks with the smallest model only."""
        with unittest.mock.patch.dict(os.environ, self.environment), unittest.mock.patch.object(ranks, "CASES", ranks.CASES[:1]):
            here = machine.look(self.programs, str(self.python), False)
            report = parts.Report(self.out, {"machine": machine.describe(here)})
            whole = budget.Budget(590)
            for name in names:
                parts.run_part(name, here, whole, report)
        self.assertEqual({name: report.content[name]["state"] for name in names}, {name: "done" for name in names}, report.content)
        return report.content, (self.out / "table.md").read_text(encoding="utf-8")

    def test_every_part_of_every_call_runs_its_commands(self):
        for call, names in parts.CALLS.items():
            report, shown = self.run_parts(*(name for name in names if name != "product"))  # it takes an installed program
            self.assertIn("GPU: NVIDIA H200", shown)
            if call == 1:
                rounds = [(one["who"], one["round"]) for one in report["strong"]["result"] if one["batch"] == 256]
                self.assertEqual(rounds, [("ours", 1), ("whole-step", 1), ("jax", 1), ("whole-step", 2), ("ours", 2), ("ours", 3), ("whole-step", 3)])
                self.assertIn("| resnet18 256 | whole-step | 2.500, 2.500, 2.500 (mean 2.500) ms |", shown)
            if call == 3:  # the ratios of a call come from its own GPU
                self.assertIn("| resnet18 256 | 500,000 images/s", shown)
                self.assertIn("(5.00×)", shown)
        self.assertIn("| resnet18 1024 | not measured here, eager rank 0 ended with 1: CUDA out of memory,", shown)
        self.assertEqual(report["sanitizer"]["result"]["memcheck"], {"passed": 1, "failed": [], "skipped": 0})

    def test_what_each_part_measures_is_in_the_report(self):
        report, _ = self.run_parts("ceilings", "operations", "tests", "flight", "plugin", "ranks")
        self.assertEqual(report["tests"]["result"], {"passed": 2, "failed": [], "skipped": 0, "suites": 3})
        self.assertEqual(report["ceilings"]["result"]["product_tflops"], 700.0)
        self.assertEqual(report["operations"]["result"][0]["operations"][0]["name"], "update")
        self.assertEqual(sorted(report["flight"]["result"]["skipped"]["dumps"]), ["dump_0", "dump_1"])
        self.assertEqual(report["plugin"]["result"]["overhead"], {"1": 0.0, "2": 0.0})
        self.assertEqual([one["ranks"] for one in report["ranks"]["result"]], [2, 4])
        for one in report["ranks"]["result"]:
            self.assertLessEqual(one["after_one_update"], one["limit"])

    def test_a_part_that_hangs_leaves_time_for_the_next(self):
        limit, ranks.RUN_S = ranks.RUN_S, 6
        self.addCleanup(setattr, ranks, "RUN_S", limit)
        with unittest.mock.patch.dict(os.environ, self.environment, GPU_MACHINE_HANGS="1"):
            here = machine.look(self.programs, str(self.python), False)
            report = parts.Report(self.out, {})
            whole = budget.Budget(100)
            self.assertTrue(parts.run_part("ranks", here, whole, report))
            self.assertFalse(parts.run_part("ceilings", here, whole, report))
            self.assertGreater(whole.left(), 50)
        hung = report.content["ranks"]["result"]
        self.assertEqual([one["fault"] for one in hung], ["not done after 6 s"], "further cases would hang as well")
        self.assertEqual(hung[0]["said"], {0: ["NCCL WARN"], 1: ["NCCL WARN"]})

    def test_a_test_that_hangs_takes_its_ranks_with_it(self):
        program = pathlib.Path(self.folder.name) / "hangs"
        gpu_machine.write(program, f"#!/bin/sh\nsleep 600 &\necho $! >{self.folder.name}/pid\nwait\n")
        passed, failed, _ = suites.run_suite(str(program), "Any.", 2)
        self.assertEqual((passed, len(failed)), (0, 1))
        pid = (pathlib.Path(self.folder.name) / "pid").read_text(encoding="utf-8").strip()
        state = pathlib.Path(f"/proc/{pid}/stat")

        def ended() -> bool:
            try:
                return state.read_text(encoding="utf-8").split()[2] == "Z"
            except OSError:
                return True

        deadline = time.monotonic() + 30  # a kill is under way when it returns
        while not ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(ended())


class GpuCheckReport(unittest.TestCase):
    def test_a_part_has_a_share_of_the_time(self):
        whole = budget.Budget(100)
        self.assertLess(whole.share(30).limit(90), 31)
        self.assertGreater(whole.share(30).limit(90), 28)
        self.assertLess(whole.share(300).limit(300), 91)

    def test_an_archive_that_is_too_large_is_removed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "bin").mkdir()
            for program in (*packing.NAMES.values(), "librankscope-cuda.so"):
                (folder / "bin" / program).write_bytes(pathlib.Path("/bin/true").read_bytes())
            archive = folder / "archive.tar.xz"
            self.assertLess(packing.pack(folder, BENCH, archive), packing.LARGEST_MIB)
            self.assertTrue(archive.exists())
            largest, packing.LARGEST_MIB = packing.LARGEST_MIB, 0.001
            self.addCleanup(setattr, packing, "LARGEST_MIB", largest)
            with self.assertRaises(SystemExit):
                packing.pack(folder, BENCH, archive)
            self.assertFalse(archive.exists())

    def test_the_rank_that_failed_first_is_named(self):
        run = runs.start_ranks([sys.executable, "-c", "import os, sys; rank = int(os.environ['RANK']); "
                                "print('rank', rank, file=sys.stderr); sys.exit(75 if rank == 0 else 3)"], world=2)
        self.assertEqual(run.fault, "rank 1 ended with 3: rank 1")
        self.assertEqual(run.said, {0: ["rank 0"], 1: ["rank 1"]})

    def test_the_run_in_the_middle_counts(self):
        speeds = iter((30.0, 10.0, 20.0))
        one = speed.repeat(3, lambda: {"images_per_s": next(speeds), "first_step_s": 1.0})
        self.assertEqual(one["images_per_s"], 20.0)
        self.assertEqual(one["all_images_per_s"], [30.0, 10.0, 20.0])

    def test_what_was_measured_before_the_end_is_kept(self):
        runs_left = iter(({"images_per_s": 5.0, "first_step_s": 2.0},))

        def once():
            found = next(runs_left, None)
            if found is None:
                raise budget.OutOfTime("0 s of 60 s were left")
            return found
        self.assertEqual(speed.repeat(3, once)["all_images_per_s"], [5.0])

    def test_ratios_stand_in_the_table(self):
        case = {"model": "resnet18", "batch": 256}
        report = {"ours": {"state": "done", "seconds": 3, "result": [{**case, "images_per_s": 500000.0}]},
                  "eager": {"state": "done", "seconds": 9, "result": [{**case, "images_per_s": 100000.0}]},
                  "compile": {"state": "done", "result": [{**case, "fault": "not done after 60 s"}]}}
        self.assertIn("| resnet18 256 | 500,000 images/s, eager 100,000 (5.00×), compile not done after 60 s |",
                      list(table.lines(report)))


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
