# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the device can do at best: copying memory, and a large product, by PyTorch."""
import pathlib

import runs

RUN_S = 60


def run(machine, budget, keep):
    machine.needs_torch()
    script = pathlib.Path(__file__).resolve().parent.parent / "peers" / "ceilings.py"
    one = runs.start_ranks([machine.python, str(script), "--device", machine.device], timeout=budget.limit(RUN_S),
                           environment=machine.peers_environment)
    keep(one.line if not one.fault else {"fault": one.fault})
    return bool(one.fault)
