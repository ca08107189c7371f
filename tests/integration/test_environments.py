#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Python environments that the nodes make of a lock file: the same everywhere, kept, and with wheels from the desk where a node reaches no index.

The index is a folder of wheels made here, which the desk serves to the nodes (PEP 503)."""
import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path

import support
from support import CTL, Run, new_cluster, patience, start, wait_until

import slurm  # isort: skip

PORT = 8181
SHOW = """
import json, os, sys, alpha, beta
print("seen", json.dumps([alpha.VERSION, beta.VERSION, sys.prefix, os.environ.get("VIRTUAL_ENV")]), flush=True)
"""


def make_wheel(folder: Path, name: str, version: str, requires=(), tag="py3-none-any", padding=0) -> Path:
    """A wheel (PEP 427) of one module with a constant VERSION."""
    info = f"{name}-{version}.dist-info"
    files = {f"{name}.py": f"VERSION = {version!r}\n",
             f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {r}\n" for r in requires),
             f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n"}
    if padding:
        files[f"{name}_data.bin"] = os.urandom(padding).hex()
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},{len(text)}\n"
                     for path, text in files.items())
    files[f"{info}/RECORD"] = record + f"{info}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class WithIndex(unittest.TestCase):
    @classmethod
    def make_cluster(cls, nodes: int, **options):
        """Nodes, and an index that the desk serves to them."""
        folder = Path(tempfile.mkdtemp(prefix="rankscope-index-"))
        cls.addClassCleanup(shutil.rmtree, folder, True)
        folder.chmod(0o755)
        cls.wheels = {}
        for name, version, requires in (("alpha", "1.0", ()), ("alpha", "2.0", ()), ("beta", "1.0", ("alpha",))):
            place = folder / name
            place.mkdir(exist_ok=True)
            cls.wheels[name, version] = make_wheel(place, name, version, requires, padding=100_000 if name == "beta" else 0)
        for place in folder.iterdir():
            links = "".join(f'<a href="{wheel.name}#sha256={sha256(wheel)}">{wheel.name}</a>\n' for wheel in sorted(place.iterdir()))
            (place / "index.html").write_text(f"<!DOCTYPE html><html><body>{links}</body></html>\n")
        cls.cluster = new_cluster(nodes, bind={str(folder): ("/srv/index", True)}, **options).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.nodes = list(cls.cluster.nodes)
        server = cls.cluster.popen(["/usr/bin/python3", "-m", "http.server", str(PORT), "--directory", "/srv/index"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.kill)
        wait_until(lambda: PORT in cls.cluster.desk.listening_ports(), patience(20), "the index is served")
        cls.index = f"http://{cls.cluster.address_of('desk')}:{PORT}"
        tried = cls.nodes[0].run(["/usr/bin/python3", "-c", "import ensurepip, venv"])
        if tried.returncode != 0:
            raise unittest.SkipTest("Python makes no environments here: apt-get install python3-venv")

    def requirements(self, *pinned, name="requirements.txt") -> str:
        """A requirements file with hashes, next to the job file."""
        lines = [f"--index-url {self.index}", f"--trusted-host {self.cluster.address_of('desk')}"]
        for package, version in pinned:
            lines += [f"{package}=={version} \\", f"    --hash=sha256:{sha256(self.wheels[package, version])}"]
        (Path(self.cluster.dir) / name).write_text("\n".join(lines) + "\n")
        return name

    def finish(self, job, code=0) -> Run:
        run = start(self.cluster, job)
        self.assertEqual(run.end(180), code, run.explain())
        return run

    def seen(self, run) -> list:
        return [json.loads(e["text"].split("seen ")[1]) for e in run.of("log") if e["text"].startswith("seen ")]

    def notes(self, run, words: str) -> list:
        return [e["detail"] for e in run.of("stage") if words in e.get("detail", "")]


class Environments(WithIndex):
    @classmethod
    def setUpClass(cls):
        cls.make_cluster(3)

    def setUp(self):
        for node in self.nodes:
            node.run(["sh", "-c", f"cd {node.home}/.cache && rm -rf rankscope/environments rankscope/packages uv pip"])

    def tearDown(self):
        for node in self.nodes:
            node.run(["nft", "delete", "table", "inet", "away"], user=node.ROOT, cwd="/")

    def job(self, *pinned, script=SHOW, nodes=("node1", "node2", "node3"), **more) -> dict:
        return {"name": "made", "nodes": list(nodes), "procs_per_node": 1, "command": ["python3", "-c", script],
                "environment": {"requirements": self.requirements(*pinned)}, **more}

    def cut_off(self, node, port=PORT):
        """It reaches no index any more: connections to it are refused."""
        rules = (f"table inet away {{ chain output {{ type filter hook output priority 0; "
                 f"tcp dport {port} reject with tcp reset; }}\n }}\n")
        done = node.run(["nft", "-f", "-"], user=node.ROOT, cwd="/", input=rules)
        if done.returncode != 0:
            raise unittest.SkipTest(f"no nftables here: {done.stderr.strip()}")

    def contents(self, run) -> set:
        return {note.rsplit(": ", 1)[1] for note in self.notes(run, "made the environment")}

    def test_made_on_every_node_alike_and_kept(self):
        job = self.job(("alpha", "1.0"), ("beta", "1.0"))
        run = self.finish(job)
        self.assertEqual([entry[:2] for entry in self.seen(run)], [["1.0", "1.0"]] * 3)
        for _, _, prefix, variable in self.seen(run):
            self.assertIn("/environments/", prefix)
            self.assertEqual(prefix, variable)
        self.assertEqual(len(self.notes(run, "made the environment")), 3, run.explain())
        self.assertEqual(len(self.contents(run)), 1, run.explain())
        self.assertIn("(2 packages)", self.contents(run).pop())
        again = self.finish(job)
        self.assertEqual(self.notes(again, "made the environment"), [])
        self.assertEqual([entry[:2] for entry in self.seen(again)], [["1.0", "1.0"]] * 3)
        shown = self.cluster.run([CTL, "runs", "show", again.run_id(self.cluster)], check=True).stdout
        self.assertIn("Environment ", shown)

    def test_a_node_without_an_index_gets_wheels_from_the_desk_and_only_those_it_lacks(self):
        self.cut_off(self.nodes[2])
        run = self.finish(self.job(("alpha", "1.0"), ("beta", "1.0")))
        self.assertEqual([entry[:2] for entry in self.seen(run)], [["1.0", "1.0"]] * 3)
        self.assertEqual(len(self.contents(run)), 1, run.explain())
        pushed = self.notes(run, "reaches no package index")
        self.assertEqual(len(pushed), 1, run.explain())
        self.assertIn("node3: reaches no package index; pushed 2 of 2 wheels", pushed[0])
        changed = self.finish(self.job(("alpha", "2.0"), ("beta", "1.0")))
        self.assertEqual([entry[:2] for entry in self.seen(changed)], [["2.0", "1.0"]] * 3)
        self.assertIn("node3: reaches no package index; pushed 1 of 2 wheels", self.notes(changed, "reaches no package index")[0])

    def test_a_wrong_hash_stops_the_run_before_any_rank(self):
        job = self.job(("alpha", "1.0"), ("beta", "1.0"))
        file = Path(self.cluster.dir) / "requirements.txt"
        file.write_text(file.read_text().replace(sha256(self.wheels["alpha", "1.0"]), "0" * 64))
        run = self.finish(job, code=4)
        self.assertIn("hash", run.explain().lower())
        self.assertEqual(run.of("log"), [])
        for node in self.nodes:
            wait_until(lambda node=node: not node.run(["sh", "-c", f"ls -d {node.home}/.cache/rankscope/environments/*/"]).stdout,
                       patience(20), "nothing half made is left")

    def test_an_unreachable_index(self):
        for node in self.nodes:
            self.cut_off(node)
        job = self.job(("alpha", "1.0"), nodes=("node1",))
        file = Path(self.cluster.dir) / "requirements.txt"
        file.write_text(file.read_text().replace(f":{PORT}", ":1"))
        run = self.finish(job, code=4)
        self.assertEqual(run.verdict()["failure"]["id"] if "failure" in run.verdict() else "no-index", "no-index")
        self.assertIn("does not reach a package index", run.explain())

    def test_preflight_says_what_is_made_and_looks_into_what_is_there(self):
        job = self.job(("alpha", "1.0"), ("beta", "1.0"))
        path = support.write_job(self.cluster, job)
        before = json.loads(self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", path]).stdout.splitlines()[-1])
        check = next(c for c in before["checks"] if c["id"] == "no-environment")
        self.assertEqual((check["status"], sorted(check["nodes"])), ("warn", ["node1", "node2", "node3"]))
        self.finish(job)
        after = json.loads(self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", path]).stdout.splitlines()[-1])
        self.assertEqual({c["id"]: c["status"] for c in after["checks"]}.get("no-environment"), "pass")

    def test_versions_that_are_not_pinned_may_differ_and_that_is_said(self):
        file = Path(self.cluster.dir) / "requirements.txt"
        job = self.job(nodes=("node1", "node2"))
        file.write_text(f"--index-url {self.index}\n--trusted-host {self.cluster.address_of('desk')}\nalpha<2\nbeta\n")
        first = self.finish({**job, "nodes": ["node1"]})
        self.assertTrue(self.notes(first, "does not pin a version: alpha<2"), first.explain())
        # Another day the index has another version: here, the mark of the other node's environment says so.
        folder = self.seen(first)[0][2]
        self.finish({**job, "nodes": ["node2"]})
        self.nodes[1].run(["sh", "-c", f"echo {'0' * 64} 2 > {folder}/complete"], check=True)
        run = self.finish(job)
        self.assertIn("environment-differs", run.explain())

    def test_a_stop_while_it_is_made_ends_everything(self):
        slow = self.cluster.popen(["/usr/bin/python3", "-c", "import socket, time\ns = socket.create_server(('', 8282))\n"
                                   "kept = []\nwhile True: kept.append(s.accept())"])
        try:
            wait_until(lambda: 8282 in self.cluster.desk.listening_ports(), patience(20), "an index that never answers")
            job = self.job(("alpha", "1.0"), nodes=("node1", "node2"))
            file = Path(self.cluster.dir) / "requirements.txt"
            file.write_text(file.read_text().replace(f":{PORT}", ":8282"))
            run = start(self.cluster, job)
            run.wait_for("pip runs", lambda r: any("making the environment" in e.get("detail", "") for e in r.of("stage")))
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.end(60), 130, run.explain())
            for node in self.nodes[:2]:
                wait_until(lambda node=node: not [p for p in node.processes() if "pip" in p.cmdline], patience(20), "pip has ended")
        finally:
            slow.kill()
            slow.wait()

    def test_a_stop_while_the_desk_gets_wheels(self):
        slow = self.cluster.popen(["/usr/bin/python3", "-c", "import socket\ns = socket.create_server(('', 8282))\n"
                                   "kept = []\nwhile True: kept.append(s.accept())"])
        try:
            wait_until(lambda: 8282 in self.cluster.desk.listening_ports(), patience(20), "an index that never answers")
            self.cut_off(self.nodes[0], 8282)
            job = self.job(("alpha", "1.0"), nodes=("node1",))
            file = Path(self.cluster.dir) / "requirements.txt"
            file.write_text(file.read_text().replace(f":{PORT}", ":8282"))
            run = start(self.cluster, job)
            wait_until(lambda: self.cluster.run(["ss", "-Htn", "state", "established", "sport", "=", ":8282"]).stdout.strip(), patience(60),
                       "the desk asks the index")
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.end(30), 130, run.explain())
        finally:
            slow.kill()
            slow.wait()

    def test_a_python_that_the_node_lacks(self):
        job = self.job(("alpha", "1.0"), nodes=("node1",))
        job["environment"]["python"] = "python3.99"
        run = self.finish(job, code=4)
        self.assertIn("cannot be made on node1: python3.99: it cannot be started", run.explain())

    def test_uv_lock(self):
        uv = shutil.which("uv")
        if not uv:
            self.skipTest("uv is not installed (pip install uv)")
        folder = Path(self.cluster.dir)
        (folder / "pyproject.toml").write_text('[project]\nname = "demo"\nversion = "0"\nrequires-python = ">=3.9"\n'
                                               'dependencies = ["beta", "alpha<2"]\n'
                                               f'[[tool.uv.index]]\nurl = "{self.index}"\ndefault = true\n')
        self.cluster.run([uv, "lock", "--project", str(folder)], check=True)
        self.cut_off(self.nodes[2])
        run = self.finish({**self.job(), "environment": {"uv": "uv.lock"}})
        self.assertEqual([entry[:2] for entry in self.seen(run)], [["1.0", "1.0"]] * 3)
        self.assertEqual(len(self.contents(run)), 1, run.explain())
        self.assertEqual(len(self.notes(run, "reaches no package index")), 1, run.explain())



class SlurmEnvironments(WithIndex):
    @classmethod
    def setUpClass(cls):
        if missing := slurm.missing_requirements():
            raise unittest.SkipTest(missing)
        cls.make_cluster(2, shared_home=True)
        slurm.Slurm(cls.cluster).start()

    def test_the_login_node_makes_it_for_the_nodes_of_the_job(self):
        job = {"name": "made", "launcher": "slurm", "slurm": {"login": "node1", "nodes": 2}, "procs_per_node": 1,
               "command": ["python3", "-c", SHOW], "environment": {"requirements": self.requirements(("alpha", "1.0"), ("beta", "1.0"))}}
        run = self.finish(job)
        self.assertEqual([entry[:2] for entry in self.seen(run)], [["1.0", "1.0"]] * 2, run.explain())
        self.assertEqual(len(self.notes(run, "made the environment")), 1, run.explain())


if __name__ == "__main__":
    support.main()
