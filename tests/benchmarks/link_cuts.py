#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SSH link is cut again and again while 4 ranks on 2 nodes print numbered lines and write numbered metrics; at the end every item must
have arrived exactly once and in order per rank: in the run store, and in what each desk printed while it lived. As root:
tests/benchmarks/link_cuts.py [--cuts 1000] [--seed S] [--bin DIR] [--transport openssh]

Each cut's effect is awaited before it is repaired, and the next one of the same node comes only when new events have arrived from there."""
from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "integration"))
from support import SKIP, Printing, VirtualCluster, missing_requirements, wait_until  # noqa: E402

NODES = ["node1", "node2"]
RANKS_PER_NODE = 2
# What is cut, how often (weights), and whether the user would see "connection lost".
KINDS = {
    "sshd of the connection killed": 28,
    "connection reset": 12,
    "40 % of the packets lost": 12,
    "no packet passes for a moment": 12,
    "sshd frozen for a moment": 12,
    "desk killed": 20,
    "no packet passes until abandoned": 2,
    "sshd frozen until abandoned": 2,
}
LONG = ("no packet passes until abandoned", "sshd frozen until abandoned")
SILENCE_S = 0.6  # longer than any pause of the program

# Numbered lines of different lengths, written in two pieces each, and as many numbered metrics; sometimes many at once.
PROGRAM = r'''
import json, os, random, sys, time
pace, rank = float(sys.argv[1]), int(os.environ["RANK"])
chance = random.Random(rank)
pipe = os.open(os.environ["RANKSCOPE_METRICS"], os.O_WRONLY)
def write(fd, data):
    while data:
        data = data[os.write(fd, data):]
n = 0
while not os.path.exists("/tmp/end"):
    for _ in range(30 if chance.random() < 0.01 else 1):
        n += 1
        line = (f"{n:07d} " + "abcdefghij"[n % 10] * (n * 7919 % 120) + "\n").encode()
        half = chance.randrange(len(line))
        write(1, line[:half])
        write(1, line[half:])
        write(pipe, (json.dumps({"step": n, "loss": n * 0.5}) + "\n").encode())
    time.sleep(pace)
with open(f"/tmp/total.{rank}", "w") as f:
    f.write(str(n))
'''


def line_of(number: int) -> str:
    return f"{number:07d} " + "abcdefghij"[number % 10] * (number * 7919 % 120)


class Ledger:
    """Follows one stream of events and notes what is missing, twice, or out of order."""

    def __init__(self, name: str):
        self.name = name
        self.faults: list = []
        self.seqs: collections.Counter = collections.Counter()   # node -> last sequence number
        self.lines: collections.Counter = collections.Counter()  # rank -> last number printed
        self.steps: collections.Counter = collections.Counter()  # rank -> last number in a metric
        self._partial: dict = collections.defaultdict(str)

    def _expect(self, what: str, got: int, last: int):
        if got != last + 1:
            self.faults.append(f"{self.name}: {what}: {got} after {last}")

    def feed(self, event: dict):
        node = event.get("node", "")
        if not node:
            return
        self._expect(f"sequence number of {node}", event["seq"], self.seqs[node])
        self.seqs[node] = event["seq"]
        rank = event.get("rank")
        if event["event"] == "metric":
            self._expect(f"metric of rank {rank}", event["step"], self.steps[rank])
            if event.get("loss") != event["step"] * 0.5:
                self.faults.append(f"{self.name}: metric {event['step']} of rank {rank} has the value {event.get('loss')}")
            self.steps[rank] = event["step"]
        elif event["event"] == "log" and event["stream"] == "stdout":
            *lines, self._partial[rank] = (self._partial[rank] + event["text"]).split("\n")
            for line in lines:
                if line != line_of(self.lines[rank] + 1):
                    self.faults.append(f"{self.name}: line of rank {rank} after {self.lines[rank]}: {line[:60]!r}")
                self.lines[rank] = int(line[:7]) if line[:7].isdigit() else self.lines[rank] + 1
        elif event["event"] == "log":
            self.faults.append(f"{self.name}: rank {rank} on stderr: {event['text'][:200]!r}")

    def complete(self, totals: dict) -> list:
        """What is missing at the end; an item too much was found by feed()."""
        missing = [f"{self.name}: rank {rank}: {kind} end at {last[rank]}, {total} were made"
                   for rank, total in totals.items() for kind, last in (("lines", self.lines), ("metrics", self.steps)) if last[rank] != total]
        return missing + [f"{self.name}: rank {rank} ends in half a line: {text!r}" for rank, text in self._partial.items() if text]


