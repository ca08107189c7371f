// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/memory_need.h>
#include <remote/desk/jobs/plan/run_mesh.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;

Inventory two_gpu_nodes() {
    Inventory inventory;
    for (const char* name : {"big", "small"}) {
        NodeSpec node;
        node.name = name;
        inventory.nodes.push_back(node);
    }
    return inventory;
}

KnownFacts two_facts() {
    KnownFacts facts;
    facts["big"].gpus = {{0, "NVIDIA H200", 141 * kGib}, {1, "NVIDIA H200", 141 * kGib}};
    facts["small"].gpus = {{0, "NVIDIA A10", 24 * kGib}, {1, "NVIDIA T4", 16 * kGib}};
    return facts;
}

Job resnet(std::int64_t batch, const std::string& precision = "fp32") {
    Job job;
    job.name = "x";
    job.nodes = {"big", "small"};
    job.procs_per_node = 2;
    job.train = nlohmann::json{{"model", "resnet50"},
                               {"device", "cuda"},
                               {"dataset", {{"name", "image-folder"}, {"root", "/data"}, {"classes", 1000}}},
                               {"precision", precision},
                               {"batch_size", batch}};
    return job;
}

TEST(MemoryNeed, IsComparedWithTheSmallestGpu) {
    const KnownFacts facts = two_facts();
    const Job job = resnet(256);
    const auto plan = make_node_plan(two_gpu_nodes(), job, facts);
    ASSERT_TRUE(plan) << plan.failure().what;
    const auto need = memory_need(*plan, facts);
    ASSERT_TRUE(need);
    EXPECT_EQ(need->node, "small");
    EXPECT_EQ(need->gpu, "NVIDIA T4");
    EXPECT_EQ(need->there, 16 * kGib);
    EXPECT_FALSE(need->fits());
    EXPECT_EQ(need->fitting_batch(), 128);
    ASSERT_FALSE(plan->notes.empty());
    EXPECT_NE(plan->notes.back().find("NVIDIA T4 on small"), std::string::npos) << plan->notes.back();
    EXPECT_NE(plan->notes.back().find("A batch of 128 fits."), std::string::npos) << plan->notes.back();

    const auto half_plan = make_node_plan(two_gpu_nodes(), resnet(256, "bf16"), facts);
    ASSERT_TRUE(half_plan);
    const auto half = memory_need(*half_plan, facts);
    EXPECT_TRUE(half->fits());
    EXPECT_EQ(memory_note(half), "");
}

TEST(MemoryNeed, RanksOfOneGpuShareIt) {
    const KnownFacts facts = two_facts();
    const Job job = resnet(256);
    auto plan = make_node_plan(two_gpu_nodes(), job, facts);
    ASSERT_TRUE(plan);
    for (auto& rank : plan->ranks) {
        rank.device = "cuda:0";
    }
    EXPECT_EQ(memory_need(*plan, facts)->there, 12 * kGib);
}

TEST(MemoryNeed, IsUnknownWhereOneSideIs) {
    const KnownFacts facts = two_facts();
    auto plan = make_node_plan(two_gpu_nodes(), resnet(256), facts);
    ASSERT_TRUE(plan);
    EXPECT_FALSE(memory_need(*plan, {})) << "the nodes were not probed";
    Job own = resnet(256);
    own.train.reset();
    own.command = {"python3", "train.py"};
    const auto of_program = make_node_plan(two_gpu_nodes(), own, facts);
    ASSERT_TRUE(of_program) << of_program.failure().what;
    EXPECT_FALSE(memory_need(*of_program, facts)) << "a program of the user";
    for (auto& rank : plan->ranks) {
        rank.device = "cpu";
    }
    EXPECT_FALSE(memory_need(*plan, facts));
    EXPECT_EQ(memory_note({}), "");
}

