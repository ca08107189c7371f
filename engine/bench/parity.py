#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine's numbers beside PyTorch's, from the same start and the same data.

    engine/bench/parity.py gradients        # every parameter's gradient, of every model
    engine/bench/parity.py steps            # parameters after 20 steps of ConvNet and ResNet-18
    engine/bench/parity.py steps --data DIR # ... on MNIST and CIFAR-10 from DIR/mnist and DIR/cifar10
    engine/bench/parity.py transformers     # GPT-2 next to Hugging Face's GPT2LMHeadModel: logits and losses of the steps

Run with a python3 that has torch (1.13 or newer). What is compared with is PyTorch in double precision: beside the engine's
distance from that stands the distance of PyTorch's own single precision, with the same kernels that a user gets. Distances
of a tensor are relative, in the Euclidean norm; of a tensor that nearly vanishes beside the others (below a thousandth of
their root mean square) relative to that thousandth. Printed are that of all tensors together, and the largest of one.
Exit code 1 when a distance is larger than its limit.
"""
import argparse
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data.distributed import DistributedSampler

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE / "peers"))
import networks  # noqa: E402
import pictures  # noqa: E402

# What the gradients are compared on: small pictures and batches, so that the double-precision run ends soon; every
# kind of layer, stride and size of map occurs. In a deep network single precision puts some number on the other side of a
# ReLU's zero, and the gradients differ visibly from there on, PyTorch's own too. So networks with batch norms and ReLUs are compared a
# second time, "open" (networks.open_relus).
GRADIENT_CASES = [
    # model, sample, classes, batch
    ("linear", (20,), 1, 32), ("toy", (10,), 5, 20), ("mlp", (1, 28, 28), 10, 32), ("convnet", (1, 28, 28), 10, 16),
    ("convnet", (1, 28, 28), 7, 5), ("paddle-cnn", (1, 28, 28), 10, 16), ("paddle-cnn", (3, 32, 32), 10, 8), ("cifarnet", (3, 32, 32), 10, 16),
    ("resnet18", (3, 32, 32), 10, 16), ("resnet18", (3, 96, 64), 13, 4), ("resnet34", (3, 32, 32), 10, 16),
    ("resnet50", (3, 64, 64), 10, 8), ("resnet101", (3, 64, 64), 10, 8), ("resnet152", (3, 64, 64), 10, 8),
    ("resnext50_32x4d", (3, 64, 64), 10, 8), ("resnext101_32x8d", (3, 64, 64), 10, 8),
    ("wide_resnet50_2", (3, 64, 64), 10, 8), ("wide_resnet101_2", (3, 64, 64), 10, 8),
    ("regnetx_002", (3, 64, 64), 10, 8), ("regnetx_160", (3, 64, 64), 10, 8),
    ("regnety_002", (3, 64, 64), 10, 8), ("regnety_160", (3, 64, 64), 10, 4), ("regnety_320", (3, 64, 64), 10, 4),
    ("efficientnet_b0", (3, 64, 64), 10, 8), ("densenet121", (3, 64, 64), 10, 8), ("densenet201", (3, 64, 64), 10, 4),
    ("botnet50", (3, 64, 64), 10, 8), ("vit_tiny_patch16_224", (3, 64, 64), 10, 8), ("vit_small_patch16_224", (3, 96, 96), 10, 4),
    ("gpt2-mini", (64,), 256, 3), ("gpt2-mini", (193,), 101, 2), ("gpt2", (80,), 50257, 2)]

SGD = {"kind": "sgd", "lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4, "nesterov": True}
PLAIN = {"kind": "sgd", "lr": 1e-2}


class Numbers:
    """What both sides get: samples with labels or targets, and a start."""

    def __init__(self, model, sample, classes, inputs, answers, seed, network=None):
        self.model, self.sample, self.classes = model, tuple(sample), classes
        self.inputs, self.answers = inputs, answers  # float32 tensor; int64 labels or float32 targets
        torch.manual_seed(seed)
        self.network = network or networks.build(model, self.sample, classes)


def random_numbers(model, sample, classes, samples, seed=0, network=None):
    generator = torch.Generator().manual_seed(seed + 1)
    inputs = torch.rand(samples, *sample, generator=generator)
    if model in networks.GPTS:
        inputs = (inputs * classes).floor()
        answers = torch.randint(0, classes, (samples, *sample), generator=generator)
    elif model in networks.REGRESSIONS:
        answers = torch.rand(samples, classes, generator=generator)
    else:
        answers = torch.randint(0, classes, (samples,), generator=generator)
    return Numbers(model, sample, classes, inputs, answers, seed, network)


def flat(tensors):
    return np.concatenate([t.detach().to(torch.float32).numpy().ravel() for t in tensors])


def run_engine(args, numbers, spec):
    """engine_parity_steps on these numbers: losses, and by name the first step's gradients, parameters, statistics."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        spec = dict(spec, model=numbers.model, sample=numbers.sample, classes=numbers.classes,
                    samples=len(numbers.inputs), threads=args.threads, precision=args.precision, order=args.order)
        (folder / "spec.json").write_text(json.dumps(spec))
        flat(numbers.network.parameters()).tofile(folder / "start.f32")
        numbers.inputs.numpy().tofile(folder / "inputs.f32")
        if numbers.model in networks.REGRESSIONS:
            numbers.answers.numpy().tofile(folder / "targets.f32")
        else:
            numbers.answers.numpy().astype(np.int32).tofile(folder / "labels.i32")
        done = subprocess.run([args.tool, name], stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, OMP_NUM_THREADS=str(args.threads)))
        if done.returncode != 0:
            sys.exit(f"{args.tool} failed: {done.stderr.strip()}")
        result = json.loads((folder / "result.json").read_text())
        wanted = [(n, list(p.shape)) for n, p in numbers.network.named_parameters()]
        if [(p["name"], p["shape"]) for p in result["parameters"]] != wanted:
            sys.exit(f"{numbers.model}: names, shapes or order of the parameters differ from PyTorch's")

        def named(file, dtype, entries):
            values = np.fromfile(folder / file, dtype)
            if len(values) != sum(size for _, size in entries):
                sys.exit(f"{file}: {len(values)} numbers")
            ends = np.cumsum([size for _, size in entries])
            return {name: part for (name, _), part in zip(entries, np.split(values, ends[:-1]))}
        sizes = [(p["name"], int(np.prod(p["shape"]))) for p in result["parameters"]]
        return {"losses": result["losses"], "logits": np.fromfile(folder / "logits.f32", np.float32),
                "gradients": named("gradients.f32", np.float32, sizes),
                "parameters": named("parameters.f32", np.float32, sizes),
                "statistics": named("statistics.f64", np.float64,
                                    [(s["name"], s["size"]) for s in result["statistics"]])
                if result["statistics"] else {}}


