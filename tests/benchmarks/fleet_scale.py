#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fleet costs at the desk: N nodes of a virtual cluster connected, given the agent, probed, probed again on open sessions; beside the
ssh program doing no more than `true` on the same nodes in the same run. As root: tests/benchmarks/fleet_scale.py [--nodes 64] [--bin DIR]

All nodes, their sshds and the desk share this machine's cores: the figures are upper bounds of what a real fleet takes."""
from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "cluster"))
from vcluster import SKIP, VirtualCluster, missing_requirements  # noqa: E402

# At the desk, around each command: what it and its children used.
MEASURE = ("import json, resource, subprocess, sys, time; begin = time.monotonic(); "
           "done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True); took = time.monotonic() - begin; "
           "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
           "print(json.dumps({'code': done.returncode, 'out': done.stdout, 'wall': took, 'cpu': used.ru_utime + used.ru_stime, 'rss': used.ru_maxrss}))")


def measured(cluster: VirtualCluster, command: list) -> dict:
    done = cluster.run([sys.executable, "-I", "-c", MEASURE, *map(str, command)], timeout=600)
    result = json.loads(done.stdout)
    if result["code"] != 0:
        raise SystemExit(f"{command}: exit {result['code']}\n{result['out']}{done.stderr}")
    return result


def row(name: str, wall: float, cpu: float | None = None, memory: float | None = None):
    print(f"{name:<58} {wall:8.2f} s" + (f" {cpu:8.2f} s" if cpu is not None else " " * 11) + (f" {memory:8.1f} MB" if memory is not None else ""), flush=True)


def sum_of_ssh(cluster: VirtualCluster, parallel: int, names: str, persist: bool) -> dict:
    options = "-o BatchMode=yes -o ControlMaster=auto -o ControlPath=/tmp/cm-%n -o ControlPersist=60" if persist else "-o BatchMode=yes"
    return measured(cluster, ["sh", "-c", f"printf '%s\\n' {names} | xargs -P{parallel} -I@ ssh -n {options} @ true"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5, help="probes on open sessions")
    parser.add_argument("--bin", default=str(REPOSITORY / "build/release/bin"))
    arguments = parser.parse_args()
    why_not = missing_requirements()
    if why_not:
        print(f"skipped: {why_not}")
        return SKIP
    ctl = f"{arguments.bin}/rankscopectl"
    agent = Path(arguments.bin, "rankscope-agent").stat().st_size / 1e6
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with VirtualCluster(arguments.nodes) as cluster:
        names = " ".join(node.name for node in cluster.nodes)
        for node in cluster.nodes:  # programs and pages of the nodes' own are in memory
            node.run(["true"])
        print(f"{arguments.nodes} nodes, agent {agent:.1f} MB, {os.cpu_count()} cores for all, load {os.getloadavg()[0]:.1f}\n")
        print(f"{'':<58} {'wall':>10} {'desk CPU':>10} {'largest RSS':>11}")
        probe = [ctl, "--cluster", cluster.inventory, "--json", "probe"]
        first = measured(cluster, probe)
        row("probe, agent pushed first", first["wall"], first["cpu"], first["rss"] / 1e3)
        second = measured(cluster, probe)
        row("probe, agent there (connect + probe)", second["wall"], second["cpu"], second["rss"] / 1e3)
        rounds = measured(cluster, [*probe, "--rounds", arguments.rounds + 1, "--every", "0.2"])
        times = [json.loads(line)["took_s"] for line in rounds["out"].splitlines()]
        again = sorted(times[1:])
        row(f"probe again on open sessions (median of {len(again)})", again[len(again) // 2], (rounds["cpu"] - second["cpu"]) / len(again), rounds["rss"] / 1e3)
        row("  slowest of them", again[-1])
        openssh = json.loads(json.dumps([{"name": n.name, "host": n.address, "user": n.user, "identity_file": str(cluster.identity), "transport": "openssh"}
                                         for n in cluster.nodes]))
        by_openssh = Path(cluster.dir) / "openssh.yaml"
        by_openssh.write_text(json.dumps({"nodes": openssh}), encoding="utf-8")
        other = measured(cluster, [ctl, "--cluster", by_openssh, "--json", "probe"])
        row("probe, agent there, transport: openssh", other["wall"], other["cpu"], other["rss"] / 1e3)
        jumps = [{**node, "transport": "auto", "proxy_jump": "node1"} for node in openssh[1:]]
        by_openssh.write_text(json.dumps({"nodes": jumps}), encoding="utf-8")
        jump = measured(cluster, [ctl, "--cluster", by_openssh, "--json", "probe"])
        row(f"probe of {len(jumps)} nodes through one jump host", jump["wall"], jump["cpu"], jump["rss"] / 1e3)
        plain = sum_of_ssh(cluster, 32, names, False)
        row("ssh NODE true, 32 at a time", plain["wall"], plain["cpu"], plain["rss"] / 1e3)
        shared = sum_of_ssh(cluster, 32, names, True)
        row("ssh NODE true, new ControlMaster each", shared["wall"], shared["cpu"], shared["rss"] / 1e3)
        shared = sum_of_ssh(cluster, 32, names, True)
        row("ssh NODE true, over the open ControlMasters", shared["wall"], shared["cpu"], shared["rss"] / 1e3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
