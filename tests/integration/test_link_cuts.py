#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH link cut a few times in each of the ways there are, over a run that numbers what it says: nothing is lost, nothing comes twice.
The same with many more cuts: tests/benchmarks/link_cuts.py."""
import random
import sys
import unittest

import support

sys.path.insert(0, str(support.REPOSITORY / "tests" / "benchmarks"))
import link_cuts  # noqa: E402


class Cuts(unittest.TestCase):
    def cut(self, count: int, transport: str, at_least_once: bool):
        cluster = link_cuts.new_cluster(transport)
        self.addCleanup(cluster.down)
        cuts = link_cuts.run_cuts(cluster, support.CTL, count, random.SystemRandom().randrange(1 << 31), at_least_once, support.SLOW)
        self.assertEqual(cuts.faults, [])
        self.assertEqual(cuts.done, count)

    def test_every_kind_of_cut_once_and_some_more(self):
        self.cut(12, "", True)

    def test_with_the_ssh_program(self):
        self.cut(6, "openssh", False)


if __name__ == "__main__":
    support.main()
