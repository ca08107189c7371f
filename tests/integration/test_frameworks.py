#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that start their own ranks, from the line that a person types, on two nodes: as plain Python, and as real frameworks have them.

RANKSCOPE_FRAMEWORKS names a virtual environment with torch, lightning, pytorch-ignite, jax, … that all users can read; without it, or where it
lacks a package, those tests are skipped."""
import json
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

import support
from support import CTL, new_cluster, start

PYTHON = "/usr/bin/python3"
VENV = os.environ.get("RANKSCOPE_FRAMEWORKS", "")
# Ranks of a program in Python that is given its node: forked, and told apart by nothing but what they set themselves.
FORKS = """
import multiprocessing, os, sys, time
def work(rank, size):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size))
    for step in range(1, 100000):
        print(f"step {step} loss {rank}.5", flush=True)
        time.sleep(0.1)
if __name__ == "__main__":
    node = int(sys.argv[sys.argv.index("--nr") + 1])
    ranks = [multiprocessing.get_context("fork").Process(target=work, args=(2 * node + i, 4)) for i in range(2)]
    for rank in ranks:
        rank.start()
    while all(rank.is_alive() for rank in ranks):
        time.sleep(0.1)
    for rank in ranks:
        rank.terminate()
    sys.exit(1)
"""
TELLS = """
import json, os
print(json.dumps({name: os.environ.get(name) for name in ("JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "TF_CONFIG", "RANK")}))
"""
SPAWN = """
import argparse, os, time
import torch, torch.distributed as dist, torch.multiprocessing as mp
def train(local, args):
    dist.init_process_group("gloo", rank=args.nr * args.gpus + local, world_size=args.nodes * args.gpus)
    for step in range(1, 100000):
        value = torch.tensor([1.0 + dist.get_rank()])
        dist.all_reduce(value)
        print(f"step {step} loss {dist.get_rank()}.5", flush=True)
        time.sleep(0.1)
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name, long in (("-n", "--nodes"), ("-g", "--gpus"), ("-nr", "--nr")):
        parser.add_argument(name, long, type=int)
    args = parser.parse_args()
    mp.START(train, nprocs=args.gpus, args=(args,)METHOD)
"""
LIGHTNING = """
import time, torch, lightning as L
from torch.utils.data import DataLoader, TensorDataset
class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def training_step(self, batch, index):
        time.sleep(0.05)
        loss = self.layer(batch[0]).square().mean()
        print(f"step {self.global_step} loss {loss.item():.4f}", flush=True)
        return loss
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)
data = DataLoader(TensorDataset(torch.rand(3200, 8)), batch_size=8)
L.Trainer(accelerator="cpu", devices=2, num_nodes=2, strategy="ddp", max_epochs=50, logger=False, enable_checkpointing=False,
          enable_progress_bar=False).fit(Model(), data)
"""
IGNITE = """
import time, torch, ignite.distributed as idist, sys
from ignite.engine import Engine, Events
def training(local_rank):
    def update(engine, batch):
        time.sleep(0.05)
        return idist.all_reduce(1.0 / (1 + engine.state.iteration))
    trainer = Engine(update)
    trainer.add_event_handler(Events.ITERATION_COMPLETED, lambda engine: print(
        f"Epoch[{engine.state.epoch}] Iteration[{engine.state.iteration}] Loss: {engine.state.output:.4f}", flush=True))
    trainer.run([torch.rand(2)] * 100, max_epochs=50)
if __name__ == "__main__":
    node = int(sys.argv[sys.argv.index("--node_rank") + 1])
    with idist.Parallel("gloo", nproc_per_node=2, nnodes=2, node_rank=node, master_addr="node1", master_port=29533) as parallel:
        parallel.run(training)
"""
FSDP = """
import time, torch, torch.distributed as dist
from torch.distributed.fsdp import fully_shard
dist.init_process_group("gloo")
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
fully_shard(model, mesh=torch.distributed.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(1, 100000):
    loss = model(torch.rand(4, 8)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
    time.sleep(0.1)
"""
ACCELERATE = """
import time, torch
from accelerate import Accelerator
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(8, 1)
model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01))
for step in range(1, 100000):
    loss = model(torch.rand(4, 8)).square().mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
    time.sleep(0.1)
"""
TRAINER = """
import time, torch
from transformers import Trainer, TrainingArguments
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 1)
    def forward(self, x, labels=None):
        time.sleep(0.05)
        out = self.layer(x)
        return {"loss": (out - labels).square().mean(), "logits": out}
data = [{"x": torch.rand(8), "labels": torch.rand(1)} for _ in range(4000)]
Trainer(model=Model(), train_dataset=data, args=TrainingArguments("/tmp/trainer-out", use_cpu=True, ddp_backend="gloo", logging_steps=5, max_steps=5000,
        per_device_train_batch_size=4, save_strategy="no", report_to=[])).train()
"""
DEEPSPEED = """
import argparse, time, torch, deepspeed
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=-1)
parser.parse_args()
deepspeed.init_distributed("gloo")
model = torch.nn.Linear(8, 1)
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config={"train_micro_batch_size_per_gpu": 4, "steps_per_print": 10**9,
    "optimizer": {"type": "SGD", "params": {"lr": 0.01}}})
