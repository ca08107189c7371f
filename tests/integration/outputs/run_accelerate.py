# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from torch.utils.data import DataLoader
from accelerate import Accelerator
from tqdm.auto import tqdm
from samples import data

a = Accelerator(log_with="tensorboard", project_dir="tb_accelerate", cpu=True)
a.init_trackers("run")
m = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
o = torch.optim.SGD(m.parameters(), 0.1)
m, o, d = a.prepare(m, o, DataLoader(data(), 16))
step = 0
bar = tqdm(range(3 * len(d)), disable=not a.is_local_main_process)
for ep in range(3):
    for x, y in d:
        l = nn.functional.cross_entropy(m(x), y)
        a.backward(l)
        o.step()
        o.zero_grad()
        step += 1
        bar.update(1)
        bar.set_postfix(loss=l.item(), lr=0.1)
        a.log({"loss": l.item()}, step=step)
    with torch.no_grad():
        acc = (m(d.dataset.tensors[0]).argmax(1) == d.dataset.tensors[1]).float().mean().item()
    a.print(f"epoch {ep}:", {"accuracy": acc})
    a.log({"accuracy": acc}, step=ep)
a.end_training()
