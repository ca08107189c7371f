# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
from pykeen.pipeline import pipeline

pipeline(dataset="nations", model="TransE", training_kwargs={"num_epochs": 12, "batch_size": 128}, random_seed=1,
         result_tracker="csv", result_tracker_kwargs={"path": "csv_pykeen.csv"})
