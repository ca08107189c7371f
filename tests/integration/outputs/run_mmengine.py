# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from torch.utils.data import DataLoader
from mmengine.model import BaseModel
from mmengine.runner import Runner
from mmengine.evaluator import BaseMetric
from samples import data


class M(BaseModel):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(20, 4)

    def forward(self, x, y, mode):
        o = self.f(x)
        return {"loss": nn.functional.cross_entropy(o, y)} if mode == "loss" else (o, y)


class A(BaseMetric):
    def process(self, b, out):
        self.results.append(((out[0].argmax(1) == out[1]).sum().item(), len(out[1])))

    def compute_metrics(self, r):
        return {"accuracy": 100 * sum(a for a, _ in r) / sum(n for _, n in r)}


Runner(
    model=M(),
    work_dir="mm",
    train_dataloader=DataLoader(data(), 16, shuffle=True),
    val_dataloader=DataLoader(data(128, seed=1), 16),
    train_cfg=dict(by_epoch=True, max_epochs=3, val_interval=1),
    val_cfg=dict(),
    val_evaluator=dict(type=A),
    optim_wrapper=dict(optimizer=dict(type=torch.optim.SGD, lr=0.1)),
    default_hooks=dict(logger=dict(type="LoggerHook", interval=5)),
    visualizer=dict(type="Visualizer", vis_backends=[dict(type="LocalVisBackend")]),
).train()
