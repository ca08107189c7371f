// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Programs that no launcher starts: who starts their ranks, and what differs between the lines of their nodes.

#include <base/private_folder.h>
#include <remote/desk/jobs/launch_lines/program_line.h>
#include <remote/desk/jobs/launch_lines/script_text.h>

#include <gtest/gtest.h>

#include <fstream>

namespace rankscope {
namespace {

using launch_lines::rank_start_of;
using launch_lines::starts_as_written;
using launch_lines::words_for_all_nodes;
using Words = std::vector<std::string>;

TEST(ProgramLine, ScriptsThatStartRanksAreKnown) {
    for (const char* source : {
             "import torch.multiprocessing as mp\nmp.spawn(train, nprocs=args.gpus, args=(args,))\n",
             "  torch.multiprocessing.start_processes (train, nprocs=2)\n",
             "from lightning.pytorch import Trainer\n",
             "import pytorch_lightning as pl\n",
             "    from ultralytics import YOLO\n",
             "import ray.train.torch\n",
             "with idist.Parallel(backend='gloo', nproc_per_node=2) as p:\n",
             "notebook_launcher(train, num_processes=2)\n",
             "p = Process(target=init_process, args=(rank, size, run))\n",
             "os.environ['RANK'] = str(i)\np = mp.Process(target=run)\n",
         }) {
        EXPECT_TRUE(rank_start_of(source).itself) << source;
    }
    for (const char* source : {
             "rank = int(os.environ[\"RANK\"])\n",
             "local = os.getenv('LOCAL_RANK', -1)\n",
             "if int(os.environ.get(\"WORLD_SIZE\", \"1\")) == 2:\n",
             "from transformers import Trainer\n",
             "import accelerate\n",
             "torch.distributed.init_process_group(backend='gloo')\n",
             "rank = os.environ['RANK']\nloader = Process(target=read)\n",
         }) {
        EXPECT_TRUE(rank_start_of(source).launcher) << source;
        EXPECT_FALSE(rank_start_of(source).itself) << source;
    }
    for (const char* source :
         {"", "# import lightning\nprint(1)\n", "lightning_speed = 3\nmy_respawn(1)\n"}) {
        EXPECT_FALSE(rank_start_of(source).itself) << source;
        EXPECT_FALSE(rank_start_of(source).launcher) << source;
    }
    EXPECT_TRUE(rank_start_of("import jax\njax.distributed.initialize( )\n").mpi_names);
    EXPECT_FALSE(rank_start_of("import jax\njax.distributed.initialize(a, 2, int(rank))\n").mpi_names);
}

TEST(ProgramLine, AWordThatCountsTheNodesIsFilledInForEach) {
    Words notes;
    EXPECT_EQ(
        words_for_all_nodes(
            {{"python", "a.py", "-nr", "0", "--id=0"}, {"python", "a.py", "-nr", "1", "--id=1"}}, notes),
        (Words{"python", "a.py", "-nr", "{node_rank}", "--id={node_rank}"}));
    EXPECT_EQ(words_for_all_nodes({{"python", "a.py", "--node-rank=0", "--seed", "0"}}, notes),
              (Words{"python", "a.py", "--node-rank={node_rank}", "--seed", "0"}));
    EXPECT_EQ(words_for_all_nodes({{"python", "a.py", "--machine_rank", "0"}}, notes),
              (Words{"python", "a.py", "--machine_rank", "{node_rank}"}));
    EXPECT_TRUE(notes.empty());
    EXPECT_EQ(words_for_all_nodes({{"python", "a.py", "--rank", "1"}}, notes).back(), "1")
        << "the line of one node";
    EXPECT_EQ(words_for_all_nodes({{"a", "--ip", "x"}, {"a", "--ip", "y"}}, notes).back(), "x");
    EXPECT_EQ(notes.size(), 1U);
}

TEST(ProgramLine, PlainLinesAreReadWithoutAShell) {
    const auto script = starts_as_written(
        split_shell_text("cd work\nexport A=1\nB=2 python train.py --x=3\nother y.yaml\n").commands);
    ASSERT_EQ(script.starts.size(), 2U);
    EXPECT_EQ(script.starts[0].words, (Words{"python", "train.py", "--x=3"}));
    EXPECT_EQ(script.starts[0].folder, "work");
    EXPECT_EQ(script.starts[0].environment, (std::map<std::string, std::string>{{"A", "1"}, {"B", "2"}}));
    EXPECT_EQ(script.starts[1].environment, (std::map<std::string, std::string>{{"A", "1"}}));
}

PastedLine read(const std::string& text, const std::filesystem::path& folder, Words nodes = {}) {
    PastedText pasted;
    pasted.text = text;
    pasted.folder = folder;
    pasted.nodes = std::move(nodes);
    auto read = read_script_text(pasted);
    EXPECT_TRUE(read.line.ok()) << (read.line.ok() ? "" : read.line.failure().what);
    return read.line ? std::move(*read.line) : PastedLine();
}

TEST(ProgramLine, GetsWhatItsScriptNeeds) {
    const PrivateFolder folder;
    std::ofstream(folder.path() / "light.py") << "import lightning as L\n";
    std::ofstream(folder.path() / "plain.py") << "rank = int(os.environ['RANK'])\n";
    std::ofstream(folder.path() / "jx.py") << "import jax\njax.distributed.initialize()\n";
    PastedLine line = read("python light.py --devices 2 --num_nodes 2", folder.path());
    EXPECT_EQ(line.tool, LauncherTool::Program);
    EXPECT_TRUE(line.job.own.own_ranks);
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 1);
    EXPECT_EQ(read("/usr/bin/python3 light.py", folder.path()).job.command,
              (Words{"/usr/bin/python3", "light.py"}));
    line = read("python plain.py", folder.path(), {"a", "b", "c"});
    EXPECT_FALSE(line.job.own.own_ranks) << "it cannot start without RANK";
    EXPECT_EQ(line.nodes, 3);
    EXPECT_TRUE(read("python elsewhere.py", folder.path()).job.own.own_ranks) << "as by hand";
    EXPECT_FALSE(read("RANK=0 WORLD_SIZE=2 python elsewhere.py", folder.path()).job.own.own_ranks);
    line = read("python jx.py", folder.path(), {"a", "b"});
    EXPECT_EQ(line.job.env.at("OMPI_COMM_WORLD_RANK"), "{rank}");
    EXPECT_EQ(line.job.env.at("OMPI_COMM_WORLD_SIZE"), "{world_size}");
    EXPECT_FALSE(read("python light.py", folder.path()).job.env.contains("OMPI_COMM_WORLD_RANK"));
}

ReadText starts_of(const std::string& text, std::size_t start = 0) {
    PastedText pasted;
    pasted.text = text;
    pasted.start = start;
    return read_script_text(pasted);
}

TEST(ProgramLine, SeveralStartsAreSeveralJobs) {
    const std::string sweep =
        "torchrun --nproc-per-node=2 train.py --lr 0.1\n"
        "torchrun --nproc-per-node=2 train.py --lr 0.01\n"
        "torchrun --nproc-per-node=2 train.py --lr 0.1\n";
    auto read = starts_of(sweep, 1);
    ASSERT_TRUE(read.line) << read.line.failure().what;
    EXPECT_EQ(read.starts, (Words{"torchrun --nproc-per-node=2 train.py --lr 0.1",
                                  "torchrun --nproc-per-node=2 train.py --lr 0.01"}));
    EXPECT_EQ(read.line->job.command.back(), "0.01");
    EXPECT_EQ(starts_of(sweep, 2).line.failure().code, FailureId("bad-command-line"));
    // The lines of one job, typed on its nodes.
    read = starts_of("torchrun --nnodes=2 --node-rank=0 a.py\ntorchrun --nnodes=2 --node-rank=1 a.py\n");
    EXPECT_EQ(read.starts.size(), 1U);
    EXPECT_EQ(read.line->nodes, 2);
    // Each with ranks of its own.
    read = starts_of(
        "torchrun --nnodes 2 --node_rank 0 --nproc_per_node 4 a.py --x\n"
        "torchrun --nnodes 2 --node_rank 1 --nproc_per_node 2 a.py --x\n");
    EXPECT_EQ(read.starts.size(), 1U);
    // Programs: a seed that counts is no number of a node.
    read = starts_of("python a.py --seed 0\npython a.py --seed 1\n", 1);
    EXPECT_EQ(read.starts.size(), 2U);
    EXPECT_EQ(read.line->job.command.back(), "1");
    EXPECT_LE(read.line->nodes, 1);
    EXPECT_EQ(starts_of("python a.py --nr 0\npython a.py --nr 1\n").starts.size(), 1U);
    EXPECT_EQ(starts_of("RANK=0 python a.py\nRANK=1 python a.py\n").line->nodes, 2);
}

TEST(ProgramLine, TwoTasksOfOneNodeShareItsGpus) {
    const auto read = starts_of(
        "CUDA_VISIBLE_DEVICES=0,1 torchrun --nnodes=2 --node-rank=0 --nproc-per-node=2 a.py\n"
        "CUDA_VISIBLE_DEVICES=2,3 torchrun --nnodes=2 --node-rank=1 --nproc-per-node=2 a.py\n");
    ASSERT_TRUE(read.line);
    ASSERT_EQ(read.starts.size(), 1U);
    EXPECT_TRUE(can_be_one_node(*read.line));
    Inventory inventory;
    inventory.nodes.resize(2);
    inventory.nodes[0].name = "a";
    inventory.nodes[1].name = "b";
    const auto one = job_from(*read.line, inventory, {"a"});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->procs_per_node, 4);
    EXPECT_EQ(one->devices.at("a"), (std::vector<int>{0, 1, 2, 3}));
    const auto two = job_from(*read.line, inventory, {"a", "b"});
    ASSERT_TRUE(two);
    EXPECT_EQ(two->procs_per_node, 2);
    EXPECT_EQ(two->devices.at("b"), (std::vector<int>{2, 3}));
}

