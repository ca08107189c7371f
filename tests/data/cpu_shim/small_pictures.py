# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data sets of a few drawn pictures; a module of its own, so that data loaders can send them to their processes."""
import torch
from PIL import Image


class Pictures(torch.utils.data.Dataset):
    """Takes the arguments of torchvision's data sets."""
    count, size = 4000, (32, 32, 3)

    def __init__(self, *_, transform=None, **__):
        self.transform = transform
        self.pictures = torch.randint(0, 255, (16, *self.size), dtype=torch.uint8, generator=torch.Generator().manual_seed(1)).numpy()

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        picture = Image.fromarray(self.pictures[index % 10])
        return self.transform(picture) if self.transform else picture, index % 10


class Digits(Pictures):
    count, size = 20000, (28, 28)
