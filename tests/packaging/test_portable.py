#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheel and the tarball of a build: complete, below 100 MB, with nothing of this computer; then the wheel in a bare Debian 12.

  test_portable.py BUILD [CLASS…]    BUILD: a finished build, with the window"""
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PORTABLE = ROOT / "packaging" / "portable"
# What a program may take from the system that it runs on.
SYSTEM = re.compile(r"^(linux-vdso|/lib64/ld-linux-x86-64|lib(c|m|dl|pthread|rt|resolv|util|anl|stdc\+\+|gcc_s))\.so")
build = Path()


def made(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([PORTABLE, "--build", build, *words], capture_output=True, text=True, check=False)


def unpack(wheel: Path, folder: Path) -> None:
    """As pip does: scripts into bin, data into the environment's folder."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            _, _, place = entry.filename.partition(".data/")
            if not place:
                continue
            kind, _, name = place.partition("/")
            target = folder / ("bin" if kind == "scripts" else "") / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))
            target.chmod(0o755 if entry.external_attr >> 16 & 0o111 else 0o644)


class Artefacts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="portable-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.done = made("--only", "rankscope-headless", "--out", str(cls.folder / "out"))
        cls.wheel = next(iter((cls.folder / "out").glob("*.whl")), None)
        cls.tarball = next(iter((cls.folder / "out").glob("*.tar.gz")), None)

    def test_both_formats_are_made_and_small(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(sorted(path.name for path in (self.folder / "out").iterdir()), sorted([self.wheel.name, self.tarball.name]))
        for path in (self.wheel, self.tarball):
            self.assertLess(path.stat().st_size, 100e6, path.name)

    def test_the_record_has_every_file_of_the_wheel(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
            rows = dict(line.rsplit(",", 2)[0:2] for line in record.splitlines())
            self.assertEqual(set(rows), set(names))
            for name, listed in rows.items():
                if listed:
                    digest = base64.urlsafe_b64encode(hashlib.sha256(archive.read(name)).digest()).rstrip(b"=").decode()
                    self.assertEqual(listed, f"sha256={digest}", name)
            tag = re.search(r"^Tag: (\S+)$", archive.read(next(name for name in names if name.endswith("/WHEEL"))).decode(), re.MULTILINE)
        self.assertTrue(self.wheel.name.endswith(f"-{tag.group(1)}.whl"))

    def test_every_library_is_inside_or_of_the_system(self):
        folder = self.folder / "environment"
        unpack(self.wheel, folder)
        programs = [folder / "bin/rankscopectl", folder / "lib/rankscope/rankscope-askpass", folder / "lib/rankscope/worker/rankscope-worker"]
        for program in programs:
            said = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
            for line in said.splitlines():
                name, _, path = line.strip().partition(" => ")
                inside = path.startswith(f"{folder}/")
                self.assertTrue(inside or SYSTEM.match(name), f"{program.name}: {line.strip()}")

    def test_programs_start_wherever_they_lie(self):
        folder = self.folder / "a folder with blanks"
        folder.mkdir()
        with tarfile.open(self.tarball) as archive:
            archive.extractall(folder)
        place = next(folder.iterdir())
        unpack(self.wheel, folder / "wheel")
        for top in (place, folder / "wheel"):
            for program in ("rankscopectl", "rankscope-worker"):
                done = subprocess.run([top / "bin" / program, "--version"], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, r"^rankscope\S* \d+\.\d+\.\d+")
        recipe = place / "share/rankscope/recipes/mnist-quickstart.yaml"
        done = subprocess.run([place / "bin/rankscopectl", "plan", recipe], capture_output=True, text=True, check=False,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(folder)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_passed_on_library_has_its_licence(self):
        with tarfile.open(self.tarball) as archive:
            names = archive.getnames()
        libraries = [name for name in names if "/lib/rankscope/libs/" in name]
        self.assertGreater(len(libraries), 10)
        licences = [name for name in names if "/libraries/" in name and name.endswith(".txt")]
        self.assertTrue(any("libssh" in name for name in licences), licences)
        self.assertTrue(any(name.endswith("/LICENSE") for name in names))

    def test_the_same_build_gives_the_same_files(self):
        again = made("--only", "rankscope-headless", "--format", "wheel", "--out", str(self.folder / "again"))
        self.assertEqual(again.returncode, 0, again.stderr)
        other = next((self.folder / "again").iterdir())
        self.assertEqual(other.read_bytes(), self.wheel.read_bytes())


class Refusals(unittest.TestCase):
    def test_a_folder_without_programs_is_refused_with_a_remedy(self):
        with tempfile.TemporaryDirectory() as folder:
            done = made("--build", folder, "--out", f"{folder}/out")
            self.assertEqual(done.returncode, 1)
            self.assertIn("has no rankscopectl: ./packaging/build makes it", done.stderr)

    def test_a_missing_tool_is_named_with_its_package(self):
        done = subprocess.run([sys.executable, PORTABLE], capture_output=True, text=True, check=False, env={"PATH": "/nonexistent"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install cmake patchelf", done.stderr)


class BareSystem(unittest.TestCase):
    def test_the_wheel_trains_and_opens_its_window_in_a_bare_debian(self):
        if os.getuid() != 0:
            self.skipTest("needs root (debootstrap, chroot)")
        with tempfile.TemporaryDirectory(prefix="portable-") as folder:
            done = made("--only", "rankscope", "--format", "wheel", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            wheel = next(Path(folder).glob("*.whl"))
            self.assertLess(wheel.stat().st_size, 100e6)
            tried = subprocess.run([ROOT / "packaging" / "try-portable", wheel], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            print(tried.stdout)
            if tried.returncode == 77:
                self.skipTest(tried.stdout.strip().splitlines()[-1])
            self.assertEqual(tried.returncode, 0, tried.stdout)


if __name__ == "__main__":
    build = Path(sys.argv.pop(1)).resolve()
    if not shutil.which("patchelf"):
        print("skipped: patchelf is missing: ./packaging/setup --tests")
        sys.exit(77)
    unittest.main()
