# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# as pytorch.org's beginner tutorials print
import torch
from torch import nn
from torch.utils.data import DataLoader
from samples import data
from torch.utils.tensorboard import SummaryWriter

w = SummaryWriter("tb_tut")
m = nn.Linear(20, 4)
o = torch.optim.SGD(m.parameters(), 0.1)
n = 0
ld = DataLoader(data(), 16)
for t in range(3):
    print(f"Epoch {t+1}\n-------------------------------")
    for b, (x, y) in enumerate(ld):
        l = nn.functional.cross_entropy(m(x), y)
        l.backward()
        o.step()
        o.zero_grad()
        n += 1
        w.add_scalar("loss", l.item(), n)
        if b % 8 == 0:
            print(f"loss: {l.item():>7f}  [{(b + 1) * len(x):>5d}/{len(ld.dataset):>5d}]")
    x, y = data(128, seed=1).tensors
    p = m(x)
    c = (p.argmax(1) == y).float().mean().item()
    tl = nn.functional.cross_entropy(p, y).item()
    w.add_scalar("acc", c, t)
    w.add_scalar("vl", tl, t)
    print(f"Test Error: \n Accuracy: {(100*c):>0.1f}%, Avg loss: {tl:>8f} \n")
w.close()
