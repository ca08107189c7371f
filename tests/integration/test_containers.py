#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranks in containers of podman, Docker and Apptainer on two nodes: they train, their ends and stops are seen as on the node itself, and nothing is left.

The image is made here, of this system's own Python: no registry is asked."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import support
from test_inner_ranks import LAUNCHER
from support import CTL, SKIP, Run, new_cluster, patience, start, train_job, wait_until

import slurm  # isort: skip
from vcluster import ClusterError  # isort: skip

STORAGE = '[storage]\ndriver = "overlay"\nrunroot = "/run/containers"\ngraphroot = "/srv/containers"\n'
# This machine may hold processes to fewer files than podman asks for, and crun refuses cgroups in hybrid mode.
ENGINE = ('[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]\n'
          '[engine]\nruntime = "runc"\nevents_logger = "file"\ncgroup_manager = "cgroupfs"\n')
# Prints where it runs and writes metrics; the rest of its behaviour is one line each.
SCRIPT = """
import json, os, sys, time
rank = int(os.environ["RANK"])
print("marker", open("/image-marker").read().strip(), os.getpid(), os.getcwd(), flush=True)
with open(os.environ["RANKSCOPE_METRICS"], "w") as metrics:
    for step in range(1, 6):
        print(json.dumps({"step": step, "loss": 1 / step}), file=metrics, flush=True)
"""
LONG = SCRIPT + "print('up', flush=True)\ntime.sleep(600)\n"


