# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import os

os.environ["TENSORBOARD_LOGGING_DIR"] = "tb_trainer"
import torch
from torch import nn
from transformers import Trainer, TrainingArguments
from samples import data


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))

    def forward(self, x, labels=None):
        o = self.f(x)
        return {"loss": nn.functional.cross_entropy(o, labels), "logits": o}


col = lambda rows: {"x": torch.stack([r[0] for r in rows]), "labels": torch.stack([r[1] for r in rows])}


def acc(p):
    return {"accuracy": float((p.predictions.argmax(1) == p.label_ids).mean())}


a = TrainingArguments(
    "out_trainer",
    num_train_epochs=3,
    per_device_train_batch_size=16,
    logging_steps=5,
    eval_strategy="epoch",
    report_to=["tensorboard"],
    use_cpu=True,
    learning_rate=1e-2,
    remove_unused_columns=False,
)
Trainer(M(), a, data_collator=col, train_dataset=data(), eval_dataset=data(128, seed=1), compute_metrics=acc).train()
