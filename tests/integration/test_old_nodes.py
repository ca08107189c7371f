#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose C library is older than the worker needs: sshd puts its sessions into another system.

RANKSCOPE_OLD_ROOT names that system, in a folder that only root can write: debootstrap --variant=minbase bullseye FOLDER. It is not changed
but for root's ~/.cache."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import CTL, SKIP, wait_until

ROOT = os.environ.get("RANKSCOPE_OLD_ROOT", "")
PORT = 2299
INSIDE = "RANKSCOPE_OLD_NODES_INSIDE"


class OldNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="rankscope-old-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.addClassCleanup(shutil.rmtree, Path(ROOT) / "root/.cache/rankscope", True)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(cls.folder / name)], check=True)
        Path("/run/sshd").mkdir(exist_ok=True)
        (cls.folder / "sshd_config").write_text(
            f"Port {PORT}\nListenAddress 127.0.0.1\nHostKey {cls.folder}/host\nPidFile {cls.folder}/pid\nStrictModes no\nUsePAM no\n"
            f"AuthorizedKeysFile {cls.folder}/user.pub\nPermitRootLogin yes\nChrootDirectory {ROOT}\n")
        subprocess.run(["/usr/sbin/sshd", "-f", str(cls.folder / "sshd_config"), "-E", str(cls.folder / "log")], check=True)
        cls.addClassCleanup(lambda: os.kill(int((cls.folder / "pid").read_text()), 15))
        wait_until(lambda: (cls.folder / "pid").exists(), 20, "sshd listens")
        (cls.folder / "cluster.yaml").write_text(json.dumps({"nodes": [
            {"name": "old", "host": "127.0.0.1", "port": PORT, "user": "root", "identity_file": str(cls.folder / "user")}]}))

    def ctl(self, *words):
        env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        env["HOME"] = str(self.folder)
        done = subprocess.run([CTL, "--accept-new-host-keys", "--cluster", str(self.folder / "cluster.yaml"), *words],
                              capture_output=True, text=True, env=env, timeout=600, check=False)
        return done.returncode, done.stdout + done.stderr

    def run_job(self, nodes, **more):
        train = {"model": "convnet", "dataset": {"name": "synthetic-digits"}, "epochs": 1, "max_steps": 20, "batch_size": 50,
                 "optimizer": {"name": "sgd", "lr": 0.01}}
        job = {"name": "old", "nodes": nodes, "procs_per_node": 1, "master_port": 0, "train": train, **more}
        (self.folder / "job.yaml").write_text(json.dumps(job))
        return self.ctl("run", str(self.folder / "job.yaml"))

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
    if not ROOT or os.geteuid() != 0:
        print("RANKSCOPE_OLD_ROOT names no old system, or this is not root")
        sys.exit(SKIP)
    if INSIDE not in os.environ:  # the mounts end with this process
        os.environ[INSIDE] = "yes"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    # ssh takes the home folder from passwd(5): its known_hosts is not this test's.
    os.makedirs(os.path.expanduser("~root/.ssh"), mode=0o700, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", os.path.expanduser("~root/.ssh")], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", f"{ROOT}/proc"], check=True)
    subprocess.run(["mount", "--rbind", "/dev", f"{ROOT}/dev"], check=True)
    unittest.main()
