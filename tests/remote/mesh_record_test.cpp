// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The mesh of a run by what its programs print, and by their commands.

#include <remote/desk/runs/watch/group_words.h>
#include <remote/desk/runs/watch/mesh_record.h>
#include <remote/observe/mesh/axis_sizes.h>
#include <remote/observe/mesh/listed_groups.h>

#include <gtest/gtest.h>

namespace rankscope::test {
namespace {

LaunchPlan plan_of(int ranks, std::vector<std::string> command = {"python", "train.py"}) {
    LaunchPlan plan;
    plan.world_size = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
        plan.ranks.push_back({.rank = rank, .node = "n" + std::to_string(rank / 4), .command = command});
    }
    return plan;
}

MeshRecord printed(const std::string& text) {
    MeshRecord record;
    record.apply_log(0, {.text = text});
    return record;
}

std::string mesh_by(const std::string& text, int ranks) {
    return mesh_text(mesh_of(printed(text), plan_of(ranks)));
}

std::string mesh_by_command(std::vector<std::string> command, int ranks) {
    return mesh_text(mesh_of({}, plan_of(ranks, std::move(command))));
}

TEST(RunMesh, FollowsFromWhatLibrariesPrint) {
    EXPECT_EQ(
        mesh_by(
            "using world size: 16, data-parallel size: 2, context-parallel size: 1, hierarchical "
            "context-parallel sizes: None, tensor-model-parallel size: 2, pipeline-model-parallel size: 4\n",
            16),
        "pp 4 × dp 2 × tp 2");
    EXPECT_EQ(mesh_by("> initializing tensor model parallel with size 2\n"
                      "> initializing pipeline model parallel with size 4\n",
                      16),
              "pp 4 × dp 2 × tp 2");
    EXPECT_EQ(mesh_by("  context_parallel_size ........................... 2\n"
                      "  tensor_model_parallel_size ...................... 4\n"
                      "  virtual_pipeline_model_parallel_size ............ 8\n",
                      16),
              "dp 2 × cp 2 × tp 4");
    EXPECT_EQ(
        mesh_by("[titan] 2026-11-30 08:00:01 - root - INFO - Building device mesh with parallelism: pp=2, "
                "dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=4\n",
                16),
        "pp 2 × dp_shard 4 × tp 2");
    EXPECT_EQ(mesh_by("Building 2-D device mesh with ['dp', 'tp'], [2, 4]\n", 8), "dp 2 × tp 4");
    EXPECT_EQ(mesh_by("DeviceMesh((pp=2, dp=2, tp=2), 'cuda', stride=(4, 2, 1))\n"
                      "DeviceMesh((tp=2), 'cuda', stride=(1,))\n",
                      8),
              "pp 2 × dp 2 × tp 2");
    EXPECT_EQ(mesh_by("DeviceMesh((tp=2, dp=4), 'cuda', stride=(4, 1))\n", 8), "tp 2 × dp 4") << "as it says";
    EXPECT_EQ(mesh_by("Using topology: {ProcessCoord(pipe=0, data=0): 0, ProcessCoord(pipe=0, data=1): 1, "
                      "ProcessCoord(pipe=1, data=0): 2, ProcessCoord(pipe=1, data=1): 3}\n",
                      4),
              "pp 2 × dp 2");
    EXPECT_EQ(
        mesh_by(
            "[NeMo I 2024-05-01 10:00:00 megatron_init:253] All data parallel group ranks: [[0, 2], [1, 3]]\n"
            "[NeMo I 2024-05-01 10:00:00 megatron_init:268] All tensor model parallel group ranks: "
            "[[0, 1], [2, 3]]\n",
            4),
        "dp 2 × tp 2");
}

TEST(RunMesh, FollowsFromTheCommandBeforeAnythingRuns) {
    EXPECT_EQ(mesh_by_command({"python", "pretrain_gpt.py", "--tensor-model-parallel-size", "4",
                               "--pipeline-model-parallel-size", "4"},
                              64),
              "pp 4 × dp 4 × tp 4");
    EXPECT_EQ(mesh_by_command({"python", "-m", "torchtitan.train", "--parallelism.tensor_parallel_degree=4",
                               "--parallelism.data_parallel_replicate_degree=2"},
                              16),
              "dp_replicate 2 × dp_shard 2 × tp 4");
    EXPECT_EQ(mesh_by_command({"python", "train.py", "--tp", "2"}, 8), "dp 4 × tp 2");
    LaunchPlan plan = plan_of(8);
    plan.ranks.front().env = {{"PARALLELISM_CONFIG_TP_SIZE", "4"}, {"PARALLELISM_CONFIG_DP_SHARD_SIZE", "2"}};
    EXPECT_EQ(mesh_text(mesh_of({}, plan)), "dp_shard 2 × tp 4");
}

TEST(RunMesh, NamesNothingThatMayBeWrong) {
    EXPECT_EQ(mesh_by_command({"python", "train.py", "--tp", "3"}, 8), "") << "does not divide the ranks";
    EXPECT_EQ(mesh_by_command({"python", "train.py", "--tp", "2", "--tensor-parallel-size", "4"}, 8), "");
    EXPECT_EQ(mesh_by_command({"python", "train.py", "--tp", "2", "--dp", "2"}, 8), "") << "two are left";
    EXPECT_EQ(mesh_by_command({"python", "train.py", "--pp", "2"}, 8), "")
        << "libraries differ in whether stages or copies are neighbours";
    EXPECT_EQ(mesh_by("precision 0.5 tp: 3 fp: 2\n", 8), "");
    EXPECT_EQ(mesh_by("DeviceMesh((tp=2), 'cuda', stride=(1,))\n", 8), "") << "of two ranks alone";
    EXPECT_EQ(mesh_by("DeviceMesh((dp=2, tp=2), 'cuda', stride=(1, 2))\n", 4), "") << "transposed";
    EXPECT_EQ(mesh_by("All tensor parallel group ranks: [[0, 1], [1, 2]]\n", 4), "");
    EXPECT_EQ(mesh_by("values [[0, 1], [2, 3]]\n", 4), "");
}

/// Log lines of NCCL 2.28: who is in which communicator, not what for.
std::string communicators(const std::vector<std::vector<int>>& groups, int rank) {
    std::string lines;
    int id = 10;
    for (const std::vector<int>& ranks : groups) {
        ++id;
        const auto at = std::find(ranks.begin(), ranks.end(), rank);
        if (at != ranks.end()) {
            lines += "n0:77:78 [0] NCCL INFO ncclCommInitRankConfig comm 0x5581 rank " +
                     std::to_string(at - ranks.begin()) + " nranks " + std::to_string(ranks.size()) +
                     " cudaDev 0 nvmlDev 0 busId 7000 commId 0x" + std::to_string(id) + " - Init COMPLETE\n";
        }
    }
    return lines;
}

MeshRecord logged(const std::vector<std::vector<int>>& groups, int ranks) {
    MeshRecord record;
    for (int rank = 0; rank < ranks; ++rank) {
        record.apply_log(rank, {.text = communicators(groups, rank)});
    }
    return record;
}

TEST(RunMesh, CommunicatorsDecideTheOrderOfTheAxes) {
    const std::vector<std::string> command{"python", "train.py", "--tp", "2", "--pp", "2"};
    const auto mesh = [&](const std::vector<std::vector<int>>& groups) {
        return mesh_text(mesh_of(logged(groups, 8), plan_of(8, command)));
    };
    EXPECT_EQ(mesh({{0, 1}, {2, 3}, {4, 5}, {6, 7}}), "") << "of neighbours alone: both orders have them";
    EXPECT_EQ(mesh({{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}), "")
        << "all axes have two ranks";
    const std::vector<std::string> four{"python", "train.py", "--tp", "2", "--pp", "4"};
    const std::vector<std::vector<int>> outer{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}};
    EXPECT_EQ(mesh_text(mesh_of(logged(outer, 16), plan_of(16, four))), "pp 4 × dp 2 × tp 2");
    const std::vector<std::vector<int>> inner{{0, 2, 4, 6}, {1, 3, 5, 7}, {8, 10, 12, 14}, {9, 11, 13, 15}};
    EXPECT_EQ(mesh_text(mesh_of(logged(inner, 16), plan_of(16, four))), "dp 2 × pp 4 × tp 2");
    EXPECT_EQ(mesh_text(mesh_of(logged({{0, 1, 2}, {3, 4, 5}}, 16), plan_of(16, four))), "")
        << "no order fits";
}

TEST(RunMesh, CommunicatorsOfTheLogGetTheNamesOfTheirAxes) {
    MeshRecord record = logged({{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 1, 2, 3}}, 4);
    record.apply_log(0, {.text = "> initialized tensor model parallel with size 2\n"});
    const RunMesh mesh = mesh_of(record, plan_of(4));
    const auto words = words_of_groups(mesh);
    EXPECT_EQ(words.at("communicator 0x12"), "tp group 1 (ranks 2 and 3)");
    EXPECT_EQ(words.at("communicator 0x14"), "dp group 1 (ranks 1 and 3)");
    EXPECT_EQ(words.count("communicator 0x15"), 0U) << "all ranks";
    EXPECT_EQ(place_text(mesh, 3), "dp 1 · tp 1");
    EXPECT_EQ(place_text(mesh, 4), "");
    const std::uint64_t before = record.revision();
    record.restart();
    EXPECT_NE(record.revision(), before);
    EXPECT_TRUE(mesh_of(record, plan_of(4)).empty());
}

TEST(RunMesh, OutputStatesItBeforeTheFirstStep) {
    MeshRecord record;
    record.apply_metric(0, {.step = 1, .values = {}, .texts = {}});
    record.apply_log(0, {.text = "tp: 2\n"});
    EXPECT_EQ(mesh_text(mesh_of(record, plan_of(4))), "") << "of a metric";
    EXPECT_EQ(mesh_by("tensor parallel size: 2\n", 4), "dp 2 × tp 2");
}

TEST(RunMesh, ACommandTellsThatTensorGroupsCrossNodes) {
    LaunchPlan plan = plan_of(8, {"python", "pretrain_gpt.py", "--tensor-model-parallel-size", "4"});
    EXPECT_FALSE(tensor_across_nodes(mesh_of(plan), plan));
    for (RankPlan& rank : plan.ranks) {
        rank.node = rank.rank % 2 == 0 ? "n0" : "n1";
    }
    const auto notice = tensor_across_nodes(mesh_of(plan), plan);
    ASSERT_TRUE(notice);
    EXPECT_NE(notice->title.find("2 of 2, for example tp group 0 (ranks 0–3) on n0, n1"), std::string::npos)
        << notice->title;
}

TEST(RunMesh, ASharedPipeDoesNotSayWhoOpensACommunicator) {
    MeshRecord record;
    for (int rank = 0; rank < 4; ++rank) {
        record.apply_log(rank, {.text = communicators({{0, 1}, {2, 3}}, rank), .shared = true});
    }
    EXPECT_TRUE(record.communicators().empty());
    record.add_members(0xa, 2, {0, 1});  // by RAS
    ASSERT_EQ(record.communicators().size(), 1U);
    EXPECT_EQ(record.communicators().front().ranks, (std::vector<int>{0, 1}));
    record.add_members(0xb, 4, {2, 3});
    EXPECT_EQ(record.communicators().size(), 1U) << "two of its ranks were not seen";
}

TEST(RunMesh, IsThatOfTheStagesOfANativePipeline) {
    LaunchPlan plan = plan_of(6);
    plan.cost.emplace().pipeline.emplace().stages.resize(3);
    const RunMesh mesh = mesh_of({}, plan);
    EXPECT_EQ(mesh_text(mesh), "pp 3 × dp 2");
    EXPECT_EQ(place_text(mesh, 3), "pp 1 · dp 1");
}

TEST(RunMesh, SizesOfALargeRunTakeNoTime) {
    MeshRecord record = printed("tensor_model_parallel_size = 8, pipeline_model_parallel_size = 16\n");
    const RunMesh mesh = mesh_of(record, plan_of(1024));
    EXPECT_EQ(mesh_text(mesh), "pp 16 × dp 8 × tp 8");
    EXPECT_EQ(place_text(mesh, 1023), "pp 15 · dp 7 · tp 7");
    EXPECT_EQ(mesh.groups.size(), 64U + 128U + 128U);
}

}  // namespace
}  // namespace rankscope::test
