#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records what torch.utils.data.DistributedSampler deals to every rank. Made with torch 1.13.1 (Debian 12: python3-torch):
    python3 make_sampler_values.py > sampler_values.json
Small sets in full, large ones as a hash of each rank's indices (little-endian int64).
"""
import hashlib
import json

import numpy
from torch.utils.data.distributed import DistributedSampler

# n, world, seed, epoch, drop_last, shuffle
CASES = [
    (12, 3, 0, 0, False, True),  # a multiple
    (12, 3, 0, 1, False, True),  # the next epoch
    (12, 3, 1, 0, False, True),  # seed 1 in epoch 0 is seed 0 in epoch 1
    (13, 4, 0, 0, False, True),  # padded from the head
    (13, 4, 0, 0, True, True),   # the tail cut off
    (13, 4, 5, 2, False, False),
    (13, 4, 5, 2, True, False),
    (15, 4, 9, 7, True, True),
    (1, 1, 0, 0, False, True),
    (1, 4, 0, 0, False, True),   # more ranks than samples
    (3, 8, 11, 2, False, True),
    (3, 8, 11, 2, True, True),   # ... which leaves none
    (5, 16, 0, 4, False, False),
    (7, 7, 3, 0, True, True),
    (64, 5, 2**31, 3, False, True),
    (64, 5, 2**32 + 17, 3, True, True),  # the generator takes 32 bits of the seed
    (10000, 2, 0, 0, False, True),
    (50000, 4, 0, 1, False, True),
    (50000, 3, 42, 9, True, True),
    (50000, 7, 42, 9, False, True),
    (60000, 8, 123, 99, False, True),
    (1281167, 64, 1, 89, False, True),   # ImageNet
]


class Numbers:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


values = []
for n, world, seed, epoch, drop_last, shuffle in CASES:
    case = dict(n=n, world=world, seed=seed, epoch=epoch, drop_last=drop_last, shuffle=shuffle)
    ranks = []
    # Of a large world a few ranks are enough.
    case["ranks"] = list(range(world)) if world <= 16 else [0, 1, world // 2, world - 1]
    for rank in case["ranks"]:
        sampler = DistributedSampler(Numbers(n), world, rank, shuffle, seed, drop_last)
        sampler.set_epoch(epoch)
        ranks.append(list(sampler))
    if n <= 64:
        case["indices"] = ranks
    else:
        case["counts"] = [len(rank) for rank in ranks]
        case["sha256"] = [hashlib.sha256(numpy.array(rank, dtype="<i8").tobytes()).hexdigest() for rank in ranks]
    values.append(case)
print("[\n" + ",\n".join(json.dumps(case) for case in values) + "\n]")
