#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks that print more than anybody reads: the run ends when they do, and every byte is either kept or counted. Prints a table of what
was measured."""
import json
import time
import unittest

import support
from support import Printing, long_test, new_cluster, write_job

# Minutes, when the spool was read again for each piece that was sent. On a quiet machine it is 0.2 to 2.6 s; a busy one needs time to send,
# unpack and store 268 MB. The table says how long it took.
ENDS_WITHIN = 20
LIMIT = 256 << 20  # of a run's output that the desk keeps
TABLE: list = []
# A megabyte a second for so many seconds.
TALKER = """
import os, sys, time
line = b'rank %03d ' % int(os.environ['RANK']) + b'x' * 89 + b'\\n'
begin = time.monotonic()
for tick in range(int(sys.argv[1]) * 10):
    os.write(1, line * 1024)
    time.sleep(max(0.0, begin + (tick + 1) * 0.1 - time.monotonic()))
"""


class Counting(Printing):
    """Counts what is printed of the ranks' output, and keeps the few other events."""

    def __init__(self, cluster, arguments: list):
        self.kept = 0
        self.left_out = 0
        self.thinned = 0
        self.others: list = []
        super().__init__(cluster, arguments)

    def take(self, event: dict):
        if event.get("event") == "log":
            self.kept += len(event.get("text", ""))
            self.left_out += event.get("dropped_bytes", 0)
        elif event.get("event") in ("exit", "end", "notice", "stage", "diagnosis"):
            self.others.append(event)

    def of(self, kind: str) -> list:
        return [event for event in self.others if event["event"] == kind]


def tearDownModule():  # pylint: disable=C0103
    print("\n| output | written | kept | left out, counted | ranks took | ended after the last rank |\n|---|---|---|---|---|---|")
    for name, written, run, took, lag in TABLE:
        print(f"| {name} | {written / 1e6:.0f} MB | {run.kept / 1e6:.0f} MB | {run.left_out / 1e6:.0f} MB | {took:.1f} s | {lag:.1f} s |")


class MuchOutput(unittest.TestCase):
    def run_of(self, name: str, nodes: int, ranks: int, command: list, written: int):
        cluster = new_cluster(nodes).start()
        self.addCleanup(cluster.down)
        job = {"name": "flood", "nodes": [f"node{i + 1}" for i in range(nodes)], "procs_per_node": ranks, "command": command,
               "preflight": "off"}
        run = Counting(cluster, ["run", write_job(cluster, job), "--logs"])
        code = run.process.wait(support.patience(600))
        ended = time.time()
        run.close()
        said = json.dumps(run.others[-30:], indent=1) + run.errors()
        self.assertEqual(code, 0, said)
        exits = run.of("exit")
        self.assertEqual(len(exits), nodes * ranks, said)
        last = max(event["t"] for event in exits)
        started = min(event["t"] for event in run.of("stage") if event.get("stage") == "start")
        lag = ended - last
        TABLE.append((name, written, run, last - started, lag))
        self.assertLess(lag, support.patience(ENDS_WITHIN), said)
        # The end that is reported is that of the ranks.
        self.assertLess(run.of("end")[-1]["t"] - last, support.patience(2), said)
        return run

    def keeps_what_the_limit_keeps(self, run: Counting, written: int):
        """Beyond the limit a rank keeps a few lines a second; what the node itself had no room for is said by a notice."""
        thinned = [event for event in run.of("notice") if event.get("id") in ("spool-thinned", "log-lost")]
        if not thinned:
            self.assertEqual(run.kept + run.left_out, written)
            self.assertGreaterEqual(run.kept, min(written, LIMIT) - (1 << 20))

    def test_400_megabytes_of_one_rank(self):
        written = 400_000_000
        run = self.run_of("400 MB of one rank", 1, 1, ["sh", "-c", f"yes 'a line of much output' | head -c {written}"], written)
        self.keeps_what_the_limit_keeps(run, written)

    def test_one_line_without_an_end(self):
        written = 300_000_000
        run = self.run_of("300 MB in one line", 1, 1, ["sh", "-c", f"head -c {written} /dev/zero | tr '\\0' x"], written)
        self.keeps_what_the_limit_keeps(run, written)

    @long_test
    def test_a_gigabyte_in_one_line(self):
        written = 1_000_000_000
        run = self.run_of("1 GB in one line", 1, 1, ["sh", "-c", f"head -c {written} /dev/zero | tr '\\0' x"], written)
        self.keeps_what_the_limit_keeps(run, written)

    @long_test
    def test_64_ranks_with_a_megabyte_a_second(self):
        seconds = 20
        written = 64 * seconds * 10 * 1024 * 99
        run = self.run_of("64 ranks with 1 MB/s for 20 s", 4, 16, ["python3", "-c", TALKER, str(seconds)], written)
        self.keeps_what_the_limit_keeps(run, written)

    def test_16_ranks_with_a_megabyte_a_second(self):
        seconds = 5
        written = 16 * seconds * 10 * 1024 * 99
        run = self.run_of("16 ranks with 1 MB/s for 5 s", 2, 8, ["python3", "-c", TALKER, str(seconds)], written)
        self.keeps_what_the_limit_keeps(run, written)


if __name__ == "__main__":
    support.main()
