# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""compute-sanitizer over the suites of single kernels: memory, races of shared memory, uninitialised reads, barriers."""
import concurrent.futures

from . import suites
from .budget import OutOfTime
from .machine import Missing, find_tool

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Whole training runs take minutes under a tool that instruments every access; CudaDevice starts processes with NCCL.
LONG = ("Training", "Trainer", "Runner", "Worker", "Plans", "Nccl", "CudaDevice")
SUITE_S = 180  # racecheck follows every access of the largest matrices


def check_suites(tool, check, program, names, budget):
    mine = {"passed": 0, "failed": [], "skipped": 0}
    prefix = (tool, "--tool", check, "--error-exitcode", "9", "--kernel-name-exclude", "kernel_substring=cudnn")
    for suite in names:
        try:
            passed, failed, skipped = suites.run_suite(program, suite, budget.limit(SUITE_S), prefix)
        except OutOfTime as e:
            return {**mine, "left_out": f"{suite} and what follows: {e}"}
        mine["passed"] += passed
        mine["failed"] += failed
        mine["skipped"] += skipped
    return mine


def run(machine, budget, keep):
    machine.needs_gpu()
    tool = find_tool("compute-sanitizer")
    if tool is None:
        raise Missing("compute-sanitizer is not installed")
    program = machine.program("tests")
    names = [suite for suite in suites.suites_of(program, budget.limit(60)) if not any(word in suite for word in LONG)]
    report = {}
    with concurrent.futures.ThreadPoolExecutor(len(TOOLS)) as pool:
        started = {pool.submit(check_suites, tool, check, program, names, budget): check for check in TOOLS}
        for done in concurrent.futures.as_completed(started):
            report[started[done]] = done.result()
            keep(report)
    return any(one["failed"] for one in report.values())
