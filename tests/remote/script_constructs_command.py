#!/usr/bin/env python3
# SPDX-FileCopyrightText: Rankscope contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""One job, written with every construct of a shell and with two or three of them at once: `rankscopectl job --from -` must make the same
job of all. script_constructs_command.py PROGRAM [SCRIPTS]"""
import random
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "rankscopectl"
SCRIPTS = int(sys.argv.pop(1)) if len(sys.argv) > 1 else 200
LINE = "torchrun --nnodes=1 --nproc-per-node=4 --master-port=29511 train.py --lr 0.1 --name 'a b'"

# Each makes another text of a text of lines that a shell reads.
CONSTRUCTS = {
    "function": lambda code: f"start() {{\n{code}\n}}\nstart\n",
    "function with arguments": lambda code: f"run() {{ shift; \"$@\"; }}\nwhole() {{\n{code}\n}}\nrun nothing whole\n",
    "if": lambda code: f"if [[ $(uname) == Linux && -d / ]]; then\n{code}\nelse\n  torchrun wrong.py\nfi\n",
    "elif": lambda code: f"if false; then torchrun wrong.py\nelif true; then\n{code}\nfi\n",
    "case": lambda code: f"case \"$(echo B | tr A-Z a-z)\" in\n  a) torchrun wrong.py ;;\n  b|c)\n{code}\n  ;;\nesac\n",
    "for": lambda code: f"for i in 1; do\n{code}\ndone\n",
    "arithmetic for": lambda code: f"for ((i = 0; i < 1; i++)); do\n{code}\ndone\n",
    "while read": lambda code: f"while read -r once; do\n{code}\ndone <<< one\n",
    "until": lambda code: f"n=0\nuntil [ $n -ge 1 ]; do\n  n=$((n + 1))\n{code}\ndone\n",
    "subshell": lambda code: f"(\n{code}\n)\n",
    "group": lambda code: f"{{\n{code}\n}}\n",
    "and": lambda code: f"true && {{\n{code}\n}} || echo failed\n",
    "background": lambda code: f"{{\n{code}\n}} &\nwait $!\n",
    "trap": lambda code: f"trap 'echo done' EXIT\n{code}\n",
    "strict": lambda code: f"set -euo pipefail\nshopt -s nullglob\n{code}\n",
    "traced": lambda code: f"set -x\n{code}\nset +x\n",
    "here-document": lambda code: f"bash -s <<'INNER_{len(code)}'\n{code}\nINNER_{len(code)}\n",
    "here-document into a file": lambda code: f"cat > run_{len(code)}.sh <<'FILE_{len(code)}'\n{code}\nFILE_{len(code)}\nbash run_{len(code)}.sh\n",
    "sourced file": lambda code: f"cat > /tmp/p{len(code)}.sh <<'PART_{len(code)}'\n{code}\nPART_{len(code)}\nsource /tmp/p{len(code)}.sh\n",
    "tee": lambda code: f"{{\n{code}\n}} 2>&1 | tee -a log.txt\n",
    "redirected": lambda code: f"{{\n{code}\n}} > logs/out_$$.txt 2>&1\n",
    "Chinese comments": lambda code: f"# 启动训练（两个节点）\necho '开始 — 训练'\n{code}\n",
    "tools before": lambda code: f"mkdir -p out\nmodule load cuda\npip install -q x\nnvidia-smi\n{code}\n",
    "exported": lambda code: f"export RUN_NAME=\"r-$(date +%Y)\"\nunset RUN_NAME\n{code}\n",
    "positional": lambda code: f"set -- one two\n{code}\n",
    "local": lambda code: f"main() {{\n  local -a parts=(x y)\n  local n=${{#parts[@]}}\n{code}\n}}\nmain\n",
}
# Ways to write the line itself.
LINES = {
    "plain": LINE,
    "continued": LINE.replace(" --", " \\\n    --"),
    "array": "words=(torchrun --nnodes=1 --nproc-per-node=4)\nwords+=(--master-port=29511 train.py --lr 0.1 --name 'a b')\n\"${words[@]}\"",
    "variables": "PORT=29511; RATE=0.1\ntorchrun --nnodes=1 --nproc-per-node=$((2 * 2)) --master-port=${PORT} train.py --lr $RATE --name \"a b\"",
    "defaults": "torchrun --nnodes=${NNODES_WANTED:-1} --nproc-per-node=\"${RANKS_WANTED:=4}\" --master-port=${X_PORT-29511} train.py --lr 0.1 "
                "--name 'a b'",
    "cut": "file=src/train.py.txt; file=${file##*/}; file=${file%.txt}\ntorchrun --nnodes=1 --nproc-per-node=4 --master-port=29511 $file --lr 0.1 "
           "--name 'a b'",
    "command": "CMD='torchrun --nnodes=1 --nproc-per-node=4 --master-port=29511 train.py'\n$CMD --lr 0.1 --name 'a b'",
    "eval": f"line=\"{LINE}\"\neval \"$line\"",
    "bash -c": "bash -c \"torchrun --nnodes=1 --nproc-per-node=4 --master-port=29511 train.py --lr 0.1 --name 'a b'\"",
    "wrapped": "nohup env stdbuf -oL " + LINE,
    "printf": "printf -v port '%d' 29511\ntorchrun --nnodes=1 --nproc-per-node=4 --master-port=$port train.py --lr 0.1 --name 'a b'",
    "mapfile": "mapfile -t rest < <(printf '%s\\n' train.py --lr 0.1 --name 'a b')\ntorchrun --nnodes=1 --nproc-per-node=4 --master-port=29511 "
               "\"${rest[@]}\"",
    "map": "declare -A of=([port]=29511 [ranks]=4)\ntorchrun --nnodes=1 --nproc-per-node=${of[ranks]} --master-port=${of[port]} train.py --lr 0.1 "
           "--name 'a b'",
    "counted": "GPUS=0,1,2,3\ntorchrun --nnodes=1 --nproc-per-node=$(tr ',' '\\n' <<< $GPUS | wc -l) --master-port=29511 train.py --lr 0.1 "
               "--name 'a b'",
}


def job_of(text: str):
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run([PROGRAM, "job", "--from", "-"], input=text.encode(), env={"HOME": home, "PATH": "/usr/bin:/bin"}, cwd=home,
                              capture_output=True, timeout=600, check=False)
    return done.stdout.decode(), done.stderr.decode()


def relevant(yaml: str) -> list:
    return [line for line in yaml.splitlines() if not line.startswith(("workdir", "env"))]


class Constructs(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.wanted = relevant(job_of(LINE)[0])
        self.assertTrue(self.wanted)
        if "install bubblewrap" in job_of("X=1\n" + LINE + " --x $X\n")[1]:
            self.skipTest("no sandbox for scripts here (Debian: bubblewrap, and user namespaces)")

    def check(self, name: str, text: str):
        with self.subTest(name):
            yaml, notes = job_of("#!/bin/bash\n" + text)
            self.assertEqual(relevant(yaml), self.wanted, f"{text}\n{notes}")

    def test_each_construct(self):
        for name, construct in CONSTRUCTS.items():
            self.check(name, construct(LINE))

    def test_each_way_to_write_the_line(self):
        for name, line in LINES.items():
            self.check(name, line)

    def test_several_at_once(self):
        choice = random.Random(30)
        for _ in range(SCRIPTS):
            name, text = choice.choice(list(LINES.items()))
            for _ in range(choice.randint(2, 3)):
                construct = choice.choice(list(CONSTRUCTS))
                name, text = f"{construct}: {name}", CONSTRUCTS[construct](text)
            if choice.random() < 0.2:
                name, text = f"CRLF: {name}", text.replace("\n", "\r\n")
            self.check(name, text)


if __name__ == "__main__":
    unittest.main()
