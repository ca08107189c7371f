# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A wheel of a folder with bin/, lib/ and share/ (binary distribution format 1.0, packaging.python.org/specifications): programs only, no module."""
from __future__ import annotations

import base64
import hashlib
import os
import time
import zipfile
from pathlib import Path

SUMMARY = "Launch, watch and diagnose distributed training over SSH"


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata(name: str, version: str, window: bool) -> str:
    what = "The window and rankscopectl, its command line." if window else "rankscopectl, the command line: no window, no Qt."
    return (f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {SUMMARY}\nLicense-Expression: GPL-3.0-or-later\n"
            "License-File: LICENSE\nClassifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: Scientific/Engineering\n\n"
            f"{what} Starts data-parallel training on several nodes over SSH or Slurm, shows the metrics and output of every rank, and names the rank,\n"
            "node and reason of a failure. Nothing has to be installed on the nodes. No Python runs: the wheel carries programs.\n")


def starter(target: str) -> bytes:
    """Wheels have no links: what starts a program elsewhere in the environment."""
    return f'#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/{target}" "$@"\n'.encode()


class Writer:
    def __init__(self, archive: zipfile.ZipFile, seconds: int):
        self.archive = archive
        self.time = time.gmtime(max(seconds, 315619200))[:6]  # a ZIP archive begins in 1980
        self.record: list[str] = []

    def add(self, name: str, content: bytes, executable: bool = False) -> None:
        entry = zipfile.ZipInfo(name, self.time)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self.archive.writestr(entry, content, compresslevel=6)
        self.record.append(f"{name},{digest(content)},{len(content)}")


def make(tree: Path, out: Path, version: str, window: bool, glibc: tuple[int, int], seconds: int) -> Path:
    name = "rankscope" if window else "rankscope-headless"
    stem = f"{name.replace('-', '_')}-{version}"
    tag = f"py3-none-manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}"
    path = out / f"{stem}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        writer = Writer(archive, seconds)
        for file in sorted(tree.rglob("*")):
            if file.is_dir():
                continue
            place = file.relative_to(tree).as_posix()
            scripts = place.startswith("bin/")
            inside = f"{stem}.data/" + (f"scripts/{place.removeprefix('bin/')}" if scripts else f"data/{place}")
            if scripts and file.is_symlink():
                writer.add(inside, starter(os.readlink(file)), executable=True)
            else:
                writer.add(inside, file.read_bytes(), executable=os.access(file, os.X_OK))
        info = f"{stem}.dist-info"
        writer.add(f"{info}/METADATA", metadata(name, version, window).encode())
        writer.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: rankscope packaging/portable\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        writer.add(f"{info}/licenses/LICENSE", next(tree.glob("share/doc/*/LICENSE")).read_bytes())
        record = "".join(f"{line}\n" for line in writer.record) + f"{info}/RECORD,,\n"
        writer.add(f"{info}/RECORD", record.encode())
    return path
