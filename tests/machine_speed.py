# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How busy this machine is: the twin of machine_speed.h for tests in Python."""
import math
import time

ROUNDS = 200_000
ALONE_S = 0.02


def machine_slowness() -> int:
    """How many times longer than alone on a usual core (2.5 GHz, 2020) a test takes on this machine as busy as it is now: 1 to 30.

    Limits of waits are multiplied by it, so that a test fails by time only when something hangs. Never a limit of the product's own."""
    begun = time.monotonic()
    state = 1
    for _ in range(ROUNDS):
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    return min(max(math.ceil((time.monotonic() - begun) / ALONE_S), 1), 30)
