// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cpu/bf16.h>
#include <engine/backend/cpu/dnnl_api.h>
#include <engine/backend/cpu/step_plan.h>
#include <engine/backend/cpu/tap_convolution.h>
#include <engine/backend/cpu/token_kernels.h>
#include <engine/backend/cpu/winograd.h>
#include <engine/graph/schedule.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::engine::cpu {

/// Where a parameter is stored: its descriptor (dims as oneDNN sees them) and, once allocated, its addresses.
struct ParameterStorage {
    dnnl::memory::desc descriptor;
    float* weight = nullptr;
    float* gradient = nullptr;
    float* weight_in_backward = nullptr;  ///< null: the same

    float* weight_of_pass(bool backward) const {
        return backward && weight_in_backward != nullptr ? weight_in_backward : weight;
    }
};

/// oneDNN's logical shape of each parameter in PyTorch's row-major order. A linear layer behind a flatten
/// sees the image: {out, channels, height, width}, which is byte for byte PyTorch's {out, in}.
IndexedVector<ParameterId, dnnl::memory::desc> canonical_descriptors(const Graph& graph);

/// The storage that the kernels prefer for this batch size; the same shapes as canonical_descriptors().
IndexedVector<ParameterId, dnnl::memory::desc> native_descriptors(const dnnl::engine& engine,
                                                                  const Graph& graph, std::int64_t batch,
                                                                  dnnl::memory::data_type activations);

dnnl_api::ConvShape conv_shape(const Conv2d& conv);
/// A parameter as oneDNN sees it: the weights of a grouped convolution have the groups as their first dimension,
/// {groups, out / groups, in / groups, kernel, kernel}, which is byte for byte PyTorch's shape.
dnnl::memory::dims weight_dims(const Node& node, const Shape& shape);

/// Convolutions of images so small that tap_convolution.h is the better way, for weights stored for it.
bool stored_by_taps(const dnnl::memory::desc& weight);
bool worth_taps(const Graph& graph, const Node& node);
/// Convolutions that winograd.h computes with enough fewer products that the transforms pay; weights as for
/// taps. In bf16 they are computed in floats, and only where the CPU has no tiles for matrix products (AMX).
std::optional<WinogradTiling> worth_winograd(const Graph& graph, const Node& node,
                                             dnnl::memory::data_type activations);
TapConvolution tap_shape(const Graph& graph, const Node& node, std::int64_t batch);

/// Linear layers over pixels in floats: matrix products of all rows, whose weights stay as PyTorch stores them. oneDNN's
/// inner product takes a quarter to half longer for their gradients (ViT-tiny, batch 16, one core with AVX-512).
bool linear_by_rows(const Graph& graph, const Node& node, dnnl::memory::data_type activations);
/// [rows][in] · [out][in]ᵀ
struct RowProduct {
    std::int64_t rows = 0;
    std::int64_t in = 0;
    std::int64_t out = 0;
};

/// What a run of the step needs besides the plan; lives as long as the executable.
struct StepState {
    ForwardMode mode = ForwardMode::train;
    SumAcrossRanks sum_across_ranks;
    IndexedVector<StatisticId, float*> statistics;  ///< null for batches_tracked
    std::vector<std::uint64_t> sample_keys;         ///< Executable::sample_keys
    SumOverSlices sum_over_slices{};
    /// Set: weights are gathered before they are read; called with the number of ShardPlan::gatherings().
    std::function<void(std::size_t)> gather{};
    std::span<const ShardPlan::Gathering> gatherings{};

    /// Empty where nothing is dropped.
    std::span<const std::uint64_t> keys() const {
        return mode == ForwardMode::train ? std::span<const std::uint64_t>(sample_keys)
                                          : std::span<const std::uint64_t>();
    }
};

/// Concatenations that make one another longer, in one memory: every one is the first channels of the next, and nothing
/// is copied again (DenseNet). Their readers, all batch norms, add up their gradients where they lie.
struct LongConcat {
    dnnl::memory::desc descriptor;
    BufferId activation = 0;
    BufferId gradient = 0;
    bool has_gradient = false;  ///< a reader of the last one, which is as long as all, has written
};

/// A value of the graph while lowering; aliases (flatten) share one.
struct LoweredValue {
    dnnl::memory::desc descriptor;
    BufferId activation = 0;
    bool relu = false;  ///< clamped by its producer: the gradient is masked by its sign
    std::vector<BufferId>
        partials;  ///< gradients from its readers, in the activation's layout; to be added up
    std::shared_ptr<LongConcat> grown{};  ///< the value is its first channels
};

struct LoweredStep {
    std::size_t forward_end = 0;  ///< steps [0, forward_end) are the forward pass without the loss
    BufferId logits = 0;          ///< or what the stage hands over, row-major
    BufferId logits_gradient = 0;
    std::optional<BufferId> input_gradient{};  ///< row-major, where another stage wants it
};

