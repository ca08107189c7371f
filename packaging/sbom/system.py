# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What this computer's package database knows: whose a file is, which version is installed, under which licence."""
from __future__ import annotations

import functools
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Short names of Debian's copyright files that SPDX writes differently, in lower case.
SPDX_NAMES = {"expat": "MIT", "mit": "MIT", "isc": "ISC", "zlib": "Zlib", "apache-2.0": "Apache-2.0", "bsd-2-clause": "BSD-2-Clause",
              "bsd-3-clause": "BSD-3-Clause", "bsd-4-clause": "BSD-4-Clause", "cc0": "CC0-1.0", "cc0-1.0": "CC0-1.0", "mpl-1.1": "MPL-1.1",
              "mpl-2.0": "MPL-2.0", "boost-1.0": "BSL-1.0", "bsl-1.0": "BSL-1.0", "ftl": "FTL", "ijg": "IJG", "ofl-1.1": "OFL-1.1",
              "openssl": "OpenSSL", "unlicense": "Unlicense", "x11": "X11"}
GNU_VERSIONS = {"GPL": {"1.0", "2.0", "3.0"}, "LGPL": {"2.0", "2.1", "3.0"}, "AGPL": {"3.0"}}


@dataclass(frozen=True)
class Installed:
    """A Debian package; without a version where it is not installed here."""
    name: str
    version: str = ""
    architecture: str = ""
    source: str = ""
    source_version: str = ""
    homepage: str = ""


@dataclass
class Licence:
    """An SPDX expression; names that SPDX does not know are references whose text is in `texts`."""
    expression: str
    texts: dict[str, str] = field(default_factory=dict)  # by reference


def output(*command: str, ignore_errors: bool = False, **options) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          env={**os.environ, "LC_ALL": "C"}, check=False, **options)
    if done.returncode and not ignore_errors:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[-2000:]}")
    return done.stdout


def distribution() -> str:
    """As os-release names it: debian, ubuntu."""
    found = re.search(r"^ID=\"?([\w.-]+)", Path("/etc/os-release").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1) if found else "debian"


def _names_of(path: str) -> list[str]:
    """Under which names a package may have the file: /lib is a link to /usr/lib, a library is a link to its version."""
    names = []
    for name in (os.path.normpath(path), os.path.realpath(path)):
        names += [name, name.removeprefix("/usr") if name.startswith("/usr/lib") else "/usr" + name if name.startswith("/lib") else name]
    return names


_owners: dict[str, str | None] = {}  # what has been asked already: each question reads the whole database


def owners(paths) -> dict[str, str]:
    """The package of each file; files that belong to none are left out."""
    paths = [str(path) for path in paths]
    candidates = {path: _names_of(path) for path in paths if path not in _owners}
    asked = sorted({name for names in candidates.values() for name in names})
    by_name: dict[str, str] = {}
    for begin in range(0, len(asked), 2000):
        for line in output("dpkg-query", "--search", *asked[begin:begin + 2000], ignore_errors=True).splitlines():
            found = re.match(r"([a-z0-9][a-z0-9+.-]*)(?::\w+)?(?:, .*)?: (/.*)$", line)
            if found:
                by_name[found.group(2)] = found.group(1)
    for path, names in candidates.items():
        _owners[path] = next((by_name[name] for name in reversed(names) if name in by_name), None)
    return {path: owner for path in paths if (owner := _owners[path])}


def installed(names) -> dict[str, Installed]:
    form = "\t".join(f"${{{key}}}" for key in ("db:Status-Status", "Package", "Version", "Architecture", "source:Package", "source:Version",
                                              "Homepage")) + "\n"
    found = {name: Installed(name) for name in names}
    if found:
        for line in output("dpkg-query", "--show", "--showformat", form, *sorted(found), ignore_errors=True).splitlines():
            status, *values = line.split("\t")
            if status == "installed":
                found[values[0]] = Installed(*values)
    return found


def libraries_in(package: str) -> list[str]:
    """What a program may load of it: its shared libraries and plugins."""
    listed = output("dpkg-query", "--listfiles", package, ignore_errors=True).splitlines()
    return [path for path in listed if re.search(r"\.so(\.[\d.]+)?$", path) and is_elf(Path(path))]


