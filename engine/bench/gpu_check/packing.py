# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One archive with all that a machine needs which has a driver, PyTorch with pip's NVIDIA libraries, and nothing else."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from .machine import NAMES

LARGEST_MIB = 40
# glibc, the compiler's library and NVIDIA's are the machine's own.
LEFT_OUT = re.compile(
    r"^(ld-linux|libc\.|libm\.|libdl|libpthread|librt|libresolv|linux-vdso|libstdc|libgcc_s|libcu|libnccl|libnv)")
SCRIPTS = ("gpu-check", "runs.py", "gpu_check", "peers")


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


def pack(build_folder, bench, archive):
    """Writes `archive` (.tar.xz); returns its size in MiB."""
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
        for file in libraries.iterdir():
            subprocess.run(["strip", "--strip-unneeded", file], check=True)
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
