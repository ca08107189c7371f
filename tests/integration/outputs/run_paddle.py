# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import paddle
import csv
from samples import data

x, y = (t.numpy() for t in data().tensors)
ds = paddle.io.TensorDataset([paddle.to_tensor(x), paddle.to_tensor(y.reshape(-1, 1))])
net = paddle.nn.Sequential(paddle.nn.Linear(20, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 4))
m = paddle.Model(net)
m.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.CrossEntropyLoss(), paddle.metric.Accuracy())


class C(paddle.callbacks.Callback):
    n = 0
    f = open("csv_paddle.csv", "w")

    def on_train_begin(self, l=None):
        self.f.write("step,loss,acc\n")

    def on_train_batch_end(self, step, logs=None):
        self.n += 1
        self.f.write(f"{self.n},{float(logs['loss'][0])},{float(logs['acc'])}\n")
        self.f.flush()


m.fit(ds, epochs=3, batch_size=16, verbose=2, log_freq=8, callbacks=[C()])
