# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains a network on MNIST or CIFAR-10 with PyTorch and prints its curve as one JSON line (rank 0); accuracy.py starts it.

The configuration is rankscope-worker's train section; it reads the keys that accuracy.py writes. RANK, WORLD_SIZE,
MASTER_ADDR and MASTER_PORT make it a rank of DistributedDataParallel with gloo.
"""
import json
import os
import pathlib
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data.distributed import DistributedSampler

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import networks  # noqa: E402
import pictures  # noqa: E402


def evaluate(model, images, labels, batch):
    """Mean loss and accuracy over the whole test set."""
    model.eval()
    loss = correct = 0
    with torch.no_grad():
        for at in range(0, len(labels), batch):
            outputs = model(images[at:at + batch])
            loss += F.cross_entropy(outputs, labels[at:at + batch], reduction="sum").item()
            correct += (outputs.argmax(1) == labels[at:at + batch]).sum().item()
    model.train()
    return loss / len(labels), correct / len(labels)


def main():
    config = json.loads(pathlib.Path(sys.argv[1]).read_text())
    world, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    if world > 1:
        dist.init_process_group("gloo")
    read = getattr(pictures, config["dataset"]["name"])
    root = pathlib.Path(config["dataset"]["root"])
    images, labels = read(root)
    images, labels = images[:config["dataset"]["limit"]], labels[:config["dataset"]["limit"]]
    torch.manual_seed(config["seed"])
    shape, classes, _ = networks.DEFAULTS[config["model"]]
    model = networks.build(config["model"], shape, classes)
    if config["channels_last"]:
        model, images = (x.to(memory_format=torch.channels_last) for x in (model, images))
    network = nn.parallel.DistributedDataParallel(model) if world > 1 else model
    given = {key: value for key, value in config["optimizer"].items() if key != "name"}
    optimizer = torch.optim.SGD(network.parameters(), **given)
    batch = config["batch_size"]
    sampler = DistributedSampler(range(len(labels)), world, rank, shuffle=True, seed=config["seed"], drop_last=True)
    curve, losses, begin = [], [], time.monotonic()
    for epoch in range(config["epochs"]):
        sampler.set_epoch(epoch)
        order = list(sampler)
        for at in range(0, len(order) - batch + 1, batch):
            chosen = order[at:at + batch]
            optimizer.zero_grad()
            loss = F.cross_entropy(network(images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        means = torch.tensor(losses, dtype=torch.float64)
        if world > 1:
            dist.all_reduce(means)
            means /= world
        if rank == 0:
            val_loss, val_acc = evaluate(model, *read(root, train=False), 500)
            steps = len(order) // batch
            curve.append({"epoch": epoch + 1, "loss": means[-steps:].mean().item(), "val_loss": val_loss,
                          "val_acc": val_acc})
        if world > 1:
            dist.barrier()
    if rank == 0:
        print(json.dumps({"torch": torch.__version__, "seconds": time.monotonic() - begin, "curve": curve,
                          "losses": means.tolist()}), flush=True)
    if world > 1:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
