# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dumps of PyTorch's Flight Recorder over NCCL: two ranks on one GPU, healthy, and with a collective that rank 1 skips."""
import base64
import pathlib
import tempfile

import runs

from .ranks import ONE_GPU

RUN_S = 60
FAULTS = ("healthy", "skipped", "shape")


def run(machine, budget, keep):
    machine.needs_gpu()
    machine.needs_torch()
    script = pathlib.Path(__file__).resolve().parent.parent / "peers" / "flight_dump.py"
    report, failed = {}, False
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            one = runs.start_ranks([machine.python, str(script), "--fault", fault, "--out", folder], 2, timeout=budget.limit(RUN_S),
                                   environment={**ONE_GPU, **machine.peers_environment}, wants_line=False)
            dumps = {file.name: base64.b64encode(file.read_bytes()).decode() for file in sorted(pathlib.Path(folder).iterdir())}
        report[fault] = {"dumps": dumps, **({"fault": one.fault} if one.fault else {})}
        failed |= len(dumps) != 2
        keep(report)
    return failed
