# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A toy net on random tensors, one line of loss per step and rank: the form of the founding tutorial's multi_node.py, on the CPU."""
import datetime
import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.optim as optim
from torch.nn.parallel import DistributedDataParallel as DDP


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def train(steps):
    local_rank = int(os.environ["LOCAL_RANK"])
    rank = int(os.environ["RANK"])
    torch.manual_seed(rank)
    for _ in range(steps):
        print(f"[{os.getpid()}] (rank = {rank}, local_rank = {local_rank}) training...")
        ddp_model = DDP(ToyModel())
        loss_fn = nn.MSELoss()
        optimizer = optim.SGD(ddp_model.parameters(), lr=0.001)
        optimizer.zero_grad()
        loss = loss_fn(ddp_model(torch.randn(20, 10)), torch.randn(20, 5))
        loss.backward()
        print(f"[{os.getpid()}] (rank = {rank}, local_rank = {local_rank}) loss = {loss.item()}\n")
        optimizer.step()


def run():
    env_dict = {key: os.environ[key] for key in ("MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "LOCAL_WORLD_SIZE")}
    print(f"[{os.getpid()}] Initializing process group with: {env_dict}")
    dist.init_process_group(backend="gloo", timeout=datetime.timedelta(seconds=30))
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    dist.destroy_process_group()


if __name__ == "__main__":
    run()
