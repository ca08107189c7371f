#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fault of preflight_faults.py on four real nodes: the id, the nodes, the direction. A few printed fixes are applied and undone;
tests/benchmarks/preflight_matrix.py does so for all, three times."""
import unittest

import preflight_faults
import support
from support import Unsupported

WITH_FIX = ("master port: reset, for node3", "ephemeral ports: reset, one node", "docker0, by NCCL_SOCKET_IFNAME of the job", "host name on 127.0.1.1",
            "port held by own stale process", "small /dev/shm", "low nofile", "changed code on one node, pushed by the fix")


class PreflightFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = preflight_faults.Stage()

    @classmethod
    def tearDownClass(cls):
        cls.stage.close()

    def test_healthy_nodes(self):
        for quick in (True, False):
            code, report = self.stage.preflight({}, quick=quick)
            self.assertEqual((code, preflight_faults.bad_of(report["checks"])), (0, {}))

    def test_each_fault_has_its_id_its_nodes_and_its_direction(self):
        for fault in preflight_faults.FAULTS:
            with self.subTest(fault.name):
                try:
                    wrong, took = preflight_faults.play(self.stage, fault, self.stage.sudo and fault.name in WITH_FIX)
                except Unsupported as why:
                    print(f"{fault.name}: skipped, {why}")
                    continue
                self.assertEqual(wrong, [])
                print(f"{fault.name}: {took:.1f} s", flush=True)


if __name__ == "__main__":
    support.main()
