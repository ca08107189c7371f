# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from stable_baselines3 import PPO
from stable_baselines3.common.logger import configure

m = PPO("MlpPolicy", "CartPole-v1", verbose=1, n_steps=256, device="cpu", seed=1)
m.set_logger(configure("csv_sb3", ["stdout", "csv"]))
m.learn(3000)