def run_torch(args, numbers, spec, dtype):
    """The same in PyTorch, in `dtype`."""
    network = copy.deepcopy(numbers.network).to(dtype)
    network.train()
    given = dict(spec["optimizer"])
    kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[given.pop("kind")]
    optimizer = kind(network.parameters(), **given)
    sampler = DistributedSampler(range(len(numbers.inputs)), 1, 0, shuffle=True, seed=spec.get("seed", 0))
    epoch, order, at = 0, list(sampler), 0
    accumulate = spec.get("accumulate", 1)
    half = args.precision == "bf16" and dtype == torch.float32
    out = {"losses": []}
    for step in range(spec["steps"]):
        optimizer.zero_grad()
        loss_of_step = 0.0
        for part in range(accumulate):
            if at + spec["batch"] > len(order):
                epoch += 1
                sampler.set_epoch(epoch)
                order, at = list(sampler), 0
            chosen = order[at:at + spec["batch"]]
            at += spec["batch"]
            x, y = numbers.inputs[chosen].to(dtype), numbers.answers[chosen]
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
                outputs = network(x)
                if numbers.model in networks.REGRESSIONS:
                    loss = F.mse_loss(outputs, y.to(dtype))
                else:
                    loss = F.cross_entropy(outputs, y.flatten(), label_smoothing=spec.get("label_smoothing", 0.0))
            (loss / accumulate).backward()
            loss_of_step += loss.item() / accumulate
            if step == 0 and part == 0:
                out["logits"] = outputs.detach().double().numpy().ravel()
        if step == 0:
            out["gradients"] = {n: p.grad.double().numpy().ravel().copy() for n, p in network.named_parameters()}
        optimizer.step()
        out["losses"].append(loss_of_step)
    out["parameters"] = {n: p.detach().double().numpy().ravel() for n, p in network.named_parameters()}
    out["statistics"] = {n: b.double().numpy().ravel() for n, b in network.named_buffers()}
    return out


