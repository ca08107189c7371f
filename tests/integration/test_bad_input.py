#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fault of a person or a node gets its own message: what, which file and line or which node, and the remedy."""
import json
import shlex
import subprocess
import threading
import time
import unittest
from pathlib import Path

import support
from support import CTL, Run, Unsupported, new_cluster, processes_of_runs, start, train_job, wait_until, write_job


class Files(unittest.TestCase):
    """Faults of files are found at the desk; nothing is connected."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(1).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def errors(self, command: list) -> list:
        done = self.cluster.run([CTL, "--json", *command])
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        found = [json.loads(line) for line in done.stdout.splitlines()]
        for error in found:
            self.assertEqual(error["event"], "error")
        return found

    def test_a_job_with_faults_names_file_line_key_and_remedy(self):
        path = Path(self.cluster.dir) / "broken.yaml"
        path.write_text("name: broken\n"
                        "nodes: [node1]\n"
                        "procs_per_nod: 2\n"
                        "master_port: 99999\n"
                        "backend: mpi\n"
                        "train:\n"
                        "  model: convnet\n"
                        "  dataset: { name: mnist }\n"
                        "  epochs: many\n"
                        "  optimizer: { name: sgd, lr: -1 }\n", encoding="utf-8")
        errors = {error["where"].rpartition(":")[2]: error for error in
                  self.errors(["--cluster", str(self.cluster.inventory), "run", str(path)])}
        self.assertEqual(set(errors), {"3", "4", "5", "9", "10"})
        self.assertTrue(all(error["where"].startswith(str(path)) for error in errors.values()))
        self.assertIn("procs_per_node", errors["3"]["remedy"])
        self.assertIn("master_port", errors["4"]["what"])
        self.assertIn("65535", errors["4"]["remedy"])
        self.assertIn("gloo", errors["5"]["remedy"])
        self.assertIn("epochs", errors["9"]["what"])
        self.assertIn("optimizer.lr", errors["10"]["what"])
        self.assertEqual(json.loads(self.cluster.run([CTL, "--json", "runs", "list"]).stdout), {"runs": []}, "nothing was started")

    def test_an_inventory_with_faults_names_file_line_key_and_remedy(self):
        path = Path(self.cluster.dir) / "broken-cluster.yaml"
        path.write_text("nodes:\n  - name: a\n    prot: 22\n  - host: b\n  - name: a\n    gpus: some\n", encoding="utf-8")
        errors = self.errors(["--cluster", str(path), "nodes", "list"])
        where = [error["where"].removeprefix(str(path) + ":") for error in errors]
        self.assertIn("3", where)
        self.assertTrue(any("port" in error["remedy"] for error in errors))
        self.assertTrue(any("name" in error["what"] and "missing" in error["what"] for error in errors))
        self.assertTrue(any("twice" in error["what"] for error in errors))

    def test_missing_files_and_unknown_nodes(self):
        self.assertIn("cannot be read", self.errors(["run", "/nowhere.yaml"])[0]["what"])
        self.assertIn("cannot be read", self.errors(["--cluster", "/nowhere.yaml", "nodes", "list"])[0]["what"])
        job = write_job(self.cluster, train_job(["node7"]))
        error = self.errors(["--cluster", str(self.cluster.inventory), "plan", job])[0]
        self.assertEqual(error["id"], "unknown-node")
        self.assertIn("node7", error["what"])
        self.assertIn("node1", error["remedy"])

    def test_nodes_are_added_listed_and_removed_without_losing_any(self):
        file = str(Path(self.cluster.dir) / "mine.yaml")
        def ctl(*arguments):
            return self.cluster.run([CTL, "--cluster", file, "--json", *arguments])
        self.assertEqual(ctl("nodes", "add", "a", "--host", "10.0.0.1", "--port", "2222", "--gpus", "0,1").returncode, 0)
        self.assertEqual(ctl("nodes", "add", "b", "--user", "me").returncode, 0)
        self.assertEqual(ctl("nodes", "add", "a").returncode, 2)
        self.assertEqual(ctl("nodes", "remove", "c").returncode, 2)
        nodes = json.loads(ctl("nodes", "list").stdout)["nodes"]
        self.assertEqual([(n["name"], n["host"], n["port"], n["gpus"]) for n in nodes],
                         [("a", "10.0.0.1", 2222, [0, 1]), ("b", "b", 22, "auto")])
        self.assertEqual(ctl("nodes", "set", "b", "--group", "rack 1").returncode, 0)
        grouped = json.loads(ctl("nodes", "list", "--group", "rack 1").stdout)["nodes"]
        self.assertEqual([(n["name"], n["group"]) for n in grouped], [("b", "rack 1")])
        self.assertEqual(ctl("nodes", "list", "--group", "rack 2").returncode, 2)
        self.assertEqual(ctl("nodes", "set", "b", "--group", "x" * 65).returncode, 2)
        self.assertEqual(ctl("nodes", "set", "b", "--group", "").returncode, 0)
        self.assertEqual([n["group"] for n in json.loads(ctl("nodes", "list").stdout)["nodes"]], ["", ""])
        self.assertEqual(ctl("nodes", "remove", "a").returncode, 0)
        self.assertEqual([n["name"] for n in json.loads(ctl("nodes", "list").stdout)["nodes"]], ["b"])


class Nodes(unittest.TestCase):
    """Faults of nodes: probe and run name the node and the remedy."""

    def cluster_with(self, nodes=1, **options):
        cluster = new_cluster(nodes, **options).start()
        self.addCleanup(cluster.down)
        return cluster

    def probe_fails(self, cluster, node="node1", *options, **popen) -> dict:
        done = cluster.run([CTL, "--cluster", str(cluster.inventory), "--json", *options, "probe", node], timeout=60 * support.SLOW, **popen)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        entry = json.loads(done.stdout)["nodes"][0]
        self.assertEqual((entry["node"], entry["status"]), (node, "failed"))
        self.assertTrue(entry["remedy"])
        return entry

    def rewrite_inventory(self, cluster, old: str, new: str):
        path = Path(cluster.inventory)
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def test_unknown_host(self):
        cluster = self.cluster_with()
        self.rewrite_inventory(cluster, "host: 10.77.0.1", "host: no-such-host.invalid")
        self.assertEqual(self.probe_fails(cluster)["id"], "ssh-name-unresolvable")

    def test_refused(self):
        cluster = self.cluster_with()
        cluster.node("node1").kill_sshd()
        self.assertEqual(self.probe_fails(cluster)["id"], "ssh-refused")

    def test_time_out(self):
        cluster = self.cluster_with()
        cluster.node("node1").partition()
        self.assertEqual(self.probe_fails(cluster)["id"], "ssh-timeout")

    def test_unknown_host_key_is_shown_and_accepted_only_by_the_person(self):
        cluster = self.cluster_with(known_hosts=False)
        entry = self.probe_fails(cluster)
        self.assertEqual(entry["id"], "ssh-hostkey-unknown")
        fingerprint = cluster.desk.run(["sh", "-c", f"printf '%s\\n' 'x {cluster.node('node1').host_key}' | cut -d' ' -f2- | ssh-keygen -lf -"],
                                       check=True).stdout.split()[1]
        self.assertIn(fingerprint, entry["what"])
        accepted = cluster.run([CTL, "--cluster", str(cluster.inventory), "--json", "--accept-new-host-keys", "probe", "node1"])
        self.assertEqual(accepted.returncode, 0, accepted.stdout + accepted.stderr)
        self.assertEqual(cluster.run([CTL, "--cluster", str(cluster.inventory), "probe", "node1"]).returncode, 0)

    def test_changed_host_key_is_refused_whatever_the_flags(self):
        cluster = self.cluster_with()
        cluster.node("node1").change_host_key()
        entry = self.probe_fails(cluster, "node1", "--accept-new-host-keys")
        self.assertEqual(entry["id"], "ssh-hostkey-changed")
        self.assertIn("ssh-keygen -R", entry["remedy"])

    def test_refused_key(self):
        cluster = self.cluster_with()
        cluster.node("node1").run(["sh", "-c", "rm ~/.ssh/authorized_keys"], check=True)
        entry = self.probe_fails(cluster)
        self.assertEqual(entry["id"], "ssh-auth-denied")
        self.assertIn("ssh-copy-id", entry["remedy"])

    def test_password_typed_at_the_terminal(self):
        cluster = self.cluster_with()
        cluster.node("node1").run(["sh", "-c", "rm ~/.ssh/authorized_keys"], check=True)
        for password, code in (("not-this-one", 4), (cluster.password, 0)):
            with self.subTest(password=password):
                self.assertEqual(self.probe_with_password(cluster, password), code)

    def probe_with_password(self, cluster, password: str) -> int:
        # script(1) gives the program a terminal of its own, inside the desk.
        command = shlex.join([str(CTL), "--cluster", str(cluster.inventory), "probe", "node1"])
        process = cluster.popen(["script", "-qec", command, "/dev/null"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        deadline = threading.Timer(60 * support.SLOW, process.kill)
        deadline.start()
        said = b""
        asked = 0
        for chunk in iter(lambda: process.stdout.read1(4096), b""):
            said += chunk
            if said.count(b"password of") > asked:
                asked += 1
                process.stdin.write(password.encode() + b"\n")
                process.stdin.flush()
        deadline.cancel()
        code = process.wait(10)
        process.stdin.close()
        process.stdout.close()
        self.assertEqual(asked, 1 if code == 0 else 3, said)
        self.assertNotIn(password.encode(), said, "what is typed is not echoed")
        return code

    def test_missing_key_file(self):
        cluster = self.cluster_with()
        self.rewrite_inventory(cluster, "/.ssh/id_ed25519", "/.ssh/id_none")
        self.assertEqual(self.probe_fails(cluster)["id"], "ssh-no-identity")

    def test_full_disk(self):
        cluster = self.cluster_with([{"home_size": "32m"}])
        cluster.node("node1").fill_disk()
        self.assertEqual(self.probe_fails(cluster)["id"], "disk-full")
        cluster.node("node1").free_disk()
        self.assertEqual(cluster.run([CTL, "--cluster", str(cluster.inventory), "probe", "node1"]).returncode, 0)

    def test_disk_too_small_for_the_worker(self):
        cluster = self.cluster_with([{"home_size": "32m"}])
        run = start(cluster, train_job(["node1"], max_steps=1))
        self.assertEqual(run.end(60), 4, run.explain())
        self.assertEqual(run.of("diagnosis")[0]["id"], "disk-full", run.explain())
        self.assertIn("node1", run.verdict()["detail"])

    def test_home_mounted_noexec(self):
        cluster = self.cluster_with([{"home_noexec": True}])
        entry = self.probe_fails(cluster)
        self.assertEqual(entry["id"], "no-exec")
        self.assertIn("cache_dir", entry["remedy"])
        # And the remedy works.
        self.rewrite_inventory(cluster, "    address:", "    cache_dir: /tmp/rankscope\n    address:")
        self.assertEqual(cluster.run([CTL, "--cluster", str(cluster.inventory), "probe", "node1"]).returncode, 0)

    def test_read_only_home(self):
        cluster = self.cluster_with()
        cluster.node("node1").home_readonly()
        self.assertEqual(self.probe_fails(cluster)["id"], "no-permission")

    def test_busy_master_port_names_its_holder(self):
        cluster = self.cluster_with(2)
        holder = cluster.node("node1").popen(["python3", "-c", "import socket, time; s = socket.create_server(('', 29500)); time.sleep(600)"])
        self.addCleanup(holder.kill)
        wait_until(lambda: 29500 in cluster.node("node1").listening_ports(), 10, "the port is taken")
        run = start(cluster, train_job(["node1", "node2"], max_steps=1))
        self.assertEqual(run.end(60), 3, run.explain())
        diagnosis = run.of("diagnosis")[0]
        self.assertEqual(diagnosis["id"], "port-in-use")
        self.assertIn("python3", diagnosis["title"])
        self.assertIn("master_port: 0", diagnosis["fix"][0])
        for node in cluster.nodes:
            wait_until(lambda node=node: not processes_of_runs(node), 10, "the node that could start was stopped")

    def test_damaged_library_is_pushed_again(self):
        cluster = self.cluster_with()
        job = train_job(["node1"], max_steps=1)
        first = start(cluster, job)
        self.assertEqual(first.end(60), 0, first.explain())
        # As large as before, but no library.
        cluster.node("node1").run(["sh", "-c", "cd ~/.cache/rankscope/bundles/*/ && chmod u+w libgloo.so.0 && s=$(stat -c %s libgloo.so.0) && "
                                               "rm libgloo.so.0 && truncate -s $s libgloo.so.0"], check=True)
        second = start(cluster, job)
        self.assertEqual(second.end(60), 0, second.explain())

    def test_missing_program_and_workdir(self):
        cluster = self.cluster_with()
        found = start(cluster, {"name": "missing", "nodes": ["node1"], "command": ["no-such-program"]})
        self.assertEqual(found.end(60), 3, found.explain())
        self.assertEqual(found.of("diagnosis")[0]["id"], "interpreter-missing")
        self.assertIn('node1 has no program "no-such-program"', found.verdict()["detail"])
        for change, word in (({"command": ["no-such-program"]}, "no-such-program"),
                             ({"command": ["true"], "workdir": "/no/such/folder"}, "/no/such/folder")):
            with self.subTest(word=word):
                run = start(cluster, {"name": "missing", "nodes": ["node1"], "preflight": "off", **change})
                self.assertEqual(run.end(60), 1, run.explain())
                self.assertIn(word, run.verdict()["detail"])
                self.assertIn("No such file", run.verdict()["detail"])

    def test_program_of_another_machine_or_without_its_interpreter(self):
        cluster = self.cluster_with()
        node = cluster.node("node1")
        node.run(["sh", "-c", "printf '#!/no/such/interpreter\\n' > script; head -c 4096 /bin/true > foreign; "
                              # e_machine: 183 is AArch64, 62 x86-64
                              "printf \"$([ $(uname -m) = aarch64 ] && echo '\\076' || echo '\\267')\" | "
                              "dd of=foreign bs=1 seek=18 conv=notrunc status=none; chmod +x script foreign"], check=True)
        missing = "its interpreter or loader is missing"
        found = start(cluster, {"name": "foreign", "nodes": ["node1"], "command": ["./script"], "workdir": "~"})
        self.assertEqual(found.end(60), 3, found.explain())
        self.assertIn(missing, found.verdict()["detail"])
        for program, said in (("./script", missing), ("./foreign", "built for another kind of machine")):
            with self.subTest(program=program):
                run = start(cluster, {"name": "foreign", "nodes": ["node1"], "command": [program], "workdir": "~", "preflight": "off"})
                self.assertEqual(run.end(60), 1, run.explain())
                detail = run.verdict()["detail"]
                self.assertIn("Rank 0 on node1 could not be started", detail)
                self.assertIn(said, detail)

    def test_node_of_another_architecture(self):
        cluster = self.cluster_with()
        node = cluster.node("node1")
        try:
            node.remove("/usr/bin/uname")
        except Unsupported as e:
            self.skipTest(str(e))
        node.run(["sh", "-c", "printf '#!/bin/sh\\necho Linux riscv64\\n' > /usr/bin/uname && chmod 755 /usr/bin/uname"], user=node.ROOT, check=True)
        entry = self.probe_fails(cluster)
        self.assertEqual(entry["id"], "agent-architecture")
        self.assertIn("riscv64", entry["what"])

    @unittest.skipIf(support.SLOW > 1, "sanitizers want to be preloaded first")
    def test_clock_off_by_hours(self):
        cluster = self.cluster_with()
        shim = support.BIN.parent / "tests/integration/shifted_clock.so"
        if not shim.exists():
            self.skipTest(f"{shim} is not built")
        # LD_PRELOAD separates its entries by blanks, and the clone's path may hold some.
        copied = Path(cluster.inventory).parent / "shifted_clock.so"
        copied.write_bytes(shim.read_bytes())
        shifted = {"LD_PRELOAD": copied, "RANKSCOPE_TEST_CLOCK_SHIFT": -3 * 3600}
        probe = [CTL, "--cluster", str(cluster.inventory)]
        warned = json.loads(cluster.run([*probe, "--json", "probe"], env=shifted, check=True).stdout)["nodes"][0]["warnings"][0]
        self.assertEqual(warned["id"], "clock-skew")
        self.assertIn("3.0 h ahead", warned["what"])
        said = cluster.run([*probe, "probe"], env=shifted, check=True)
        self.assertIn("node1: Its clock is 3.0 h ahead of this computer's.", said.stdout + said.stderr)
        self.assertNotIn("warnings", json.loads(cluster.run([*probe, "--json", "probe"], check=True).stdout)["nodes"][0])
        before = time.time() - 3 * 3600
        run = Run(cluster, ["run", write_job(cluster, {"name": "clock", "nodes": ["node1"], "command": ["echo", "up"]})], env=shifted)
        self.assertEqual(run.end(60), 0, run.explain())
        reported = run.of("notice", id="clock-skew")
        self.assertTrue(reported and reported[0]["title"].startswith("node1: ") and "set-ntp" in reported[0]["fix"][0], run.explain())
        after = time.time() - 3 * 3600
        for event in run.events:  # by the desk's clock, wrong as it may be
            self.assertTrue(before - 1 < event["t"] < after + 1, event)

    def test_damaged_spool_costs_what_was_damaged(self):
        """A few bytes of the node's spool are overwritten while no desk is attached: the checksum finds it, the rest is kept."""
        cluster = self.cluster_with()
        node = cluster.node("node1")
        script = "for i in $(seq 300); do echo line $i; sleep 0.005; done"
        run = start(cluster, {"name": "damaged", "nodes": ["node1"], "command": ["sh", "-c", script], "telemetry": {"every_s": 0}}, "--detach")
        self.assertEqual(run.end(60), 0, run.explain())
        run_id = run.of("detached")[0]["run"]
        wait_until(lambda: not processes_of_runs(node), 60, "the run is over")
        spool = node.path(f"{node.home}/.cache/rankscope/runs/{run_id}/spool")
        with open(spool, "r+b") as file:
            file.seek(spool.stat().st_size // 2)
            file.write(b"\xff" * 8)
        attached = Run(cluster, ["runs", "attach", run_id])
        self.assertEqual(attached.end(60), 0, attached.explain())
        notes = [e["detail"] for e in attached.of("stage", stage="note") if "are missing" in e.get("detail", "")]
        self.assertEqual(len(notes), 1, attached.explain())
        self.assertIn("node1: ", notes[0])
        self.assertIn("damaged", notes[0])
        seqs = [e["seq"] for e in attached.events if e.get("node") == "node1"]
        self.assertEqual(seqs, sorted(set(seqs)))
        self.assertGreaterEqual(len(seqs), seqs[-1] - 2, "8 bytes damage no more than two events")
        stored = Run(cluster, ["runs", "export", run_id])
        stored.end(60)
        self.assertEqual([e["seq"] for e in stored.events if e.get("node") == "node1"], seqs)

    def test_missing_data_says_where_to_put_it(self):
        cluster = self.cluster_with()
        job = train_job(["node1"], dataset={"name": "mnist", "root": "/tmp/nothing"})
        found = start(cluster, job)
        self.assertEqual(found.end(120), 3, found.explain())
        self.assertEqual((found.of("diagnosis")[0]["id"], found.of("diagnosis")[0]["nodes"]), ("data-path-missing", ["node1"]))
        self.assertIn("/tmp/nothing does not exist on node1", found.verdict()["detail"])
        run = start(cluster, {**job, "preflight": "off"})
        self.assertEqual(run.end(120), 1, run.explain())
        said = run.verdict()["detail"] + "".join(run.verdict()["culprit"]["last_lines"])
        self.assertIn("train-images-idx3-ubyte", said)
        self.assertIn("/tmp/nothing", said)
        self.assertIn("synthetic-digits", said)

    def test_noise_of_login_shells_changes_nothing(self):
        cluster = self.cluster_with()
        node = cluster.node("node1")
        node.run(["sh", "-c", "echo 'echo Welcome to RANKSCOPE-AGENT land; echo and to stderr >&2' > ~/.bashrc; cp ~/.bashrc ~/.profile"], check=True)
        run = start(cluster, train_job(["node1"], max_steps=1, validate=False))
        self.assertEqual(run.end(60), 0, run.explain())


if __name__ == "__main__":
    support.main()
