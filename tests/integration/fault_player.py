# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of a run on a virtual cluster, each with who is at fault, and the stream of events that it makes: record_faults.py keeps the
streams for the test of the window (tests/gui/fault_streams_test.cpp)."""
from __future__ import annotations

import json
import signal
from pathlib import Path

import support
from support import missing_torch, new_cluster, start, train_job, wait_until
from test_culprits import rank_of, supervisor_of
from test_faults import of_runs

NODES = ["node1", "node2", "node3"]
SCRIPT = """
import datetime, os, signal, sys, time
import torch, torch.distributed as dist
def at_fault(): return os.environ["RANK"] == os.environ.get("AT_FAULT", "1") and os.path.exists("/tmp/now")
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=float(os.environ["PATIENCE"])))
rank, step = dist.get_rank(), 0
%s
while step < 4000:
    step += 1
    value = torch.ones(4) * rank
    dist.all_reduce(value)
    if step %% 5 == 0: print(f"step: {step} loss: {1 / step:.5f}", flush=True)
    time.sleep(0.05)
    if at_fault():
%s
"""
LOADER = """
class Endless(torch.utils.data.Dataset):
    def __len__(self): return 10**6
    def __getitem__(self, index): time.sleep(0.01); return torch.ones(1)
batches = iter(torch.utils.data.DataLoader(Endless(), batch_size=2, num_workers=1))
"""


def script(fault: str, prepare: str = "", patience: float = 75) -> dict:
    """`patience`: seconds that its ranks wait for each other."""
    code = SCRIPT % (prepare, "".join(f"        {line}\n" for line in fault.strip().splitlines()))
    return {"name": "faulty", "nodes": NODES, "procs_per_node": 1, "on_failure": {"grace_s": 2}, "preflight": "off",
            "env": {"PATIENCE": str(patience)}, "command": ["python3", "-c", code]}


def native(**keys) -> dict:
    return train_job(NODES, name="faulty", epochs=1000000, validate=False, dataset={"name": "synthetic-digits"}, preflight="off", log_every=5,
                     on_failure={"grace_s": 2}, **keys)


class Fault:
    """`culprit`: {"rank": 1}, {"node": "node2"}, {"pair": [a, b]}; "live" in it: the one before the end, where that is another. `act`
    breaks something; without one the script does it itself. `live`: it lasts, so that it can be named before the end. `before`: the
    fault is there when the run starts."""

    def __init__(self, name, job, culprit, act=None, live=True, before=None, torch=False):
        self.name, self.job, self.culprit, self.act, self.live, self.before, self.torch = name, job, culprit, act, live, before, torch


def scripted(name, fault, **options):
    options.setdefault("culprit", {"rank": 1})
    job = script(fault, **{key: options.pop(key) for key in ("prepare", "patience") if key in options})
    return Fault(name, job, torch=True, **options)


def kill_worker(cluster):
    """The process that a rank's loader has started."""
    node = cluster.node("node2")
    rank = rank_of(node)
    child = next(process for process in node.processes() if process.ppid == rank.pid)
    node.signal([child.pid], signal.SIGKILL)


def signal_rank(number):
    return lambda cluster: cluster.node("node2").signal([rank_of(cluster.node("node2")).pid], number)


def signal_supervisor(number):
    return lambda cluster: cluster.node("node2").signal([supervisor_of(cluster.node("node2")).pid], number)


