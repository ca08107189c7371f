# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pandas as pd
from fastai.tabular.all import *
from samples import data

x, y = data().tensors
df = pd.DataFrame(x.numpy(), columns=[f"c{i}" for i in range(20)])
df["y"] = y.numpy().astype(str)
dl = TabularDataLoaders.from_df(df, y_names="y", cont_names=[f"c{i}" for i in range(20)], procs=[Normalize, Categorify], bs=16)
tabular_learner(dl, metrics=accuracy, cbs=CSVLogger("csv_fastai.csv")).fit_one_cycle(4, 1e-2)
