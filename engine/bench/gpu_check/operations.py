# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each operation of a step takes by itself: where the time of a step goes."""
import runs

from . import speed

CASES = (("resnet18", 256), ("resnet18", 1024))
RUN_S = 60


def run(machine, budget, keep):
    machine.needs_gpu()
    report, failed = [], False
    for model, batch in CASES:
        command = [machine.program("worker"), "bench", *speed.arguments(machine, model, batch, 50), "--operations"]
        one = runs.start_ranks(command, timeout=budget.limit(RUN_S))
        report.append({"model": model, "batch": batch,
                       **({"fault": one.fault} if one.fault else {key: one.line[key] for key in ("step_ms", "operations")})})
        failed |= bool(one.fault)
        keep(report)
    return failed
