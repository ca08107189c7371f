// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/hostile_texts.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope {
namespace {

using Words = std::vector<std::string>;

NodeSpec node_at(const std::string& name, const std::string& host) {
    NodeSpec node;
    node.name = name;
    node.host = host;
    return node;
}

Inventory two_nodes() {
    Inventory inventory;
    inventory.nodes = {node_at("node1", "10.0.0.1"), node_at("node2", "10.0.0.2")};
    return inventory;
}

KnownFacts facts_of_two(int gpus) {
    KnownFacts facts;
    for (const char* number : {"1", "2"}) {
        NodeFacts node;
        node.peer_address = std::string("10.0.0.") + number;
        for (int i = 0; i < gpus; ++i) {
            node.gpus.push_back({i, "H100", 1});
        }
        facts["node" + std::string(number)] = node;
    }
    return facts;
}

PastedLine read(const std::string& text) {
    auto line = read_launch_line(text);
    EXPECT_TRUE(line) << text << '\n' << (line ? "" : to_line(line.failure()));
    return line ? *line : PastedLine{};
}

Job job_of(const std::string& text, const Words& chosen = {}) {
    auto job = job_from(read(text), two_nodes(), chosen);
    EXPECT_TRUE(job) << text << '\n' << (job ? "" : to_line(job.failure()));
    return job ? *job : Job{};
}

std::string said(const std::vector<std::string>& notes) {
    std::string all;
    for (const auto& note : notes) {
        all += note + '\n';
    }
    return all;
}

TEST(LaunchLine, TorchrunAsPeopleTypeIt) {
    const auto line = read(
        "NCCL_DEBUG=INFO CUDA_VISIBLE_DEVICES=0,3 torchrun \\\n  --nnodes 2 --nproc_per_node=2 "
        "--node_rank=$RANK \\\n"
        "  --master_addr 10.0.0.1 --master_port=29501 --max-restarts 3 train.py --lr 0.1 'two words' 2>&1 | "
        "tee log.txt");
    EXPECT_EQ(line.tool, LauncherTool::Torchrun);
    EXPECT_EQ(line.nodes, 2);
    EXPECT_EQ(line.job.command, (Words{"python3", "train.py", "--lr", "0.1", "two words"}));
    EXPECT_EQ(line.job.procs_per_node, 2);
    EXPECT_EQ(line.job.master_port, 29501);
    EXPECT_EQ(line.job.max_restarts, 3);
    EXPECT_EQ(line.job.name, "train");
    EXPECT_EQ(line.job.env, (std::map<std::string, std::string>{{"NCCL_DEBUG", "INFO"}}));
    EXPECT_EQ(line.gpus, (std::vector<int>{0, 3}));
    EXPECT_NE(said(line.notes).find("$RANK"), std::string::npos) << "reports that it is not filled in";
    const auto job = job_from(line, two_nodes(), {});
    ASSERT_TRUE(job);
    EXPECT_TRUE(job->all_nodes);
    EXPECT_EQ(job->devices.at("node2"), (std::vector<int>{0, 3}));
    EXPECT_TRUE(make_plan(two_nodes(), *job, facts_of_two(4)));
}

TEST(LaunchLine, TorchrunsOtherForms) {
    EXPECT_EQ(job_of("torchrun --standalone --nproc-per-node=gpu -m pkg.train --x").command,
              (Words{"python3", "-m", "pkg.train", "--x"}));
    EXPECT_EQ(job_of("torchrun --standalone --nproc-per-node=gpu -m pkg.train").nodes, Words{kLocalNodeName});
    EXPECT_EQ(job_of("torchrun --standalone --nproc-per-node=gpu -m pkg.train").procs_per_node, 0) << "auto";
    EXPECT_EQ(job_of("torchrun train.py").procs_per_node, 1) << "torchrun's default";
    EXPECT_EQ(job_of("torchrun --no-python ./a.out -n 3").command, (Words{"./a.out", "-n", "3"}));
    EXPECT_EQ(job_of("/opt/venv/bin/python -u -m torch.distributed.run --nproc_per_node 1 a.py").command,
              (Words{"/opt/venv/bin/python", "a.py"}));
    EXPECT_EQ(read("torchrun --nnodes=1:4 a.py").nodes, 4);
    EXPECT_EQ(
        read("torchrun --rdzv-backend=c10d --rdzv-endpoint=host:29603 --rdzv-id 7 a.py").job.master_port,
        29603);
    EXPECT_EQ(read("torchrun --rdzv_backend c10d --rdzv_endpoint host a.py").job.master_port, 29400)
        << "c10d's own";
    EXPECT_EQ(read("torchrun --nproc-per-node=cpu a.py").job.backend, BackendChoice::Gloo);
    EXPECT_EQ(read("torchrun -r 3 -t 0:1,1:2 --log-dir=x a.py").job.command, (Words{"python3", "a.py"}));
    EXPECT_EQ(read("torchrun --shutdown-timeout=20 a.py").job.grace_s, 20);
    EXPECT_NE(said(read("torchrun --brand-new=1 a.py").notes).find("--brand-new=1"), std::string::npos);
}

TEST(LaunchLine, TheForerunnerPassesTheLocalRank) {
    const auto job = job_of(
        "python -m torch.distributed.launch --nproc_per_node=4 --master_port 1234 train.py --epochs 3");
    EXPECT_EQ(job.command, (Words{"python", "train.py", "--local_rank={local_rank}", "--epochs", "3"}));
    EXPECT_EQ(job.procs_per_node, 4);
    const auto plan = make_plan(two_nodes(), job, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->ranks.at(3).command.at(2), "--local_rank=3");
    EXPECT_EQ(job_of("python -m torch.distributed.launch --use_env train.py").command,
              (Words{"python", "train.py"}));
}

TEST(LaunchLine, WhatStandsBeforeTheLauncher) {
    const auto line = read(
        "#!/bin/bash\nset -e\nexport NCCL_DEBUG=WARN OMP_NUM_THREADS=4\nsource ~/venv/bin/activate\ncd "
        "~/proj && \\\n"
        "nohup torchrun --nproc_per_node 2 a.py > out.log 2>&1 &");
    EXPECT_EQ(line.job.workdir, "~/proj");
    EXPECT_EQ(line.job.env,
              (std::map<std::string, std::string>{{"NCCL_DEBUG", "WARN"}, {"OMP_NUM_THREADS", "4"}}));
    EXPECT_NE(said(line.notes).find("~/venv/bin/activate"), std::string::npos);
    EXPECT_NE(said(line.notes).find("out.log"), std::string::npos);
    const auto twice = read("torchrun --nnodes 2 --node_rank 0 a.py\ntorchrun --nnodes 2 --node_rank 1 a.py");
    EXPECT_EQ(twice.nodes, 2);
    EXPECT_NE(said(twice.notes).find("2 lines"), std::string::npos);
}

TEST(LaunchLine, Srun) {
    const auto job =
        job_of("srun -p gpu -N2 -n4 --gres=gpu:2 --export=ALL python -u main.py --dist-url env://",
               {"node1", "node2"});
    EXPECT_EQ(job.procs_per_node, 2);
    EXPECT_EQ(job.command, (Words{"python", "main.py", "--dist-url", "env://"}));
    EXPECT_EQ(job.env.at("SLURM_PROCID"), "{rank}");
    const auto plan = make_plan(two_nodes(), job, {});
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->ranks.at(3).env.at("SLURM_PROCID"), "3");
    EXPECT_EQ(plan->ranks.at(3).env.at("SLURM_LOCALID"), "1");
    EXPECT_EQ(plan->ranks.at(3).env.at("SLURM_NODEID"), "1");
    EXPECT_EQ(job_of("srun -w 10.0.0.2,10.0.0.1 --ntasks-per-node 1 ./a").nodes, (Words{"node2", "node1"}));
    EXPECT_FALSE(read_launch_line("srun -N2 -n3 ./a")) << "3 tasks on 2 nodes";
}

