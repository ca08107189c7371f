# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""MNIST and CIFAR-10 as tensors, read from the files that rankscope-worker reads, with the same normalisation."""
import gzip
import lzma

import numpy as np
import torch

CIFAR_MEAN, CIFAR_STD = (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)


def opened(file):
    """The file itself, or one of the packed ones beside it."""
    for ending, open_packed in ((".gz", gzip.open), (".xz", lzma.open)):
        packed = file.with_name(file.name + ending)
        if not file.exists() and packed.exists():
            return open_packed(packed)
    return open(file, "rb")


def idx(file, header):
    with opened(file) as data:
        return np.frombuffer(data.read(), np.uint8, offset=header)


def mnist(folder, train=True):
    name = "train" if train else "t10k"
    pixels = idx(folder / f"{name}-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
    labels = idx(folder / f"{name}-labels-idx1-ubyte", 8)
    return torch.from_numpy(pixels.astype(np.float32) / 255), torch.from_numpy(labels.astype(np.int64))


def cifar10(folder, train=True):
    """Training: the batches that are there, in order."""
    names = [f"data_batch_{i}.bin" for i in range(1, 6)] if train else ["test_batch.bin"]
    parts = []
    for name in names:
        if list(folder.glob(name + "*")):
            with opened(folder / name) as data:
                parts.append(np.frombuffer(data.read(), np.uint8).reshape(-1, 3073))
    records = np.concatenate(parts)
    mean, std = (np.array(values, np.float32).reshape(3, 1, 1) for values in (CIFAR_MEAN, CIFAR_STD))
    pixels = (records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255 - mean) / std
    return torch.from_numpy(pixels), torch.from_numpy(records[:, 0].astype(np.int64))
