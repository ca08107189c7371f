# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the machine has: Rankscope's programs, NVIDIA's libraries, PyTorch, tools."""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

NAMES = {"worker": "rankscope-worker", "bench": "rankscope-worker-bench", "tests": "engine_cuda_test", "plugin": "librankscope-nccl.so"}


class Missing(Exception):
    """A part cannot run on this machine; the text says what is missing."""


@dataclass
class Machine:
    programs: dict                    # of NAMES: path; absent when it was not built
    python: str                       # that has torch, where one has
    device: str = "cuda"              # cpu in a dry run
    torch: str = ""                   # its version; empty: none
    torch_fault: str = ""             # why not
    peers_environment: dict = field(default_factory=dict)

    @property
    def dry(self):
        return self.device == "cpu"

    def program(self, name):
        if name not in self.programs:
            raise Missing(f"{NAMES[name]} is not in the archive")
        return str(self.programs[name])

    def needs_gpu(self):
        if self.dry:
            raise Missing("needs a GPU")

    def needs_torch(self):
        if not self.torch:
            raise Missing(f"{self.python} has no torch: {self.torch_fault}")


def nvidia_folders(python):
    """Where pip put NVIDIA's libraries, if it did. Newer wheels share one folder (nvidia/cu13/lib)."""
    asked = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True,
                           capture_output=True)
    return sorted(glob.glob(asked.stdout.strip() + "/nvidia/*/lib")) if asked.returncode == 0 else []


def look(folder, python, dry):
    """The machine as it is, with LD_LIBRARY_PATH of this process set for our programs."""
    programs = {key: (folder / name).resolve() for key, name in NAMES.items() if (folder / name).exists()}
    own = os.environ.get("LD_LIBRARY_PATH", "")
    # Packed libraries first for our programs; peers use only what PyTorch brings.
    os.environ["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(folder.resolve()), *nvidia_folders(python), own]))
    machine = Machine(programs, python, "cpu" if dry else "cuda", peers_environment={"LD_LIBRARY_PATH": own})
    try:
        asked = subprocess.run([python, "-c", "import torch; print(torch.__version__)"], text=True, capture_output=True,
                               env=dict(os.environ, LD_LIBRARY_PATH=own), timeout=120)
        lines = (asked.stdout if asked.returncode == 0 else asked.stderr).strip().splitlines()
        said = lines[-1] if lines else f"exit status {asked.returncode}"
        machine.torch, machine.torch_fault = (said, "") if asked.returncode == 0 else ("", said)
    except (OSError, subprocess.TimeoutExpired) as e:
        machine.torch_fault = str(e)
    return machine


def answer(command, limit=60):
    """Exit status and text; a program that does not end or start is no reason to end the call."""
    try:
        asked = subprocess.run(command, text=True, capture_output=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as e:
        return 1, str(e)
    return asked.returncode, (asked.stdout if asked.returncode == 0 else asked.stderr or asked.stdout).strip()


def describe(machine):
    """Device, driver and library versions, as the worker and nvidia-smi report them."""
    found = {"torch": machine.torch or machine.torch_fault, "cpus": os.cpu_count()}
    if "worker" in machine.programs:
        code, text = answer([machine.program("worker"), "--capabilities"])
        try:
            found["capabilities"] = json.loads(text) if code == 0 else text
        except ValueError:
            found["capabilities"] = text
    if shutil.which("nvidia-smi"):
        code, text = answer(["nvidia-smi", "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.mem,power.limit",
                             "--format=csv,noheader"])
        found["gpus" if code == 0 else "nvidia-smi"] = text.splitlines()
    found["tools"] = [tool for tool in ("ncu", "compute-sanitizer", "nvcc") if find_tool(tool)]
    return found


def find_tool(name):
    """A tool of the CUDA toolkit, in PATH or where the toolkit installs it; None: not there."""
    usual = pathlib.Path("/usr/local/cuda/bin") / name
    return shutil.which(name) or (str(usual) if usual.exists() else None)


class Clocks:
    """What the GPU reports of its clock, power and temperature while something runs, twice a second."""

    FIELDS = ("clocks.sm", "power.draw", "temperature.gpu")

    def __enter__(self):
        self.program = shutil.which("nvidia-smi")
        if self.program:
            self.out = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen([self.program, "--query-gpu=" + ",".join(self.FIELDS), "--format=csv,noheader,nounits", "-lms", "500"],
                                            stdout=self.out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.load = os.getloadavg()[0]
        if self.program:
            self.process.terminate()
            self.process.wait()

    def summary(self):
        """The greatest of each, and the load of the CPUs."""
        found = {"load": self.load}
        if self.program:
            self.out.seek(0)
            rows = [line.split(",") for line in self.out.read().splitlines()]
            for number, name in enumerate(self.FIELDS):
                values = [float(row[number]) for row in rows if len(row) == len(self.FIELDS) and row[number].strip().replace(".", "").isdigit()]
                if values:
                    found[name] = max(values)
            self.out.close()
        return found
