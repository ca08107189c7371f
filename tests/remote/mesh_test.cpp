// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the process groups of real programs are for: dumps of tests/data/meshes, whose README says what each program does.

#include <base/files.h>
#include <remote/observe/flight_recorder/flight_groups.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>

namespace rankscope::test {
namespace {

std::map<int, FlightDump> dumps_of(const std::string& program) {
    std::map<int, FlightDump> dumps;
    const std::filesystem::path folder = std::filesystem::path(RANKSCOPE_TEST_DATA) / "meshes" / program;
    for (int rank = 0; std::filesystem::exists(folder / ("rank_" + std::to_string(rank))); ++rank) {
        const auto bytes = read_file(folder / ("rank_" + std::to_string(rank)));
        const auto dump = read_flight_dump(bytes.value_or(std::string()));
        EXPECT_TRUE(dump) << program << " " << rank;
        dumps.emplace(rank, dump.value_or(FlightDump()));
    }
    return dumps;
}

std::string axes_text(const Mesh& mesh) {
    std::string text;
    for (const MeshAxis& axis : mesh.axes) {
        text += (text.empty() ? "" : " · ") + axis.name + " " + std::to_string(axis.size);
    }
    return text;
}

std::vector<int> range(int first, int count, int stride) {
    std::vector<int> ranks;
    for (int i = 0; i < count; ++i) {
        ranks.push_back(first + i * stride);
    }
    return ranks;
}

/// The groups that a rank is in: "tp 2 [4 5]".
std::vector<std::string> groups_of(const Mesh& mesh, const std::vector<ObservedGroup>& groups, int rank) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        if (std::find(groups[i].ranks.begin(), groups[i].ranks.end(), rank) == groups[i].ranks.end()) {
            continue;
        }
        std::string text = mesh.places[i].axis + " " + std::to_string(mesh.places[i].number) + " [";
        for (const int member : groups[i].ranks) {
            text += (text.back() == '[' ? "" : " ") + std::to_string(member);
        }
        found.push_back(text + "]");
    }
    std::sort(found.begin(), found.end());
    return found;
}

struct Program {
    const char* name;
    const char* axes;
    std::vector<std::string> rank1;  ///< groups of rank 1
};

class Programs : public ::testing::TestWithParam<Program> {};

TEST_P(Programs, GroupsHaveThePurposeThatTheProgramGaveThem) {
    const auto dumps = dumps_of(GetParam().name);
    ASSERT_GE(dumps.size(), 4U);
    const std::vector<ObservedGroup> groups = observed_groups(dumps);
    const Mesh mesh = infer_mesh(groups, static_cast<int>(dumps.size()));
    EXPECT_EQ(axes_text(mesh), GetParam().axes);
    EXPECT_EQ(groups_of(mesh, groups, 1), GetParam().rank1);
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, Programs,
    ::testing::Values(
        Program{"ddp", "world 4", {"world 0 [0 1 2 3]"}}, Program{"fsdp2", "world 4", {"world 0 [0 1 2 3]"}},
        Program{"hsdp",
                "dp_replicate 2 · dp_shard 4",
                {"dp_replicate 1 [1 5]", "dp_shard 0 [0 1 2 3]", "world 0 [0 1 2 3 4 5 6 7]"}},
        Program{"fsdp_tp", "dp 4 · tp 2", {"dp 1 [1 3 5 7]", "tp 0 [0 1]", "world 0 [0 1 2 3 4 5 6 7]"}},
        Program{"pp_dp", "pp 2 · dp 4", {"dp 0 [0 1 2 3]", "pp 1 [1 5]", "world 0 [0 1 2 3 4 5 6 7]"}},
        Program{"unnamed_tp_dp", "dp 2 · tp 2", {"dp 1 [1 3]", "tp 0 [0 1]", "world 0 [0 1 2 3]"}},
        Program{"unnamed_dp", "world 4", {" 0 [0 1]", "world 0 [0 1 2 3]"}},
        Program{"deepspeed1", "world 4", {"world 0 [0 1 2 3]", "world 0 [0 1 2 3]"}},
        Program{"deepspeed2", "world 4", {"world 0 [0 1 2 3]", "world 0 [0 1 2 3]"}},
        Program{"deepspeed3", "world 4", {"world 0 [0 1 2 3]", "world 0 [0 1 2 3]"}},
        Program{"megatron",
                "pp 2 · dp 2 · tp 2",
                {"dp 1 [1 3]", "embedding 1 [1 5]", "mp 0 [0 1 4 5]", "pp 1 [1 5]", "tp 0 [0 1]",
                 "tp·dp 0 [0 1 2 3]", "world 0 [0 1 2 3 4 5 6 7]"}},
        Program{"titan",
                "pp 2 · dp_shard 2 · tp 2",
                {"batch 1 [1 3]", "dp_shard 1 [1 3]", "loss_mesh 1 [1 3]", "pp 1 [1 5]", "tp 0 [0 1]",
                 "world 0 [0 1 2 3 4 5 6 7]"}}),
    [](const auto& program) { return std::string(program.param.name); });

