# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user does on this GPU: `rankscopectl` from a clean home probes two nodes, checks them, and runs a native job and a torch script on
them; a rank is frozen, and one is killed. The two nodes are two SSH servers of this machine; NCCL_HOSTID makes two hosts of them.

Bundles of the runs and all that was printed lie in product.tar.gz of the results."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tarfile
import tempfile
import time

import runs

from .machine import Missing, nvidia_folders

HERE = pathlib.Path(__file__).resolve().parent.parent
NODES = ("a", "b")
NATIVE = {"model": "resnet18", "dataset": {"name": "synthetic-digits", "train_size": 12800, "test_size": 1000}, "epochs": 2,
          "batch_size": 128, "optimizer": {"name": "sgd", "lr": 0.02, "momentum": 0.9}}
HOST_IDS = {"0": {"NCCL_HOSTID": "a"}, "1": {"NCCL_HOSTID": "b"}}
VERDICT_S = 60


class Servers:
    """An SSH server for each node, on the loopback device; each node has a cache folder of its own."""

    def __init__(self, folder, sshd):
        self.folder, self.processes, self.ports = folder, [], {}
        keys = folder / "keys"
        keys.mkdir()
        for name in ("host", "user"):
            subprocess.run([tool("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", keys / name], check=True)
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        for node in NODES:
            self.ports[node] = runs.free_port()
            cache = folder / f"cache-{node}"
            cache.mkdir()
            options = {"ListenAddress": "127.0.0.1", "AuthorizedKeysFile": keys / "user.pub", "StrictModes": "no", "UsePAM": "no",
                       "PidFile": "none", "PermitRootLogin": "yes", "MaxStartups": "50", "SetEnv": f"XDG_CACHE_HOME={cache}"}
            self.processes.append(subprocess.Popen([sshd, "-D", "-e", "-f", "/dev/null", "-h", keys / "host", "-p", str(self.ports[node]),
                                                    *(f"-o{key}={value}" for key, value in options.items())],
                                                   stdin=subprocess.DEVNULL, stderr=open(folder / f"sshd-{node}.log", "wb")))

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()


def tool(name):
    found = shutil.which(name) or next((str(place / name) for place in (HERE / "tools", pathlib.Path("/usr/sbin")) if (place / name).exists()), "")
    if not found:
        raise Missing(f"{name} is missing")
    return found


class Desk:
    """rankscopectl with a home of its own; each call leaves what it printed."""

    def __init__(self, folder, program, servers, budget):
        self.folder, self.program, self.budget, self.steps = folder, str(program), budget, []
        self.home, self.said = folder / "home", folder / "said"
        (self.home / ".ssh").mkdir(parents=True)
        self.said.mkdir()
        shutil.copy2(folder / "keys/user", self.home / ".ssh/id_ed25519")
        config = self.home / ".config/rankscope"
        config.mkdir(parents=True)
        nodes = [{"name": name, "host": "127.0.0.1", "port": servers.ports[name], "user": "root"} for name in NODES]
        (config / "cluster.yaml").write_text(json.dumps({"nodes": nodes}), encoding="utf-8")
        kept = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        self.environment = {**kept, "HOME": str(self.home)}

    def call(self, name, *words, limit=90, json_too=False):
        """Exit status and text of one call; 124: it took too long."""
        begin = time.monotonic()
        command = [self.program, "--accept-new-host-keys", *(["--json"] if json_too else []), *map(str, words)]
        with open(self.said / f"{name}.txt", "w+", encoding="utf-8", errors="replace") as out:
            try:
                code = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=self.environment,
                                      timeout=self.budget.limit(limit), cwd=self.folder).returncode
            except subprocess.TimeoutExpired:
                code = 124
            out.seek(0)
            text = out.read()
        lines = [line for line in text.splitlines() if line.strip()]
        self.steps.append({"step": name, "exit": code, "s": round(time.monotonic() - begin, 2), "last": lines[-1][:300] if lines else ""})
        return code, text

    def job(self, name, **keys):
        job = {"name": name, "nodes": list(NODES), "procs_per_node": 1, "master_port": 0, "rank_env": HOST_IDS, **keys}
        (self.folder / f"{name}.yaml").write_text(json.dumps(job), encoding="utf-8")
        return f"{name}.yaml"

    def newest_run(self):
        done = subprocess.run([self.program, "--json", "runs", "list"], text=True, capture_output=True, env=self.environment)
        return json.loads(done.stdout)["runs"][0]["run"]

    def bundle(self, run, name):
        self.call(f"bundle-{name}", "bundle", run, "-o", self.folder / f"{name}.rankscope", limit=60)


