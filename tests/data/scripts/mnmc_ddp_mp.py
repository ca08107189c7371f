# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One process per node that spawns the ranks itself (torch.multiprocessing): the form of Distribuuuu's mnmc_ddp_mp.py, on the CPU."""
import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from mnist import ConvNet, train_set

BATCH_SIZE = 64


def main_worker(local_rank, args):
    rank = args.node_rank * args.nproc + local_rank
    dist.init_process_group("gloo", init_method=args.dist_url, world_size=args.nodes * args.nproc, rank=rank)
    print(f"[init] == local rank: {local_rank}, global rank: {rank} ==")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = DDP(ConvNet())
    trainset = train_set(1000)
    sampler = torch.utils.data.distributed.DistributedSampler(trainset, shuffle=True)
    loader = torch.utils.data.DataLoader(trainset, batch_size=BATCH_SIZE // args.nproc, sampler=sampler)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
    for ep in range(1, args.epochs + 1):
        train_loss = correct = total = 0
        sampler.set_epoch(ep)
        for idx, (inputs, targets) in enumerate(loader):
            outputs = net(inputs)
            loss = criterion(outputs, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            train_loss += loss.item()
            total += targets.size(0)
            correct += torch.eq(outputs.argmax(dim=1), targets).sum().item()
            if rank == 0 and ((idx + 1) % 4 == 0 or (idx + 1) == len(loader)):
                print("   == step: [{:3}/{}] [{}/{}] | loss: {:.3f} | acc: {:6.3f}%".format(
                    idx + 1, len(loader), ep, args.epochs, train_loss / (idx + 1), 100.0 * correct / total))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nodes", default=1, type=int)
    parser.add_argument("--nproc", default=2, type=int)
    parser.add_argument("--node_rank", default=0, type=int)
    parser.add_argument("--dist-url", default="tcp://127.0.0.1:12306", type=str)
    parser.add_argument("--epochs", default=1, type=int)
    arguments = parser.parse_args()
    mp.spawn(main_worker, nprocs=arguments.nproc, args=(arguments,))
