// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/cluster_norm.h>
#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/dropout.h>
#include <engine/backend/cuda/matmul.h>
#include <engine/backend/cuda/max_pool.h>
#include <engine/backend/cuda/step_plan.h>
#include <engine/backend/cuda/step_state.h>
#include <engine/backend/cuda/storage.h>
#include <engine/backend/cuda/tokens.h>
#include <engine/graph/schedule.h>
#include <engine/tensor/element_type.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rankscope::engine::cuda {

/// Where kernels come from.
struct KernelLibraries {
    ConvolutionLibrary& convolutions;
    MatmulLibrary& products;
};

struct LoweringOptions {
    std::int64_t batch = 1;
    ElementType type = ElementType::f32;
    ForwardMode mode = ForwardMode::train;  ///< evaluate: no backward pass, running statistics
    float label_smoothing = 0.0F;
    std::int64_t topk = 1;
    bool measure = false;    ///< kernels that are not in the cache may be measured
    int cluster_blocks = 1;  ///< of a thread block cluster, at most
};

/// A value of the graph while lowering: an image [batch][height][width][channels], channels padded; features
/// are an image of one pixel. Aliases (flatten) share one.
struct LoweredValue {
    std::int64_t height = 1;
    std::int64_t width = 1;
    std::int64_t channels = 0;  ///< without the padding
    ElementType type = ElementType::f32;
    BufferId activation = 0;
    bool relu = false;                 ///< clamped by its producer: the gradient is masked by its sign
    std::vector<BufferId> partials{};  ///< gradients from its readers, to be added up; never written again

    std::int64_t stored_channels() const { return padded(channels); }
    std::int64_t pixels() const { return height * width; }
};

struct LoweredStep {
    std::size_t forward_end = 0;  ///< operations [0, forward_end) are the forward pass with the loss
    BufferId logits = 0;          ///< floats [batch · rows][logits_row]
    BufferId logits_gradient = 0;
    std::int64_t logits_row = 0;
};

/// The address `elements` further.
inline void* moved(void* address, std::int64_t elements, ElementType type) {
    return static_cast<std::byte*>(address) + elements * static_cast<std::int64_t>(size_of(type));
}

/// Throws ConfigError for heads whose size the kernels do not take. `input`: of the attention.
void check_attention(const std::string& name, const Shape& input, const Attention& attention);

/// Turns the schedule into operations of `plan`. Must live until the plan is bound.
class Lowering {
public:
    Lowering(const Graph& graph, const LoweringOptions& options, const KernelLibraries& libraries,
             const StepState& state, StepPlan& plan);

    LoweredStep lower(const Schedule& schedule);

private:
    // lowering.cpp
    void input();
    void forward(std::size_t index);
    void backward_weights(const ScheduledOp& op);
    void backward_data(const ScheduledOp& op);
    void forward_relu(const Node& node);
    void backward_relu(const Node& node);
    void forward_add(const Node& node, const Add& add);
    /// The gradient of a sum is that of each summand.
    void pass_gradient(const ScheduledOp& op);

    // lower_loss.cpp
    LoweredStep loss(const Node& node);
    void loss_backward(const Node& node, const LoweredStep& step);
    bool direct_logits(const Node& node) const;

    // lower_conv.cpp
    void forward_conv(std::size_t index, const Conv2d& conv);
    void backward_weights_conv(const ScheduledOp& op, const Conv2d& conv);
    void backward_data_conv(std::size_t index, const Conv2d& conv);
    ConvolutionShape conv_shape(const Node& node, const Conv2d& conv);
    void bias_gradient(const Node& node, BufferId gradient, const std::vector<ParameterId>& finished);
    void add_bias_after(const Node& node, BufferId values, bool bias, bool relu);

    // lower_product.cpp: linear layers, and convolutions with one result
    struct Product {
        std::int64_t rows = 0;    ///< samples, or pixels of all samples
        std::int64_t offset = 0;  ///< of the first element that a row of the input gives
        std::int64_t row = 0;     ///< elements from one row to the next
        std::int64_t depth = 0;   ///< elements of a row that take part
        bool whole = true;        ///< all of them do
        bool relu = false;
    };
    std::optional<Product> product_of(const Node& node);
    void forward_product(const Node& node, const Product& product);
    void backward_weights_product(const ScheduledOp& op, const Product& product);
    void backward_data_product(const Node& node, const Product& product);

    // lower_batch_norm.cpp
    void forward_batch_norm(std::size_t index, const BatchNorm2d& norm);
    void backward_batch_norm(const ScheduledOp& op, const BatchNorm2d& norm);
    std::optional<ClusterTiling> whole_norm(const BatchNormShape& shape) const;

    // lower_channels.cpp
    void forward_activate(const Node& node, const Activate& operation);
    void backward_activate(const Node& node, const Activate& operation);
    void forward_scale(const Node& node);
    void backward_scale(const ScheduledOp& op);
    void forward_concat(const Node& node);
    void backward_concat(const ScheduledOp& op);

