#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of rankscope-worker beside PyTorch's: MNIST with the ConvNet, CIFAR-10 with ResNet-18, on 1, 2 and 4 ranks.

    engine/bench/accuracy.py --data DIR [--python PROGRAM] [--csv FILE]

DIR/mnist and DIR/cifar10 hold the sets (packed or not). Both sides get the same start (torch's seed), the same samples in
the same order (torch's DistributedSampler), the same batch per rank and optimizer, and no augmentation, whose random numbers
differ. Printed per epoch: mean training loss over all ranks, loss and accuracy on the test set; and how long the curves of
the training loss agree step by step. Takes minutes to half an hour, most of it PyTorch's.
"""
import argparse
import csv
import json
import os
import pathlib
import sys
import tempfile
import time

import runs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def config_of(args, name, seed):
    if name == "mnist":
        return {"model": "convnet", "epochs": args.mnist_epochs, "batch_size": 100, "seed": seed,
                "optimizer": {"name": "sgd", "lr": 0.01, "momentum": 0.9},
                "dataset": {"name": "mnist", "root": str(args.data / "mnist"), "limit": args.limit or 60000}}
    return {"model": "resnet18", "epochs": args.cifar_epochs, "batch_size": 128, "seed": seed,
            "optimizer": {"name": "sgd", "lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4, "nesterov": True},
            "dataset": {"name": "cifar10", "root": str(args.data / "cifar10"), "normalize": "cifar10",
                        "limit": args.limit or 10000}}


def run_worker(args, config, world, folder):
    """Its curve, as train_curve.py prints PyTorch's."""
    config = dict(config, drop_last=True, metrics_every=1, log_every=1000000, checkpoint={"folder": ""})
    file = folder / "config.json"
    file.write_text(json.dumps(config))
    for rank in range(world):  # stands for the pipe that the agent would give to the rank
        (folder / f"metrics{rank}").touch()
    begin = time.monotonic()
    run = runs.start_ranks([args.worker, "--config", str(file)], world, 1, timeout=args.timeout,
                           environment={"RANKSCOPE_METRICS": str(folder / "metrics{rank}")}, wants_line=False)
    if run.fault:
        sys.exit(f"rankscope-worker, {world} ranks: {run.fault}")
    seconds = time.monotonic() - begin
    losses, epochs = {}, {}
    for text in (folder / "metrics0").read_text().splitlines():
        line = json.loads(text)
        if "loss_all" in line:
            losses[line["step"]] = line["loss_all"]
        if "val_acc1" in line:
            epochs[int(line["epoch"])] = {"epoch": int(line["epoch"]), "val_loss": line["val_loss"],
                                          "val_acc": line["val_acc1"]}
    losses = [losses[step] for step in sorted(losses)]
    steps = len(losses) // len(epochs)
    for epoch, entry in epochs.items():
        entry["loss"] = sum(losses[(epoch - 1) * steps:epoch * steps]) / steps
    return {"seconds": seconds, "curve": [epochs[e] for e in sorted(epochs)], "losses": losses}


def run_torch(args, config, world, folder, channels_last=False):
    file = folder / "torch.json"
    file.write_text(json.dumps(dict(config, channels_last=channels_last)))
    begin = time.monotonic()
    run = runs.start_ranks([args.python, str(HERE / "peers/train_curve.py"), str(file)], world, 1, timeout=args.timeout)
    if run.fault:
        sys.exit(f"torch, {world} ranks: {run.fault}")
    return dict(run.line, seconds=time.monotonic() - begin)


def agreement(ours, theirs):
    """Steps until the training losses differ by more than one per mille, and the mean difference of all."""
    pairs = list(zip(ours, theirs))
    apart = next((i for i, (a, b) in enumerate(pairs) if abs(a - b) > 1e-3 * abs(b)), len(pairs))
    return apart, sum(abs(a - b) for a, b in pairs) / len(pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--worker", default=str(ROOT / "build/release/bin/rankscope-worker"))
    parser.add_argument("--python", default=str(ROOT / "build/peers/bin/python"), help="an interpreter that has torch")
    parser.add_argument("--set", action="append", choices=("mnist", "cifar10"), help="only this one")
    parser.add_argument("--world", action="append", type=int, help="only this many ranks (default: 1, 2 and 4)")
    parser.add_argument("--mnist-epochs", type=int, default=2)
    parser.add_argument("--cifar-epochs", type=int, default=5)
    parser.add_argument("--limit", type=int, help="training images")
    parser.add_argument("--spread", action="store_true", help="run PyTorch a second time with its other kernels: how far "
                        "rounding alone takes its curve")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=3600)
    parser.add_argument("--csv", type=pathlib.Path, help="every step's training loss of both")
    args = parser.parse_args()
    if not os.access(args.worker, os.X_OK):
        parser.error(f"--worker {args.worker}: no such program")
    args.data = args.data.resolve()
    steps = []
    print("| set, model | ranks | epoch | training loss: rankscope, torch | test loss | test accuracy % |")
    print("|---|---|---|---|---|---|")
    notes = []
    for name in args.set or ("mnist", "cifar10"):
        for world in args.world or (1, 2, 4):
            config = config_of(args, name, args.seed)
            with tempfile.TemporaryDirectory() as folder:
                ours = run_worker(args, config, world, pathlib.Path(folder))
                theirs = run_torch(args, config, world, pathlib.Path(folder))
                again = run_torch(args, config, world, pathlib.Path(folder), True) if args.spread else None
            for a, b in zip(ours["curve"], theirs["curve"]):
                print(f"| {name}, {config['model']} b{config['batch_size']} | {world} | {a['epoch']} | {a['loss']:.4f}, "
                      f"{b['loss']:.4f} | {a['val_loss']:.4f}, {b['val_loss']:.4f} | {100 * a['val_acc']:.2f}, "
                      f"{100 * b['val_acc']:.2f} |", flush=True)
            same, mean = agreement(ours["losses"], theirs["losses"])
            notes.append(f"{name}, {world} rank(s): training losses within 0.1 % for {same} of {len(theirs['losses'])} "
                         f"steps, mean difference {mean:.1e}; {ours['seconds']:.0f} s, torch {theirs['torch']} "
                         f"{theirs['seconds']:.0f} s, validation included")
            if again:
                same, mean = agreement(again["losses"], theirs["losses"])
                notes.append(f"    torch itself with channels-last kernels: within 0.1 % for {same} steps, mean difference "
                             f"{mean:.1e}, test accuracy % by epoch "
                             + ", ".join(f"{100 * c['val_acc']:.2f}" for c in again["curve"]))
            steps += [(name, world, i + 1, a, b) for i, (a, b) in enumerate(zip(ours["losses"], theirs["losses"]))]
    print("\n" + "\n".join(notes))
    if args.csv:
        with open(args.csv, "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(["set", "ranks", "step", "loss rankscope", "loss torch"])
            writer.writerows(steps)


if __name__ == "__main__":
    main()
