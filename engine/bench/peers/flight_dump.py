#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One rank of a small NCCL program that writes its Flight Recorder's entries to OUT/rank_N, as PyTorch would on a time-out."""
import argparse
import os
import pathlib
import time

os.environ.setdefault("TORCH_NCCL_TRACE_BUFFER_SIZE", "2000")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fault", default="healthy", choices=("healthy", "skipped", "shape"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    rank = int(os.environ["RANK"])
    torch.cuda.set_device(0)
    dist.init_process_group("nccl")
    values = torch.ones(1024, device="cuda")
    for number in range(5):
        if number == 3 and args.fault == "skipped" and rank == 1:
            continue
        size = 512 if number == 3 and args.fault == "shape" and rank == 1 else 1024
        dist.all_reduce(values[:size], async_op=True)
    if args.fault == "healthy":
        torch.cuda.synchronize()
    else:
        time.sleep(5)  # the kernels that can start have started
    (args.out / f"rank_{rank}").write_bytes(torch._C._distributed_c10d._dump_nccl_trace())
    # Ranks that disagree never end their collectives: leave without a clean-up that would wait for them.
    deadline = time.monotonic() + 20
    while len(list(args.out.iterdir())) < int(os.environ["WORLD_SIZE"]) and time.monotonic() < deadline:
        time.sleep(0.1)
    os._exit(0)


if __name__ == "__main__":
    main()
