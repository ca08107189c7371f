#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ConvNet, data parallel on the CPU: rankscope-worker beside PyTorch's DistributedDataParallel with Gloo.

Both train the tutorial's ConvNet with SGD on MNIST-shaped images, the same ranks, threads, batch and steps, and both
read loss and accuracy in every step. The two take turns, round by round, so that a busy machine disturbs both alike.
Printed: images/s of all ranks together (median over the steps of each round, without the first ten steps), and images
per second of CPU time of all ranks, which a busy machine disturbs less.

    python3 engine/bench/compare_torch.py --worker build/release/bin/rankscope-worker

needs a python3 that has torch (Debian: python3-torch).
"""
import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time

WARM_UP = 10


def torch_rank(args):
    """Runs in a process of its own: one rank of the peer. Prints its step times."""
    import torch
    import torch.distributed as dist
    import torch.nn as nn

    class ConvNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(
                nn.Conv2d(1, 32, 5, padding=1), nn.ReLU(), nn.MaxPool2d(2, 2),
                nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2, 1),
                nn.Conv2d(64, 128, 3), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten())
            self.classifier = nn.Linear(2048, 10)

        def forward(self, x):
            return self.classifier(self.features(x))

    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    if args.ranks > 1:
        dist.init_process_group("gloo")
    model = ConvNet()
    if args.ranks > 1:
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    loss_of = nn.CrossEntropyLoss()
    # The data lies ready as float in memory: the peer pays nothing for its input pipeline.
    images = torch.rand(20 * args.batch, 1, 28, 28)
    labels = torch.randint(0, 10, (20 * args.batch,))
    times = []
    for step in range(args.steps):
        begin = time.perf_counter()
        at = step % 20 * args.batch
        x, y = images[at:at + args.batch], labels[at:at + args.batch]
        logits = model(x)
        loss = loss_of(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
        (logits.argmax(1) == y).float().mean().item()
        times.append(time.perf_counter() - begin)
        if step + 1 == WARM_UP:
            cpu = time.process_time()
    cpu = time.process_time() - cpu
    if args.ranks > 1:
        dist.barrier()
    print(json.dumps({"times": times[WARM_UP:], "cpu": cpu, "version": torch.__version__}))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environments(args, port):
    for rank in range(args.ranks):
        env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(args.ranks),
                   LOCAL_WORLD_SIZE=str(args.ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port),
                   RANKSCOPE_TOKEN="benchmark", OMP_NUM_THREADS=str(args.threads))
        yield env


def run_torch(args):
    command = [sys.executable, __file__, "--torch-rank", "--ranks", str(args.ranks), "--threads", str(args.threads),
               "--batch", str(args.batch), "--steps", str(args.steps)]
    ranks = [subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
             for env in environments(args, free_port())]
    results = [json.loads(rank.communicate()[0]) for rank in ranks]
    return summary(args, [r["times"] for r in results], sum(r["cpu"] for r in results)), results[0]["version"]


def run_worker(args, folder):
    config = {"model": "convnet", "dataset": {"name": "synthetic-digits", "train_size": 20 * args.batch * args.ranks,
                                              "test_size": 10},
              "epochs": 1 + args.steps // 20, "batch_size": args.batch, "optimizer": {"lr": 1e-3}, "validate": False,
              "max_steps": args.steps, "log_every": 1000000}
    path = os.path.join(folder, "config.json")
    with open(path, "w") as out:
        json.dump(config, out)
    # The worker has no clock for the steps after the warm-up alone: a second run of just the warm-up is taken off.
    cpu = []
    times = []
    for steps in (WARM_UP, args.steps):
        with open(path, "w") as out:
            json.dump(dict(config, max_steps=steps), out)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ranks = []
        for env in environments(args, free_port()):
            metrics = os.path.join(folder, "metrics" + env["RANK"])
            open(metrics, "w").close()
            ranks.append((subprocess.Popen([args.worker, "--config", path], stdout=subprocess.DEVNULL,
                                           env=dict(env, RANKSCOPE_METRICS=metrics)), metrics))
        times = []
        for rank, metrics in ranks:
            if rank.wait() != 0:
                sys.exit("rankscope-worker failed with " + str(rank.returncode))
            lines = [json.loads(line) for line in open(metrics)]
            times.append([line["t_step_ms"] / 1000 for line in lines if "t_step_ms" in line][WARM_UP:])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return summary(args, times, cpu[1] - cpu[0])


def summary(args, times, cpu):
    images = args.ranks * args.batch
    steps = args.steps - WARM_UP
    return {"wall": images / statistics.median(statistics.median(t) for t in times), "cpu": images * steps / cpu}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worker", default="build/release/bin/rankscope-worker")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--steps", type=int, default=80)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--torch-rank", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.torch_rank:
        torch_rank(args)
        return
    ours, peer, version = [], [], ""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.rounds):
            ours.append(run_worker(args, folder))
            result, version = run_torch(args)
            peer.append(result)
            print(f"round {number + 1}: ours {ours[-1]['wall']:.0f} images/s ({ours[-1]['cpu']:.0f} per CPU second), "
                  f"torch {version} {peer[-1]['wall']:.0f} ({peer[-1]['cpu']:.0f}), load {os.getloadavg()[0]:.1f}",
                  flush=True)
    print(f"{args.ranks} ranks × {args.threads} thread(s), batch {args.batch} per rank, {args.rounds} rounds:")
    for what, name in (("wall", "images/s"), ("cpu", "images per CPU second")):
        a = sorted(r[what] for r in ours)
        b = sorted(r[what] for r in peer)
        ratio = sorted(x[what] / y[what] for x, y in zip(ours, peer))
        print(f"  {name}: ours {statistics.median(a):.0f} ({a[0]:.0f}–{a[-1]:.0f}), torch {statistics.median(b):.0f} "
              f"({b[0]:.0f}–{b[-1]:.0f}), ratio by round {statistics.median(ratio):.2f} "
              f"({ratio[0]:.2f}–{ratio[-1]:.2f})")


if __name__ == "__main__":
    main()
