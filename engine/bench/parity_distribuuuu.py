#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribuuuu's configurations next to its own networks: losses, gradients, and checkpoints in both directions.

    engine/bench/parity_distribuuuu.py --source DIR      # DIR: a checkout of Distribuuuu

The networks come from DIR (distribuuuu.models), else from timm, as its trainer chooses them. Both sides train --steps batches
of random pictures from the same weights. Of the first gradients and of the loss after one update the median over DRAWS starts is
taken: rounding decides on which side of a ReLU's zero a number lies, and one such number moves the gradient of a small batch. Then rankscope-worker reads the unchanged YAML and, with Distribuuuu's own overrides,
trains from the network's state dict on a folder of pictures: once with a rate of 0, after which its checkpoint must hold the same
weights bit for bit, and once with the configuration's own. Both checkpoints load into the network with strict=True. Run with a
python3 that has torch, torchvision, timm, einops and Pillow. Exit code 1 when something differs.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from PIL import Image

import parity

# The file in config/, and Distribuuuu's other networks under resnet50.yaml.
CONFIGURATIONS = [("resnet18", {}), ("resnet50", {}), ("botnet50", {}), ("efficientnet_b0", {}), ("regnetx_160", {}),
                  ("regnety_160", {}), ("regnety_320", {}), ("resnet50", {"MODEL.ARCH": "densenet201"}),
                  ("resnet50", {"MODEL.ARCH": "resnext50_32x4d"}), ("resnet50", {"MODEL.ARCH": "resnext101_32x8d"})]
# The first rate of its warm-up, 0.04 for 64 samples, scaled to 4: at higher ones PyTorch's single precision soon leaves its double.
SGD = {"kind": "sgd", "lr": 0.0025, "momentum": 0.9, "weight_decay": 5e-5, "nesterov": True}
CLASSES = 1000
DRAWS = 5


def network_of(arch):
    import distribuuuu.models as models
    torch.manual_seed(1)
    try:
        return models.build_model(arch=arch, pretrained=False, num_classes=CLASSES)
    except KeyError:
        import timm
        return timm.create_model(model_name=arch, pretrained=False, num_classes=CLASSES)


def first_update(args, arch, network, spec):
    """How far the loss after one update and the gradients of the first are from PyTorch in double precision: rankscope's and
    PyTorch's, medians over DRAWS pairs of batches."""
    distances = []
    for draw in range(DRAWS):
        numbers = parity.random_numbers(arch, (3, 224, 224), CLASSES, 2 * args.batch, seed=100 + draw, network=network)
        spec = dict(spec, steps=2)
        double = parity.run_torch(args, numbers, spec, torch.float64)
        distances.append([(abs(result["losses"][1] - double["losses"][1]) / double["losses"][1],
                           parity.overall(result["gradients"], double["gradients"])) for result in (
            parity.run_engine(args, numbers, spec), parity.run_torch(args, numbers, spec, torch.float32))])
    return np.median(distances, axis=0)


