#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scores `rankscopectl diagnose` on a corpus of labelled logs (index.tsv beside log files): per file and per case the right cause first, silence
on healthy runs, the right place, calibration, and whether every quoted line exists.

    diagnose_corpus.py --program build/release/bin/rankscopectl --corpus ../shared/nccl-logs [--held-out FILE] [--least FILE]

--held-out names a list of modes whose logs were not read while the rules were written: they are scored apart. --least holds the level that must
be reached (JSON: name of a share → least value); without it nothing fails."""
import argparse
import csv
import json
import re
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SURE = 0.5
BELIEVED = 0.9


def diagnose(program: str, paths: list) -> list:
    answer = subprocess.run([program, "diagnose", "--json", *map(str, paths)], capture_output=True, text=True, errors="replace", check=False,
                            timeout=120)
    if answer.returncode not in (0, 1):
        raise RuntimeError(f"{paths}: exit code {answer.returncode}: {answer.stderr[-500:]}")
    return json.loads(answer.stdout)["diagnoses"]


def false_evidence(found: list) -> list:
    """Quoted lines that are not in their file at that line."""
    wrong = []
    for verdict in found:
        for evidence in verdict["evidence"]:
            if not evidence["file"]:
                continue
            lines = Path(evidence["file"]).read_bytes().split(b"\n")
            line = lines[evidence["line"] - 1].decode("utf-8", "replace") if 0 < evidence["line"] <= len(lines) else ""
            if evidence["text"].strip() not in re.sub(r"\x1b\[[0-9;]*[A-Za-z]|\0|\r", "", line):
                wrong.append(f"{evidence['file']}:{evidence['line']}: {evidence['text'][:80]}")
    return wrong


def right_first(row: dict, found: list) -> bool:
    allowed = {row["mode"], *filter(None, row["also_possible"].split(","))} if row["evidence"] == "ambiguous" else {row["mode"]}
    first = found[0]["id"] if found else ""
    if row["evidence"] == "healthy":
        return not found or found[0]["confidence"] < SURE
    if row["evidence"] in ("victim", "silent"):
        # Another failed: no sure verdict, unless it is the right one.
        return not found or found[0]["confidence"] < SURE or first in {row["mode"], *row["also_possible"].split(",")}
    return first in allowed


def right_place(row: dict, found: list, paths: list) -> bool | None:
    """Nothing where the place is not one node or rank, where the logs do not name it, or where the cause is wrong."""
    text = "".join(path.read_text(errors="replace") for path in paths)
    rank = re.match(r"rank (\d+)(?! /)", row["fault"])
    node = re.search(r"\b((?:gpu|node|worker)-[\w-]+)\b", row["fault"]) if "/" not in row["fault"] else None
    rank = rank if rank and re.search(rf"\brank\s*:?\s*{rank.group(1)}\b", text) else None
    node = node if node and node.group(1) in text else None
    if not found or found[0]["id"] != row["mode"] or not (rank or node) or row["evidence"] not in ("names-cause", "ambiguous"):
        return None
    first = found[0]
    if rank and first["rank"] == int(rank.group(1)):
        return True
    return bool(node and first["node"].split(".")[0] == node.group(1))


class Shares:
    def __init__(self):
        self.counts = defaultdict(lambda: [0, 0])

    def add(self, name: str, right: bool):
        self.counts[name][0] += right
        self.counts[name][1] += 1

    def share(self, name: str) -> float:
        right, all_of = self.counts[name]
        return right / all_of if all_of else 1.0

    def print(self):
        for name, (right, all_of) in sorted(self.counts.items()):
            print(f"{name:44} {right:4}/{all_of:<4} {100 * right / all_of:5.1f} %")


def case_row(rows: list) -> dict:
    """How all files of a case are judged together: by the one that says most."""
    order = ["names-cause", "ambiguous", "victim", "silent", "healthy"]
    best = dict(min(rows, key=lambda row: order.index(row["evidence"])))
    best["also_possible"] = ",".join({one for row in rows for one in row["also_possible"].split(",")})
    return best


def calibration(pairs: list):
    print("\nconfidence     right")
    for low, high in ((0.0, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        inside = [right for confidence, right in pairs if low <= confidence < high]
        if inside:
            print(f"{low:.1f} - {min(high, 1):.1f}   {sum(inside):4}/{len(inside):<4} {100 * sum(inside) / len(inside):5.1f} %")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--least", type=Path)
    parser.add_argument("--verbose", action="store_true", help="print every wrong answer")
    parser.add_argument("--skip-held-out", action="store_true", help="leave out the modes of --held-out")
    options = parser.parse_args()
    if not (options.corpus / "index.tsv").exists():
        print("there is no corpus")
        return 77
    held = set(options.held_out.read_text().split()) if options.held_out else set()
    with (options.corpus / "index.tsv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    if options.skip_held_out:
        rows = [row for row in rows if row["mode"] not in held]
    cases = defaultdict(list)
    for row in rows:
        cases[row["case"]].append(row)
    questions = [("file", row, [options.corpus / row["file"]]) for row in rows]
    questions += [("case", case_row(case), [options.corpus / row["file"] for row in case]) for case in cases.values() if len(case) > 1]
    shares, pairs, evidence = Shares(), [], []
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda question: diagnose(options.program, question[2]), questions))
    for (kind, row, paths), found in zip(questions, answers):
        right = right_first(row, found)
        shares.add(f"{kind}: {row['evidence']}", right)
        if row["mode"] in held and row["evidence"] in ("names-cause", "ambiguous"):
            shares.add(f"held out: {kind}: {row['evidence']}", right)
        if row["evidence"] == "ambiguous":
            shares.add(f"{kind}: ambiguous, cause among the listed", row["mode"] in [verdict["id"] for verdict in found])
        place = right_place(row, found, paths)
        if place is not None:
            shares.add(f"{kind}: place", place)
        if found and row["evidence"] != "healthy" and row["evidence"] not in ("victim", "silent"):
            pairs.append((found[0]["confidence"], right))
        elif found and found[0]["confidence"] >= SURE:
            pairs.append((found[0]["confidence"], right))
        evidence += false_evidence(found)
        if options.verbose and (not right or place is False):
            said = ", ".join(f"{verdict['id']} {verdict['confidence']}" for verdict in found[:3]) or "nothing"
            wrong = "PLACE" if right else "CAUSE"
            where = f"  node {found[0]['node']!r} rank {found[0]['rank']}" if found and right else ""
            print(f"{wrong} {kind} {' '.join(path.name[4:8] for path in paths)} {row['evidence']}: {row['mode']} ({row['fault']}) but {said}{where}")
    believed = [right for confidence, right in pairs if confidence >= BELIEVED]
    for right in believed:
        shares.add(f"right where confidence >= {BELIEVED}", right)
    shares.add("every quoted line exists", not evidence)
    shares.print()
    calibration(pairs)
    for line in evidence:
        print(f"not in the file: {line}")
    below = []
    if options.least:
        for name, least in json.loads(options.least.read_text()).items():
            if shares.share(name) < least:
                below.append(f"{name}: {shares.share(name):.3f} is below {least}")
    print("\n".join(below))
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
