#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl` with files and processes of somebody who means harm: hostile_texts_command.py PROGRAM"""
import io
import json
import os
import pty
import resource
import select
import socket
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"
MEMORY = 3 << 30
# Clipboard, title, clear screen; the same as C1 controls; reordering.
ESCAPES = "\x1b]52;c;ZXZpbA==\x07\x1b]0;owned\x07\x1b[2J\u009b2J\u202e"
SECRET = "Zq7xK2pW9vT4mB3n"
LISTENER = """import socket, sys
# a script has lines
server = socket.socket()
server.bind(("0.0.0.0", int(sys.argv[1])))
server.listen()
print("ready", flush=True)
sys.stdin.read()
"""


def plan() -> dict:
    return {"job_name": "n", "world_size": 1, "backend": "gloo", "nodes": [], "ranks": []}


def bundle(file: Path, run: str, **changes) -> Path:
    """A failure bundle with parts that are given here in place of good ones."""
    event = {"kind": "log", "node": "node1", "rank": 0, "seq": 1, "t_us": 5, "body": {"stream": "stdout", "text": f"hello {ESCAPES}\n"}}
    parts = {
        "manifest.json": json.dumps({"format": "rankscope failure bundle", "version": 1, "run": run, "events": 1, "program": "p"}),
        "run.json": json.dumps({"run": run, "name": f"n{ESCAPES}", "started_us": 1, "ended_us": 2, "outcome": "failed", "exit_code": 1,
                                "summary": f"s{ESCAPES}"}),
        "job.yaml": f"# {ESCAPES}\nname: n\ncommand: [python3, train.py, --api-key, {SECRET}]\n",
        "plan.json": changes.pop("plan", None) or json.dumps(PLAN),
        "events/000001.jsonl": json.dumps(event) + "\n"}
    parts.update({name.replace("__", "/").replace("_json", ".json").replace("_yaml", ".yaml"): text for name, text in changes.items()})
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, text in parts.items():
            content = text.encode("utf-8", "surrogateescape")
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file


PLAN = plan()


class HostileTexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="rankscope-hostile-")
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "cluster.yaml").write_text("nodes: []\n", encoding="utf-8")
        # The plan of a real one-rank job: what a bundle has to have.
        (cls.folder / "job.yaml").write_text("name: n\nnodes: [local]\nprocs_per_node: 1\ncommand: ['true']\n", encoding="utf-8")
        planned = cls.run_program("--json", "plan", "job.yaml")
        assert planned.returncode == 0, planned.stderr
        PLAN.update(json.loads(planned.stdout))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def command(cls, *arguments):
        return [PROGRAM, "--cluster", str(cls.folder / "cluster.yaml"), "--data-dir", str(cls.folder / "data"), *arguments]

    @classmethod
    def environment(cls):
        return {**os.environ, "XDG_CACHE_HOME": str(cls.folder / "cache"), "XDG_CONFIG_HOME": str(cls.folder / "config")}

    @classmethod
    def run_program(cls, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

        return subprocess.run(cls.command(*arguments), capture_output=True, cwd=cls.folder, check=False, env=cls.environment(),
                              preexec_fn=limit if "san" not in PROGRAM else None)

    def on_terminal(self, *arguments) -> str:
        """What a terminal gets."""
        master, slave = pty.openpty()
        process = subprocess.Popen(self.command(*arguments), stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=self.folder,
                                   env=self.environment(), close_fds=True)
        os.close(slave)
        output = b""
        while True:
            ready, _, _ = select.select([master], [], [], 300)
            self.assertTrue(ready, "no output for five minutes")
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            output += piece
        os.close(master)
        self.assertEqual(process.wait(), 0, output)
        return output.decode("utf-8")

    def assert_obeys_nothing(self, output: str):
        for part in ("\x1b]", "\x07", "\x1b[2J", "\u009b", "\u202e"):
            self.assertNotIn(part, output)

    def import_refused(self, name, **changes):
        done = self.run_program("runs", "import", str(bundle(self.folder / f"{name}.rankscope", name, **changes)))
        self.assertGreater(done.returncode, 0, f"{name}: ended by a signal, or accepted: {done.stderr[-300:]}")
        self.assertIn(b"damaged", done.stderr, name)

    def test_bundles_that_explode_are_refused(self):
        begin = '{"kind":"metric","node":"node1","rank":0,"seq":1,"t_us":5,"body":'
        self.import_refused("nested", **{"events__000001.jsonl": begin + "[" * 100_000 + "]" * 100_000 + "}\n"})
        self.import_refused("objects", **{"events__000001.jsonl": begin + '{"a":' * 100_000 + "1" + "}" * 100_001 + "\n"})
        self.import_refused("values", **{"events__000001.jsonl": begin + "[" + "0," * 8_000_000 + "0]}\n"})
        self.import_refused("plan", plan="[" * 1_000_000)
        self.import_refused("yaml", job_yaml="a: [" + "0," * 20_000_000 + "0]\n")
        self.import_refused("deep", job_yaml="[" * 900_000)
        self.import_refused("itself", job_yaml="a: &a [*a]\n")

    def test_members_that_are_no_parts_are_refused(self):
        outside = self.folder / "outside"
        outside.write_text("as it was", encoding="utf-8")

        def refused(name, member, content=b""):
            file = bundle(self.folder / f"{name}.rankscope", name)
            with tarfile.open(file, "a", format=tarfile.PAX_FORMAT) as archive:
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            done = self.run_program("runs", "import", str(file))
            self.assertGreater(done.returncode, 0, name)
            self.assertEqual(outside.read_text(encoding="utf-8"), "as it was", name)
            self.assertNotIn(name.encode(), self.run_program("runs", "list").stdout)

        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            member = tarfile.TarInfo("facts.json")
            member.type = kind
            member.linkname = str(outside)
            refused(f"kind{kind[0]}", member)
        for number, name in enumerate(("../outside", str(outside), "events/../../outside", "./job.yaml/../../outside", "job.yaml\n",
                                       "events/000001.jsonl/x", "EVENTS/000002.jsonl", "\u202emanifest.json")):
            refused(f"name{number}", tarfile.TarInfo(name), b"theirs")
        for twice in ("manifest.json", "job.yaml", "plan.json", "run.json"):
            refused(f"twice-{twice[:3]}", tarfile.TarInfo(twice), b"{}")
        many = self.folder / "many.rankscope"
        bundle(many, "many")
        with tarfile.open(many, "a", format=tarfile.USTAR_FORMAT) as archive:
            for number in range(200_000):
                archive.addfile(tarfile.TarInfo(f"events/{number + 2:06}.jsonl"))
        self.assertGreater(self.run_program("runs", "import", str(many)).returncode, 0)

    def test_a_run_of_others_does_nothing_to_the_terminal(self):
        done = self.run_program("runs", "import", str(bundle(self.folder / "fine.rankscope", "fine")))
        self.assertEqual(done.returncode, 0, done.stderr)
        for arguments in (["runs", "show", "fine"], ["runs", "list"], ["runs", "list", "--columns", "job:command"], ["runs", "log", "fine"],
                          ["runs", "export", "fine", "--format", "csv"], ["--json", "runs", "show", "fine"], ["--json", "runs", "list"]):
            output = self.on_terminal(*arguments)
            self.assertTrue(output.strip(), arguments)
            self.assert_obeys_nothing(output)
            if arguments[-1] != "csv" and "log" not in arguments:
                self.assertNotIn(SECRET, output, arguments)
        self.assertIn("[redacted]", self.on_terminal("runs", "show", "fine"))

    def test_a_stored_job_that_explodes_spoils_no_list(self):
        for run in ("good", "bad"):
            done = self.run_program("runs", "import", str(bundle(self.folder / f"{run}.rankscope", run)))
            self.assertEqual(done.returncode, 0, done.stderr)
        with sqlite3.connect(next((self.folder / "data").glob("*.sqlite"))) as store:
            # As an earlier version let it in.
            store.execute("UPDATE runs SET job_yaml = ? WHERE run_id = 'bad'", ("a: [" + "0," * 5_000_000 + "0]\n",))
        for arguments in (["runs", "list", "--columns", "job:command,job:unreadable"], ["runs", "compare", "good", "bad"], ["--json", "runs", "list"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0, (arguments, done.stderr[-300:]))
            self.assertIn(b"good", done.stdout)
        self.assertIn(b"unreadable", self.run_program("runs", "compare", "good", "bad").stdout)
        self.assertEqual(self.run_program("runs", "show", "bad").returncode, 0)

    def test_a_command_of_several_lines_is_one_line_of_a_table(self):
        with socket.socket() as free:
            free.bind(("0.0.0.0", 0))
            port = free.getsockname()[1]
        with subprocess.Popen([sys.executable, "-c", f"# {ESCAPES}\n" + LISTENER, str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            self.assertEqual(holder.stdout.readline(), b"ready\n")
            output = self.on_terminal("clean", "local", "--port", str(port))
            self.assert_obeys_nothing(output)
            lines = output.split("\r\n")
            self.assertEqual(len([line for line in lines if line.strip()]), 2, output)
            self.assertIn("\\n", lines[1])
            (self.folder / "held.yaml").write_text(f"name: n\nnodes: [local]\nprocs_per_node: 1\nmaster_port: {port}\npreflight: off\ncommand: ['true']\n",
                                                   encoding="utf-8")
            done = self.run_program("run", "held.yaml")
            said = [line for line in (done.stdout + done.stderr).decode().split("\n") if f"Port {port} is in use" in line]
            self.assertTrue(said, done.stdout + done.stderr)
            self.assertIn("import socket", said[0])
            self.assertNotIn("    | ", (done.stdout + done.stderr).decode())
            holder.stdin.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
