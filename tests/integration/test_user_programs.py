#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs of the user's own: PyTorch scripts of the tutorials' form (tests/data/scripts) train over two nodes as they would under torchrun."""
import json
import sys
import unittest
from pathlib import Path

import support
from support import CTL, REPOSITORY, SKIP, missing_torch, new_cluster, shared_datasets, start

SCRIPTS = REPOSITORY / "tests" / "data" / "scripts"
PYTHON = "/usr/bin/python3"


class UserPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2, bind={SCRIPTS: ("/srv/scripts", True)}).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def job(self, command, **keys) -> dict:
        env = {"MNIST": "/srv/datasets/mnist"} if shared_datasets() else {}
        return {"name": "own", "nodes": ["node1", "node2"], "procs_per_node": 1, "workdir": "/srv/scripts", "env": env,
                "command": [PYTHON, *command], **keys}

    def finish(self, job, code=0):
        run = start(self.cluster, job)
        self.assertEqual(run.end(240), code, run.explain())
        return run

    def said(self, run, rank) -> str:
        return "".join(event["text"] for event in run.of("log", rank=rank))

    def series(self, run, key, rank) -> list:
        return [(event["step"], event[key]) for event in run.of("metric", rank=rank) if key in event]

    def test_torchruns_whole_environment(self):
        job = self.job(["-c", "import json, os; print(json.dumps(dict(os.environ)))"], procs_per_node=2)
        run = self.finish(job)
        seen = [json.loads(self.said(run, rank)) for rank in range(4)]
        for rank, env in enumerate(seen):
            expected = {
                "LOCAL_RANK": rank % 2, "RANK": rank, "GROUP_RANK": rank // 2, "ROLE_RANK": rank, "ROLE_NAME": "default",
                "LOCAL_WORLD_SIZE": 2, "WORLD_SIZE": 4, "GROUP_WORLD_SIZE": 2, "ROLE_WORLD_SIZE": 4,
                "MASTER_ADDR": self.cluster.node("node1").address, "MASTER_PORT": 29500, "TORCHELASTIC_RESTART_COUNT": 0,
                "TORCHELASTIC_MAX_RESTARTS": 0, "TORCHELASTIC_RUN_ID": env["RANKSCOPE_RUN_ID"],
                "TORCHELASTIC_USE_AGENT_STORE": "False", "TORCH_NCCL_ASYNC_ERROR_HANDLING": 1, "OMP_NUM_THREADS": 1,
            }
            self.assertEqual({key: env.get(key) for key in expected}, {key: str(value) for key, value in expected.items()})
            self.assertTrue(env["TORCHELASTIC_ERROR_FILE"].endswith(f"rank-{rank}/error.json"))

    def test_single_node_form(self):
        run = self.finish(self.job(["single_node.py"]))
        for rank in (0, 1):
            self.assertIn("Outside: input size torch.Size([30, 5]) output_size torch.Size([30, 2])", self.said(run, rank))

    def test_multi_node_form(self):
        run = self.finish(self.job(["multi_node.py", "5"]))
        for rank in (0, 1):
            self.assertEqual(self.said(run, rank).count(" loss = "), 5)
            self.assertEqual([step for step, _ in self.series(run, "loss", rank)], [1, 2, 3, 4, 5])

    def test_mnist_dist_form_with_the_argument_of_the_old_launcher(self):
        run = self.finish(self.job(["mnist_dist.py", "--epochs", "2"], local_rank_argument="--local_rank"))
        for rank in (0, 1):
            self.assertIn("Training complete in", self.said(run, rank))
            self.assertIn("Epoch [2/2], Step [20/20], Loss: ", self.said(run, rank))
            losses = self.series(run, "loss", rank)
            self.assertEqual([step for step, _ in losses], list(range(5, 41, 5)))
            self.assertLess(losses[-1][1], losses[0][1])

    def test_mnmc_ddp_launch_form(self):
        run = self.finish(self.job(["mnmc_ddp_launch.py"]))
        self.assertIn("== step: [ 16/16] [2/2] | loss: ", self.said(run, 0))
        self.assertIn("[init] == local rank: 0, global rank: 1 ==", self.said(run, 1))
        losses, accuracies = self.series(run, "loss", 0), self.series(run, "acc1", 0)
        self.assertEqual([step for step, _ in losses], list(range(4, 33, 4)))
        self.assertLess(losses[-1][1], losses[0][1])
        self.assertGreater(accuracies[-1][1], 0.5)
        self.assertLessEqual(accuracies[-1][1], 1)
        self.assertTrue(run.of("stage", stage="first-step", status="done", node=""), "rank 1 prints no step, and is not missing")

    def test_mnmc_ddp_mp_form(self):
        run = self.finish(self.job(["mnmc_ddp_mp.py", "--nodes", "{nodes}", "--nproc", "2", "--node_rank", "{node_rank}",
                                    "--dist-url", "tcp://{master_addr}:{master_port}"]))
        self.assertIn("[init] == local rank: 1, global rank: 3 ==", self.said(run, 1))
        self.assertEqual([step for step, _ in self.series(run, "acc1", 0)], [4, 8])

    def test_metrics_on_the_pipe_and_a_pattern_of_ones_own(self):
        program = ("import os\nwith open(os.environ['RANKSCOPE_METRICS'], 'w', buffering=1) as pipe:\n"
                   "    for step in range(1, 4):\n"
                   "        pipe.write('{\"step\": %d, \"loss\": %g}\\n' % (step, 1 / step))\n"
                   "        print(f'Epoch [1/1], Step [{step}/3], Loss: {9:.4f}')\n"
                   "        print(f'[{step:03}] margin of this step is {step / 4}')\n")
        learned = self.cluster.run([CTL, "metrics", "learn", "--line", "[002] margin of this step is 0.5", "--field", "step=002",
                                    "--field", "margin=0.5"], check=True).stdout
        self.assertIn("metrics: { patterns: ['[{step}] margin of this step is {margin}'] }", learned)
        run = self.finish(self.job(["-c", program], metrics={"patterns": ["[{step}] margin of this step is {margin}"]}))
        for rank in (0, 1):
            self.assertEqual(self.series(run, "loss", rank), [(1, 1), (2, 0.5), (3, 0.333333)])
            self.assertEqual(self.series(run, "margin", rank), [(1, 0.25), (2, 0.5), (3, 0.75)])

    def event_files(self, folder, arguments, procs_per_node=2, **keys):
        return self.finish(self.job(["event_files.py", *arguments], metrics={"tensorboard": folder}, procs_per_node=procs_per_node, **keys))

    def check_series(self, run, rank):
        self.assertEqual(self.series(run, "loss", rank), [(step, rank + step / 8) for step in (1, 2, 3)])
        self.assertEqual(self.series(run, "val_acc1", rank), [(1, 0.25), (2, 0.5), (3, 0.75)])

    def test_event_files_by_the_process_that_writes_them(self):
        run = self.event_files("~/tb", ["/home/trainer/tb"])
        for rank in range(4):
            self.check_series(run, rank)
            self.assertIn("Loss: 9.0000", self.said(run, rank), "what is printed stays in the log, and makes no second series")
            self.assertTrue(run.of("stage", stage="first-step", status="done", rank=rank))
        # The files are there now, and old: another run reads its own, of children and by the file that is open.
        for argument in ("--child", "--pid-less"):
            folder = f"/home/trainer/tb/{argument}" + "/{rank}" * (argument == "--pid-less")
            run = self.event_files("~/tb", [folder, argument])
            for rank in range(4):
                self.check_series(run, rank)
        self.assertEqual(run.of("diagnosis"), [])

    def test_files_that_nobody_names_are_found(self):
        run = self.finish(self.job(["found_files.py", "--log-dir", "~/found"], procs_per_node=2))
        exact = [(step, 1 / (step + 2)) for step in range(1, 7)]
        table = [(event["step"], event["loss"]) for event in run.of("metric", rank=0) if "loss" in event and event.get("from_file")]
        self.assertEqual(table, exact, "exactly, beside the rounded lines")
        for rank in range(4):
            self.assertEqual(self.series(run, "margin", rank), [(step, rank + step / 8) for step in range(1, 7)])
            self.assertTrue(run.of("stage", stage="first-step", status="done", rank=rank))
        # The files are there now: another run reads its own rows only.
        again = self.finish(self.job(["found_files.py", "--log-dir", "~/found"], procs_per_node=2))
        for rank in range(4):
            self.assertEqual(self.series(again, "margin", rank), [(step, rank + step / 8) for step in range(1, 7)])
        self.assertEqual(run.of("diagnosis"), [])

    def test_event_files_by_the_folder(self):
        job = self.job(["event_files.py", "tb/{rank}"], metrics={"tensorboard": "tb/{rank}", "lines": True}, procs_per_node=2)
        job["workdir"] = "~"
        job["command"][1] = "/srv/scripts/event_files.py"
        planned = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "plan", support.write_job(self.cluster, job)],
                                   check=True).stdout
        self.assertIn("event files below tb/3", planned)
        run = self.finish(job)
        for rank in range(4):
            self.check_series(run, rank)

    def test_damaged_and_absent_event_files_do_no_harm(self):
        run = self.event_files("~/damaged", ["/home/trainer/damaged", "--damage"], procs_per_node=1)
        for rank in (0, 1):
            self.check_series(run, rank)
        reported, = run.of("notice")
        self.assertEqual((reported["id"], reported["node"]), ("event-file-damaged", "node2"))
        self.assertIn("/home/trainer/damaged/events.out.tfevents.", reported["evidence"][0])
        run = self.event_files("~/nowhere", ["/home/trainer/damaged"], procs_per_node=1)
        reported, = run.of("notice")
        self.assertEqual((reported["id"], reported["node"], reported["evidence"]), ("event-files-absent", "node1", ["/home/trainer/nowhere"]))
        self.assertIn("starts at workdir", reported["fix"][0])

    def pushed(self, run) -> list:
        return [event["detail"] for event in run.of("stage", stage="note", node="") if ": pushed " in event.get("detail", "")]

    def test_only_changes_of_the_pushed_files_travel(self):
        project = Path(self.cluster.dir) / "project"
        (project / "pkg" / "__pycache__").mkdir(parents=True)
        (project / "train.py").write_text("import os, pkg.net\nprint(pkg.net.NAME, os.getcwd(), os.path.islink('link'))\n")
        (project / "pkg" / "net.py").write_text("NAME = 'first'\n")
        (project / "pkg" / "__pycache__" / "net.pyc").write_text("no")
        (project / "link").symlink_to("train.py")
        for number in range(300):
            (project / "pkg" / f"data{number}.txt").write_text(f"{number}" * 100)
        for workdir, where in (("~/proj", "/home/trainer/proj"), ("", "/home/trainer/.cache/rankscope/jobs/own")):
            job = self.job(["train.py"], push=["project"])
            job["workdir"] = workdir
            job["command"] = [PYTHON, "project/train.py"]
            first = self.finish(job)
            self.assertEqual(len(self.pushed(first)), 2)
            self.assertIn("pushed 302 files", self.pushed(first)[0])
            for rank in (0, 1):
                self.assertEqual(self.said(first, rank), f"first {where} False\n")
            self.assertFalse(self.cluster.node("node1").path(f"{where}/project/pkg/__pycache__/net.pyc").exists())
            self.assertTrue(self.cluster.node("node1").path(f"{where}/project/link").is_symlink())
            self.assertEqual(self.pushed(self.finish(job)), [])
            (project / "pkg" / "net.py").write_text("NAME = 'second'\n")
            third = self.finish(job)
            self.assertIn("pushed 1 file,", self.pushed(third)[0])
            self.assertIn("second", self.said(third, 1))
            (project / "pkg" / "net.py").write_text("NAME = 'first'\n")

    def test_faults_of_a_push(self):
        job = self.job(["x.py"], push=["absent.py"])
        run = self.finish(job, code=2)
        self.assertIn("absent.py is not there", run.verdict()["detail"])
        (Path(self.cluster.dir) / "x.py").write_text("print('x')\n")
        run = self.finish(self.job(["x.py"], push=["x.py"], workdir="/proc/nowhere"), code=4)
        self.assertIn("The files of push: cannot be written on the node.", run.verdict()["detail"])
        self.assertIn("/proc/nowhere", run.verdict()["detail"])

    def test_a_recorded_exception_is_the_verdict(self):
        why = "ValueError: the labels of this shard are missing (recorded_failure.py:19 in main)"
        for arguments in ([], ["slow"]):
            run = self.finish(self.job(["recorded_failure.py", *arguments]), code=1)
            culprit = run.verdict()["culprit"]
            self.assertEqual((culprit["rank"], culprit["node"]), (1, "node2"), run.explain())
            self.assertEqual(culprit["reason"], why)
            self.assertIn(why, run.verdict()["detail"])

    def test_a_missing_script_is_named(self):
        found = self.finish(self.job(["absent.py"]), code=1)
        self.assertEqual([verdict["id"] for verdict in found.of("diagnosis")], ["script-missing"])
        self.assertIn("absent.py does not exist on", found.verdict()["detail"])
        run = self.finish({**self.job(["absent.py"]), "preflight": "off"}, code=1)
        self.assertIn("can't open file", "".join(run.verdict()["culprit"]["last_lines"]))
        self.assertEqual(run.of("diagnosis")[0]["id"], "script-missing")

    def test_a_virtual_environment(self):
        for node in self.cluster.nodes:
            node.run([PYTHON, "-m", "venv", "--without-pip", "--system-site-packages", "venv"], check=True)
        job = self.job([], venv="~/venv")
        job["command"] = ["python", "-c", "import os, sys, torch; print(sys.prefix, os.environ['VIRTUAL_ENV'])"]
        run = self.finish(job)
        for rank in (0, 1):
            self.assertEqual(self.said(run, rank), "/home/trainer/venv /home/trainer/venv\n")

    def test_a_missing_environment_stops_the_run_before_it_starts(self):
        for keys, what, remedy in (({"venv": "~/nowhere"}, "There is no virtual environment in /home/trainer/nowhere.", "venv"),
                                   ({"conda": "nowhere"}, "There is no conda environment nowhere.", "conda env list")):
            run = self.finish(self.job(["-c", ""], **keys), code=4)
            failure = run.verdict()["detail"]
            self.assertIn(what, failure)
            self.assertIn(remedy, failure)
            self.assertRegex(failure, "^node[12]: ")

    def test_log_files_of_the_ranks(self):
        run = self.finish(self.job(["multi_node.py", "2"], log_dir="~/logs", procs_per_node=2))
        run_id = run.run_id(self.cluster)
        for rank in range(4):
            node = self.cluster.node(f"node{rank // 2 + 1}")
            file = node.path(f"/home/trainer/logs/{run_id}/attempt_0/{rank % 2}/stdout.log")
            self.assertEqual(file.read_text(), self.said(run, rank))


if __name__ == "__main__":
    why = missing_torch()
    if why:
        print(f"skipped: {why}")
        sys.exit(SKIP)
    support.main()
