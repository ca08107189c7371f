#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The include graph: dependencies run one way between folders, there is no circle between rooms or files, and no source file grows beyond
600 lines. docs/architecture.md says why."""
import re
import subprocess
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
LONGEST = 600
# The libraries of the desk, the lowest first.
DESK = ["remote/desk/shared", "remote/desk/nodes", "remote/desk/jobs", "remote/desk/runs", "remote/desk/archive"]
# What a folder may include, besides itself. The longest matching prefix of a file decides.
MAY_INCLUDE = {
    "base": [],
    "remote/diagnosis": ["base"],
    "remote/wire": ["base", "remote/diagnosis"],
    "remote/observe": ["base", "remote/wire"],
    "remote/logs": ["base", "remote/diagnosis"],
    "remote/agent": ["base", "remote/diagnosis", "remote/wire", "remote/observe"],
    "remote/desk/shared": ["base"],
    "remote/desk/nodes": ["base", "remote/wire", "remote/observe", "remote/diagnosis", "remote/desk/shared"],
    "remote/desk/jobs": ["base", "engine/distribuuuu/config", "engine/models", "remote/wire", "remote/observe", "remote/diagnosis", "remote/logs", *DESK[:2]],
    "remote/desk/runs": ["base", "remote/wire", "remote/observe", "remote/diagnosis", "remote/logs", *DESK[:3]],
    "remote/desk/archive": ["base", "remote/wire", "remote/observe", "remote/diagnosis", "remote/logs", *DESK[:4]],
    "remote/askpass": ["base"],
    "remote/ctl": ["base", "remote/wire", "remote/observe", "remote/diagnosis", "remote/logs", *DESK],
    "gui": ["base", "remote/wire", "remote/observe", "remote/diagnosis", "remote/logs", *DESK],
    "engine": ["base"],
    "engine/distribuuuu/config": ["base"],  # the desk reads it, too: nothing of the engine
    "remote/nccl_profiler": ["base"],
}
# Folders whose subfolders are rooms: no circle between them.
HOUSES = ["remote/agent", "remote/desk", *DESK, "remote/logs", "remote/observe", "gui", "engine", "base"]
GENERATED = {"remote/wire/frames.pb.h", "remote/observe/tensorboard/event.pb.h", "remote/observe/metric_files/wandb.pb.h", "remote/desk/runs/preflight/kept_report.pb.h"}


def sources() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "base", "remote", "gui", "engine", "tests"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        raise unittest.SkipTest("this is not a git checkout")
    return [name for name in listed.stdout.splitlines() if re.search(r"\.(h|cpp|cu|cuh)$", name) and (REPOSITORY / name).exists()]


def includes(name: str) -> list[str]:
    text = (REPOSITORY / name).read_text(encoding="utf-8", errors="replace")
    return re.findall(r"^#include <((?:base|remote|gui|engine)/[^>]+)>", text, re.MULTILINE)


def circle(graph: dict) -> list:
    """One circle of the graph, or nothing."""
    state = {}

    def visit(node, path):
        state[node] = "open"
        for other in sorted(graph.get(node, ())):
            if state.get(other) == "open":
                return [*path[path.index(other):], other]
            if other not in state:
                found = visit(other, [*path, other])
                if found:
                    return found
        state[node] = "done"
        return []

    for start in sorted(graph):
        if start not in state:
            found = visit(start, [start])
            if found:
                return found
    return []


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = sources()
        cls.product = [name for name in cls.files if not name.startswith("tests/")]
        cls.includes = {name: includes(name) for name in cls.product}

    def test_dependencies_run_one_way(self):
        wrong = []
        for name, targets in self.includes.items():
            layer = max((prefix for prefix in MAY_INCLUDE if name.startswith(prefix + "/")), key=len, default=None)
            self.assertIsNotNone(layer, f"{name} is in no known layer: add its folder to MAY_INCLUDE and to docs/architecture.md")
            for target in targets:
                if not any(target.startswith(allowed + "/") for allowed in [layer, *MAY_INCLUDE[layer]]):
                    wrong.append(f"{name} includes {target}")
        self.assertEqual(wrong, [])

    def test_included_files_exist(self):
        known = set(self.files) | GENERATED
        lost = [f"{name} includes {target}" for name, targets in self.includes.items() for target in targets
                if target not in known and not target.endswith(".inc")]
        self.assertEqual(lost, [])

    def test_no_circle_between_files(self):
        self.assertEqual(circle({name: set(targets) for name, targets in self.includes.items()}), [])

    def test_no_circle_between_rooms(self):
        for house in HOUSES:
            rooms: dict = {}
            depth = house.count("/") + 1
            for name, targets in self.includes.items():
                if not name.startswith(house + "/"):
                    continue
                room = re.sub(r"\.\w+$", "", name.split("/")[depth])  # a file that lies in no room is one by itself
                for target in targets:
                    other = re.sub(r"\.\w+$", "", target.split("/")[depth]) if target.startswith(house + "/") else room
                    if other != room:
                        rooms.setdefault(room, set()).add(other)
            with self.subTest(house):
                self.assertEqual(circle(rooms), [])

    def test_only_the_tables_of_launchers_name_them(self):
        """A launcher is a folder of remote/desk/runs/launch, and one of remote/desk/jobs/launchers if job files have a section for it. Everything
        else asks RunLauncher, LauncherKind and JobLauncher."""
        tables = ("remote/desk/runs/launch/launchers.cpp", "remote/desk/jobs/launchers/job_launchers.cpp")
        launcher = re.compile(r"remote/desk/(?:runs/launch|jobs/launchers)/([^/]+)/")

        def launcher_of(name):
            found = launcher.match(name)
            return found[1] if found else None

        folders = {launcher_of(name) for name in self.product} - {None}
        self.assertGreaterEqual(len(folders), 2)
        wrong = [f"{name} includes {target}" for name, targets in self.includes.items() for target in targets
                 if name not in tables and launcher_of(target) not in (None, launcher_of(name))]
        self.assertEqual(wrong, [])
        asks = re.compile(r"launcher(?:_?name)?(?:\(\))? *[=!]= *\"\w+\"|Launcher::(?:Ssh|Slurm)")
        asking = [name for name in self.product if not name.startswith(("remote/desk/runs/launch/", "remote/desk/jobs/launchers/", "remote/agent/", "engine/"))
                  and asks.search((REPOSITORY / name).read_text(encoding="utf-8", errors="replace"))]
        self.assertEqual(asking, [])

    def test_no_file_is_too_long(self):
        long = {name: lines for name in self.files if (lines := (REPOSITORY / name).read_bytes().count(b"\n")) > LONGEST}
        self.assertEqual(long, {})


if __name__ == "__main__":
    unittest.main()