def is_elf(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(paths) -> dict[str, list[str]]:
    """The shared libraries that each ELF file names."""
    paths = [str(path) for path in paths]
    found: dict[str, list[str]] = {path: [] for path in paths}
    for begin in range(0, len(paths), 500):
        chunk = paths[begin:begin + 500]
        now = chunk[0]
        for line in output("readelf", "--dynamic", "--wide", *chunk).splitlines():
            if line.startswith("File: "):
                now = line[len("File: "):]
            elif "(NEEDED)" in line:
                found[now].append(line[line.index("[") + 1:line.rindex("]")])
    return found


@functools.lru_cache(maxsize=1)
def _loader_cache() -> dict[str, str]:
    paths: dict[str, str] = {}
    for line in output("/sbin/ldconfig", "--print-cache").splitlines():
        found = re.match(r"\s+(\S+) \(.*\) => (/\S+)$", line)
        if found:
            paths.setdefault(found.group(1), found.group(2))
    return paths


def library(name: str, user: str = "") -> str | None:
    """Where the loader finds it: in its folders, or next to the library that needs it (`user`)."""
    path = _loader_cache().get(name)
    if path is None and user and (Path(user).parent / name).exists():
        path = str(Path(user).parent / name)
    return path


# --- licences -------------------------------------------------------------------------------------------------------------------------

def _paragraphs(text: str):
    for block in re.split(r"\n[ \t]*\n", text):
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            found = re.match(r"([A-Za-z][\w-]*):[ \t]*(.*)$", line)
            if found:
                name = found.group(1).lower()
                fields[name] = found.group(2)
            elif name and not line.startswith("#"):
                fields[name] += "\n" + line
        yield fields


def _known(name: str) -> str | None:
    if name.lower() in SPDX_NAMES:
        return SPDX_NAMES[name.lower()]
    gnu = re.fullmatch(r"(A?GPL|LGPL)-(\d)(\.\d)?(\+)?", name)
    if gnu:
        family, version = gnu.group(1), gnu.group(2) + (gnu.group(3) or ".0")
        if version in GNU_VERSIONS[family]:
            return f"{family}-{version}-{'or-later' if gnu.group(4) else 'only'}"
    return None


def _expression(said: str, reference) -> str:
    """`A or B, and C` binds as Debian says: a comma after the words without one."""
    for separator, operator in ((r", and ", "AND"), (r", or ", "OR"), (r" or ", "OR"), (r" and ", "AND")):
        parts = [part.strip(" ,") for part in re.split(separator, said, flags=re.IGNORECASE)]
        if len(parts) > 1:
            return "(" + f" {operator} ".join(_expression(part, reference) for part in parts) + ")"
    return _known(said) or reference(said)


def read_licence(text: str, scope: str) -> Licence | None:
    """Of a copyright file; None where it is not in the form that programs can read. References are named after `scope`."""
    paragraphs = list(_paragraphs(text))
    if not paragraphs or "copyright-format" not in paragraphs[0].get("format", paragraphs[0].get("format-specification", "")):
        return None
    texts: dict[str, str] = {}
    for fields in paragraphs:
        name, _, body = fields.get("license", "").partition("\n")
        if name.strip() and body.strip():
            texts.setdefault(name.strip(), re.sub(r"(?m)^ (\.$)?", "", body).strip())
    used: dict[str, str] = {}

    def reference(name: str) -> str:
        identifier = f"LicenseRef-{scope}-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name).strip("-")
        used[identifier] = texts.get(name) or f"Named {name} in the copyright file of {scope}."
        return identifier

    terms = []
    for fields in paragraphs:
        patterns = fields.get("files", "").split()
        name = fields.get("license", "").partition("\n")[0].strip()
        if patterns and name and not all(pattern.startswith("debian/") for pattern in patterns):
            terms.append(_expression(re.sub(r"\s+", " ", name), reference))
    return Licence(" AND ".join(sorted(set(terms))), used) if terms else None


def licence_of(package: Installed) -> Licence | None:
    path = Path("/usr/share/doc") / package.name / "copyright"
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return read_licence(text, package.source or package.name)