TEST(LaunchLine, SrunAndSbatchBecomeSlurmJobs) {
    for (const char* pasted :
         {"srun --partition=a100 -n 16 --gres=gpu:8 --ntasks-per-node=8 --mem=64G --exclusive -t 30 ./a b",
          "sbatch -p a100 -n 16 --gres=gpu:8 --ntasks-per-node=8 --mem=64G --exclusive -t 30 --wrap 'srun "
          "./a b'",
          "sbatch -p a100 -n 16 --gpus-per-node=8 --ntasks-per-node=8 --mem=64G --exclusive -t 30 "
          "--wrap='./a b'",
          "#!/bin/bash\n#SBATCH -p a100\n#SBATCH --ntasks=16 --gres=gpu:8  # all\n#SBATCH "
          "--ntasks-per-node=8\n"
          "#SBATCH --mem=64G --exclusive\n#SBATCH -t 99\n\nsrun -t 30 ./a b\n"}) {
        const PastedLine line = read(pasted);
        EXPECT_NE(said(line.notes).find("allocation"), std::string::npos);
        const Job job = submitted_job(line, kSlurmLauncher, "login1");
        EXPECT_TRUE(job.nodes.empty());
        EXPECT_EQ(job.procs_per_node, 8) << pasted;
        EXPECT_EQ(job.command, (Words{"./a", "b"})) << pasted;
        const SlurmOptions& options = slurm_options(job);
        EXPECT_EQ(options.login, "login1");
        EXPECT_EQ(options.nodes, 2) << pasted;
        EXPECT_EQ(options.partition, "a100");
        EXPECT_EQ(options.gres, "gpu:8");
        EXPECT_EQ(options.time, "30") << pasted;
        EXPECT_EQ(options.extra, (Words{"--mem=64G", "--exclusive"})) << pasted;
        EXPECT_TRUE(parse_job(to_yaml(job), "j.yaml").problems.empty()) << to_yaml(job);
    }
    const auto script = read_launch_line("sbatch -N 2 train.sh");
    ASSERT_FALSE(script);
    EXPECT_NE(script.failure().remedy.find("Paste the text"), std::string::npos);
}

