# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Slurm in a virtual cluster: slurmctld on node1 (which is the login node too), slurmd on every node, munge with a key of its own.

    with VirtualCluster(2, shared_home=True) as cluster:
        slurm = Slurm(cluster).start()
        slurm.run(["sinfo"])

All daemons live in the nodes' namespaces and end with the cluster. No cgroups, no accounting database: what a small site has.
Partitions: main (default), short (at most a minute), urgent (its jobs end those of main: preemption).
"""
from __future__ import annotations

import os
import re
import shutil

from vcluster import TOOL_PATH, Machine, Unsupported, VirtualCluster, wait_until

CPUS = 4
MEMORY_MB = 4000

CONFIG = """\
ClusterName=virtual
SlurmctldHost=node1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
StateSaveLocation=/run/slurm/state
SlurmdSpoolDir=/run/slurm/d
SlurmctldPidFile=/run/slurm/slurmctld.pid
SlurmdPidFile=/run/slurm/slurmd.pid
SlurmctldLogFile=/run/vcluster/slurmctld.log
SlurmdLogFile=/run/vcluster/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=5
InactiveLimit=0
EnforcePartLimits=ALL
SlurmctldTimeout=30
SlurmdTimeout=30
NodeName=node[1-{last}] CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=60 PriorityTier=1 State=UP
PartitionName=short Nodes=ALL MaxTime=1 PriorityTier=1 State=UP
PartitionName=urgent Nodes=ALL MaxTime=60 PriorityTier=10 State=UP
"""

START_NODE = """\
set -e
mkdir -p -m 755 /run/munge /run/slurm/state /run/slurm/d
(umask 077; cat > /run/munge/munge.key)
munged --force --key-file=/run/munge/munge.key --socket=/run/munge/munge.socket.2 --pid-file=/run/munge/munged.pid \\
  --log-file=/run/vcluster/munged.log --seed-file=/run/munge/seed
"""


def missing_requirements() -> str:
    """Why no Slurm can be started here, in one line; empty when it can."""
    for program, package in (("munged", "munge"), ("slurmctld", "slurmctld"), ("slurmd", "slurmd"), ("sbatch", "slurm-client")):
        if not shutil.which(program, path=TOOL_PATH):
            return f"{program} is missing: apt-get install {package}"
    return ""


class Slurm:
    """Slurm on the nodes of a cluster that is up."""

    def __init__(self, cluster: VirtualCluster):
        self.cluster = cluster
        self.login: Machine = cluster.node("node1")

    def start(self) -> "Slurm":
        """Returns when every node is idle, ready for jobs."""
        why_not = missing_requirements()
        if why_not:
            raise Unsupported(why_not)
        config = CONFIG.format(last=len(self.cluster.nodes), cpus=CPUS, memory=MEMORY_MB)
        # /etc is one copy for all machines of the cluster.
        self.root(["/bin/sh", "-c", "mkdir -p /etc/slurm && cat > /etc/slurm/slurm.conf"], input=config)
        key = os.urandom(64).hex()
        for node in self.cluster.nodes:
            node.run(["/bin/sh", "-c", START_NODE], user=node.ROOT, cwd="/", check=True, input=key)
        self.root(["slurmctld", "-c"])
        for node in self.cluster.nodes:
            node.run(["slurmd"], user=node.ROOT, cwd="/", check=True)
        wait_until(self.ready, 120, "all nodes of Slurm are idle")
        return self

    def ready(self) -> bool:
        states = self.run(["sinfo", "-h", "-N", "-p", "main", "-o", "%T"]).stdout.split()
        return len(states) == len(self.cluster.nodes) and set(states) == {"idle"}

    def run(self, command, **kwargs):
        """A command on the login node, as the inventory's user."""
        return self.login.run(command, **kwargs)

    def root(self, command, **kwargs):
        return self.login.run(command, user=(0, 0), cwd="/", check=True, **kwargs)

    def jobs(self) -> dict:
        """job id → state, of jobs that are not over."""
        lines = self.run(["squeue", "-h", "-o", "%i %T"], check=True).stdout.splitlines()
        return {int(job): state for job, state in (line.split() for line in lines)}

    def end_state(self, job_id: int, timeout: float = 60) -> str:
        """How a job ended, once its nodes are free: until then Slurm may still call it RUNNING or COMPLETING."""
        return wait_until(lambda: job_id not in self.jobs() and self.job(job_id)["JobState"], timeout, f"Slurm says how job {job_id} ended")

    def job(self, job_id: int) -> dict:
        """What scontrol says of a job, also a while after its end."""
        text = self.run(["scontrol", "-o", "show", "job", str(job_id)], check=True).stdout
        return dict(re.findall(r"(\S+?)=(\S*)", text))

    def wait_idle(self, timeout: float = 180):
        wait_until(lambda: not self.jobs() and self.ready(), timeout, "Slurm has no job any more")
