# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from sklearn.ensemble import GradientBoostingClassifier
from samples import data
import csv

x, y = (t.numpy() for t in data().tensors)
m = GradientBoostingClassifier(n_estimators=20, verbose=2).fit(x, y)
w = csv.writer(open("csv_skgb.csv", "w"))
w.writerow(["step", "train loss"])
[w.writerow([i + 1, l]) for i, l in enumerate(m.train_score_)]
