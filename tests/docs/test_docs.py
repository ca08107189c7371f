#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Executes the commands of README and docs as a reader would type them, on a virtual cluster whose nodes have the names and addresses of
the pages. Blocks that begin with the name of a file become that file. What cannot run here (installing packages) is checked against the
program's --help."""
import json
import os
import pty
import re
import select
import shlex
import subprocess
import sys
import time
import unittest
from pathlib import Path

from pages import REPOSITORY, Block, blocks, pages

sys.path.insert(0, str(REPOSITORY / "tests" / "integration"))
import support  # noqa: E402
from vcluster import PASSWORD  # noqa: E402

CTL = support.BIN / "rankscopectl"
# Commands that change this machine or take too long for a test; each is covered elsewhere.
COVERED_ELSEWHERE = {
    "sudo apt install": "packaging/try-package",
    "cmake --install": "packaging/package",
    "rankscopectl runs nccl-level": "integration.nccl: a run without NCCL has no level",
}
SHORT = """name: short
nodes: [node1]
command: [sh, -c, "echo done"]
"""
ENDLESS = """name: endless
nodes: [node1]
command: [sh, -c, "while :; do sleep 0.1; done"]
"""


def commands(block: Block):
    """(line offset, words) of each command; comments removed."""
    for offset, line in enumerate(block.text.splitlines()):
        words = shlex.split(line, comments=True)
        if words:
            yield offset, words