TEST(PlanCost, ZeroDividesStateAndGradients) {
    Job job = resnet(32);
    (*job.train)["device"] = "cpu";
    (*job.train)["optimizer"] = {{"name", "adamw"}};
    const auto cost_with = [&](int zero) {
        (*job.train)["parallel"] = {{"zero", zero}};
        const auto plan = make_node_plan(two_gpu_nodes(), job, two_facts());
        EXPECT_TRUE(plan) << plan.failure().what;
        EXPECT_EQ(plan->world_size, 4);
        return *plan->cost;
    };
    constexpr std::uint64_t kWeights = 4 * std::uint64_t{25557032};
    constexpr std::uint64_t kBucket = kWeights / 6;
    const engine::TrainingCost whole = cost_with(0);
    EXPECT_EQ(whole.memory.weights, kWeights);
    EXPECT_EQ(whole.memory.gradients, kWeights);
    EXPECT_EQ(whole.memory.optimizer, 2 * kWeights);
    EXPECT_EQ(whole.sent, 2 * kWeights * 3 / 4);
    const engine::TrainingCost one = cost_with(1);
    EXPECT_EQ(one.memory.gradients, kWeights);
    EXPECT_EQ(one.memory.optimizer, 2 * kWeights / 4);
    EXPECT_EQ(one.sent, whole.sent);
    const engine::TrainingCost two = cost_with(2);
    EXPECT_EQ(two.memory.weights, kWeights);
    EXPECT_EQ(two.memory.optimizer, 2 * kWeights / 4);
    EXPECT_NEAR(static_cast<double>(two.memory.gradients), kWeights / 4.0 + 2.0 * kBucket, 16);
    EXPECT_EQ(two.sent, whole.sent);
    const engine::TrainingCost three = cost_with(3);
    EXPECT_EQ(three.memory.weights, two.memory.gradients);
    EXPECT_EQ(three.memory.gradients, two.memory.gradients);
    EXPECT_EQ(three.sent, 3 * kWeights * 3 / 4);
    cost_with(2);
    EXPECT_EQ(
        memory_text(two, false),
        "about 3.1 GiB of memory for each rank: weights 97.5 MiB, gradients 56.9 MiB, optimizer 48.7 MiB, "
        "activations 2.9 GiB");
    EXPECT_EQ(sent_text(two), "each rank sends about 146 MiB for an update");
    const auto kept = plan_from_json(to_json(*make_node_plan(two_gpu_nodes(), job, two_facts())));
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->cost->sent, two.sent);
    EXPECT_EQ(memory_text(*kept->cost, false), memory_text(two, false));
    (*job.train)["device"] = "cuda";
    EXPECT_FALSE(config::check_train_config(*job.train).empty());
    (*job.train)["device"] = "auto";
    const auto refused = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.failure().what, "The ranks compute on GPUs, where train.parallel.zero is unavailable.");
}

TEST(PlanCost, APipelineHasItsStages) {
    Job job = resnet(32);
    (*job.train)["device"] = "cpu";
    (*job.train)["optimizer"] = {{"name", "sgd"}, {"momentum", 0.9}};
    const auto whole = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_TRUE(whole);
    EXPECT_TRUE(division_texts(*whole).empty());
    EXPECT_TRUE(mesh_of(*whole).empty());
    (*job.train)["parallel"] = {{"pipeline", {{"stages", 2}, {"micro_batches", 8}}}};
    const auto plan = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_TRUE(plan) << plan.failure().what;
    const engine::PipelineCost& pipeline = *plan->cost->pipeline;
    ASSERT_EQ(pipeline.stages.size(), 2U);
    EXPECT_NEAR(pipeline.bubble, 1.0 / 9.0, 1e-9);
    std::uint64_t weights = 0;
    for (const engine::StageCost& stage : pipeline.stages) {
        weights += stage.memory.weights;
        EXPECT_EQ(stage.memory.optimizer, stage.memory.weights);
        EXPECT_LE(stage.sent, plan->cost->sent);
        EXPECT_LE(stage.memory.activations, plan->cost->memory.activations + 1);
    }
    EXPECT_EQ(weights, whole->cost->memory.weights);
    EXPECT_LT(plan->cost->memory.parameters(), whole->cost->memory.parameters());
    // Two pipelines of two stages: stage 1 has ranks 2 and 3.
    EXPECT_EQ(place_text(mesh_of(*plan), 1), "pp 0 · dp 1");
    EXPECT_EQ(place_text(mesh_of(*plan), 2), "pp 1 · dp 0");
    const std::vector<std::string> texts = division_texts(*plan);
    ASSERT_EQ(texts.size(), 3U);
    EXPECT_EQ(texts[0],
              "pipelines: 2 of 2 stages, 8 micro-batches; a stage waits for others 11 % of the time if all "
              "take equally long");
    EXPECT_TRUE(texts[1].starts_with("stage 0 (rank 0–1): conv1 to layer")) << texts[1];
    EXPECT_TRUE(texts[2].starts_with("stage 1 (rank 2–3): layer")) << texts[2];
    EXPECT_NE(to_text(*plan).find("rank 3  small  cpu  local rank 1  pp 1 · dp 1"), std::string::npos)
        << to_text(*plan);
    const auto kept = plan_from_json(to_json(*plan));
    ASSERT_TRUE(kept);
    EXPECT_EQ(division_texts(*kept), texts);
    // Half of the ranks have samples of their own.
    EXPECT_EQ(plan->training->global_batch, 64);
    EXPECT_TRUE(advice_text(*plan->training).starts_with("64 samples per update, 32 per replica"));
}

