# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as one short table for people: the last lines of a call are what they see first."""
import statistics


def number(value):
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"
    return str(value)


def speed_rows(report):
    """model and batch: images/s of ours and of each peer, and the ratios."""
    # What ran in this call, on this GPU; the longer measurement where there are two.
    ours = {(one["model"], one["batch"]): one for part in ("ours-beside", "ours-large", "ours") for one in rows_of(report, part)}
    peers = [part for part in report if part.startswith(("eager", "graphs", "compile", "strong-large", "autotune"))]
    known = dict.fromkeys([*ours, *((one["model"], one["batch"]) for part in peers for one in rows_of(report, part))])
    for model, batch in known:
        one = ours.get((model, batch), {"fault": "not measured here"})
        mine = one.get("images_per_s")
        text = f"{number(float(mine))} images/s" if mine else one.get("fault", "–")
        for part in peers:
            for peer in rows_of(report, part):
                if (peer["model"], peer["batch"]) == (model, batch):
                    theirs = peer.get("images_per_s")
                    ratio = f" ({mine / theirs:.2f}×)" if mine and theirs else ""
                    text += f", {part} {number(float(theirs)) if theirs else peer.get('fault', '–')}{ratio}"
        yield f"{model} {batch}", text


def strong_rows(report):
    """Of each case and program the step in every round, and the time of the kernels that the GPU needs for it."""
    rows = rows_of(report, "strong")
    for model, batch, who in dict.fromkeys((one["model"], one["batch"], one["who"]) for one in rows):
        these = [one for one in rows if (one["model"], one["batch"], one["who"]) == (model, batch, who)]
        steps = [one for one in these if "step_ms" in one]
        faults = [one["fault"] for one in these if "fault" in one]
        on_gpu = [one["on_gpu"] for one in steps if "on_gpu" in one]
        text = ", ".join(f"{one['step_ms']['median']:.3f}" for one in steps)
        mean = f" (mean {statistics.fmean(one['step_ms'].get('mean', one['step_ms']['median']) for one in steps):.3f})" if steps else ""
        busy = f"; kernels {on_gpu[0]['busy_ms']:.3f} ms in {on_gpu[0]['kernels']:.0f}" if on_gpu else ""
        yield f"{model} {batch}", who, f"{text}{mean} ms{busy}" + (f"; {faults[0]}" if faults else "")


def rows_of(report, part):
    value = report.get(part, {}).get("result")
    return value if isinstance(value, list) else []


def summary(name, part):
    result = part.get("result")
    if part["state"] in ("unavailable", "out-of-time", "fault") and part.get("why"):
        return part["why"]
    if name == "tests" and result:
        return f"{result['passed']} passed, {len(result['failed'])} failed, {result['skipped']} skipped of {result['suites']} suites"
    if name == "ceilings" and result and "fault" not in result:
        return f"copy {number(result['copy_gb_s'])} GB/s, {result['product_side']}³ product {number(result['product_tflops'])} TFLOP/s"
    if name == "ranks" and result:
        return "; ".join(f"{one['model']} on {one['ranks']}: " + one.get("fault", number(one.get("after_one_update", 0.0)))
                         for one in result)
    if name == "operations" and result:
        return "; ".join(f"{one['model']} {one['batch']}: "
                         + one.get("fault", f"{len(one.get('operations', []))} operations, "
                                   f"{sum(each['us'] for each in one.get('operations', [])) / 1000:.2f} ms one after the other")
                         for one in result)
    if name == "plugin" and result and "overhead" in result:
        return ", ".join(f"level {level} {value:+.2%}" for level, value in result["overhead"].items())
    if name == "sanitizer" and result:
        return "; ".join(f"{tool}: {one['passed']} passed, {len(one['failed'])} failed" for tool, one in result.items())
    if isinstance(result, dict) and "fault" in result:
        return result["fault"]
    return ""


LONGEST = 12  # operations of a step that the table shows


def operation_rows(report):
    """The operations of each case that take longest, with what they reach of the memory's bandwidth."""
    for case in rows_of(report, "operations"):
        total = sum(one["us"] for one in case.get("operations", []))
        for one in sorted(case.get("operations", []), key=lambda one: -one["us"])[:LONGEST]:
            speed = f"{one['bytes'] / one['us'] / 1000:,.0f}" if one["us"] and one["bytes"] else "–"
            yield f"{case['model']} {case['batch']}", one["name"], one["lane"], one["us"], one["us"] / total, speed


def lines(report):
    """`report`: of each part its state, and its result or why there is none."""
    for gpu in report.get("machine", {}).get("gpus", []):
        yield f"GPU: {gpu}"
    if report.get("machine", {}).get("gpus"):
        yield ""
    yield "| part | state | s | |"
    yield "|---|---|---|---|"
    for name, part in report.items():
        if isinstance(part, dict) and "state" in part:
            yield f"| {name} | {part['state']} | {part.get('seconds', 0):.0f} | {summary(name, part)[:300]} |"
    operations = list(operation_rows(report))
    if operations:
        yield ""
        yield "| case | operation by itself | lane | us | share of all | GB/s |"
        yield "|---|---|---|---|---|---|"
        for case, name, lane, us, share, speed in operations:
            yield f"| {case} | {name} | {lane} | {us:.1f} | {share:.1%} | {speed} |"
    strong = list(strong_rows(report))
    if strong:
        yield ""
        yield "| case | program | step in each round |"
        yield "|---|---|---|"
        for case, who, text in strong:
            yield f"| {case} | {who} | {text} |"
    product = report.get("product", {}).get("result") or {}
    for one in product.get("steps", []):
        yield f"product: {one['step']}: exit {one['exit']}, {one['s']} s: {one['last'][:150]}"
    rows = list(speed_rows(report))
    if rows:
        yield ""
        yield "| case | |"
        yield "|---|---|"
        for case, text in rows:
            yield f"| {case} | {text} |"
