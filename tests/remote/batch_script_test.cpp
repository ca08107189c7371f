// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Batch scripts as users of Slurm have them.

#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope {
namespace {

using Words = std::vector<std::string>;

constexpr const char* kHead =
    "#!/bin/bash\n#SBATCH --job-name=train\n#SBATCH --partition=gpu\n#SBATCH --nodes=2\n#SBATCH "
    "--ntasks-per-node=1\n"
    "#SBATCH --gres=gpu:4\n#SBATCH --time=01:00:00\n\n";

struct Read {
    Job job;
    std::string notes;
};

Read submitted(const std::string& script) {
    const auto line = read_launch_line(script);
    EXPECT_TRUE(line) << script << '\n' << (line ? "" : to_line(line.failure()));
    if (!line) {
        return {};
    }
    EXPECT_EQ(line->tool, LauncherTool::Srun) << "only its lines are submitted";
    Read read{submitted_job(*line, kSlurmLauncher, "login1"), ""};
    for (const auto& note : line->notes) {
        read.notes += note + '\n';
    }
    EXPECT_TRUE(parse_job(to_yaml(read.job), "j.yaml").problems.empty()) << to_yaml(read.job);
    return read;
}

bool says(const Read& read, const char* part) {
    return read.notes.find(part) != std::string::npos;
}

TEST(BatchScript, WhatRankscopeSetsIsNotReplacedByTheTextOfAShell) {
    const auto read =
        submitted(std::string(kHead) +
                  "export MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
                  "export MASTER_PORT=$((10000 + SLURM_JOBID % 20000))\n"
                  "export WORLD_SIZE=$SLURM_NTASKS RANK=$SLURM_PROCID\n"
                  "export LOCAL_RANK=`echo 0`\nexport NCCL_DEBUG=INFO\n"
                  "srun python3 train.py\n");
    for (const char* own : {"MASTER_ADDR", "MASTER_PORT", "WORLD_SIZE", "RANK", "LOCAL_RANK"}) {
        EXPECT_FALSE(read.job.env.contains(own)) << own;
        EXPECT_TRUE(says(read, own)) << read.notes;
    }
    EXPECT_EQ(read.job.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ(read.job.master_port, 0) << "other jobs share the nodes";
    EXPECT_EQ(read.job.command, (Words{"python3", "train.py"}));
    const auto port = submitted(std::string(kHead) + "export MASTER_PORT=12355\nsrun python3 train.py\n");
    EXPECT_EQ(port.job.master_port, 12355);
}

TEST(BatchScript, NothingThatAShellWouldFillInGoesToTheRanksInSilence) {
    const auto read = submitted(std::string(kHead) +
                                "export PATH=$HOME/bin:$PATH\nexport CACHE=$(mktemp -d)\ncd $SCRATCH/run\n"
                                "srun python3 train.py --out $SCRATCH/out\n");
    EXPECT_FALSE(read.job.env.contains("PATH"));
    EXPECT_FALSE(read.job.env.contains("CACHE"));
    EXPECT_EQ(read.job.workdir, "");
    for (const char* open :
         {"PATH=$HOME/bin:$PATH", "CACHE=$(mktemp -d)", "cd $SCRATCH/run", "$SCRATCH/out"}) {
        EXPECT_TRUE(says(read, open)) << open << '\n' << read.notes;
    }
    const auto submit = submitted(std::string(kHead) + "cd $SLURM_SUBMIT_DIR\nsrun python3 train.py\n");
    EXPECT_EQ(submit.job.workdir, "");
    EXPECT_TRUE(says(submit, "SLURM_SUBMIT_DIR"));
    EXPECT_EQ(submitted(std::string(kHead) + "cd $HOME/proj\nsrun python3 train.py\n").job.workdir, "~/proj");
}

TEST(BatchScript, WhatTheScriptItselfSetsIsFilledIn) {
    const auto read = submitted(std::string(kHead) +
                                "CMD=\"python3 train.py --lr 0.1\"\nEPOCHS=3\nNAME=\"two words\"\n"
                                "srun $CMD --epochs ${EPOCHS} --name \"$NAME\" --batch "
                                "$((64*4)) --seed ${SEED:-7} --nodes $SLURM_NNODES\n");
    EXPECT_EQ(read.job.command, (Words{"python3", "train.py", "--lr", "0.1", "--epochs", "3", "--name",
                                       "two words", "--batch", "256", "--seed", "7", "--nodes", "{nodes}"}));
    EXPECT_FALSE(read.job.env.contains("CMD"));
}

TEST(BatchScript, ALauncherBelowSrunIsSeenThrough) {
    const auto torchrun =
        submitted(std::string(kHead) +
                  "export MASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\n"
                  "srun torchrun --nnodes=$SLURM_NNODES --nproc_per_node=4 --rdzv_id=$SLURM_JOB_ID "
                  "--rdzv_backend=c10d --rdzv_endpoint=$MASTER_ADDR:29500 train.py --epochs 2\n");
    EXPECT_EQ(torchrun.job.command, (Words{"python3", "train.py", "--epochs", "2"}));
    EXPECT_EQ(torchrun.job.procs_per_node, 4);
    EXPECT_EQ(slurm_options(torchrun.job).nodes, 2);
    EXPECT_EQ(slurm_options(torchrun.job).gres, "gpu:4");
    EXPECT_EQ(torchrun.job.master_port, 0);
    EXPECT_EQ(torchrun.notes.find("rdzv_endpoint"), std::string::npos) << torchrun.notes;

    const auto gpus =
        submitted(std::string(kHead) +
                  "srun python -m torch.distributed.run --nnodes 2 --nproc_per_node $GPUS train.py\n");
    EXPECT_EQ(gpus.job.command, (Words{"python", "train.py"}));
    EXPECT_EQ(gpus.job.procs_per_node, 4) << "as many as Slurm grants GPUs";
    EXPECT_TRUE(says(gpus, "$GPUS"));

    const auto accelerate = submitted(std::string(kHead) +
                                      "srun accelerate launch --num_machines $SLURM_NNODES --num_processes "
                                      "$((SLURM_NNODES * 4)) --machine_rank "
                                      "$SLURM_NODEID --main_process_ip $MASTER_ADDR --main_process_port "
                                      "29500 --mixed_precision bf16 train.py\n");
    EXPECT_EQ(accelerate.job.command, (Words{"python3", "train.py"}));
    EXPECT_EQ(accelerate.job.procs_per_node, 4);
    EXPECT_EQ(slurm_options(accelerate.job).nodes, 2);
    EXPECT_EQ(accelerate.job.env.at("ACCELERATE_MIXED_PRECISION"), "bf16");

    const auto shell =
        submitted(std::string(kHead) +
                  "srun bash -c 'torchrun --nnodes=2 --nproc_per_node=4 --node_rank=$SLURM_PROCID "
                  "--master_addr=$MASTER_ADDR train.py'\n");
    EXPECT_EQ(shell.job.command, (Words{"python3", "train.py"}));
    EXPECT_EQ(shell.job.procs_per_node, 4);
}

TEST(BatchScript, LinesThatAreNoLaunchersAreLeftOut) {
    // The script of PyTorch's example for several nodes.
    const auto example =
        submitted(std::string(kHead) +
                  "nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )\n"
                  "nodes_array=($nodes)\nhead_node=${nodes_array[0]}\n"
                  "head_node_ip=$(srun --nodes=1 --ntasks=1 -w \"$head_node\" hostname --ip-address)\n\n"
                  "echo Node IP: $head_node_ip\nexport LOGLEVEL=INFO\n\n"
                  "srun torchrun \\\n--nnodes 2 \\\n--nproc_per_node 1 \\\n--rdzv_id $RANDOM \\\n"
                  "--rdzv_backend c10d \\\n--rdzv_endpoint $head_node_ip:29500 \\\n"
                  "/shared/examples/multinode_torchrun.py 50 10\n");
    EXPECT_EQ(example.job.command, (Words{"python3", "/shared/examples/multinode_torchrun.py", "50", "10"}));
    EXPECT_EQ(example.job.procs_per_node, 1);
    EXPECT_EQ(example.job.env, (std::map<std::string, std::string>{{"LOGLEVEL", "INFO"}}));

    const auto loop =
        submitted(std::string(kHead) +
                  "mkdir -p out\nfor lr in 0.1 0.01; do\n  srun python3 train.py --lr $lr\ndone\n");
    EXPECT_EQ(loop.job.command, (Words{"python3", "train.py", "--lr", "$lr"}));
    EXPECT_TRUE(says(loop, "for:")) << loop.notes;
    EXPECT_TRUE(says(loop, "mkdir")) << loop.notes;
    EXPECT_TRUE(says(loop, "$lr")) << loop.notes;

    const auto condition = submitted(std::string(kHead) +
                                     "if [ -n \"$X\" ]; then\n  module load cuda\nfi\n"
                                     "if ! srun python3 train.py; then\n  exit 1\nfi\n");
    EXPECT_EQ(condition.job.command, (Words{"python3", "train.py"}));
}

TEST(BatchScript, TheLineThatTrainsIsTaken) {
    const auto read =
        submitted(std::string(kHead) + "srun hostname\nsrun nvidia-smi -L\nsrun python3 train.py\n");
    EXPECT_EQ(read.job.command, (Words{"python3", "train.py"}));
    EXPECT_TRUE(says(read, "srun hostname")) << read.notes;
    EXPECT_EQ(submitted(std::string(kHead) + "srun ./train\n").job.command, (Words{"./train"}));
}

TEST(BatchScript, ATruncatedScriptIsAJobOrAFailureWithAReason) {
    const std::string script =
        std::string(kHead) +
        "A=(1 2)\nexport B=$((2*3)) C=${D:-4}\nsrun $E ${A[0]} \"$B\" python a.py $((1/0)) ${";
    for (std::size_t length = 0; length <= script.size(); ++length) {
        const auto read = read_launch_line(script.substr(0, length));
        EXPECT_TRUE(read ? !read->job.command.empty() : !read.failure().what.empty()) << length;
    }
    for (const char* odd : {"srun $", "srun ${", "srun ${}", "srun $(", "srun $((", "srun $(()) a",
                            "srun ${:-}", "A=( srun a"}) {
        const auto read = read_launch_line(odd);
        EXPECT_TRUE(read ? !read->job.command.empty() : !read.failure().what.empty()) << odd;
    }
}

TEST(BatchScript, AnArrayIsSaidInWords) {
    const auto read = submitted(
        "#!/bin/bash\n#SBATCH --array=0-3\n#SBATCH -N 1\nLRS=(0.1 0.05 0.01 0.001)\n"
        "srun python3 train.py --lr ${LRS[$SLURM_ARRAY_TASK_ID]}\n");
    EXPECT_TRUE(says(read, "--array 0-3")) << read.notes;
    EXPECT_TRUE(says(read, "one run")) << read.notes;
    EXPECT_TRUE(says(read, "${LRS[$SLURM_ARRAY_TASK_ID]}")) << read.notes;
}

TEST(BatchScript, WithoutSrunTheOptionsOfTheScriptSuffice) {
    const auto torchrun = submitted(
        "#!/bin/bash\n#SBATCH -N 1\n#SBATCH --gres=gpu:2\n#SBATCH -p gpu\n"
        "python3 -m torch.distributed.run --nproc_per_node=2 train.py\n");
    EXPECT_EQ(torchrun.job.procs_per_node, 2);
    EXPECT_EQ(slurm_options(torchrun.job).partition, "gpu");
    EXPECT_EQ(torchrun.job.command, (Words{"python3", "train.py"}));
    const auto plain = submitted("#!/bin/bash\n#SBATCH -N 1\n#SBATCH -p gpu\ncd ~/proj\npython train.py\n");
    EXPECT_EQ(plain.job.command, (Words{"python", "train.py"}));
    EXPECT_EQ(plain.job.workdir, "~/proj");
    const auto deepspeed =
        submitted("#!/bin/bash\n#SBATCH -N 1\n#SBATCH --gres=gpu:2\ndeepspeed --num_gpus 2 a.py\n");
    EXPECT_EQ(deepspeed.job.procs_per_node, 2);
}

}  // namespace
}  // namespace rankscope
