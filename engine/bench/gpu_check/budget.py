# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time that one call has. A machine with a GPU is lent for minutes: nothing may start that cannot end in time."""
import time

RESERVE_S = 10   # for the report at the end
SHORTEST_S = 15  # no run of ours or of a peer is useful in less


class OutOfTime(Exception):
    """The rest of the budget is too short for the next run."""


class Budget:
    def __init__(self, seconds, whole=None):
        self.seconds = seconds
        self.whole = whole
        self.begin = time.monotonic()

    def share(self, seconds):
        """Of a part: a part that hangs must not take the time of the next ones."""
        return Budget(seconds + RESERVE_S, self)

    def left(self):
        own = self.seconds - RESERVE_S - (time.monotonic() - self.begin)
        return min(own, self.whole.left()) if self.whole else own

    def limit(self, wanted, shortest=SHORTEST_S):
        """Seconds that the next run may take: at most `wanted`. Raises OutOfTime when less than `shortest` are left."""
        left = self.left()
        if left < min(wanted, shortest):
            raise OutOfTime(f"{max(0.0, left):.0f} s of {self.seconds - (RESERVE_S if self.whole else 0):.0f} s were left")
        return min(wanted, left)