def make_image(folder: Path) -> Path:
    """A root folder with Python and a shell of this system, as an archive."""
    root = folder / "root"
    for name in ("usr/bin", "usr/lib64", "tmp", "etc", "proc", "sys", "dev", "root", "work"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib", "lib64"):
        (root / name).symlink_to(f"usr/{name}")
    programs = ["/usr/bin/python3", "/usr/bin/dash", "/usr/bin/sleep"]
    for program in programs:
        shutil.copy(program, root / "usr/bin" / Path(program).name)
    (root / "usr/bin/sh").symlink_to("dash")
    listed = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout
    for library in sorted(set(re.findall(r"(/\S+\.so\S*)", listed))):
        target = root / "usr" / library.removeprefix("/usr").lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    version = f"python3.{sys.version_info.minor}"
    shutil.copytree(f"/usr/lib/{version}", root / "usr/lib" / version, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", "test"))
    (root / "image-marker").write_text("from the image\n")
    (root / "work/of_image.py").write_text("print('of the image', flush=True)\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    archive = folder / "image.tar"
    subprocess.run(["tar", "-C", root, "-cf", archive, "."], check=True)
    shutil.rmtree(root)
    return archive


class Contained:
    """What holds whichever runtime makes the containers."""
    RUNTIME = ""
    IMAGE = ""
    WORKDIR = "/work"  # of a program without workdir:

    @classmethod
    def make_cluster(cls, user: str, prepare, **options):
        folder = Path(tempfile.mkdtemp(prefix="rankscope-image-"))
        cls.addClassCleanup(shutil.rmtree, folder, True)
        folder.chmod(0o755)
        make_image(folder)
        cls.cluster = new_cluster(2, user=user, bind={str(folder): ("/srv/image", True)}, **options).start()
        cls.addClassCleanup(cls.cluster.down)
        cls.nodes = [cls.cluster.node("node1"), cls.cluster.node("node2")]
        try:
            for node in cls.nodes:
                prepare(node)
                cls.take_image(node)
        except (ClusterError, TimeoutError) as error:
            raise unittest.SkipTest(f"{cls.RUNTIME} does not work here: {error}") from error
        tried = cls.nodes[0].run([cls.RUNTIME, *cls.TRY, cls.IMAGE, "python3", "-c", "print('fine')"], timeout=patience(60))
        if tried.stdout.strip() != "fine":
            raise unittest.SkipTest(f"{cls.RUNTIME} runs no container here: {tried.stderr.strip()}")

    def tearDown(self):
        for node in self.nodes:
            wait_until(lambda node=node: not self.left_on(node), patience(20), f"nothing is left on {node.name}")

    TRY = ["run", "--rm", "--network=host", "--pid=host"]

    @classmethod
    def take_image(cls, node):
        node.run([cls.RUNTIME, "import", "--change", "WORKDIR /work", "/srv/image/image.tar", cls.IMAGE], check=True, timeout=patience(120))

    def kept_on(self, node) -> list:
        return node.run([self.RUNTIME, "ps", "--all", "--quiet", "--filter", "name=rankscope-"]).stdout.split()

    def left_on(self, node) -> list:
        return self.kept_on(node) + [p for p in node.processes() if any(word in str(p.cmdline) for word in ("container-init", "sleep(600)", "conmon"))]

    def job(self, script: str, **more) -> dict:
        container = {"runtime": self.RUNTIME, "image": self.IMAGE, **more.pop("container", {})}
        return {"name": "contained", "nodes": ["node1", "node2"], "procs_per_node": 1, "container": container,
                "command": ["python3", "-c", script], **more}

    def up(self, **more) -> Run:
        run = start(self.cluster, self.job(LONG, **more))
        run.wait_for("both ranks are up", lambda r: sum("up" in e.get("text", "") for e in r.of("log")) == 2)
        return run

    def rank_pid(self, node) -> int:
        return next(p.pid for p in node.processes() if p.comm.startswith("python3") and "sleep(600)" in str(p.cmdline))

    def test_a_script_runs_in_the_image_with_metrics_and_output(self):
        run = start(self.cluster, self.job(SCRIPT))
        self.assertEqual(run.end(), 0, run.explain())
        said = [event["text"] for event in run.of("log") if "marker" in event["text"]]
        self.assertEqual(len(said), 2, run.explain())
        for line in said:
            self.assertRegex(line, rf"marker from the image \d+ {self.WORKDIR}")
        for rank in (0, 1):
            self.assertEqual([e["step"] for e in run.of("metric", rank=rank) if "loss" in e], [1, 2, 3, 4, 5])

    def test_a_script_of_the_image_starts_in_its_folder(self):
        run = start(self.cluster, {**self.job(""), "command": ["python3", "of_image.py"]})
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertEqual(sum("of the image" in event["text"] for event in run.of("log")), 2, run.explain())

    def test_our_engine_trains_and_its_checkpoints_stay_on_the_node(self):
        job = train_job(["node1", "node2"], epochs=1, max_steps=20, batch_size=50)
        job["train"]["checkpoint"] = {"folder": "kept-checkpoints", "every_epochs": 1}
        job["container"] = {"image": self.IMAGE, "runtime": self.RUNTIME}
        run = start(self.cluster, job)
        self.assertEqual(run.end(), 0, run.explain())
        kept = list(self.nodes[0].path(f"{self.nodes[0].home}/kept-checkpoints").iterdir())
        self.assertTrue(kept, run.explain())

    def test_kill_9_of_a_rank_names_it(self):
        run = self.up()
        self.nodes[1].signal([self.rank_pid(self.nodes[1])], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        culprit = run.verdict()["culprit"]
        self.assertEqual((culprit["rank"], culprit["node"], culprit["signal"]), (1, "node2", 9), run.explain())

    def test_an_exit_code_and_the_last_lines_are_those_of_the_program(self):
        script = "import os, sys, time\nif os.environ['RANK'] == '1':\n    print('about to fail', file=sys.stderr)\n    sys.exit(137)\ntime.sleep(600)"
        run = start(self.cluster, self.job(script))
        self.assertEqual(run.end(60), 1, run.explain())
        culprit = run.verdict()["culprit"]
        self.assertEqual((culprit["rank"], culprit["code"], culprit["signal"], culprit["last_lines"]), (1, 137, 0, ["about to fail"]), run.explain())

    def test_a_stopped_rank_is_reported_and_continues(self):
        run = self.up()
        pid = self.rank_pid(self.nodes[0])
        self.nodes[0].signal([pid], signal.SIGSTOP)
        run.wait_for("the stop is reported", lambda r: r.of("notice", id="rank-stopped"))
        self.nodes[0].signal([pid], signal.SIGCONT)
        run.wait_for("it continues", lambda r: r.of("notice", id="rank-continued"))
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())

    def test_pause_holds_every_process_of_the_container(self):
        run = self.up()
        run_id = run.run_id(self.cluster)
        self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "pause", run_id], check=True)
        states = lambda: [p.state for node in self.nodes for p in node.processes() if p.pid == self.rank_pid(node)]
        wait_until(lambda: states() == ["T", "T"], patience(20), "both ranks are stopped")
        self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "runs", "continue", run_id], check=True)
        wait_until(lambda: "T" not in states(), patience(20), "both ranks continue")
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())

    def test_a_program_that_ignores_sigterm_is_killed_after_the_grace(self):
        script = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + LONG
        run = start(self.cluster, self.job(script, on_failure={"grace_s": 1}))
        run.wait_for("both ranks are up", lambda r: sum("up" in e.get("text", "") for e in r.of("log")) == 2)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())

    def test_a_killed_supervisor_takes_its_container_with_it(self):
        run = self.up()
        supervisors = [p for p in self.nodes[1].processes() if "supervise" in p.cmdline[:2]]
        child = next(p for p in supervisors if p.ppid in {q.pid for q in supervisors})
        self.nodes[1].signal([child.pid], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertIn("node2", run.verdict()["detail"])

    def test_a_container_that_somebody_ends_is_named(self):
        run = self.up()
        name = self.nodes[0].run([self.RUNTIME, "ps", "--format", "{{.Names}}", "--filter", "name=rankscope-"]).stdout.strip()
        self.nodes[0].run([self.RUNTIME, "kill", name], check=True)
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertTrue(run.of("notice", id="container-ended"), run.explain())
        self.assertEqual(run.verdict()["culprit"]["node"], "node1", run.explain())

    def test_a_memory_limit_of_the_container_is_the_cause(self):
        script = "import os, time\nkept = [bytearray(64 << 20) for _ in range(int(os.environ['RANK']) * 8)]\nprint(len(kept))\ntime.sleep(600)"
        run = start(self.cluster, self.job(script, container={"options": ["--memory=128m"]}))
        self.assertEqual(run.end(60), 1, run.explain())
        culprit = run.verdict()["culprit"]
        self.assertEqual((culprit["rank"], culprit["signal"]), (1, 9), run.explain())
        self.assertTrue(any(event["id"] == "host-oom" for event in run.of("diagnosis")), run.explain())

    def test_the_doctor_sees_where_ranks_in_a_container_stand(self):
        run = self.up()
        run_id = run.run_id(self.cluster)
        told = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "doctor", run_id], timeout=patience(60))
        self.assertIn("<string>", told.stdout + told.stderr, "the line of the script at which it sleeps")
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(60), 130, run.explain())

    def test_ranks_that_a_program_starts_are_ranks_of_the_run(self):
        run = start(self.cluster, {**self.job(""), "command": ["python3", "-c", LAUNCHER, "{node_rank}"]})
        run.wait_for("curves of four ranks", lambda it: all(it.of("metric", rank=rank) for rank in range(4)))
        for rank in range(4):
            self.assertEqual({event["loss"] for event in run.of("metric", rank=rank)[-3:]}, {rank + 0.5})
        victim = run.of("inner-rank", rank=3)[-1]["pid"]
        self.nodes[1].signal([victim], signal.SIGKILL)
        self.assertEqual(run.end(60), 1, run.explain())
        self.assertEqual((run.verdict()["culprit"]["rank"], run.verdict()["culprit"]["signal"]), (3, 9), run.explain())

    def test_ranks_start_again_in_the_same_container(self):
        script = ("import os, sys, time\nprint('attempt', os.environ.get('TORCHELASTIC_RESTART_COUNT'), flush=True)\n"
                  "time.sleep(1)\nsys.exit(int(os.environ['RANK'] == '1' and os.environ.get('TORCHELASTIC_RESTART_COUNT') == '0'))")
        run = start(self.cluster, self.job(script, on_failure={"grace_s": 1, "max_restarts": 1}))
        self.assertEqual(run.end(60), 0, run.explain())
        self.assertEqual(sum("attempt 1" in e["text"] for e in run.of("log")), 2, run.explain())

    def test_a_container_that_runs_already_is_entered(self):
        for node in self.nodes:
            node.run(["mkdir", "-p", f"{node.home}/.cache/rankscope"], check=True)
            node.run([self.RUNTIME, "run", "--detach", "--rm", "--name=standing", "--network=host", "--ipc=host",
                      f"--volume={node.home}/.cache:{node.home}/.cache", self.IMAGE, "sleep", "3600"], check=True)
        try:
            job = self.job(LONG)
            job["container"] = {"runtime": self.RUNTIME, "name": "standing"}
            run = start(self.cluster, job)
            run.wait_for("both ranks are up", lambda r: sum("up" in e.get("text", "") for e in r.of("log")) == 2)
            # Its process ids are others than the node's: the node's are needed.
            self.nodes[1].signal([self.rank_pid(self.nodes[1])], signal.SIGKILL)
            self.assertEqual(run.end(60), 1, run.explain())
            culprit = run.verdict()["culprit"]
            self.assertEqual((culprit["rank"], culprit["signal"]), (1, 9), run.explain())
            short = start(self.cluster, {**job, "command": ["sh", "-c", "[ $RANK = 0 ] || exit 3; sleep 600"]})
            self.assertEqual(short.end(60), 1, short.explain())
            culprit = short.verdict()["culprit"]
            self.assertEqual((culprit["rank"], culprit["code"]), (1, 3), short.explain())
            for node in self.nodes:
                self.assertFalse([p for p in node.processes() if "sleep(600)" in str(p.cmdline)])
                self.assertEqual(node.run([self.RUNTIME, "inspect", "--format={{.State.Running}}", "standing"]).stdout.strip(), "true")
        finally:
            for node in self.nodes:
                node.run([self.RUNTIME, "rm", "--force", "standing"])

    def refused(self, code: str, **container) -> Run:
        run = start(self.cluster, self.job(SCRIPT, container=container, preflight="off"))
        self.assertEqual(run.end(60), 4, run.explain())
        failed = [event for event in run.of("end", node="") if event.get("failure") == code or event.get("id") == code]
        self.assertTrue(failed or code in run.explain(), run.explain())
        return run

    def test_an_image_that_is_nowhere_is_named_before_the_start(self):
        run = self.refused("no-container-image", image="localhost/absent:1")
        self.assertIn("localhost/absent:1", run.explain())
        self.assertFalse(run.of("stage", stage="start"), run.explain())

    def test_an_option_that_the_runtime_refuses_is_shown(self):
        self.assertIn("--colour", self.refused("container-start", options=["--colour=blue"]).explain())

    def preflight(self, **container) -> dict:
        job = self.job(SCRIPT, container=container)
        done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", support.write_job(self.cluster, job)],
                                timeout=patience(120))
        return {check["id"]: check for check in json.loads(done.stdout.splitlines()[-1])["checks"]}

    def test_preflight_looks_from_within(self):
        checks = self.preflight()
        self.assertEqual(checks["container-start"]["status"], "pass", checks)
        self.assertEqual(checks["interpreter-missing"]["status"], "pass", checks)

    def test_preflight_finds_a_network_of_its_own_and_a_small_dev_shm(self):
        checks = self.preflight(options=["--network=none", "--ipc=private", "--shm-size=8m"])
        self.assertEqual(checks["container-netns"]["status"], "fail", checks)
        self.assertEqual(checks["shm-too-small"]["status"], "fail", checks)

    def test_preflight_names_what_is_missing(self):
        job = self.job(SCRIPT)
        job["command"] = ["python4", "train.py"]
        done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "preflight", support.write_job(self.cluster, job)], timeout=patience(120))
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("python4", done.stdout + done.stderr)
        job["container"]["image"] = "localhost/absent:1"  # what the node itself has says nothing of python4 in the image
        done = self.cluster.run([CTL, "--cluster", str(self.cluster.inventory), "--json", "preflight", support.write_job(self.cluster, job)],
                                timeout=patience(120))
        checks = {check["id"]: check for check in json.loads(done.stdout.splitlines()[-1])["checks"]}
        self.assertEqual(checks["no-container-image"]["status"], "warn", checks)
        self.assertNotIn("interpreter-missing", checks)


