# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""2 and 4 ranks on one device against one rank with the joined batch: the weights after one update, and after eight.

One update differs by rounding alone and has a limit. Eight updates amplify rounding: their distance is a figure, not a verdict."""
import array
import json
import math
import pathlib
import tempfile

import runs

JOINED = 48
UPDATES = 8
RUN_S = 90
ONE_UPDATE_LIMIT = 1e-5
COMPRESSED_LIMIT = 1e-4  # of gradients that travel with 8 or 11 bits of mantissa
CASES = (("convnet", {}), ("resnet18", {"sync_bn": True}), ("convnet", {"accumulate_steps": 2}),
         ("convnet", {"ddp": {"compression": "bf16"}}), ("convnet", {"ddp": {"compression": "fp16"}}))
# Several ranks on one GPU are several hosts for NCCL: sockets on the loopback device, few blocks, so that all fit.
# Nothing is measured: ranks that share a GPU would measure one another, and different kernels give different bits.
ONE_GPU = {"NCCL_HOSTID": "rank{rank}", "NCCL_SOCKET_IFNAME": "lo", "NCCL_IB_DISABLE": "1", "NCCL_MNNVL_ENABLE": "0",
           "NCCL_MAX_CTAS": "2", "NCCL_DEBUG": "WARN", "RANKSCOPE_CUDA_TUNING": "none"}


def weights(folder):
    raw = (folder / "model.safetensors").read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__", None)
    result = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            begin, end = entry["data_offsets"]
            result[name] = array.array("f", raw[8 + length + begin:8 + length + end])
    return result


def train(machine, model, world, more, limit):
    """Rank 0's weights after each update, or the run that failed."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        job = {"model": model, "dataset": {"name": "synthetic-digits", "train_size": 480, "test_size": 10}, "device": machine.device,
               "epochs": 2, "batch_size": JOINED // world, "max_steps": UPDATES, "drop_last": True, "validate": False, "seed": 3,
               "optimizer": {"name": "sgd", "lr": 0.02, "momentum": 0.9},
               "checkpoint": {"folder": str(folder / "checkpoints"), "every_epochs": 0, "every_steps": 1, "keep": UPDATES,
                              "resume": "never"}, **more}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        run = runs.start_ranks([machine.program("worker"), "--config", str(folder / "job.json")], world, timeout=limit,
                               environment=ONE_GPU, wants_line=False)
        saved = sorted((folder / "checkpoints").glob("step_*"))
        if not run.fault and len(saved) < 2:
            run.fault = f"left {len(saved)} checkpoints"
        return ([], run) if run.fault else ([weights(saved[0]), weights(saved[-1])], None)


def size(values):
    return math.sqrt(math.fsum(value * value for value in values))


def distance(one, many):
    """Of all weights, relative to their size."""
    off = size(a - b for key in one for a, b in zip(many[key], one[key]))
    return off / size(a for key in one for a in one[key])


def compare(machine, budget, model, more, alone, world):
    result = {"model": model, "ranks": world, **more, "limit": COMPRESSED_LIMIT if "ddp" in more else ONE_UPDATE_LIMIT}
    several, failed = train(machine, model, world, more, budget.limit(RUN_S))
    if failed:
        return {**result, "fault": failed.fault, "said": failed.said, "timed_out": failed.timed_out}
    return {**result, "after_one_update": distance(alone[0], several[0]), f"after_{UPDATES}": distance(alone[1], several[1])}


def run(machine, budget, keep):
    report = []
    for model, more in CASES[:1] if machine.dry else CASES:
        alone, failed = train(machine, model, 1, more, budget.limit(RUN_S))
        for world in (2, 4):
            report.append({"model": model, "ranks": world, **more, "fault": "one rank: " + failed.fault, "said": failed.said,
                           "timed_out": failed.timed_out} if failed else compare(machine, budget, model, more, alone, world))
            keep(report)
            if report[-1].get("timed_out"):
                return True  # whatever hangs would take the time of all further cases
    # Written so that not-a-number fails, too.
    return any("fault" in one or not one["after_one_update"] <= one["limit"] for one in report)