TEST(StatedRole, IsReadInTheWordsOfTheName) {
    const auto said = [](const char* text) {
        const StatedRole role = stated_role(text);
        return std::string(to_string(role.role)) + " " + role.axis;
    };
    EXPECT_EQ(said("TENSOR_MODEL_PARALLEL_GROUP"), "tp tp");
    EXPECT_EQ(said("PIPELINE_MODEL_PARALLEL_GROUP"), "pp pp");
    EXPECT_EQ(said("DATA_PARALLEL_GROUP_WITH_CP"), "own dp·cp");
    EXPECT_EQ(said("EXPERT_DATA_PARALLEL_GROUP"), "own ep·dp");
    EXPECT_EQ(said("MODEL_PARALLEL_GROUP"), "own mp");
    EXPECT_EQ(said("POSITION_EMBEDDING_GROUP"), "own embedding");
    EXPECT_EQ(said("mesh_dp_shard"), "dp dp_shard");
    EXPECT_EQ(said("mesh_dp_shard_cp"), "own dp_shard_cp");
    EXPECT_EQ(said("tensorParallel"), "tp tp");
    EXPECT_EQ(said("ulysses sequence group"), "cp cp");
    for (const char* text :
         {"", "undefined", "default_pg", "my group", "update", "department", "37", "stapel"}) {
        EXPECT_EQ(stated_role(text).role, GroupRole::Unknown) << text;
    }
}

/// 4 × 4 × 4 ranks without a word: messages, many sums of neighbours, few of the others.
TEST(InferMesh, TellsTheAxesOfUnnamedGroupsByTheirTraffic) {
    std::vector<ObservedGroup> groups{{.name = "0", .description = "default_pg", .ranks = range(0, 64, 1)}};
    int name = 1;
    for (int pp = 0; pp < 4; ++pp) {
        for (int other = 0; other < 4; ++other) {
            groups.push_back({.name = std::to_string(name++),
                              .ranks = range(16 * pp + 4 * other, 4, 1),
                              .traffic = {.reductions = 96}});
            groups.push_back({.name = std::to_string(name++),
                              .ranks = range(16 * pp + other, 4, 4),
                              .traffic = {.scatters = 3, .gathers = 3}});
            groups.push_back({.name = std::to_string(name++),
                              .ranks = range(4 * pp + other, 4, 16),
                              .traffic = {.messages = 24}});
        }
    }
    const Mesh mesh = infer_mesh(groups, 64);
    EXPECT_EQ(axes_text(mesh), "pp 4 · dp 4 · tp 4");
    EXPECT_EQ(groups_of(mesh, groups, 37),
              (std::vector<std::string>{"dp 9 [33 37 41 45]", "pp 5 [5 21 37 53]", "tp 9 [36 37 38 39]",
                                        groups_of(mesh, groups, 37).back()}));
    EXPECT_EQ(mesh.coordinates.at(37), (std::vector<int>{2, 1, 1}));
    std::vector<ObservedGroup> gathered = groups;  // as FSDP in two levels: no tensor groups
    for (ObservedGroup& group : gathered) {
        group.traffic =
            group.traffic.reductions > 0 ? GroupTraffic{.scatters = 32, .gathers = 64} : group.traffic;
    }
    EXPECT_EQ(axes_text(infer_mesh(gathered, 64)), "pp 4") << "two readings are none";
    std::vector<ObservedGroup> silent = groups;
    for (ObservedGroup& group : silent) {
        group.traffic = {};
    }
    EXPECT_EQ(axes_text(infer_mesh(silent, 64)), "world 64") << "nothing is guessed from ranks alone";
}

TEST(InferMesh, ExpertsExchangeWithAll) {
    std::vector<ObservedGroup> groups{{.name = "a", .ranks = {0, 1}, .traffic = {.exchanges = 8}},
                                      {.name = "b", .ranks = {2, 3}, .traffic = {.exchanges = 8}}};
    EXPECT_EQ(axes_text(infer_mesh(groups, 4)), "ep 2");
    EXPECT_TRUE(infer_mesh({}, 0).axes.empty());
    EXPECT_TRUE(infer_mesh({{.name = "alone", .ranks = {0}}}, 1).places.front().axis == "world");
}

TEST(GroupTraffic, ReadsTheNamesOfPyTorchAndNccl) {
    GroupTraffic traffic;
    for (const char* name :
         {"gloo:all_reduce", "nccl:allreduce_coalesced", "AllReduce", "nccl:_reduce_scatter_base",
          "ReduceScatter", "nccl:_all_gather_base", "AllGather", "nccl:all_to_all", "AlltoAll",
          "nccl:send 0->1", "nccl:recv 0<-1", "Send", "gloo:barrier", "gloo:broadcast"}) {
        traffic.add(name);
    }
    EXPECT_EQ(traffic.reductions, 3U);
    EXPECT_EQ(traffic.scatters, 2U);
    EXPECT_EQ(traffic.gathers, 2U);
    EXPECT_EQ(traffic.exchanges, 2U);
    EXPECT_EQ(traffic.messages, 3U);
}

}  // namespace
}  // namespace rankscope::test
