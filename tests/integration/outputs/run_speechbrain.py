# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import speechbrain as sb
from torch.utils.data import DataLoader
from samples import data


class B(sb.Brain):
    def compute_forward(self, b, stage):
        return self.modules.m(b[0])

    def compute_objectives(self, p, b, stage):
        return torch.nn.functional.cross_entropy(p, b[1])

    def on_stage_end(self, stage, loss, epoch=None):
        if stage == sb.Stage.TRAIN:
            self.tl = loss
        if stage == sb.Stage.VALID:
            self.hparams.log.log_stats(stats_meta={"epoch": epoch, "lr": 0.1}, train_stats={"loss": self.tl}, valid_stats={"loss": loss})


from speechbrain.utils.train_logger import FileTrainLogger
import logging
import sys

logging.basicConfig(stream=sys.stdout, level=logging.INFO)
b = B(
    {"m": torch.nn.Linear(20, 4)},
    lambda p: torch.optim.SGD(p, 0.1),
    hparams={"log": FileTrainLogger("sb_log.txt")},
    run_opts={"device": "cpu"},
)
b.fit(range(1, 5), DataLoader(data(), 16), DataLoader(data(128, seed=1), 16))
