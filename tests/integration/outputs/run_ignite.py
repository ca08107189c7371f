# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch import nn
from torch.utils.data import DataLoader
from ignite.engine import Events, create_supervised_trainer, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss, RunningAverage
from ignite.contrib.handlers import ProgressBar
from ignite.handlers.tensorboard_logger import TensorboardLogger
from samples import data

m = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 4))
c = nn.CrossEntropyLoss()
o = torch.optim.SGD(m.parameters(), 0.1)
t = create_supervised_trainer(m, o, c)
RunningAverage(output_transform=lambda x: x).attach(t, "loss")
e = create_supervised_evaluator(m, metrics={"accuracy": Accuracy(), "nll": Loss(c)})
ProgressBar().attach(t, ["loss"])
tb = TensorboardLogger(log_dir="tb_ignite")
tb.attach_output_handler(t, Events.ITERATION_COMPLETED, tag="training", metric_names=["loss"])


@t.on(Events.EPOCH_COMPLETED)
def v(en):
    e.run(DataLoader(data(128, seed=1), 16))
    q = e.state.metrics
    print(f"Validation Results - Epoch: {en.state.epoch}  Avg accuracy: {q['accuracy']:.2f} Avg loss: {q['nll']:.2f}")


t.run(DataLoader(data(), 16), max_epochs=3)
tb.close()
