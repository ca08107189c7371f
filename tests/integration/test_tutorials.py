#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts of the tutorials that Rankscope grew from, taken from their text, started on two nodes from the lines that the tutorials print.

RANKSCOPE_FRAMEWORKS names a virtual environment with torch, torchvision (and paddle) that all users can read. RANKSCOPE_DISTRIBUUUU names a clone of
the repository that the second tutorial prints a part of. tests/data/cpu_shim makes CUDA the CPU and the data sets small; what is changed in a script
besides is below: an address, and Paddle's import, which is no Python as printed.

test_tutorials.py list DIR writes scripts and lines into DIR for tests/gui/e2e_tutorials."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import CTL, REPOSITORY, new_cluster

from slurm import Slurm, missing_requirements  # isort: skip

VENV = os.environ.get("RANKSCOPE_FRAMEWORKS", "")
DISTRIBUUUU = os.environ.get("RANKSCOPE_DISTRIBUUUU", "")
TUTORIALS = REPOSITORY.parent / "shared" / "reference" / "tutorials"
PYTHON = f"{VENV}/bin/python"
PROGRAMS = "/srv/tutorials"
SHIM = "/srv/cpu_shim"


def blocks(document: str) -> list:
    """The programs that a text prints."""
    text, = (file.read_text(encoding="utf-8") for file in TUTORIALS.glob(f"{document}_*.txt"))
    return [block.replace("\r", "") for block in re.findall(r"```python\n(.*?)```", text, re.S)]


def of_the_texts() -> dict:
    """Name and program of the printed scripts."""
    first = blocks("000")
    whole = [block for block in first if "import os" not in block[:60] or "class" not in block]  # all but the second script
    parts = [block for block in whole if "nn.Module" in block or "def main" in block or "def train" in block or block.startswith("    ") or "__main__" in block
             or block.startswith("import os")]
    overview = blocks("001")
    last = blocks("004")
    paddle, = (file.read_text(encoding="utf-8") for file in TUTORIALS.glob("003_*.txt"))
    paddle = re.search(r"code-block:: py\n(.*?)\n\n\n可以通过", paddle, re.S)[1]
    return {
        "mnist_dist_py.py": "\n".join(parts),
        "mnist_dist.py": next(block for block in first if "class ConvNet" in block and "__main__" in block and "LOCAL_RANK" in block),
        "snsc.py": next(block for block in overview if "(SNSC)" in block),
        "snmc_dp.py": next(block for block in overview if "(SNMC)" in block),
        "mnmc_ddp_launch.py": next(block for block in overview if "(MNMC)" in block),
        "single_node.py": next(block for block in last if "# single_node.py" in block),
        "multi_node.py": next(block for block in last if "# multi_node.py" in block),
        "train.py": re.sub(r"(?m)^    ", "", paddle).replace("from paddle.distributed as dist", "import paddle.distributed as dist")
                      .replace("224, 224", "32, 32").replace("batch_num = 100", "batch_num = 12").replace("batch_size = 32", "batch_size = 4"),
    }


def scripts(master: str) -> dict:
    found = of_the_texts()
    found["mnist_dist_py.py"] = found["mnist_dist_py.py"].replace("172.16.16.5", master)
    for name in ("mnmc_ddp_mp.py", "mnmc_ddp_slurm.py", "imagenet.py"):
        if DISTRIBUUUU:
            found[name] = (Path(DISTRIBUUUU) / "tutorial" / name).read_text(encoding="utf-8")
    return found


def launch(script: str, ranks: int, options: str = "") -> list:
    return [f"{PYTHON} -m torch.distributed.launch --nproc_per_node={ranks} --nnodes=2 --node_rank={node} {options}--master_addr=\"10.198.189.10\" "
            f"--master_port=22222 {script}" for node in range(2)]


def lines(master: str) -> dict:
    """What a person types for each script; the number of ranks; whether the script ends by itself."""
    return {
        "mnist_dist_py.py": ([f"{PYTHON} mnist_dist_py.py -n 2 -g 1 -nr {node} --epochs 5" for node in range(2)], 2, True),
        "mnist_dist.py": (launch("mnist_dist.py", 1), 2, True),
        "snsc.py": ([f"{PYTHON} snsc.py"], 1, True),
        "snmc_dp.py": ([f"{PYTHON} snmc_dp.py"], 1, True),
        "mnmc_ddp_launch.py": (launch("mnmc_ddp_launch.py", 2), 4, True),
        "mnmc_ddp_mp.py": ([f"{PYTHON} mnmc_ddp_mp.py --nodes=2 --ngpus_per_node=2 --dist-url=\"tcp://{master}:12306\" --node_rank={node}"
                            for node in range(2)], 4, True),
        "imagenet.py": (launch("imagenet.py", 2), 4, True),
        "train.py": ([f"{PYTHON} -m paddle.distributed.launch --nproc_per_node=2 --nnodes=2 train.py"], 4, True),
        "single_node.py": ([f"{PYTHON} -m torch.distributed.run --nproc_per_node=2 --master-port=29522 single_node.py"], 2, False),
        "multi_node.py": (launch("multi_node.py", 1), 2, False),
    }


def pasted(typed: list) -> str:
    return f"cd {PROGRAMS}\nexport PYTHONPATH={SHIM}\n" + "\n".join(typed) + "\n"


def why_not() -> str:
    if not TUTORIALS.is_dir():
        return f"{TUTORIALS} is not there"
    if not VENV or subprocess.run([PYTHON, "-c", "import torch, torchvision"], capture_output=True, check=False).returncode != 0:
        return "RANKSCOPE_FRAMEWORKS names no virtual environment with torch and torchvision"
    return ""


