# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The faults of nodes and networks that a preflight has to name: how each is injected for real, and what the report must say. For
test_preflight_faults.py and tests/benchmarks/preflight_matrix.py."""
from __future__ import annotations

import json
import shlex
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import support
from support import CTL, Unsupported, new_cluster, wait_until, write_job

NODES = ["node1", "node2", "node3", "node4"]
OTHERS = NODES[1:]
ALL_PAIRS = {(a, b) for a in NODES for b in NODES if a != b}
DESK = "10.77.0.254"
EPHEMERAL = "32768-60999"


@dataclass
class Finding:
    """What one check must say. nodes: all that it names, the first is the one at fault."""
    id: str
    nodes: list
    pairs: set | None = None
    status: str = "fail"
    says: str = ""


@dataclass
class Fault:
    name: str
    inject: callable
    findings: list
    job: dict = field(default_factory=dict)
    fixed: bool = False  # a fix is printed: applied, the next preflight passes; undone, it fails again
    undone: bool = True
    applied: bool = True  # else the fix is only printed: it would change this machine
    more: tuple = ()  # ids that may be there, too: consequences


class Stage:
    """Four nodes whose user may use sudo, and the desk."""

    def __init__(self):
        self.cluster = new_cluster([{}, {"home_size": "1500m"}, {}, {}]).start()
        self.undo = ExitStack()
        self.environment: dict = {}
        self.sudo = self.root("node1", "command -v sudo", check=False).returncode == 0
        if self.sudo:
            self.root("node1", "echo 'trainer ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/trainer")
        self.preflight({}, quick=True)  # the agents are there

    def close(self):
        self.cluster.down()

    def heal(self):
        self.undo.close()
        self.undo = ExitStack()

    def inventory_with(self, name, change):
        file = Path(self.cluster.dir) / name
        file.write_text(change(Path(self.cluster.inventory).read_text(encoding="utf-8")), encoding="utf-8")
        return str(file)

    def by_name(self, stage_node):
        """An inventory where the other nodes reach this one by its host name."""
        address = self.address(stage_node)
        return self.inventory_with(f"{stage_node}-by-name.yaml", lambda text: text.replace(f"    address: {address}\n", f"    address: {stage_node}\n"))

    def address(self, name):
        return self.cluster.node(name).address

    def root(self, name, command, check=True):
        node = self.cluster.node(name)
        return node.run(["sh", "-c", command], user=node.ROOT, cwd="/", check=check)

    def later(self, name, command):
        self.undo.callback(self.root, name, command, False)

    def do(self, name, command, undo):
        self.later(name, undo)
        self.root(name, command)

    def nft(self, name, rules, hook="input"):
        script = f"table inet fault {{\n chain {hook} {{ type filter hook {hook} priority 0;\n" + "".join(f"  {rule}\n" for rule in rules) + " }\n}\n"
        self.later(name, "nft delete table inet fault")
        done = self.root(name, f"printf %s {shlex.quote(script)} | nft -f -", check=False)
        if done.returncode != 0:
            raise Unsupported(f"the kernel takes no nftables rules: {done.stderr.strip()}")

    def own_hosts(self, name, edit):
        """/etc/hosts is one file for all machines of the cluster: this node gets one of its own."""
        self.do(name, f"cp /etc/hosts /run/hosts && mount --bind /run/hosts /etc/hosts && sed -i.before {shlex.quote(edit)} /run/hosts && cat /run/hosts > /etc/hosts",
                "umount /etc/hosts")

    def sshd_with(self, name, limits):
        """Logins get other limits, as from sshd's unit or the settings of the distribution."""
        node = self.cluster.node(name)
        listener = int(node.path("/run/vcluster/sshd.pid").read_text(encoding="utf-8"))
        before = self.root(name, f"prlimit --raw --noheadings --output=RESOURCE,SOFT --pid {listener}").stdout
        for limit in limits:
            kind = limit.split("=")[0].lstrip("-")
            old = next(line.split()[1] for line in before.splitlines() if line.split()[0].lower() == kind)
            self.later(name, f"prlimit --pid {listener} --{kind}={old}:")
        self.root(name, f"prlimit --pid {listener} {' '.join(limits)}")

    def job(self, more):
        return {"name": "preflight", "nodes": NODES, "procs_per_node": 1, "command": ["python3", "-c", "pass"], **more}

    def preflight(self, job, *options, quick=False, inventory=""):
        """(exit code, report)."""
        if job is not None:
            self.job_file = write_job(self.cluster, self.job(job), "faults.yaml")
        done = self.cluster.run([CTL, "--cluster", inventory or str(self.cluster.inventory), "--json", "preflight", self.job_file,
                                 *(["--quick"] if quick else []), *options], timeout=240 * support.SLOW, env=self.environment)
        try:
            return done.returncode, json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no report: {done.returncode} {done.stdout[-2000:]} {done.stderr[-2000:]}") from None

    def undo_fixes(self, applied):
        for fix in reversed(applied):
            if fix["command"] and fix["undo"]:
                node = self.cluster.node(fix["node"])
                done = node.run(["sh", "-c", fix["undo"]])
                if done.returncode != 0:
                    raise AssertionError(f"undo failed: {fix['undo']}: {done.stdout} {done.stderr}")


