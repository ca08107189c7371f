#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What `rankscopectl` shows on a real pseudo-terminal, and what it keeps secret, with runs on this computer."""
from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

from support import CTL, SLOW

# What a hostile or careless rank writes. Each line is one attack; none may reach the terminal as it is.
HOSTILE = r'''
import sys
def w(data):
    sys.stdout.buffer.write(data + b"\n")
w(b"clear \x1b[2J\x1b[H screen")
w(b"cursor \x1b[5A\x1b[2K up")
w(b"title \x1b]0;owned\x07 end")
w(b"clipboard \x1b]52;c;ZXZpbA==\x1b\\ end")
w(b"device \x1b[6n\x1b[c\x1bP+q544e\x1b\\ query")
w(b"10 %\r50 %\rreturned")
w(b"done in 0 s: All 1 ranks finished.")
w(b"x" * 20 + b" " * 400 + b"done in 0 s: All 1 ranks finished.")
w("c1 \u009b2J \u009d0;owned\u009c end".encode())
w(b"raw c1 \x9b2J end")
w(b"not utf-8 \xff\xfe\xc0\x80 end")
w("reordered \u202etxt.exe end".encode())
w(b"colour \x1b[1;31mred\x1b[0m plain")
w(b"colour \x1b[32mleft on")
sys.stdout.flush()
sys.stderr.buffer.write(b"error \x1b[2J\x1b]0;owned\x07\n")
sys.stderr.buffer.write(b"done in 0 s: All 1 ranks finished.\n")
sys.stderr.flush()
sys.exit(3)
'''
COLUMNS = 100


class LocalRun(unittest.TestCase):
    """A home of its own: nothing of the user's is read or written."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = Path(self.folder.name)
        self.environment = {**{key: value for key, value in os.environ.items() if not key.startswith("XDG_")}, "HOME": str(self.home)}

    def job(self, script: str, **overrides) -> str:
        (self.home / "script.py").write_text(script, encoding="utf-8")
        job = {"name": "terminal", "nodes": ["local"], "procs_per_node": 1, "master_port": 0,
               "command": [sys.executable, str(self.home / "script.py")], **overrides}
        path = self.home / "job.yaml"
        path.write_text(json.dumps(job), encoding="utf-8")
        return str(path)

    def ctl(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return subprocess.run([CTL, *arguments], env=self.environment, capture_output=True, timeout=60 * SLOW, check=False, **options)

    def on_terminal(self, *arguments: str) -> tuple[int, bytes]:
        """The exit code and every byte that the terminal got."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(CTL, [CTL, *arguments], self.environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, COLUMNS, 0, 0))
        shown = b""
        while True:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # its only user ended
                break
            if not data:
                break
            shown += data
        os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown

    def last_run(self) -> str:
        return json.loads(self.ctl("--json", "runs", "list").stdout)["runs"][0]["run"]


class Terminal(LocalRun):
    SGR = re.compile(rb"\x1b\[[0-9;:]*m")

    def assert_harmless(self, shown: bytes, is_json: bool = False):
        text = self.SGR.sub(b"", shown).replace(b"\r\n", b"\n").decode("utf-8")  # raises on what is not UTF-8
        for character in text:
            self.assertFalse((ord(character) < 0x20 and character != "\n") or 0x7F <= ord(character) < 0xA0 or (character == "\u202e" and not is_json),
                             f"{character!r} reached the terminal:\n{text!r}")
        return text

    def test_a_hostile_rank_cannot_reach_the_terminal(self):
        job = self.job(HOSTILE)
        code, shown = self.on_terminal("run", job)
        self.assertEqual(code, 1)
        text = self.assert_harmless(shown)
        for expected in ("clear \\x1b[2J\\x1b[H screen", "cursor \\x1b[5A\\x1b[2K up", "title \\x1b]0;owned\\x07 end",
                         "clipboard \\x1b]52;c;ZXZpbA==\\x1b\\ end", "c1 \\u009b2J", "raw c1 \\x9b2J end", "not utf-8 \\xff\\xfe\\xc0\\x80 end",
                         "[rank 0] returned", "reordered \\u202e"):
            self.assertIn(expected, text)
        self.assertIn(b"\x1b[1;31mred\x1b[0m", shown, "colours pass")
        # A line that looks like ours has the rank's prefix, or the bar of a quotation; ours is the one that failed.
        for line in text.split("\n"):
            if "All 1 ranks finished" in line:
                self.assertRegex(line, r"^(  \[rank 0\] |    \| )")
        self.assertRegex(text, r"(?m)^failed in ")
        # The colour that was left on ends with its line, whatever follows.
        left_on = next(line for line in shown.split(b"\r\n") if b"left on" in line)
        self.assertTrue(left_on.endswith(b"\x1b[0m"), left_on)

    def test_what_is_stored_is_as_harmless(self):
        self.assertEqual(self.ctl("run", self.job(HOSTILE)).returncode, 1)
        for arguments in (("runs", "show", self.last_run()), ("runs", "attach", self.last_run()), ("runs", "export", self.last_run())):
            with self.subTest(arguments=arguments):
                _, shown = self.on_terminal(*arguments)
                self.assert_harmless(shown, is_json=arguments[1] == "export")  # JSON is data: its text keeps the marks of writing

    def test_without_a_terminal_the_log_is_data(self):
        piped = self.ctl("run", self.job(HOSTILE)).stdout
        self.assertIn(b"[rank 0] title \x1b]0;owned\x07 end", piped)
        quoted = [line for line in piped.split(b"\n") if line.startswith(b"    | ")]
        self.assertTrue(quoted)
        for line in quoted:
            self.assertNotIn(b"\x1b", line, "a quotation is ours")

    def test_the_remedy_is_printed(self):
        path = self.job("")
        job = json.loads(Path(path).read_text(encoding="utf-8"))
        job["command"] = [sys.executable, "no-such-script.py"]
        Path(path).write_text(json.dumps(job), encoding="utf-8")
        refused = self.ctl("run", path)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no-such-script.py does not exist on local. Copy it with push:", refused.stdout.decode())
        Path(path).write_text(json.dumps({**job, "preflight": "off"}), encoding="utf-8")
        run = self.ctl("run", path)
        self.assertEqual(run.returncode, 1)
        shown = self.ctl("runs", "show", self.last_run())
        for output in (run.stdout.decode(), shown.stdout.decode()):
            self.assertIn("The script is not on local", output)
            self.assertIn("-> Copy it with push:", output)
        diagnoses = json.loads(self.ctl("--json", "runs", "show", self.last_run()).stdout)["diagnoses"]
        self.assertEqual([(entry["id"], entry["node"], entry["rank"]) for entry in diagnoses], [("script-missing", "local", 0)])