class Documentation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = support.new_cluster(2, slots=1)
        cls.cluster.start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def setUp(self):
        self.folder = Path(self.cluster.run(["mktemp", "-d"], check=True).stdout.strip())

    def ctl(self, *words, **options) -> subprocess.CompletedProcess:
        return self.cluster.run([str(CTL), *words], cwd=str(self.folder), timeout=180, **options)

    def write(self, name: str, text: str):
        self.cluster.run(["tee", str(self.folder / name)], input=text, check=True, stdout=subprocess.DEVNULL)

    def newest_run(self, name: str = "") -> str:
        """Of that name, if one is given."""
        listed = json.loads(self.ctl("--json", "runs", "list", check=True).stdout)["runs"]
        return next(run["run"] for run in listed if name in ("", run["name"]))

    def with_password(self, words: list) -> int:
        """At a terminal: answers every question for a password."""
        leader, follower = pty.openpty()
        process = self.cluster.popen([str(CTL), *words], cwd=str(self.folder), stdin=follower, stdout=follower, stderr=follower)
        os.close(follower)
        seen, deadline = "", time.monotonic() + 60
        while time.monotonic() < deadline:
            if select.select([leader], [], [], 0.2)[0]:
                try:
                    piece = os.read(leader, 4096).decode(errors="replace")
                except OSError:
                    break
                seen += piece
                if re.search(r"[Pp]assword.*: ?$", seen):
                    os.write(leader, PASSWORD.encode() + b"\n")
                    seen = ""
            elif process.poll() is not None:
                break
        code = process.wait(60)
        os.close(leader)
        self.assertEqual(code, 0, seen)
        return code

    def prepare(self, words: list):
        """What a reader has at this point of a page: a run that is alive, a port that somebody holds, no key yet."""
        if words[1:2] == ["runs"] and words[2] in ("stop", "pause", "kill"):
            self.write("endless.yaml", ENDLESS)
            self.ctl("run", "endless.yaml", "--detach", check=True)
        if words[1:2] == ["bundle"]:
            self.write("short.yaml", SHORT)
            self.ctl("run", "short.yaml", check=True)
        if words[1:3] == ["keys", "generate"]:
            self.cluster.run(["sh", "-c", "cd ~/.ssh && for key in id_ed25519 id_ed25519.pub; do [ ! -e $key ] || mv $key $key.kept; done"], check=True)
        if "--end" in words:
            holder = self.cluster.node("node1").popen(["python3", "-c", "import socket, time\ns = socket.create_server(('', 29500))\ntime.sleep(600)"])
            support.wait_until(lambda: 29500 in self.cluster.node("node1").listening_ports(), 20, "the port is held")
            self.addCleanup(holder.kill)

    def run_command(self, words: list):
        program = words[0]
        joined = " ".join(words)
        for beginning in COVERED_ELSEWHERE:
            if joined.startswith(beginning):
                return
        if program.startswith("./packaging/"):
            said = subprocess.run([REPOSITORY / program, "--help"], capture_output=True, text=True, check=True, timeout=30).stdout
            for option in (word for word in words[1:] if word.startswith("--") and word != "--"):
                self.assertIn(option.split("=")[0], said)
            return
        self.prepare(words)
        name = "mnist-convnet" if words[1:3] == ["runs", "rerun"] else ""
        words = [self.newest_run(name) if word == "RUN" else word for word in words]
        if program == "rankscopectl":
            if words[1:3] == ["keys", "install"]:
                self.with_password(words[1:])
                return
            done = self.ctl(*words[1:])
            if words[1:3] == ["keys", "generate"]:  # the nodes know the key of before
                self.cluster.run(["sh", "-c", "cd ~/.ssh && for key in id_ed25519 id_ed25519.pub; do [ ! -e $key.kept ] || mv -f $key.kept $key; done"],
                                 check=True)
            if words[1:3] == ["runs", "continue"]:
                self.ctl("runs", "stop", words[3])
        elif program == "rankscope-worker":
            done = self.cluster.run([str(support.BIN / program), *words[1:]], cwd=str(self.folder), timeout=180)
        else:
            self.fail(f"the test does not know how to run {program}")
        self.assertEqual(done.returncode, 0, f"{joined}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")

    def run_page(self, page: Path):
        # Pages may use files that the quick start made.
        first = REPOSITORY / "docs" / "quick-start.md"
        for block in (blocks(first) if page != first else []) + blocks(page):
            name = block.file_name()
            if name:
                self.write(name, "".join(block.text.splitlines(keepends=True)[1:]) if name.endswith(".json") else block.text)
        for block in blocks(page):
            if block.language != "sh":
                continue
            for offset, words in commands(block):
                with self.subTest(block.where(offset)):
                    self.run_command(words)

    def test_every_page(self):
        inventory = next(block for block in blocks(REPOSITORY / "docs" / "quick-start.md") if block.file_name() == "cluster.yaml")
        for page in pages():
            if page.name == "slurm.md":
                continue
            place = "${XDG_CONFIG_HOME:-$HOME/.config}/rankscope"
            if page.name == "quick-start.md":
                self.cluster.run(["sh", "-c", f"rm -f {place}/cluster.yaml"], check=True)
            else:
                self.cluster.run(["sh", "-c", f"mkdir -p {place} && cat > {place}/cluster.yaml"], input=inventory.text, check=True)
            self.run_page(page)


class Slurm(Documentation):
    @classmethod
    def setUpClass(cls):
        from slurm import Slurm as RealSlurm, missing_requirements as missing_slurm  # pylint: disable=C0415
        if missing_slurm():
            raise unittest.SkipTest(missing_slurm())
        cls.cluster = support.VirtualCluster(2, shared_home=True)
        cls.cluster.start()
        RealSlurm(cls.cluster).start()

    def test_every_page(self):
        inventory = next(block for block in blocks(REPOSITORY / "docs" / "quick-start.md") if block.file_name() == "cluster.yaml")
        self.cluster.run(["sh", "-c", "mkdir -p ${XDG_CONFIG_HOME:-~/.config}/rankscope && cat > ${XDG_CONFIG_HOME:-~/.config}/rankscope/cluster.yaml"],
                         input=inventory.text, check=True)
        self.run_page(REPOSITORY / "docs" / "slurm.md")


if __name__ == "__main__":
    support.main()
