#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH as users have it, against real sshds: configuration, keys, agents, host keys, jumps, noise, limits."""
import json
import os
import shlex
import subprocess
import threading
import time
import unittest
from pathlib import Path

import support
from support import CTL, new_cluster, wait_until


class Ssh(unittest.TestCase):
    """One cluster for all tests of a class; each puts back what it changes."""

    NODES = 2
    OPTIONS: dict = {}

    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(cls.NODES, **cls.OPTIONS).start()
        cls.home = Path(cls.cluster.desk_home)
        cls.kept_config = cls.cluster.ssh_config.read_text(encoding="utf-8")
        cls.kept_known_hosts = cls.cluster.known_hosts.read_text(encoding="utf-8") if cls.cluster.known_hosts.exists() else ""

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def tearDown(self):
        self.cluster.ssh_config.write_text(self.kept_config, encoding="utf-8")
        self.cluster.known_hosts.write_text(self.kept_known_hosts, encoding="utf-8")

    def inventory(self, *nodes: dict) -> str:
        path = Path(self.cluster.dir) / "ssh-test.yaml"
        path.write_text(json.dumps({"nodes": list(nodes)}), encoding="utf-8")
        return str(path)

    def ctl(self, *arguments, **options):
        options.setdefault("timeout", 120 * support.SLOW)
        return self.cluster.run([CTL, "--json", *arguments], **options)

    def probe(self, *nodes: dict, flags=(), code=0, **options) -> list:
        done = self.ctl("--cluster", self.inventory(*nodes), *flags, "probe", **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout)["nodes"]

    def ready(self, node: dict, **options) -> dict:
        return self.probe(node, **options)[0]["facts"]

    def refused(self, node: dict, **options) -> dict:
        entry = self.probe(node, code=4, **options)[0]
        self.assertEqual(entry["node"], node["name"])
        self.assertTrue(entry["what"] and entry["remedy"], entry)
        return entry

    def direct(self, number=1, **values) -> dict:
        """A node by address, with the cluster's key."""
        return {"name": f"n{number}", "host": self.cluster.node(number).address, "user": "trainer",
                "identity_file": str(self.cluster.identity), **values}

    def sshd(self, number: int, *lines: str):
        """The node's sshd with other settings (the first value of an option counts), until the end of the test."""
        node = self.cluster.node(number)
        config = node.folder / "run/sshd_config"
        before = config.read_text(encoding="utf-8")

        def use(text: str):
            config.write_text(text, encoding="utf-8")
            node.kill_sshd()
            node.start_sshd()

        use("".join(f"{line}\n" for line in lines) + before)
        self.addCleanup(use, before)

    def keygen(self, name: str, *options: str, passphrase="") -> Path:
        path = self.home / ".ssh" / name
        for old in (path, Path(f"{path}.pub"), Path(f"{path}-cert.pub")):
            old.unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-C", name, *options, "-f", str(path)], check=True)
        for made in (path, Path(f"{path}.pub"), Path(f"{path}-cert.pub")):
            self.addCleanup(made.unlink, missing_ok=True)
        return path

    def authorize(self, number: int, text: str):
        node = self.cluster.node(number)
        file = node.path("/home/trainer/.ssh/authorized_keys")
        before = file.read_text(encoding="utf-8")
        file.write_text(text, encoding="utf-8")
        self.addCleanup(file.write_text, before, encoding="utf-8")

    def agent(self, *keys: Path) -> dict:
        """An ssh-agent at the desk that holds these keys; the environment that leads to it."""
        link = f"/tmp/agent-{os.getpid()}-{time.monotonic_ns()}"
        self.cluster.run(["mkdir", "-m", "700", link], check=True)
        process = self.cluster.popen(["ssh-agent", "-D", "-a", f"{link}/socket"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, 10)
        self.addCleanup(process.terminate)
        environment = {"SSH_AUTH_SOCK": f"{link}/socket"}
        wait_until(lambda: self.cluster.run(["test", "-S", f"{link}/socket"]).returncode == 0, 10, "the agent listens")
        for key in keys:
            self.cluster.run(["ssh-add", "-q", str(key)], env=environment, check=True)
        return environment

    def at_terminal(self, arguments: list, answers: dict, under="", **options) -> tuple:
        """The command with a terminal of its own; answers: {question: what is typed, or a function that returns it}. `under`: a
        program that starts it. Returns exit code and output."""
        command = shlex.join([*under.split(), *map(str, (CTL, *arguments))])
        process = self.cluster.popen(["script", "-qec", command, "/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, **options)
        deadline = threading.Timer(90 * support.SLOW, process.kill)
        deadline.start()
        said, seen = b"", 0
        for chunk in iter(lambda: process.stdout.read1(4096), b""):
            said += chunk
            for question, answer in answers.items():
                at = said.find(question.encode(), seen)
                if at >= 0:
                    seen = at + len(question)
                    typed = answer() if callable(answer) else answer
                    process.stdin.write(typed.encode() + b"\n")
                    process.stdin.flush()
        deadline.cancel()
        code = process.wait(10)
        process.stdin.close()
        process.stdout.close()
        return code, said.decode(errors="replace")

    def add_config(self, text: str):
        """In front: the first value of an option is the one that counts."""
        self.cluster.ssh_config.write_text(text + self.kept_config, encoding="utf-8")


class Configuration(Ssh):
    """~/.ssh/config is honoured, and what comes out of it is shown."""

    def test_an_alias_is_resolved_shown_and_used(self):
        inventory = self.inventory({"name": "first", "host": "node1"})
        said = self.cluster.run([CTL, "--cluster", inventory, "nodes", "show", "first"], check=True).stdout
        self.assertIn(f"first connects as trainer@{self.cluster.node(1).address}:22 with ~/.ssh/id_ed25519", said)
        facts = self.ready({"name": "first", "host": "node1"})
        self.assertEqual(facts["connected_as"], f"trainer@{self.cluster.node(1).address}:22 with ~/.ssh/id_ed25519")

    def test_the_inventory_comes_before_the_configuration(self):
        self.add_config("Host node1\n  User nobody\n  Port 9\n  IdentityFile ~/.ssh/id_stranger\n")
        facts = self.ready({"name": "first", "host": "node1", "user": "trainer", "port": 22, "identity_file": str(self.cluster.identity)})
        self.assertEqual(facts["user"], "trainer")

    def test_a_bad_line_is_named(self):
        self.add_config("Host node1\n  Usr trainer\n")
        for done in (self.ctl("--cluster", self.inventory({"name": "first", "host": "node1"}), "nodes", "show", "first"),):
            self.assertEqual(done.returncode, 2)
            error = json.loads(done.stdout)
            self.assertEqual(error["id"], "ssh-config")
            self.assertIn(f"{self.cluster.ssh_config}: line 2", error["what"])
        self.assertEqual(self.refused({"name": "first", "host": "node1"})["id"], "ssh-config")

    def test_algorithms_of_the_configuration_are_used(self):
        self.add_config("Host *\n  Ciphers aes256-ctr\n  MACs hmac-sha2-512\n  KexAlgorithms ecdh-sha2-nistp256\n")
        self.ready({"name": "first", "host": "node1"})
        log = self.cluster.node(1).sshd_log.read_text(encoding="utf-8")
        self.assertIn("Accepted publickey for trainer", log)


class Faults(Ssh):
    """The same fault gets the same code, whichever implementation meets it; the sentence names the cause, the remedy what to do."""

    def both(self, what):
        for transport in ("libssh", "openssh"):
            with self.subTest(transport=transport):
                what(transport)

    def test_both_work_and_say_so(self):
        def check(transport):
            facts = self.ready(self.direct(transport=transport))
            self.assertIn("with ~/.ssh/id_ed25519", facts["connected_as"])
            self.assertEqual("by OpenSSH" in facts["connected_as"], transport == "openssh")
        self.both(check)
        self.assertEqual(self.leftovers(), [], "no ssh and no socket is left")

    def leftovers(self) -> list:
        wait_until(lambda: not [p for p in self.cluster.desk.processes() if p.comm in ("ssh", "rankscope-askp")], 10, "no ssh is left")
        found = self.cluster.run(["sh", "-c", "ls -d /tmp/rankscope-ssh-* $XDG_RUNTIME_DIR/rankscope-ssh-* 2>/dev/null"]).stdout.split()
        return found

    def test_refused(self):
        self.cluster.node(1).kill_sshd()
        self.addCleanup(self.cluster.node(1).start_sshd)
        self.both(lambda t: self.assertEqual(self.refused(self.direct(transport=t))["id"], "ssh-refused"))

    def test_unknown_name(self):
        def check(transport):
            entry = self.refused({"name": "x", "host": "no-such-host.invalid", "transport": transport})
            self.assertEqual(entry["id"], "ssh-name-unresolvable")
            self.assertIn("no-such-host.invalid", entry["what"])
        self.both(check)

    def test_time_out(self):
        self.cluster.node(1).partition()
        self.addCleanup(self.cluster.node(1).heal)
        self.add_config("Host *\n  ConnectTimeout 2\n")
        def check(transport):
            begin = time.monotonic()
            entry = self.refused(self.direct(transport=transport))
            self.assertEqual(entry["id"], "ssh-timeout")
            self.assertIn("2 s", entry["what"])
            self.assertLess(time.monotonic() - begin, support.patience(8))
        self.both(check)

    def test_no_route(self):
        self.both(lambda t: self.assertEqual(
            self.refused({"name": "x", "host": "192.0.2.1", "user": "trainer", "transport": t})["id"], "ssh-no-route"))

    def test_unknown_host_key_is_shown_and_accepted_only_by_the_person(self):
        fingerprint = self.cluster.run(["ssh-keygen", "-lf", "-"], input=f"{self.cluster.node(1).host_key}\n", check=True).stdout.split()[1]
        def check(transport):
            self.cluster.known_hosts.write_text("", encoding="utf-8")
            entry = self.refused(self.direct(transport=transport))
            self.assertEqual(entry["id"], "ssh-hostkey-unknown")
            self.assertIn(fingerprint, entry["what"])
            self.assertEqual(self.cluster.known_hosts.read_text(encoding="utf-8"), "", "nothing is added unasked")
            self.ready(self.direct(transport=transport), flags=("--accept-new-host-keys",))
            self.ready(self.direct(transport=transport))
        self.both(check)

    def test_changed_host_key(self):
        other = self.keygen("other").with_suffix(".pub").read_text(encoding="utf-8").split()[:2]
        self.cluster.known_hosts.write_text(f"{self.cluster.node(1).address} {' '.join(other)}\n", encoding="utf-8")
        def check(transport):
            entry = self.refused(self.direct(transport=transport), flags=("--accept-new-host-keys",))
            self.assertEqual(entry["id"], "ssh-hostkey-changed")
            self.assertIn("SHA256:", entry["what"])
            self.assertIn(f"ssh-keygen -R {self.cluster.node(1).address}", entry["remedy"])
        self.both(check)

    def test_revoked_host_key(self):
        self.cluster.known_hosts.write_text(self.kept_known_hosts + f"@revoked * {self.cluster.node(1).host_key}\n", encoding="utf-8")
        def check(transport):
            entry = self.refused(self.direct(transport=transport), flags=("--accept-new-host-keys",))
            self.assertEqual(entry["id"], "ssh-hostkey-revoked")
            self.assertIn("known_hosts:", entry["detail"])
        self.both(check)
        self.assertEqual(self.ready(self.direct(2))["hostname"], "node2", "another host's key is not that one")

    def test_refused_key(self):
        def check(transport):
            node = self.direct(transport=transport, identity_file=str(self.home / ".ssh/id_stranger"))
            self.add_config("Host *\n  IdentitiesOnly yes\n")
            self.authorize(1, "")
            entry = self.refused(node)
            self.assertEqual(entry["id"], "ssh-auth-denied")
            self.assertIn("id_stranger", entry["what"])
            self.assertIn("password", entry["what"], "what the server allows")
            self.assertIn("keys install n1", entry["remedy"])
        self.both(check)

    def test_key_file_too_open(self):
        self.authorize(1, "")
        key = self.keygen("id_open")
        key.chmod(0o644)
        def check(transport):
            entry = self.refused(self.direct(transport=transport, identity_file=str(key)))
            self.assertEqual(entry["id"], "ssh-key-permissions", entry)
            self.assertIn("id_open", entry["what"])
            self.assertIn("chmod 600", entry["remedy"])
        self.both(check)

    def test_key_with_passphrase(self):
        key = self.keygen("id_locked", passphrase="open sesame")
        self.authorize(1, key.with_suffix(".pub").read_text(encoding="utf-8"))
        def check(transport):
            node = self.direct(transport=transport, identity_file=str(key))
            entry = self.refused(node)
            self.assertEqual(entry["id"], "ssh-passphrase-needed", entry)
            self.assertIn("id_locked", entry["what"])
            self.assertIn("ssh-add", entry["remedy"])
            code, said = self.at_terminal(["--cluster", self.inventory(node), "probe"], {"passphrase of": "open sesame"})
            self.assertEqual(code, 0, said)
            self.assertNotIn("open sesame", said, "what is typed is not echoed")
            environment = self.agent()
            self.cluster.run(["sh", "-c", f"echo 'echo open sesame' > /tmp/say; chmod 700 /tmp/say; sed -i '1i#!/bin/sh' /tmp/say; "
                                          f"SSH_ASKPASS=/tmp/say SSH_ASKPASS_REQUIRE=force ssh-add -q {key}"], env=environment, check=True)
            self.ready(node, env=environment)
        self.both(check)

    def test_password_typed(self):
        self.authorize(1, "")
        def check(transport):
            inventory = self.inventory(self.direct(transport=transport))
            code, said = self.at_terminal(["--cluster", inventory, "probe"], {"password of": self.cluster.password})
            self.assertEqual(code, 0, said)
            self.assertNotIn(self.cluster.password, said)
            code, said = self.at_terminal(["--cluster", inventory, "probe"], {"password of": "not this one"})
            self.assertEqual(code, 4, said)
            self.assertEqual(said.count("password of trainer"), 3, said)
            self.assertIn("does not accept the password", said)
        self.both(check)

    def test_agent_with_many_keys(self):
        keys = [self.keygen(f"id_many{i}") for i in range(8)]
        environment = self.agent(*keys)
        node = {"name": "n1", "host": self.cluster.node(1).address, "user": "trainer", "transport": "libssh"}
        entry = self.refused(node, env=environment)
        self.assertEqual(entry["id"], "ssh-too-many-auth")
        self.assertIn("8", entry["what"])
        self.assertIn("identity_file", entry["remedy"])
        self.assertEqual(self.refused({**node, "transport": "openssh"}, env=environment)["id"], "ssh-too-many-auth")
        # And the remedy works.
        self.ready(self.direct(transport="libssh"), env=environment)

    def test_agent_that_does_not_answer(self):
        environment = self.agent()
        for process in self.cluster.desk.processes():
            if process.comm == "ssh-agent":
                self.cluster.run(["kill", "-STOP", str(process.pid)], check=True)
                self.addCleanup(self.cluster.run, ["kill", "-CONT", str(process.pid)])
        self.authorize(1, "")
        begin = time.monotonic()
        self.assertEqual(self.refused(self.direct(), env=environment)["id"], "ssh-auth-denied")
        self.assertLess(time.monotonic() - begin, support.patience(20))


class Ways(Ssh):
    """What libssh cannot do is done by OpenSSH, chosen without being asked for, and named."""

    NODES = 3

    def chosen(self, node: dict) -> dict:
        done = self.ctl("--cluster", self.inventory(node), "nodes", "show", node["name"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_one_jump(self):
        self.add_config(f"Host login\n  HostName {self.cluster.node(1).address}\n  User trainer\n  IdentityFile {self.cluster.identity}\n")
        # The firewall of node2 lets only the login node in.
        self.cluster.node(2).partition(["desk"])
        self.addCleanup(self.cluster.node(2).heal)
        facts = self.ready(self.direct(2, proxy_jump="login"))
        self.assertEqual(facts["hostname"], "node2")
        self.assertEqual(facts["connected_as"], f"trainer@{self.cluster.node(2).address}:22 through login with ~/.ssh/id_ed25519")

    def test_two_jumps_and_a_jump_of_the_configuration(self):
        one, two, three = (self.cluster.node(i).address for i in (1, 2, 3))
        self.cluster.node(3).partition(["desk", "node1"])
        self.addCleanup(self.cluster.node(3).heal)
        facts = self.ready(self.direct(3, proxy_jump=f"trainer@{one},trainer@{two}:22"))
        self.assertEqual(facts["hostname"], "node3")
        self.assertIn(f"through trainer@{one}, trainer@{two}:22", facts["connected_as"])
        self.add_config(f"Host deep\n  HostName {three}\n  User trainer\n  IdentityFile {self.cluster.identity}\n  ProxyJump node1,node2\n")
        self.assertEqual(self.ready({"name": "deep", "host": "deep"})["hostname"], "node3")

    def test_jumps_with_openssh_to_the_node(self):
        facts = self.ready(self.direct(3, proxy_jump="node1,node2", transport="openssh"))
        self.assertEqual(facts["hostname"], "node3")
        self.assertIn("by OpenSSH", facts["connected_as"])

    def test_many_nodes_share_one_connection_to_the_jump_host(self):
        log = self.cluster.node(1).sshd_log
        before = log.read_text(encoding="utf-8").count("Accepted publickey")
        self.probe(*[self.direct(2, name=f"n{i}", proxy_jump="node1") for i in range(12)])
        self.assertEqual(log.read_text(encoding="utf-8").count("Accepted publickey") - before, 1)

    def test_faults_behind_and_at_the_jump_host(self):
        self.cluster.node(2).kill_sshd()
        self.addCleanup(self.cluster.node(2).start_sshd)
        entry = self.refused(self.direct(2, proxy_jump="node1"))
        self.assertEqual(entry["id"], "ssh-refused", entry)
        self.assertIn(self.cluster.node(2).address, entry["what"])
        entry = self.refused(self.direct(3, proxy_jump="node2"))
        self.assertEqual(entry["id"], "ssh-refused", entry)
        self.assertIn(self.cluster.node(2).address, entry["what"])
        self.assertEqual(self.refused(self.direct(3, proxy_jump="no-such-login.invalid"))["id"], "ssh-name-unresolvable")
        self.sshd(1, "AllowTcpForwarding no")
        self.assertEqual(self.refused(self.direct(3, proxy_jump="node1"))["id"], "ssh-jump-refused")

    def test_password_of_a_jump_host_is_asked_once(self):
        self.authorize(1, "")
        nodes = [self.direct(2, name=f"n{i}", proxy_jump="node1") for i in range(4)]
        code, said = self.at_terminal(["--cluster", self.inventory(*nodes), "probe"], {"password of": self.cluster.password})
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("password of"), 1, said)
        self.assertIn(f"password of trainer@{self.cluster.node(1).address}", said)

    def test_proxy_command(self):
        node = {"name": "n2", "host": "node2"}
        self.add_config(f"Host node2\n  ProxyCommand ssh -F {self.cluster.ssh_config} -W %h:%p node1\n")
        self.assertEqual(self.chosen(node)["connects_by"], "openssh")
        self.assertEqual(self.ready(node)["hostname"], "node2")

    def test_user_certificate(self):
        authority, key = self.keygen("ca"), self.keygen("id_signed")
        subprocess.run(["ssh-keygen", "-q", "-s", str(authority), "-I", "trainer", "-n", "trainer", f"{key}.pub"], check=True)
        self.authorize(1, "cert-authority " + authority.with_suffix(".pub").read_text(encoding="utf-8"))
        node = self.direct(identity_file=str(key))
        shown = self.chosen(node)
        self.assertEqual(shown["connects_by"], "openssh")
        self.assertIn("certificate", shown["because"])
        self.assertIn("by OpenSSH (certificate", self.ready(node)["connected_as"])

    def test_host_certificate(self):
        authority = self.keygen("host_ca")
        node = self.cluster.node(1)
        public = node.folder / "run/ssh_host_ed25519_key.pub"
        subprocess.run(["ssh-keygen", "-q", "-s", str(authority), "-h", "-I", "node1", "-n", node.address, str(public)], check=True)
        self.sshd(1, "HostCertificate /run/vcluster/ssh_host_ed25519_key-cert.pub")
        self.cluster.known_hosts.write_text("@cert-authority 10.77.* " + authority.with_suffix(".pub").read_text(encoding="utf-8"),
                                            encoding="utf-8")
        self.assertIn("@cert-authority", self.chosen(self.direct())["because"])
        self.assertEqual(self.ready(self.direct())["hostname"], "node1")

    def test_identities_only_with_a_key_of_the_agent(self):
        key = self.keygen("id_agent")
        self.authorize(1, key.with_suffix(".pub").read_text(encoding="utf-8"))
        others = [self.keygen(f"id_other{i}") for i in range(7)]
        environment = self.agent(*others, key)
        key.unlink()
        self.add_config(f"Host {self.cluster.node(1).address}\n  User trainer\n  IdentityFile {key}.pub\n  IdentityFile {key}\n  IdentitiesOnly yes\n")
        facts = self.ready({"name": "n1", "host": self.cluster.node(1).address}, env=environment)
        self.assertIn("by OpenSSH (IdentitiesOnly", facts["connected_as"])

    def test_hostkeyalias_and_unknown_algorithms(self):
        self.add_config("Host node1\n  HostKeyAlias node2\n")
        self.assertIn("hostkeyalias", self.chosen({"name": "a", "host": "node1"})["because"])
        self.assertEqual(self.refused({"name": "a", "host": "node1"})["id"], "ssh-hostkey-changed")
        self.add_config("Host node1\n  KexAlgorithms sntrup761x25519-sha512@openssh.com\n")
        self.assertEqual(self.chosen({"name": "a", "host": "node1"})["connects_by"], "openssh")


class Servers(Ssh):
    """What servers and accounts do to a login."""

    def test_one_session_at_a_time(self):
        self.sshd(1, "MaxSessions 1")
        for transport in ("libssh", "openssh"):
            self.cluster.node(1).run(["rm", "-rf", "/home/trainer/.cache/rankscope"], check=True)
            for _ in range(5):
                self.ready(self.direct(transport=transport))

    def test_no_session_is_named(self):
        self.sshd(1, "MaxSessions 0")
        for transport in ("libssh", "openssh"):
            entry = self.refused(self.direct(transport=transport))
            self.assertEqual(entry["id"], "ssh-exec", entry)
            self.assertIn("MaxSessions", entry["remedy"])

    def test_a_denied_user_gets_a_second_guess(self):
        self.sshd(1, "DenyUsers trainer")
        entry = self.refused(self.direct())
        self.assertEqual(entry["id"], "ssh-auth-denied", entry)
        self.assertIn("DenyUsers", entry["remedy"])

    def test_a_server_that_takes_few_at_a_time_refuses_none(self):
        self.sshd(1, "MaxStartups 3:100:3")
        self.probe(*[self.direct(name=f"n{i}") for i in range(16)])

    def test_noise_of_login_shells_changes_nothing(self):
        node = self.cluster.node(1)
        noise = "echo 'echo Welcome; echo to stderr >&2; printf \"no newline\"' > ~/.bashrc; cp ~/.bashrc ~/.profile"
        node.run(["sh", "-c", noise], check=True)
        self.addCleanup(node.run, ["sh", "-c", "rm ~/.bashrc ~/.profile"])
        self.sshd(1, "Banner /etc/hostname", "PrintMotd yes")
        for transport in ("libssh", "openssh"):
            node.run(["rm", "-rf", "/home/trainer/.cache/rankscope"], check=True)
            self.ready(self.direct(transport=transport))


    def test_a_slow_login_shell_is_named(self):
        node = self.cluster.node(1)
        node.run(["sh", "-c", "echo 'sleep 2.5' > ~/.bashrc"], check=True)
        self.addCleanup(node.run, ["rm", "/home/trainer/.bashrc"])
        self.assertGreater(self.ready(self.direct())["shell_s"], 2.4)
        said = self.cluster.run([CTL, "--cluster", self.inventory(self.direct()), "probe"])
        self.assertRegex(said.stderr, r"n1: slow login shell: [2-9]\.\d s until the first byte")

    def test_other_login_shells(self):
        shells = [path for path in ("/bin/sh", "/bin/dash", "/usr/bin/zsh", "/usr/bin/fish", "/bin/csh", "/bin/tcsh", "/usr/bin/ksh")
                  if Path(path).exists()]
        self.assertGreater(len(shells), 1)
        for shell in shells:
            with self.subTest(shell=shell):
                node = self.cluster.node(1)
                text = node.path("/etc/passwd").read_text(encoding="utf-8")
                changed = "\n".join(line.rpartition(":")[0] + ":" + shell if line.startswith("trainer:") else line for line in text.splitlines())
                node.run(["tee", "/etc/passwd"], user=node.ROOT, input=changed + "\n", check=True)
                self.addCleanup(node.run, ["tee", "/etc/passwd"], user=node.ROOT, input=text)
                for transport in ("libssh", "openssh"):
                    node.run(["rm", "-rf", "/home/trainer/.cache/rankscope"], check=True)
                    self.ready(self.direct(transport=transport))


class Keys(Ssh):
    """The wizard: a key is made, put on nodes with the password typed once, and used."""

    def test_generate_and_install_with_the_password_typed_once(self):
        key = self.home / ".ssh/id_wizard"
        self.addCleanup(key.unlink, missing_ok=True)
        self.addCleanup(Path(f"{key}.pub").unlink, missing_ok=True)
        made = json.loads(self.ctl("keys", "generate", "--file", str(key), "--comment", "me@desk", check=True).stdout)
        self.assertTrue(made["public"].endswith(" me@desk"))
        again = self.ctl("keys", "generate", "--file", str(key))
        self.assertEqual(again.returncode, 2)
        self.assertEqual(json.loads(again.stdout)["id"], "key-exists")
        for number in (1, 2):
            self.authorize(number, "")
        nodes = [{"name": f"n{i}", "host": self.cluster.node(i).address, "user": "trainer"} for i in (1, 2)]
        inventory = self.inventory(*nodes)
        # The default keys are accepted nowhere now: one password for both.
        code, said = self.at_terminal(["--cluster", inventory, "keys", "install", "all", "--file", str(key)],
                                      {"password of": self.cluster.password})
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("password of"), 1, said)
        self.assertEqual(said.count("added"), 2, said)
        self.assertEqual(said.count("works"), 2, said)
        self.assertNotIn(self.cluster.password, said)
        for number in (1, 2):
            lines = self.cluster.node(number).path("/home/trainer/.ssh/authorized_keys").read_text(encoding="utf-8").splitlines()
            self.assertEqual(lines, [made["public"]])
        with_key = self.inventory(*[{**node, "identity_file": str(key)} for node in nodes])
        done = self.ctl("--cluster", with_key, "keys", "install", "n1", "n2", "--file", str(key), check=True)
        self.assertEqual([(n["status"], n["verified"]) for n in json.loads(done.stdout)["nodes"]], [("present", True)] * 2)

    def test_what_keeps_a_key_from_working_is_named(self):
        key = self.keygen("id_new")
        nodes = [self.direct(1), self.direct(2), {**self.direct(1), "name": "gone", "host": "no-such-host.invalid"}]
        self.sshd(1, "AuthorizedKeysFile .ssh/authorized_keys2")
        self.cluster.node(1).path("/home/trainer/.ssh/authorized_keys2").write_text(
            self.cluster.identity.with_suffix(".pub").read_text(encoding="utf-8"), encoding="utf-8")
        self.cluster.node(2).run(["chmod", "a-w", "/home/trainer/.ssh/authorized_keys"], check=True)
        self.cluster.node(2).run(["chmod", "u-w", "/home/trainer/.ssh"], check=True)
        done = self.ctl("--cluster", self.inventory(*nodes), "keys", "install", "all", "--file", str(key))
        self.assertEqual(done.returncode, 4, done.stdout)
        first, second, gone = json.loads(done.stdout)["nodes"]
        self.assertEqual((first["id"], first["verified"]), ("key-not-accepted", False))
        self.assertIn("AuthorizedKeysFile", first["remedy"])
        self.assertEqual(second["id"], "no-permission", second)
        self.assertEqual(gone["id"], "ssh-name-unresolvable")
        self.cluster.node(2).run(["chmod", "u+w", "/home/trainer/.ssh", "/home/trainer/.ssh/authorized_keys"], check=True)
        error = json.loads(self.ctl("--cluster", self.inventory(*nodes), "keys", "install", "n1", "--file", "/nowhere").stdout)
        self.assertEqual(error["id"], "no-public-key")


class Import(Ssh):
    """Lists of machines become nodes; nothing is lost and nothing is half done."""

    NODES = 1

    def test_every_kind_of_list(self):
        folder = Path(self.cluster.dir)
        inventory = str(folder / "imported.yaml")
        lists = {"ssh_config": "Host node1 gpu-*\n  User trainer\n", "hosts": "10.0.0.2 two two.example.org\ntrainer@three:2222 # third\n",
                 "deepspeed": "four slots=4\n"}
        for name, text in lists.items():
            (folder / name).write_text(text, encoding="utf-8")
            dry = json.loads(self.ctl("--cluster", inventory, "nodes", "import", str(folder / name), "--dry-run", check=True).stdout)
            self.assertEqual((dry["format"], dry["written"]), (name, False))
            done = json.loads(self.ctl("--cluster", inventory, "nodes", "import", str(folder / name), check=True).stdout)
            self.assertTrue(done["written"])
        self.ctl("--cluster", inventory, "nodes", "import", "-", input="five, six\nfive\n", check=True)
        nodes = {n["name"]: n for n in json.loads(self.ctl("--cluster", inventory, "nodes", "list", check=True).stdout)["nodes"]}
        self.assertEqual(list(nodes), ["node1", "two", "three", "four", "five", "six"])
        self.assertEqual((nodes["two"]["host"], nodes["three"]["user"], nodes["three"]["port"], nodes["four"]["cpu_slots"]),
                         ("10.0.0.2", "trainer", 2222, 4))
        done = self.ctl("--cluster", inventory, "probe", "node1")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_bad_line_is_named_and_nothing_is_added(self):
        folder = Path(self.cluster.dir)
        inventory = folder / "bad.yaml"
        (folder / "list").write_text("one\ntwo three four\n", encoding="utf-8")
        done = self.ctl("--cluster", str(inventory), "nodes", "import", str(folder / "list"))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(done.stdout)["problems"][0]["where"], f"{folder}/list:2")
        self.assertFalse(inventory.exists())
        self.ctl("--cluster", str(inventory), "nodes", "import", str(folder / "list"), "--skip-bad-lines", check=True)
        self.assertTrue(inventory.exists())
        self.assertEqual(self.ctl("--cluster", str(inventory), "nodes", "import", "/nowhere").returncode, 2)


class ManyUnknownKeys(Ssh):
    NODES = 6
    OPTIONS = {"known_hosts": False}

    def test_many_are_asked_together(self):
        # Those that come while others are asked for are in the next table: how many there are depends on the machine's load.
        nodes = [self.direct(i, **({"transport": "openssh"} if i > 4 else {})) for i in range(1, 7)]
        code, said = self.at_terminal(["--cluster", self.inventory(*nodes), "probe"], {"from now on? [yes/no": "yes"})
        self.assertEqual(code, 0, said)
        self.assertLess(said.count("from now on?"), 6, said)
        for node in self.cluster.nodes:
            fingerprint = self.cluster.run(["ssh-keygen", "-lf", "-"], input=f"{node.host_key}\n", check=True).stdout.split()[1]
            self.assertIn(fingerprint, said)
        self.assertEqual(said.count(" ready "), 6, said)
        self.assertEqual(len(self.cluster.known_hosts.read_text(encoding="utf-8").splitlines()), 6)


if __name__ == "__main__":
    support.main()
