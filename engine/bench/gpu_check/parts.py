# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts in their order, and which of them one call of ten minutes does."""
import functools
import json
import sys
import time

from . import ceilings, flight, operations, plugin, product, ranks, sanitizer, speed, suites, table
from .budget import OutOfTime
from .machine import Missing

PARTS = {
    "ceilings": ceilings.run,
    "strong": speed.run_strong,
    "product": product.run,
    "ours": speed.run_ours,
    "ours-beside": functools.partial(speed.run_ours, beside=True),
    "operations": operations.run,
    "tests": suites.run,
    "ranks": ranks.run,
    "plugin": plugin.run,
    "flight": flight.run,
    "eager": functools.partial(speed.run_peer, "eager"),
    "eager-channels-last": functools.partial(speed.run_peer, "channels_last"),
    "graphs": functools.partial(speed.run_peer, "compile_channels_last+reduce-overhead"),
    "compile": functools.partial(speed.run_peer, "compile_channels_last"),
    "autotune": functools.partial(speed.run_peer, "whole_step_channels_last+max-autotune-no-cudagraphs", one_case=True),
    "ours-large": functools.partial(speed.run_ours, large=True),
    "strong-large": functools.partial(speed.run_peer, "whole_step_channels_last", large=True),
    "sanitizer": sanitizer.run,
}
# What one call of ten minutes holds, by estimate; a part that does not fit is named and can be asked for by itself.
CALLS = {
    1: ("ceilings", "strong", "tests", "operations", "ours"),
    2: ("product", "ranks", "plugin", "flight", "autotune"),
    3: ("ours-beside", "ours-large", "strong-large", "eager", "eager-channels-last", "graphs", "compile", "sanitizer"),
}
# The most that a part may take, in seconds, where something hangs; what is not named has no limit of its own.
SHARES = {"ceilings": 60, "strong": 250, "product": 220, "ours": 240, "ours-beside": 60, "operations": 90, "tests": 240, "ranks": 200,
          "graphs": 240, "eager": 100, "eager-channels-last": 100, "plugin": 100, "flight": 90, "compile": 240, "autotune": 240,
          "ours-large": 120, "strong-large": 150}


class Report:
    """What is known so far is on disk after every step: a call that is cut short has not been for nothing."""

    def __init__(self, folder, begin):
        self.folder = folder
        self.content = dict(begin)
        folder.mkdir(parents=True, exist_ok=True)
        self.write()

    def write(self):
        for name, text in (("report.json", json.dumps(self.content, indent=1) + "\n"),
                           ("table.md", "\n".join(table.lines(self.content)) + "\n")):
            partial = self.folder / (name + ".part")
            partial.write_text(text, encoding="utf-8")
            partial.replace(self.folder / name)

    def keep(self, part, **more):
        self.content.setdefault(part, {}).update(more)
        self.write()


def run_part(name, machine, budget, report):
    """Whether it failed. Whatever happens in one part, the next one runs."""
    begin = time.monotonic()
    report.keep(name, state="running")
    why = ""
    share = budget.share(SHARES[name]) if name in SHARES else budget
    try:
        state = "failed" if PARTS[name](machine, share, lambda result: report.keep(name, result=result)) else "done"
    except OutOfTime as e:
        state, why = "out-of-time", str(e)
    except Missing as e:
        state, why = "unavailable", str(e)
    except Exception as e:  # pylint: disable=W0718
        state, why = "fault", f"{type(e).__name__}: {e}"
    report.keep(name, state=state, seconds=time.monotonic() - begin, **({"why": why} if why else {}))
    print(f"{name}: {state}{': ' if why else ''}{why} ({budget.left():.0f} s left)", file=sys.stderr, flush=True)
    return state in ("failed", "fault")
