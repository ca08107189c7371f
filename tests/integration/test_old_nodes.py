#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose C library is older than the worker needs. RANKSCOPE_OLD_ROOT names its system: debootstrap --variant=minbase bullseye FOLDER."""
import os
from pathlib import Path

import other_root

ROOT = os.environ.get("RANKSCOPE_OLD_ROOT", "")


class OldNodes(other_root.OtherRoot):
    ROOT = ROOT
    NAME = "old"

    def test_the_worker_brings_its_c_library(self):
        status, text = self.run_job(["old"], procs_per_node=2)
        self.assertEqual(status, 0, text)
        self.assertIn("the same on all ranks", text)
        made = list((Path(ROOT) / "root/.cache/rankscope/bundles").glob("*/own-libc/libc.so.6"))
        self.assertEqual(len(made), 1)

    def test_old_and_new_nodes_share_a_run(self):
        status, text = self.run_job(["old", "local"])
        self.assertEqual(status, 0, text)
        self.assertIn("the same on all ranks", text)

    def test_a_script_of_the_node_keeps_the_nodes_library(self):
        (Path(ROOT) / "root/.cache").mkdir(exist_ok=True)
        status, text = self.run_job(["old"], train=None, workdir="/root", command=["/bin/sh", "-c", "ldd --version | head -1; exit 3"])
        self.assertEqual(status, 1, text)
        self.assertIn("2.31", text)


if __name__ == "__main__":
    other_root.main(ROOT, "RANKSCOPE_OLD_ROOT")
