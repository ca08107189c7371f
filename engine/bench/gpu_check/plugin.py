# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What librankscope-nccl.so costs a training step: two ranks on one GPU without it, at level 1 and at level 2, in turn."""
import statistics
import tempfile

from . import ranks, speed
import runs

ROUNDS = 3
RUN_S = 60
LEVELS = ("off", "1", "2")


def environment(machine, level, folder):
    if level == "off":
        return ranks.ONE_GPU
    return {**ranks.ONE_GPU, "NCCL_PROFILER_PLUGIN": machine.program("plugin"), "RANKSCOPE_NCCL_DIR": folder,
            "RANKSCOPE_NCCL_LEVEL": level}


def run(machine, budget, keep):
    machine.needs_gpu()
    machine.program("plugin")
    command = [machine.program("worker"), "bench", *speed.arguments(machine, "resnet18", 128, 100)]
    steps = {level: [] for level in LEVELS}
    report = {"model": "resnet18", "batch": 128, "ranks": 2}
    for _ in range(ROUNDS):
        for level in LEVELS:
            with tempfile.TemporaryDirectory() as folder:
                one = runs.start_ranks(command, 2, timeout=budget.limit(RUN_S), environment=environment(machine, level, folder))
            if one.fault:
                keep({**report, "fault": f"level {level}: {one.fault}"})
                return True
            steps[level].append(one.line["step_ms"]["median"])
            report["step_ms"] = steps
            keep(report)
    bare = statistics.median(steps["off"])
    report["overhead"] = {level: statistics.median(steps[level]) / bare - 1 for level in LEVELS[1:]}
    keep(report)
    return False