/// Turns the schedule into steps of `plan`. The loss itself is run by the executable between the two passes.
class Lowering {
public:
    Lowering(const dnnl::engine& engine, const Graph& graph, std::int64_t batch,
             const IndexedVector<ParameterId, ParameterStorage>& storage, const StepState& state,
             dnnl::memory::data_type activations, StepPlan& plan);

    LoweredStep lower(const Schedule& schedule, BufferId input);

private:
    using Md = dnnl::memory::desc;
    struct ConvState {
        dnnl::convolution_forward::primitive_desc forward;
        BufferId source = 0;  ///< the input in the layout that the kernel needs
    };
    struct LinearState {
        dnnl::inner_product_forward::primitive_desc forward;
        BufferId source = 0;
        dnnl::memory::desc output;  ///< the matrix of the result
    };

    // lowering.cpp
    void gather_weights(std::size_t op);
    void take_input(BufferId input);
    void end_forward(LoweredStep& result);
    void give_input_gradient(LoweredStep& result);
    void forward(std::size_t index);
    void backward_weights(const ScheduledOp& op, bool data_follows);
    void backward_data(const ScheduledOp& op);
    void forward_relu(std::size_t index);
    void backward_relu(std::size_t index);
    void forward_add(std::size_t index, const Add& add);
    /// The gradient of a sum is that of each summand.
    void pass_gradient(const ScheduledOp& op);

    // lower_conv.cpp
    dnnl::convolution_forward::primitive_desc conv_forward(const Node& node, const Conv2d& conv,
                                                           dnnl::memory::data_type type);
    void forward_conv(std::size_t index, const Conv2d& conv);
    void backward_weights_conv(const ScheduledOp& op, const Conv2d& conv);
    void backward_weights_depthwise(const ScheduledOp& op, const Conv2d& conv);
    void backward_data_conv(std::size_t index, const Conv2d& conv);

    // lower_taps.cpp
    bool by_taps(const Node& node) const;
    void forward_taps(std::size_t index);
    void backward_weights_taps(const ScheduledOp& op);
    void backward_data_taps(std::size_t index);
    void forward_taps_bf16(std::size_t index);
    void backward_weights_taps_bf16(const ScheduledOp& op);
    void backward_data_taps_bf16(std::size_t index);

    // lower_winograd.cpp
    std::optional<WinogradTiling> by_winograd(const Node& node) const;
    Md winograd_layout(const Node& node);
    WinogradConvolution winograd_shape(const Node& node, const Md& input, const Md& output) const;
    void forward_winograd(std::size_t index, const Conv2d& conv);
    void backward_winograd(const ScheduledOp& op, bool with_input);

    // lower_linear.cpp
    /// A matrix with a row for each sample or, of images, each pixel.
    RowProduct row_product(const Node& node) const;
    void forward_linear_rows(const Node& node, const Linear& linear);
    void backward_weights_linear_rows(const ScheduledOp& op);
    void backward_data_linear_rows(const Node& node);
    Md linear_matrix(ValueId id, dnnl::memory::data_type type) const;
    Md linear_weight(const Node& node, dnnl::memory::data_type type) const;
    void forward_linear(std::size_t index, const Linear& linear);
    void backward_weights_linear(const ScheduledOp& op);
    void backward_data_linear(std::size_t index);

    // lower_batch_norm.cpp
    void forward_batch_norm(std::size_t index, const BatchNorm2d& norm);
    void backward_batch_norm(const ScheduledOp& op, const BatchNorm2d& norm);

    // lower_channels.cpp
    void forward_activate(std::size_t index, const Activate& operation);
    void backward_activate(std::size_t index, const Activate& operation);
    void forward_scale(std::size_t index);
    void backward_scale(const ScheduledOp& op);

    // lower_concat.cpp
    void forward_concat(const Node& node);
    void backward_concat(const ScheduledOp& op);

    // lower_dropout.cpp
    Md dropped_layout(const Node& node, const Dropout& dropout);
    void drop(const Dropout& dropout, const Md& layout, BufferId from, BufferId to);
    void forward_dropout(const Node& node, const Dropout& dropout);
    void backward_dropout(const Node& node, const Dropout& dropout);

