#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""librankscope-nccl.so is loaded inside the user's container: it must need nothing that a libc of 2012 (glibc 2.17) lacks, no C++ library,
and show nothing but NCCL's tables.  test_symbols.py LIBRARY"""
import ctypes
import os
import re
import subprocess
import sys
import unittest

LIBRARY = ""
NEWEST = (2, 17)


def objdump(option: str) -> str:
    return subprocess.run(["objdump", option, LIBRARY], capture_output=True, text=True, check=True).stdout


class Symbols(unittest.TestCase):
    def test_only_old_versions_are_needed(self):
        needed = re.findall(r"\*UND\*\s+\S+\s+\(?(\w+)_([\w.]+)\)?\s+(\S+)", objdump("-T"))
        self.assertTrue(needed)
        wrong = [f"{name}@{library}_{version}" for library, version, name in needed
                 if library != "GLIBC" or tuple(int(part) for part in version.split(".")[:2]) > NEWEST]
        self.assertEqual(wrong, [])

    def test_what_has_no_version_is_weak(self):
        unversioned = re.findall(r"^\S+\s+(.{7})\s\*UND\*\s+\S+\s+(?:Base\s+)?(\S+)$", objdump("-T"), re.MULTILINE)
        self.assertEqual([name for flags, name in unversioned if "w" not in flags], [])

    def test_only_libc_is_needed(self):
        self.assertEqual(set(re.findall(r"NEEDED\s+(\S+)", objdump("-p"))), {"libc.so.6", "libdl.so.2"})

    def test_only_the_tables_are_visible(self):
        exported = re.findall(r"^\S+ g.{7}\s*\.\S+\s+\S+\s+(?:\S+\s+)?(\S+)$", objdump("-T"), re.MULTILINE)
        self.assertEqual(sorted(exported), [f"ncclProfiler_v{version}" for version in range(1, 7)])

    def test_it_stays_loaded_and_takes_no_thread_storage(self):
        flags = subprocess.run(["readelf", "-dlW", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertRegex(flags, r"FLAGS_1.*NODELETE")
        self.assertRegex(flags, r"FLAGS_1.*NOW")
        self.assertNotRegex(flags, r"^\s+TLS ")

    def test_it_loads(self):
        library = ctypes.CDLL(LIBRARY, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        for version in range(1, 7):
            self.assertTrue(ctypes.c_void_p.in_dll(library, f"ncclProfiler_v{version}"))


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    unittest.main()
