// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/strong_index.h>
#include <engine/graph/activation.h>

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

/// A static network: built once from a model description, with every shape known.
///
/// Shapes are those of one sample (no batch dimension), row-major: {channels, height, width} or {features};
/// the batch size is given when a backend compiles the graph. Parameters have PyTorch's names, shapes and
/// order (OIHW; {out, in}), which is also the order of checkpoints and checksums.
namespace rankscope::engine {

using Shape = std::vector<std::int64_t>;
using ValueId = StrongIndex<struct ValueTag>;          ///< into Graph::values
using ParameterId = StrongIndex<struct ParameterTag>;  ///< into Graph::parameters, in order of registration
using StatisticId = StrongIndex<struct StatisticTag>;  ///< into Graph::statistics

inline constexpr ValueId kInputValue{};  ///< the value that a graph begins with

/// Product of the dimensions; 1 for {}.
std::int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);

/// `relu` of an operation: its result is clamped at 0 (set by fuse_relu).
struct Conv2d {
    std::int64_t out_channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    bool bias = true;
    bool relu = false;
    std::int64_t groups = 1;    ///< each sees its own share of the channels; as many as channels: depthwise
    std::int64_t dilation = 1;  ///< pixels from one tap to the next

    /// Pixels from the first tap to the last one, both included.
    std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
    /// One group whose taps are neighbours: what kernels of our own compute.
    bool dense() const { return groups == 1 && dilation == 1; }
};
/// torch.nn.BatchNorm2d: normalises with the batch's biased variance; the running variance takes the unbiased
/// one. With a second input (set by fuse_residual) that one is added behind the normalisation.
struct BatchNorm2d {
    float epsilon = 1e-5F;
    float momentum = 0.1F;
    bool relu = false;
};
/// The same of a batch whose statistics are in the running ones already.
inline BatchNorm2d seen_before(BatchNorm2d norm) {
    norm.momentum = 0.0F;
    return norm;
}
struct Relu {};
/// Sum of two values of the same shape.
struct Add {
    bool relu = false;
};
struct MaxPool2d {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    std::int64_t padding = 0;
    bool relu = false;
};
/// Mean over each channel's pixels: {channels, 1, 1}.
struct GlobalAveragePool {};
/// torch.nn.AvgPool2d without padding.
struct AveragePool2d {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
};
/// An activation of every element that no other operation takes in.
struct Activate {
    Activation kind = Activation::silu;
};
/// The first input {channels, height, width} times the second {channels, 1, 1}, channel by channel: the end of a
/// squeeze-and-excitation.
struct Scale {};
/// The channels of all inputs in their order.
struct Concat {};
struct Flatten {};
/// torch.nn.Dropout in training, else nothing: an element becomes 0 with this probability, the others are divided by
/// 1 − rate. With whole_samples all of a sample or nothing: stochastic depth (Huang et al., "Deep Networks with Stochastic
/// Depth", 2016; torchvision's mode "row", timm's DropPath).
struct Dropout {
    double rate = 0.0;
    bool whole_samples = false;
    std::uint32_t number = 0;  ///< of the operations that drop, for their random numbers
};
/// torch.nn.Linear, of the features or of each pixel's channels.
struct Linear {
    std::int64_t out_features = 0;
    bool bias = true;
    bool relu = false;
};

// A token is a pixel: a sequence of T tokens is an image {channels, T, 1}, which backends keep channels last, so that a
// token is a row of a matrix. Any image is a sequence of its pixels.

