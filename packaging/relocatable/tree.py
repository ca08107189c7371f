# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder with everything that Rankscope needs beyond the C and C++ run-time libraries; it runs wherever it lies.

bin/ lib/rankscope/ share/  as installed
lib/rankscope/libs/         shared libraries of the programs here, each with the licence of its package
lib/rankscope/qt/           Qt's plugins, translations, and a font for systems without one
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

# Every system that is new enough has these, and its own must be used: glibc and GCC's run-time libraries.
OF_THE_SYSTEM = re.compile(r"^(linux-vdso|ld-linux[-\w]*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|libstdc\+\+|libgcc_s)\.so\b")
PROGRAMS = {"bin/rankscopectl": "$ORIGIN/../lib/rankscope/libs", "lib/rankscope/rankscope-askpass": "$ORIGIN/libs"}
WINDOW = {"bin/rankscope": "$ORIGIN/../lib/rankscope/libs"}
# Relative to Qt's folder of plugins. GL and printing are not used.
QT_PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqminimal.so", "iconengines/libqsvgicon.so", "imageformats/libqsvg.so",
              "platforminputcontexts/libcomposeplatforminputcontextplugin.so", "platforminputcontexts/libibusplatforminputcontextplugin.so")
FONTS = ("DejaVuSans.ttf", "DejaVuSansMono.ttf")
FONT_FOLDER = Path("/usr/share/fonts/truetype/dejavu")
# For systems without /etc/fonts; folders are those that fontconfig itself names.
FONT_CONFIGURATION = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir prefix="xdg">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
"""


class Missing(Exception):
    """Something of this computer is missing; the text says what installs it."""


def said_by(*command) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{' '.join(str(word) for word in command)} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def needed(file: Path) -> dict[str, Path]:
    """The libraries that the loader opens for a file, directly and indirectly: name → path."""
    found = {}
    for line in said_by("ldd", file).splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if not arrow:
            continue
        if path.startswith("not found"):
            raise Missing(f"{file} needs {name}, which is not installed: ./packaging/setup")
        found[name] = Path(path.rsplit(" (", 1)[0])
    return found


def qt_folders() -> tuple[Path, Path]:
    for tool in ("qtpaths6", "qmake6", "/usr/lib/qt6/bin/qtpaths"):
        if shutil.which(tool):
            query = ["-query"] if "qmake" in tool else ["--query"]
            return tuple(Path(said_by(tool, *query, name).strip()) for name in ("QT_INSTALL_PLUGINS", "QT_INSTALL_TRANSLATIONS"))
    raise Missing("neither qtpaths6 nor qmake6 is there: ./packaging/setup")


def licences_of(libraries: list[Path], folder: Path) -> None:
    """The copyright file of each Debian package that a library is of."""
    folder.mkdir(parents=True)
    for path in libraries:
        # dpkg knows some files by their names before /lib became a link to /usr/lib.
        names = {str(path), str(path.resolve()), str(path.resolve()).removeprefix("/usr"), "/usr" + str(path)}
        owners = subprocess.run(["dpkg-query", "--search", *sorted(names)], capture_output=True, text=True, check=False).stdout
        package = owners.split(":", 1)[0].split(",")[0].strip()
        text = Path("/usr/share/doc") / package / "copyright"
        if not package or not text.exists():
            raise Missing(f"{path}: no Debian package with a copyright file has it, so it cannot be passed on")
        shutil.copyfile(text, folder / f"{package}.txt")


def add_libraries(tree: Path, files: list[Path]) -> list[Path]:
    wanted: dict[str, Path] = {}
    for file in files:
        wanted.update((name, path) for name, path in needed(file).items() if not OF_THE_SYSTEM.match(name))
    folder = tree / "lib/rankscope/libs"
    folder.mkdir()
    for name, path in sorted(wanted.items()):
        shutil.copyfile(path, folder / name)
        (folder / name).chmod(0o644)
    return [wanted[name] for name in sorted(wanted)]


def add_qt(tree: Path) -> list[Path]:
    plugins, translations = qt_folders()
    folder = tree / "lib/rankscope/qt"
    sources = [plugins / name for name in QT_PLUGINS]
    missing = [path for path in [*sources, *(FONT_FOLDER / name for name in FONTS)] if not path.exists()]
    if missing:
        raise Missing(f"{', '.join(str(path) for path in missing)} missing: ./packaging/setup")
    for name, source in zip(QT_PLUGINS, sources):
        (folder / "plugins" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / "plugins" / name)
    (folder / "translations").mkdir()
    for file in translations.glob("qtbase_zh_CN.qm"):
        shutil.copyfile(file, folder / "translations" / file.name)
    (folder / "fonts").mkdir()
    for name in FONTS:
        shutil.copyfile(FONT_FOLDER / name, folder / "fonts" / name)
    (folder / "fonts/fonts.conf").write_text(FONT_CONFIGURATION, encoding="utf-8")
    return sources


def make(build: Path, source: Path, tree: Path, window: bool) -> None:
    """Installs the build into `tree`, which must not exist, and adds what a bare system lacks."""
    tree.mkdir(parents=True)
    for component in ["headless", *(["desktop"] if window else [])]:
        said_by("cmake", "--install", build, "--prefix", tree, "--component", component, "--strip")
    programs = {**PROGRAMS, **(WINDOW if window else {})}
    plugins = add_qt(tree) if window else []
    libraries = add_libraries(tree, [*(tree / name for name in programs), *plugins])
    for name, path in programs.items():
        # DT_RPATH, not DT_RUNPATH: it must hold for the needs of the libraries and plugins, too.
        said_by("patchelf", "--force-rpath", "--set-rpath", path, tree / name)
    texts = tree / "share/doc" / ("rankscope" if window else "rankscope-headless")
    licences_of([*libraries, *plugins, *([FONT_FOLDER / FONTS[0]] if window else [])], texts / "libraries")
    shutil.copyfile(source / "LICENSE", texts / "LICENSE")


def glibc_of(tree: Path) -> tuple[int, int]:
    """The oldest glibc that has all symbols of the programs and libraries that run here."""
    newest = (2, 17)
    for path in sorted(tree.rglob("*")):
        # The worker brings a C library for older nodes, and another processor's programs do not run here.
        if "aarch64" in path.parts or path.is_symlink() or not path.is_file() or path.name.startswith("glibc-") or path.open("rb").read(4) != b"\x7fELF":
            continue
        for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", said_by("readelf", "--version-info", "--wide", path)):
            newest = max(newest, (int(major), int(minor)))
    return newest


def size_of(tree: Path) -> int:
    return sum(os.lstat(path).st_size for path in tree.rglob("*") if path.is_file())
