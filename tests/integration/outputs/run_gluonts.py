# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pandas as pd
from gluonts.dataset.pandas import PandasDataset
from gluonts.torch import SimpleFeedForwardEstimator
from lightning.pytorch.callbacks import TQDMProgressBar
from lightning.pytorch.loggers import CSVLogger

t = np.arange(400)
frame = pd.DataFrame({"target": (np.sin(t / 8) + np.random.default_rng(1).normal(0, 0.1, len(t))).astype(np.float32)},
                     index=pd.date_range("2024-01-01", periods=len(t), freq="h"))
SimpleFeedForwardEstimator(prediction_length=12, batch_size=16, num_batches_per_epoch=20,
                           trainer_kwargs={"max_epochs": 4, "accelerator": "cpu", "logger": CSVLogger("csv_gluonts"),
                                           "log_every_n_steps": 1, "callbacks": [TQDMProgressBar()]}).train(PandasDataset(frame, target="target"))
