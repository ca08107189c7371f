# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of the CUDA backend, a process for each suite: after one fault of the device no later call of a process succeeds."""
import json
import re
import subprocess
import tempfile

SUITE_S = 90


def run_suite(program, suite, limit, prefix=()):
    """(tests that ran, faults, how many were skipped)"""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        try:
            run = subprocess.run([*prefix, program, f"--gtest_filter={suite}*", f"--gtest_output=json:{file.name}"],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired as e:
            return 0, [f"{suite} not done within {limit:.0f} s: {(e.stdout or b'')[-1000:].decode(errors='replace')}"], 0
        text = file.read()
    if not text:
        return 0, [f"{suite} left no result: {run.stdout[-1000:]}"], 0
    tests = [(part["name"] + "." + test["name"], test) for part in json.loads(text)["testsuites"] for test in part["testsuite"]]
    failed = [f"{name}: {test['failures'][0]['failure'][:400]}" for name, test in tests if "failures" in test]
    if run.returncode != 0 and not failed:
        failed = [f"{suite} ended with {run.returncode}: {run.stdout[-1000:]}"]
    return len(tests), failed, sum(test.get("result") == "SKIPPED" for _, test in tests)


def suites_of(program, limit):
    listed = subprocess.run([program, "--gtest_list_tests"], text=True, capture_output=True, check=True, timeout=limit).stdout
    return re.findall(r"^(\S+\.)", listed, re.MULTILINE)


def run(machine, budget, keep):
    program = machine.program("tests")
    report = {"passed": 0, "failed": [], "skipped": 0, "suites": 0}
    for suite in suites_of(program, budget.limit(60)):
        ran, failed, skipped = run_suite(program, suite, budget.limit(SUITE_S))
        report["suites"] += 1
        report["passed"] += max(0, ran - len(failed) - skipped)
        report["failed"] += failed
        report["skipped"] += skipped
        keep(report)
    return bool(report["failed"]) or (report["passed"] == 0 and not machine.dry)
