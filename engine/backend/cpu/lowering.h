// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/dnnl_api.h>
#include <engine/backend/cpu/step_plan.h>
#include <engine/graph/schedule.h>

#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::engine::cpu {

/// Where a parameter is stored: its descriptor (dims as oneDNN sees them) and, once allocated, its addresses.
struct ParameterStorage {
    dnnl::memory::desc descriptor;
    float* weight = nullptr;
    float* gradient = nullptr;
};

/// oneDNN's logical shape of each parameter in PyTorch's row-major order. A linear layer behind a flatten
/// sees the image: {out, channels, height, width}, which is byte for byte PyTorch's {out, in}.
std::vector<dnnl::memory::desc> canonical_descriptors(const Graph& graph);

/// The storage that the forward kernels prefer for this batch size; the same shapes as
/// canonical_descriptors().
std::vector<dnnl::memory::desc> native_descriptors(const dnnl::engine& engine, const Graph& graph,
                                                   std::int64_t batch);

/// A value of the graph while lowering: aliases (flatten, relu in place) share buffers.
struct LoweredValue {
    dnnl::memory::desc descriptor;
    BufferId activation = 0;
    BufferId gradient = 0;  ///< in the activation's layout
};

struct LoweredStep {
    std::size_t forward_end = 0;  ///< steps [0, forward_end) are the forward pass without the loss
    BufferId logits = 0;
    BufferId logits_gradient = 0;
};

/// Turns the schedule into steps of `plan`. The loss itself is run by the executable between the two passes.
class Lowering {
public:
    Lowering(const dnnl::engine& engine, const Graph& graph, std::int64_t batch,
             const std::vector<ParameterStorage>& storage, StepPlan& plan);

    LoweredStep lower(const Schedule& schedule, BufferId input);

private:
    struct ConvState {
        dnnl::convolution_forward::primitive_desc forward;
        BufferId source = 0;  ///< the input in the layout the kernel wants
    };
    struct LinearState {
        dnnl::inner_product_forward::primitive_desc forward;
        BufferId source = 0;
    };
    struct PoolState {
        dnnl::pooling_forward::primitive_desc forward;  ///< empty where our own kernel does it
        BufferId workspace = 0;                         ///< where each maximum came from
    };

    void forward(std::size_t index);
    void forward_conv(std::size_t index, const Conv2d& conv);
    void forward_linear(std::size_t index);
    void forward_pool(std::size_t index, const MaxPool2d& pool);
    void forward_own_pool(std::size_t index, const MaxPool2d& pool);
    void backward_own_pool(std::size_t index, const MaxPool2d& pool);
    void forward_relu(std::size_t index);
    void backward_weights(const ScheduledOp& op);
    void backward_data(const ScheduledOp& op);
    void backward_data_conv(std::size_t index, const Conv2d& conv);
    void backward_data_linear(std::size_t index);
    void backward_data_pool(std::size_t index, const MaxPool2d& pool);

    void alias(const Node& node);
    void new_value(ValueId id, const dnnl::memory::desc& descriptor);
    bool relu_follows(std::size_t index) const;
    BufferId weight_in(ParameterId id, const dnnl::memory::desc& wanted);
    void relu_mask(ValueId output);
    /// Plans a primitive that writes gradients of weight and bias, with a reorder if it wants another layout.
    void weight_gradients(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
                          std::vector<StepPlan::Argument> arguments, const dnnl::memory::desc& wanted,
                          const Node& node, const std::vector<ParameterId>& finished);

    const dnnl::engine& engine_;
    const Graph& graph_;
    std::int64_t batch_;
    const std::vector<ParameterStorage>& storage_;
    StepPlan& plan_;
    std::vector<LoweredValue> values_;
    std::vector<BufferId> weights_;
    std::vector<BufferId> gradients_;
    std::map<std::size_t, ConvState> convs_;
    std::map<std::size_t, LinearState> linears_;
    std::map<std::size_t, PoolState> pools_;
};

}  // namespace rankscope::engine::cpu
