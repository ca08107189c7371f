# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One archive with all that a machine needs which has a driver, PyTorch with pip's NVIDIA libraries, and nothing else."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from .machine import NAMES

LARGEST_MIB = 64
# glibc, the compiler's library and NVIDIA's are the machine's own.
LEFT_OUT = re.compile(
    r"^(ld-linux|libc\.|libm\.|libdl|libpthread|librt|libresolv|linux-vdso|libstdc|libgcc_s|libcu|libnccl|libnv)")
SCRIPTS = ("gpu-check", "runs.py", "gpu_check", "peers")
# Not every machine with a GPU has an SSH server.
TOOLS = ("sshd", "ssh-keygen")


def build(root, folder, architectures):
    options = ["GUI=OFF", "REMOTE=OFF", "BENCHMARKS=OFF", "TESTS=ON", "CUDA=ON"]
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                    f"-DCMAKE_CUDA_ARCHITECTURES={architectures}", *("-DRANKSCOPE_" + option for option in options)],
                   check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "rankscope-worker", "rankscope-worker-bench", "rankscope-cuda", "rankscope-nccl",
                    "engine_cuda_test"], check=True, stdout=sys.stderr)


def built_files(folder):
    """Of a build folder: program or library by its file name."""
    found = {}
    for name in (*NAMES.values(), "librankscope-cuda.so"):
        for path in folder.rglob(name):
            if path.is_file():
                found[name] = path
    return found


def libraries_of(path):
    listed = subprocess.run(["ldd", path], text=True, capture_output=True, check=True).stdout
    return {name: os.path.realpath(place) for name, place in re.findall(r"^\s*(\S+) => (/\S+)", listed, re.MULTILINE)
            if not LEFT_OUT.match(name)}


def pack_product(package, top):
    """The package, unpacked, SSH's programs and what rankscopectl and they load."""
    tools = top / "tools"
    tools.mkdir()
    subprocess.run(["dpkg", "-x", package, top / "installed"], check=True)
    programs = [top / "installed/usr/bin/rankscopectl"]
    for tool in TOOLS:
        place = shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if not place:
            raise SystemExit(f"{tool} is missing: apt-get install openssh-server")
        programs.append(pathlib.Path(shutil.copy2(place, tools / tool)))
    for program in programs:
        for needed, place in libraries_of(program).items():
            shutil.copy2(place, top / "bin" / needed)


def join_equal_files(top):
    """What lies there twice becomes a link: the package has most libraries of the programs."""
    known = {}
    for path in sorted(top.rglob("*"), key=lambda path: "installed" not in path.parts):
        if path.is_file() and not path.is_symlink():
            digest = hashlib.sha256(path.read_bytes()).digest()
            first = known.setdefault(digest, path)
            if first != path and path.stat().st_size > 2**16:
                path.unlink()
                path.hardlink_to(first)


def pack(build_folder, bench, archive, package=None):
    """Writes `archive` (.tar.xz); returns its size in MiB. `package`: rankscope-headless_*.deb, for the part "product"."""
    files = built_files(build_folder)
    missing = sorted({*NAMES.values(), "librankscope-cuda.so"} - files.keys())
    if missing:
        raise SystemExit(f"{build_folder} does not hold {', '.join(missing)}: build it with RANKSCOPE_CUDA=ON, tests included")
    with tempfile.TemporaryDirectory() as name:
        top = pathlib.Path(name) / "gpu-check"
        libraries = top / "bin"
        libraries.mkdir(parents=True)
        for name, path in files.items():
            shutil.copy2(path, libraries / name)
            for needed, place in libraries_of(path).items():
                if needed not in files:
                    shutil.copy2(place, libraries / needed)
        if package:
            pack_product(package, top)
        for file in libraries.iterdir():
            subprocess.run(["strip", "--strip-unneeded", file], check=True)
        join_equal_files(top)
        for script in SCRIPTS:
            copy = shutil.copytree if (bench / script).is_dir() else shutil.copy2
            copy(bench / script, top / script)
        for cache in top.rglob("__pycache__"):
            shutil.rmtree(cache)
        with tarfile.open(archive, "w:xz", preset=6) as out:
            out.add(top, "gpu-check")
    size = archive.stat().st_size / 2**20
    if size > LARGEST_MIB:
        archive.unlink()
        raise SystemExit(f"{archive}: {size:.0f} MiB, more than the {LARGEST_MIB} MiB that travel")
    return size
