# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training steps of the usual cases: ours, and PyTorch's in each of its modes."""
import pathlib
import statistics
import tempfile

import runs

from .budget import OutOfTime
from .machine import Clocks

# model, samples per step, timed steps, runs
CASES = (("resnet18", 256, 400, 3), ("resnet18", 128, 400, 3), ("resnet18", 1024, 200, 3))
LARGE_CASES = (("resnet50", 256, 60, 1), ("gpt2", 8, 20, 1), ("convnet", 100, 1000, 1))
# For the ratios of a call that measures peers: another call may have had another GPU.
BESIDE_CASES = (("resnet18", 256, 400, 2),)
DRY_CASES = (("toy", 8, 5, 2),)
# The strong peer: one compiled function, fused SGD, the whole step in one CUDA graph.
STRONG = ("--mode", "whole_step_channels_last", "--optimizer", "fused", "--profile")
STRONG_CASES = (("resnet18", 256, 400), ("resnet18", 1024, 200), ("resnet18", 128, 400))
STRONG_ROUNDS = 3
RUN_S = 90
COMPILE_S = 240  # of torch.compile with a cold cache
KEPT = ("images_per_s", "step_ms", "activation_mb", "peak_device_mb", "versions", "program", "layout", "on_gpu", "compile_s")
PEERS = pathlib.Path(__file__).resolve().parent.parent / "peers"


def cases(machine, large, beside=False):
    return DRY_CASES if machine.dry else LARGE_CASES if large else BESIDE_CASES if beside else CASES


def arguments(machine, model, batch, steps):
    said = ["--model", model, "--batch", batch, "--steps", steps, "--warmup", 2 if machine.dry else 20, "--device", machine.device,
            "--precision", "fp32" if machine.dry else "bf16", "--read", "none"]
    return [str(word) for word in said]


def measure(command, limit, environment=None):
    run = runs.start_ranks([str(word) for word in command], timeout=limit, environment=environment)
    if run.fault:
        return {"fault": run.fault, "said": run.said}
    return {**{key: run.line[key] for key in KEPT if key in run.line}, "first_step_s": run.first_step_s}


def repeat(times, once):
    """The run in the middle by its speed, with the speeds of all; the fault of the first that failed."""
    done = []
    for number in range(times):
        try:
            done.append(once())
        except OutOfTime:
            if number == 0:
                raise
            break
        if "fault" in done[-1]:
            return done[-1]
    done[0]["first_step_cold_s"] = done[0]["first_step_s"]
    middle = sorted(done, key=lambda one: one["images_per_s"])[(len(done) - 1) // 2]
    return {**done[0], **middle, "all_images_per_s": [one["images_per_s"] for one in done],
            "first_step_warm_s": statistics.median(one["first_step_s"] for one in done[1:]) if done[1:] else None}


def run_ours(machine, budget, keep, large=False, beside=False):
    report, failed = [], False
    with tempfile.TemporaryDirectory() as cache:  # the first run of a case measures plans, the others find them
        for model, batch, steps, times in cases(machine, large, beside):
            said = arguments(machine, model, batch, steps)
            command = [machine.program("worker"), "bench", *said]
            one = repeat(times, lambda c=command: measure(c, budget.limit(RUN_S), {"RANKSCOPE_CUDA_CACHE": cache}))
            report.append({"model": model, "batch": batch, **one})
            failed |= "fault" in one
            keep(report)
        if beside:
            return failed
        model, batch, steps, _ = cases(machine, large)[0]
        without = {"RANKSCOPE_CUDA_CACHE": cache, "RANKSCOPE_CUDA_GRAPHS": "0"}
        report[0]["not_recorded"] = measure([machine.program("worker"), "bench", *arguments(machine, model, batch, steps)],
                                            budget.limit(RUN_S), without)
        keep(report)
    return failed


def run_peer(mode, machine, budget, keep, large=False, one_case=False):
    """`mode`: of peers/train_step.py, and after a "+" torch.compile's."""
    machine.needs_torch()
    script = PEERS / "train_step.py"
    mode, _, compiled = mode.partition("+")
    limit = COMPILE_S if mode.startswith(("compile", "whole_step")) else RUN_S
    report = []
    for model, batch, steps, _ in cases(machine, large, one_case):
        command = [machine.python, script, *arguments(machine, model, batch, steps), "--mode", mode, "--profile"]
        command += ["--compile-mode", compiled] if compiled else []
        command += ["--optimizer", "fused"] if mode.startswith("whole_step") else []
        report.append({"model": model, "batch": batch, **measure(command, budget.limit(limit), machine.peers_environment)})
        keep(report)
    return False  # a peer that fails is not our fault; its row says why


def run_strong(machine, budget, keep):
    """Ours and the strong peers in turns, round by round; each round is kept when it is done."""
    machine.needs_torch()
    report, failed = [], False
    with tempfile.TemporaryDirectory() as cache:
        ours = {"RANKSCOPE_CUDA_CACHE": cache}
        for number in range(1 if machine.dry else STRONG_ROUNDS):
            for model, batch, steps in ((case[:3] for case in DRY_CASES) if machine.dry else STRONG_CASES):
                said = arguments(machine, model, batch, steps)
                programs = [("ours", [machine.program("worker"), "bench", *said], ours),
                            ("whole-step", [machine.python, PEERS / "train_step.py", *said, *STRONG], machine.peers_environment)]
                if number == 0 and not machine.dry:
                    programs.append(("jax", [machine.python, PEERS / "jax_step.py", "--batch", batch, "--steps", steps],
                                     {**machine.peers_environment, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}))
                for program, command, environment in programs if number % 2 == 0 else reversed(programs):
                    with Clocks() as clocks:
                        one = measure(command, budget.limit(RUN_S), environment)
                    report.append({"model": model, "batch": batch, "who": program, "round": number + 1, **one, **clocks.summary()})
                    failed |= program == "ours" and "fault" in one
                    keep(report)
    return failed
