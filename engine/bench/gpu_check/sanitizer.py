# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""compute-sanitizer over the suites of single kernels: memory, races of shared memory, uninitialised reads, barriers."""
from . import suites
from .machine import Missing, find_tool

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Whole training runs take minutes under a tool that instruments every access; CudaDevice starts processes with NCCL.
LONG = ("Training", "Trainer", "Runner", "Worker", "Plans", "Nccl", "CudaDevice")
SUITE_S = 90


def run(machine, budget, keep):
    machine.needs_gpu()
    tool = find_tool("compute-sanitizer")
    if tool is None:
        raise Missing("compute-sanitizer is not installed")
    program = machine.program("tests")
    names = [suite for suite in suites.suites_of(program, budget.limit(60)) if not any(word in suite for word in LONG)]
    report = {}
    for check in TOOLS:
        mine = report[check] = {"passed": 0, "failed": [], "skipped": 0}
        prefix = (tool, "--tool", check, "--error-exitcode", "9", "--kernel-name-exclude", "kernel_substring=cudnn")
        for suite in names:
            passed, failed, skipped = suites.run_suite(program, suite, budget.limit(SUITE_S), prefix)
            mine["passed"] += passed
            mine["failed"] += failed
            mine["skipped"] += skipped
            keep(report)
    return any(one["failed"] for one in report.values())