def distance(values, reference, floor=0.0):
    norm = max(np.linalg.norm(reference), floor * np.sqrt(reference.size))
    return float(np.linalg.norm(values.astype(np.float64) - reference) / (norm if norm > 0 else 1.0))


def worst(values, reference):
    """The largest distance of all tensors, and whose it is."""
    if not reference:
        return 0.0, "–"
    together = np.concatenate(list(reference.values()))
    floor = 1e-3 * np.linalg.norm(together) / np.sqrt(together.size)
    return max((distance(values[name], reference[name], floor), name) for name in reference)


def overall(values, reference):
    return distance(np.concatenate([values[n] for n in reference]), np.concatenate(list(reference.values())))


class Verdict:
    def __init__(self):
        self.failed = False

    def of(self, value, limit):
        self.failed |= not value <= limit  # not a number fails too
        return f"{value:.1e}" + ("" if value <= limit else f" > {limit:.0e}!")


def gradients(args, verdict):
    """Limit: 1e-4, or ten times what PyTorch's own single precision is off, whichever is larger; bf16 has 8 bits."""
    print(f"Gradients of the first step, {args.precision}, relative to PyTorch {torch.__version__} in double precision\n")
    print("| model, sample, batch | loss | logits | worst gradient | of | PyTorch's own, worst | all together | PyTorch's own |")
    print("|---|---|---|---|---|---|---|---|")
    cases = [(*case, False) for case in GRADIENT_CASES]
    cases += [(*case, True) for case in GRADIENT_CASES
              if "resne" in case[0] or "regnet" in case[0] or "densenet" in case[0] or "botnet" in case[0]]
    for model, sample, classes, batch, opened in cases:
        if args.model and model not in args.model:
            continue
        numbers = random_numbers(model, sample, classes, batch)
        if opened:
            networks.open_relus(numbers.network)
        spec = {"batch": batch, "steps": 1, "optimizer": PLAIN}
        ours = run_engine(args, numbers, spec)
        single = run_torch(args, numbers, spec, torch.float32)
        double = run_torch(args, numbers, spec, torch.float64)
        off, name = worst(ours["gradients"], double["gradients"])
        own, _ = worst(single["gradients"], double["gradients"])
        floor = 1e-4 if args.precision == "fp32" else 0.1
        limit = max(floor, 10 * own) if args.precision == "fp32" else max(floor, 2 * own)
        loss = abs(ours["losses"][0] / double["losses"][0] - 1)
        print(f"| {model} {'×'.join(map(str, sample))} b{batch}{' open' if opened else ''} | {loss:.1e} | "
              f"{distance(ours['logits'], double['logits']):.1e} | {verdict.of(off, limit)} | {name} | {own:.1e} | "
              f"{overall(ours['gradients'], double['gradients']):.1e} | "
              f"{overall(single['gradients'], double['gradients']):.1e} |", flush=True)