def bad_of(checks):
    return {check["id"]: check for check in checks if check["status"] in ("fail", "warn")}


def differences(fault, checks):
    """What the report says otherwise than it must; empty: nothing."""
    bad, wrong = bad_of(checks), []
    for finding in fault.findings:
        found = next((check_id for check_id in finding.id.split("|") if check_id in bad), finding.id)
        check = bad.pop(found, None)
        if check is None:
            wrong.append(f"{finding.id} is missing")
            continue
        if check["status"] != finding.status:
            wrong.append(f"{finding.id}: {check['status']}, not {finding.status}")
        if set(check["nodes"]) != set(finding.nodes) or check["nodes"][0] != finding.nodes[0]:
            wrong.append(f"{finding.id}: nodes {check['nodes']}, not {finding.nodes}")
        pairs = {(pair["from"], pair["to"]) for pair in check["pairs"]}
        if finding.pairs is not None and pairs != finding.pairs:
            wrong.append(f"{finding.id}: pairs {sorted(pairs)}, not {sorted(finding.pairs)}")
        if finding.says not in check["detail"] + "\n".join(check["evidence"]):
            wrong.append(f"{finding.id}: \"{check['detail']}\" does not say \"{finding.says}\"")
    for extra in fault.more:
        bad.pop(extra, None)
    wrong += [f"{check_id} ({check['status']}) is no fault: {check['detail']}" for check_id, check in bad.items()]
    return wrong


def play(stage, fault, with_fix):
    """Injects the fault, looks, and, with_fix, applies the printed fix, looks again, undoes it and looks once more. Returns what went
    wrong as a list, and the seconds of the first preflight."""
    wrong, took = [], 0.0
    try:
        inventory = fault.inject(stage) or ""
        _, report = stage.preflight(fault.job, inventory=inventory)
        took = report["took_s"]
        wrong += differences(fault, report["checks"])
        ids = {finding.id for finding in fault.findings}
        fixes = [fix for check in report["checks"] if check["id"] in ids for fix in check["fixes"]]
        # Without sudo the rules of the firewall cannot be read.
        if bool(fixes) != fault.fixed and stage.sudo:
            wrong.append(f"{'no' if fault.fixed else 'a'} fix is printed: {[fix['command'] or fix.get('job') for fix in fixes]}")
        if with_fix and fault.fixed and fault.applied and not wrong:
            _, report = stage.preflight(None, "--fix", "--yes", inventory=inventory)
            wrong += [f"the fix failed: {fix}" for fix in report["applied"] if not fix["applied"]]
            failed = {finding.id for finding in fault.findings if finding.status == "fail"}
            left = [check_id for check_id, check in bad_of(report["checks"]).items()
                    if check_id in ids and (check["status"] == "fail" or check_id not in failed)]
            if left:
                wrong.append(f"after the fix: {left}: {[fix['command'] or fix['job'] for fix in report['applied']]} {bad_of(report['checks'])}")
            elif fault.undone:
                stage.undo_fixes(report["applied"])
                _, report = stage.preflight(fault.job, inventory=inventory)
                if not ids <= set(bad_of(report["checks"])):
                    wrong.append(f"after the undo: {sorted(bad_of(report['checks']))}")
    finally:
        stage.heal()
    return wrong, took


