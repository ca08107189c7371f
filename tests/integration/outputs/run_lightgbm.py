# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import lightgbm as lgb
import csv
from samples import data

x, y = (t.numpy() for t in data().tensors)
vx, vy = (t.numpy() for t in data(128, seed=1).tensors)
r = {}
d = lgb.Dataset(x, y)
lgb.train(
    {"objective": "multiclass", "num_class": 4, "num_threads": 1, "metric": ["multi_logloss"]},
    d,
    20,
    valid_sets=[d, lgb.Dataset(vx, vy)],
    valid_names=["train", "valid"],
    callbacks=[lgb.log_evaluation(1), lgb.record_evaluation(r)],
)
k = [(a, b) for a in r for b in r[a]]
w = csv.writer(open("csv_lightgbm.csv", "w"))
w.writerow(["step"] + [f"{a}-{b}" for a, b in k])
for i in range(20):
    w.writerow([i + 1] + [r[a][b][i] for a, b in k])