class Desk(Printing):
    """One life of rankscopectl: what it prints is checked as it comes."""

    def __init__(self, cluster: VirtualCluster, ctl: str, arguments: list, name: str, stored: dict):
        self.ledger = Ledger(name)
        self._stored = stored  # node -> last sequence number that the store has: what comes up to there comes from no node
        self.heard: dict = dict.fromkeys(NODES, 0.0)  # when the last event came from the node
        self.lost: collections.Counter = collections.Counter()  # node -> how often its connection was reported lost
        self.verdict: dict | None = None
        self.killed = False
        self.tail: collections.deque = collections.deque(maxlen=30)
        super().__init__(cluster, arguments, ctl)

    def take(self, event: dict):
        node = event.get("node", "")
        if not node:
            self.tail.append(json.dumps(event)[:300])
            if event.get("event") == "link" and event["state"] == "retrying" and not event.get("failure"):
                self.lost[event["to"]] += 1
            if event.get("event") == "end":
                self.verdict = event
        elif event["seq"] > self._stored.get(node, 0):
            self.heard[node] = time.monotonic()
        self.ledger.feed(event)

    def alive(self) -> bool:
        return self.process.poll() is None

    def kill(self):
        self.killed = True
        self.process.kill()
        self.process.wait()
        self.close()

    def explain(self) -> str:
        return f"exit {self.process.poll()}\n" + "\n".join(self.tail) + "\n" + self.errors()


class Gate:
    """Long cuts and the death of the desk keep out of each other's way: a new desk would restart their wait. The desk's turn comes first."""

    def __init__(self):
        self._changed = threading.Condition()
        self._long, self._desk_waits = 0, False

    def enter_long(self):
        with self._changed:
            self._changed.wait_for(lambda: not self._desk_waits)
            self._long += 1

    def leave_long(self):
        with self._changed:
            self._long -= 1
            self._changed.notify_all()

    def enter_desk(self):
        with self._changed:
            self._desk_waits = True
            self._changed.wait_for(lambda: self._long == 0)

    def leave_desk(self):
        with self._changed:
            self._desk_waits = False
            self._changed.notify_all()


