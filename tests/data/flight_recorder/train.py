# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the dumps beside it: one rank of three, over Gloo. usage: train.py CASE RANK PORT"""
import os
import sys
import time

os.environ["TORCH_FR_BUFFER_SIZE"] = "64"
import torch
import torch._C._distributed_c10d as c10d
import torch.distributed as dist

case, rank, port = sys.argv[1], int(sys.argv[2]), sys.argv[3]
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port, RANK=str(rank), WORLD_SIZE="3", GLOO_SOCKET_IFNAME="lo")
dist.init_process_group("gloo")
pair = dist.new_group([0, 1])


def gather(size):
    tensor = torch.ones(size)
    return dist.all_gather([torch.zeros(size) for _ in range(3)], tensor, async_op=True)


def last_reduce():
    return dist.all_reduce(torch.ones(13), async_op=True)


def dump():
    with open(f"{case}-{rank}.pickle", "wb") as file:
        file.write(c10d._dump_fr_trace(True, True, False))
    with open(f"{case}-{rank}.json", "wb") as file:
        file.write(c10d._dump_fr_trace_json(True, False))


for step in range(2):
    dist.all_reduce(torch.ones(8 + step))
if rank < 2:
    dist.broadcast(torch.ones(3), src=0, group=pair)
if case == "dead" and rank == 2:
    os._exit(9)
works = []
while case == "shape" and rank == 2 and not all(os.path.exists(f"shape-{other}.json") for other in (0, 1)):
    time.sleep(0.1)  # Gloo ends the other processes as soon as it sees another size
if not (case == "skipped" and rank == 1):
    works.append(gather(5 if case == "shape" and rank == 2 else 4))
if not (case == "late" and rank == 0):
    works.append(last_reduce())
if case == "healthy":
    for work in works:
        work.wait()
dump()
time.sleep(1)  # the others dump, too
os._exit(0)
