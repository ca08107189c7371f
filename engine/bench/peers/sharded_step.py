# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later

"""Times training steps of a network whose state or layers are divided over the ranks, on CPUs over Gloo.

    torchrun --nproc_per_node 2 sharded_step.py ddp|zero1|fsdp2|fsdp2-reshard|deepspeed1|…|tensor --model gpt2-mini --batch 4

ddp: DistributedDataParallel with AdamW. zero1: the same with ZeroRedundancyOptimizer. fsdp2: fully_shard of every block with
reshard_after_forward=False, which is ZeRO-2 during a step; fsdp2-reshard: with True, which is ZeRO-3. deepspeed1 to 3: DeepSpeed's stages.
tensor: the heads and hidden features of a GPT by torch.distributed.tensor.parallel. Prints one JSON line, of rank 0:
the median time of a step and the largest peak of resident memory of all ranks.
"""

import argparse
import json
import os
import resource
import statistics
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from networks import DEFAULTS, build


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["ddp", "zero1", "fsdp2", "fsdp2-reshard", "deepspeed1", "deepspeed2", "deepspeed3", "tensor"])
    parser.add_argument("--model", default="gpt2-mini")
    parser.add_argument("--sample-shape", help="of one sample, for example 3,32,32 (default: the model's usual)")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=3)
    parser.add_argument("--checkpointing", action="store_true", help="of activations, by block")
    return parser.parse_args()


def blocks_of(model):
    """The parts that are sharded and recomputed by themselves: what repeats."""
    for name in ("transformer.h", "blocks"):
        try:
            return list(model.get_submodule(name))
        except AttributeError:
            pass
    return [block for part in ("layer1", "layer2", "layer3", "layer4") for block in getattr(model, part)]


class LocalAttention(torch.nn.Module):
    """The heads of one rank. Three matrices in place of one: each is divided by heads."""

    def __init__(self, whole, ranks):
        super().__init__()
        for name, weight, bias in zip("qkv", whole.c_attn.weight.chunk(3), whole.c_attn.bias.chunk(3)):
            part = torch.nn.Linear(*reversed(weight.shape))
            with torch.no_grad():
                part.weight.copy_(weight)
                part.bias.copy_(bias)
            self.add_module(name, part)
        self.c_proj = whole.c_proj
        self.heads = whole.heads // ranks

    def forward(self, x):
        batch, tokens, _ = x.shape
        q, k, v = (part(x).view(batch, tokens, self.heads, -1).transpose(1, 2) for part in (self.q, self.k, self.v))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).reshape(batch, tokens, -1))


def divide_layers(model):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    ranks = dist.get_world_size()
    mesh = init_device_mesh("cpu", (ranks,))
    for block in blocks_of(model):
        block.attn = LocalAttention(block.attn, ranks)
        parallelize_module(block, mesh, {**{f"attn.{part}": ColwiseParallel() for part in "qkv"},
                                         "attn.c_proj": RowwiseParallel(),
                                         "mlp.c_fc": ColwiseParallel(), "mlp.c_proj": RowwiseParallel()})


def made(options, model):
    """A function that makes one step with a batch and returns its loss."""
    loss_of = torch.nn.CrossEntropyLoss()
    rate, decay = 1e-4, 0.01
    if options.kind.startswith("deepspeed"):
        import deepspeed

        engine, _, _, _ = deepspeed.initialize(
            model=model, model_parameters=model.parameters(),
            config={"train_micro_batch_size_per_gpu": options.batch,
                    "zero_optimization": {"stage": int(options.kind[-1])},
                    "optimizer": {"type": "AdamW", "params": {"lr": rate, "weight_decay": decay, "torch_adam": True}}})

        def step(inputs, labels):
            loss = loss_of(engine(inputs), labels)
            engine.backward(loss)
            engine.step()
            return loss
        return step
    if options.kind == "tensor":
        divide_layers(model)
        optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay)
    elif options.kind.startswith("fsdp2"):
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh("cpu", (dist.get_world_size(),))
        reshard = options.kind == "fsdp2-reshard"
        for block in blocks_of(model):
            fully_shard(block, mesh=mesh, reshard_after_forward=reshard)
        fully_shard(model, mesh=mesh, reshard_after_forward=reshard)
        optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay)
    else:
        model = DistributedDataParallel(model)
        if options.kind == "zero1":
            from torch.distributed.optim import ZeroRedundancyOptimizer

            optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=rate, weight_decay=decay)
        else:
            optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay)

    def step(inputs, labels):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss
    return step


def checkpoint_blocks(model):
    from torch.utils.checkpoint import checkpoint

    for block in blocks_of(model):
        plain = block.forward
        block.forward = lambda *inputs, plain=plain: checkpoint(plain, *inputs, use_reentrant=False)


def main():
    options = arguments()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    sample, classes, _ = DEFAULTS[options.model]
    if options.sample_shape:
        sample = tuple(int(size) for size in options.sample_shape.split(","))
    model = build(options.model, sample, classes)
    if options.checkpointing:
        checkpoint_blocks(model)
    tokens = len(sample) == 1
    rows = options.batch * (sample[0] if tokens else 1)
    inputs = torch.randint(classes, (options.batch, *sample)) if tokens else torch.rand(options.batch, *sample)
    labels = torch.randint(classes, (rows,))
    step = made(options, model)
    times = []
    for number in range(options.warmup + options.steps):
        begin = time.perf_counter()
        loss = float(step(inputs, labels).detach())
        if number >= options.warmup:
            times.append((time.perf_counter() - begin) * 1000)
    peak = torch.tensor(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    dist.all_reduce(peak, dist.ReduceOp.MAX)
    if dist.get_rank() == 0:
        print(json.dumps({"bench": options.model, "program": f"{options.kind}, torch {torch.__version__}",
                          "world_size": dist.get_world_size(), "batch": options.batch, "step_ms": statistics.median(times),
                          "peak_rss_mb": float(peak), "loss": loss, "checkpointing": options.checkpointing}))
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("ACCELERATE_USE_CPU", "true")
    main()