TEST(ProgramLine, LaunchersAreKnownByWhatTheirOptionsSay) {
    auto line =
        read("colossalai run --nproc_per_node 4 --host a,b --master_addr a --ssh-port 22 train.py --x", "");
    EXPECT_EQ(line.tool, LauncherTool::Other);
    EXPECT_EQ(line.hosts, (Words{"a", "b"}));
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py", "--x"}));
    line = read("composer -n 8 train.py a.yaml", "");
    EXPECT_EQ(line.job.procs_per_node, 8);
    EXPECT_EQ(line.nodes, 1);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py", "a.yaml"}));
    line = read("torchx run -s local_cwd dist.ddp -j 2x4 --script train.py -- --lr 0.1", "");
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py", "--lr", "0.1"}));
    line =
        read("python -m our.tools.launch --num-nodes 2 --world-size 8 --dist_port 4000 -m pkg.train --y", "");
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.procs_per_node, 4);
    EXPECT_EQ(line.job.master_port, 4000);
    EXPECT_EQ(line.job.command, (Words{"python", "-m", "pkg.train", "--y"}));
    // Not launchers.
    EXPECT_EQ(read("python -m our.train --num-nodes 2 conf.py", "").tool, LauncherTool::Program);
    EXPECT_EQ(read("./dist_train.sh conf.py 8 --nproc 3", "").tool, LauncherTool::Program);
}

