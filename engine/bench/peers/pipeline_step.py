# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Times training steps of a pipeline on CPUs over Gloo, with PyTorch's torch.distributed.pipelining: a stage for each rank.

    torchrun --nproc_per_node 2 pipeline_step.py 1f1b|gpipe --model resnet50 --sample-shape 3,64,64 --batch 32 --micro-batches 8

A ResNet is cut between two of its blocks, where `rankscopectl plan` says that the engine cuts it: --cuts layer3.1. Prints one JSON line,
of rank 0: the median time of a step, and the largest peak of resident memory of all ranks.
"""

import argparse
import json
import resource
import statistics
import time

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

from networks import DEFAULTS, build


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("schedule", choices=["1f1b", "gpipe"])
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--sample-shape", default="3,64,64")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--micro-batches", type=int, default=8)
    parser.add_argument("--cuts", default="layer3.1", help="first blocks of the stages behind the first one, by commas")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warmup", type=int, default=2)
    return parser.parse_args()


def parts_of(model, cuts):
    """The network as a sequence, divided before each of these blocks."""
    parts, part = [], torch.nn.Sequential()
    for name, module in model.named_children():
        blocks = module.named_children() if name.startswith("layer") else [("", module)]
        for number, block in blocks:
            place = f"{name}.{number}" if number else name
            if place in cuts:
                parts.append(part)
                part = torch.nn.Sequential()
            if name == "fc":
                part.append(torch.nn.Flatten(1))
            part.append(block)
    return parts + [part]


def main():
    options = arguments()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, stages = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    sample = tuple(int(size) for size in options.sample_shape.split(","))
    classes = DEFAULTS[options.model][1]
    part = parts_of(build(options.model, sample, classes), options.cuts.split(","))[rank]
    stage = PipelineStage(part, rank, stages, torch.device("cpu"))
    kinds = {"1f1b": Schedule1F1B, "gpipe": ScheduleGPipe}
    schedule = kinds[options.schedule](stage, options.micro_batches, loss_fn=torch.nn.CrossEntropyLoss())
    optimizer = torch.optim.SGD(part.parameters(), lr=0.01, momentum=0.9)
    inputs = torch.rand(options.batch, *sample)
    labels = torch.randint(classes, (options.batch,))
    times = []
    for number in range(options.warmup + options.steps):
        dist.barrier()
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        losses = []
        if rank == 0:
            schedule.step(inputs)
        elif rank + 1 == stages:
            schedule.step(target=labels, losses=losses)
        else:
            schedule.step()
        optimizer.step()
        if number >= options.warmup:
            times.append((time.perf_counter() - begin) * 1000)
    figures = torch.tensor([statistics.median(times), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024])
    dist.all_reduce(figures, dist.ReduceOp.MAX)
    if rank == 0:
        print(json.dumps({"bench": options.model, "program": f"{options.schedule}, torch {torch.__version__}", "stages": stages,
                          "batch": options.batch, "micro_batches": options.micro_batches, "step_ms": float(figures[0]),
                          "peak_rss_mb": float(figures[1])}))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
