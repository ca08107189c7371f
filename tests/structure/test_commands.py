#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No command is put together by pasting text. A command of a fix comes from command_fix() (base/shell_command.h renders it), and what a literal
begins is continued only by a function that quotes."""
import re
import subprocess
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["base", "remote", "gui"]
BUILDER = "remote/diagnosis/command_fix.cpp"
PROGRAMS = (r"(?:sudo|kill|rankscopectl|ssh|ssh-\w+|scp|nft|iptables|ufw|firewall-cmd|chmod|chown|rm|mv|systemctl|sysctl|mount|prlimit|hostnamectl"
            r"|setfacl)")
PASTED = re.compile(rf'"{PROGRAMS} [^"\n]*"\s*\+(?!\s*(?:shell_quote|copied_word)\()')
FIX = re.compile(r"\{\s*(?:\.node = [^{}]*?,\s*)?\.command = ")


def pasted(files: dict) -> list:
    found = []
    for path, code in files.items():
        for pattern in (PASTED, FIX):
            if pattern is FIX and path == BUILDER:
                continue
            found += [f"{path}:{code[:match.start()].count(chr(10)) + 1}: {match.group(0)}" for match in pattern.finditer(code)]
    return found


class Commands(unittest.TestCase):
    def test_no_command_is_pasted(self):
        names = subprocess.run(["git", "ls-files", *FOLDERS], cwd=REPOSITORY, capture_output=True, text=True).stdout.split("\n")
        files = {name: (REPOSITORY / name).read_text(encoding="utf-8") for name in names if name.endswith((".cpp", ".h"))}
        if not files:
            self.skipTest("no git repository")
        self.assertEqual(pasted(files), [])

    def test_finds_what_it_looks_for(self):
        self.assertEqual(len(pasted({"a.cpp": 'auto x = "kill " + pid;'})), 1)
        self.assertEqual(len(pasted({"a.cpp": "fixes.push_back({.node = name,\n  .command = text});"})), 1)
        self.assertEqual(pasted({"a.cpp": 'auto x = "rm " +\n    shell_quote(path);', BUILDER: "return {.node = node, .command = c.str()};"}), [])


if __name__ == "__main__":
    unittest.main()
