#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual cluster tests itself: what other tests stand on must hold. Exit 77 where no cluster can be made."""
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from vcluster import ClusterError, SKIP, Unsupported, VirtualCluster, missing_requirements, wait_until  # noqa: E402

PROGRAM = str(Path(__file__).resolve().parent / "vcluster.py")
SSH = ["ssh", "-o", "BatchMode=yes"]


def namespaces_in_use() -> set:
    """Every namespace some process of this machine is in."""
    used = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            for kind in ("net", "mnt", "pid", "uts", "ipc"):
                try:
                    used.add(os.readlink(f"/proc/{entry}/ns/{kind}"))
                except OSError:
                    pass
    return used


def processes_naming(text: str) -> list:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                if text in Path(f"/proc/{entry}/cmdline").read_bytes().decode(errors="replace"):
                    found.append(int(entry))
            except OSError:
                pass
    return found


def host_state() -> tuple:
    """What a cluster must leave as it was: mounts and interfaces. (Other clusters run meanwhile, but in namespaces of their own.)"""
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    return mounts, Path("/proc/self/net/dev").read_text(encoding="utf-8").count("\n")


class Together(unittest.TestCase):
    """One cluster for what leaves it as it was."""

    @classmethod
    def setUpClass(cls):
        cls.data = tempfile.TemporaryDirectory(dir="/var/tmp")
        Path(cls.data.name, "hello").write_text("digits", encoding="utf-8")
        os.chmod(cls.data.name, 0o755)
        cls.cluster = VirtualCluster(4, slots=3, datasets=cls.data.name).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()
        cls.data.cleanup()

    def test_every_machine_has_its_own_name_and_reaches_the_others(self):
        names = {node.run(["hostname"], check=True).stdout.strip() for node in self.cluster.nodes}
        self.assertEqual(names, {"node1", "node2", "node3", "node4"})
        for node in self.cluster.nodes:
            for other in ("node1", "node4", "desk"):
                script = f"exec 3<>/dev/tcp/{other}/22 && head -c 4 <&3" if other != "desk" else "getent hosts desk"
                out = node.run(["timeout", "10", "bash", "-c", script], check=True).stdout
                self.assertIn("SSH-" if other != "desk" else "10.77.0.254", out)

    def test_a_port_at_the_desk_is_reached_from_a_node(self):
        script = "import socket; s = socket.create_server(('', 5555)); c, _ = s.accept(); c.sendall(b'desk here')"
        with self.cluster.popen([sys.executable, "-c", script]) as server:
            wait_until(lambda: 5555 in self.cluster.desk.listening_ports(), 10, "the desk listens")
            out = self.cluster.node(3).run(["timeout", "10", "bash", "-c", "cat < /dev/tcp/desk/5555"], check=True).stdout
            self.assertEqual(out, "desk here")
            self.assertEqual(server.wait(10), 0)

    def test_key_opens_both_users(self):
        self.assertEqual(self.cluster.run([*SSH, "node2", "id -un; hostname; pwd"], check=True).stdout, "trainer\nnode2\n/home/trainer\n")
        self.assertEqual(self.cluster.run([*SSH, "root@node3", "id -un; pwd"], check=True).stdout, "root\n/root\n")

    def test_a_strange_key_is_refused(self):
        stranger = str(self.cluster.desk_home / ".ssh/id_stranger")
        done = self.cluster.run([*SSH, "-F", "none", "-o", "IdentitiesOnly=yes", "-i", stranger, "trainer@node1", "true"])
        self.assertEqual(done.returncode, 255)
        self.assertIn("Permission denied", done.stderr)

    def log_in_with(self, password: str) -> subprocess.CompletedProcess:
        helper = self.cluster.dir / "desk/askpass"
        helper.write_text(f"#!/bin/sh\necho '{password}'\n", encoding="utf-8")
        helper.chmod(0o755)
        return self.cluster.run(["setsid", "-w", "ssh", "-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1", "node1", "id -un"],
                                env={"SSH_ASKPASS": helper, "SSH_ASKPASS_REQUIRE": "force"})

    def test_password(self):
        self.assertEqual(self.log_in_with(self.cluster.password).stdout, "trainer\n")
        wrong = self.log_in_with("not it")
        self.assertEqual(wrong.returncode, 255)
        self.assertIn("Permission denied", wrong.stderr)

    def test_a_node_shows_only_its_own_processes_ports_and_files(self):
        one, two = self.cluster.node(1), self.cluster.node(2)
        with one.popen(["bash", "-c", "echo x > /dev/shm/segment; echo y > /tmp/only-here; exec sleep 1000"]) as sleeper:
            wait_until(one.shared_memory, 10, "the segment is there")
            wait_until(lambda: any(p.comm == "sleep" for p in one.processes()), 10, "sleep runs")
            self.assertEqual(two.processes(), [])
            self.assertEqual(two.shared_memory(), [])
            self.assertFalse(two.path("/tmp/only-here").exists())
            self.assertFalse(os.path.exists("/tmp/only-here"))
            self.assertNotIn("sleep 1000", two.run(["ps", "ax"]).stdout)
            sleeper.kill()
            self.assertEqual(sleeper.wait(10), -signal.SIGKILL)
        wait_until(lambda: not one.processes(), 10, "node1 is free")
        one.run(["rm", "/dev/shm/segment"], check=True)

    def test_data_is_there_and_read_only(self):
        node = self.cluster.node(4)
        self.assertEqual(node.run(["cat", "/srv/datasets/hello"], check=True).stdout, "digits")
        self.assertNotEqual(node.run(["touch", "/srv/datasets/x"], user=node.ROOT).returncode, 0)
        self.assertEqual(self.cluster.run(["cat", "/srv/datasets/hello"], check=True).stdout, "digits")

    def test_exit_status_and_signals_come_through(self):
        self.assertEqual(self.cluster.run(["sh", "-c", "exit 41"]).returncode, 41)
        self.assertEqual(self.cluster.run(["sh", "-c", "kill -SEGV $$"]).returncode, -signal.SIGSEGV)
        self.assertEqual(self.cluster.run(["no-such-program"]).returncode, 127)
        with self.cluster.popen(["sh", "-c", "trap 'exit 9' TERM; echo on; while :; do sleep 0.05; done"], stdout=subprocess.PIPE) as p:
            p.stdout.readline()
            p.terminate()
            self.assertEqual(p.wait(10), 9)

    def test_inventory(self):
        text = Path(self.cluster.inventory).read_text(encoding="utf-8")
        self.assertEqual(text.count("- name: node"), 4)
        self.assertIn("host: 10.77.0.4", text)
        self.assertIn("cpu_slots: 3", text)
        self.assertTrue(os.path.isabs(text.partition("identity_file: ")[2].split()[0]))

    def test_an_orphan_is_collected(self):
        node = self.cluster.node(3)
        node.run(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 &"], check=True)
        orphan = wait_until(node.processes, 10, "the orphan runs")[0]
        self.assertEqual(orphan.ppid, 1)
        node.signal([orphan.pid], signal.SIGKILL)
        wait_until(lambda: not node.processes(), 10, "it is collected")

    def test_two_clusters_at_once(self):
        with VirtualCluster(1) as other:
            self.assertEqual(other.run([*SSH, "node1", "hostname"], check=True).stdout, "node1\n")
            self.assertNotEqual(other.node(1).host_key, self.cluster.node(1).host_key)

    def test_a_folder_in_use_or_not_ours_is_refused(self):
        with self.assertRaisesRegex(ClusterError, "another cluster lives"):
            VirtualCluster(1, dir=self.cluster.dir).start()
        with self.assertRaisesRegex(ClusterError, "not empty"):
            VirtualCluster(1, dir=self.data.name).start()


class Faults(unittest.TestCase):
    def setUp(self):
        self.cluster = VirtualCluster([{}, {"home_size": "4m"}]).start()
        self.addCleanup(self.cluster.down)
        self.one, self.two = self.cluster.nodes

    def ssh(self, name: str, command: str = "true", limit: int = 10) -> subprocess.CompletedProcess:
        return self.cluster.run([*SSH, "-o", f"ConnectTimeout={limit}", name, command])

    def test_partition(self):
        try:
            self.one.partition()
        except Unsupported as e:
            self.skipTest(str(e))
        cut = self.ssh("node1", limit=1)
        self.assertEqual(cut.returncode, 255)
        self.assertIn("timed out", cut.stderr)
        self.assertEqual(self.ssh("node2").returncode, 0)
        self.one.heal()
        self.assertEqual(self.ssh("node1").returncode, 0)

    def test_unplug(self):
        self.assertEqual(self.ssh("node1").returncode, 0)
        self.one.unplug()
        self.assertEqual(self.ssh("node1", limit=1).returncode, 255)
        self.assertIn("UP", self.one.run(["ip", "-br", "link", "show", "eth0"]).stdout)
        self.one.plug()
        self.assertEqual(self.ssh("node1").returncode, 0)

    def test_partition_from_one_peer_and_closed_ports(self):
        try:
            self.one.partition(["node2"])
        except Unsupported as e:
            self.skipTest(str(e))
        connect = "exec 3<>/dev/tcp/node1/22"
        self.assertEqual(self.ssh("node1").returncode, 0)
        self.assertEqual(self.two.run(["timeout", "1", "bash", "-c", connect]).returncode, 124)
        self.one.heal()
        self.assertEqual(self.two.run(["timeout", "10", "bash", "-c", connect]).returncode, 0)
        self.one.reject_port(22)
        self.assertIn("refused", self.two.run(["timeout", "10", "bash", "-c", connect]).stderr)
        self.one.heal()
        self.one.drop_port(22)
        self.assertEqual(self.two.run(["timeout", "1", "bash", "-c", connect]).returncode, 124)

    def test_kill_and_start_sshd(self):
        with self.cluster.popen([*SSH, "node1", "echo in; sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as session:
            session.stdout.readline()
            self.one.kill_sshd()
            self.assertEqual(session.wait(10), 255)
        self.assertIn("refused", self.ssh("node1").stderr)
        self.one.start_sshd()
        self.assertEqual(self.ssh("node1").returncode, 0)

    def test_sshd_dies_but_sessions_live(self):
        with self.cluster.popen([*SSH, "node1", "echo in; cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as session:
            session.stdout.readline()
            self.one.kill_sshd(sessions=False)
            self.assertIn("refused", self.ssh("node1").stderr)
            self.assertEqual(session.communicate(b"still here", timeout=10)[0], b"still here")

    def test_another_host_key(self):
        before = self.one.host_key
        self.one.change_host_key()
        self.assertNotEqual(self.one.host_key, before)
        changed = self.ssh("node1")
        self.assertEqual(changed.returncode, 255)
        self.assertIn("Host key verification failed", changed.stderr)
        self.cluster.trust_host_keys()
        self.assertEqual(self.ssh("node1").returncode, 0)

    def test_unknown_host_key(self):
        self.cluster.known_hosts.unlink()
        self.assertIn("Host key verification failed", self.ssh("node1").stderr)

    def test_full_disk(self):
        self.two.fill_disk()
        full = self.ssh("node2", "echo x > new && cat new")
        self.assertIn("No space left", full.stderr)
        self.two.free_disk()
        self.assertEqual(self.ssh("node2", "echo x > new && cat new").stdout, "x\n")
        with self.assertRaises(ClusterError):
            self.one.fill_disk()

    def test_home_noexec_and_readonly(self):
        for node, name in ((self.one, "node1"), (self.two, "node2")):
            script = "printf '#!/bin/sh\\necho ran' > t && chmod +x t && ./t"
            self.assertEqual(self.ssh(name, script).stdout, "ran\n")
            node.home_noexec()
            self.assertIn("Permission denied", self.ssh(name, script).stderr)
            node.home_noexec(False)
            self.assertEqual(self.ssh(name, script).stdout, "ran\n")
            node.home_readonly()
            self.assertIn("Read-only", self.ssh(name, script).stderr)
            node.home_readonly(False)

    def test_freeze_and_thaw(self):
        with self.one.popen(["sh", "-c", "while :; do sleep 0.05; done"]) as busy:
            try:
                wait_until(self.one.processes, 10, "it runs")
                self.one.freeze()
                # A sleep that has just ended stays a zombie while its parent stands still.
                self.assertEqual({p.state for p in self.one.processes()} - {"Z"}, {"T"})
                self.one.thaw()
                wait_until(lambda: any(p.state not in "TZ" for p in self.one.processes()), 10, "it runs again")
            finally:
                self.one.thaw()  # a stopped program never ends, and the test with it
                busy.kill()

    def test_power_off(self):
        with self.cluster.popen([*SSH, "-o", "ServerAliveInterval=1", "-o", "ServerAliveCountMax=1", "node1", "echo in; sleep 1000"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as session:
            session.stdout.readline()
            self.one.power_off()
            self.assertIsNone(session.poll())  # it gets no signal
            self.assertEqual(session.wait(20), 255)
        self.assertFalse(self.one.alive())
        self.assertEqual(self.ssh("node2").returncode, 0)

    def test_reboot(self):
        before = self.ssh("node1", "cat /proc/sys/kernel/random/boot_id; touch /tmp/of-before").stdout
        with self.one.popen(["sleep", "1000"]) as process:
            down = []
            self.one.reboot(lambda: down.append(self.one.processes()))
            self.assertNotEqual(process.wait(20), 0)
        self.assertEqual(down, [[]])
        after = self.ssh("node1", "cat /proc/sys/kernel/random/boot_id; ls /tmp")
        self.assertEqual(after.returncode, 0, after.stderr)
        self.assertNotEqual(after.stdout, before)
        self.assertNotIn("of-before", after.stdout)

    def test_limited_memory(self):
        try:
            self.one.limit_memory(64)
        except Unsupported as e:
            self.skipTest(str(e))
        greedy = self.ssh("node1", "python3 -c 'b = bytearray(200 << 20)'; echo ended with $?")
        self.assertIn("ended with 137", greedy.stdout)
        self.assertEqual(self.ssh("node2", "python3 -c 'b = bytearray(200 << 20)'").returncode, 0)

    def test_link_faults_work_or_say_why_not(self):
        for fault, value in ((self.one.delay, 20), (self.one.loss, 10), (self.one.rate, 5)):
            try:
                fault(value)
            except Unsupported as e:
                self.assertIn("kernel cannot", str(e))
            self.one.unshape()

    def test_a_missing_library(self):
        library = "/usr/bin/ssh-keygen"
        try:
            self.one.remove(library)
        except Unsupported as e:
            self.skipTest(str(e))
        self.assertFalse(self.one.path(library).exists())
        self.assertTrue(self.two.path(library).exists())
        self.assertTrue(os.path.exists(library))

    def test_one_more_interface(self):
        self.one.add_interface("docker0", "172.17.0.1/16")
        self.assertIn("172.17.0.1", self.one.run(["ip", "-br", "address"], check=True).stdout)


class NothingIsLeft(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir="/var/tmp", prefix="vcluster-test-")
        self.addCleanup(lambda: subprocess.run(["rm", "-rf", self.folder], check=True))
        self.before = host_state()

    def assert_gone(self, own: set):
        """own: the namespaces of the cluster."""
        wait_until(lambda: not processes_naming(self.folder) and not own & namespaces_in_use(), 10, "processes and namespaces are gone")
        self.assertEqual(host_state(), self.before)

    @staticmethod
    def namespaces_of(pids) -> set:
        return {os.readlink(f"/proc/{pid}/ns/{kind}") for pid in pids for kind in ("net", "mnt", "pid", "uts", "ipc")}

    def test_after_down(self):
        cluster = VirtualCluster(2, dir=self.folder).start()
        self.assertEqual(host_state(), self.before)
        own = self.namespaces_of([cluster.desk.pid, cluster.switch.pid, *(n.pid for n in cluster.nodes)])
        self.assertEqual(len(own), 20)
        daemon = cluster.popen(["sh", "-c", f"setsid sleep 1000 {self.folder} & setsid sleep 1001 & echo on; wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        daemon.stdout.readline()  # before it runs in the machine, its stand-in would find the machine gone: exit 125
        daemon.stdout.close()
        cluster.node(2).run(["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 &"], check=True)
        cluster.down()
        self.assertLess(daemon.wait(10), 0)
        self.assert_gone(own)
        VirtualCluster(1, dir=self.folder).start().down()  # the folder can be used again

    def start_up(self):
        up = subprocess.Popen([sys.executable, PROGRAM, "up", "--nodes", "2", "--dir", self.folder], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE)
        self.addCleanup(up.stdout.close)
        self.addCleanup(up.stdin.close)
        return up, json.loads(up.stdout.readline())

    def test_after_the_owner_was_killed(self):
        up, said = self.start_up()
        own = self.namespaces_of([said["desk"]["pid"], *(n["pid"] for n in said["nodes"])])
        client = subprocess.Popen([sys.executable, PROGRAM, "exec", "--dir", self.folder, "node1", "--", "sh", "-c",
                                   "setsid sleep 1000 & echo on; wait"], stdout=subprocess.PIPE)
        client.stdout.readline()
        up.kill()
        up.wait(10)
        self.assertNotEqual(client.wait(10), 0)
        client.stdout.close()
        self.assert_gone(own)

    def test_after_the_holder_was_killed(self):
        cluster = VirtualCluster(2, dir=self.folder).start()
        own = self.namespaces_of([n.pid for n in cluster.nodes])
        os.kill(cluster._holder.pid, signal.SIGKILL)  # pylint: disable=W0212
        wait_until(lambda: not own & namespaces_in_use(), 10, "the cluster went with it")
        cluster.down()
        self.assert_gone(own)

    def test_up_ends_with_sigterm_and_with_its_input(self):
        for end in ("sigterm", "eof"):
            up, said = self.start_up()
            own = self.namespaces_of([said["desk"]["pid"], *(n["pid"] for n in said["nodes"])])
            if end == "sigterm":
                up.terminate()
                self.assertEqual(up.wait(10), 128 + signal.SIGTERM)
            else:
                up.stdin.close()
                self.assertEqual(up.wait(10), 0)
            self.assert_gone(own)

    def test_a_node_that_cannot_start_says_why(self):
        with self.assertRaisesRegex(ClusterError, "node2: .*home"):
            VirtualCluster([{}, {"home_size": "nonsense"}], dir=self.folder).start()
        self.assertEqual(processes_naming(self.folder), [])


class CommandLine(unittest.TestCase):
    def run_in_cluster(self, *command, options=()) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, PROGRAM, "run", "--nodes", "1", *options, "--", *command], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)

    def test_run_passes_output_exit_code_and_arguments(self):
        done = self.run_in_cluster("sh", "-c", 'echo "$@"; ssh node1 hostname; exit 5', "sh", "--", "a b")
        self.assertEqual((done.returncode, done.stdout), (5, "-- a b\nnode1\n"), done.stderr)

    def test_exec_and_ctl_from_inside(self):
        program = f"{shlex.quote(sys.executable)} {shlex.quote(PROGRAM)}"
        script = (f"{program} exec node1 -- sh -c 'hostname; exit 3'; echo $?; "
                  f"{program} ctl node1 kill_sshd; {program} ctl node1 listening_ports true; "
                  f"{program} ctl node1 explode; echo $?; test -r \"$RANKSCOPE_TEST_CLUSTER\" && echo described")
        done = self.run_in_cluster("bash", "-c", script)
        self.assertEqual(done.stdout, "node1\n3\nnull\n[]\n125\ndescribed\n", done.stderr)
        self.assertIn("unknown: explode", done.stderr)

    def test_the_working_folder_is_seen_although_tmp_is_not(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            Path(folder, "file").write_text("seen", encoding="utf-8")
            done = subprocess.run([sys.executable, PROGRAM, "run", "--nodes", "1", "--", "cat", "file"], cwd=folder, stdout=subprocess.PIPE,
                                  text=True, check=False, timeout=60)
            self.assertEqual(done.stdout, "seen")

    def test_a_killed_run_takes_its_command_along(self):
        marker = f"marker-{os.getpid()}-{time.monotonic_ns()}"
        run = subprocess.Popen([sys.executable, PROGRAM, "run", "--nodes", "1", "--", "sh", "-c", f"echo $HOME; sleep 1000; : {marker}"],
                               stdout=subprocess.PIPE, text=True)
        home = run.stdout.readline().strip()
        self.assertTrue(os.path.isdir(home))
        run.kill()
        run.wait(10)
        run.stdout.close()
        wait_until(lambda: not processes_naming(marker), 10, "the command is gone")
        wait_until(lambda: not os.path.exists(Path(home).parent.parent), 10, "so is the temporary folder")


if __name__ == "__main__":
    reason = missing_requirements()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIP)
    unittest.main(verbosity=2)
