// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the installed cuDNN offers for GPUs that are not here: every convolution of the models must have a
// plan in every precision. Needs cuDNN, no GPU.

#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/cudnn_graph.h>
#include <engine/backend/cuda/gpu_description.h>
#include <engine/backend/cuda/planned_step.h>
#include <engine/backend/cuda/step_operations.h>
#include <engine/backend/cuda/storage.h>
#include <engine/graph/rewrite.h>
#include <engine/models/model_registry.h>
#include <engine/models/training_cost.h>

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace rankscope::engine::cuda::test {
namespace {

class CudnnPlans : public ::testing::TestWithParam<GpuDescription> {
protected:
    /// Every convolution of the model that is not done as a matrix product, every pass.
    static void expect_plans(const std::string& model, const Shape& sample, std::int64_t batch) {
        const Graph graph = fuse(build_model(model, sample, 10));
        for (const bool exact : {true, false}) {
            ConvolutionLibrary library(GetParam().json(), {.exact_fp32 = exact, .deterministic = true});
            for (const ElementType type : {ElementType::f32, ElementType::bf16, ElementType::f16}) {
                if (exact && type != ElementType::f32) {
                    continue;
                }
                for (const Node& node : graph.nodes) {
                    const auto* conv = std::get_if<Conv2d>(&node.operation);
                    if (conv == nullptr) {
                        continue;
                    }
                    const Shape& in = graph.values[node.input()].shape;
                    ConvolutionShape shape{.batch = batch,
                                           .in_channels = padded(in[0]),
                                           .height = in[1],
                                           .width = in[2],
                                           .out_channels = padded(conv->out_channels),
                                           .kernel = conv->kernel,
                                           .stride = conv->stride,
                                           .padding = conv->padding,
                                           .type = type,
                                           .dilation = conv->dilation,
                                           .groups = stored_groups(node.name, in[0], *conv)};
                    EXPECT_NO_THROW(library.make(ConvolutionPass::backward_data, shape)) << shape.text();
                    EXPECT_NO_THROW(library.make(ConvolutionPass::backward_weights, shape)) << shape.text();
                    shape.bias = conv->bias;
                    shape.relu = conv->relu;
                    EXPECT_NO_THROW(library.make(ConvolutionPass::forward, shape)) << shape.text();
                }
            }
        }
    }
};

TEST_P(CudnnPlans, ConvNet) {
    expect_plans("convnet", {1, 28, 28}, 100);
}

TEST_P(CudnnPlans, ResNet18OnSmallPictures) {
    expect_plans("resnet18", {3, 32, 32}, 256);
}

TEST_P(CudnnPlans, ResNet50) {
    expect_plans("resnet50", {3, 224, 224}, 64);
}

TEST_P(CudnnPlans, EfficientNetB0) {
    expect_plans("efficientnet_b0", {3, 224, 224}, 64);
}

TEST_P(CudnnPlans, RegNetY160) {
    expect_plans("regnety_160", {3, 224, 224}, 16);
}

TEST_P(CudnnPlans, ResNext50) {
    expect_plans("resnext50_32x4d", {3, 224, 224}, 64);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, CudnnPlans,
    ::testing::Values(GpuDescription{"NVIDIA A100", 800, 108, 166912, 41943040, 84000000000},
                      GpuDescription(),
                      GpuDescription{"NVIDIA B200", 1000, 148, 232448, 132644864, 190000000000}),
    [](const auto& tested) { return std::string(tested.param.name).substr(7); });

// What Launch says about the memory of a GPU, and what the engine plans.
TEST(PlannedStep, MemoryIsEstimatedWithinAQuarter) {
    const auto section = [](const std::string& model, const std::string& precision, std::int64_t batch,
                            const nlohmann::json& dataset) {
        return nlohmann::json{
            {"model", model}, {"precision", precision}, {"batch_size", batch}, {"dataset", dataset}};
    };
    const nlohmann::json folder{{"name", "image-folder"}, {"root", "/data"}, {"classes", 1000}};
    const nlohmann::json tokens{{"name", "tokens"}, {"root", "/data"}, {"sequence", 1024}};
    const nlohmann::json text{{"name", "synthetic-text"}, {"sequence", 256}};
    for (const auto& json :
         {section("resnet18", "bf16", 256, "cifar10"), section("resnet18", "fp32", 64, folder),
          section("resnet34", "fp32", 128, "cifar10"), section("resnet50", "bf16", 128, folder),
          section("resnet50", "fp32", 32, "mnist"), section("resnet101", "bf16", 32, folder),
          section("resnet152", "fp32", 16, folder), section("resnext50_32x4d", "bf16", 64, folder),
          section("densenet121", "bf16", 64, folder), section("densenet201", "fp32", 16, folder),
          section("efficientnet_b0", "bf16", 64, folder), section("regnetx_160", "bf16", 16, folder),
          section("regnety_160", "fp32", 16, folder), section("botnet50", "bf16", 32, folder),
          section("vit_tiny_patch16_224", "bf16", 64, folder),
          section("vit_small_patch16_224", "fp32", 32, folder), section("convnet", "fp32", 512, "mnist"),
          section("gpt2", "bf16", 8, tokens), section("gpt2-mini", "fp32", 64, text)}) {
        ASSERT_TRUE(config::check_train_config(json).empty()) << json;
        config::TrainConfig config = config::parse_train_config(json);
        const config::SampleKind sample = config::sample_kind(config.dataset);
        const auto estimate = training_cost(config);
        ASSERT_TRUE(estimate) << json;
        const Graph graph = build_model(config.model, sample.shape, sample.classes.value_or(1000));
        PlanQuestion question{.batch = config.batch_size,
                              .precision = config.precision == "bf16" ? Precision::bf16 : Precision::fp32};
        const std::size_t planned = planned_step(graph, question).arena_bytes;
        const double ratio = static_cast<double>(estimate->memory.activations) / static_cast<double>(planned);
        if (planned > (std::size_t{256} << 20U)) {  // less is no question of fitting
            EXPECT_GT(ratio, 0.75) << json;
            EXPECT_LT(ratio, 1.25) << json;
        }
        config.parallel.recompute = "blocks";
        question.recompute = true;
        const std::size_t again = planned_step(graph, question).arena_bytes;
        const double estimated = static_cast<double>(training_cost(config)->memory.activations);
        RecordProperty(config.model + " " + config.precision + " recomputed, percent",
                       static_cast<int>(100 * again / planned));
        EXPECT_GT(estimated, 0.55 * static_cast<double>(again)) << json;
        EXPECT_LT(estimated, 1.35 * static_cast<double>(again)) << json;
    }
}

// What a step is made of, counted without a GPU.
TEST(PlannedStep, CountsKernelsAndBytes) {
    const Graph graph = build_model("resnet18", {3, 32, 32}, 10);
    PlanQuestion question{.batch = 128, .precision = Precision::bf16};
    question.optimizer.momentum = 0.9;
    const StepFigures small = planned_step(graph, question);
    question.batch = 256;
    const StepFigures large = planned_step(graph, question);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        EXPECT_EQ(small.lanes[lane].kernels, large.lanes[lane].kernels);
    }
    // 20 convolutions and products forward, 19 of their data gradients, 20 batch norms in both directions, of which the
    // first has two kernels in each, and a few more.
    EXPECT_GE(large.lanes[0].kernels, 20U + 19U + 42U);
    EXPECT_LE(large.lanes[0].kernels, 100U);
    EXPECT_GE(large.lanes[1].kernels, 21U) << "a weight gradient each";
    EXPECT_EQ(large.lanes[2].kernels, 0U) << "one rank";
    EXPECT_GT(large.lanes[0].bytes, 1.2 * static_cast<double>(small.lanes[0].bytes));
    EXPECT_LT(large.lanes[0].bytes, 2.1 * static_cast<double>(small.lanes[0].bytes));
    EXPECT_GT(large.waits, 20U);
    question.averaged = true;
    const StepFigures averaged = planned_step(graph, question);
    EXPECT_GT(averaged.lanes[2].kernels, 2U);
    EXPECT_EQ(averaged.lanes[0].kernels, large.lanes[0].kernels);
    // Clipping needs all gradients before the update, which then is part of the chain, with the norm before it.
    question.averaged = false;
    question.clip_norm = 1.0;
    const StepFigures clipped = planned_step(graph, question);
    EXPECT_EQ(clipped.lanes[0].kernels, large.lanes[0].kernels + 2);
    EXPECT_GT(clipped.lanes[0].bytes, large.lanes[0].bytes + 4000000 * 18);
}

// Two layers with a synchronised batch norm between them, backward: by hand, so that the order can be seen.
class StepOrder : public ::testing::Test {
protected:
    StepOrder() {
        layout.total = 2 * kFloats;
        layout.slots.add({kFloats, kFloats, {}});  // the second parameter's gradient comes first
        layout.slots.add({0, kFloats, {}});
        memory.layout = &layout;
        memory.gradients = {at<float>(1), layout.total};
        memory.parameters.end = layout.total;
        memory.parameters.parameters = at<float>(2);
        state.control = at<StepControl>(3);
        state.outputs = state.output = at<StepOutput>(4);
        state.loss_scale = at<float>(5);
        std::vector<BufferId> weights;
        std::vector<BufferId> gradients;
        for (const ParameterSlot& slot : layout.slots) {
            constexpr std::size_t kBytes = kFloats * sizeof(float);
            weights.push_back(plan.external(memory.parameters.parameters + slot.offset, kBytes));
            gradients.push_back(plan.external(memory.gradients.data() + slot.offset, kBytes));
            state.parameters.add({.gradient = memory.gradients.data() + slot.offset, .floats = slot.size});
        }
        const BufferId x = plan.buffer(64);
        const BufferId dy = plan.buffer(64);
        const BufferId dx = plan.buffer(64);
        const auto nothing = [](const StepPlan::Pointer&) -> StepPlan::Run { return [](cudaStream_t) {}; };
        plan.add({"forward", {weights[0], weights[1]}, {x, dy}, nothing});
        plan.add({"weights 1", {x, dy}, {gradients[1]}, nothing, Lane::side, {ParameterId(1)}});
        plan.add({"data 1", {dy, weights[1]}, {dx}, nothing});
        plan.add({"norm", {dx}, {dx}, nothing, Lane::main, {}, 3, {}, true});
        plan.add({"weights 0", {x, dx}, {gradients[0]}, nothing, Lane::side, {ParameterId(0)}});
        plan.bind_without_memory();
    }

    std::vector<std::string> order(const StepRequest& request) const {
        std::vector<std::string> names;
        const StepOperations operations({plan, memory, state, ElementType::f32}, request);
        for (const StepOperation* operation : operations.in_order()) {
            names.push_back(operation->name);
        }
        return names;
    }

    using Names = std::vector<std::string>;
    static constexpr std::size_t kFloats = 8192;
    template <typename T>
    static T* at(std::uintptr_t number) {
        return reinterpret_cast<T*>(number << 32U);
    }
    ParameterLayout layout;
    StepMemory memory;
    StepState state;
    StepPlan plan;
};

TEST_F(StepOrder, APartIsUpdatedOnceItsWeightsAreNotReadAnyMore) {
    EXPECT_EQ(order({}), (Names{"forward", "weights 1", "data 1", "update", "norm", "weights 0", "update"}));
    StepRequest clipped;
    clipped.clip_norm = 1.0;
    EXPECT_EQ(order(clipped),
              (Names{"forward", "weights 1", "data 1", "norm", "weights 0", "norm", "update"}));
    StepRequest gathered;
    gathered.update = false;
    EXPECT_EQ(order(gathered), (Names{"forward", "weights 1", "data 1", "norm", "weights 0"}));
}

TEST_F(StepOrder, ABucketIsSummedBehindTheNextSmallSumAndThenUpdated) {
    StepReduction reduction;
    reduction.buckets = {{{0, kFloats}}, {{kFloats, kFloats}}};
    StepRequest request;
    request.reduction = &reduction;
    EXPECT_EQ(order(request), (Names{"forward", "weights 1", "data 1", "norm", "all-reduce", "update",
                                     "weights 0", "all-reduce", "update"}));
}

TEST(CudnnPlan, SurvivesItsText) {
    const auto device = CudnnDevice::described(GpuDescription().json());
    CudnnGraph graph;
    graph.convolution({1, 1}, {1, {128, 64, 8, 8}, CUDNN_DATA_BFLOAT16},
                      {2, {64, 64, 3, 3}, CUDNN_DATA_BFLOAT16}, {3, {128, 64, 8, 8}, CUDNN_DATA_BFLOAT16});
    graph.finish();
    const auto plans = graph.plans(device, {}, 4);
    ASSERT_EQ(plans.size(), 4U);
    for (const CudnnPlan& plan : plans) {
        const CudnnPlan again = CudnnPlan::from_json(plan.json(), device);
        EXPECT_EQ(again.workspace_bytes(), plan.workspace_bytes());
    }
}

}  // namespace
}  // namespace rankscope::engine::cuda::test