class Secrets(LocalRun):
    TOKEN = "hf-9d8c7b6a5f"
    NAMED = "plain-1a2b3c4d5e"
    SCRIPT = ("import os, time\n"
              "assert os.environ['HF_TOKEN'] == '" + TOKEN + "' and os.environ['LICENCE'] == '" + NAMED + "'\n"
              "print('has both', flush=True)\n"
              "while not os.path.exists(os.path.expanduser('~/go')):\n    time.sleep(0.02)\n")

    def job_with_secrets(self) -> str:
        return self.job(self.SCRIPT, env={"HF_TOKEN": self.TOKEN, "LICENCE": self.NAMED, "PLAIN": "visible"}, secret_env=["LICENCE"])

    def files_with_a_secret(self) -> list[str]:
        own = {"job.yaml", "script.py"}
        return [str(path) for path in self.home.rglob("*") if path.is_file() and path.name not in own
                and any(secret.encode() in path.read_bytes() for secret in (self.TOKEN, self.NAMED))]

    def assert_no_secret(self, output: bytes, where: str):
        for secret in (self.TOKEN, self.NAMED):
            self.assertNotIn(secret.encode(), output, where)

    def test_secrets_are_not_shown_and_do_not_stay(self):
        job = self.job_with_secrets()
        for arguments in (("plan", job), ("--json", "plan", job)):
            plan = self.ctl(*arguments).stdout
            self.assertIn(b"***", plan)
            self.assertIn(b"visible", plan)
            self.assert_no_secret(plan, "plan")
        run = subprocess.Popen([CTL, "--json", "run", job], env=self.environment, stdout=subprocess.PIPE)
        self.addCleanup(run.stdout.close)
        output = b""
        command_lines = b""
        for line in run.stdout:
            output += line
            if b"has both" in line:
                # Whoever runs `ps` meanwhile: no command line has the run's token or a secret.
                for entry in Path("/proc").glob("[0-9]*"):
                    try:
                        command_lines += (entry / "cmdline").read_bytes() + b"\n"
                    except OSError:
                        pass
                spec, = [path for path in self.home.rglob("spec") if path.is_file()]
                # Field 2 of StartRun; the hash of the bundle looks alike and is no secret.
                tokens = set(re.findall(rb"\x12[\x20-\x7f]([0-9a-f]{32,})", spec.read_bytes()))
                self.assertEqual(os.stat(spec).st_mode & 0o077, 0)
                (self.home / "go").touch()
        self.assertEqual(run.wait(60 * SLOW), 0, output)
        self.assertTrue(tokens, "the spec of a live run has its token")
        for token in tokens:
            self.assertNotIn(token, command_lines)
        self.assert_no_secret(command_lines, "ps")
        self.assert_no_secret(output, "run --json")
        run_id = self.last_run()
        for arguments in (("runs", "show", run_id), ("--json", "runs", "show", run_id), ("runs", "export", run_id)):
            self.assert_no_secret(self.ctl(*arguments).stdout, " ".join(arguments))
        self.assertIn(b"***", self.ctl("runs", "show", run_id).stdout)
        self.assertEqual(self.files_with_a_secret(), [])
        self.assertFalse(any(token in spec.read_bytes() for token in tokens), "the token does not stay either")

    def test_a_stored_job_asks_for_its_secrets(self):
        (self.home / "go").touch()
        self.assertEqual(self.ctl("run", self.job_with_secrets()).returncode, 0)
        again = self.ctl("runs", "rerun", self.last_run())
        self.assertEqual(again.returncode, 2, again.stdout)
        self.assertIn(b"HF_TOKEN", again.stdout + again.stderr)
        first = self.last_run()
        self.assertEqual(self.ctl("runs", "rerun", first, "--set", f"env.HF_TOKEN={self.TOKEN}", "--set", f"env.LICENCE={self.NAMED}").returncode, 0)
        self.assertEqual(self.files_with_a_secret(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
