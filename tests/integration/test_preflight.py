#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl preflight` on real nodes with real faults: the id, the nodes and the direction; no alarm on healthy nodes; the fix works."""
import json
import shlex
import subprocess
import threading
import unittest
from pathlib import Path

import support
from support import CTL, Unsupported, new_cluster, write_job

NODES = ["node1", "node2", "node3"]


class Preflight(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(len(NODES)).start()
        # The same nodes, logged in as root: the agent may read the rules of the firewall.
        cls.as_root = Path(cls.cluster.dir) / "root.yaml"
        cls.as_root.write_text(Path(cls.cluster.inventory).read_text(encoding="utf-8").replace("trainer", "root"), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def tearDown(self):
        for name in NODES:
            self.root(name, "nft delete table inet fault; tc qdisc del dev eth0 root; true", check=False)
            self.cluster.node(name).heal()

    def root(self, name, command, check=True):
        node = self.cluster.node(name)
        return node.run(["sh", "-c", command], user=node.ROOT, cwd="/", check=check)

    def job(self, **more):
        return {"name": "preflight", "nodes": NODES, "procs_per_node": 1, "command": ["python3", "-c", "pass"], **more}

    def preflight(self, job=None, inventory=None, quick=False):
        path = write_job(self.cluster, job or self.job(), "preflight.yaml")
        done = self.cluster.run([CTL, "--cluster", str(inventory or self.cluster.inventory), "--json", "preflight", path,
                                 *(["--quick"] if quick else [])], timeout=120 * support.SLOW)
        self.assertTrue(done.stdout, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(done.returncode, 3 if any(check["status"] == "fail" for check in report["checks"]) else 0, report)
        return report

    def bad(self, report):
        return {check["id"]: check for check in report["checks"] if check["status"] in ("fail", "warn")}

    def drop(self, name, rules):
        script = "table inet fault {\n chain input { type filter hook input priority 0;\n" + "".join(f"  {rule}\n" for rule in rules) + " }\n}\n"
        done = self.root(name, f"printf %s {shlex.quote(script)} | nft -f -", check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"the kernel takes no nftables rules: {done.stderr.strip()}")

    def expect(self, report, check_id, nodes, pairs=None, status="fail"):
        bad = self.bad(report)
        self.assertIn(check_id, bad, json.dumps(report["checks"], indent=1))
        check = bad[check_id]
        self.assertEqual(check["status"], status, check)
        self.assertEqual(set(check["nodes"]), set(nodes), check)
        if pairs is not None:
            self.assertEqual({(pair["from"], pair["to"]) for pair in check["pairs"]}, set(pairs), check)
        self.assertEqual({entry for entry in bad if bad[entry]["status"] == "fail"}, {check_id} if status == "fail" else set(), bad)
        return check

    def test_healthy_nodes_raise_no_alarm(self):
        for quick in (True, False):
            for _ in range(3):
                report = self.preflight(quick=quick)
                self.assertEqual(self.bad(report), {}, "quick" if quick else "full")
                self.assertEqual([choice["interface"] for choice in report["choices"]], ["eth0"] * 3)
            print(f"{'quick' if quick else 'full'}: {report['took_s']:.2f} s")

    def test_the_master_port(self):
        others = [("node2", "node1"), ("node3", "node1")]
        for rule, check_id in (("drop", "master-port-dropped"), ("reject with tcp reset", "master-port-reset"),
                               ("reject with icmpx admin-prohibited", "master-port-icmp-reject")):
            with self.subTest(rule):
                self.drop("node1", [f"tcp dport 29500 {rule}"])
                self.expect(self.preflight(), check_id, NODES, others)
                self.root("node1", "nft delete table inet fault")
        self.drop("node1", [f"ip saddr {self.cluster.node('node3').address} tcp dport 29500 drop"])
        self.expect(self.preflight(), "master-port-dropped", ["node1", "node3"], [("node3", "node1")])

    def test_the_ephemeral_ports_in_one_direction(self):
        source = self.cluster.node("node3").address
        self.drop("node2", [f"ip saddr {source} tcp dport 32768-60999 ct state new drop"])
        check = self.expect(self.preflight(), "gloo-ports-blocked", ["node2", "node3"], [("node3", "node2")])
        self.assertEqual(check["nodes"][0], "node2")

    def test_a_rule_without_connection_tracking_drops_answers_too(self):
        self.drop("node2", ["iifname eth0 ip saddr != 10.77.0.254 tcp dport 32768-60999 drop"])
        check = self.expect(self.preflight(), "gloo-ports-blocked", NODES,
                            [("node1", "node2"), ("node3", "node2"), ("node2", "node1"), ("node2", "node3")])
        self.assertEqual(check["nodes"][0], "node2")

    def test_nodes_that_do_not_reach_each_other_at_all(self):
        self.drop("node2", [f"ip saddr {self.cluster.node('node3').address} drop"])
        self.drop("node3", [f"ip saddr {self.cluster.node('node2').address} drop"])
        self.expect(self.preflight(), "partition-midrun", ["node2", "node3"], [("node2", "node3"), ("node3", "node2")])

    def test_large_packets_that_vanish(self):
        self.drop("node2", [f"ip saddr {self.cluster.node(name).address} meta length > 1000 drop" for name in ("node1", "node3")])
        # Segmentation offload hands over larger packets than the wire has.
        for name in NODES:
            self.root(name, "ethtool -K eth0 tso off gso off gro off", check=False)
        self.expect(self.preflight(), "mtu-blackhole", NODES, [("node1", "node2"), ("node3", "node2")])

    def test_interfaces_that_mislead(self):
        for name in ("node1", "node2"):
            self.cluster.node(name).add_interface("docker0", "172.17.0.1/16")
        try:
            self.assertNotIn("docker0-chosen", {entry for entry, check in self.bad(self.preflight()).items() if check["status"] == "fail"})
            check = self.bad(self.preflight(self.job(interface="docker0", nodes=["node1", "node2"])))["docker0-chosen"]
            self.assertEqual((check["status"], set(check["nodes"])), ("fail", {"node1", "node2"}))
        finally:
            for name in ("node1", "node2"):
                self.root(name, "ip link delete docker0")
        self.assertEqual(set(self.bad(self.preflight(self.job(interface="eth7")))), {"socket-ifname-invalid"})

    def test_what_one_node_lacks(self):
        for name in ("node1", "node3"):
            self.root(name, "mkdir -p /srv/set && install -m 755 /bin/true /srv/mytrain")
        check = self.expect(self.preflight(self.job(command=["python3", "-c", "pass", "--data=/srv/set"])), "data-path-missing", ["node2"])
        self.assertIn("/srv/set", check["detail"])
        self.expect(self.preflight(self.job(command=["/srv/mytrain"])), "interpreter-missing", ["node2"])

    def test_a_held_port_names_its_holder(self):
        holder = self.cluster.node("node1").popen(["python3", "-c", "import socket,time\ns=socket.socket()\ns.bind(('',29500))\ns.listen()\n"
                                                   "print('up',flush=True)\ntime.sleep(600)"], stdout=-1, text=True)
        try:
            self.assertEqual(holder.stdout.readline(), "up\n")
            check = self.expect(self.preflight(), "port-in-use", ["node1"])
            self.assertIn("python3", check["detail"])
            self.assertEqual(self.bad(self.preflight(self.job(master_port=0))), {})
        finally:
            holder.kill()
            holder.wait()
            holder.stdout.close()

    def test_the_printed_fix_works_and_its_undo_brings_the_fault_back(self):
        self.drop("node1", [f"ip saddr {self.cluster.node('node2').address} tcp dport 29500 drop"])
        check = self.expect(self.preflight(inventory=self.as_root), "master-port-dropped", ["node1", "node2"])
        self.assertIn("29500", "".join(check["evidence"]))
        self.assertEqual(len([fix for fix in check["fixes"] if fix.get("command")]), 1, check)
        fix = check["fixes"][0]  # the command comes before the port that passes
        self.assertEqual(fix["node"], "node1")

        def do(command):
            self.root("node1", command.replace("sudo ", ""))
        do(fix["command"])
        self.assertEqual(self.bad(self.preflight(inventory=self.as_root)), {})
        do(fix["undo"])
        self.expect(self.preflight(inventory=self.as_root), "master-port-dropped", ["node1", "node2"])

    def at_terminal(self, answers, *options):
        """preflight in a terminal; answers: [(what is shown, what is typed then), …], in this order. Returns exit code and output."""
        command = shlex.join([CTL, "--cluster", str(self.cluster.inventory), "preflight", write_job(self.cluster, self.job(), "terminal.yaml"), *options])
        process = self.cluster.popen(["script", "-qec", command, "/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        deadline = threading.Timer(90 * support.SLOW, process.kill)
        deadline.start()
        said, seen = b"", 0
        for chunk in iter(lambda: process.stdout.read1(4096), b""):
            said += chunk
            while answers and said.find(answers[0][0].encode(), seen) >= 0:
                question, typed = answers.pop(0)
                seen = said.find(question.encode(), seen) + len(question)
                process.stdin.write(typed.encode())
                process.stdin.flush()
        deadline.cancel()
        code = process.wait(10)
        process.stdin.close()
        process.stdout.close()
        said = said.decode(errors="replace")
        self.assertEqual(answers, [], said)
        return code, said

    def test_fixes_are_shown_confirmed_and_applied_with_the_password_of_sudo(self):
        if self.root("node2", "command -v sudo", check=False).returncode != 0:
            self.skipTest("sudo is missing: apt-get install sudo")
        self.root("node2", "echo 'trainer ALL=(ALL:ALL) ALL' > /etc/sudoers.d/trainer && mount -o remount,size=16m /dev/shm")
        try:
            code, said = self.at_terminal([("Run this command? [y/N] ", "\n")], "--fix")
            self.assertEqual(code, 3, said)
            self.assertIn("on node2: sudo mount -o remount,size=1024M /dev/shm", said)
            self.assertIn("undo: sudo mount -o remount,size=16384k /dev/shm", said)
            self.assertNotIn("password of", said)
            code, said = self.at_terminal([("Run this command? [y/N] ", "y\n"), ("password of trainer (sudo): ", "wrong\n"),
                                           ("password of trainer (sudo): ", f"{self.cluster.password}\n")], "--fix")
            self.assertEqual(code, 0, said)
            self.assertIn("fixed: shm-too-small", said)
            self.assertNotIn("wrong", said)
        finally:
            self.root("node2", "rm /etc/sudoers.d/trainer; mount -o remount,size=50% /dev/shm")

    def name_node3(self, text):
        # /proc/sys/kernel/hostname and hostname(1) refuse what the kernel takes.
        self.root("node3", f"python3 -c 'import socket, sys; socket.sethostname(sys.argv[1])' {shlex.quote(text)}")

    def test_a_host_name_is_neither_a_command_nor_a_claim(self):
        if self.root("node1", "command -v sudo", check=False).returncode != 0:
            self.skipTest("sudo is missing: apt-get install sudo")
        hosts = self.root("node1", "cat /etc/hosts").stdout
        job = write_job(self.cluster, self.job(), "names.yaml")
        try:
            for name in NODES:
                self.root(name, "echo 'trainer ALL=(ALL:ALL) NOPASSWD: ALL' > /etc/sudoers.d/trainer; rm -f /tmp/PWNED")
            for text in ("x';touch /tmp/PWNED;'", "$(touch /tmp/PWNED)", "`touch /tmp/PWNED`", "x;touch /tmp/PWNED", "x\ntouch /tmp/PWNED",
                         "-oProxyCommand=touch /tmp/PWNED", "localhost", "node2"):
                with self.subTest(name=text):
                    self.name_node3(text)
                    done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", job, "--fix", "--yes"],
                                            timeout=120 * support.SLOW)
                    report = json.loads(done.stdout)
                    self.assertEqual(report.get("applied", []), [])
                    for name in NODES:
                        self.assertNotEqual(self.root(name, "test -e /tmp/PWNED", check=False).returncode, 0, name)
                    self.assertEqual(self.root("node1", "cat /etc/hosts").stdout, hosts)
                    if text == "node2":
                        check = self.bad(report)["same-hostname"]
                        self.assertEqual((check["nodes"], check["fixes"]), (["node3", "node2"], []))
        finally:
            self.name_node3("node3")
            for name in NODES:
                self.root(name, "rm -f /etc/sudoers.d/trainer")
        self.assertEqual(self.bad(self.preflight()), {})

    def test_ctrl_c_stops_it(self):
        self.drop("node1", ["tcp dport 29500 drop"])  # it waits for answers
        code, said = self.at_terminal([("testing ", "\x03")])
        self.assertEqual(code, 130, said)
        self.assertIn("Stopped by the user", said)
        lines = said.splitlines()
        self.assertEqual(len(lines), len(set(lines)), "each step is shown once")

    def test_json_cannot_ask(self):
        done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", write_job(self.cluster, self.job()), "--fix"])
        self.assertEqual((done.returncode, json.loads(done.stdout)["id"]), (2, "bad-command-line"))

    def test_a_node_that_cannot_be_reached_is_named_and_the_others_are_inspected(self):
        node = self.cluster.node("node3")
        node.kill_sshd(sessions=True)
        try:
            report = self.preflight()
            self.assertEqual(self.expect(report, "ssh-refused", ["node3"])["status"], "fail")
            self.assertTrue([check for check in report["checks"] if check["status"] == "pass"])
        finally:
            node.start_sshd()

    def test_slow_lossy_and_distant_links(self):
        node = self.cluster.node("node2")
        try:
            node.delay(200)
            self.assertIn("link-delay", self.bad(self.preflight()))
            node.unshape()
            node.rate(10)
            self.assertIn("link-slow", self.bad(self.preflight()))
            node.unshape()
            node.loss(5)
            report = self.preflight()
            self.assertFalse([check for check in report["checks"] if check["status"] == "fail"], report)
            self.assertIn("link-loss", self.bad(report))
        except Unsupported as why:
            self.skipTest(str(why))


if __name__ == "__main__":
    support.main()
