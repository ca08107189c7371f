# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import d3rlpy

import numpy as np

r = np.random.default_rng(0)
obs = r.normal(size=(2000, 4)).astype("float32")
act = r.integers(0, 2, (2000, 1))
rew = r.normal(size=(2000, 1)).astype("float32")
term = np.zeros((2000,))
term[99::100] = 1
ds = d3rlpy.dataset.MDPDataset(obs, act, rew, term, action_space=d3rlpy.ActionSpace.DISCRETE)
d3rlpy.algos.DQNConfig().create(device="cpu:0").fit(
    ds, n_steps=400, n_steps_per_epoch=100, logger_adapter=d3rlpy.logging.FileAdapterFactory(root_dir="csv_d3rlpy")
)