def write_pictures(folder, updates, batch):
    """A folder of each split: enough for the updates, in two classes."""
    random = np.random.default_rng(3)
    for split, count in (("train", updates * batch), ("val", batch)):
        for i in range(count):
            place = folder / split / f"class{i % 2}"
            place.mkdir(parents=True, exist_ok=True)
            pixels = random.integers(0, 256, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((256, 256)).save(place / f"{i}.jpg")


def run_worker(args, name, options, folder, network, updates, more):
    """The state dict of the checkpoint after an epoch."""
    torch.save(network.state_dict(), folder / "start.pth")
    out = folder / ("out" + "".join(more.values()))
    given = {**options, "TRAIN.DATASET": str(folder / "pictures"), "TEST.DATASET": str(folder / "pictures"),
             "TRAIN.BATCH_SIZE": str(args.batch), "TEST.BATCH_SIZE": str(args.batch), "OPTIM.MAX_EPOCH": "1",
             "TRAIN.WORKERS": "1", "OUT_DIR": str(out), "MODEL.WEIGHTS": str(folder / "start.pth"), **more}
    words = [word for pair in given.items() for word in pair]
    done = subprocess.run([args.worker, "distribuuuu", "--cfg", str(args.source / "config" / f"{name}.yaml"), *words],
                          env=dict(os.environ, RANK="0", LOCAL_RANK="0", WORLD_SIZE="1", LOCAL_WORLD_SIZE="1",
                                   MASTER_ADDR="127.0.0.1", MASTER_PORT="29517"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    written = sorted((out / "checkpoints").glob("*.pth.tar"))
    if done.returncode != 0 or not written:
        return None, done.stdout.strip().splitlines()[-1:]
    return torch.load(written[-1], map_location="cpu", weights_only=False), []


def checkpoints(args, name, options, network, verdict):
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_pictures(folder / "pictures", args.steps, args.batch)
        told = []
        for title, more in (("rate 0", {"OPTIM.BASE_LR": "0.0"}), ("own rate", {})):
            state, fault = run_worker(args, name, options, folder, network, args.steps, more)
            if state is None:
                verdict.failed = True
                return f"{title}: {fault}"
            state = state["state_dict"]
            try:
                network_of(options.get("MODEL.ARCH", name)).load_state_dict(state, strict=True)
            except RuntimeError as error:
                verdict.failed = True
                return f"{title}: {str(error).splitlines()[0]}"
            same = sum(torch.equal(state[key], value) for key, value in network.named_parameters())
            count = len(list(network.parameters()))
            moved = all(torch.isfinite(value).all() for value in state.values()) and same < count
            good = same == count if more else moved
            verdict.failed |= not good
            told.append("identical" if more and good else f"{count - same} of {count} moved" if good else f"{title}: WRONG")
        return ", ".join(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="a checkout of Distribuuuu")
    parser.add_argument("--tool", default=str(parity.ROOT / "build/release/tests/engine/engine_parity_steps"))
    parser.add_argument("--worker", default=str(parity.ROOT / "build/release/bin/rankscope-worker"))
    parser.add_argument("--arch", action="append", help="only this one; may be given several times")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.precision, args.order = "fp32", "native"
    sys.path.insert(0, str(args.source))
    torch.set_num_threads(args.threads)
    verdict = parity.Verdict()
    print(f"Batches of {args.batch} × 3 × 224 × 224, {args.steps} updates; PyTorch {torch.__version__}\n")
    print("Relative distances. Loss and gradients: to PyTorch in double precision, in brackets PyTorch's own single precision.\n")
    print("| configuration | loss after one update | gradients of the first | losses of all updates, largest distance to "
          "PyTorch | last loss: rankscope, PyTorch | checkpoints |")
    print("|---|---|---|---|---|---|")
    for name, options in CONFIGURATIONS:
        arch = options.get("MODEL.ARCH", name)
        if args.arch and arch not in args.arch:
            continue
        network = network_of(arch)
        numbers = parity.random_numbers(arch, (3, 224, 224), CLASSES, args.batch * args.steps, network=network)
        spec = {"batch": args.batch, "steps": args.steps, "optimizer": SGD}
        ours = parity.run_engine(args, numbers, spec)
        single = parity.run_torch(args, numbers, spec, torch.float32)
        (loss, off), (own_loss, own) = first_update(args, arch, network, spec)
        apart = [abs(a - b) / abs(b) for a, b in zip(ours["losses"], single["losses"])]
        print(f"| {arch} | {verdict.of(loss, max(1e-4, 2 * own_loss))} ({own_loss:.1e}) | {verdict.of(off, 2 * own)} ({own:.1e}) | "
              f"{max(apart):.1e} | "
              f"{ours['losses'][-1]:.4f}, {single['losses'][-1]:.4f} | "
              f"{checkpoints(args, name, options, network, verdict)} |", flush=True)
    sys.exit(1 if verdict.failed else 0)


if __name__ == "__main__":
    main()
