# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rank 1 fails inside @record, as torchrun's documentation asks of scripts; rank 0 waits for it in a collective.
With an argument rank 1 leaves the group and is slow to end: its peer is gone before it."""
import os
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import record


@record
def main():
    dist.init_process_group(backend="gloo")
    dist.barrier()
    if int(os.environ["RANK"]) == 1:
        raise ValueError("the labels of this shard are missing")
    dist.all_reduce(torch.ones(1))


if __name__ == "__main__":
    try:
        main()
    finally:
        if len(sys.argv) > 1 and int(os.environ["RANK"]) == 1:
            dist.destroy_process_group()
            time.sleep(600)