class Podman(Contained, unittest.TestCase):
    RUNTIME = "podman"
    IMAGE = "localhost/rankscope-test"

    @classmethod
    def setUpClass(cls, **options):
        if not shutil.which("podman") or not shutil.which("runc"):
            raise unittest.SkipTest("podman and runc are not installed")

        def prepare(node):
            containers = node.path("/etc/containers")
            containers.mkdir(exist_ok=True)
            (containers / "storage.conf").write_text(STORAGE)
            (containers / "containers.conf").write_text(ENGINE)
        cls.make_cluster("root", prepare, **options)


class RootlessPodman(Contained, unittest.TestCase):
    """As on most clusters: an ordinary user, whose processes are root's in the container."""
    RUNTIME = "podman"
    IMAGE = "localhost/rankscope-test"

    @classmethod
    def setUpClass(cls):
        for program in ("podman", "runc", "newuidmap"):
            if not shutil.which(program):
                raise unittest.SkipTest(f"{program} is not installed")

        def prepare(node):
            def as_root(script):
                node.run(["sh", "-c", script], user=(0, 0), cwd="/", check=True)
            as_root("echo trainer:200000:65536 > /etc/subuid; cp /etc/subuid /etc/subgid")
            if not Path("/dev/mqueue").exists():  # podman wants to mount it; /dev is this machine's
                as_root("mkdir /dev/mqueue")
                cls.addClassCleanup(os.rmdir, "/dev/mqueue")
            as_root("mountpoint -q /dev/mqueue || mount -t mqueue none /dev/mqueue")
            node.run(["mkdir", "-p", ".config/containers"], check=True)
            node.path(f"{node.home}/.config/containers/containers.conf").write_text(ENGINE)
            node.path(f"{node.home}/.config/containers/storage.conf").write_text('[storage]\ndriver = "overlay"\n')
        cls.make_cluster("trainer", prepare)

    # This system's cgroups are of both versions: rootless podman makes none.
    test_a_memory_limit_of_the_container_is_the_cause = None
    # Nothing in them depends on who the user is.
    test_an_exit_code_and_the_last_lines_are_those_of_the_program = None
    test_an_image_that_is_nowhere_is_named_before_the_start = None
    test_an_option_that_the_runtime_refuses_is_shown = None
    test_preflight_finds_a_network_of_its_own_and_a_small_dev_shm = None
    test_preflight_names_what_is_missing = None
    test_ranks_start_again_in_the_same_container = None


