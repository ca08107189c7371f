#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of several ranks of rankscope-worker beside PyTorch's: averaging, accumulation (with no_sync), SyncBN, compression.

    engine/bench/parity_ranks.py --data DIR        # DIR/mnist and DIR/cifar10

The real program trains from a safetensors start that torch made, on real pictures, and its checkpoint is read back. Its way
from start to end is compared with what PyTorch does in double precision: every rank's batches by DistributedSampler, batch
norms with each rank's own statistics or (SyncBN) with those of all ranks' batches together, gradients averaged over ranks
and accumulated batches. With a rate of 1 and one update that way is the gradient. The ResNets begin with batch-norm biases of
6, where no ReLU is near its zero (see parity.py). Run with a python3 that has torch. Exit code 1 when a limit is passed.
"""
import argparse
import copy
import json
import os
import pathlib
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data.distributed import DistributedSampler

import parity
import runs

sys.path.insert(0, str(parity.HERE / "peers"))
import networks  # noqa: E402
import pictures  # noqa: E402

ONE = {"name": "sgd", "lr": 1.0}
NESTEROV = {"name": "sgd", "lr": 0.005, "momentum": 0.9, "weight_decay": 1e-4, "nesterov": True}

# model, ranks, batch per rank, updates, optimizer, more of the train section, limit
CASES = [
    ("convnet", 1, 100, 1, ONE, {}, 1e-4),
    ("convnet", 2, 50, 1, ONE, {}, 1e-4),
    ("convnet", 4, 25, 1, ONE, {}, 1e-4),
    ("convnet", 2, 50, 5, NESTEROV, {}, 1e-3),
    # Where rounding decides which number is the larger in a pool, or on which side of a ReLU's zero one lies, a gradient
    # moves by that sample's part; over several updates that adds up. The same samples in one batch show what is of that
    # and what of the accumulation.
    ("convnet", 2, 20, 1, ONE, {"accumulate_steps": 4}, 1e-3),
    ("convnet", 2, 80, 1, ONE, {}, 1e-3),
    ("resnet18", 1, 64, 1, ONE, {}, 1e-4),
    ("resnet18", 2, 32, 1, ONE, {}, 1e-4),
    ("resnet18", 2, 32, 1, ONE, {"sync_bn": True}, 1e-4),
    ("resnet18", 2, 16, 1, ONE, {"sync_bn": True, "accumulate_steps": 3}, 1e-4),
    ("resnet50", 2, 8, 1, ONE, {"sync_bn": True}, 1e-4),
    # bfloat16 keeps 8 bits of a gradient, float16 11: rounding once is at most 2⁻⁹ and 2⁻¹²; adding up rounds again.
    ("convnet", 2, 50, 1, ONE, {"ddp": {"compression": "bf16"}}, 8e-3),
    ("convnet", 2, 50, 1, ONE, {"ddp": {"compression": "fp16"}}, 1e-3),
]


def write_safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        kind = {torch.float32: "F32", torch.int64: "I64"}[tensor.dtype]
        part = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read_safetensors(path):
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__", None)
    kinds = {"F32": np.float32, "F64": np.float64, "I64": np.int64}
    return {name: np.frombuffer(raw, kinds[entry["dtype"]], offset=8 + length + entry["data_offsets"][0],
                                count=int(np.prod(entry["shape"], dtype=np.int64))).astype(np.float64)
            for name, entry in header.items()}


def start_of(model, seed):
    torch.manual_seed(seed)
    shape, classes, _ = networks.DEFAULTS[model if model != "resnet50" else "resnet18"]
    network = networks.build(model, shape, classes)
    for name, parameter in network.named_parameters():
        if ("bn" in name or "downsample.1" in name) and name.endswith("bias"):
            torch.nn.init.constant_(parameter, 6.0)
    return network


def run_worker(args, network, dataset, case):
    model, world, batch, updates, optimizer, more, _ = case
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # torch counts batches in int64 tensors without dimensions; a start has none yet.
        write_safetensors(folder / "start.safetensors", network.state_dict())
        config = {"model": model, "dataset": dataset, "epochs": 1000, "max_steps": updates, "batch_size": batch, "seed": 5,
                  "drop_last": True, "validate": False, "optimizer": optimizer,
                  "checkpoint": {"folder": str(folder / "checkpoints"), "every_epochs": 0, "every_steps": updates,
                                 "resume": "never", "init_from": str(folder / "start.safetensors")}, **more}
        (folder / "config.json").write_text(json.dumps(config))
        run = runs.start_ranks([args.worker, "--config", str(folder / "config.json")], world, 1, wants_line=False)
        if run.fault:
            return None, run.fault
        written = sorted((folder / "checkpoints").glob("step_*"))
        if not written:
            return None, "left no checkpoint"
        return read_safetensors(written[-1] / "model.safetensors"), ""


def run_torch(network, images, labels, case, dtype):
    """What DistributedDataParallel does, rank after rank in one process."""
    _, world, batch, updates, optimizer, more, _ = case
    replicas = [copy.deepcopy(network).to(dtype).train() for _ in range(1 if more.get("sync_bn") else world)]
    accumulate = more.get("accumulate_steps", 1)
    given = {key: value for key, value in optimizer.items() if key != "name"}
    optimizers = [torch.optim.SGD(replica.parameters(), **given) for replica in replicas]
    samplers = [DistributedSampler(range(len(labels)), world, rank, shuffle=True, seed=5, drop_last=True)
                for rank in range(world)]
    orders, at = [list(sampler) for sampler in samplers], 0
    for _ in range(updates):
        for replica in replicas:
            replica.zero_grad()
        for _ in range(accumulate):
            parts = [order[at:at + batch] for order in orders]
            at += batch
            if more.get("sync_bn"):
                parts = [sum(parts, [])]
            for replica, chosen in zip(replicas, parts):
                (F.cross_entropy(replica(images[chosen].to(dtype)), labels[chosen]) / accumulate).backward()
        for parameters in zip(*(replica.parameters() for replica in replicas)):
            mean = sum(parameter.grad for parameter in parameters) / len(replicas)
            for parameter in parameters:
                parameter.grad = mean.clone()
        for step in optimizers:
            step.step()
    # DDP sends rank 0's buffers to all.
    return {name: value.double().numpy().ravel() for name, value in replicas[0].state_dict().items()}


def way(end, start, names):
    return {name: end[name] - start[name] for name in names}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--worker", default=str(parity.ROOT / "build/release/bin/rankscope-worker"))
    parser.add_argument("--model", action="append", help="only this one")
    args = parser.parse_args()
    if not os.access(args.worker, os.X_OK):
        parser.error(f"--worker {args.worker}: no such program")
    args.data = args.data.resolve()
    torch.set_num_threads(1)
    verdict = parity.Verdict()
    print(f"Way from start to end, relative to PyTorch {torch.__version__} in double precision\n")
    print("| model | ranks × batch | updates, options | rankscope: all parameters | worst | of | torch fp32, all | running "
          "statistics |")
    print("|---|---|---|---|---|---|---|---|")
    for case in CASES:
        model, world, batch, updates, optimizer, more, limit = case
        if args.model and model not in args.model:
            continue
        name = "mnist" if model == "convnet" else "cifar10"
        images, labels = (part[:2000] for part in getattr(pictures, name)(args.data / name))
        dataset = {"name": name, "root": str(args.data / name), "limit": 2000}
        if name == "cifar10":
            dataset["normalize"] = "cifar10"
        network = start_of(model, seed=1)
        start = {key: value.double().numpy().ravel() for key, value in network.state_dict().items()}
        double = run_torch(network, images, labels, case, torch.float64)
        single = run_torch(network, images, labels, case, torch.float32)
        ours, fault = run_worker(args, network, dataset, case)
        options = ", ".join([f"{updates}"] + [f"{key} {value}" for key, value in {**more, **more.get("ddp", {})}.items()
                                              if key != "ddp"])
        if fault:
            verdict.failed = True
            print(f"| {model} | {world} × {batch} | {options} | {fault} | | | | |", flush=True)
            continue
        names = [key for key, _ in network.named_parameters()]
        reference = way(double, start, names)
        mine, own = way(ours, start, names), way(single, start, names)
        off, where = parity.worst(mine, reference)
        buffers = [key for key, _ in network.named_buffers()]
        statistics = f"{parity.overall(ours, {key: double[key] for key in buffers}):.1e}" if buffers else "–"
        apart = parity.overall(mine, reference)
        print(f"| {model} | {world} × {batch} | {options} | {verdict.of(apart, limit)} | {off:.1e} | {where} | "
              f"{parity.overall(own, reference):.1e} | {statistics} |", flush=True)
        if "ddp" in more and apart < 1e-5:
            verdict.failed = True
            print("  (nothing was compressed)")
    sys.exit(1 if verdict.failed else 0)


if __name__ == "__main__":
    main()