def steps(args, verdict):
    """Limit, of all parameters together: 1e-4, or twice PyTorch's own distance from double precision where that is more:
    with a large rate a ResNet amplifies every rounding, on either side."""
    print(f"After {args.steps} steps, {args.precision}, all parameters together and (worst tensor); "
          f"PyTorch {torch.__version__}\n")
    print("| model, batch, SGD | engine to torch fp32 | engine to double | torch fp32 to double | running statistics: engine, "
          "torch to double | loss of the last step: engine, torch, double |")
    print("|---|---|---|---|---|---|")
    slow = {"kind": "sgd", "lr": 1e-4}
    for model, batch, optimizer, samples in (("convnet", 100, slow, 1000), ("convnet", 100, SGD, 1000),
                                             ("resnet18", 128, slow, 2000), ("resnet18", 128, SGD, 2000)):
        if args.model and model not in args.model:
            continue
        shape, classes, _ = networks.DEFAULTS[model]
        if args.data:
            name = "mnist" if model == "convnet" else "cifar10"
            inputs, labels = getattr(pictures, name)(args.data / name)
            numbers = Numbers(model, shape, classes, inputs[:samples], labels[:samples], seed=0)
        else:
            numbers = random_numbers(model, shape, classes, samples)
        spec = {"batch": batch, "steps": args.steps, "optimizer": optimizer, "seed": 3}
        ours = run_engine(args, numbers, spec)
        single = run_torch(args, numbers, spec, torch.float32)
        double = run_torch(args, numbers, spec, torch.float64)
        own = overall(single["parameters"], double["parameters"])
        limit = max(1e-4 if args.precision == "fp32" else 0.01, 2 * own)

        def both(a, b):
            return f"{overall(a['parameters'], b['parameters']):.1e} ({worst(a['parameters'], b['parameters'])[0]:.1e})"
        statistics = "–"
        if double["statistics"]:
            statistics = ", ".join(f"{overall(a['statistics'], double['statistics']):.1e}" for a in (ours, single))
        print(f"| {model} b{batch} lr {optimizer['lr']}{' nesterov 0.9' if optimizer is SGD else ''} | "
              f"{both(ours, single)} | {verdict.of(overall(ours['parameters'], double['parameters']), limit)} "
              f"({worst(ours['parameters'], double['parameters'])[0]:.1e}) | {both(single, double)} | {statistics} | "
              f"{ours['losses'][-1]:.6f}, {single['losses'][-1]:.6f}, {double['losses'][-1]:.6f} |", flush=True)


def transformers(args, verdict):
    """Limits: logits 1e-4, losses 1e-3."""
    import transformers as hugging_face
    batch, tokens = 2, 128
    numbers = random_numbers("gpt2", (tokens,), 50257, batch * args.steps)
    theirs = hugging_face.GPT2LMHeadModel(hugging_face.GPT2Config(resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))
    state = theirs.state_dict()
    with torch.no_grad():
        for name, value in numbers.network.state_dict().items():
            turned = any(name.endswith(f"{end}.weight") for end in ("c_attn", "c_proj", "c_fc"))
            state[name].copy_(value.T if turned else value)
    spec = {"batch": batch, "steps": args.steps, "optimizer": {"kind": "adamw", "lr": 6e-4, "weight_decay": 0.1}}
    ours = run_engine(args, numbers, spec)
    optimizer = torch.optim.AdamW(theirs.parameters(), lr=6e-4, weight_decay=0.1)
    order = list(DistributedSampler(range(len(numbers.inputs)), 1, 0, shuffle=True, seed=0))
    losses, first = [], None
    for step in range(args.steps):
        chosen = order[step * batch:(step + 1) * batch]
        logits = theirs(numbers.inputs[chosen].long()).logits.flatten(0, 1)
        first = logits.detach().numpy().ravel() if first is None else first
        loss = F.cross_entropy(logits, numbers.answers[chosen].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print(f"GPT-2, 124 M parameters, {batch} x {tokens} tokens, AdamW; transformers {hugging_face.__version__}, "
          f"PyTorch {torch.__version__}\n")
    largest = float(np.abs(ours["logits"] - first).max())
    print(f"logits: largest difference {verdict.of(largest, 1e-4)}, of {np.abs(first).max():.2f}")
    apart = max(abs(a - b) for a, b in zip(ours["losses"], losses))
    print(f"losses of {args.steps} steps: largest difference {verdict.of(apart, 1e-3)}; "
          f"first {losses[0]:.4f}, last {losses[-1]:.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("gradients", "steps", "transformers"))
    parser.add_argument("--tool", default=str(ROOT / "build/release/tests/engine/engine_parity_steps"),
                        help="engine_parity_steps, built with the tests")
    parser.add_argument("--model", action="append", help="only this one; may be given several times")
    parser.add_argument("--precision", default="fp32", choices=("fp32", "bf16"))
    parser.add_argument("--order", default="native", choices=("native", "canonical"), help="how weights are stored")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--data", type=pathlib.Path, help="folder with mnist and cifar10 (default: random numbers)")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    verdict = Verdict()
    {"gradients": gradients, "steps": steps, "transformers": transformers}[args.what](args, verdict)
    sys.exit(1 if verdict.failed else 0)


if __name__ == "__main__":
    main()
