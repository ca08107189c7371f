# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import lightning as L
from torch import nn
from torch.utils.data import DataLoader
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.callbacks import RichProgressBar
from samples import data


class M(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))

    def training_step(self, b, i):
        l = nn.functional.cross_entropy(self.f(b[0]), b[1])
        self.log("train_loss", l, prog_bar=True)
        return l

    def validation_step(self, b, i):
        o = self.f(b[0])
        self.log("val_loss", nn.functional.cross_entropy(o, b[1]), prog_bar=True)
        self.log("val_acc", (o.argmax(1) == b[1]).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)


L.Trainer(max_epochs=4, accelerator="cpu", logger=CSVLogger("csv_lightrich"), log_every_n_steps=4, callbacks=[RichProgressBar()]).fit(
    M(), DataLoader(data(), 16), DataLoader(data(128, seed=1), 16)
)
