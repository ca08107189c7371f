# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests of the CUDA backend, a process for each suite: after one fault of the device no later call of a process succeeds."""
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import tempfile

SUITE_S = 90
AT_ONCE = 4


def run_suite(program, suite, limit, prefix=()):
    """(tests that passed, faults, how many were skipped)"""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        run = subprocess.Popen([*prefix, program, f"--gtest_filter={suite}*", f"--gtest_output=json:{file.name}"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        try:
            said, _ = run.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)  # with the ranks that a test has started
            said, _ = run.communicate()
            return 0, [f"{suite} not done within {limit:.0f} s: {said[-1000:]}"], 0
        text = file.read()
    if not text:
        return 0, [f"{suite} left no result: {said[-1000:]}"], 0
    tests = [(part["name"] + "." + test["name"], test) for part in json.loads(text)["testsuites"] for test in part["testsuite"]
             if test.get("status") != "NOTRUN"]  # a part of another test, which starts it
    failed = [f"{name}: {test['failures'][0]['failure'][:400]}" for name, test in tests if "failures" in test]
    skipped = sum(test.get("result") == "SKIPPED" for _, test in tests)
    passed = len(tests) - len(failed) - skipped
    if run.returncode != 0 and not failed:
        failed = [f"{suite} ended with {run.returncode}: {said[-1000:]}"]
    return passed, failed, skipped


def suites_of(program, limit):
    listed = subprocess.run([program, "--gtest_list_tests"], text=True, capture_output=True, check=True, timeout=limit).stdout
    return re.findall(r"^(\S+\.)", listed, re.MULTILINE)


def run(machine, budget, keep):
    program = machine.program("tests")
    report = {"passed": 0, "failed": [], "skipped": 0, "suites": 0}
    names = suites_of(program, budget.limit(60))
    # Nothing is measured, and most of a suite is the CPU's work.
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        started = [pool.submit(lambda name=name: run_suite(program, name, budget.limit(SUITE_S))) for name in names]
        for done in concurrent.futures.as_completed(started):
            passed, failed, skipped = done.result()
            report["suites"] += 1
            report["passed"] += passed
            report["failed"] += failed
            report["skipped"] += skipped
            keep(report)
    return bool(report["failed"]) or (report["passed"] == 0 and not machine.dry)
