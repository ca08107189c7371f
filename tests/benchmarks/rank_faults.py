#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rank is killed, frozen or cut off at a random moment of a training run, many times over: the others must end within five seconds and name
it, and the run that is started again must continue the loss curve exactly. As root:
tests/benchmarks/rank_faults.py [--faults 100] [--seed N] [--ranks 3] [--bin DIR]

Every rank is a machine of the virtual cluster, so that a cut is a real firewall between them. A run without faults comes first; each line of
every rank (step, loss, accuracy) and the final parameters of every run with a fault are compared with it, character for character."""
from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "cluster"))
from vcluster import SKIP, Unsupported, VirtualCluster, missing_requirements, wait_until  # noqa: E402

KINDS = ("killed", "frozen", "cut off")
LIMIT_S = 5.0
PEER_LOST = 75  # kExitPeerLost
COMPARED = ("loss", "acc1", "lr", "samples")

CONFIG = {"model": "convnet", "dataset": {"name": "synthetic-digits", "train_size": 9000, "test_size": 300}, "epochs": 2, "batch_size": 25,
          "optimizer": {"name": "sgd", "lr": 0.02, "momentum": 0.9}, "validate": True, "threads": 1,
          "schedule": {"name": "cos"}, "ddp": {"heartbeat_s": 3},
          "checkpoint": {"folder": "/srv/run/checkpoints", "every_steps": 10, "keep": 3}}


@dataclass
class RankRun:
    """One rank of one start: its process and what it wrote."""
    rank: int
    process: subprocess.Popen
    metrics: Path
    log: Path
    ended: float | None = None

    def poll(self) -> bool:
        if self.ended is None and self.process.poll() is not None:
            self.ended = time.monotonic()
        return self.ended is not None

    def steps(self) -> dict:
        """What was reported for each step; the values as they were printed."""
        found = {}
        for line in self.metrics.read_text(encoding="utf-8").splitlines():
            try:
                values = json.loads(line, parse_float=str)
            except ValueError:
                continue  # the last line of a rank that was killed while it wrote
            if "loss" in values:
                found[values["step"]] = {key: values.get(key) for key in COMPARED}
        return found

    def trains(self) -> bool:
        """Whether it has met the others. Before that, they wait for it as long as the rendezvous may take."""
        return re.search(rf"^rank {self.rank} of ", self.text(), re.M) is not None

    def text(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")


@dataclass
class Outcome:
    """One fault and what came of it."""
    kind: str
    rank: int
    moment: float
    after: float | None = None  # seconds until the last survivor had ended; None: the run was over before the fault
    resumed_at: int | None = None
    faults: list = field(default_factory=list)


class Runs:
    def __init__(self, cluster: VirtualCluster, shared: Path, worker: Path, ranks: int, slow: float):
        self.cluster, self.shared, self.worker, self.ranks, self.slow = cluster, shared, worker, ranks, slow
        self.port = 29500
        self.starts = 0
        self.duration = 0.0  # of the training of the last complete run
        (shared / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")

    def forget_checkpoints(self):
        subprocess.run(["rm", "-rf", str(self.shared / "checkpoints")], check=True)

    def start(self) -> list[RankRun]:
        self.starts += 1
        started = []
        for rank in range(self.ranks):
            node = self.cluster.nodes[rank]
            metrics, log = (self.shared / f"{kind}-{self.starts}-{rank}" for kind in ("metrics", "log"))
            metrics.touch()
            metrics.chmod(0o666)
            environment = {"RANK": rank, "WORLD_SIZE": self.ranks, "LOCAL_RANK": 0, "LOCAL_WORLD_SIZE": 1, "MASTER_ADDR": self.cluster.nodes[0].address,
                           "MASTER_PORT": self.port, "RANKSCOPE_TOKEN": "a-token-of-this-run", "OMP_NUM_THREADS": 1,
                           "RANKSCOPE_METRICS": f"/srv/run/{metrics.name}"}
            with log.open("wb") as output:
                process = node.popen([self.worker, "--config", "/srv/run/config.json"], env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=output)
            started.append(RankRun(rank, process, metrics, log))
        return started

    def finish(self, runs: list[RankRun], timeout: float) -> bool:
        """Waits until all have ended; False when one did not."""
        try:
            wait_until(lambda: all([run.poll() for run in runs]), timeout * self.slow, "every rank ends")
            return True
        except Exception:  # pylint: disable=W0718 - it says what it waited for, which is in our hands
            return False

    def training(self, runs: list[RankRun]) -> float:
        """Waits until all ranks have met, or one has ended: since when, by the monotonic clock."""
        wait_until(lambda: all(run.trains() for run in runs) or any([run.poll() for run in runs]), 120 * self.slow, "the ranks meet")
        return time.monotonic()

    def end(self, runs: list[RankRun]):
        for run in runs:
            self.cluster.nodes[run.rank].heal()
            self.cluster.nodes[run.rank].thaw()
            if not run.poll():
                run.process.send_signal(signal.SIGKILL)
        self.finish(runs, 20)

    def complete(self) -> tuple[list[RankRun], str]:
        """A start that runs to its end: the ranks and the checksum of the parameters."""
        runs = self.start()
        begin = self.training(runs)
        ended = self.finish(runs, 120)
        self.duration = time.monotonic() - begin
        if not ended or any(run.process.returncode != 0 for run in runs):
            self.end(runs)
            raise RuntimeError("a run without a fault failed:\n" + "\n".join(run.text() for run in runs))
        sums = {re.search(r"^parameters (\S+)$", run.text(), re.M).group(1) for run in runs}
        if len(sums) != 1:
            raise RuntimeError(f"the ranks end with different parameters: {sums}")
        return runs, sums.pop()

    def strike(self, kind: str, victim: RankRun):
        node = self.cluster.nodes[victim.rank]
        if kind == "killed":
            victim.process.send_signal(signal.SIGKILL)
        elif kind == "frozen":
            node.freeze("rankscope-worker")
        else:
            node.partition()


def compare(outcome: Outcome, runs: list[RankRun], reference: list[dict], first: int):
    """Every step that a rank reported is the reference's, character for character."""
    for run in runs:
        steps = run.steps()
        wrong = [step for step, values in steps.items() if values != reference[run.rank].get(step)]
        if wrong:
            outcome.faults.append(f"rank {run.rank} differs at step {wrong[0]}: {steps[wrong[0]]} instead of {reference[run.rank].get(wrong[0])}")
        if first and steps and min(steps) > first:
            outcome.faults.append(f"rank {run.rank} begins at step {min(steps)}, not at {first}")