class Cluster(unittest.TestCase):
    shared_home = False

    @classmethod
    def setUpClass(cls):
        cls.programs = Path(tempfile.mkdtemp(prefix="rankscope-tutorials-"))
        cls.programs.chmod(0o777)
        cls.addClassCleanup(shutil.rmtree, cls.programs)
        cls.cluster = new_cluster(2, shared_home=cls.shared_home, bind={VENV: (VENV, True), str(cls.programs): (PROGRAMS, False),
                                                             str(REPOSITORY / "tests/data/cpu_shim"): (SHIM, True)}).start()
        cls.master = cls.cluster.node("node1").address
        for name, text in scripts(cls.master).items():
            (cls.programs / name).write_text(text, encoding="utf-8")
        cls.typed = lines(cls.master)
        cls.table = []

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()
        for row in cls.table:
            print("  ".join(f"{cell!s:<20}" for cell in row))

    def begin(self, name: str, typed: list, nodes: str, *more):
        path = Path(self.cluster.dir) / f"{name}.yaml"
        self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "job", "--from", pasted(typed), "-o", str(path), "--force",
                          *(["--nodes", nodes] if nodes else []), *more], check=True)
        return support.Run(self.cluster, ["run", str(path)])

    def check(self, name: str):
        typed, ranks, ends = self.typed[name]
        if not (self.programs / name).exists():
            self.skipTest("RANKSCOPE_DISTRIBUUUU names no clone")
        one_node = ranks == 1 or name == "single_node.py"
        self.watch(name, self.begin(name, typed, "node1" if one_node else "node1,node2"), ranks, ends)

    def watch(self, name: str, run, ranks: int, ends: bool):
        seen = lambda it: {event["rank"] for event in it.of("rank-started") + it.of("inner-rank")}  # noqa: E731
        logs = lambda it: {event["rank"] for event in it.of("log")}  # noqa: E731
        curves = lambda it: {event["rank"] for event in it.of("metric") if "loss" in event}  # noqa: E731
        if not ends:
            run.wait_for("a log of each rank", lambda it: logs(it) >= set(range(ranks)), 120)
            if name == "multi_node.py":
                run.wait_for("a curve of each rank", lambda it: curves(it) == set(range(ranks)), 60)
            stop = support.Run(self.cluster, ["runs", "kill", run.run_id(self.cluster)])
            self.assertEqual(stop.end(60), 0, stop.explain())
        code = run.end(420)
        self.table.append((name, ranks, sorted(seen(run)), sorted(logs(run)), sorted(curves(run)), run.verdict()["outcome"]))
        self.assertEqual(run.verdict()["outcome"], "done" if ends else "stopped", run.explain())
        self.assertEqual(code == 0, ends, run.explain())
        self.assertEqual(logs(run), set(range(ranks)), run.explain())
        self.assertEqual(min(curves(run), default=0), 0, run.explain())


class Tutorials(Cluster):
    def test_mnist_dist_py(self):
        self.check("mnist_dist_py.py")

    def test_mnist_dist(self):
        self.check("mnist_dist.py")

    def test_snsc(self):
        self.check("snsc.py")

    def test_snmc_dp(self):
        self.check("snmc_dp.py")

    def test_mnmc_ddp_launch(self):
        self.check("mnmc_ddp_launch.py")

    def test_mnmc_ddp_mp(self):
        self.check("mnmc_ddp_mp.py")

    def test_imagenet(self):
        self.check("imagenet.py")

    def test_paddle(self):
        if subprocess.run([PYTHON, "-c", "import paddle"], capture_output=True, check=False).returncode != 0:
            self.skipTest(f"{VENV} lacks paddle")
        self.check("train.py")

    def test_single_node(self):
        self.check("single_node.py")

    def test_multi_node(self):
        self.check("multi_node.py")


class TutorialsOfSlurm(Cluster):
    shared_home = True

    def test_mnmc_ddp_slurm(self):
        missing = missing_requirements()
        if missing or not (self.programs / "mnmc_ddp_slurm.py").exists():
            self.skipTest(missing or "RANKSCOPE_DISTRIBUUUU names no clone")
        Slurm(self.cluster).start()
        typed = [f"srun -n4 --ntasks-per-node=2 --job-name=slurm_test {PYTHON} -u mnmc_ddp_slurm.py"]
        self.watch("mnmc_ddp_slurm.py", self.begin("slurm", typed, "", "--submit-on", "node1"), 4, True)
        window = support.paste_in_window(self.cluster, [{"name": "mnmc_ddp_slurm.py", "text": pasted(typed), "ranks": 4, "ends": True,
                                                         "submit_on": "node1"}], 480)
        print(window.stdout[-3000:])
        self.assertEqual(window.returncode, 0, window.stdout[-3000:] + window.stderr[-3000:])


def write_list(folder: Path):
    folder.mkdir(parents=True, exist_ok=True)
    cluster = json.loads(Path(os.environ["RANKSCOPE_TEST_CLUSTER"]).read_text(encoding="utf-8"))
    master = cluster["nodes"]["node1"]["address"] if isinstance(cluster["nodes"], dict) else cluster["nodes"][0]["address"]
    for name, text in scripts(master).items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "lines.json").write_text(json.dumps([
        {"name": name, "text": pasted(typed), "ranks": ranks, "ends": ends} for name, (typed, ranks, ends) in lines(master).items()
        if (folder / name).exists()]), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "list":
        write_list(Path(sys.argv[2]))
    elif why_not():
        print(f"skipped: {why_not()}")
        sys.exit(support.SKIP)
    else:
        support.main()
