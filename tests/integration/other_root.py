# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node with another system than this machine's: sshd puts its sessions into the folder that a variable names. The folder is not changed but
for root's ~/.cache. Only root can do so, and only root may write there."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import CTL, SKIP, wait_until

PORT = 2299
INSIDE = "RANKSCOPE_OTHER_ROOT_INSIDE"


class OtherRoot(unittest.TestCase):
    ROOT = ""  # of the test
    NAME = ""  # of the node

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="rankscope-other-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.addClassCleanup(shutil.rmtree, Path(cls.ROOT) / "root/.cache/rankscope", True)
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(cls.folder / name)], check=True)
        Path("/run/sshd").mkdir(exist_ok=True)
        (cls.folder / "sshd_config").write_text(
            f"Port {PORT}\nListenAddress 127.0.0.1\nHostKey {cls.folder}/host\nPidFile {cls.folder}/pid\nStrictModes no\nUsePAM no\n"
            f"AuthorizedKeysFile {cls.folder}/user.pub\nPermitRootLogin yes\nChrootDirectory {cls.ROOT}\n")
        subprocess.run(["/usr/sbin/sshd", "-f", str(cls.folder / "sshd_config"), "-E", str(cls.folder / "log")], check=True)
        cls.addClassCleanup(lambda: os.kill(int((cls.folder / "pid").read_text()), 15))
        wait_until(lambda: (cls.folder / "pid").exists(), 20, "sshd listens")
        (cls.folder / "cluster.yaml").write_text(json.dumps({"nodes": [
            {"name": cls.NAME, "host": "127.0.0.1", "port": PORT, "user": "root", "identity_file": str(cls.folder / "user")}]}))

    def ctl(self, *words):
        env = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        env["HOME"] = str(self.folder)
        done = subprocess.run([CTL, "--accept-new-host-keys", "--cluster", str(self.folder / "cluster.yaml"), *words],
                              capture_output=True, text=True, env=env, timeout=900, check=False)
        return done.returncode, done.stdout + done.stderr

    def run_job(self, nodes, **more):
        train = {"model": "convnet", "dataset": {"name": "synthetic-digits"}, "epochs": 1, "max_steps": 20, "batch_size": 50,
                 "optimizer": {"name": "sgd", "lr": 0.01}}
        job = {"name": "other", "nodes": nodes, "procs_per_node": 1, "master_port": 0, "train": train, **more}
        (self.folder / "job.yaml").write_text(json.dumps({key: value for key, value in job.items() if value is not None}))
        return self.ctl("run", str(self.folder / "job.yaml"))


def main(root: str, variable: str):
    if not root or os.geteuid() != 0:
        print(f"{variable} names no system, or this is not root")
        sys.exit(SKIP)
    if INSIDE not in os.environ:  # the mounts end with this process
        os.environ[INSIDE] = "yes"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    # ssh takes the home folder from passwd(5): its known_hosts is not this test's.
    os.makedirs(os.path.expanduser("~root/.ssh"), mode=0o700, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=700", "tmpfs", os.path.expanduser("~root/.ssh")], check=True)
    subprocess.run(["mount", "-t", "proc", "proc", f"{root}/proc"], check=True)
    subprocess.run(["mount", "--rbind", "/dev", f"{root}/dev"], check=True)
    unittest.main()