TEST(PlanCost, SlicesHaveAPartOfEachLayer) {
    Job job = resnet(32);
    (*job.train)["device"] = "cpu";
    const auto whole = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_TRUE(whole);
    (*job.train)["parallel"] = {{"tensor", 2}};
    const auto plan = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_TRUE(plan) << plan.failure().what;
    const engine::SliceCost& slice = *plan->cost->slice;
    EXPECT_EQ(slice.slices, 2);
    EXPECT_GT(slice.parameters, plan->cost->parameters / 2);
    EXPECT_LT(slice.parameters, plan->cost->parameters);
    EXPECT_EQ(plan->cost->memory.weights, 4 * static_cast<std::uint64_t>(slice.parameters));
    EXPECT_LT(plan->cost->memory.activations, whole->cost->memory.activations);
    // Gradients of two replicas, and the sums.
    EXPECT_EQ(plan->cost->sent, 4 * static_cast<std::uint64_t>(slice.parameters) + slice.sums);
    EXPECT_EQ(place_text(mesh_of(*plan), 1), "dp 0 · tp 1");
    EXPECT_EQ(place_text(mesh_of(*plan), 2), "dp 1 · tp 0");
    const std::vector<std::string> texts = division_texts(*plan);
    ASSERT_EQ(texts.size(), 1U);
    EXPECT_TRUE(texts[0].starts_with("slices: 2 ranks have a part of each layer, ")) << texts[0];
    EXPECT_EQ(plan->training->global_batch, 64);
    const auto kept = plan_from_json(to_json(*plan));
    ASSERT_TRUE(kept);
    EXPECT_EQ(division_texts(*kept), texts);
    EXPECT_EQ(mesh_text(mesh_of(*kept)), "dp 2 × tp 2");
    EXPECT_EQ(to_json(*plan).at("mesh"), "dp 2 × tp 2");
    EXPECT_EQ(to_json(*plan).at("ranks").at(3).at("place"), "dp 1 · tp 1");
    (*job.train)["parallel"] = {{"tensor", 2}, {"pipeline", {{"stages", 2}}}};
    const auto both = make_node_plan(two_gpu_nodes(), job, two_facts());
    ASSERT_TRUE(both) << both.failure().what;
    EXPECT_EQ(division_texts(*both).size(), 4U);
    EXPECT_EQ(place_text(mesh_of(*both), 3), "pp 1 · tp 1");
}

TEST(PlanCost, SlicesThatDoNotFitAreRefused) {
    Job job = resnet(32);
    (*job.train)["device"] = "cpu";
    const auto refusal = [&](const nlohmann::json& parallel) {
        (*job.train)["parallel"] = parallel;
        const auto plan = make_node_plan(two_gpu_nodes(), job, two_facts());
        return plan ? "no refusal" : plan.failure().what + " " + plan.failure().remedy;
    };
    EXPECT_EQ(
        refusal({{"tensor", 3}}),
        "train.parallel.tensor is 3, which does not divide the number of ranks, 4. Slices that fit: 2, 4.");
    EXPECT_EQ(refusal({{"tensor", 4}, {"pipeline", {{"stages", 2}}}}),
              "train.parallel.tensor times train.parallel.pipeline.stages is 8, which does not divide the "
              "number of "
              "ranks, 4. Leave train.parallel.pipeline out, or give the job more ranks.");
    (*job.train)["model"] = "gpt2-mini";
    (*job.train)["dataset"] = {{"name", "synthetic-text"}, {"sequence", 16}};
    EXPECT_EQ(refusal({{"tensor", 4}}), "no refusal");
}

