# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from catboost import CatBoostClassifier, Pool
from samples import data

x, y = (t.numpy() for t in data().tensors)
vx, vy = (t.numpy() for t in data(128, seed=1).tensors)
CatBoostClassifier(iterations=30, thread_count=1, train_dir="cat_info", loss_function="MultiClass").fit(x, y, eval_set=(vx, vy))
