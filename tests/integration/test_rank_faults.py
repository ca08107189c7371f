#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks killed, frozen and cut off in the middle of training: the others end and name them, and the run that is started again continues the
loss curve exactly. The same with many more faults: tests/benchmarks/rank_faults.py."""
import random
import sys
import tempfile
import unittest
from pathlib import Path

import support

sys.path.insert(0, str(support.REPOSITORY / "tests" / "benchmarks"))
import rank_faults  # noqa: E402


class RankFaults(unittest.TestCase):
    def test_each_kind_once_and_one_more(self):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            shared = Path(folder)
            shared.chmod(0o777)
            runs = rank_faults.new_runs(shared, 3, support.BIN, support.SLOW)
            try:
                outcomes = rank_faults.run_faults(runs, 4, random.SystemRandom().randrange(1 << 31))
            finally:
                runs.cluster.down()
        for outcome in outcomes:
            self.assertEqual(outcome.faults, [], f"rank {outcome.rank} {outcome.kind} at {outcome.moment:.2f} s")


if __name__ == "__main__":
    support.main()
