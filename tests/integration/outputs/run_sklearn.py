# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from sklearn.neural_network import MLPClassifier
from samples import data
import csv

x, y = (t.numpy() for t in data().tensors)
m = MLPClassifier((32,), max_iter=20, verbose=True).fit(x, y)
w = csv.writer(open("csv_sklearn.csv", "w"))
w.writerow(["step", "loss"])
[w.writerow([i + 1, l]) for i, l in enumerate(m.loss_curve_)]
