#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records PyTorch's normal draws and initial parameters. Made with torch 1.13.1 (Debian 12: python3-torch) on a CPU
with AVX2:
    python3 make_torch_initial.py > torch_initial.json
The last nine models were added with torch 2.15.0, torchvision 0.29.2 and timm 1.0.31; ResNet-18 gave the same numbers.
"""
import hashlib
import json
import pathlib
import sys

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "engine/bench/peers"))
import networks  # noqa: E402


def digest(tensors):
    h = hashlib.sha256()
    for t in tensors:
        h.update(t.detach().numpy().astype("<f4").tobytes())
    return h.hexdigest()


def normals():
    for n, seed, mean, std in [(16, 0, 0.0, 1.0), (40, 7, 0.0, 0.05), (100_003, 42, 1.5, 2.0)]:
        torch.manual_seed(seed)
        t = torch.empty(n).normal_(mean, std)
        yield dict(n=n, seed=seed, mean=mean, std=std, first=t[:4].tolist(), last=t[-4:].tolist(), sha256=digest([t]))


def models():
    for name, shape, seed in [("mlp", (1, 28, 28), 2), ("resnet18", (3, 32, 32), 3), ("resnet34", (3, 32, 32), 0),
                              ("resnet50", (3, 64, 64), 1), ("resnet101", (3, 64, 64), 0), ("resnet152", (3, 64, 64), 5),
                              ("resnext50_32x4d", (3, 64, 64), 0), ("wide_resnet50_2", (3, 64, 64), 1),
                              ("regnetx_002", (3, 64, 64), 2), ("regnety_002", (3, 64, 64), 3),
                              ("densenet121", (3, 64, 64), 4), ("efficientnet_b0", (3, 64, 64), 5),
                              ("vit_tiny_patch16_224", (3, 32, 32), 6), ("gpt2-mini", (48,), 7),
                              ("botnet50", (3, 64, 64), 8)]:
        torch.manual_seed(seed)
        m = networks.build(name, shape, 10)
        state = m.state_dict()
        yield dict(model=name, shape=shape, seed=seed, count=sum(p.numel() for p in m.parameters()),
                   # The inverse error function differs in the last bit from library to library.
                   sha256="" if name.startswith("vit") else digest(m.parameters()), names=[n for n, _ in m.named_parameters()],
                   statistics=[n for n, _ in m.named_buffers()], entries=len(state))


print(json.dumps(dict(torch=torch.__version__, normals=list(normals()), models=list(models())), indent=1))
