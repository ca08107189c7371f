#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A DDP program as users write it: nccl where there is a GPU, else gloo; prints a line a step until --steps are done."""
import argparse
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F

import networks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between two steps")
    args = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if on_gpu else torch.device("cpu")
    dist.init_process_group("nccl" if on_gpu else "gloo")
    torch.manual_seed(dist.get_rank())
    model = torch.nn.parallel.DistributedDataParallel(networks.ConvNet().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    templates = torch.rand(10, 1, 28, 28, device=device)
    for step in range(1, args.steps + 1):
        labels = torch.randint(0, 10, (100,), device=device)
        outputs = model(templates[labels] + 0.3 * torch.randn(100, 1, 28, 28, device=device))
        loss = F.cross_entropy(outputs, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        accuracy = (outputs.argmax(1) == labels).float().mean()
        print(f"step {step} loss {loss.item():.4f} acc {accuracy.item():.3f}", flush=True)
        time.sleep(args.pause)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
