#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what PyTorch's optimizers, schedules and clipping do. Made with torch 1.13.1 (Debian 12: python3-torch):
    python3 make_torch_optim.py > torch_optim.json
"""
import json
import warnings
import torch
from torch.optim import lr_scheduler

warnings.simplefilter("ignore")
START = [1.0, -2.0, 0.5, 3.0, 0.0]


def gradient(t):
    return [0.1 * (t + 1), -0.3, 0.7 - 0.2 * t, 0.0, 1e-5 * (1 - t)]


def updates():
    cases = [("sgd", torch.optim.SGD, options) for options in (
        dict(lr=0.1, weight_decay=0.01), dict(lr=0.05, momentum=0.9, dampening=0.3, weight_decay=0.02),
        dict(lr=0.05, momentum=0.8, weight_decay=0.02, nesterov=True))]
    cases += [("adam", torch.optim.Adam, options) for options in (
        dict(lr=1e-3), dict(lr=0.01, weight_decay=0.1), dict(lr=0.02, betas=(0.8, 0.95), eps=1e-6))]
    cases += [("adamw", torch.optim.AdamW, options) for options in (
        dict(lr=1e-3), dict(lr=0.01, weight_decay=0.1), dict(lr=0.02, betas=(0.8, 0.95), eps=1e-3, weight_decay=0.0))]
    for name, kind, options in cases:
        p = torch.tensor(START, requires_grad=True)
        opt = kind([p], **options)
        steps = []
        for t in range(6):
            p.grad = torch.tensor(gradient(t))
            opt.step()
            steps.append(p.detach().tolist())
        state = {k: v.tolist() for k, v in opt.state[p].items() if k != "step" and v is not None}
        yield dict(optimizer=name, options={**options, "weight_decay": opt.defaults["weight_decay"]}, steps=steps, state=state)


def clipping():
    for scale, norm in ((1.0, 1.0), (1.0, 100.0), (0.0, 1.0), (1e-4, 0.1)):
        p = torch.zeros(5, requires_grad=True)
        p.grad = torch.tensor(gradient(1)) * scale
        total = torch.nn.utils.clip_grad_norm_([p], norm)
        yield dict(scale=scale, max_norm=norm, total=total.item(), clipped=p.grad.tolist())


def rates(scheduler, opt, count):
    lrs, momenta = [], []
    for _ in range(count):
        group = opt.param_groups[0]
        lrs.append(group["lr"])
        momenta.append(group["betas"][0] if "betas" in group else group["momentum"])
        opt.step()
        scheduler.step()
    return lrs, momenta


def schedules():
    def sgd(lr):
        return torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr, momentum=0.9)

    for options in (dict(), dict(anneal_strategy="linear"), dict(three_phase=True),
                    dict(pct_start=0.2, div_factor=10.0, final_div_factor=100.0, anneal_strategy="linear", three_phase=True),
                    dict(cycle_momentum=False), dict(base_momentum=0.7, max_momentum=0.9)):
        for epochs, steps in ((3, 7), (1, 20)):
            opt = sgd(0.4)
            lrs, momenta = rates(lr_scheduler.OneCycleLR(opt, 0.4, epochs=epochs, steps_per_epoch=steps, **options),
                                 opt, epochs * steps)
            yield dict(kind="one_cycle", options=options, lr=0.4, epochs=epochs, steps_per_epoch=steps, lrs=lrs, momenta=momenta)
    opt = sgd(0.3)
    yield dict(kind="cosine", lr=0.3, epochs=12, eta_min=0.03,
               lrs=rates(lr_scheduler.CosineAnnealingLR(opt, 12, eta_min=0.03), opt, 12)[0])
    opt = sgd(0.3)
    yield dict(kind="steps", lr=0.3, epochs=12, milestones=[3, 4, 9], gamma=0.2,
               lrs=rates(lr_scheduler.MultiStepLR(opt, [3, 4, 9], 0.2), opt, 12)[0])


print(json.dumps(dict(torch=torch.__version__, start=START, updates=list(updates()), clipping=list(clipping()),
                      schedules=list(schedules())), indent=1))
