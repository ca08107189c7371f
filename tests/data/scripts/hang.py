# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A toy net on random tensors over Gloo that hangs, or only looks as if it did: hang.py KIND STEP RANK, for tests of the watcher.

Waits for the file /tmp/hang-now on the rank's node before it does so (healthy kinds do it at the step)."""
import datetime
import os
import queue
import sys
import threading
import time

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

KIND = sys.argv[1]
STEP = int(sys.argv[2])
RANK = int(sys.argv[3])
GROUPS: list = []
STEPS = int(sys.argv[4]) if len(sys.argv) > 4 else 100000


class Blocked(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        if index > 8:
            time.sleep(100000)
        return torch.randn(10)


def sleep_in_step():
    time.sleep(100000)


def wait_for_lock():
    lock = threading.Lock()
    with lock:
        lock.acquire()


def wait_for_queue():
    queue.Queue().get()


def read_pipe():
    with open("/tmp/hang-fifo", encoding="utf-8") as pipe:
        pipe.read()


def read_file():
    with open(os.environ["HANG_FILE"], "rb") as file:
        file.read(1)


def spin():
    while True:
        pass


def load_data():
    for _ in torch.utils.data.DataLoader(Blocked(), batch_size=4, num_workers=1):
        pass


def wait_for_child():
    os.system("sleep 100000")


def other_collective():
    dist.barrier(group=GROUPS[1])


HANGS = {"sleep": sleep_in_step, "lock": wait_for_lock, "queue": wait_for_queue, "fifo": read_pipe, "file": read_file, "spin": spin,
         "loader": load_data, "child": wait_for_child, "other": other_collective, "exit": lambda: os._exit(0)}


def validate(seconds):
    """On one rank alone, while the others wait for it."""
    until = time.monotonic() + seconds
    data = torch.randn(200, 200)
    while time.monotonic() < until:
        data = torch.tanh(data @ data)


def write_checkpoint(seconds):
    until = time.monotonic() + seconds
    with open("/tmp/checkpoint", "wb") as file:
        while time.monotonic() < until:
            file.seek(0)
            file.write(os.urandom(1 << 20))
            os.fsync(file.fileno())
            time.sleep(0.2)


def load_slowly(seconds):
    time.sleep(seconds)


HEALTHY = {"validate": validate, "checkpoint": write_checkpoint, "slow": load_slowly}


def disturb(rank, step):
    if rank != RANK or step < STEP:
        return
    if KIND in HEALTHY and step % STEP == 0:
        HEALTHY[KIND](float(os.environ.get("SECONDS_LONG", "12")))
    elif KIND in HANGS and os.path.exists("/tmp/hang-now"):
        os.unlink("/tmp/hang-now")
        HANGS[KIND]()


def skips(rank):
    return KIND == "skip" and rank == RANK and os.path.exists("/tmp/hang-now")


def train():
    rank = dist.get_rank()
    silent = os.environ.get("SILENT") == "1"
    model = DDP(nn.Linear(10, 5))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    total = torch.zeros(1)
    skipped = False
    for step in range(1, STEPS + 1):
        disturb(rank, step)
        loss = nn.functional.mse_loss(model(torch.randn(20, 10)), torch.randn(20, 5))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        skipped = skipped or skips(rank)
        if not skipped:
            dist.all_reduce(total, group=GROUPS[0])
        time.sleep(0.1)
        if not silent:
            print(f"Epoch [1/1], Step [{step}/{STEPS}], Loss: {loss.item():.4f}", flush=True)
    dist.barrier()


dist.init_process_group(backend="gloo", timeout=datetime.timedelta(seconds=int(os.environ.get("GLOO_TIMEOUT", "1800"))))
GROUPS = [dist.new_group(), dist.new_group()]
train()
