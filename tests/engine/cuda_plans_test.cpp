// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the installed cuDNN offers for GPUs that are not here: every convolution of the models must have a
// plan in every precision. Needs cuDNN, no GPU.

#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/cudnn_graph.h>
#include <engine/graph/rewrite.h>
#include <engine/models/model_registry.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>

namespace rankscope::engine::cuda::test {
namespace {

struct Machine {
    const char* name;
    int version;  ///< compute capability times 100
    int processors;
    int shared;   ///< bytes that a block may request
    long l2;      ///< bytes
    long memory;  ///< bytes
};

/// In the form in which cuDNN writes down the properties of a device.
std::string described(const Machine& machine) {
    return nlohmann::json{{"deviceName", machine.name},
                          {"deviceVer", machine.version},
                          {"multiProcessorCount", machine.processors},
                          {"maxSharedMemoryPerBlockOptin", machine.shared},
                          {"l2CacheSize", machine.l2},
                          {"totalGlobalMem", machine.memory},
                          {"maxGridSize", {2147483647, 65535, 65535}},
                          {"maxBlockSize", {1024, 1024, 64}},
                          {"regsPerBlock", 65536},
                          {"warpSize", 32},
                          {"maxSharedMemoryPerBlock", 49152},
                          {"reservedSharedMemoryPerBlock", 1024},
                          {"maxRegistersPerSM", 65536},
                          {"maxCtasPerSM", 32},
                          {"maxThreadsPerBlock", 1024},
                          {"maxThreadsPerSM", 2048},
                          {"pciDeviceId", 0},
                          {"isTccDriver", 0},
                          {"supportCoopLaunch", 1},
                          {"smClockRateKHz", 1980000},
                          {"memClockRateKHz", 3201000},
                          {"cudaDeviceId", 0},
                          {"driverVer", 13000}}
        .dump();
}

void PrintTo(const Machine& machine, std::ostream* out) {
    *out << machine.name;
}

class CudnnPlans : public testing::TestWithParam<Machine> {
protected:
    /// Every convolution of the model that is not done as a matrix product, every pass.
    static void expect_plans(const std::string& model, const Shape& sample, std::int64_t batch) {
        const Graph graph = fuse(build_model(model, sample, 10));
        for (const bool exact : {true, false}) {
            ConvolutionLibrary library(described(GetParam()), {.exact_fp32 = exact, .deterministic = true});
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
                    ConvolutionShape shape{
                        batch,        padded(in[0]), in[1],         in[2], padded(conv->out_channels),
                        conv->kernel, conv->stride,  conv->padding, type};
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

INSTANTIATE_TEST_SUITE_P(Machines, CudnnPlans,
                         testing::Values(Machine{"NVIDIA A100", 800, 108, 166912, 41943040, 84000000000},
                                         Machine{"NVIDIA H200", 900, 132, 232448, 62914560, 150000000000},
                                         Machine{"NVIDIA B200", 1000, 148, 232448, 132644864, 190000000000}),
                         [](const auto& tested) { return std::string(tested.param.name).substr(7); });

TEST(CudnnPlan, SurvivesItsText) {
    const auto device =
        CudnnDevice::described(described({"NVIDIA H200", 900, 132, 232448, 62914560, 150000000000}));
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