class LinkCuts:
    """The run, its cuts and the check at the end."""

    def __init__(self, cluster: VirtualCluster, ctl: str, seed: int, pace: float = 0.15, slowness: float = 1):
        self.cluster, self.ctl, self.seed, self.pace, self.slow = cluster, ctl, seed, pace, slowness
        self.faults: list = []
        self.times: dict = collections.defaultdict(list)     # kind -> seconds until events came again
        self.detected: dict = collections.defaultdict(list)  # kind -> seconds until the desk said that the connection is lost
        self.done = 0
        self.lives = 1
        self._gate = Gate()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._now = threading.Lock()  # a cut and the death of the desk do not begin at the same moment: each must have an effect of its own

    # - the run

    def start(self):
        job = {"name": "link-cuts", "nodes": NODES, "procs_per_node": RANKS_PER_NODE, "telemetry": {"every_s": 0},
               "command": ["python3", "-c", PROGRAM, str(self.pace)]}
        path = Path(self.cluster.dir) / "link_cuts.yaml"
        path.write_text(json.dumps(job), encoding="utf-8")
        self.desk = Desk(self.cluster, self.ctl, ["run", str(path)], "desk 1", {})
        world = len(NODES) * RANKS_PER_NODE
        self._wait(lambda: len(self.desk.ledger.lines) == world and len(self.desk.ledger.steps) == world, 60, "all ranks print and write metrics")
        listed = self.cluster.run([self.ctl, "--json", "runs", "list"], check=True)
        self.run_id = json.loads(listed.stdout)["runs"][0]["run"]

    def _wait(self, condition, timeout: float, what: str):
        def met():
            if self._stop.is_set():
                raise InterruptedError
            return condition()
        try:
            return wait_until(met, timeout * self.slow, what)
        except TimeoutError as e:
            raise AssertionError(f"{e}\n{self.desk.explain()}") from e

    def _check_desk(self):
        desk = self.desk
        if not desk.alive() and not desk.killed:
            raise AssertionError(f"the desk ended by itself\n{self.desk.explain()}")

    def _stored(self) -> dict:
        with self._database() as database:
            return dict(database.execute("SELECT node, MAX(seq) FROM (SELECT node, seq FROM events WHERE run_id = ?1 UNION ALL "
                                         "SELECT node, seq FROM metrics WHERE run_id = ?1) GROUP BY node", (self.run_id,)))

    def _database(self):
        file = next(Path(self.cluster.dir).rglob("runs.sqlite"))
        return contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True))

    # - one cut of a node's link

    def _sessions(self, node) -> list:
        """The sshd processes of its connections, two each."""
        listener = int(node.path("/run/vcluster/sshd.pid").read_text(encoding="utf-8"))
        return [p.pid for p in node.processes(infrastructure=True) if p.comm.startswith("sshd") and p.pid != listener and p.state != "Z"]

    def _link_is_up(self, node) -> bool:
        """One session is there, and events come over it."""
        self._check_desk()
        return len(self._sessions(node)) == 2 and time.monotonic() - self.desk.heard[node.name] < SILENCE_S

    def _silent(self, node, since: float, desk):
        """Nothing has come for a while although the ranks continue: the spool, which no cut reaches, grows. Or this desk is dead by now: where only
        its own session is frozen, the next one's is not."""
        spool = node.path(f"{node.home}/.cache/rankscope/runs/{self.run_id}/spool")
        size = spool.stat().st_size
        self._wait(lambda: self.desk is not desk or (time.monotonic() - max(since, desk.heard[node.name]) > SILENCE_S * self.slow
                                                     and spool.stat().st_size > size), 60, f"{node.name} is silent")

    def _nft(self, node, rule: str, chains=("input", "output")):
        """Only packets of SSH: the supervisors' own link is none of this."""
        rules = "".join(f" chain {chain} {{\n  type filter hook {chain} priority 0;\n  tcp {'dport' if chain == 'input' else 'sport'} 22 {rule}\n }}\n"
                        for chain in chains) if rule else ""
        node.run(["nft", "-f", "-"], user=node.ROOT, cwd="/", check=True,
                 input="table inet cuts\ndelete table inet cuts\n" + (f"table inet cuts {{\n{rules}}}\n" if rule else ""))

    def _dropped(self, node) -> int:
        text = node.run(["nft", "list", "table", "inet", "cuts"], user=node.ROOT, cwd="/", check=True).stdout.split()
        return sum(int(text[i + 1]) for i, word in enumerate(text) if word == "packets")

    def _signal(self, node, pids: list, number: int):
        node.run(["/bin/sh", "-c", f"kill -{int(number)} " + " ".join(map(str, pids))], user=node.ROOT, cwd="/")

    def _begin(self, node, kind: str, chance: random.Random):
        """The cut itself: (desk, how often it had lost the node before, sshd processes of the session); None: the link is not up now."""
        with self._now:
            if not self._link_is_up(node):
                return None
            desk, lost, pids = self.desk, self.desk.lost[node.name], self._sessions(node)
            if kind == "sshd of the connection killed":
                self._signal(node, pids if chance.random() < 0.5 else pids[1:], signal.SIGKILL)  # without its child the first of the two ends itself
            elif kind == "connection reset":
                self._nft(node, "tcp flags & rst == 0x0 counter reject with tcp reset", ("input",))
            elif kind == "40 % of the packets lost":
                self._nft(node, "numgen random mod 100 < 40 counter drop")
            elif kind.startswith("no packet passes"):
                self._nft(node, "counter drop")
            else:
                self._signal(node, pids, signal.SIGSTOP)
            return desk, lost, pids

    def _cut(self, node, kind: str, chance: random.Random):
        """Cuts, awaits the effect, repairs: (when it was cut, when it was repaired)."""
        cut = self._wait(lambda: self._begin(node, kind, chance), 120, f"{node.name} is connected before its cut")
        begin = time.monotonic()
        desk, lost, pids = cut

        def broken():  # reported by this desk; or it is dead and the next one connects
            return self.desk is not desk or desk.lost[node.name] > lost

        def running():
            return set(self._sessions(node))

        if kind in ("sshd of the connection killed", "connection reset"):
            self._wait(lambda: not running() & set(pids), 60, "the session's sshd is gone")
            self._wait(broken, 60, f"{node.name}'s loss is seen")
        elif kind == "40 % of the packets lost":
            until = time.monotonic() + chance.uniform(0.2, 1.0)
            self._wait(lambda: self._dropped(node) > 3 and time.monotonic() > until, 60, "packets were lost")
        else:
            self._silent(node, begin, desk)
        if kind in LONG:
            self._wait(broken, 90, f"{node.name}'s loss is seen")
            if self.desk is desk:
                with self._lock:
                    self.detected[kind].append(time.monotonic() - begin)
        if kind == "sshd frozen until abandoned":
            self._wait(lambda: running() - set(pids), 60, "a new connection is made")
        if "sshd frozen" in kind:
            self._signal(node, pids, signal.SIGCONT)
        elif kind != "sshd of the connection killed":
            self._nft(node, "")
        return begin, time.monotonic()

    def _flows_again(self, node, repaired: float):
        def flowing():
            self._check_desk()
            return self.desk.heard[node.name] > repaired
        self._wait(flowing, 120, f"events of {node.name} come again")

    def _cut_node(self, node, kinds: list, chance: random.Random):
        for kind in kinds:
            time.sleep(chance.uniform(0, 0.2))  # at any moment of the program's beat
            is_long = kind in LONG
            if is_long:
                self._gate.enter_long()
            try:
                begin, repaired = self._cut(node, kind, chance)
                self._flows_again(node, repaired)
            finally:
                if is_long:
                    self._gate.leave_long()
            # What the user misses: of a killed connection from its cut on, of the others from the repair on.
            self._count(kind, time.monotonic() - (begin if kind in ("sshd of the connection killed", "connection reset") else repaired))

    def _kill_desk(self, count: int, others: int, chance: random.Random):
        for turn in range(count):
            # Spread over the run.
            self._wait(lambda share=turn / count: self.done - len(self.times["desk killed"]) >= share * others, 3600, "the other cuts continue")
            time.sleep(chance.uniform(0, 0.2))
            self._gate.enter_desk()
            try:
                self._wait(lambda: all(self.desk.heard[name] > 0 for name in NODES), 120, "events of both nodes")
                with self._now:
                    old = self.desk
                    begin = time.monotonic()
                    old.kill()
                    self.lives += 1
                    self.desk = Desk(self.cluster, self.ctl, ["runs", "attach", self.run_id], f"desk {self.lives}", self._stored())
                self.faults += old.ledger.faults
                for name in NODES:
                    self._flows_again(self.cluster.node(name), begin)
            finally:
                self._gate.leave_desk()
            self._count("desk killed", time.monotonic() - begin)

    def _count(self, kind: str, took: float):
        with self._lock:
            self.times[kind].append(took)
            self.done += 1
            if self.done % 50 == 0:
                print(f"{self.done} cuts, desk {self.lives}, rank 0 at {self.desk.ledger.lines[0]}", flush=True)

    # - all of them

    def cut(self, count: int, at_least_once: bool):
        chance = random.Random(self.seed)
        kinds = list(KINDS) if at_least_once else []
        kinds += chance.choices(list(KINDS), list(KINDS.values()), k=max(0, count - len(kinds)))
        queues: dict = {name: [] for name in NODES}
        for kind in kinds:
            if kind != "desk killed":
                # Each node has its share of what takes long; the order is drawn below.
                min(queues.values(), key=lambda queue: sum(20 if k in LONG else 1 for k in queue)).append(kind)
        for queue in queues.values():
            chance.shuffle(queue)
        seeds = [chance.random() for _ in range(3)]
        work = [lambda n=name, s=seed: self._cut_node(self.cluster.node(n), queues[n], random.Random(s)) for name, seed in zip(NODES, seeds)]
        work.append(lambda: self._kill_desk(kinds.count("desk killed"), len(kinds) - kinds.count("desk killed"), random.Random(seeds[2])))
        errors: list = []

        def guarded(function):
            try:
                function()
            except InterruptedError:
                pass
            except BaseException as e:  # noqa: B902 - a thread's failure is the test's
                errors.append(e)
                self._stop.set()

        threads = [threading.Thread(target=guarded, args=(function,)) for function in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def finish(self):
        """Lets the program end, and compares what was made with what the store has and what the last desk printed."""
        for name in NODES:
            self.cluster.node(name).run(["touch", "/tmp/end"], check=True)
        code = self.desk.process.wait(120 * self.slow)
        self.desk.close()
        if code != 0 or not self.desk.verdict or self.desk.verdict["outcome"] != "done":
            self.faults.append(f"the run did not end as done: {self.desk.explain()}")
        self.faults += self.desk.ledger.faults
        totals = {}
        for index, name in enumerate(NODES):
            for rank in range(index * RANKS_PER_NODE, (index + 1) * RANKS_PER_NODE):
                totals[rank] = int(self.cluster.node(name).path(f"/tmp/total.{rank}").read_text(encoding="utf-8"))
        self.faults += self.desk.ledger.complete(totals)
        self.totals = totals
        stored = Ledger("run store")
        exported = self.cluster.run([self.ctl, "--json", "runs", "export", self.run_id], check=True, timeout=600)
        for line in exported.stdout.splitlines():
            stored.feed(json.loads(line))
        self.faults += stored.faults + stored.complete(totals)
        self._check_database(stored)
        shown = json.loads(self.cluster.run([self.ctl, "--json", "runs", "show", self.run_id], check=True).stdout)
        if shown["outcome"] != "done" or {r["rank"]: r["step"] for r in shown["ranks"]} != totals:
            self.faults.append(f"runs show: {shown['outcome']}, {[(r['rank'], r['step']) for r in shown['ranks']]} instead of {totals}")
        for name in NODES:
            if left := [p for p in self.cluster.node(name).processes() if "supervise" in p.cmdline[:2] or PROGRAM in p.cmdline]:
                self.faults.append(f"left on {name}: {left}")

    def _check_database(self, stored: Ledger):
        """The tables as anybody would ask them."""
        with self._database() as database:
            for name in NODES:
                numbers = [row[0] for table in ("events", "metrics") for row in
                           database.execute(f"SELECT seq FROM {table} WHERE run_id = ? AND node = ?", (self.run_id, name))]
                if sorted(numbers) != list(range(1, stored.seqs[name] + 1)):
                    self.faults.append(f"tables: {len(numbers)} sequence numbers of {name}, {len(set(numbers))} different, 1 to {stored.seqs[name]} expected")
            for rank, total in self.totals.items():
                steps = [row[0] for row in database.execute("SELECT step FROM metrics WHERE run_id = ? AND rank = ? ORDER BY ord", (self.run_id, rank))]
                if steps != list(range(1, total + 1)):
                    self.faults.append(f"tables: metrics of rank {rank} are not 1 to {total} in the order of arrival")

    def table(self) -> str:
        def row(name, times):
            ordered = sorted(times)
            return (f"| {name} | {len(ordered)} | {ordered[len(ordered) // 2]:.2f} | {ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]:.2f} | "
                    f"{ordered[-1]:.2f} |")
        lines = ["| cut | times | median s | p95 s | max s |", "|---|---|---|---|---|"]
        lines += [row(kind, self.times[kind]) for kind in KINDS if self.times[kind]]
        lines += [row(f"{kind}: noticed after", self.detected[kind]) for kind in LONG if self.detected[kind]]
        return "\n".join(lines)


def new_cluster(transport: str = "") -> VirtualCluster:
    cluster = VirtualCluster(len(NODES), slots=RANKS_PER_NODE).start()
    if transport:
        nodes = [{"name": n.name, "host": n.address, "user": n.user, "identity_file": str(cluster.identity), "cpu_slots": RANKS_PER_NODE,
                  "transport": transport} for n in cluster.nodes]
        Path(cluster.inventory).write_text(json.dumps({"nodes": nodes}), encoding="utf-8")
    return cluster


def run_cuts(cluster: VirtualCluster, ctl: str, count: int, seed: int, at_least_once: bool, slowness: float = 1) -> LinkCuts:
    cuts = LinkCuts(cluster, ctl, seed, slowness=slowness)
    begin = time.monotonic()
    print(f"{count} cuts, seed {seed}, {os.cpu_count()} cores for all, load {os.getloadavg()[0]:.1f}", flush=True)
    cuts.start()
    try:
        cuts.cut(count, at_least_once)
        cuts.finish()
    finally:
        print(cuts.table())
    items = sum(cuts.totals.values())
    print(f"{cuts.done} cuts in {time.monotonic() - begin:.0f} s, {cuts.lives} desks; {items} lines and {items} metrics of {len(cuts.totals)} ranks: "
          + ("every one arrived once and in order" if not cuts.faults else f"{len(cuts.faults)} faults"), flush=True)
    return cuts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--transport", choices=("", "libssh", "openssh"), default="")
    parser.add_argument("--bin", default=str(REPOSITORY / "build/release/bin"))
    arguments = parser.parse_args()
    why_not = missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return SKIP
    cluster = new_cluster(arguments.transport)
    try:
        cuts = run_cuts(cluster, f"{arguments.bin}/rankscopectl", arguments.cuts, arguments.seed, False)
    finally:
        cluster.down()
    for fault in cuts.faults[:50]:
        print(fault)
    return 1 if cuts.faults else 0


if __name__ == "__main__":
    sys.exit(main())