TEST(PlanCost, StagesThatDoNotFitAreRefused) {
    Job job = resnet(32);
    (*job.train)["device"] = "cpu";
    const auto refusal = [&](const nlohmann::json& parallel) {
        (*job.train)["parallel"] = parallel;
        const auto plan = make_node_plan(two_gpu_nodes(), job, two_facts());
        return plan ? Failure() : plan.failure();
    };
    const Failure odd = refusal({{"pipeline", {{"stages", 3}}}});
    EXPECT_EQ(odd.what, "train.parallel.pipeline.stages is 3, which does not divide the number of ranks, 4.");
    EXPECT_EQ(odd.remedy, "Stages that fit: 2, 4.");
    const Failure many = refusal({{"pipeline", {{"stages", 512}}}});
    EXPECT_TRUE(
        many.what.starts_with("train.parallel.pipeline.stages is 512; resnet50 can be cut into at most"))
        << many.what;
    (*job.train)["model"] = "gpt2-mini";
    (*job.train)["dataset"] = {{"name", "synthetic-text"}};
    const Failure tied = refusal({{"zero", 2}, {"pipeline", {{"stages", 2}}}});
    EXPECT_EQ(tied.what,
              "train.parallel.zero: 2 is unavailable with a pipeline of gpt2-mini, whose first and last "
              "stage share a weight.");
    (*job.train)["device"] = "cuda";
    EXPECT_FALSE(config::check_train_config(*job.train).empty());
}

TEST(PlanCost, IsCountedInTheNetworkAndKept) {
    auto plan = make_node_plan(two_gpu_nodes(), resnet(256), two_facts());
    ASSERT_TRUE(plan);
    ASSERT_TRUE(plan->cost);
    EXPECT_EQ(plan->cost->parameters, 25557032);
    EXPECT_EQ(plan->cost->training_flops, 24299077632.0);
    EXPECT_EQ(cost_text(*plan->cost),
              "resnet50: 25.6 million parameters, 24.3 GFLOP for each sample of training");
    EXPECT_NE(to_text(*plan).find("GiB of GPU memory for each rank"), std::string::npos) << to_text(*plan);
    EXPECT_NE(to_text(*plan).find("\n  published accuracy on ImageNet-1k: 76.13 %\n"), std::string::npos)
        << to_text(*plan);

    const auto kept = plan_from_json(to_json(*plan));
    ASSERT_TRUE(kept) << kept.failure().what;
    ASSERT_TRUE(kept->cost);
    EXPECT_EQ(kept->cost->published_accuracy, plan->cost->published_accuracy);
    EXPECT_EQ(cost_text(*kept->cost), cost_text(*plan->cost));
    EXPECT_EQ(kept->cost->memory.total(), plan->cost->memory.total());
    EXPECT_EQ(kept->cost->batch_size, 256);
    ASSERT_TRUE(kept->training);
    EXPECT_EQ(advice_text(*kept->training), advice_text(*plan->training));
    EXPECT_EQ(kept->training->global_batch, 1024);

    Job gpt = resnet(8);
    (*gpt.train)["model"] = "gpt2";
    (*gpt.train)["dataset"] = {{"name", "tokens"}, {"root", "/data"}, {"sequence", 1024}};
    plan = make_node_plan(two_gpu_nodes(), gpt, two_facts());
    ASSERT_TRUE(plan) << plan.failure().what;
    ASSERT_TRUE(plan->cost);
    EXPECT_EQ(plan->cost->tokens, 1024);
    EXPECT_EQ(plan->cost->published_accuracy, std::nullopt);
    EXPECT_EQ(cost_text(*plan->cost), "gpt2: 124 million parameters, 0.854 GFLOP for each token of training");
}

}  // namespace
}  // namespace rankscope
