#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The speed of copying memory and of an 8192³ product in bf16, as one JSON line. On a CPU both are small: only the program is tried."""
import argparse
import json
import statistics
import time

import torch


def median_s(work, device, times=11):
    taken = []
    for number in range(times + 3):
        if device == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            work()
            end.record()
            torch.cuda.synchronize()
            seconds = begin.elapsed_time(end) / 1e3
        else:
            start = time.perf_counter()
            work()
            seconds = time.perf_counter() - start
        if number >= 3:  # clocks rise and caches fill in the first
            taken.append(seconds)
    return statistics.median(taken)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    device = parser.parse_args().device
    on_gpu = device == "cuda"
    numbers, side = (2**30, 8192) if on_gpu else (2**20, 256)
    begin, end = torch.rand(numbers, device=device), torch.empty(numbers, device=device)
    copy_s = median_s(lambda: end.copy_(begin), device)
    del begin, end
    kind = torch.bfloat16 if on_gpu else torch.float32
    a, b = (torch.randn(side, side, device=device).to(kind) for _ in range(2))
    product_s = median_s(lambda: a @ b, device)
    print(json.dumps({"copy_gb_s": 2 * 4 * numbers / copy_s / 1e9, "product_tflops": 2 * side**3 / product_s / 1e12,
                      "product_side": side, "product_type": str(kind), "torch": torch.__version__}))


if __name__ == "__main__":
    main()