TEST(LaunchLine, DeepSpeed) {
    const auto job =
        job_of("deepspeed --include 10.0.0.1:0,1@10.0.0.2:3 --master_port 1111 train.py --deepspeed ds.json");
    EXPECT_EQ(job.nodes, (Words{"node1", "node2"}));
    EXPECT_EQ(job.devices.at("node1"), (std::vector<int>{0, 1}));
    EXPECT_EQ(job.devices.at("node2"), std::vector<int>{3});
    EXPECT_EQ(job.command,
              (Words{"python3", "train.py", "--local_rank={local_rank}", "--deepspeed", "ds.json"}));
    EXPECT_EQ(job_of("deepspeed --num_gpus=4 --no_local_rank --module a.b").command,
              (Words{"python3", "-m", "a.b"}));
    EXPECT_NE(said(read("deepspeed --hostfile=/job/hostfile a.py").notes).find("nodes import"),
              std::string::npos);
}

TEST(LaunchLine, Accelerate) {
    const auto job = job_of(
        "accelerate launch --multi_gpu --num_machines 2 --num_processes 8 --machine_rank 0 --main_process_ip "
        "10.0.0.1 "
        "--main_process_port 29503 --mixed_precision bf16 train.py --x 1");
    EXPECT_EQ(job.procs_per_node, 4);
    EXPECT_EQ(job.master_port, 29503);
    EXPECT_EQ(job.env.at("ACCELERATE_MIXED_PRECISION"), "bf16");
    EXPECT_EQ(job.command, (Words{"python3", "train.py", "--x", "1"}));
    EXPECT_FALSE(read_launch_line("accelerate launch --num_machines 2 --num_processes 3 a.py"));
    const auto plugins = read_launch_line(
        "accelerate launch --use_fsdp --fsdp_state_dict_type FULL_STATE_DICT "
        "--fsdp_transformer_layer_cls_to_wrap Block "
        "--zero_stage=2 --num_processes 4 a.py --x 1");
    ASSERT_TRUE(plugins) << plugins.failure().what;
    EXPECT_EQ(plugins->job.env,
              (std::map<std::string, std::string>{{"ACCELERATE_DEEPSPEED_ZERO_STAGE", "2"},
                                                  {"ACCELERATE_USE_FSDP", "true"},
                                                  {"FSDP_STATE_DICT_TYPE", "FULL_STATE_DICT"},
                                                  {"FSDP_TRANSFORMER_CLS_TO_WRAP", "Block"}}));
    EXPECT_EQ(plugins->job.command, (std::vector<std::string>{"python3", "a.py", "--x", "1"}));
    EXPECT_FALSE(read_launch_line("accelerate config"));
}

