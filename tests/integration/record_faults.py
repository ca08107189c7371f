#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records the streams of tests/data/faults on a virtual cluster: record_faults.py FOLDER [FAULT…]. Needs root, and torch for most faults."""
import sys
import time
from pathlib import Path

from fault_player import FAULTS, Player, skip, write


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    wanted = set(sys.argv[2:])
    player = Player()
    try:
        for fault in FAULTS:
            if (wanted and fault.name not in wanted) or skip(fault):
                continue
            begun = time.monotonic()
            try:
                stream = player.play(fault)
            except (AssertionError, TimeoutError) as e:
                print(f"{fault.name}: {str(e)[:2000]}", flush=True)
                continue
            write(stream, folder)
            end = [event for event in stream["events"] if event["event"] == "end" and not event["node"]][-1]
            print(f"{fault.name}: {time.monotonic() - begun:.0f} s: {end['detail']} {end.get('marks')}", flush=True)
    finally:
        player.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
