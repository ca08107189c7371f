# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer of `rankscope-worker bench`: PyTorch's training step, timed. One JSON line on standard output (rank 0).

The same work as there: batches lie ready in memory (four, in turn), every step is forward, loss, backward, update, and
with --read each the loss and the number of right answers are read back, as a training loop that prints them does. RANK,
WORLD_SIZE, MASTER_ADDR and MASTER_PORT make it a rank of DistributedDataParallel (gloo on the CPU, nccl on a GPU).

Runs with torch 1.13 (Debian's) and newer ones; what a version does not have ends with exit code 2 and a sentence.
"""
import argparse
import contextlib
import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.nn as nn

import networks

MODES = ("eager", "channels_last", "compile", "compile_channels_last", "whole_step_channels_last")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="convnet", choices=sorted(networks.DEFAULTS))
    parser.add_argument("--batch", type=int, help="per rank")
    parser.add_argument("--steps", type=int, default=50, help="timed steps")
    parser.add_argument("--warmup", type=int, default=5, help="steps before them")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--mode", default="eager", choices=MODES)
    parser.add_argument("--compile-mode", default="default", help="torch.compile's mode: reduce-overhead on a GPU "
                        "means CUDA graphs")
    parser.add_argument("--precision", default="fp32", choices=("fp32", "tf32", "bf16", "fp16"))
    parser.add_argument("--optimizer", default="default", choices=("default", "foreach", "fused"),
                        help="torch's implementation of SGD")
    parser.add_argument("--read", default="each", choices=("each", "none"))
    parser.add_argument("--profile", action="store_true", help="afterwards, the time of the GPU's kernels in a step, which no CPU distorts")
    parser.add_argument("--bucket-view", action="store_true", help="DDP with gradient_as_bucket_view")
    parser.add_argument("--no-sync", action="store_true", help="also time steps without communication, in alternating "
                        "blocks of five, and report the exposed share")
    args = parser.parse_args()
    args.batch = args.batch or networks.DEFAULTS[args.model][2]
    return args


def refuse(sentence):
    print("train_step.py: " + sentence, file=sys.stderr)
    sys.exit(2)


def peak_rss_mb():
    # Not getrusage: its peak survives exec, so a large parent would be counted.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def sgd(args, model):
    """The tutorials' optimizers: plain for the small networks, with momentum for the ResNets."""
    how = {} if args.optimizer == "default" else {args.optimizer: True}
    if "resne" in args.model:
        how.update(lr=0.01, momentum=0.9, weight_decay=1e-4, nesterov=True)
    else:
        how.update(lr=1e-3)
    try:
        return torch.optim.SGD(model.parameters(), **how)
    except TypeError:
        refuse(f"torch {torch.__version__} has no {args.optimizer} SGD")


def ready_batches(args, device, shape, classes):
    for _ in range(min(4, 1 + args.warmup + args.steps)):
        if args.model in networks.GPTS:
            yield (torch.randint(0, classes, (args.batch, *shape), device=device),
                   torch.randint(0, classes, (args.batch * shape[0],), device=device))
            continue
        x = torch.rand(args.batch, *shape)
        y = torch.rand(args.batch, classes) if args.model in networks.REGRESSIONS else torch.randint(0, classes, (args.batch,))
        x, y = x.to(device), y.to(device)
        if args.mode.endswith("channels_last") and x.dim() == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        yield x, y


class Step:
    """One training step, as the arguments configure it."""

    def __init__(self, args, device, distributed):
        shape, classes, _ = networks.DEFAULTS[args.model]
        self.args, self.device = args, device
        model = networks.build(args.model, shape, classes).to(device)
        if args.mode.endswith("channels_last"):
            model = model.to(memory_format=torch.channels_last)
        self.parameters = sum(p.numel() for p in model.parameters())
        self.ddp = None
        net = model
        if distributed:
            net = self.ddp = nn.parallel.DistributedDataParallel(
                model, device_ids=[device.index] if device.type == "cuda" else None,
                gradient_as_bucket_view=args.bucket_view)
        self.loss_of = nn.MSELoss() if args.model in networks.REGRESSIONS else nn.CrossEntropyLoss()
        mode = None if args.compile_mode == "default" else args.compile_mode
        if args.mode.startswith(("compile", "whole_step")) and not hasattr(torch, "compile"):
            refuse(f"torch {torch.__version__} has no torch.compile")
        if args.mode.startswith("compile"):
            net = torch.compile(net, mode=mode)
            self.loss_of = torch.compile(self.loss_of, mode=mode)
        self.net = net
        self.optimizer = sgd(args, model)
        self.scaler = None
        if args.precision == "fp16":
            self.scaler = torch.amp.GradScaler("cuda") if hasattr(torch.amp, "GradScaler") else torch.cuda.amp.GradScaler()
        self.batches = list(ready_batches(args, device, shape, classes))
        self.number = 0
        self.recorded = []
        if args.mode.startswith("whole_step"):
            if distributed or self.scaler or args.read != "none":
                refuse("whole_step is for one rank, without fp16, with --read none")
            self.whole = torch.compile(self.loss, mode=mode)
            if device.type == "cuda":
                self.record()

    def loss(self, x, y):
        """Network and loss as one function: what torch.compile sees at once."""
        half = {"bf16": torch.bfloat16}.get(self.args.precision)
        with torch.autocast(self.device.type, dtype=half) if half else contextlib.nullcontext():
            return self.loss_of(self.net(x), y)

    def whole_step(self, x, y):
        self.optimizer.zero_grad(set_to_none=True)
        self.whole(x, y).backward()
        self.optimizer.step()

    def record(self):
        """The whole step, update included, as one CUDA graph for each of the batches: nothing is copied, the CPU starts one graph a step."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for number in range(4):
                self.whole_step(*self.batches[number % len(self.batches)])
        torch.cuda.current_stream().wait_stream(stream)
        pool = torch.cuda.graph_pool_handle()
        for x, y in self.batches:
            graph = torch.cuda.CUDAGraph()
            self.optimizer.zero_grad(set_to_none=True)
            with torch.cuda.graph(graph, pool=pool):
                self.whole_step(x, y)
            self.recorded.append(graph)

    def __call__(self):
        x, y = self.batches[self.number % len(self.batches)]
        self.number += 1
        if self.recorded:
            self.recorded[(self.number - 1) % len(self.recorded)].replay()
            return
        if self.args.mode.startswith("whole_step"):
            self.whole_step(x, y)
            return
        half = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.args.precision)
        with torch.autocast(self.device.type, dtype=half) if half else contextlib.nullcontext():
            outputs = self.net(x)
            loss = self.loss_of(outputs, y)
        self.optimizer.zero_grad(set_to_none=True)
        if self.scaler:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            loss.backward()
            self.optimizer.step()
        if self.args.read == "each":
            self.loss = loss.item()
            if self.args.model not in networks.REGRESSIONS:
                self.correct = (outputs.argmax(1) == y).sum().item()


class Clock:
    """Wall and CPU milliseconds of steps; on a GPU whose results are not read, the time between events on its stream."""

    def __init__(self, args):
        self.events = [] if args.device == "cuda" and args.read == "none" else None
        self.wall, self.cpu = [], []

    def time(self, step):
        if self.events is not None:
            pair = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            pair[0].record()
        cpu, begin = time.process_time(), time.perf_counter()
        step()
        self.wall.append((time.perf_counter() - begin) * 1e3)
        self.cpu.append((time.process_time() - cpu) * 1e3)
        if self.events is not None:
            pair[1].record()
            self.events.append(pair)

    def finish(self):
        if self.events is not None:
            torch.cuda.synchronize()
            self.wall = [begin.elapsed_time(end) for begin, end in self.events]


def kernel_ms(step, steps=20):
    """Of one step on the GPU: its kernels' time (what runs at once counts once), their sum, and how many there are."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(steps):
            step()
        torch.cuda.synchronize()
    spans = sorted((event.time_range.start, event.time_range.end) for event in profiler.events()
                   if event.device_type == torch.autograd.DeviceType.CUDA)
    busy, until = 0.0, float("-inf")
    for begin, end in spans:
        busy += max(0.0, end - max(begin, until))
        until = max(until, end)
    return {"busy_ms": busy / steps / 1e3, "sum_ms": sum(end - begin for begin, end in spans) / steps / 1e3, "kernels": len(spans) / steps}


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def main():
    args = arguments()
    torch.set_num_threads(args.threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(0)
    world, rank = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("RANK", "0"))
    if args.device == "cuda":
        if not torch.cuda.is_available():
            refuse("no CUDA device")
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = args.precision != "fp32"
        device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count())
        torch.cuda.set_device(device)
    elif args.precision in ("tf32", "fp16"):
        refuse(f"precision {args.precision} needs --device cuda")
    else:
        device = torch.device("cpu")
    # A process group only where there are ranks: alone, the peer too trains without DDP.
    distributed = world > 1
    if distributed:
        dist.init_process_group("nccl" if args.device == "cuda" else "gloo")
    step = Step(args, device, distributed)
    step()
    if args.device == "cuda":
        torch.cuda.synchronize()
    first_step_at = time.time()
    for _ in range(args.warmup):
        step()

    synced, alone = Clock(args), Clock(args)
    if distributed:
        dist.barrier()
    begin = time.perf_counter()
    for number in range(args.steps):
        synced.time(step)
        if args.no_sync and distributed and number % 5 == 4:
            for _ in range(5):
                with step.ddp.no_sync():
                    alone.time(step)
    synced.finish()
    alone.finish()
    elapsed = time.perf_counter() - begin

    mine = {"rank": rank, "step_ms": statistics.median(synced.wall), "p99_ms": percentile(synced.wall, 0.99),
            "cpu_ms": statistics.median(synced.cpu), "cpu_ms_mean": statistics.fmean(synced.cpu),
            "peak_rss_mb": peak_rss_mb(), "first_step_at": first_step_at}
    if alone.wall:
        mine["no_sync_step_ms"] = statistics.median(alone.wall)
        mine["no_sync_cpu_ms"] = statistics.median(alone.cpu)
    if args.device == "cuda":
        mine["peak_device_mb"] = torch.cuda.max_memory_reserved() / 2**20
    ranks = [mine]
    if distributed:
        ranks = [None] * world
        dist.all_gather_object(ranks, mine)
    if rank == 0:
        step_ms = statistics.median(r["step_ms"] for r in ranks)
        line = {"bench": args.model, "program": "torch " + torch.__version__, "device": args.device, "mode": args.mode,
                "compile_mode": args.compile_mode, "precision": args.precision, "world_size": world,
                "threads": args.threads, "batch": args.batch, "steps": args.steps, "warmup": args.warmup,
                "read": args.read, "parameters": step.parameters, "images_per_s": world * args.batch * 1e3 / step_ms,
                "step_ms": {"median": step_ms, "p99": max(r["p99_ms"] for r in ranks)},
                "cpu_s_per_step": sum(r["cpu_ms"] for r in ranks) / 1e3,
                "peak_rss_mb": max(r["peak_rss_mb"] for r in ranks),
                "first_step_at": max(r["first_step_at"] for r in ranks), "ranks": ranks}
        if not (args.no_sync and distributed):
            line["images_per_s_mean"] = world * args.batch * args.steps / elapsed
        if alone.wall:
            bare = statistics.median(r["no_sync_step_ms"] for r in ranks)
            bare_cpu = sum(r["no_sync_cpu_ms"] for r in ranks) / 1e3
            line["exposed_communication"] = 1 - bare / step_ms
            line["communication_cpu"] = 1 - bare_cpu / line["cpu_s_per_step"]
        line["step_ms"]["mean"] = statistics.fmean(synced.wall)
        if args.profile and args.device == "cuda":
            line["on_gpu"] = kernel_ms(step)
        print(json.dumps(line), flush=True)
    if distributed:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
