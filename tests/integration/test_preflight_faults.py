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

    def test_a_quick_one_reads_the_rules_of_the_node_that_blocks(self):
        """At once, without a question, and with the job's own way out; without sudo the way out alone, and words for the administrator."""
        stage = self.stage
        self.addCleanup(stage.heal)
        stage.nft("node1", ["tcp dport 29500 drop"])
        if not stage.sudo:
            self.skipTest("no sudo")
        code, report = stage.preflight({}, quick=True)
        check = preflight_faults.bad_of(report["checks"])["master-port-dropped"]
        self.assertEqual(code, 3)
        self.assertIn("nft insert", check["fixes"][0]["command"])
        self.assertEqual(check["fixes"][-1].get("job"), {"master_port": "0"})
        self.assertTrue(any("29500 drop" in line for line in check["evidence"]), check["evidence"])
        stage.do("node1", "mv /etc/sudoers.d/trainer /run/no-sudo", "mv /run/no-sudo /etc/sudoers.d/trainer")
        code, report = stage.preflight({}, quick=True)
        check = preflight_faults.bad_of(report["checks"])["master-port-dropped"]
        self.assertEqual([fix.get("job") for fix in check["fixes"]], [{"master_port": "0"}], check)
        self.assertTrue(any("For the administrator of node1" in line and "29500" in line for line in check["evidence"]), check["evidence"])
        code, report = stage.preflight({"master_port": 0}, quick=True)
        self.assertEqual((code, preflight_faults.bad_of(report["checks"])), (0, {}), "the way out passes")

    def test_loss_is_no_black_hole(self):
        """A tenth of all packets in both directions: a warning, and no refusal, quick and full."""
        stage = self.stage
        self.addCleanup(stage.heal)
        for hook, who in (("input", "saddr"), ("output", "daddr")):
            stage.nft("node3", [f"ip {who} 10.77.0.0/28 numgen random mod 100 < 10 drop"], hook=hook)
        for quick in (True, False, True, False):
            code, report = stage.preflight({}, quick=quick)
            failed = {check["id"] for check in report["checks"] if check["status"] == "fail"}
            self.assertEqual((code, failed), (0, set()), report)


if __name__ == "__main__":
    support.main()
