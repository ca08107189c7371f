# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the integration tests share: where the programs are, jobs, and a run of rankscopectl whose events can be waited for."""
from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path[:0] = [str(REPOSITORY / "tests" / "cluster"), str(REPOSITORY / "tests")]
from machine_speed import machine_slowness  # noqa: E402
from vcluster import SKIP, Unsupported, VirtualCluster, missing_requirements, wait_until  # noqa: E402,F401

BIN = Path(os.environ.get("RANKSCOPE_BIN", REPOSITORY / "build" / "release" / "bin"))
CTL = str(BIN / "rankscopectl")
# A sanitized build is many times slower; what is measured in seconds there says nothing.
SLOW = float(os.environ.get("RANKSCOPE_TEST_SLOWNESS", "1"))


def patience(seconds: float) -> float:
    """For how long to wait for what takes `seconds` at most on a machine that has nothing else to do."""
    return seconds * SLOW * machine_slowness()


# What waits for half a minute and more, beside a shorter test of the same part.
long_test = unittest.skipUnless(os.environ.get("RANKSCOPE_LONG_TESTS"), "long: set RANKSCOPE_LONG_TESTS=1 to run it")


def shared_datasets() -> Path | None:
    for candidate in (os.environ.get("RANKSCOPE_SHARED"), REPOSITORY.parent / "shared"):
        if candidate and (Path(candidate) / "datasets" / "mnist").is_dir():
            return Path(candidate) / "datasets"
    return None


def dataset() -> dict:
    return {"name": "mnist", "root": "/srv/datasets/mnist"} if shared_datasets() else {"name": "synthetic-digits"}


def new_cluster(nodes=2, **options) -> VirtualCluster:
    return VirtualCluster(nodes, datasets=shared_datasets(), **options)


def train_job(nodes, **overrides) -> dict:
    train = {"model": "convnet", "dataset": dataset(), "epochs": 1, "batch_size": 100,
             "optimizer": {"name": "sgd", "lr": 0.01, "momentum": 0.9}}
    job = {"name": "test", "nodes": nodes, "procs_per_node": 1, "train": train}
    for key, value in overrides.items():
        (train if key in ("epochs", "batch_size", "max_steps", "dataset", "optimizer", "model", "shuffle", "log_every", "validate")
         else job)[key] = value
    return job


class Printing:
    """`rankscopectl … --json` at the desk of a cluster; take() gets every event as it is printed, on a thread of its own."""

    def __init__(self, cluster: VirtualCluster, arguments: list, ctl: str = CTL, **options):
        self.process = cluster.popen([ctl, "--cluster", str(cluster.inventory), "--json", *arguments],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self._errors: list[str] = []
        self._threads = [threading.Thread(target=self._read, daemon=True),
                         threading.Thread(target=lambda: self._errors.extend(self.process.stderr), daemon=True)]
        for thread in self._threads:
            thread.start()

    def take(self, event: dict):
        raise NotImplementedError

    def _read(self):
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue  # the last line of a program killed while it printed
            self.take(event)

    def close(self):
        """After the end of the process: what it printed is taken in, its pipes are closed."""
        for thread in self._threads:
            thread.join(60)
        self.process.stdout.close()
        self.process.stderr.close()

    def errors(self) -> str:
        return "".join(self._errors)


class Run(Printing):
    """One whose events are kept, and can be waited for."""

    def __init__(self, cluster: VirtualCluster, arguments: list, **options):
        self.events: list[dict] = []
        self.started = time.monotonic()
        super().__init__(cluster, arguments, **options)

    def take(self, event: dict):
        event["at"] = time.monotonic() - self.started
        self.events.append(event)

    def of(self, kind: str, **values) -> list[dict]:
        return [event for event in list(self.events)
                if event.get("event") == kind and all(event.get(key) == value for key, value in values.items())]

    def wait_for(self, what: str, condition, timeout: float = 60):
        try:
            wait_until(lambda: condition(self) or self.process.poll() is not None, patience(timeout), what)
        except TimeoutError as e:
            raise AssertionError(f"{e}\n{self.explain()}") from e
        if not condition(self):
            raise AssertionError(f"the run ended before: {what}\n{self.explain()}")

    def end(self, timeout: float = 300) -> int:
        try:
            code = self.process.wait(patience(timeout))
        except subprocess.TimeoutExpired as e:
            raise AssertionError(f"the program still runs after {e.timeout:.0f} s\n{self.explain()}") from e
        self.close()
        return code

    def verdict(self) -> dict:
        ends = self.of("end", node="")
        if len(ends) != 1:
            raise AssertionError(f"{len(ends)} ends\n{self.explain()}")
        return ends[0]

    def run_id(self, cluster) -> str:
        listed = cluster.run([CTL, "--json", "runs", "list"], check=True)
        return json.loads(listed.stdout)["runs"][0]["run"]

    def stage_times(self) -> dict:
        return {event["stage"]: event["at"] for event in self.of("stage", node="", status="done")}

    def explain(self) -> str:
        """What the run said of itself, the newest of everything else, and the errors of the program."""
        events = [event for event in list(self.events) if event.get("event") != "metric"]
        about = [event for event in events[:-25] if event.get("event") in ("diagnosis", "stage")][-50:]
        return "\n".join(json.dumps(event) for event in about + events[-25:]) + "\n" + self.errors()


def write_job(cluster: VirtualCluster, job: dict, name: str = "job.yaml") -> str:
    path = Path(cluster.dir) / name
    path.write_text(json.dumps(job), encoding="utf-8")  # JSON is YAML
    return str(path)


def start(cluster: VirtualCluster, job: dict, *arguments: str) -> Run:
    return Run(cluster, ["run", write_job(cluster, job), *arguments])


def paste_in_window(cluster: VirtualCluster, entries: list, timeout: float) -> subprocess.CompletedProcess:
    """Pastes each text of `entries` (tests/gui/e2e_tutorials.cpp) in a window at the desk, starts it and watches it."""
    program = BIN / "e2e_tutorials"
    if not program.exists():
        raise unittest.SkipTest(f"{program} is not built: there is no window")
    path = Path(cluster.dir) / "pasted.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    environment = [f"RANKSCOPE_TUTORIAL_LINES={path}", f"RANKSCOPE_TEST_CLUSTER={Path(cluster.dir) / 'cluster.json'}", "QT_QPA_PLATFORM=offscreen"]
    return cluster.run(["env", *environment, str(program)], timeout=timeout)


def processes_of_runs(node) -> list:
    """What of a run is on the node: ranks and supervisors, not the agent that serves the desk."""
    return [process for process in node.processes()
            if any("rankscope-worker" in word for word in process.cmdline[:1]) or "supervise" in process.cmdline[:2]]


def main():
    why = missing_requirements()
    if not why and not Path(CTL).exists():
        why = f"{CTL} is not built"
    if why:
        print(f"skipped: {why}")
        sys.exit(SKIP)
    unittest.main(verbosity=2, warnings="ignore")


@functools.cache
def missing_torch() -> str:
    """Why scripts of PyTorch cannot run here; empty: they can."""
    tried = subprocess.run(["/usr/bin/python3", "-c", "import torch; assert torch.distributed.is_gloo_available()"], capture_output=True, text=True,
                           check=False)
    return "" if tried.returncode == 0 else "/usr/bin/python3 has no torch with Gloo (Debian: python3-torch)"
