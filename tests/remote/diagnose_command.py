#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""`rankscopectl diagnose` and `rules check` as users run them: diagnose_command.py PROGRAM"""
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"
BAD_INTERFACE = """node-b:410:410 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to ens9

node-b:410:410 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found
node-b:410:410 [0] NCCL INFO init.cc:82 -> 3
"""
STOPPED = """node-a:7:7 [0] NCCL INFO Bootstrap: Using eth0:10.1.0.1<0>
node-a:7:7 [0] NCCL INFO Using network Socket
node-a:7:7 [0] NCCL INFO ncclCommInitRank comm 0x7f00 rank 0 nranks 2 cudaDev 0 nvmlDev 0 busId 18000 commId 0x62 - Init START
"""


class Diagnose(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="rankscope logs ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return str(file)

    def run_program(self, *arguments, stdin=""):
        return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, cwd=self.folder, check=False)

    def diagnoses(self, *paths, stdin=""):
        done = self.run_program("--json", "diagnose", *paths, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_names_cause_node_and_line(self):
        log = self.write("rank 1.log", BAD_INTERFACE)
        first = self.diagnoses(log)["diagnoses"][0]
        self.assertEqual((first["id"], first["node"]), ("socket-ifname-invalid", "node-b"))
        for evidence in first["evidence"]:
            self.assertEqual(evidence["file"], log)
            self.assertEqual(evidence["text"], BAD_INTERFACE.splitlines()[evidence["line"] - 1])
        text = self.run_program("diagnose", log).stdout
        self.assertIn("socket-ifname-invalid", text.splitlines()[0])
        self.assertIn(f"{log}:3: ", text)

    def test_folder_archive_and_standard_input_give_the_same(self):
        self.write("logs/node-b.log", BAD_INTERFACE)
        with tarfile.open(self.folder / "logs.tar.gz", "w:gz") as archive:
            entry = tarfile.TarInfo("logs/node-b.log")
            entry.size = len(BAD_INTERFACE)
            archive.addfile(entry, io.BytesIO(BAD_INTERFACE.encode()))
        found = {self.diagnoses("logs")["diagnoses"][0]["id"], self.diagnoses("logs.tar.gz")["diagnoses"][0]["id"],
                 self.diagnoses("-", stdin=BAD_INTERFACE)["diagnoses"][0]["id"]}
        self.assertEqual(found, {"socket-ifname-invalid"})

    def test_hints_are_listed_by_name(self):
        text = self.run_program("diagnose", self.write("stopped.log", STOPPED)).stdout
        self.assertEqual(text.count("stopped.log:3: "), 1, text)
        self.assertIn("Not ruled out: ", text)
        self.assertNotIn("?", text)

    def test_files_of_nccl_inspector_are_summed_up(self):
        self.write("logs/node-b.log", BAD_INTERFACE)
        for rank in range(4):
            operation = {
                "header": {"id": "0x7f8c496ae9f661", "rank": rank, "n_ranks": 4, "nnodes": 1},
                "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node-b", "pid": 100 + rank},
                "coll_perf": {"coll": "AllReduce", "coll_sn": 7, "coll_msg_size_bytes": 1 << 30, "coll_exec_time_us": 4000 if rank == 2 else 9000},
            }
            self.write(f"logs/inspector/node-b-pid{100 + rank}.log", json.dumps(operation, separators=(",", ":")) + "\n")
        found = self.diagnoses("logs")
        self.assertEqual(found["diagnoses"][0]["id"], "socket-ifname-invalid")
        self.assertEqual((found["inspector"]["operations"], found["inspector"]["processes"]), (4, 4))
        row = found["inspector"]["collectives"][0]
        self.assertEqual((row["function"], row["ranks"], row["last_rank"]), ("AllReduce", 4, 2))
        self.assertGreater(row["bus_bandwidth"], 0)
        text = self.run_program("diagnose", "logs").stdout
        self.assertIn("NCCL Inspector: 4 operations of 4 processes.", text)
        self.assertRegex(text, r"AllReduce +4 ")
        self.assertNotIn("inspector", self.diagnoses("logs/node-b.log"))

    def test_folded_lines_show_the_odd_one(self):
        for rank in range(8):
            self.write(f"logs/rank{rank}.log",
                       f"node-a:{100 + rank}:{100 + rank} [{rank}] NCCL INFO Using network {'Socket' if rank == 3 else 'IB'}\n"
                       f"node-a:{100 + rank}:{100 + rank} [{rank}] NCCL INFO ncclCommInitRank comm 0x7f0{rank} rank {rank} nranks 8 cudaDev {rank} "
                       "nvmlDev 0 busId 18000 commId 0x62 - Init START\n")
        done = self.run_program("diagnose", "--folded", "logs")
        self.assertRegex(done.stdout, r"! 0-7 +Using network IB\n +rank 3: Socket instead of IB \(logs/rank3.log:1\)")
        rows = json.loads(self.run_program("--json", "diagnose", "--folded", "logs").stdout)["folded"]["rows"]
        self.assertEqual([(row["ranks"], len(row["odd"])) for row in rows], [(list(range(8)), 1), (list(range(8)), 0)])
        self.assertIn("Socket", rows[0]["meaning"])

    def test_nothing_wrong(self):
        self.assertEqual(self.diagnoses(self.write("fine.log", "epoch 1 loss 0.5\nepoch 2 loss 0.4\n"))["diagnoses"], [])

    def test_a_path_that_is_not_there(self):
        done = self.run_program("diagnose", "nothing-here.log")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("nothing-here.log", done.stderr)

    def test_own_rules_are_read_and_checked(self):
        self.write("rules/own.yaml", "- id: tape-torn\n  title: The tape of {host} is torn.\n  signatures: ['tape (?P<n>\\d+) is torn']\n"
                                     "  tests:\n    - lines: tape 7 is torn\n")
        checked = self.run_program("rules", "check", "rules")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        log = self.write("tape.log", "tape 9 is torn\n")
        done = self.run_program("--json", "diagnose", "--rules", "rules", log)
        self.assertEqual(json.loads(done.stdout)["diagnoses"][0]["id"], "tape-torn")
        self.write("rules/own.yaml", "- id: tape-torn\n  signatures: ['tape (']\n")
        checked = self.run_program("rules", "check", "rules")
        self.assertEqual(checked.returncode, 2)
        self.assertIn("own.yaml:", checked.stderr)


if __name__ == "__main__":
    unittest.main()