TEST(LaunchLine, MpirunAndHorovodrun) {
    const auto job = job_of(
        "mpirun -np 3 -H 10.0.0.1:2,10.0.0.2:2 --mca btl_tcp_if_include eth1 -x NCCL_DEBUG=INFO -x PATH "
        "-bind-to none python train.py -n 5");
    EXPECT_EQ(job.nodes, (Words{"node1", "node2"}));
    EXPECT_EQ(job.procs_of_node, (std::map<std::string, int>{{"node1", 2}, {"node2", 1}}))
        << "filled up in order";
    EXPECT_EQ(job.interface_name, "eth1");
    EXPECT_EQ(job.env.at("NCCL_DEBUG"), "INFO");
    EXPECT_EQ(job.env.at("OMPI_COMM_WORLD_RANK"), "{rank}");
    EXPECT_EQ(job.env.count("PATH"), 0U);
    EXPECT_EQ(job.command, (Words{"python", "train.py", "-n", "5"}));
    EXPECT_EQ(job_of("mpirun -n 8 --map-by ppr:4:node ./a").procs_per_node, 4);
    EXPECT_EQ(job_of("mpiexec -n 4 ./a").nodes, Words{kLocalNodeName});
    EXPECT_EQ(job_of("mpiexec.hydra -hosts 10.0.0.1,10.0.0.2 -ppn 2 -genv A b ./a").env.at("A"), "b");
    const auto horovod = job_of("horovodrun -np 4 -H localhost:4 python train.py");
    EXPECT_EQ(horovod.nodes, Words{kLocalNodeName});
    EXPECT_EQ(horovod.procs_per_node, 4);
    EXPECT_EQ(horovod.env.at("HOROVOD_LOCAL_RANK"), "{local_rank}");
}

TEST(LaunchLine, Paddle) {
    const auto job = job_of(
        "python -m paddle.distributed.launch --master 10.0.0.1:8090 --nnodes 2 --devices 0,1 --log_dir l "
        "train.py");
    EXPECT_EQ(job.master_port, 8090);
    EXPECT_EQ(job.procs_per_node, 2);
    EXPECT_EQ(job.devices.at("node1"), (std::vector<int>{0, 1}));
    EXPECT_EQ(job.env.at("PADDLE_TRAINER_ID"), "{rank}");
    EXPECT_EQ(job.env.at("PADDLE_TRAINER_ENDPOINTS"), "{endpoints}");
    EXPECT_EQ(
        job_of("python -m paddle.distributed.launch --backend gloo a.py").env.at("PADDLE_DISTRI_BACKEND"),
        "gloo");
    EXPECT_EQ(job_of("fleetrun --ips 10.0.0.2,10.0.0.1 --gpus 0 a.py").nodes, (Words{"node2", "node1"}));
}