class PodmanBelowSlurm(unittest.TestCase):
    def test_a_job_of_slurm_runs_in_the_image_on_every_node(self):
        why = slurm.missing_requirements()
        if why:
            raise unittest.SkipTest(why)
        Podman.setUpClass(shared_home=True)
        self.addCleanup(Podman.doClassCleanups)
        podman = Podman()
        slurm.Slurm(podman.cluster).start()
        job = podman.job(SCRIPT, launcher="slurm", slurm={"login": "node1", "nodes": 2})
        del job["nodes"]
        run = start(podman.cluster, job)
        self.assertEqual(run.end(120), 0, run.explain())
        said = [event["text"] for event in run.of("log") if "marker from the image" in event["text"]]
        self.assertEqual(len(said), 2, run.explain())
        podman.tearDown()


class Docker(Contained, unittest.TestCase):
    """Its daemon has the processes, and the user is not root: neither descends from the supervisor, nor needs to."""
    RUNTIME = "docker"
    IMAGE = "rankscope-test"

    @classmethod
    def setUpClass(cls):
        if not shutil.which("dockerd"):
            raise unittest.SkipTest("docker.io is not installed")

        def prepare(node):
            daemon = node.popen(["dockerd", "--iptables=false", "--bridge=none", "--data-root=/srv/docker", "--group=trainer",
                                 "--default-ulimit=nofile=1024:1024"],
                                user=(0, 0), cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(daemon.wait)
            cls.addClassCleanup(daemon.terminate)
            wait_until(lambda: node.run(["docker", "info"]).returncode == 0 or daemon.poll() is not None, patience(60), "dockerd answers")
        cls.make_cluster("trainer", prepare)

    def test_ranks_and_their_files_belong_to_the_user(self):
        script = "import os\nopen(os.path.expanduser('~/made'), 'w').close()\nprint('as', os.getuid(), os.getgid(), os.path.expanduser('~'), flush=True)"
        run = start(self.cluster, self.job(script))
        self.assertEqual(run.end(60), 0, run.explain())
        said = [event["text"] for event in run.of("log") if event["text"].startswith("as ")]
        self.assertTrue(all(line.startswith("as 59000 59000 /home/trainer/.cache/rankscope/runs/") for line in said), said)

    def test_a_daemon_that_refuses_the_user_is_named_with_the_command(self):
        self.nodes[0].run(["chmod", "600", "/run/docker.sock"], user=(0, 0), check=True)
        try:
            run = self.refused("container-denied")
            self.assertIn("usermod -aG docker", run.explain())
        finally:
            self.nodes[0].run(["chmod", "660", "/run/docker.sock"], user=(0, 0), check=True)


class Apptainer(Contained, unittest.TestCase):
    """An ordinary user without a daemon; the image is a folder."""
    RUNTIME = "apptainer"
    IMAGE = "/srv/root"
    WORKDIR = "/"
    TRY = ["exec"]

    @classmethod
    def setUpClass(cls):
        if not shutil.which("apptainer"):
            raise unittest.SkipTest("apptainer is not installed (Debian 12 does not have it)")
        cls.make_cluster("trainer", lambda node: None)

    @classmethod
    def take_image(cls, node):
        node.run(["mkdir", cls.IMAGE], user=(0, 0), check=True)
        node.run(["tar", "-C", cls.IMAGE, "-xf", "/srv/image/image.tar"], user=(0, 0), check=True)

    def kept_on(self, node) -> list:
        return [p for p in node.processes() if "starter" in p.comm]

    # It has no containers to list, end or limit, and shares the network and the process ids in any case.
    test_a_container_that_somebody_ends_is_named = None
    test_a_memory_limit_of_the_container_is_the_cause = None
    test_a_container_that_runs_already_is_entered = None
    test_preflight_finds_a_network_of_its_own_and_a_small_dev_shm = None
    test_preflight_names_what_is_missing = None
    test_a_script_of_the_image_starts_in_its_folder = None  # it has none

    def test_an_image_that_is_nowhere_is_named_before_the_start(self):
        self.refused("no-container-image", image="/srv/absent.sif")


if __name__ == "__main__":
    if not any(shutil.which(program) for program in ("podman", "dockerd", "apptainer")):
        print("skipped: neither podman nor dockerd nor apptainer is installed")
        sys.exit(SKIP)
    support.main()
