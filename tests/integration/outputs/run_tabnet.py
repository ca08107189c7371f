# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from pytorch_tabnet.tab_model import TabNetClassifier
from samples import data
import csv

x, y = (t.numpy() for t in data().tensors)
vx, vy = (t.numpy() for t in data(128, seed=1).tensors)
m = TabNetClassifier(verbose=1, device_name="cpu")
m.fit(
    x,
    y,
    eval_set=[(x, y), (vx, vy)],
    eval_name=["train", "valid"],
    eval_metric=["accuracy"],
    max_epochs=6,
    batch_size=64,
    virtual_batch_size=32,
)
h = m.history
w = csv.writer(open("csv_tabnet.csv", "w"))
w.writerow(["step", "loss", "train_accuracy", "valid_accuracy"])
for i in range(len(h["loss"])):
    w.writerow([i, h["loss"][i], h["train_accuracy"][i], h["valid_accuracy"][i]])