TEST(LaunchLine, WhatIsNotUnderstoodIsNamed) {
    const std::vector<std::pair<const char*, const char*>> table{
        {"", "no launcher"},
        {"python train.py", "does not know the launcher \"python\""},
        {"ls -l", "torchrun, torch.distributed.launch, srun"},
        {"torchrun --nproc_per_node=$N a.py", "\"$N\" is not a number"},
        {"torchrun --nproc_per_node", "has no value"},
        {"torchrun --nproc_per_node 2", "names no program"},
        {"torchrun --master_port=70000 a.py", "0 to 65535"},
        {"torchrun 'a.py", "never closed"},
        {"mpirun -H a:x ./a", "host:slots"},
        {"deepspeed --include a:b x.py", "list of GPUs"},
        {"python -m paddle.distributed.launch --run_mode ps a.py", "collective"},
    };
    for (const auto& [text, expected] : table) {
        const auto line = read_launch_line(text);
        ASSERT_FALSE(line) << text;
        const std::string all = to_line(line.failure());
        EXPECT_NE(all.find(expected), std::string::npos) << text << "\n" << all;
        EXPECT_FALSE(line.failure().remedy.empty()) << text;
    }
    for (const std::string text : {"torchrun --never-heard a.py", "mpirun --never-heard=3 python3 a.py",
                                   "deepspeed --never-heard 3 a.py"}) {
        const PastedLine line = read(text);
        EXPECT_NE(said(line.notes).find("--never-heard"), std::string::npos) << text;
        EXPECT_EQ(line.job.command.at(1), "a.py") << text;
    }
    EXPECT_FALSE(job_from(read("mpirun -H stranger:1 ./a"), two_nodes(), {}));
    EXPECT_FALSE(job_from(read("torchrun --nnodes 3 a.py"), two_nodes(), {})) << "two nodes are there";
    EXPECT_FALSE(job_from(read("torchrun --nnodes 2 a.py"), two_nodes(), {"node1"}));
}

struct RoundTrip {
    LauncherTool tool;
    std::string title;
    Job job;
};

std::vector<RoundTrip> round_trips() {
    Job plain;
    plain.name = "train";
    plain.nodes = {"node1", "node2"};
    plain.procs_per_node = 2;
    plain.command = {"python3", "train.py", "--lr", "0.1", "it's two words"};
    plain.env = {{"NCCL_DEBUG", "INFO"}, {"MESSAGE", "a \"b\" $HOME"}};
    plain.master_port = 29511;
    Job module = plain;
    module.command = {"python3", "-m", "pkg.train", "-x"};
    Job program = plain;
    program.command = {"./train", "-n", "3"};
    Job alone = plain;
    alone.nodes = {kLocalNodeName};
    std::vector<RoundTrip> all;
    for (const auto tool : all_launcher_tools()) {
        all.push_back({tool, "script", plain});
        all.push_back({tool, "one machine", alone});
        if (tool != LauncherTool::Paddle) {
            all.push_back({tool, "program", program});
        }
        if (tool != LauncherTool::Paddle) {
            all.push_back({tool, "module", module});
        }
    }
    Job uneven = plain;
    uneven.procs_per_node = 0;
    uneven.procs_of_node = {{"node1", 3}, {"node2", 1}};
    for (const auto tool : {LauncherTool::Mpirun, LauncherTool::Horovodrun}) {
        all.push_back({tool, "uneven", uneven});
    }
    Job cyclic = plain;
    cyclic.rank_order = RankOrder::Cyclic;
    for (const auto tool : {LauncherTool::Mpirun, LauncherTool::Srun}) {
        all.push_back({tool, "cyclic", cyclic});
    }
    Job local_rank = plain;
    local_rank.command.insert(local_rank.command.begin() + 2, "--local_rank={local_rank}");
    for (const auto tool : {LauncherTool::TorchLaunch, LauncherTool::DeepSpeed}) {
        all.push_back({tool, "local rank", local_rank});
    }
    return all;
}

// What starts, without what only names the launcher that was read.
nlohmann::json essence(const LaunchPlan& plan) {
    auto json = to_json(plan);
    json.erase("notes");
    json.erase("job");  // named after the program
    for (auto& rank : json["ranks"]) {
        for (const char* prefix : {"PADDLE_", "FLAGS_", "ACCELERATE_"}) {
            std::vector<std::string> gone;
            for (const auto& [name, value] : rank["env"].items()) {
                if (name.starts_with(prefix)) {
                    gone.push_back(name);
                }
            }
            for (const auto& name : gone) {
                rank["env"].erase(name);
            }
        }
    }
    return json;
}

