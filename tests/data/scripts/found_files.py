# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs as training programs do: `found_files.py --log-dir FOLDER`. Rank 0 prints its loss rounded and writes it to a table that is opened and
closed for each row; each rank holds a file of JSON lines open."""
import json
import os
import sys
import time

folder = os.path.expanduser(sys.argv[2])
rank = int(os.environ["RANK"])
os.makedirs(folder, exist_ok=True)
table = os.path.join(folder, f"metrics-{os.environ['RANKSCOPE_RUN_ID']}.csv")
with open(os.path.join(folder, f"rank{rank}.jsonl"), "a") as lines:
    for step in range(1, 7):
        print(json.dumps({"step": step, "margin": rank + step / 8}), file=lines, flush=True)
        if rank == 0:
            print(f"step {step} loss {1 / (step + 2):.3f}", flush=True)
            with open(table, "a") as file:
                if step == 1:
                    print("epoch,step,loss", file=file)
                print(f"0,{step},{1 / (step + 2)!r}", file=file)
        time.sleep(0.5)