    // lower_dropout.cpp
    void add_drop(const std::string& name, const DropoutShape& shape, const DropoutFormula& formula,
                  BufferId from, BufferId to);
    void drop_value(const Node& node, const Dropout& dropout, BufferId from, BufferId to);
    void forward_dropout(const Node& node, const Dropout& dropout);
    void backward_dropout(const Node& node, const Dropout& dropout);
    BufferId dropped_shares(const Node& node, const Attention& attention, const HeadsShape& heads,
                            BufferId shares);
    void drop_pairs(const Node& node, const Attention& attention, const HeadsShape& heads, ElementType type,
                    BufferId from, BufferId to);

    // lower_tokens.cpp
    void forward_layer_norm(std::size_t index, const LayerNorm& norm);
    void backward_layer_norm_weights(const ScheduledOp& op);
    void backward_layer_norm_data(std::size_t index);
    TokensShape tokens_shape(const Node& node, const Embedding& embedding);
    void forward_embedding(const Node& node, const Embedding& embedding);
    void backward_embedding(const ScheduledOp& op, const Embedding& embedding);
    std::size_t gradient_bytes(ParameterId id) const;
    RowMove row_move(ValueId from, ValueId to);
    void add_row_move(const std::string& name, const RowMove& move, BufferId from, BufferId to,
                      bool zero_first);
    void shared_rows_gradient(const ScheduledOp& op, std::int64_t count);
    void forward_positions(const Node& node);
    void forward_prepend(const Node& node);
    void backward_prepend_data(const Node& node);
    void forward_first_token(const Node& node);
    void backward_first_token(const Node& node);
    /// Where the matrices of all heads begin in a buffer, in elements.
    struct HeadMatrix {
        BufferId buffer = 0;
        std::int64_t first = 0;
    };
    struct HeadInputs {
        BufferId qkv = 0;
        std::int64_t part = 0;  ///< elements of all queries, as many as of keys and of values
        BufferId shares = 0;
    };
    static MatmulShape score_product(const HeadsShape& heads);
    static MatmulShape share_product(const HeadsShape& heads, bool transposed);
    HeadsShape heads_shape(const Node& node, const Attention& attention);
    HeadInputs attention_inputs(const Node& node, const HeadsShape& heads);
    void head_products(const std::string& name, const MatmulShape& shape, const HeadMatrix& a,
                       const HeadMatrix& b, const HeadMatrix& d,
                       const std::vector<ParameterId>& finished = {});
    BufferId distance_scores(const Node& node, const HeadsShape& heads, BufferId qkv, std::int64_t distances,
                             std::size_t parameter);
    void distance_gradient(const ScheduledOp& op, const HeadsShape& heads, const HeadInputs& in,
                           BufferId dscores, BufferId dqkv);
    void join(const std::string& name, const HeadsShape& heads, std::int64_t parts, BufferId from,
              BufferId to);
    void forward_attention(const Node& node, const Attention& attention);
    void backward_attention(const ScheduledOp& op, const Attention& attention);

    // lower_pool.cpp
    void forward_window_average(const Node& node, const AveragePool2d& pool);
    void backward_window_average(const Node& node, const AveragePool2d& pool);
    void forward_max_pool(std::size_t index, const MaxPool2d& pool);
    void backward_max_pool(std::size_t index, const MaxPool2d& pool);
    void forward_average_pool(const Node& node);
    void backward_average_pool(const Node& node);

    LoweredValue& value(ValueId id) { return values_[root_[id]]; }
    LoweredValue& new_value(ValueId id, ElementType type, bool relu = false);
    void alias(const Node& node) { root_[node.output] = root_[node.input()]; }
    std::int64_t elements(const LoweredValue& of) const {
        return options_.batch * of.pixels() * of.stored_channels();
    }
    std::size_t bytes(const LoweredValue& of) const {
        return static_cast<std::size_t>(elements(of)) * size_of(of.type);
    }
    /// Room for one reader's share of the value's gradient, in the kernels' type.
    BufferId new_partial(ValueId id);
    /// The whole gradient in one buffer, masked by the ReLU: for the value's producer, once all readers have
    /// written.
    BufferId gradient_of(ValueId id);
    BufferId sum_partials(const LoweredValue& of, const std::vector<BufferId>& parts, bool masked);

    const Graph& graph_;
    LoweringOptions options_;
    KernelLibraries libraries_;
    const StepState& state_;
    StepPlan& plan_;
    IndexedVector<ValueId, LoweredValue> values_;
    IndexedVector<ValueId, ValueId> root_;          ///< the value that an alias stands for
    IndexedVector<ParameterId, BufferId> weights_;  ///< the kernels' copy
    IndexedVector<ParameterId, BufferId> masters_;  ///< the floats
    IndexedVector<ParameterId, BufferId> gradients_;
    IndexedVector<ParameterId, BufferId> half_gradients_;  ///< the floats' where there are no others
    BufferId output_ = 0;
    /// What a batch norm's backward pass reads again.
    struct KeptNorm {
        BufferId vectors = 0;
        BufferId sums = 0;  ///< synchronised only
    };
    std::map<std::size_t, KeptNorm> norms_;
    std::map<std::size_t, BufferId> origins_;    ///< of max pools
    std::map<std::size_t, BufferId> kept_rows_;  ///< of layer norms
    bool recomputing_ = false;
};

}  // namespace rankscope::engine::cuda