TEST(LaunchLine, SaysWhereTheRanksOfAContainerAre) {
    Job job;
    job.name = "contained";
    job.nodes = {"node1", "node2"};
    job.command = {"python3", "train.py"};
    job.container.image = "reg/img:2";
    const auto plan = make_plan(two_nodes(), job, facts_of_two(0));
    ASSERT_TRUE(plan);
    const auto lines = write_launch_lines(LauncherTool::Torchrun, job, *plan);
    ASSERT_TRUE(lines);
    EXPECT_EQ(lines->notes.back(),
              "The ranks run in containers of reg/img:2: type the lines within one on each node.");
}

TEST(LaunchLine, PlansWarnOfTensorGroupsThatCrossNodes) {
    Job job;
    job.name = "tensor";
    job.nodes = {"node1", "node2"};
    job.procs_per_node = 2;
    job.command = {"python3", "pretrain.py", "--tensor-model-parallel-size=2"};
    const auto crossings = [&] {
        const auto plan = make_plan(two_nodes(), job, facts_of_two(0));
        EXPECT_TRUE(plan);
        return std::count_if(plan->notes.begin(), plan->notes.end(), [](const std::string& note) {
            return note.starts_with("Tensor groups cross nodes: 2 of 2");
        });
    };
    EXPECT_EQ(crossings(), 0);
    job.rank_order = RankOrder::Cyclic;
    EXPECT_EQ(crossings(), 1);
}

TEST(LaunchLine, RoundTripsStartTheSameRanks) {
    for (const auto& [tool, title, job] : round_trips()) {
        const std::string name = std::string(to_string(tool)) + ", " + title;
        const auto plan = make_plan(two_nodes(), job, facts_of_two(0));
        ASSERT_TRUE(plan) << name;
        const auto lines = write_launch_lines(tool, job, *plan);
        ASSERT_TRUE(lines) << name << to_line(lines.failure());
        ASSERT_FALSE(lines->lines.empty()) << name;
        const auto line = read(lines->lines[0].text);
        EXPECT_EQ(line.tool, tool) << lines->lines[0].text;
        const auto back = job_from(line, two_nodes(), job.nodes);
        ASSERT_TRUE(back) << name << '\n' << lines->lines[0].text << '\n' << to_line(back.failure());
        Job again = *back;
        if (title == "uneven") {  // the hosts are in the line
            const auto by_hosts = job_from(line, two_nodes(), {});
            ASSERT_TRUE(by_hosts) << lines->lines[0].text;
            again = *by_hosts;
        }
        if (again.procs_per_node == 0 && again.procs_of_node.empty()) {
            again.procs_per_node = job.procs_per_node;  // a hostfile's or host list's
        }
        const auto second = make_plan(two_nodes(), again, facts_of_two(0));
        ASSERT_TRUE(second) << name << '\n' << lines->lines[0].text;
        EXPECT_EQ(essence(*second), essence(*plan)) << name << '\n'
                                                    << lines->lines[0].text << '\n'
                                                    << lines->file;
    }
}