for step in range(1, 100000):
    loss = engine(torch.rand(4, 8)).square().mean()
    engine.backward(loss)
    engine.step()
    print(f"step {step} loss {loss.item():.4f}", flush=True)
    time.sleep(0.1)
"""
TORCHRUN = "torchrun --nnodes=2 --nproc-per-node=2 --node-rank={node} --master-addr=10.0.0.7 --master-port=29544 {script}"
JAX = """
import time, jax
jax.distributed.initialize()
for step in range(1, 100000):
    print(f"step {step} loss {jax.process_index()}.5", flush=True)
    time.sleep(0.1)
"""


def needs(*packages):
    """Skips where the environment of the frameworks lacks one of the packages, and says which."""
    why = "RANKSCOPE_FRAMEWORKS names no virtual environment" if not VENV else ""
    for package in packages if VENV else ():
        if subprocess.run([f"{VENV}/bin/python", "-c", f"import {package}"], capture_output=True, check=False).returncode != 0:
            why = f"{VENV} lacks {package}"
            break
    return unittest.skipIf(why, why)


class Frameworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2, bind={VENV: (VENV, True)} if VENV else {}).start()
        cls.folder = Path(cls.cluster.dir)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def begin(self, script: str, line: str, name: str, venv: bool = True):
        """Writes the script, makes the job of the line as a user does, and starts it."""
        (self.folder / f"{name}.py").write_text(script, encoding="utf-8")
        read = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "job", "--from", line, "--nodes", "node1,node2"],
                                cwd=str(self.folder), check=True)
        path = self.folder / f"{name}.yaml"
        path.write_text(json.loads(read.stdout)["job"] + (f"venv: {VENV}\n" if venv else ""), encoding="utf-8")
        return support.Run(self.cluster, ["run", str(path)])

    def curves(self, run) -> set:
        return {event["rank"] for event in run.of("metric") if "loss" in event}

    def check_inner(self, run, ranks: int = 4, all_print: bool = True):
        """All ranks are seen, with a curve each; a stopped one and a killed one are named; nothing is left."""
        run.wait_for("all ranks", lambda it: {event["rank"] for event in it.of("inner-rank")} == set(range(ranks)), 120)
        if all_print:
            run.wait_for("a curve of each", lambda it: self.curves(it) == set(range(ranks)), 60)
        found = run.of("inner-rank", rank=3)[-1]
        self.assertEqual((found["node"], found["local_rank"], found["world_size"]), ("node2", 1, 4))
        self.end_by_faults(run, 3, found["pid"])

    def end_by_faults(self, run, rank: int, pid: int):
        node = self.cluster.node("node2")
        node.signal([pid], signal.SIGSTOP)
        run.wait_for("notice of the stop", lambda it: it.of("notice", id="rank-stopped", rank=rank))
        node.signal([pid], signal.SIGCONT)
        run.wait_for("notice of its end", lambda it: it.of("notice", id="rank-continued", rank=rank))
        killed = time.monotonic() - run.started
        node.signal([pid], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        named = min((event["at"] for event in run.of("diagnosis", rank=rank) + run.of("end") if event["at"] > killed), default=None)
        print(f"rank {rank} is named {named - killed:.2f} s after it was killed", flush=True)
        self.assertEqual(run.verdict()["culprit"]["rank"], rank, run.explain())
        for each in ("node1", "node2"):
            machine = self.cluster.node(each)
            support.wait_until(lambda machine=machine: not [process for process in machine.processes() if "python" in " ".join(process.cmdline)], 10,
                               f"no process is left on {each}")

    def test_forked_ranks_of_two_pasted_lines(self):
        run = self.begin(FORKS, "python3 forks.py --nr 0\npython3 forks.py --nr 1\n", "forks", venv=False)
        self.check_inner(run)

    def test_what_jax_and_tensorflow_read(self):
        job = {"name": "tells", "nodes": ["node1", "node2"], "procs_per_node": 2, "command": [PYTHON, "-c", TELLS]}
        run = start(self.cluster, job)
        self.assertEqual(run.end(), 0, run.explain())
        first, second = (self.cluster.node(name).address for name in ("node1", "node2"))
        for rank in range(4):
            said = json.loads("".join(event["text"] for event in run.of("log", rank=rank)))
            self.assertEqual(said["JAX_COORDINATOR_ADDRESS"], f"{first}:29500")
            self.assertEqual((said["JAX_NUM_PROCESSES"], said["JAX_PROCESS_ID"]), ("4", str(rank)))
            config = json.loads(said["TF_CONFIG"])
            self.assertEqual(config["task"], {"type": "worker", "index": rank})
            self.assertEqual(config["cluster"]["worker"], [f"{address}:{port}" for address in (first, second) for port in (29501, 29502)])

    @needs("torch")
    def test_torch_spawns(self):
        run = self.begin(SPAWN.replace("START", "spawn").replace("METHOD", ""),
                         "python spawns.py -n 2 -g 2 -nr 0\npython spawns.py -n 2 -g 2 -nr 1", "spawns")
        self.check_inner(run)

    @needs("torch")
    def test_torch_forks(self):
        run = self.begin(SPAWN.replace("START", "start_processes").replace("METHOD", ', start_method="fork"'),
                         "python starts.py -n 2 -g 2 -nr 0", "starts")
        self.check_inner(run)

    @needs("torch", "lightning")
    def test_lightning(self):
        self.check_inner(self.begin(LIGHTNING, "python light.py", "light"))

    @needs("torch", "ignite")
    def test_ignite(self):
        self.check_inner(self.begin(IGNITE, "python ign.py --node_rank 0", "ign"))

    def check_ranks(self, script: str, line: str, name: str, all_print: bool = True):
        """Programs whose ranks Rankscope starts, two on each node: a curve of each, a stopped and a killed one named, nothing left."""
        run = self.begin(script, line, name)
        run.wait_for("the curves", lambda it: self.curves(it) >= (set(range(4)) if all_print else {0}), 180)
        started, = (event for event in run.of("stage", stage="start", rank=3, status="done"))
        self.end_by_faults(run, 3, int(started["detail"].split()[1]))

    def both_nodes(self, script: str) -> str:
        return "\n".join(TORCHRUN.format(node=node, script=script) for node in range(2)) + "\n"

    @needs("torch")
    def test_fsdp2(self):
        self.check_ranks(FSDP, self.both_nodes("fsdp2.py"), "fsdp2")

    @needs("torch", "lightning")
    def test_lightning_below_torchrun(self):
        self.check_ranks(LIGHTNING, self.both_nodes("below.py"), "below")

    @needs("torch", "accelerate")
    def test_accelerate(self):
        lines = [f"accelerate launch --cpu --num_machines 2 --num_processes 4 --machine_rank {node} --main_process_ip 10.0.0.7 accel.py"
                 for node in range(2)]
        self.check_ranks(ACCELERATE, "\n".join(lines) + "\n", "accel")

    @needs("torch", "transformers", "accelerate")
    def test_trainer_of_transformers(self):
        self.check_ranks(TRAINER, self.both_nodes("trainer.py"), "trainer", all_print=False)

    @needs("torch", "deepspeed")
    def test_deepspeed(self):
        self.check_ranks(DEEPSPEED, "deepspeed --num_nodes 2 --num_gpus 2 speed.py\n", "speed")

    @needs("jax")
    def test_jax(self):
        run = self.begin(JAX, "python jx.py", "jx")
        run.wait_for("curves of both", lambda it: self.curves(it) == {0, 1}, 90)
        self.assertEqual({event["loss"] for event in run.of("metric", rank=1)}, {1.5})
        started, = (event for event in run.of("stage", stage="start", rank=1, status="done"))
        self.end_by_faults(run, 1, int(started["detail"].split()[1]))


if __name__ == "__main__":
    support.main()