FAULTS = [
    Fault("rank-killed", native(), {"rank": 1}, signal_rank(signal.SIGKILL), live=False),
    Fault("rank-stopped", native(), {"rank": 1}, signal_rank(signal.SIGSTOP)),
    scripted("script-rank-stopped", "pass", act=signal_rank(signal.SIGSTOP)),
    Fault("supervisor-killed", native(), {"node": "node2"}, signal_supervisor(signal.SIGKILL), live=False),
    Fault("supervisor-stopped", native(), {"node": "node2"}, signal_supervisor(signal.SIGSTOP), live=False),
    Fault("node-cut", native(), {"node": "node2"}, lambda cluster: cluster.node("node2").partition()),
    # Its processes are stopped: first its rank is seen, at the end its supervisor.
    Fault("node-frozen", native(), {"node": "node2", "live": {"rank": 1}}, lambda cluster: cluster.node("node2").freeze()),
    Fault("node-unplugged", native(), {"node": "node2"}, lambda cluster: cluster.node("node2").unplug()),
    Fault("master-cut", native(), {"node": "node1"}, lambda cluster: cluster.node("node1").partition()),
    scripted("pair-cut", "pass", culprit={"pair": ["node3", "node2"]}, act=lambda cluster: cluster.node("node2").partition(["node3"])),
    Fault("master-port-dropped", native(), {"node": "node1"}, lambda cluster: cluster.node("node1").drop_port(29500)),
    Fault("master-port-reset", native(), {"node": "node1"}, lambda cluster: cluster.node("node1").reject_port(29500), live=False),
    Fault("master-port-dropped-before", native(), {"node": "node1"}, before=lambda cluster: cluster.node("node1").drop_port(29500)),
    Fault("pair-cut-before", native(), {"pair": ["node3", "node2"]}, before=lambda cluster: cluster.node("node2").partition(["node3"])),
    scripted("exception", "raise ValueError('bad label -1')", live=False),
    scripted("exit-early", "sys.exit(0)", live=False),
    scripted("uneven-batches", "dist.barrier()\nbreak"),
    scripted("sleep", "time.sleep(100000)"),
    scripted("sleep-and-peers-give-up", "time.sleep(100000)", patience=15, live=False),
    scripted("endless-loop", "while True: pass"),
    scripted("segfault", "os.kill(os.getpid(), signal.SIGSEGV)", live=False),
    scripted("abort", "os.abort()", live=False),
    scripted("out-of-memory", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))\nbytearray(1 << 33)", live=False),
    scripted("disk-full", "raise OSError(28, 'No space left on device', '/data/checkpoint.pt')", live=False),
    scripted("loader-killed", "value = next(batches)", prepare=LOADER, act=kill_worker, live=False),
    scripted("module-missing", "import a_module_that_nobody_has", live=False),
]


def trimmed(events: list) -> list:
    """What the window needs of a stream: verdicts, ends, stages, links whole; of steps, samples and output as much as shows the run."""
    kept, last = [], {}
    for event in events:
        kind, key = event["event"], (event["event"], event.get("node"), event.get("rank"))
        gap = {"metric": 1.0, "sample": 3.0}.get(kind, 0)
        if kind in ("log", "nccl", "settings") or (gap and event["t"] - last.get(key, 0) < gap):
            continue
        last[key] = event["t"]
        event = {name: value for name, value in event.items() if name not in ("at", "marks")}
        if kind == "metric":
            event = {name: event[name] for name in ("event", "t", "seq", "node", "rank", "step", "epoch", "loss") if name in event}
        elif kind == "sample":
            event = {name: value for name, value in event.items() if name in ("event", "t", "seq", "node", "rank", "cpu", "mem_used", "mem_total")}
        kept.append(event)
    return kept


class Player:
    """A cluster, and one fault after the other on it."""

    def __init__(self):
        self.cluster = new_cluster(len(NODES)).start()
        self.nodes = [self.cluster.node(name) for name in NODES]

    def close(self):
        self.cluster.down()

    def clear(self):
        for node in self.nodes:
            node.heal()
            node.thaw()
            node.plug()
            for process in of_runs(node):
                node.run(["kill", "-KILL", str(process.pid)], user=node.ROOT)
            node.run(["rm", "-f", "/tmp/now"], user=node.ROOT)
        wait_until(lambda: not any(of_runs(node) for node in self.nodes), 30, "nothing of the last run is left")

    def play(self, fault: Fault) -> dict:
        """The stream: {"fault", "culprit", "live", "plan", "events"}."""
        if fault.before:
            fault.before(self.cluster)
        run = start(self.cluster, fault.job)
        try:
            if not fault.before:
                run.wait_for("the ranks train", lambda r: any(e.get("step", 0) >= 20 for e in r.of("metric")), 120)
                if fault.act:
                    fault.act(self.cluster)
                else:
                    for node in self.nodes:
                        node.run(["touch", "/tmp/now"], user=node.ROOT, check=True)
            run.end(300)
        finally:
            if run.process.poll() is None:
                run.process.kill()
            self.clear()
        run_id = run.run_id(self.cluster)
        shown = self.cluster.run([support.CTL, "--json", "runs", "show", run_id], check=True)
        return {"fault": fault.name, "culprit": fault.culprit, "live": fault.live, "plan": json.loads(shown.stdout)["plan"],
                "events": run.events}


def write(stream: dict, folder: Path):
    events = trimmed(stream["events"])
    head = {key: value for key, value in stream.items() if key != "events"}
    with open(folder / f"{stream['fault']}.jsonl", "w", encoding="utf-8") as file:
        for line in [head, *events]:
            file.write(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n")


def skip(fault: Fault) -> str:
    return missing_torch() if fault.torch else ""