# ---- the faults ----


def master_port(rule, name, nodes):
    def inject(stage):
        if nodes is None:
            stage.nft("node1", [f"tcp dport 29500 {rule}"])
        else:
            stage.nft("node1", [f"ip saddr {stage.address(node)} tcp dport 29500 {rule}" for node in nodes])
    sources = OTHERS if nodes is None else nodes
    return Fault(f"master port: {name}, for {'all' if nodes is None else ', '.join(nodes)}", inject,
                 [Finding({"dropped": "master-port-dropped", "reset": "master-port-reset"}.get(name, "master-port-icmp-reject"),
                          ["node1", *sources], {(node, "node1") for node in sources})], fixed=True)


def master_port_outgoing(stage):
    stage.nft("node3", ["tcp dport 29500 drop"], hook="output")


def ephemeral_all(stage):
    for node in NODES:
        stage.nft(node, [f"ip saddr 10.77.0.0/28 tcp dport {EPHEMERAL} ct state new drop"])


def ephemeral_direction(stage):
    stage.nft("node2", [f"ip saddr {stage.address('node3')} tcp dport {EPHEMERAL} ct state new drop"])


def ephemeral_pair(stage):
    for node, other in (("node2", "node3"), ("node3", "node2")):
        stage.nft(node, [f"ip saddr {stage.address(other)} tcp dport {EPHEMERAL} ct state new drop"])


def ephemeral_reset(stage):
    stage.nft("node4", [f"ip saddr 10.77.0.0/28 tcp dport {EPHEMERAL} ct state new reject with tcp reset"])


def cut_off(stage):
    for node in NODES:
        if node != "node3":
            stage.nft(node, [f"ip saddr {stage.address('node3')} drop"])


def unplugged(stage):
    node = stage.cluster.node("node3")
    stage.undo.callback(node.plug)
    node.unplug()


def no_sshd(stage):
    node = stage.cluster.node("node3")
    stage.undo.callback(node.start_sshd)
    node.kill_sshd(sessions=True)


def bridges(name, address):
    def inject(stage):
        for node in NODES:
            stage.later(node, f"ip link delete {name}")
            stage.cluster.node(node).add_interface(name, address)
            # A port with a link, or NCCL skips it.
            stage.do(node, f"ip link add port0 type veth peer name port1 && ip link set port0 master {name} up && ip link set port1 up", "ip link delete port0")
    return inject


def second_nic(stage):
    """eth1 of each node leads to a switch of its own."""
    for number, node in enumerate(NODES, 1):
        stage.do(node, f"ip link add eth1 type veth peer name rail1 && ip address add 10.99.0.{number}/24 dev eth1 && ip link set eth1 up && ip link set rail1 up",
                 "ip link delete eth1")


def loopback_name(stage):
    stage.own_hosts("node2", "1i 127.0.1.1 node2")


def unresolvable(stage):
    stage.own_hosts("node3", "/node2/d")


def unresolvable_master(stage):
    stage.own_hosts("node3", "/node1/d")
    return stage.by_name("node1")


def other_host(stage):
    stage.own_hosts("node3", "s/^.* node1$/10.77.0.4 node1/")
    return stage.by_name("node1")


def ipv6_only(stage):
    stage.own_hosts("node3", "s/^.* node1$/fd00::1 node1/")
    return stage.by_name("node1")


def black_hole(stage):
    for name in NODES:  # offloads hand over larger packets than the wire has
        if stage.root(name, "ethtool -K eth0 tso off gso off gro off", check=False).returncode != 0:
            raise Unsupported("ethtool is missing: apt-get install ethtool")
        stage.later(name, "ethtool -K eth0 tso on gso on gro on")
    stage.nft("node2", ["ip saddr 10.77.0.0/28 meta length > 1400 drop"])


HOLDER = ["python3", "-c", "import socket,time\ns=socket.socket()\ns.setsockopt(1,2,1)\ns.bind(('',29500))\ns.listen()\nprint('up',flush=True)\ntime.sleep(600)"]


def port_held(user=None, environment=None):
    def inject(stage):
        node = stage.cluster.node("node1")
        options = {"user": user, "cwd": "/"} if user else {}
        holder = node.popen(HOLDER, stdout=-1, text=True, env=environment or {}, **options)

        def end():
            holder.kill()
            holder.wait()
            holder.stdout.close()
        stage.undo.callback(end)
        assert holder.stdout.readline() == "up\n"
    return inject


