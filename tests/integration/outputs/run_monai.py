# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import logging
import sys
from torch import nn
from torch.utils.data import DataLoader

logging.basicConfig(stream=sys.stdout, level=logging.INFO)
from monai.engines import SupervisedTrainer, SupervisedEvaluator
from monai.handlers import StatsHandler, TensorBoardStatsHandler, ValidationHandler
from ignite.metrics import Accuracy
from samples import data

m = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
col = lambda rows: {"image": torch.stack([r[0] for r in rows]), "label": torch.stack([r[1] for r in rows])}
ev = SupervisedEvaluator(
    device=torch.device("cpu"),
    val_data_loader=DataLoader(data(128, seed=1), 16, collate_fn=col),
    network=m,
    key_val_metric={
        "val_acc": Accuracy(output_transform=lambda o: (torch.stack([i["pred"] for i in o]), torch.as_tensor([int(i["label"]) for i in o])))
    },
    val_handlers=[
        StatsHandler(name="train_log", output_transform=lambda x: None),
        TensorBoardStatsHandler(log_dir="tb_monai", output_transform=lambda x: None),
    ],
)
tr = SupervisedTrainer(
    device=torch.device("cpu"),
    max_epochs=3,
    train_data_loader=DataLoader(data(), 16, collate_fn=col),
    network=m,
    optimizer=torch.optim.SGD(m.parameters(), 0.1),
    loss_function=nn.CrossEntropyLoss(),
    train_handlers=[
        ValidationHandler(1, ev),
        StatsHandler(name="train_log", tag_name="train_loss", output_transform=lambda x: x[0]["loss"]),
        TensorBoardStatsHandler(log_dir="tb_monai", tag_name="train_loss", output_transform=lambda x: x[0]["loss"]),
    ],
)
tr.run()
