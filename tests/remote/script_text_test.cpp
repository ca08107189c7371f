// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Scripts that a shell in a sandbox evaluates.

#include <base/clock.h>
#include <base/private_folder.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launch_lines/script_text.h>

#include <gtest/gtest.h>
#include <support/temporary_folder.h>
#include <tests/machine_speed.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;
using launch_lines::evaluate_script;
using launch_lines::has_script_sandbox;
using launch_lines::read_sandbox_output;
using launch_lines::RecordedStart;

using Words = std::vector<std::string>;

class Scripts : public ::testing::Test {
protected:
    void SetUp() override {
        if (!has_script_sandbox()) {
            GTEST_SKIP() << "no sandbox for scripts here (Debian: bubblewrap, and user namespaces)";
        }
    }

    static PastedLine read(const std::string& text, PastedText pasted = {}) {
        pasted.text = text;
        auto read = read_script_text(pasted);
        EXPECT_TRUE(read.line.ok()) << (read.line.ok() ? "" : read.line.failure().what) << '\n' << text;
        return read.line ? std::move(*read.line) : PastedLine();
    }
};

TEST_F(Scripts, EvaluateWhatAShellEvaluates) {
    const PastedLine line = read(R"sh(
#!/bin/bash
set -euo pipefail
GPUS=(0 1 2 3)
count() { echo ${#GPUS[@]}; }
options=(--nnodes=2 "--nproc-per-node=$(count)")
if [[ ${DEBUG:-0} -eq 1 ]]; then
    options+=(--rdzv-conf timeout=9)
fi
for port in 29400 29511; do last=$port; done
case $(uname) in Linux) options+=(--master-port "$last") ;; esac
read -r -d '' config <<'END' || true
--lr 0.1 --name 'a b'
END
export NCCL_DEBUG=INFO
torchrun "${options[@]}" train.py $config --out "$(basename /a/b/runs)"
)sh");
    EXPECT_EQ(line.tool, LauncherTool::Torchrun);
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.master_port, 29511);
    EXPECT_EQ(line.job.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ(line.job.name, "train");
    EXPECT_EQ(line.job.command,
              (Words{"python3", "train.py", "--lr", "0.1", "--name", "'a", "b'", "--out", "runs"}));
}

TEST_F(Scripts, ReadALauncherBelowShellsAndWrappers) {
    const PastedLine line =
        read("CMD=\"uv run torchrun --nproc-per-node 4 train.py\"\nbash -c \"$CMD --lr 1\"\n");
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py", "--lr", "1"}));
    EXPECT_TRUE(std::any_of(line.notes.begin(), line.notes.end(),
                            [](const std::string& note) { return note.starts_with("uv run:"); }));
    const PastedLine container =
        read("docker run --rm --gpus all -e NCCL_DEBUG=WARN image:1 torchrun --nproc-per-node=2 fit.py\n");
    EXPECT_EQ(container.job.procs_per_node, 2);
    EXPECT_EQ(container.job.env.at("NCCL_DEBUG"), "WARN");
    EXPECT_EQ(container.job.container.image, "image:1");
    EXPECT_EQ(container.job.container.runtime, ContainerRuntime::Docker);
    EXPECT_TRUE(container.job.container.options.empty());
}

TEST_F(Scripts, TakeTheEnvironmentOfUvsLockFile) {
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "src");
    std::ofstream(folder.path() / "uv.lock") << "version = 1\n";
    PastedText pasted;
    pasted.folder = folder.path() / "src";
    const PastedLine line =
        read("uv run --extra cu128 --extra=vision torchrun --nproc-per-node 2 train.py\n", pasted);
    EXPECT_EQ(line.job.environment.uv, (folder.path() / "uv.lock").string());
    EXPECT_EQ(line.job.environment.extras, (Words{"cu128", "vision"}));
}