def named(run: RankRun, victim: int) -> bool:
    return re.search(rf"\brank {victim}\b", run.text()) is not None


def one_fault(runs: Runs, kind: str, rank: int, moment: float, reference: list[dict], checksum: str) -> Outcome:
    outcome = Outcome(kind, rank, moment)
    runs.forget_checkpoints()
    started = runs.start()
    victim = started[rank]
    begin = runs.training(started)
    while time.monotonic() - begin < moment and not all([run.poll() for run in started]):
        time.sleep(0.005)  # the moment is what is tested
    if not any([run.poll() for run in started]):
        struck = time.monotonic()
        runs.strike(kind, victim)
        survivors = [run for run in started if run is not victim]
        over = runs.finish(survivors, 60)
        outcome.after = max((run.ended or time.monotonic()) for run in survivors) - struck
        if all(run.process.returncode == 0 for run in survivors):
            outcome.after = None  # they had finished, too late for the fault
        elif not over or outcome.after > LIMIT_S * runs.slow:
            outcome.faults.append(f"the others ended {outcome.after:.1f} s after")
        else:
            for run in survivors:
                if run.process.returncode not in (0, PEER_LOST):
                    outcome.faults.append(f"rank {run.rank} ended with {run.process.returncode}: {run.text()[-400:]}")
                elif run.process.returncode == PEER_LOST and not named(run, rank):
                    outcome.faults.append(f"rank {run.rank} does not name rank {rank}: {run.text()[-400:]}")
    runs.end(started)
    compare(outcome, started, reference, 0)
    try:
        resumed, last = runs.complete()
    except RuntimeError as error:
        outcome.faults.append(str(error)[-1500:])
        return outcome
    beginnings = [min(run.steps(), default=None) for run in resumed]
    outcome.resumed_at = beginnings[0]
    if len(set(beginnings)) != 1:
        outcome.faults.append(f"the ranks resume at different steps: {beginnings}")
    compare(outcome, resumed, reference, 0)
    if last != checksum:
        outcome.faults.append(f"the parameters are {last} at the end, not {checksum}")
    return outcome