    // lower_tokens.cpp
    /// The value's layout in which a pixel is a row, and how many numbers a parameter has.
    Md rows(ValueId id) const;
    std::size_t parameter_size(ParameterId id) const;
    void forward_layer_norm(std::size_t index, const LayerNorm& norm);
    void backward_layer_norm_weights(const ScheduledOp& op);
    void backward_layer_norm_data(std::size_t index);
    void forward_embedding(std::size_t index, const Embedding& embedding);
    void backward_embedding(const ScheduledOp& op, const Embedding& embedding);
    void forward_positions(std::size_t index);
    void backward_positions_weights(const ScheduledOp& op);
    void forward_prepend(std::size_t index);
    void backward_prepend_weights(const ScheduledOp& op);
    void backward_prepend_data(std::size_t index);
    void prepend_gradient(const Node& node, BufferId dy, BufferId to, bool of_token,
                          const std::vector<ParameterId>& finished);
    void forward_first_token(std::size_t index);
    void backward_first_token(std::size_t index);
    void forward_attention(std::size_t index, const Attention& attention);
    AttentionShape attention_shape(const Node& node, const Attention& attention) const;
    void backward_attention(const ScheduledOp& op, const Attention& attention);

    // lower_slices.cpp
    void sum_over_slices(BufferId buffer, const Md& layout);
    void forward_sum_gradients(const Node& node);
    void forward_sum(const Node& node);
    void give_gradient(const Node& node, bool summed);

    // lower_pool.cpp
    /// The value in a layout that channel_view() supports: its own, or plain.
    Md viewed(ValueId id);
    void forward_window_average(std::size_t index, const AveragePool2d& pool);
    void backward_window_average(std::size_t index, const AveragePool2d& pool);
    void forward_max_pool(std::size_t index, const MaxPool2d& pool);
    void backward_max_pool(std::size_t index, const MaxPool2d& pool);
    void forward_average_pool(std::size_t index);
    void backward_average_pool(std::size_t index);

    LoweredValue& value(ValueId id) { return values_[root_[id]]; }
    void new_value(ValueId id, const Md& descriptor, bool relu = false);
    void alias(const Node& node);
    dnnl::memory::dims output_dims(const Node& node) const;
    /// The activation in this layout, reordered once for all readers.
    BufferId activation_in(ValueId id, const Md& wanted);
    BufferId weight_in(ParameterId id, const Md& wanted);
    const float* weight_at(ParameterId id) const { return storage_[id].weight_of_pass(backward_); }
    /// Room for one reader's share of the value's gradient, in the value's layout.
    BufferId new_partial(ValueId id);
    /// The whole gradient in one buffer, masked by the ReLU: for the value's producer, once all readers have
    /// written.
    BufferId gradient_of(ValueId id);
    /// The producer of a reader's share, which may need another layout: calls make(buffer, descriptor).
    template <typename Make>
    void write_partial(ValueId id, const Md& made, Make make) {
        const Md wanted = value(id).descriptor;
        const BufferId partial = new_partial(id);
        if (made == wanted) {
            make(partial);
            return;
        }
        const BufferId own = plan_.buffer(made.get_size());
        make(own);
        plan_.reorder_into(own, made, partial, wanted);
    }
    /// Plans a primitive that writes gradients of weight and bias, with a reorder if it needs another layout.
    void weight_gradients(const dnnl::primitive& primitive, const Md& scratchpad,
                          std::vector<StepPlan::Argument> arguments, const Md& wanted, const Node& node,
                          const std::vector<ParameterId>& finished);

    const dnnl::engine& engine_;
    const Graph& graph_;
    std::int64_t batch_;
    const IndexedVector<ParameterId, ParameterStorage>& storage_;
    const StepState& state_;
    dnnl::memory::data_type type_;  ///< of activations and their gradients: f32 or bf16
    StepPlan& plan_;
    IndexedVector<ValueId, LoweredValue> values_;
    IndexedVector<ValueId, ValueId> root_;          ///< the value whose memory an alias uses
    IndexedVector<ParameterId, BufferId> weights_;  ///< in the pass that is being lowered
    IndexedVector<ParameterId, BufferId> weights_in_backward_;
    IndexedVector<ParameterId, BufferId> gradients_;
    IndexedVector<ParameterId, std::size_t> users_;  ///< of each parameter; a tied one keeps PyTorch's order
    std::map<std::size_t, ConvState> convs_;
    std::map<std::size_t, LinearState> linears_;
    std::map<std::size_t, std::vector<BufferId>> kept_;  ///< by node: what its backward pass reads again
    std::map<ValueId, std::vector<std::pair<Md, BufferId>>> reordered_;
    bool backward_ = false;
    bool recomputing_ = false;
};

/// The buffer's contents.
template <typename T>
std::span<T> contents(void* address, std::size_t count) {
    return {static_cast<T*>(address), count};
}

/// Calls make(T{}) with the type of the elements.
template <typename Make>
void for_type(dnnl::memory::data_type type, Make make) {
    type == dnnl::memory::data_type::bf16 ? make(Bf16{}) : make(float{});
}

}  // namespace rankscope::engine::cpu
