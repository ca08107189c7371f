# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
from samples import data

x, y = (t.numpy() for t in data().tensors)
vx, vy = (t.numpy() for t in data(128, seed=1).tensors)
m = keras.Sequential([keras.layers.Dense(32, "relu"), keras.layers.Dense(4, "softmax")])
m.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
m.fit(x, y, epochs=5, batch_size=16, validation_data=(vx, vy), verbose=2, callbacks=[keras.callbacks.CSVLogger("csv_keras2.csv")])