/// torch.nn.Embedding: {tokens} becomes {channels, tokens, 1}. The tokens come as floats, which hold whole numbers up to
/// 2²⁴ exactly.
struct Embedding {
    std::int64_t vocabulary = 0;
    std::int64_t channels = 0;
};
/// Adds a learned vector of channels to each pixel, by its position. The parameter may have more positions.
struct AddPositions {};
/// A learned pixel before all others: the class token of a vision transformer.
struct PrependToken {};
/// The channels of the first pixel: {channels}.
struct FirstToken {};
/// torch.nn.LayerNorm over the channels of each pixel.
struct LayerNorm {
    float epsilon = 1e-5F;
};
/// torch.nn.functional.scaled_dot_product_attention. A pixel has the queries of all heads, then the keys, then the values:
/// 3 · channels; the result has channels. Causal: a pixel sees itself and those before it. Relative: to each score comes
/// the product of the query with the learned vectors of the key's distance in height and in width (Shaw et al.,
/// "Self-Attention with Relative Position Representations", 2018; Srinivas et al., "Bottleneck Transformers", 2021);
/// parameters [2 · height − 1][channels of a head], then [2 · width − 1][…].
struct Attention {
    std::int64_t heads = 1;
    bool causal = false;
    bool relative = false;
    double dropout = 0.0;      ///< of what a query takes of each value, as Dropout
    std::uint32_t number = 0;  ///< as Dropout's
    /// Of the whole network's heads, which decide on the random numbers, where another rank has those before it.
    std::int64_t first_head = 0;
};
/// Mean over the rows of −log softmax(logits)[label]; also counts the rows whose largest logits hold the label. A sample
/// of {classes} is one row, {classes, T, 1} is one row per token.
struct CrossEntropy {};
/// Mean over batch and outputs of (output − target)².
struct MeanSquaredError {};
/// Nothing in the forward pass; the gradient is summed over the ranks that have slices of the layers behind it.
struct SumSliceGradients {};
/// The sum over the ranks that have slices of the layer before it; its gradient is that of every slice.
struct SumSlices {};
/// In place of the loss: the value goes to the next stage of a pipeline, which gives back its gradient.
struct Handover {};

using Operation = std::variant<Conv2d, BatchNorm2d, Relu, Add, MaxPool2d, GlobalAveragePool, AveragePool2d,
                               Activate, Scale, Concat, Flatten, Dropout, Linear, Embedding, AddPositions,
                               PrependToken, FirstToken, LayerNorm, Attention, SumSliceGradients, SumSlices,
                               CrossEntropy, MeanSquaredError, Handover>;

/// How a parameter begins, in PyTorch's words. Networks replace what a layer's constructor drew; the draws still
/// count.
enum class Initialisation {
    uniform_fan_in,  ///< default of Conv2d and Linear: U(±1/√fan_in)
    normal,          ///< N(0, spread), drawn after all constructors
    uniform,         ///< U(±spread), drawn after all constructors
    truncated,       ///< N(0, spread) within ±2 (timm's trunc_normal_), drawn after all constructors
    drawn_zeros,     ///< 0, after a constructor drew numbers
    ones,
    zeros
};

struct Parameter {
    std::string name;  ///< as in PyTorch's state_dict: "conv1.weight"
    Shape shape;
    std::int64_t fan_in = 0;  ///< inputs that one output sees: the bound of the default initialisation
    Initialisation initialisation = Initialisation::uniform_fan_in;
    double spread = 0.0;  ///< of `normal` (1 unless a network says another), `uniform` and `truncated`
    std::size_t draws_before = 0;  ///< numbers that PyTorch draws for something else just before
    bool shared = false;           ///< another stage of a pipeline has it, too
};

/// What a batch norm remembers besides its parameters; PyTorch calls these buffers.
struct Statistic {
    enum class Kind { running_mean, running_var, batches_tracked };
    std::string name;  ///< "bn1.running_mean"
    Shape shape;       ///< {channels}; {} for num_batches_tracked
    Kind kind = Kind::running_mean;
};

struct Node {
    Operation operation;
    std::vector<ValueId> inputs;
    ValueId output{};
    std::vector<ParameterId> parameters{};  ///< weight, bias; or none
    std::vector<StatisticId> statistics{};  ///< running_mean, running_var, num_batches_tracked; or none
    std::string name;

    ValueId input() const { return inputs.front(); }
};

struct Value {
    Shape shape;
};

/// A parameter that a network's own start draws after all constructors, in its own order.
struct Redraw {
    ParameterId parameter{};
    Initialisation kind = Initialisation::normal;
    double spread = 0.0;
    std::size_t draws_before = 0;  ///< numbers that PyTorch draws for something else just before
};

/// Nodes are in execution order; the last one is the loss, or hands the result over. A value may have several readers.
struct Graph {
    IndexedVector<ValueId, Value> values;  ///< the first one is the input
    IndexedVector<ParameterId, Parameter> parameters;
    IndexedVector<StatisticId, Statistic> statistics;
    std::vector<Node> nodes;
    std::int64_t classes = 0;     ///< number of outputs that the loss reads for one row
    std::int64_t rows = 1;        ///< of one sample, each with a label: one, or one per token
    bool continues = false;       ///< the input is what another stage handed over: its gradient is wanted
    std::vector<Redraw> redraws;  ///< empty: `normal` and `uniform` parameters, in order of registration

