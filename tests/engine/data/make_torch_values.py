#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what PyTorch does, for the parity tests. Made with torch 1.13.1 (Debian 12: python3-torch):
    python3 make_torch_values.py > torch_values.json
"""
import hashlib
import json
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset
from torch.utils.data.distributed import DistributedSampler

torch.set_num_threads(1)


class Numbers(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i


def samplers():
    for n, world, shuffle, drop_last, seed, epoch in [
        (10, 3, True, False, 0, 0), (10, 3, True, True, 0, 0), (10, 3, False, False, 0, 5), (2, 5, True, False, 7, 1),
        (9, 3, True, True, 123456789, 3), (1, 2, True, False, 0, 0), (11, 4, False, True, 0, 0), (5, 1, True, False, 2**33 + 5, 0),
    ]:
        ranks = []
        for rank in range(world):
            s = DistributedSampler(Numbers(n), world, rank, shuffle, seed, drop_last)
            s.set_epoch(epoch)
            ranks.append(list(s))
        yield dict(n=n, world=world, shuffle=shuffle, drop_last=drop_last, seed=seed, epoch=epoch, indices=ranks)


def permutations():
    for n, seed in [(50000, 0), (60000, 0), (60000, 1), (60000, 42)]:
        p = torch.randperm(n, generator=torch.Generator().manual_seed(seed))
        yield dict(n=n, seed=seed, first=p[:8].tolist(), last=p[-4:].tolist(),
                   sha256=hashlib.sha256(p.numpy().astype("<i8").tobytes()).hexdigest())


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 5, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 128, 3)
        self.fc1 = nn.Linear(2048, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2, 1)
        x = F.max_pool2d(F.relu(self.conv3(x)), 2)
        return self.fc1(x.view(-1, 2048))


def digest(model):
    h = hashlib.sha256()
    for p in model.parameters():
        h.update(p.detach().numpy().astype("<f4").tobytes())
    return h.hexdigest()


def initialisation():
    for seed in (0, 1, 2**32 + 9):
        torch.manual_seed(seed)
        m = ConvNet()
        yield dict(seed=seed, sha256=digest(m),
                   parameters=[dict(name=n, first=p.detach().flatten()[:4].tolist()) for n, p in m.named_parameters()])


def training():
    """Losses of the ConvNet on noise, and its logits before the first step."""
    torch.manual_seed(0)
    m = ConvNet()
    x = torch.empty(16, 1, 28, 28).uniform_(0, 1, generator=torch.Generator().manual_seed(1))
    y = torch.arange(16) % 10
    opt = torch.optim.SGD(m.parameters(), 0.02, momentum=0.9, weight_decay=1e-3, nesterov=True)
    losses, logits = [], None
    for _ in range(10):
        out = m(x)
        logits = out.detach().flatten().tolist() if logits is None else logits
        loss = F.cross_entropy(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return dict(losses=losses, logits=logits)


def sgd():
    for options in (dict(lr=0.1), dict(lr=0.1, weight_decay=0.01), dict(lr=0.05, momentum=0.9),
                    dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.02),
                    dict(lr=0.05, momentum=0.8, weight_decay=0.02, nesterov=True)):
        p = torch.tensor([1.0, -2.0, 0.5, 3.0], requires_grad=True)
        opt = torch.optim.SGD([p], **options)
        steps = []
        for t in range(4):
            p.grad = torch.tensor([0.1 * (t + 1), -0.3, 0.7 - 0.2 * t, 0.0])
            opt.step()
            steps.append(p.detach().tolist())
        yield dict(options=options, steps=steps)


print(json.dumps(dict(torch=torch.__version__, samplers=list(samplers()), permutations=list(permutations()),
                      initialisation=list(initialisation()), training=training(), sgd=list(sgd())), indent=1))
