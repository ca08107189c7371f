# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import deepspeed
import os
from torch import nn
from samples import data

for k, v in dict(RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", MASTER_PORT="29731").items():
    os.environ.setdefault(k, v)
ds = data()
m = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
e, o, d, _ = deepspeed.initialize(
    model=m,
    model_parameters=m.parameters(),
    training_data=ds,
    config={
        "train_batch_size": 16,
        "optimizer": {"type": "SGD", "params": {"lr": 0.1}},
        "steps_per_print": 4,
        "zero_optimization": {"stage": 0},
        "tensorboard": {"enabled": True, "output_path": "tb_ds", "job_name": "x"},
    },
    dist_init_required=True,
)
truth = open("truth.csv", "w")
print("step,loss", file=truth)
for ep in range(2):
    for x, y in d:
        l = nn.functional.cross_entropy(e(x), y)
        e.backward(l)
        e.step()
        if e.global_steps % 4 == 0:
            print(f"step: {e.global_steps} loss: {l.item():.4f}", flush=True)
            print(f"{e.global_steps},{l.item()}", file=truth, flush=True)