TEST_F(Scripts, ReadContainersWithTheirMountsAndFolders) {
    const PastedLine docker = read(
        "cd /home/me/proj\ndocker run --rm -it --gpus all --ipc=host --network host --shm-size 16g -v "
        "/data:/data:ro "
        "-v $PWD/code:/code -w /code --ulimit memlock=-1 reg/img:2 bash -c 'torchrun --nproc-per-node=2 "
        "fit.py'\n");
    EXPECT_EQ(docker.job.container.image, "reg/img:2");
    EXPECT_EQ(docker.job.container.mounts, (Words{"/data:/data:ro", "/home/me/proj/code:/code"}));
    EXPECT_EQ(docker.job.container.options, Words{"--ulimit=memlock=-1"});
    EXPECT_EQ(docker.job.workdir, "/code");
    const PastedLine entered =
        read("cd /tmp/x\npodman exec -it box bash -c 'cd /code && torchrun --nproc-per-node=2 fit.py'\n");
    EXPECT_EQ(entered.job.container.name, "box");
    EXPECT_EQ(entered.job.container.runtime, ContainerRuntime::Podman);
    EXPECT_EQ(entered.job.workdir, "/code");
    const PastedLine outside = read(
        "cd /tmp/x\nsrun -N 2 --ntasks-per-node=4 singularity exec --nv -B /a,/b:/c img.sif python fit.py\n");
    EXPECT_EQ(outside.job.container.image, "img.sif");
    EXPECT_EQ(outside.job.container.mounts, (Words{"/a", "/b:/c"}));
    EXPECT_EQ(outside.job.command, (Words{"python", "fit.py"}));
    EXPECT_EQ(outside.job.workdir, "") << "the image's";
    const PastedLine here =
        read("docker run --gpus '\"device=0,1\"' -v .:/code img python3 fit.py --epochs 2\n");
    EXPECT_EQ(here.job.container.options, Words{"--gpus=\"device=0,1\""});
    EXPECT_TRUE(here.job.container.mounts.empty());
    EXPECT_TRUE(std::any_of(here.notes.begin(), here.notes.end(), [](const std::string& note) {
        return note.starts_with(".:/code: a folder of this computer");
    }));
}

TEST(PastedLines, TakeTheContainerOfPyxis) {
    PastedText pasted;
    pasted.text =
        "srun -N 2 --ntasks-per-node=8 --container-image=nvcr.io#nvidia/pytorch:25.09-py3 "
        "--container-mounts=/a:/a,/b:/c "
        "--container-workdir=/c python fit.py";
    const auto line = read_script_text(pasted).line;
    ASSERT_TRUE(line);
    EXPECT_EQ(line->job.container.image, "nvcr.io/nvidia/pytorch:25.09-py3");
    EXPECT_EQ(line->job.container.mounts, (Words{"/a:/a", "/b:/c"}));
    EXPECT_EQ(line->job.workdir, "/c");
}

TEST_F(Scripts, AskForWhatAFileSetsThatIsNotHere) {
    PastedText pasted;
    pasted.text =
        "#!/bin/bash\nsource ./settings.sh\n"
        "srun -N2 torchrun --nnodes 2 --nproc_per_node 2 -m ${MODULE}\n";
    const auto read = read_script_text(pasted);
    ASSERT_FALSE(read.line);
    EXPECT_EQ(read.missing, Words{"MODULE"});
    EXPECT_NE(read.line.failure().what.find("from ./settings.sh"), std::string::npos)
        << read.line.failure().what;
}

TEST_F(Scripts, ReadTheFilesNextToThem) {
    const PrivateFolder folder;
    const fs::path scripts = folder.path() / "scripts";
    fs::create_directory(scripts);
    std::ofstream(scripts / "settings.sh") << "MODULE=lm.fit\nsource scripts/common.sh\nLR=${LR:-0.3}\n";
    std::ofstream(scripts / "common.sh") << "export NCCL_DEBUG=WARN\nSTEPS=${STEPS_OF_USER}\n";
    std::ofstream(scripts / "hosts.txt") << "w1\nw2\n";
    std::ofstream(scripts / "one.sh") << "#!/bin/bash\ntorchrun --nproc-per-node $1 -m $MODULE --lr $LR\n";
    PastedText pasted;
    pasted.folder = scripts;
    const std::string script =
        "cd scripts/..\nsource scripts/settings.sh\nexport MODULE LR\nN=$(cat hosts.txt | wc -l)\n"
        "torchrun --nnodes $N --nproc-per-node 2 -m $MODULE --lr $LR\n";
    const PastedLine line = read(script, pasted);
    EXPECT_EQ(line.job.command, (Words{"python3", "-m", "lm.fit", "--lr", "0.3"}));
    EXPECT_EQ(line.job.env.at("NCCL_DEBUG"), "WARN");
    EXPECT_EQ(line.nodes, 2);
    pasted.text = "source settings.sh\ntorchrun --nproc-per-node 2 fit.py --steps $STEPS\n";
    const auto asked = read_script_text(pasted);
    EXPECT_EQ(asked.missing, Words{"STEPS_OF_USER"}) << "a value that the file itself needs";
    pasted.text.clear();
    EXPECT_EQ(read("export MODULE=a LR=1\nbash one.sh 4\n", pasted).job.procs_per_node, 4);
}