def small_shm(stage):
    stage.do("node2", "mount -o remount,size=16m /dev/shm", "mount -o remount,size=50% /dev/shm")


def full_disk(stage):
    node = stage.cluster.node("node2")
    stage.undo.callback(node.free_disk)
    stage.root("node2", "fallocate -l 2g /home/trainer/.filler 2>/dev/null; rm -f /home/trainer/.filler; "
                        "free=$(df --output=avail -k /home/trainer | tail -1) && fallocate -l ${free}k /home/trainer/.filler")


def readonly_home(stage):
    node = stage.cluster.node("node3")
    stage.undo.callback(node.home_readonly, False)
    node.home_readonly(True)


def noexec_home(stage):
    node = stage.cluster.node("node3")
    stage.undo.callback(node.home_noexec, False)
    node.home_noexec(True)


def delayed(stage):
    node = stage.cluster.node("node2")
    stage.undo.callback(node.unshape)
    node.delay(200)


def lossy(stage):
    # Of what arrives from the other nodes, at random.
    stage.nft("node2", ["ip saddr 10.77.0.0/28 numgen random mod 100 < 5 drop"])


def slow(stage):
    node = stage.cluster.node("node2")
    stage.undo.callback(node.unshape)
    node.rate(10)


def program_on_all_but(name):
    def inject(stage):
        for node in NODES:
            if node != name:
                stage.do(node, "mkdir -p /srv/venv/bin && ln -sf $(command -v python3) /srv/venv/bin/python", "rm -r /srv/venv")
    return inject


def version_skew(stage):
    """As pip leaves them, in a folder that the user's ~/.bashrc names."""
    for node in NODES:
        version = "2.5.1" if node == "node3" else "2.6.0"
        stage.do(node, f"mkdir -p /srv/packages/torch-{version}.dist-info && echo 'export PYTHONPATH=/srv/packages' > /home/trainer/.bashrc",
                 "rm -r /srv/packages /home/trainer/.bashrc")


def nccl_settings(stage):
    for node in NODES:
        stage.do(node, f"echo NCCL_PROTO={'LL' if node == 'node3' else 'Simple'} > /home/trainer/.nccl.conf", "rm /home/trainer/.nccl.conf")


def left_behind(stage):
    node = stage.cluster.node("node4")
    process = node.popen(["sleep", "600"], env={"RANKSCOPE_RUN_ID": "20260101-000000-old"})

    def end():
        process.kill()
        process.wait()
    stage.undo.callback(end)
    wait_until(lambda: any(found.comm == "sleep" for found in node.processes()), 20, "the process is there")


def changed_code(stage):
    for node in NODES:
        text = "print(2)" if node == "node4" else "print(1)"
        stage.do(node, f"mkdir -p /srv/code && echo '{text}' > /srv/code/train.py", "rm -r /srv/code")


def changed_code_at_home(stage):
    for node in NODES:
        text = "print(2)" if node == "node4" else "print(1)"
        stage.do(node, f"echo '{text}' > /home/trainer/train.py", "rm /home/trainer/train.py")
    file = Path(stage.cluster.dir) / "train.py"
    file.write_text("print(1)\n", encoding="utf-8")
    stage.undo.callback(file.unlink)


def missing_data(stage):
    for node in ("node1", "node2", "node4"):
        stage.do(node, "mkdir -p /srv/set", "rmdir /srv/set")


def shifted_desk(stage):
    """CLOCK_REALTIME has no namespace: a node's clock cannot be set without the machine's. Seen from a desk whose clock is wrong, two nodes
    are. Which of more than two nodes is wrong: tests/remote/node_state_checks_test.cpp."""
    shim = support.BIN.parent / "tests/integration/shifted_clock.so"
    if not shim.exists():
        raise Unsupported(f"{shim} is not built")
    copied = Path(stage.cluster.dir) / "shifted_clock.so"
    copied.write_bytes(shim.read_bytes())
    stage.environment = {"LD_PRELOAD": str(copied), "RANKSCOPE_TEST_CLOCK_SHIFT": "-120"}
    stage.undo.callback(lambda: setattr(stage, "environment", {}))


