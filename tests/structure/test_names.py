#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""No two types have one qualified name. Compiler and linker say nothing where they do: one file then uses the other type's functions, which
has ended in std::bad_array_new_length far from its cause."""
import re
import subprocess
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("base", "remote", "gui", "engine")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))? \{")
# "struct A::Impl" and a declaration alone define no A.
TYPE = re.compile(r"^(?:class|struct|union|enum class|enum)\s+(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?(?:\{|$)")


def types_of(text: str) -> set:
    """Qualified names of the types that a file defines outside of functions, types and unnamed namespaces."""
    spaces, found = [], set()
    for line in text.splitlines():
        if begin := NAMESPACE.match(line):
            spaces.append(begin.group(1) or "")
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif "" not in spaces and (named := TYPE.match(line)):
            found.add("::".join([*spaces, named.group(1)]))
    return found


def defined_twice(files: dict) -> list:
    places: dict = {}
    for path, text in sorted(files.items()):
        for name in types_of(text):
            places.setdefault(name, []).append(path)
    return sorted(f"{name}: {', '.join(paths)}" for name, paths in places.items() if len(paths) > 1)


class Names(unittest.TestCase):
    def test_each_type_has_a_name_of_its_own(self):
        listed = subprocess.run(["git", "ls-files", "-z", "--", *FOLDERS], cwd=REPOSITORY, capture_output=True, check=True).stdout.decode()
        names = [name for name in listed.split("\0") if name.endswith((".h", ".cpp", ".cuh", ".cu")) and (REPOSITORY / name).exists()]
        files = {name: (REPOSITORY / name).read_text(encoding="utf-8", errors="replace") for name in names}
        self.assertGreater(sum(len(types_of(text)) for text in files.values()), 1000)
        self.assertEqual(defined_twice(files), [])

    def test_finds_what_it_looks_for(self):
        one = "namespace a {\nstruct B {\n};\nnamespace {\nstruct C {\n};\n}  // namespace\n}  // namespace a\n"
        self.assertEqual(defined_twice({"x.h": one, "y.h": one}), ["a::B: x.h, y.h"])
        self.assertEqual(defined_twice({"x.h": one, "y.cpp": "namespace a {\nstruct B::Impl {\n};\nstruct B;\n}  // namespace a\n"}), [])


if __name__ == "__main__":
    unittest.main()
