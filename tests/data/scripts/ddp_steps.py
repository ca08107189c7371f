# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of synchronised training over Gloo, as the tutorials write them: prints at most a loss. READ: a file that every step reads."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def read(path: str):
    """From the disk, not from the memory of the system."""
    if not path:
        return
    with open(path, "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        while file.read(1 << 16):
            pass


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    width, batch = 512, 64
    model = DistributedDataParallel(nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data, target = torch.randn(batch, width), torch.randint(0, 10, (batch,))
    steps = int(os.environ.get("STEPS", "1000000"))
    for step in range(1, steps + 1):
        read(os.environ.get("READ", "").replace("{rank}", str(dist.get_rank())))
        for _ in range(3):
            nn.functional.cross_entropy(model.module(data), target).item()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
        if dist.get_rank() == 0 and "QUIET" not in os.environ:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