def new_runs(shared: Path, ranks: int, bin_folder: Path, slow: float = 1.0) -> Runs:
    # The build folder may lie below a home folder that the nodes do not see.
    programs = Path("/srv/programs")
    cluster = VirtualCluster(ranks, bind={str(shared): ("/srv/run", False), str(bin_folder): (str(programs), True)}).start()
    return Runs(cluster, shared, programs / "rankscope-worker", ranks, slow)


def run_faults(runs: Runs, count: int, seed: int, report=lambda outcome: None) -> list[Outcome]:
    """The first len(KINDS) faults are one of each kind."""
    chance = random.Random(seed)
    runs.forget_checkpoints()
    whole, checksum = runs.complete()
    duration = runs.duration
    reference = [run.steps() for run in whole]
    outcomes = []
    for number in range(count):
        kind = KINDS[number] if number < len(KINDS) else chance.choice(KINDS)
        moment = chance.uniform(0, 0.95) * duration
        outcomes.append(one_fault(runs, kind, chance.randrange(runs.ranks), moment, reference, checksum))
        report(outcomes[-1])
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=100)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--bin", default=str(REPOSITORY / "build/release/bin"))
    arguments = parser.parse_args()
    why_not = missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return SKIP
    shared = Path(f"/var/tmp/rankscope-rank-faults-{os.getpid()}")
    shared.mkdir()
    shared.chmod(0o777)
    runs = new_runs(shared, arguments.ranks, Path(arguments.bin).resolve())
    print(f"seed {arguments.seed}, {arguments.ranks} ranks, load {os.getloadavg()[0]:.1f}", flush=True)

    def report(outcome: Outcome):
        after = "after its end" if outcome.after is None else f"others ended {outcome.after:.2f} s later"
        print(f"rank {outcome.rank} {outcome.kind} at {outcome.moment:.2f} s: {after}, resumed at step {outcome.resumed_at}"
              + "".join(f"\n  FAULT {fault}" for fault in outcome.faults), flush=True)

    try:
        outcomes = run_faults(runs, arguments.faults, arguments.seed, report)
    except Unsupported as error:
        print(f"skipped: {error}")
        return SKIP
    finally:
        runs.cluster.down()
        subprocess.run(["rm", "-rf", str(shared)], check=False)
    print("\n| fault | times | others ended after, s: median (worst) | resumed from a checkpoint | faults |\n|---|---|---|---|---|")
    for kind in KINDS:
        of_kind = [outcome for outcome in outcomes if outcome.kind == kind]
        took = [outcome.after for outcome in of_kind if outcome.after is not None]
        column = f"{statistics.median(took):.2f} ({max(took):.2f})" if took else "–"
        print(f"| {kind} | {len(of_kind)} | {column} | {sum((o.resumed_at or 0) > 1 for o in of_kind)} | {sum(bool(o.faults) for o in of_kind)} |")
    return 1 if any(outcome.faults for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
