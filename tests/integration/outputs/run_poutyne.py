# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from poutyne import Model, CSVLogger
from torch import nn
from torch.utils.data import DataLoader
from samples import data

m = Model(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4)), "sgd", "cross_entropy", batch_metrics=["accuracy"], device="cpu")
m.fit_generator(DataLoader(data(), 16), DataLoader(data(128, seed=1), 16), epochs=5, callbacks=[CSVLogger("csv_poutyne.csv")])