TEST(LaunchLine, LinesSayWhereToTypeThem) {
    Job job;
    job.name = "x";
    job.nodes = {"node1", "node2"};
    job.procs_of_node = {{"node1", 2}, {"node2", 4}};
    job.command = {"python3", "a.py"};
    job.master_port = 0;
    job.rank_env = {{0, {{"NCCL_DEBUG", "INFO"}}}};
    const auto plan = make_plan(two_nodes(), job, facts_of_two(4));
    ASSERT_TRUE(plan);
    const auto torchrun = write_launch_lines(LauncherTool::Torchrun, job, *plan);
    ASSERT_TRUE(torchrun);
    ASSERT_EQ(torchrun->lines.size(), 2U);
    EXPECT_EQ(torchrun->lines[1].node, "node2");
    EXPECT_EQ(torchrun->lines[1].text,
              "CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc-per-node=4 --nnodes=2 --node-rank=1 "
              "--master-addr=10.0.0.1 "
              "--master-port=29500 a.py");
    EXPECT_NE(said(torchrun->notes).find("NCCL_DEBUG differs"), std::string::npos);
    EXPECT_NE(said(torchrun->notes).find("master_port: 0"), std::string::npos);
    EXPECT_FALSE(write_launch_lines(LauncherTool::Accelerate, job, *plan)) << "2 and 4 ranks";
    const auto deepspeed = write_launch_lines(LauncherTool::DeepSpeed, job, *plan);
    ASSERT_TRUE(deepspeed);
    EXPECT_EQ(deepspeed->file, "10.0.0.1 slots=2\n10.0.0.2 slots=4\n");
    Job native = job;
    native.command.clear();
    native.train = nlohmann::json{{"model", "convnet"}};
    const auto worker = write_launch_lines(LauncherTool::Mpirun, native, *make_plan(two_nodes(), native, {}));
    ASSERT_TRUE(worker);
    EXPECT_NE(worker->lines[0].text.find("rankscope-worker --config train.json"), std::string::npos);
}

// What a job and an inventory of somebody else bring is a word of the line, for the user's shell and for those of the ranks.
TEST(LaunchLine, NoPartOfAWrittenLineIsACommand) {
    const test::TemporaryFolder folder;
    const std::string mark = (folder / "mark").string();
    // The launchers do what they are asked to do: they start what begins with "sh".
    const std::string launchers = R"(launch() { while [ $# -gt 0 ] && [ "$1" != sh ]; do shift; done; "$@"; }
for p in torchrun srun deepspeed accelerate horovodrun mpirun python3; do eval "$p() { launch \"\$@\"; }"; done
)";
    for (const auto& attack : test::hostile_texts(mark)) {
        Job job;
        job.name = attack;
        job.nodes = {"node1", "node2"};
        job.procs_per_node = 1;
        job.command = {"true", attack};
        job.env = {{attack, "1"}, {"A", attack}};
        Inventory inventory = two_nodes();
        inventory.nodes[0].address = attack;
        const auto plan = make_plan(inventory, job, {});
        ASSERT_TRUE(plan);
        for (const auto tool : all_launcher_tools()) {
            const auto lines = write_launch_lines(tool, job, *plan);
            if (!lines) {
                continue;
            }
            for (const auto& line : lines->lines) {
                (void)test::run_program({"bash", "-c", launchers + line.text});
                EXPECT_FALSE(std::filesystem::exists(mark)) << to_string(tool) << ": " << line.text;
                std::filesystem::remove(mark);
            }
        }
    }
}

TEST(LaunchLine, APastedTextIsReadAndNeverRun) {
    const test::TemporaryFolder folder;
    const std::string mark = (folder / "mark").string();
    for (const auto& attack : test::hostile_texts(mark)) {
        for (const std::string& text :
             {"torchrun --nproc-per-node=2 train.py " + attack, "X=" + attack + " torchrun train.py",
              "cd " + attack + " && torchrun train.py",
              "#!/bin/bash\n#SBATCH -J " + attack + "\nsrun python3 train.py " + attack,
              "export MASTER_ADDR=" + attack + "\nsrun torchrun train.py", attack}) {
            if (const auto line = read_launch_line(text)) {
                static_cast<void>(job_from(*line, two_nodes(), {"node1"}));
            }
            EXPECT_FALSE(std::filesystem::exists(mark)) << text;
        }
    }
}

TEST(LaunchLine, ChosenNodesTakeTheSlotsOfTheHostsInTheLine) {
    const auto line = read_launch_line("mpirun -np 4 -H a:2,b:2 python train.py");
    ASSERT_TRUE(line.ok());
    const auto job = job_from(*line, Inventory(), {"node1", "node2"});
    ASSERT_TRUE(job.ok());
    EXPECT_EQ(job->procs_per_node, 2);
    EXPECT_EQ(job->nodes, (std::vector<std::string>{"node1", "node2"}));
}

}  // namespace
}  // namespace rankscope
