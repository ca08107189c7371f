#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run over SSH, as a person starts it: accuracy, equal parameters, equality with one rank, what a second run pushes, four nodes."""
import json
import unittest

import support
from support import CTL, Run, new_cluster, shared_datasets, start, train_job, write_job


class TwoNodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = new_cluster(2).start()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.down()

    def losses(self, run: Run) -> dict:
        """step → mean loss over the ranks (equal batches)."""
        by_step: dict = {}
        for event in run.of("metric"):
            if "loss" in event:
                by_step.setdefault(event["step"], {})[event["rank"]] = event["loss"]
        return {step: sum(ranks.values()) / len(ranks) for step, ranks in by_step.items()}

    def test_two_epochs_of_mnist(self):
        epochs = 2 if support.SLOW == 1 else 1
        limits = {} if support.SLOW == 1 else {"max_steps": 40}
        run = start(self.cluster, train_job(["node1", "node2"], epochs=epochs, **limits))
        self.assertEqual(run.end(600), 0, run.explain())
        self.assertEqual(run.verdict()["outcome"], "done")
        checksums = {event["rank"]: event["params"] for event in run.of("metric") if "params" in event}
        self.assertEqual(set(checksums), {0, 1})
        self.assertEqual(len(set(checksums.values())), 1, checksums)
        accuracy = [event["val_acc1"] for event in run.of("metric", rank=0) if "val_acc1" in event]
        if support.SLOW == 1:
            self.assertEqual(len(accuracy), 2)
            self.assertGreaterEqual(accuracy[-1], 0.97)
            print(f"validation accuracy after 2 epochs: {accuracy}")
        # Every step of every rank, once.
        for rank in (0, 1):
            steps = [event["step"] for event in run.of("metric", rank=rank) if "loss" in event]
            self.assertEqual(steps, list(range(1, len(steps) + 1)))

    def test_two_ranks_see_what_one_rank_with_twice_the_batch_sees(self):
        steps = 30 if support.SLOW == 1 else 6
        two = start(self.cluster, train_job(["node1", "node2"], max_steps=steps, batch_size=50, validate=False))
        self.assertEqual(two.end(), 0, two.explain())
        one = start(self.cluster, train_job(["node1"], max_steps=steps, batch_size=100, validate=False))
        self.assertEqual(one.end(), 0, one.explain())
        with_two, with_one = self.losses(two), self.losses(one)
        self.assertEqual(set(with_one), set(range(1, steps + 1)))
        self.assertEqual(set(with_two), set(with_one))
        worst = max(abs(with_two[step] - with_one[step]) for step in with_one)
        print(f"largest difference of the loss over {steps} steps: {worst:.2e}")
        self.assertLess(worst, 2e-4)

    def test_the_second_run_pushes_nothing(self):
        job = train_job("all", max_steps=2, validate=False)
        first = start(self.cluster, job)
        self.assertEqual(first.end(), 0, first.explain())
        second = start(self.cluster, job)
        self.assertEqual(second.end(), 0, second.explain())
        self.assertFalse([event for event in second.of("stage") if "push" in event.get("detail", "")])

    def test_plan_says_what_run_does_and_touches_nothing(self):
        path = write_job(self.cluster, train_job(["node2", "node1"]))
        base = [CTL, "--cluster", str(self.cluster.inventory), "--json"]
        plan = json.loads(self.cluster.run([*base, "plan", path], check=True).stdout)
        self.assertEqual([(rank["rank"], rank["node"], rank["env"]["RANK"]) for rank in plan["ranks"]],
                         [(0, "node2", "0"), (1, "node1", "1")])
        self.assertEqual(plan["master_node"], "node2")
        self.assertEqual(plan["ranks"][1]["env"]["MASTER_ADDR"], self.cluster.node("node2").address)

    def test_a_users_own_program_gets_torchruns_environment(self):
        job = {"name": "own", "nodes": ["node1", "node2"], "procs_per_node": 2,
               "command": ["sh", "-c", "echo rank=$RANK local=$LOCAL_RANK world=$WORLD_SIZE addr=$MASTER_ADDR port=$MASTER_PORT; "
                                       "echo '{\"step\": 1, \"loss\": 0.5}' > $RANKSCOPE_METRICS"]}
        run = start(self.cluster, job)
        self.assertEqual(run.end(), 0, run.explain())
        for rank in range(4):
            said = "".join(event["text"] for event in run.of("log", rank=rank))
            self.assertIn(f"rank={rank} local={rank % 2} world=4 addr={self.cluster.node('node1').address} port=29500", said)
            self.assertEqual([event["loss"] for event in run.of("metric", rank=rank)], [0.5])

    def test_diagnose_reads_a_stored_run(self):
        program = ("import os, sys\nprint('NCCL version 2.21.5+cuda12.4')\n"
                   "if os.environ['RANK'] == '1': sys.exit('node2:7:7 [0] bootstrap.cc:45 NCCL WARN Bootstrap : no socket interface found')\n")
        run = start(self.cluster, {"name": "own", "nodes": ["node1", "node2"], "procs_per_node": 1, "command": ["python3", "-u", "-c", program]})
        self.assertEqual(run.end(), 1, run.explain())
        run_id = run.run_id(self.cluster)
        done = self.cluster.run([CTL, "--json", "diagnose", run_id], check=True)
        first = json.loads(done.stdout)["diagnoses"][0]
        self.assertEqual((first["id"], first["node"]), ("socket-ifname-invalid", "node2"))
        self.assertEqual([(entry["file"], entry["line"]) for entry in first["evidence"]], [(f"{run_id}/rank1", 2)])


class FourNodes(unittest.TestCase):
    def test_four_nodes_train_together(self):
        with new_cluster(4) as cluster:
            run = start(cluster, train_job("all", max_steps=5, batch_size=20, validate=False))
            self.assertEqual(run.end(), 0, run.explain())
            checksums = {event["rank"]: event["params"] for event in run.of("metric") if "params" in event}
            self.assertEqual(set(checksums), {0, 1, 2, 3})
            self.assertEqual(len(set(checksums.values())), 1)


if __name__ == "__main__":
    if shared_datasets() is None:
        print("real MNIST is not here (../shared/datasets): synthetic-digits instead")
    support.main()