TEST(ProgramLine, AProgramAroundTheLauncherIsNamed) {
    auto line = read("nsys profile -o x torchrun --nproc-per-node=2 train.py", "");
    EXPECT_EQ(line.tool, LauncherTool::Torchrun);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py"}));
    line = read("ray job submit --address http://h:8265 -- python train.py --x 1", "");
    EXPECT_EQ(line.job.command, (Words{"python", "train.py", "--x", "1"}));
    EXPECT_NE(line.notes.back().find("ray job submit"), std::string::npos);
}

TEST(ProgramLine, MpirunItselfStartsWhatUsesMpi) {
    const PrivateFolder folder;
    std::ofstream(folder.path() / "mpi.py") << "from mpi4py import MPI\n";
    std::ofstream(folder.path() / "torch.py") << "import torch\n";
    PastedLine line = read("mpirun -np 3 python mpi.py", folder.path());
    EXPECT_EQ(line.job.command, (Words{"mpirun", "-np", "3", "python", "mpi.py"}));
    EXPECT_TRUE(line.job.own.own_ranks);
    EXPECT_EQ(line.job.procs_per_node, 1);
    EXPECT_TRUE(line.job.env.empty());
    line = read("mpirun -np 4 -H a:2,b:2 --mca btl tcp,self --hostfile=x python mpi.py -H c", folder.path());
    EXPECT_EQ(line.job.command,
              (Words{"mpirun", "-np", "4", "--mca", "btl", "tcp,self", "python", "mpi.py", "-H", "c"}));
    EXPECT_TRUE(line.job.own.mpi);
    EXPECT_FALSE(line.job.own.own_ranks);
    EXPECT_EQ(line.hosts, (Words{"a", "b"}));
    EXPECT_TRUE(read("mpirun -np 4 -H a:2,b:2 ./simulation", folder.path()).job.own.mpi)
        << "no Python: only MPI tells its ranks";
    EXPECT_EQ(read("mpirun -np 3 python torch.py", folder.path()).job.procs_per_node, 3);
}

}  // namespace
}  // namespace rankscope
