#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ResNet-18's training step in JAX, compiled as a whole by XLA: the same network, optimizer and batches as train_step.py.

bf16 in convolutions and activations, fp32 weights and batch statistics, NHWC. One JSON line on standard output."""
import argparse
import json
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np

DEPTHS = (2, 2, 2, 2)
BLOCK = 8  # steps between two looks at the clock: XLA's launches wait for nothing meanwhile


def kaiming(random, height, width, inputs, outputs):
    return jnp.asarray(random.normal(0, (2 / (outputs * height * width)) ** 0.5, (height, width, inputs, outputs)), jnp.float32)


def norm(channels):
    return {"scale": jnp.ones(channels), "bias": jnp.zeros(channels)}


def statistics_of(channels):
    return {"mean": jnp.zeros(channels), "var": jnp.ones(channels)}


def build(classes=10):
    random = np.random.default_rng(0)
    weights, running = {"conv1": kaiming(random, 7, 7, 3, 64), "bn1": norm(64)}, {"bn1": statistics_of(64)}
    inputs = 64
    for stage, depth in enumerate(DEPTHS):
        width = 64 << stage
        for number in range(depth):
            name = f"layer{stage}.{number}"
            stride = 2 if stage > 0 and number == 0 else 1
            block = {"conv1": kaiming(random, 3, 3, inputs, width), "bn1": norm(width), "conv2": kaiming(random, 3, 3, width, width),
                     "bn2": norm(width)}
            kept = {"bn1": statistics_of(width), "bn2": statistics_of(width)}
            if stride != 1 or inputs != width:
                block.update(down=kaiming(random, 1, 1, inputs, width), down_bn=norm(width))
                kept["down_bn"] = statistics_of(width)
            weights[name], running[name], inputs = block, kept, width
    weights["fc"] = {"w": jnp.asarray(random.uniform(-1, 1, (512, classes)) / 512**0.5, jnp.float32), "b": jnp.zeros(classes)}
    return weights, running


def convolve(x, kernel, stride=1):
    pad = kernel.shape[0] // 2
    return jax.lax.conv_general_dilated(x, kernel.astype(x.dtype), (stride, stride), [(pad, pad)] * 2,
                                        dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_norm(x, parameters, running):
    wide = x.astype(jnp.float32)
    mean, square = wide.mean((0, 1, 2)), (wide * wide).mean((0, 1, 2))
    var = square - mean * mean
    scale = parameters["scale"] * jax.lax.rsqrt(var + 1e-5)
    count = x.size // x.shape[-1]
    kept = {"mean": 0.9 * running["mean"] + 0.1 * mean, "var": 0.9 * running["var"] + 0.1 * var * count / max(1, count - 1)}
    return ((wide - mean) * scale + parameters["bias"]).astype(x.dtype), jax.lax.stop_gradient(kept)


def loss_of(weights, running, x, y):
    kept = {}
    x, kept["bn1"] = batch_norm(convolve(x, weights["conv1"], 2), weights["bn1"], running["bn1"])
    x = jax.lax.reduce_window(jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1),
                              ((0, 0), (1, 1), (1, 1), (0, 0)))
    for stage, depth in enumerate(DEPTHS):
        for number in range(depth):
            name = f"layer{stage}.{number}"
            block, of_block, new = weights[name], running[name], {}
            stride = 2 if stage > 0 and number == 0 else 1
            out, new["bn1"] = batch_norm(convolve(x, block["conv1"], stride), block["bn1"], of_block["bn1"])
            out, new["bn2"] = batch_norm(convolve(jax.nn.relu(out), block["conv2"]), block["bn2"], of_block["bn2"])
            if "down" in block:
                x, new["down_bn"] = batch_norm(convolve(x, block["down"], stride), block["down_bn"], of_block["down_bn"])
            x = jax.nn.relu(out + x)
            kept[name] = new
    x = x.mean((1, 2)).astype(jnp.float32) @ weights["fc"]["w"] + weights["fc"]["b"]
    return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean(), kept


def train(state, x, y):
    """SGD with Nesterov momentum and decay, as torch computes them."""
    weights, momentum, running = state
    (loss, running), gradients = jax.value_and_grad(loss_of, has_aux=True)(weights, running, x, y)
    gradients = jax.tree.map(lambda g, w: g + 1e-4 * w, gradients, weights)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    weights = jax.tree.map(lambda w, g, m: w - 0.01 * (g + 0.9 * m), weights, gradients, momentum)
    return (weights, momentum, running), loss


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--warmup", type=int, default=20)
    args = parser.parse_args()
    weights, running = build()
    state = (weights, jax.tree.map(jnp.zeros_like, weights), running)
    random = np.random.default_rng(1)
    batches = [(jnp.asarray(random.random((args.batch, 32, 32, 3)), jnp.bfloat16), jnp.asarray(random.integers(0, 10, args.batch)))
               for _ in range(4)]
    step = jax.jit(train, donate_argnums=0)
    begin = time.perf_counter()
    state, loss = step(state, *batches[0])
    loss.block_until_ready()
    first_s = time.perf_counter() - begin
    for number in range(args.warmup):
        state, loss = step(state, *batches[number % 4])
    loss.block_until_ready()
    taken = []
    for number in range(0, args.steps, BLOCK):
        begin = time.perf_counter()
        for at in range(BLOCK):
            state, loss = step(state, *batches[(number + at) % 4])
        loss.block_until_ready()
        taken.append((time.perf_counter() - begin) / BLOCK * 1e3)
    median = statistics.median(taken)
    print(json.dumps({"bench": "resnet18", "program": "jax " + jax.__version__, "device": jax.devices()[0].platform, "batch": args.batch,
                      "images_per_s": args.batch * 1e3 / median, "step_ms": {"median": median, "mean": statistics.fmean(taken)},
                      "compile_s": first_s, "loss": float(loss)}))


if __name__ == "__main__":
    main()
