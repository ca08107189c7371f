# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts here share: MNIST from IDX files where $MNIST names a folder, else digits that numbers alone make; the ConvNet."""
import gzip
import os
import struct

import torch
import torch.nn as nn
from torch.utils.data import TensorDataset


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 32, kernel_size=5, stride=1, padding=1)
        self.maxpool1 = nn.MaxPool2d(kernel_size=2, stride=2)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, stride=1)
        self.maxpool2 = nn.MaxPool2d(kernel_size=2, stride=1)
        self.conv3 = nn.Conv2d(64, 128, kernel_size=3, stride=1)
        self.maxpool3 = nn.MaxPool2d(kernel_size=2, stride=2)
        self.fc1 = nn.Linear(128 * 4 * 4, 10)

    def forward(self, x):
        x = self.maxpool1(self.relu(self.conv1(x)))
        x = self.maxpool2(self.relu(self.conv2(x)))
        x = self.maxpool3(self.relu(self.conv3(x)))
        return self.fc1(x.view(-1, 128 * 4 * 4))


def _idx(path):
    data = gzip.open(path).read()
    dimensions = data[3]
    shape = struct.unpack(f">{dimensions}I", data[4:4 + 4 * dimensions])
    return torch.frombuffer(bytearray(data[4 + 4 * dimensions:]), dtype=torch.uint8).reshape(shape)


def train_set(count):
    root = os.environ.get("MNIST", "")
    if root:
        images = _idx(os.path.join(root, "train-images-idx3-ubyte.gz"))[:count].float() / 255
        labels = _idx(os.path.join(root, "train-labels-idx1-ubyte.gz"))[:count].long()
    else:
        generator = torch.Generator().manual_seed(0)
        labels = torch.randint(0, 10, (count,), generator=generator)
        shapes = torch.rand(10, 28, 28, generator=generator)
        images = (shapes[labels] + 0.3 * torch.rand(count, 28, 28, generator=generator)) / 1.3
    return TensorDataset(((images - 0.1307) / 0.3081).unsqueeze(1), labels)
