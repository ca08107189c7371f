#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No function that a header declares is left without a use. It compares names, so it finds only what is certain: a name that stands nowhere
in the repository except where it is declared or defined. What the compiler sees alone (static functions, variables) it reports itself."""
import re
import subprocess
import unittest
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FOLDERS = ["base", "remote", "gui", "engine"]
# Names that a library, the compiler or a macro calls.
CALLED_FROM_ELSEWHERE = re.compile(r"^(?:operator|main|~.*|.*Event|event|eventFilter|paint|sizeHint|minimumSizeHint|heightForWidth|hasHeightForWidth"
                                   r"|data|setData|flags|headerData|rowCount|columnCount|index|parent|roleNames|sort|lessThan|filterAcceptsRow"
                                   r"|start_object|key|end_object|start_array|end_array|number_\w+|null|boolean|string|binary|parse_error)$")
DECLARED = re.compile(r"(?:[\w>&*\]]\s+|[&*])(~?[A-Za-z_]\w*)\(")
NO_NAMES = {"if", "for", "while", "switch", "return", "sizeof", "catch", "operator", "decltype", "alignof", "static_assert", "defined", "alignas",
            "noexcept", "requires", "explicit"}


def code_of(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"\b(?:return|co_return|throw|else|case)\b", ";", text)  # a word before a call that looks like the type of a declaration


def without_override(line: str) -> bool:
    return not re.search(r"\b(?:override|final)\b", line)


def unused(files: dict) -> list:
    """Of a dictionary from path to code: "path: function" for what is declared in a header and used nowhere."""
    uses = Counter()
    for code in files.values():
        uses.update(re.findall(r"~?\b[A-Za-z_]\w*\b", code))
    declared = {}
    for path, code in files.items():
        if path.endswith((".h", ".cuh")) and path.split("/")[0] in FOLDERS:
            for line in filter(without_override, code.split("\n")):
                if line.lstrip().startswith("#"):
                    continue
                for name in DECLARED.findall(line):
                    if name not in NO_NAMES and not CALLED_FROM_ELSEWHERE.match(name):
                        declared.setdefault(name, path)
    found = []
    for name, path in sorted(declared.items()):
        # At most twice: declared and defined. Only then it is worth a closer look.
        if uses[name] > 2:
            continue
        places = sum(len(re.findall(rf"(?:[\w>&*\]]\s+|[&*]|::){re.escape(name)}\(", line))
                     for code in files.values() for line in code.split("\n") if name in line)
        calls = sum(len(re.findall(rf"(?:\.|->)\s*{re.escape(name)}\(", code)) for code in files.values())
        if calls == 0 and places >= uses[name]:
            found.append(f"{path}: {name}")
    return found


class Unused(unittest.TestCase):
    def test_a_function_without_a_use_is_found(self):
        files = {"base/a.h": "int used();\nvoid idle(int);\nint twice() const { return less(2); }\nint size() const { return 1; }",
                 "base/a.cpp": "void idle(int) {}\nint used() { return 3; }",
                 "tests/a.cpp": "int main() { return used() + a.size(); }\nint less(int a) { return a; }"}
        self.assertEqual(unused({path: code_of(text) for path, text in files.items()}), ["base/a.h: idle", "base/a.h: twice"])

    def test_every_declared_function_is_used(self):
        listed = subprocess.run(["git", "ls-files", *FOLDERS, "tests", "*.py"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            self.skipTest("this is not a git checkout")
        names = {name for name in listed.stdout.splitlines() if re.search(r"\.(h|cpp|cu|cuh|in)$", name) and (REPOSITORY / name).exists()}
        self.assertEqual(unused({name: code_of((REPOSITORY / name).read_text(encoding="utf-8", errors="replace")) for name in names}), [], "declared and defined, but never used: remove them")


if __name__ == "__main__":
    unittest.main()
