# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a Debian package of Rankscope consists of and needs. Nothing is listed by hand: the package's control file names what it depends on,
its files name the libraries that the loader opens, the linker says which archives it read, and the compiler which headers."""
from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import system


@dataclass
class Components:
    """Relations are (from, type, to) as SPDX names them; names are Debian packages, unowned files or `artefact`."""
    artefact: str  # name of the package of Rankscope
    packages: set[str] = field(default_factory=set)
    unowned: dict[str, str] = field(default_factory=dict)  # path of each file that no package owns, by its name
    provided: set[str] = field(default_factory=set)  # libraries that are the node's
    relations: set[tuple[str, str, str]] = field(default_factory=set)

    def relate(self, begin: str, kind: str, end: str) -> None:
        if begin != end:
            self.relations.add((begin, kind, end))


class Build:
    """A build folder of Ninja."""

    def __init__(self, folder: Path):
        self.folder = folder
        if not (folder / "build.ninja").is_file():
            raise RuntimeError(f"{folder} is no build: ./packaging/build")
        self.targets: dict[str, str] = {}  # by file name: what the linker makes, static archives excepted
        for line in self._ninja("targets", "all").splitlines():
            found = re.match(r"(\S+): \w+_(?:EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)_LINKER__", line)
            if found:
                self.targets.setdefault(found.group(1).rpartition("/")[2], found.group(1))
        cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
        home = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.MULTILINE)
        self.own = [str(folder.resolve()) + "/", (home.group(1) if home else str(folder.resolve())) + "/"]

    def _ninja(self, tool: str, *words: str) -> str:
        return system.output("ninja", "-C", str(self.folder), "-t", tool, *words)

    def _foreign(self, path: str) -> str | None:
        path = str((self.folder / path).resolve())
        return None if path.startswith(tuple(self.own)) else path

    def linked_archives(self, target: str) -> set[str]:
        """Archives and objects of others that are in it: the linker makes it once more, elsewhere, and says what it reads."""
        command = next((part for part in self._ninja("commands", "-s", target).split(" && ") if f" -o {target}" in part), None)
        if command is None:
            raise RuntimeError(f"{self.folder / 'build.ninja'} has no command that links {target}")
        words = shlex.split(command)
        with tempfile.TemporaryDirectory() as folder:
            words[words.index("-o") + 1] = str(Path(folder) / "linked")
            done = subprocess.run([*words, "-Wl,-t,-t"], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{target} cannot be linked again; is {self.folder} built? ./packaging/build\n{done.stderr[-2000:]}")
        found = set()
        for line in done.stdout.splitlines():
            # GNU's linker says (archive)member, LLVM's archive(member); an archive of which nothing is taken has no such line.
            match = re.fullmatch(r"\((.+\.a)\)\S+|(.+\.a)\(\S+\)|(.+\.o)", line.strip())
            path = match and self._foreign(next(filter(None, match.groups())))
            if path:
                found.add(path)
        return found

    def headers(self, targets) -> set[str]:
        """Headers of others that the objects of these targets include."""
        objects = {line for line in self._ninja("inputs", *targets).splitlines() if line.endswith(".o")}
        found, inside = set(), False
        for line in self._ninja("deps").splitlines():
            if not line.startswith(" "):
                inside = line.partition(": #deps")[0] in objects
            elif inside:
                found.add(line.strip())
        return {path for path in map(self._foreign, found) if path}


def _names(field_text: str) -> list[list[str]]:
    """Of a dependency field: for each entry its alternatives."""
    entries = [[re.split(r"[\s(:\[]", word.strip())[0] for word in entry.split("|")] for entry in field_text.split(",")]
    return [entry for entry in entries if entry[0]]


def _control(package: Path, name: str) -> str:
    return system.output("dpkg-deb", "--field", str(package), name).strip()


class _Reader:
    def __init__(self, package: Path, build: Build):
        self.package = package
        self.build = build
        self.it = Components(_control(package, "Package"))
        self.wanted: dict[str, None] = {}  # libraries of this computer that are still to be looked at

    def _add_files(self, paths, kind: str) -> None:
        owner = system.owners(paths)
        for path in sorted(paths):
            name = owner.get(path)
            if name is None:
                name = Path(path).name
                self.it.unowned[name] = path
            else:
                self.it.packages.add(name)
            self.it.relate(self.it.artefact, kind, name)

    def files(self, root: Path) -> None:
        elf = sorted(path for path in root.rglob("*") if not path.is_symlink() and system.is_elf(path))
        built = {path: self.build.targets[path.name] for path in elf if path.name in self.build.targets}
        # Copies of Debian's libraries; which package a copy is of, the loader's name for it says.
        copies = set()
        for path in elf:
            if path not in built:
                original = system.library(path.name.removeprefix("glibc-"))
                if original is None:
                    raise RuntimeError(f"{self.package.name}: where does {path.relative_to(root)} come from? No library here has its name")
                copies.add(original)
        self._add_files(copies, "CONTAINS")
        # A library next to the program is in the package, and the program finds it there.
        named = {name for path, names in system.needed(elf).items() for name in names if not (Path(path).parent / name).exists()}
        originals = {name: path for name in named if (path := system.library(name))}
        installed = set(system.owners(originals.values()))
        self._add_files(installed, "DYNAMIC_LINK")
        self.wanted.update(dict.fromkeys(sorted(installed)))
        for name in named:
            if originals.get(name) not in installed:
                self.it.provided.add(name)
                self.it.relate(name, "PROVIDED_DEPENDENCY_OF", self.it.artefact)
        archives: set[str] = set()
        for target in sorted(set(built.values())):
            archives |= self.build.linked_archives(target)
        self._add_files(archives, "STATIC_LINK")
        headers = system.owners(self.build.headers(sorted(set(built.values()))))
        for name in set(headers.values()):
            self.it.packages.add(name)
            if (self.it.artefact, "STATIC_LINK", name) not in self.it.relations:
                self.it.relate(name, "BUILD_DEPENDENCY_OF", self.it.artefact)

    def dependencies(self) -> None:
        for alternatives in _names(_control(self.package, "Depends")):
            known = system.installed(alternatives)
            name = next((name for name in alternatives if known[name].version), alternatives[0])
            self.it.packages.add(name)
            if (self.it.artefact, "DYNAMIC_LINK", name) not in self.it.relations:
                self.it.relate(self.it.artefact, "DEPENDS_ON", name)
                self.wanted.update(dict.fromkeys(system.libraries_in(name)))  # plugins
        for alternatives in _names(_control(self.package, "Recommends")):
            self.it.packages.add(alternatives[0])
            self.it.relate(alternatives[0], "OPTIONAL_DEPENDENCY_OF", self.it.artefact)

    def libraries(self) -> None:
        """What those libraries need in turn."""
        seen: set[str] = set()
        while self.wanted:
            now = [path for path in self.wanted if path not in seen]
            self.wanted = {}
            seen.update(now)
            pairs = [(path, found) for path, names in system.needed(now).items() for name in names
                     if (found := system.library(name, user=path))]
            owner = system.owners({path for pair in pairs for path in pair})
            for path, found in pairs:
                if path in owner and found in owner:
                    self.it.packages.add(owner[found])
                    self.it.relate(owner[path], "DYNAMIC_LINK", owner[found])
                self.wanted[found] = None


def components_of(package: Path, build: Build) -> Components:
    reader = _Reader(package, build)
    with tempfile.TemporaryDirectory() as folder:
        system.output("dpkg-deb", "--extract", str(package), folder)
        reader.files(Path(folder))
    reader.dependencies()
    reader.libraries()
    return reader.it
