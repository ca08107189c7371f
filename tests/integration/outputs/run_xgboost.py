# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import xgboost as xgb
import csv
from samples import data

x, y = (t.numpy() for t in data().tensors)
vx, vy = (t.numpy() for t in data(128, seed=1).tensors)
r = {}
xgb.train(
    {"objective": "multi:softprob", "num_class": 4, "eval_metric": ["mlogloss", "merror"], "nthread": 1},
    xgb.DMatrix(x, y),
    20,
    evals=[(xgb.DMatrix(x, y), "train"), (xgb.DMatrix(vx, vy), "eval")],
    evals_result=r,
)
k = [(a, b) for a in r for b in r[a]]
w = csv.writer(open("csv_xgboost.csv", "w"))
w.writerow(["step"] + [f"{a}-{b}" for a, b in k])
for i in range(20):
    w.writerow([i] + [r[a][b][i] for a, b in k])
