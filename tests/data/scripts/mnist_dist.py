# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ConvNet on MNIST by DDP, each node's rank 0 printing "Epoch [..], Step [..], Loss: ..": the form of mnist_dist.py, on the CPU."""
import argparse
import os
from datetime import datetime

import torch
import torch.distributed as dist
import torch.nn as nn

from mnist import ConvNet, train_set

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=None)  # of torch.distributed.launch
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--samples", type=int, default=2000)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    assert args.local_rank in (None, local_rank), (args.local_rank, local_rank)

    dist.init_process_group(backend="gloo")
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(ConvNet())
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    data = train_set(args.samples)
    sampler = torch.utils.data.distributed.DistributedSampler(data)
    loader = torch.utils.data.DataLoader(dataset=data, batch_size=50, shuffle=False, sampler=sampler)

    start = datetime.now()
    total_step = len(loader)
    print("Total step: ", total_step)
    for epoch in range(args.epochs):
        for i, (images, labels) in enumerate(loader):
            loss = criterion(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if (i + 1) % 5 == 0 and local_rank == 0:
                print("Epoch [{}/{}], Step [{}/{}], Loss: {:.4f}".format(epoch + 1, args.epochs, i + 1, total_step, loss.item()))
    if local_rank == 0:
        print("Training complete in: " + str(datetime.now() - start))
