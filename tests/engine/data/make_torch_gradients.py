#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records one training step of PyTorch in double precision: loss, every parameter's gradient, running statistics. Made
with torch 1.13.1 (Debian 12: python3-torch):
    python3 make_torch_gradients.py > torch_gradients.json

A gradient is kept as its norm and its product with a fixed vector. No ReLU behind a batch norm is near its zero
(networks.open_relus). The last six were added with torch 2.15.0, torchvision 0.29.2 and timm 1.0.31.
"""
import json
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "engine/bench/peers"))
import networks  # noqa: E402

CASES = [("linear", (20,), 1, 32), ("toy", (10,), 5, 20), ("mlp", (1, 28, 28), 10, 16), ("convnet", (1, 28, 28), 10, 16),
         ("paddle-cnn", (3, 32, 32), 10, 8), ("resnet18", (3, 32, 32), 10, 16), ("resnet50", (3, 64, 64), 10, 4),
         ("resnext50_32x4d", (3, 64, 64), 10, 4), ("regnety_002", (3, 64, 64), 10, 4),
         ("densenet121", (3, 64, 64), 10, 4), ("efficientnet_b0", (3, 64, 64), 10, 4),
         ("vit_tiny_patch16_224", (3, 48, 32), 10, 3), ("gpt2-mini", (160,), 64, 2)]


def probe(n):
    """In [−1, 1): the same numbers as in torch_parity_test.cpp."""
    return ((torch.arange(n, dtype=torch.int64) * 2654435761) % 2**32).double() / 2**31 - 1


def measure(values):
    values = values.detach().double().flatten()
    return [values.norm().item(), (values @ probe(len(values))).item()]


def step(name, shape, classes, batch):
    torch.manual_seed(4)
    model = networks.build(name, shape, classes)
    networks.open_relus(model)
    model.double().train()
    generator = torch.Generator().manual_seed(1)
    x = torch.empty(batch, *shape).uniform_(0, 1, generator=generator).double()
    if name in networks.GPTS:
        x = (x.float() * classes).floor()
    outputs = model(x)
    if name in networks.REGRESSIONS:
        loss = F.mse_loss(outputs, torch.empty(batch, classes).uniform_(0, 1, generator=generator).double())
    else:
        loss = F.cross_entropy(outputs, torch.arange(len(outputs)) % classes)
    loss.backward()
    return dict(model=name, shape=shape, classes=classes, batch=batch, seed=4, loss=loss.item(),
                gradients=[measure(p.grad) for p in model.parameters()],
                statistics=[measure(b) for b in model.buffers()])


print(json.dumps(dict(torch=torch.__version__, steps=[step(*case) for case in CASES])))
