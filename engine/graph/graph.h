// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// A static network: built once from a model description, with every shape known.
///
/// Shapes are those of one sample (no batch dimension), row-major: {channels, height, width} or {features};
/// the batch size is given when a backend compiles the graph. Parameters have PyTorch's shapes and order
/// (OIHW; {out, in}), which is also the order of checkpoints and checksums.
namespace rankscope::engine {

using Shape = std::vector<std::int64_t>;
using ValueId = std::size_t;      ///< index into Graph::values
using ParameterId = std::size_t;  ///< index into Graph::parameters, in order of registration

/// Product of the dimensions; 1 for {}.
std::int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);

struct Conv2d {
    std::int64_t out_channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
};
struct Relu {};
struct MaxPool2d {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    bool relu = false;  ///< clamp the result at 0 (set by fuse_relu_into_max_pool)
};
struct Flatten {};
struct Linear {
    std::int64_t out_features = 0;
};
/// Mean over the batch of −log softmax(logits)[label]; also counts the samples whose largest logit is the
/// label's.
struct CrossEntropy {};

using Operation = std::variant<Conv2d, Relu, MaxPool2d, Flatten, Linear, CrossEntropy>;

struct Parameter {
    std::string name;  ///< as in PyTorch's state_dict: "conv1.weight"
    Shape shape;
    std::int64_t fan_in = 0;  ///< inputs that one output sees: the bound of the default initialisation
};

struct Node {
    Operation operation;
    ValueId input = 0;
    ValueId output = 0;
    std::vector<ParameterId> parameters;  ///< weight, bias; or none
    std::string name;
};

struct Value {
    Shape shape;
};

/// Nodes are in execution order: a chain for now; values with several readers come with the first such model.
struct Graph {
    std::vector<Value> values;  ///< values[0] is the input
    std::vector<Parameter> parameters;
    std::vector<Node> nodes;
    std::int64_t classes = 0;  ///< size of the logits that the loss reads
};

/// Appends nodes, infers shapes and registers parameters. A model whose shapes do not fit is a mistake in the
/// program: std::logic_error naming the node and both shapes.
class GraphBuilder {
public:
    explicit GraphBuilder(Shape input);

    GraphBuilder& conv2d(const std::string& name, const Conv2d& conv);
    GraphBuilder& relu();
    GraphBuilder& max_pool2d(const MaxPool2d& pool);
    GraphBuilder& flatten();
    GraphBuilder& linear(const std::string& name, std::int64_t out_features);
    /// Ends the graph.
    Graph cross_entropy();

private:
    const Shape& current() const { return graph_.values.back().shape; }
    void append(Operation operation, Shape output, std::vector<ParameterId> parameters, std::string name);
    std::vector<ParameterId> weight_and_bias(const std::string& name, Shape weight, std::int64_t fan_in);

    Graph graph_;
};

}  // namespace rankscope::engine
