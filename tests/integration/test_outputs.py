#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read from the lines of real programs, against what the same programs wrote into their own files (TensorBoard, CSV, JSON lines).

RANKSCOPE_FRAMEWORKS names a virtual environment with the packages; the programs are in outputs/. Without it, or where it lacks a package, those
tests are skipped. RANKSCOPE_BIN is where rankscopectl is."""
import csv
import glob
import io
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

VENV = os.environ.get("RANKSCOPE_FRAMEWORKS", "")
CTL = str(Path(os.environ.get("RANKSCOPE_BIN", "build/release/bin")).resolve() / "rankscopectl")
PROGRAMS = Path(__file__).resolve().parent / "outputs"
EPOCH = 32  # steps of an epoch of samples.py


def same(step):
    return step


def later(step):
    return step + 1  # counted from 0


def ends_of_epochs(epoch):
    return epoch * EPOCH


def ends_of_epochs_from_0(epoch):
    return (epoch + 1) * EPOCH


# program: (package, its own file, column of its steps, how these become steps here, {series: its name in the file})
TEXT = {
    "hftrainer": ("transformers", "tb_trainer/**/events*", "", same,
                  {"loss": "train/loss", "lr": "train/learning_rate", "grad_norm": "train/grad_norm", "val_loss": "eval/loss",
                   "val_acc1": "eval/accuracy"}),
    "sentence": ("sentence_transformers", "tb_st/**/events*", "", same, {"loss": "train/loss", "lr": "train/learning_rate"}),
    "trl": ("trl", "tb_trl/**/events*", "", same, {"loss": "train/loss", "entropy": "train/entropy", "num_tokens": "train/num_tokens"}),
    "lightning": ("lightning", "csv_lightning/**/metrics.csv", "step", later,
                  {"loss": "train_loss", "val_loss": "val_loss", "val_acc1": "val_acc"}),
    "ignite": ("ignite", "tb_ignite/events*", "", same, {"loss": "training/loss"}),
    "accelerate": ("accelerate", "tb_accelerate/**/events*", "", same, {"loss": "loss"}),
    "monai": ("monai", "tb_monai/**/events*", "", same, {"loss": "train_loss"}),
    "deepspeed": ("deepspeed", "truth.csv", "step", same, {"loss": "loss"}),
    "keras": ("keras", "csv_keras.csv", "epoch", ends_of_epochs_from_0,
              {"loss": "loss", "acc1": "accuracy", "val_loss": "val_loss", "val_acc1": "val_accuracy"}),
    "keras_verbose2": ("keras", "csv_keras2.csv", "epoch", ends_of_epochs_from_0,
                       {"loss": "loss", "acc1": "accuracy", "val_loss": "val_loss", "val_acc1": "val_accuracy"}),
    "sb3": ("stable_baselines3", "csv_sb3/progress.csv", "time/total_timesteps", same,
            {"loss": "train/loss", "rollout/ep_rew_mean": "rollout/ep_rew_mean", "train/approx_kl": "train/approx_kl",
             "train/value_loss": "train/value_loss"}),
    "ultralytics": ("ultralytics", "runs/classify/**/results.csv", "epoch", same,
                    {"loss": "train/loss", "val_top1_acc": "metrics/accuracy_top1"}),
    "ultralytics_detect": ("ultralytics", "runs/detect/**/results.csv", "epoch", same,
                           {"box_loss": "train/box_loss", "cls_loss": "train/cls_loss", "dfl_loss": "train/dfl_loss",
                            "val_mAP50": "metrics/mAP50(B)"}),
    "fastai": ("fastai", "**/csv_fastai.csv", "epoch", later, {"loss": "train_loss", "val_loss": "valid_loss", "acc1": "accuracy"}),
    "paddle": ("paddle", "csv_paddle.csv", "step", same, {"loss": "loss", "acc1": "acc"}),
    "xgboost": ("xgboost", "csv_xgboost.csv", "step", same,
                {"train-mlogloss": "train-mlogloss", "train-merror": "train-merror", "val_mlogloss": "eval-mlogloss"}),
    "lightgbm": ("lightgbm", "csv_lightgbm.csv", "step", same,
                 {"train_multi_logloss": "train-multi_logloss", "val_multi_logloss": "valid-multi_logloss"}),
    "catboost": ("catboost", "cat_info/learn_error.tsv", "iter", same, {"loss": "MultiClass"}),
    "skorch": ("skorch", "csv_skorch.csv", "step", same,
               {"loss": "train_loss", "val_loss": "valid_loss", "val_acc1": "valid_acc", "acc1": "train_acc"}),
    "sklearn": ("sklearn", "csv_sklearn.csv", "step", same, {"loss": "loss"}),
    "sklearn_gb": ("sklearn", "csv_skgb.csv", "step", same, {"loss": "train loss"}),
    "tabnet": ("pytorch_tabnet", "csv_tabnet.csv", "step", later, {"loss": "loss", "acc1": "train_accuracy", "val_acc1": "valid_accuracy"}),
    "poutyne": ("poutyne", "csv_poutyne.csv", "epoch", ends_of_epochs,
                {"epoch_loss": "loss", "val_loss": "val_loss", "val_acc1": "val_acc"}),
    "d3rlpy": ("d3rlpy", "csv_d3rlpy/**/loss.csv", "1", same, {"loss": "2"}),
    "mmengine": ("mmengine", "mm/**/scalars.json", "step", same, {"loss": "loss", "lr": "lr"}),
    "spacy": ("spacy", "spacy.jsonl", "step", same, {"CATS_SCORE": "scores/cats_score", "SCORE": "score"}),
    "gluonts": ("gluonts", "csv_gluonts/**/metrics.csv", "step", later, {"loss": "train_loss"}),
    "pykeen": ("pykeen", "csv_pykeen.csv", "step", same, {"loss": "loss"}),
    "torchexample": ("torch", "tb_tut/events*", "", lambda step: step * 16, {"loss": "loss"}),
}
# These print no curve: their files have it.
FILES = {
    "lightning_rich": ("lightning", "csv_lightrich/**/metrics.csv", "step", same, {"loss": "train_loss", "val_loss": "val_loss"}),
}


def number(value):
    try:
        result = float(value)
    except (TypeError, ValueError):
        return None
    return result if math.isfinite(result) else None


def rows_of(path: Path, column: str):
    """(step, name, value) of a file that a program wrote."""
    if "events" in path.name:
        reader = ("import json, sys\nfrom tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader\n"
                  "from tensorboard.util import tensor_util\n"
                  "for event in LegacyEventFileLoader(sys.argv[1]).Load():\n"
                  "    for one in event.summary.value:\n"
                  "        if one.HasField('simple_value'):\n            print(json.dumps([event.step, one.tag, one.simple_value]))\n"
                  "        elif one.HasField('tensor') and not one.tensor.tensor_shape.dim:\n"
                  "            print(json.dumps([event.step, one.tag, float(tensor_util.make_ndarray(one.tensor))]))\n")
        done = subprocess.run([f"{VENV}/bin/python3", "-c", reader, str(path)], capture_output=True, text=True, check=True)
        yield from (json.loads(line) for line in done.stdout.splitlines())
    elif path.suffix in (".json", ".jsonl"):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            for name, value in list(record.items()):
                for part, inner in value.items() if isinstance(value, dict) else ():
                    record[f"{name}/{part}"] = inner
            for name, value in record.items():
                yield record.get(column), name, value
    else:
        text = path.read_text()
        if column.isdigit():  # a file without a heading
            text = ",".join(str(i) for i in range(text.splitlines()[0].count(",") + 1)) + "\n" + text
        long = text.startswith("type,step,key,value")  # a row for each value
        for row in csv.DictReader(io.StringIO(text), delimiter="\t" if path.suffix == ".tsv" else ",", skipinitialspace=True):
            for name, value in ((row["key"], row["value"]),) if long else row.items():
                yield row.get(column), (name or "").strip(), value


def near(read: str, own: float) -> bool:
    """As many digits as the line had; accuracies are shares here."""
    value = float(read)
    digits = len(read.partition(".")[2]) if "e" not in read else 6
    return any(abs(value - own * factor) <= max(0.51 * 10 ** -digits, 6e-3 * abs(value)) for factor in (1, 0.01))


class Outputs(unittest.TestCase):
    def setUp(self):
        if not VENV:
            self.skipTest("RANKSCOPE_FRAMEWORKS names no virtual environment")
        self.folder = Path(tempfile.mkdtemp(prefix="rankscope-outputs-"))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def ctl(self, *words: str) -> str:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "RANKSCOPE_"))}
        env.update(HOME=str(self.folder), CUDA_VISIBLE_DEVICES="", PATH=f"{VENV}/bin:" + os.environ["PATH"])
        return subprocess.run([CTL, *words], capture_output=True, text=True, env=env, check=False).stdout

    def series(self, program: str, files: bool) -> dict:
        """{name: {step: the last value}} of a run of the program."""
        for path in PROGRAMS.glob("*.py"):
            shutil.copy(path, self.folder)
        job = {"name": program, "launcher": "ssh", "nodes": ["local"], "procs_per_node": 1, "master_port": 0,
               "workdir": str(self.folder), "metrics": {"files": files}, "env": {"PYTHONUNBUFFERED": "1", "CUDA_VISIBLE_DEVICES": ""},
               "command": [f"{VENV}/bin/python3", f"run_{program}.py"]}
        (self.folder / "job.yaml").write_text(json.dumps(job))
        self.ctl("run", str(self.folder / "job.yaml"))
        run = json.loads(self.ctl("--json", "runs", "list"))["runs"][0]["run"]
        read: dict = {}
        for row in csv.DictReader(io.StringIO(self.ctl("runs", "export", run, "--format", "csv"))):
            for name, value in row.items():
                if value not in ("", None):
                    read.setdefault(name, {})[int(row["step"])] = value
        return read

    def compare(self, program: str, case: tuple, files: bool):
        package, pattern, column, place, names = case
        if subprocess.run([f"{VENV}/bin/python3", "-c", f"import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)"],
                          check=False).returncode:
            self.skipTest(f"{VENV} has no {package}")
        read = self.series(program, files)
        own: dict = {}
        for path in sorted(glob.glob(str(self.folder / pattern), recursive=True)):
            for step, name, value in rows_of(Path(path), column):
                if number(step) is not None and number(value) is not None:
                    own.setdefault(name, {})[int(number(step))] = number(value)
        self.assertTrue(own, "the program wrote no file")
        for name, other in names.items():
            at = {place(step): value for step, value in own[other].items()}
            both = sorted(set(at) & set(read.get(name, {})))
            wrong = {step: (read[name][step], at[step]) for step in both if not near(read[name][step], at[step])}
            print(f"{program}: {name}: {len(both)} of {len(at)} values compared, {len(wrong)} differ", flush=True)
            self.assertFalse(wrong, f"{name}: (read, own) by step")
            # A program may print each tenth step only.
            self.assertTrue(len(both) >= min(3, len(at)), f"{name}: {len(both)} of {len(at)}; read: {sorted(read)}")


def add_tests():
    for files, cases in ((False, TEXT), (True, FILES)):
        for program, case in cases.items():
            name = re.sub(r"\W", "_", program)
            setattr(Outputs, f"test_{name}", lambda self, p=program, c=case, f=files: self.compare(p, c, f))


add_tests()

if __name__ == "__main__":
    if not VENV:
        print("RANKSCOPE_FRAMEWORKS names no virtual environment")
        sys.exit(77)
    unittest.main()