TEST_F(Scripts, ReadNoFileElsewhere) {
    const PrivateFolder folder;
    fs::create_directories(folder.path() / "a" / "b");
    for (const char* name : {".secret.sh", "far.sh", "a/.hidden"}) {
        std::ofstream(folder.path() / name) << "LR=0.3\n";
    }
    PastedText pasted;
    pasted.folder = folder.path() / "a" / "b";
    for (const std::string name : {"../.hidden", "../../far.sh", "../../.secret.sh", "/etc/profile"}) {
        pasted.text = "source " + name + "\ntorchrun --nproc-per-node 2 fit.py --lr $LR\n";
        EXPECT_EQ(read_script_text(pasted).missing, Words{"LR"}) << name;
    }
}

TEST_F(Scripts, KeepThePathOfAProgram) {
    EXPECT_EQ(read("X=1\n/opt/venv/bin/python train.py --x $X\n").job.command,
              (Words{"/opt/venv/bin/python", "train.py", "--x", "1"}));
    EXPECT_EQ(read("cd /srv\n./bin/simulate conf.yaml\n").job.command,
              (Words{"./bin/simulate", "conf.yaml"}));
}

TEST_F(Scripts, AskForWhatTheyAreGiven) {
    PastedText pasted;
    pasted.text = "MODEL=$1\ntorchrun --nproc-per-node=${RANKS:-2} train.py --data ${DATA} --model $MODEL\n";
    const auto asks = read_script_text(pasted);
    ASSERT_FALSE(asks.line.ok());
    EXPECT_EQ(asks.missing, (Words{"1", "DATA"}));
    EXPECT_NE(asks.line.failure().what.find("$1 (MODEL), DATA"), std::string::npos)
        << asks.line.failure().what;
    pasted.values = {{"1", "small"}, {"DATA", "/data/it's here"}};
    const PastedLine line = read(pasted.text, pasted);
    EXPECT_EQ(line.job.procs_per_node, 2);
    EXPECT_EQ(line.job.command,
              (Words{"python3", "train.py", "--data", "/data/it's", "here", "--model", "small"}));
}

TEST_F(Scripts, StartInTheBackground) {
    const PastedLine line = read(
        "CUDA_VISIBLE_DEVICES=0,1 nohup torchrun --nproc-per-node=2 --master-port=$((29000 + 511)) train.py "
        "> log "
        "2>&1 &\n");
    EXPECT_EQ(line.job.master_port, 29511);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py"}));
}

TEST_F(Scripts, AreTakenAsTheyAreWhereNobodyKnowsThem) {
    EXPECT_EQ(read("litgpt finetune lora --devices 4\n").job.command,
              (Words{"litgpt", "finetune", "lora", "--devices", "4"}));
    EXPECT_EQ(read("pixi run train\n").job.command, (Words{"train"}));
    const PastedLine line = read("bash tools/dist_train.sh configs/a.py 8\n");
    EXPECT_EQ(line.job.command, (Words{"bash", "tools/dist_train.sh", "configs/a.py", "8"}));
    EXPECT_NE(line.notes.front().find("is not here"), std::string::npos) << line.notes.front();
    PastedText pasted;
    pasted.text = "pip install -e .\n";
    EXPECT_FALSE(read_script_text(pasted).line);
}

TEST_F(Scripts, AreOfOtherBatchSystems) {
    const PastedLine flux = read("flux run -N 2 -n 8 python t.py\n");
    EXPECT_EQ(flux.nodes, 2);
    EXPECT_EQ(flux.job.procs_per_node, 4);
    const PastedLine pdsh = read("pdsh -w node[1-2] 'torchrun --nnodes=2 --nproc-per-node=8 t.py'\n");
    EXPECT_EQ(pdsh.nodes, 2);
    EXPECT_EQ(pdsh.job.procs_per_node, 8);
    const PastedLine alps = read("aprun -n 16 -N 4 -d 8 -cc depth -e OMP_NUM_THREADS=8 python t.py --n 3\n");
    EXPECT_EQ(alps.nodes, 4);
    EXPECT_EQ(alps.job.procs_per_node, 4);
    EXPECT_EQ(alps.job.env.at("OMP_NUM_THREADS"), "8");
    EXPECT_EQ(alps.job.command, (Words{"python", "t.py", "--n", "3"}));
    const PastedLine ibm = read("jsrun --nrs=4 -a 3 -g 3 -c 21 -r 2 --smpiargs=\"-gpu\" python t.py\n");
    EXPECT_EQ(ibm.nodes, 2);
    EXPECT_EQ(ibm.job.procs_per_node, 6);
    EXPECT_EQ(ibm.job.command, (Words{"python", "t.py"}));
    const PastedLine joined = read("jsrun -n4 -a3 -g3 -c21 -r2 python t.py\n");
    EXPECT_EQ(joined.job.procs_per_node, 6);
    EXPECT_EQ(joined.job.command, (Words{"python", "t.py"}));
}

