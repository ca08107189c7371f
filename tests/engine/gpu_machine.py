# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs in place of those of a machine with a GPU, so that every part of gpu-check runs its commands and reads their answers.

The worker trains for real, on the CPU; steps are not measured. PyTorch, compute-sanitizer and the tests are scripts."""
import pathlib

PYTHON = """#!/bin/sh
case "$*" in
  *"import sysconfig"*) echo /nowhere ;;
  *"import torch"*) echo 2.15.0 ;;
  *ceilings.py*) echo '{"copy_gb_s": 4000.0, "product_side": 8192, "product_tflops": 700.0}' ;;
  *flight_dump.py*)
    while [ $# -gt 0 ]; do [ "$1" = --out ] && printf dump >"$2/dump_$RANK"; shift; done ;;
  *train_step.py*)
    case "$*" in *"--batch 1024"*) echo "CUDA out of memory" >&2; exit 1 ;; esac
    echo '{"images_per_s": 100000.0, "step_ms": {"median": 2.5}, "first_step_at": '"$(date +%s.%N)"'}' ;;
  *) echo "unexpected: $*" >&2; exit 9 ;;
esac
"""

# Rewrites the device of a job and runs the real worker; a benchmark answers at once. With GPU_MACHINE_HANGS ranks hang.
WORKER = """#!/bin/sh
case "$*" in
  bench*)
    extra=
    case "$*" in
      *--operations*) extra=', "operations": [{{"name": "update", "lane": "side", "kernels": 1, "bytes": 1000000, "us": 10.0}}]' ;;
    esac
    [ "${{RANK:-0}}" = 0 ] || exit 0
    echo '{{"images_per_s": 500000.0, "step_ms": {{"median": 0.5}}, "first_step_at": '"$(date +%s.%N)$extra}}" ;;
  --config*)
    if [ -n "$GPU_MACHINE_HANGS" ] && [ -n "$RANK" ]; then echo "NCCL WARN" >&2; exec sleep 600; fi
    sed 's/"device": "cuda"/"device": "cpu"/' "$2" >"$2.$$"
    exec "{worker}" --config "$2.$$" ;;
  *) exec "{worker}" "$@" ;;
esac
"""

TESTS = """#!/bin/sh
for word; do
  case $word in
    --gtest_list_tests) printf 'CudaKernels.\\n  Adds\\nCudaDevice.\\n  Pair\\nNcclPair.\\n  DISABLED_Rank\\n'; exit 0 ;;
    --gtest_filter=*) suite=${word#--gtest_filter=} ;;
    --gtest_output=json:*) file=${word#--gtest_output=json:} ;;
  esac
done
status=RUN
[ "$suite" = 'NcclPair.*' ] && status=NOTRUN
name=${suite%.*}
printf '{"testsuites": [{"name": "%s", "testsuite": [{"name": "One", "status": "%s", "result": "COMPLETED"}]}]}' "$name" "$status" >"$file"
"""

SANITIZER = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in
    --tool | --error-exitcode | --kernel-name-exclude) shift 2 ;;
    *) exec "$@" ;;
  esac
done
"""


def write(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def make(folder, worker):
    """Writes programs, python and tools into `folder`; returns what gpu-check takes: --programs, --python, PATH."""
    folder = pathlib.Path(folder)
    programs, tools = folder / "programs", folder / "tools"
    programs.mkdir()
    tools.mkdir()
    write(programs / "rankscope-worker", WORKER.format(worker=worker))
    write(programs / "rankscope-worker-bench", "#!/bin/sh\n")
    write(programs / "engine_cuda_test", TESTS)
    write(programs / "librankscope-nccl.so", "")
    write(tools / "python", PYTHON)
    write(tools / "compute-sanitizer", SANITIZER)
    write(tools / "nvidia-smi", "#!/bin/sh\necho 'NVIDIA H200, 580.82.07, 1980 MHz, 3201 MHz, 700.00 W'\n")
    return programs, tools / "python", tools
