# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from skorch import NeuralNetClassifier
from skorch.callbacks import EpochScoring
from torch import nn
import json
from samples import data

x, y = (t.numpy() for t in data().tensors)
n = NeuralNetClassifier(
    nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4)),
    criterion=nn.CrossEntropyLoss,
    max_epochs=6,
    lr=0.1,
    batch_size=16,
    callbacks=[EpochScoring("accuracy", lower_is_better=False, on_train=True, name="train_acc")],
)
n.fit(x, y)
import csv

w = csv.writer(open("csv_skorch.csv", "w"))
w.writerow(["step", "train_loss", "valid_loss", "valid_acc", "train_acc"])
for h in n.history:
    w.writerow([h["epoch"], h["train_loss"], h["valid_loss"], h["valid_acc"], h["train_acc"]])