TEST_F(Scripts, KnowSlurmsNumbersFromTheirOptions) {
    const std::string text = R"sh(#!/bin/bash
#SBATCH --nodes=3 --ntasks-per-node=1
#SBATCH --site-option=7
head=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
[[ $SLURM_NNODES -gt 2 ]] && more=--deep
srun bash -c "torchrun --nnodes $SLURM_NNODES --nproc_per_node 4 --node_rank \$SLURM_PROCID --rdzv_endpoint $head:7000 fit.py $more"
)sh";
    const PastedLine line = read(text);
    EXPECT_EQ(line.tool, LauncherTool::Srun);
    EXPECT_EQ(line.nodes, 3);
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.master_port, 7000);
    EXPECT_EQ(line.job.command, (Words{"python3", "fit.py", "--deep"}));
    EXPECT_EQ(line.allocation_extra, (Words{"--site-option=7"}));
}

TEST_F(Scripts, TakeAProgramThatStartsItsOwnRanks) {
    const PastedLine line = read(
        "NNODES=2 RANK=0 MASTER_PORT=29700 own-trainer train cfg.yaml\n"
        "NNODES=2 RANK=1 MASTER_PORT=29700 own-trainer train cfg.yaml\n");
    EXPECT_EQ(line.tool, LauncherTool::Program);
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 1);
    EXPECT_EQ(line.job.master_port, 29700);
    EXPECT_EQ(line.job.command, (Words{"own-trainer", "train", "cfg.yaml"}));
}

TEST_F(Scripts, ReadTheFilesThatALineNames) {
    const PrivateFolder folder;
    std::ofstream(folder.path() / "two.yaml")
        << "num_machines: 2\nnum_processes: 8\nmain_process_port: 29511\n";
    std::ofstream(folder.path() / "hosts") << "w1 slots=4\nw2 slots=4\n";
    PastedText pasted;
    pasted.folder = folder.path();
    PastedLine line = read("accelerate launch --config_file two.yaml chat.py\n", pasted);
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.master_port, 29511);
    line = read("deepspeed --hostfile hosts fit.py\n", pasted);
    EXPECT_EQ(line.hosts, (Words{"w1", "w2"}));
    EXPECT_EQ(line.job.procs_per_node, 4);
}

TEST_F(Scripts, StartWhatLiesWhereverTheySay) {
    const PastedLine line = read(
        "$HOME/venv/bin/python -m torch.distributed.run --nproc_per_node 2 a.py > logs/$(date +%F)/a.txt\n");
    EXPECT_EQ(line.job.procs_per_node, 2);
    EXPECT_EQ(line.job.command.back(), "a.py");
    const PastedLine home =
        read("cd ~/work\ntorchrun --nproc-per-node=$((1)) a.py --out ~/runs --by $USER\n");
    EXPECT_EQ(home.job.workdir, "~/work");
    EXPECT_EQ(home.job.command, (Words{"python3", "a.py", "--out", "$HOME/runs", "--by", "$USER"}));
    EXPECT_EQ(std::count_if(home.notes.begin(), home.notes.end(),
                            [](const std::string& note) { return note.starts_with("$"); }),
              2)
        << "the home of this computer is not that of the nodes";
}

TEST_F(Scripts, ArePromptsAndCarriageReturns) {
    EXPECT_EQ(read("user@gpu1:~$ torchrun --nproc-per-node=$((1 + 2)) a.py\r\n").job.procs_per_node, 3);
    EXPECT_EQ(read("$ torchrun --nproc-per-node=5 a.py\n").job.procs_per_node, 5);
}

/// Each tries to change or to learn something of this computer; none may, and each ends.
class HostileScripts : public Scripts, public ::testing::WithParamInterface<std::string> {};