def desk_black_hole(stage):
    """A tunnel between the desk and one node: packets of a full size vanish, and nobody says so."""
    stage.nft("node3", [f"ip saddr {DESK} tcp dport 22 ip length > 1000 drop"])


def other_python(stage):
    """A program of that name that is no Python."""
    stage.do("node2", "mount --bind /bin/true \"$(readlink -f /usr/bin/python3)\"", "umount \"$(readlink -f /usr/bin/python3)\"")


DROPPED, RESET, ICMP = "drop", "reject with tcp reset", "reject with icmpx admin-prohibited"
FAULTS = [
    *(master_port(rule, name, nodes) for rule, name in ((DROPPED, "dropped"), (RESET, "reset"), (ICMP, "rejected by ICMP"))
      for nodes in (None, ["node3"])),
    Fault("master port: dropped on the way out of node3", master_port_outgoing,
          [Finding("master-port-dropped", ["node3", "node1"], {("node3", "node1")})], fixed=True),
    Fault("ephemeral ports: dropped, all", ephemeral_all, [Finding("gloo-ports-blocked", NODES, ALL_PAIRS)], fixed=True),
    Fault("ephemeral ports: dropped, one direction", ephemeral_direction,
          [Finding("gloo-ports-blocked", ["node2", "node3"], {("node3", "node2")})], fixed=True),
    Fault("ephemeral ports: dropped, one pair", ephemeral_pair,
          [Finding("gloo-ports-blocked", ["node2", "node3"], {("node2", "node3"), ("node3", "node2")})], fixed=True),
    Fault("ephemeral ports: reset, one node", ephemeral_reset,
          [Finding("gloo-ports-blocked", ["node4", "node1", "node2", "node3"], {(node, "node4") for node in NODES[:3]})], fixed=True),
    Fault("node unreachable: no sshd", no_sshd, [Finding("ssh-refused", ["node3"])]),
    Fault("node unreachable: cable out", unplugged, [Finding("ssh-no-route|ssh-timeout", ["node3"])]),
    Fault("docker0, named by the job", bridges("docker0", "172.17.0.1/16"), [Finding("docker0-chosen", NODES)], {"interface": "docker0"}, fixed=True),
    Fault("docker0, by NCCL_SOCKET_IFNAME of the job", bridges("docker0", "172.17.0.1/16"), [Finding("docker0-chosen", NODES)],
          {"env": {"NCCL_SOCKET_IFNAME": "docker0"}}, fixed=True),
    Fault("virbr0, there", bridges("virbr0", "192.168.122.1/24"), [Finding("virbr0-chosen", NODES, status="warn")]),
    Fault("virbr0, named by the job", bridges("virbr0", "192.168.122.1/24"), [Finding("virbr0-chosen", NODES)], {"interface": "virbr0"}, fixed=True),
    Fault("second NIC unreachable", second_nic, [Finding("extra-nic-unreachable", NODES, status="warn")]),
    Fault("second NIC unreachable, by NCCL_SOCKET_IFNAME of the job", second_nic, [Finding("extra-nic-unreachable", NODES)],
          {"env": {"NCCL_SOCKET_IFNAME": "eth"}}, fixed=True),
    Fault("interface that no node has", lambda stage: None, [Finding("socket-ifname-invalid", NODES)], {"interface": "eth7"}, fixed=True),
    Fault("host name on 127.0.1.1", loopback_name, [Finding("loopback-hostname", ["node2"], status="warn", says="127.0.1.1")], fixed=True),
    Fault("peer not resolvable", unresolvable, [Finding("master-unresolvable", ["node3"], status="warn", says="node2")], fixed=True),
    Fault("master not resolvable, used by name", unresolvable_master, [Finding("master-unresolvable", ["node3"], says="node1")], fixed=True),
    Fault("master resolves to another host", other_host, [Finding("master-addr-wrong-node", ["node3"], says="10.77.0.4")], fixed=True),
    Fault("IPv6-only name", ipv6_only, [Finding("ipv6-only-name", ["node3"], says="fd00::1")], fixed=True),
    Fault("MTU black hole", black_hole, [Finding("mtu-blackhole", ["node2", "node1", "node3", "node4"], {(node, "node2") for node in NODES if node != "node2"})],
          fixed=True),
    Fault("port held by own stale process", port_held(environment={"RANKSCOPE_RUN_ID": "20260101-000000-old"}),
          [Finding("port-in-use", ["node1"], says="left behind")], fixed=True, undone=False, more=("stale-process",)),
    Fault("port held by another process of the user", port_held(), [Finding("port-in-use", ["node1"], says="python3")], fixed=True, undone=False),
    Fault("port held by another user", port_held(user=(1234, 1234)), [Finding("port-in-use", ["node1"])], fixed=True, undone=False),
    Fault("small /dev/shm", small_shm, [Finding("shm-too-small", ["node2"], says="16 MiB")], fixed=True),
    Fault("low nofile", lambda stage: stage.sshd_with("node2", ["--nofile=256:"]), [Finding("open-files-limit", ["node2"], says="256")], fixed=True),
    Fault("low memlock", lambda stage: stage.sshd_with("node2", ["--memlock=65536:"]),
          [Finding("ib-memlock", ["node2"], status="warn", says="65536")], fixed=True),
    Fault("low limit of address space", lambda stage: stage.sshd_with("node2", ["--as=1500000000:"]),
          [Finding("host-oom", ["node2"], says="ulimit -v")], fixed=True),
    Fault("loopback interface down on the master", lambda stage: stage.do("node1", "ip link set lo down", "ip link set lo up"),
          [Finding("link-down", ["node1"], says="lo")], fixed=True),
    Fault("large packets from the desk vanish", desk_black_hole, [Finding("mtu-blackhole", ["node3"], says="from this computer")]),
    Fault("python3 is another program", other_python, [Finding("interpreter-missing", ["node2"], says="is not Python")]),
    Fault("low process limit", lambda stage: stage.sshd_with("node2", ["--nproc=500:"]), [Finding("pids-limit", ["node2"], says="500")],
          {"procs_per_node": 8}, fixed=True),  # the clusters of a machine have one user: room for the others
    Fault("full disk", full_disk, [Finding("disk-full", ["node2"])]),
    Fault("read-only home", readonly_home, [Finding("read-only", ["node3"])]),
    Fault("noexec home", noexec_home, [Finding("no-exec", ["node3"])]),
    Fault("200 ms delay", delayed, [Finding("link-delay", NODES, {pair for pair in ALL_PAIRS if "node2" in pair}, status="warn")]),
    Fault("5 % loss", lossy, [Finding("link-loss", ["node2", "node1", "node3", "node4"], {(node, "node2") for node in NODES if node != "node2"}, status="warn")]),
    Fault("10 Mbit/s link", slow, [Finding("link-slow", ["node1", "node2", "node3", "node4"], {("node2", node) for node in NODES if node != "node2"}, status="warn")]),
    Fault("missing interpreter", program_on_all_but("node4"), [Finding("interpreter-missing", ["node4"], says="/srv/venv/bin/python")],
          {"command": ["/srv/venv/bin/python", "-c", "pass"]}),
    Fault("changed code on one node", changed_code, [Finding("code-differs", ["node4"], says="/srv/code/train.py")],
          {"command": ["python3", "/srv/code/train.py"]}),
    Fault("changed code on one node, pushed by the fix", changed_code_at_home, [Finding("code-differs", ["node4"], says="train.py")],
          {"command": ["python3", "train.py"]}, fixed=True),
    Fault("NCCL settings that differ", nccl_settings, [Finding("env-skew", ["node3"], status="warn", says="NCCL_PROTO is \"LL\" on node3")], fixed=True),
    Fault("process of a run that is over", left_behind, [Finding("stale-process", ["node4"], status="warn", says="sleep 600")], fixed=True, undone=False),
    Fault("version skew", version_skew, [Finding("torch-version-skew", ["node3"], says="2.5")]),
    Fault("clock off, seen from the desk", shifted_desk, [Finding("clock-skew", ["node1", "node2"], status="warn", says="120 s")],
          {"nodes": ["node1", "node2"]}, fixed=True, undone=False, applied=False),
    Fault("missing data path", missing_data, [Finding("data-path-missing", ["node3"], says="/srv/set")], {"command": ["python3", "-c", "pass", "--data=/srv/set"]}),
]