def rank_process(word, rank, patience=30):
    """The rank's process: the one with RANK in its environment whose command has `word`."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if (entry.name.isdigit() and word in (entry / "cmdline").read_text() and
                        f"RANK={rank}" in (entry / "environ").read_text().split("\0")):
                    return int(entry.name)
            except (OSError, UnicodeDecodeError):
                continue
        time.sleep(0.1)
    raise RuntimeError(f"no process of rank {rank} with {word}")


def wait_until(holds, patience):
    """Seconds until `holds()`; None: it did not come to that."""
    begin = time.monotonic()
    while time.monotonic() - begin < patience:
        if holds():
            return round(time.monotonic() - begin, 1)
        time.sleep(0.2)
    return None


def observed(desk, kind, job, word, fault):
    """One run with a fault in it; what the product says before and after."""
    path = desk.said / f"{kind}-run.txt"
    with open(path, "wb") as out:
        followed = subprocess.Popen([desk.program, "--accept-new-host-keys", "run", job], stdin=subprocess.DEVNULL, stdout=out,
                                    stderr=subprocess.STDOUT, env=desk.environment, cwd=desk.folder)
    result = {}
    try:
        result["steps_after_s"] = wait_until(lambda: "rank 1: step" in path.read_text(errors="replace") or followed.poll() is not None, 60)
        pid, run = rank_process(word, 1), desk.newest_run()
        result["run"] = run
        time.sleep(5)  # some seconds of ordinary training for the curves and the operations
        if kind.startswith("script"):
            desk.call(f"{kind}-ras", "nccl", "ras", run, limit=30)
            desk.call(f"{kind}-flight", "nccl", "flight", run, limit=40)
        os.kill(pid, fault)
        result["verdict_after_s"] = wait_until(lambda: "ank 1 " in path.read_text(errors="replace").rpartition("step")[2], VERDICT_S)
        if fault == signal.SIGSTOP:
            desk.call(f"{kind}-doctor", "doctor", run, limit=45)
            if kind.startswith("script"):
                desk.call(f"{kind}-ras-frozen", "nccl", "ras", run, limit=30)
            os.kill(pid, signal.SIGCONT)
            desk.call(f"{kind}-stop", "runs", "stop", run, limit=60)
        followed.wait(timeout=60)
        result["exit"] = followed.returncode
        desk.call(f"{kind}-collectives", "collectives", run, limit=30)
        desk.call(f"{kind}-show", "runs", "show", run)
        desk.bundle(run, kind)
    finally:
        if followed.poll() is None:  # SIGINT: the run ends with it, whatever time is left
            followed.send_signal(signal.SIGINT)
            try:
                followed.wait(timeout=30)
            except subprocess.TimeoutExpired:
                followed.kill()
    return result


def left_over(folder):
    """Processes that belong to the nodes of this check and outlive their run."""
    left = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder) in (entry / "environ").read_text() and "RANK=" in (entry / "environ").read_text():
                left.append((entry / "cmdline").read_text().replace("\0", " ")[:120])
        except (OSError, UnicodeDecodeError):
            continue
    return left


def run(machine, budget, keep):
    machine.needs_torch()
    sshd = tool("sshd")
    program = HERE / "installed/usr/bin/rankscopectl"
    if not program.exists():
        raise Missing("rankscopectl is not in the archive (--package takes it along)")
    with tempfile.TemporaryDirectory(prefix="gpu-product-") as name:
        folder = pathlib.Path(name)
        servers = Servers(folder, sshd)
        desk = Desk(folder, program, servers, budget)
        report = {}
        try:
            _run(machine, desk, folder, lambda: keep({**report, "steps": desk.steps}), report)
        finally:
            servers.stop()
            keep({**report, "steps": desk.steps, "left_over": left_over(folder)})
            with tarfile.open(pathlib.Path(os.environ.get("OUT") or ".") / "product.tar.gz", "w:gz") as out:
                for path in (*sorted(folder.glob("*.rankscope")), *sorted(folder.glob("*.yaml")), *sorted(folder.glob("*.log")), desk.said):
                    out.add(path, path.name)
    return any(one["exit"] not in (0, 3) for one in desk.steps)


def _run(machine, desk, folder, keep, report):
    gpu = {} if machine.dry else {"LD_LIBRARY_PATH": ":".join(nvidia_folders(machine.python)), "NCCL_SOCKET_IFNAME": "lo",
                                  "NCCL_IB_DISABLE": "1", "NCCL_MAX_CTAS": "2", "NCCL_MNNVL_ENABLE": "0"}
    device = {"device": "cpu", "model": "convnet"} if machine.dry else {"device": "cuda", "precision": "bf16"}
    desk.call("probe", "probe", *NODES)
    desk.call("probe-json", "probe", *NODES, json_too=True)
    # What a user meets who has NVIDIA's libraries from pip alone.
    desk.call("preflight-bare", "preflight", "--quick", desk.job("bare", train={**NATIVE, **device}), limit=60)
    native = desk.job("native", train={**NATIVE, **device}, env=gpu, nccl_profiler="full")
    desk.call("preflight", "preflight", native, limit=90)
    desk.call("native", "run", native, limit=150)
    report["native"] = {"run": desk.newest_run()}
    desk.call("native-collectives", "collectives", report["native"]["run"], limit=30)
    desk.bundle(report["native"]["run"], "native")
    keep()
    for script in ("ddp_script.py", "networks.py"):
        shutil.copy2(HERE / "peers" / script, folder / script)
    common = {"command": [machine.python, "ddp_script.py", "--steps", "100000"], "push": ["ddp_script.py", "networks.py"],
              "nccl_profiler": "full", "backend": "gloo" if machine.dry else "nccl",
              "env": {**{key: value for key, value in gpu.items() if key != "LD_LIBRARY_PATH"}, "TORCH_FR_BUFFER_SIZE": "2000"}}
    report["script_killed"] = observed(desk, "script-killed", desk.job("script-killed", **common), "ddp_script.py", signal.SIGKILL)
    keep()
    report["script_frozen"] = observed(desk, "script-frozen", desk.job("script-frozen", **common), "ddp_script.py", signal.SIGSTOP)
    keep()
    endless = desk.job("native-frozen", train={**NATIVE, **device, "epochs": 1000}, env=gpu, nccl_profiler="full")
    report["native_frozen"] = observed(desk, "native-frozen", endless, "rankscope-worker", signal.SIGSTOP)
    keep()