TEST_P(HostileScripts, ChangeNothingAndEnd) {
    const PrivateFolder folder;
    const fs::path kept = folder.path() / "kept";
    std::ofstream(kept) << "mine";
    fs::permissions(folder.path(), fs::perms::all);
    fs::permissions(kept, fs::perms::all);
    launch_lines::ScriptRequest request;
    request.text = GetParam();
    for (std::size_t at = 0; (at = request.text.find("FOLDER", at)) != std::string::npos;) {
        request.text.replace(at, 6, folder.path().string());
    }
    const double begun = monotonic_s();
    const auto script = evaluate_script(request);
    EXPECT_LT(monotonic_s() - begun, 6 * testing::machine_slowness());
    if (script) {
        EXPECT_LE(script->starts.size(), 500U);
        for (const auto& start : script->starts) {
            EXPECT_TRUE(std::none_of(start.words.begin(), start.words.end(), [](const std::string& word) {
                return word.find("root:") != std::string::npos || word.find("mine") != std::string::npos;
            })) << "it has seen a file of this computer";
        }
    }
    std::ifstream file(kept);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "mine");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Attacks, HostileScripts,
    ::testing::Values(
        "rm -rf FOLDER /home /root /tmp /etc /usr", "echo changed > FOLDER/kept",
        "mv FOLDER/kept FOLDER/gone", "touch FOLDER/new", "chmod 000 FOLDER/kept",
        "ln -s /etc/passwd FOLDER/link", "cp /bin/sh FOLDER/sh", "tee -a FOLDER/kept <<< more",
        "cat /etc/shadow; python3 train.py $(cat /etc/shadow)", "torchrun a.py $(cat FOLDER/kept)",
        ":(){ :|:& };:", "while :; do :; done", "sleep 1000 & disown; exec sleep 1000", "yes > /rs/out/fill",
        "head -c 100000000000 /dev/zero > /tmp/fill", "x=a; while :; do x=$x$x; done",
        "curl http://127.0.0.1:1/; wget -q 10.0.0.1; exec 3<>/dev/tcp/127.0.0.1/22 && echo mine >&3",
        "kill -9 -1; kill -9 $PPID; pkill -f rankscope", "mount -o remount,rw / && echo x > FOLDER/new",
        "unshare -Ur sh -c 'touch FOLDER/new'", "nsenter -t 1 -a touch FOLDER/new",
        "chroot /proc/1/root touch FOLDER/new",
        "touch /proc/1/root/FOLDER/new; touch /proc/self/root/FOLDER/new", "sudo rm -rf FOLDER",
        "docker run -v /:/host i rm -rf FOLDER", "ssh localhost rm -rf FOLDER",
        "bwrap --bind / / touch FOLDER/new", "/usr/bin/python3 -c 'open(\"FOLDER/new\",\"w\")'",
        "python3 -c 'import os; os.system(\"touch FOLDER/new\")' | cat",
        "trap '' TERM INT HUP; (trap '' TERM; while :; do :; done) & wait",
        "for i in $(seq 100000); do torchrun $i.py & done",
        "printf 'start\\0\\0/\\0\\0\\0999999999\\0x' > /rs/out/1.record",
        "echo 'errors' > /rs/out/9999999999.record; rm -f /rs/recorder /rs/bin/*; echo x > /rs/recorder",
        "exec 1>&-; exec 2>&-; ulimit -f 0; kill -STOP $$", "perl -e 'fork while 1'",
        "set -o posix; exit 7"));

TEST(SandboxOutput, IsReadAsFarAsItGoes) {
    using namespace std::string_literals;
    const auto read = read_sandbox_output(
        "start\0node2\0/job/src\0docker run i\0srun\n-N1\n\0002\0torchrun\0a.py\0A=1\0B=x=y\0\0errors\0000\0line 1: oops\n"s);
    ASSERT_EQ(read.starts.size(), 1U);
    const RecordedStart& start = read.starts.front();
    EXPECT_EQ(start.node, "node2");
    EXPECT_EQ(start.words, (Words{"torchrun", "a.py"}));
    EXPECT_EQ(start.before, (Words{"srun", "-N1"}));
    EXPECT_EQ(start.environment.at("B"), "x=y");
    EXPECT_TRUE(read.is_whole);
    EXPECT_EQ(read.errors, "line 1: oops\n");
    EXPECT_FALSE(read_sandbox_output("start\0\0/\0\0\0007\0x"s).is_whole);
    EXPECT_TRUE(read_sandbox_output("start\0\0/\0\0\0007\0x"s).starts.empty()) << "words are missing";
    EXPECT_TRUE(read_sandbox_output("").starts.empty());
}

}  // namespace
}  // namespace rankscope