    bool predicts_tokens() const { return rows > 1; }
    bool drops() const;   ///< some operation is given random numbers
    bool sliced() const;  ///< it is a rank's slice of a network
    bool hands_over() const { return std::holds_alternative<Handover>(nodes.back().operation); }
    bool classifies() const { return std::holds_alternative<CrossEntropy>(nodes.back().operation); }
};

/// How many nodes read each value.
IndexedVector<ValueId, std::size_t> reader_counts(const Graph& graph);
/// How many nodes have each parameter: a tied weight has two.
IndexedVector<ParameterId, std::size_t> user_counts(const Graph& graph);
/// The pixels of an image, 1 for features.
std::int64_t pixel_count(const Shape& shape);
/// The image that a linear layer sees through flattens, else its features.
const Shape& unflattened(const Graph& graph, const Node& linear);

/// Appends nodes behind the current value, infers shapes and registers parameters. A model whose shapes do
/// not fit throws ShapeError naming the node and the shapes.
class GraphBuilder {
public:
    explicit GraphBuilder(Shape input);

    GraphBuilder& conv2d(const std::string& name, const Conv2d& conv);
    GraphBuilder& batch_norm2d(const std::string& name, const BatchNorm2d& norm = {});
    GraphBuilder& relu();
    GraphBuilder& max_pool2d(const MaxPool2d& pool);
    GraphBuilder& global_average_pool();
    GraphBuilder& average_pool2d(const AveragePool2d& pool);
    GraphBuilder& activate(Activation kind);
    GraphBuilder& flatten();
    /// These add nothing for a rate of 0.
    GraphBuilder& dropout(double rate);
    GraphBuilder& drop_samples(double rate);
    GraphBuilder& linear(const std::string& name, std::int64_t out_features, bool bias = true);
    GraphBuilder& layer_norm(const std::string& name, float epsilon = 1e-5F);
    GraphBuilder& embedding(const std::string& name, std::int64_t vocabulary, std::int64_t channels);
    /// Registers a parameter before the operation that has it, which is found by its name.
    GraphBuilder& declare(const std::string& name, const Shape& shape, Initialisation initialisation);
    /// `shape`: of the parameter, in PyTorch's words; its last two sizes are positions and channels.
    GraphBuilder& add_positions(const std::string& parameter, const Shape& shape);
    GraphBuilder& prepend_token(const std::string& parameter);
    GraphBuilder& first_token();
    GraphBuilder& attention(const std::string& name, Attention attention);
    /// The same with relative positions, whose parameters are NAME.pos_emb.rel_height and NAME.pos_emb.rel_width.
    GraphBuilder& relative_attention(const std::string& name, std::int64_t heads);
    /// A linear layer without bias whose weight is that of an embedding before it.
    GraphBuilder& tied_linear(const std::string& name, const std::string& embedding);

    /// The value that the next node reads.
    ValueId current() const { return current_; }
    const Shape& shape() const { return graph_.values[current_].shape; }
    /// Continues from an earlier value: a second branch.
    GraphBuilder& from(ValueId value);
    /// current + other.
    GraphBuilder& add(const std::string& name, ValueId other);
    /// image · current, channel by channel.
    GraphBuilder& scale(const std::string& name, ValueId image);
    /// The channels of `first`, then those of the current value.
    GraphBuilder& concat(const std::string& name, ValueId first);
    /// Calls `start` with every node so far and its parameters, to choose how they begin.
    using Start = std::function<void(const Node& node, const std::vector<Parameter*>& parameters)>;
    GraphBuilder& initialise(const Start& start);
    ParameterId parameter_named(const std::string& name) const;
    GraphBuilder& redraw(const Redraw& redraw);

    /// These end the graph.
    Graph cross_entropy();
    Graph mean_squared_error();

private:
    void append(Operation operation, Shape output, std::string name, std::vector<ParameterId> parameters = {},
                std::vector<StatisticId> statistics = {});
    ParameterId parameter(std::string name, Shape shape, std::int64_t fan_in,
                          Initialisation initialisation = Initialisation::uniform_fan_in);
    Graph end(Operation loss, const std::string& name);

    Graph graph_;
    ValueId current_ = kInputValue;
    std::uint32_t dropouts_ = 0;
};

}  // namespace rankscope::engine
