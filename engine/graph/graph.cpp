// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/graph/graph.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace rankscope::engine {
namespace {

void require(bool condition, const std::string& node, const std::string& what, const Shape& shape) {
    if (!condition) {
        throw ShapeError(node + ": " + what + ", the input is " + to_string(shape));
    }
}

std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    const std::int64_t room = size + 2 * padding - kernel;
    return room < 0 ? 0 : room / stride + 1;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_string(const Shape& shape) {
    std::string text = "[";
    for (const std::int64_t size : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    }
    return text + "]";
}

IndexedVector<ValueId, std::size_t> reader_counts(const Graph& graph) {
    IndexedVector<ValueId, std::size_t> counts(graph.values.size(), 0);
    for (const Node& node : graph.nodes) {
        for (const ValueId input : node.inputs) {
            ++counts[input];
        }
    }
    return counts;
}

IndexedVector<ParameterId, std::size_t> user_counts(const Graph& graph) {
    IndexedVector<ParameterId, std::size_t> counts(graph.parameters.size(), 0);
    for (const Node& node : graph.nodes) {
        for (const ParameterId parameter : node.parameters) {
            ++counts[parameter];
        }
    }
    return counts;
}

std::int64_t pixel_count(const Shape& shape) {
    return shape.size() == 3 ? shape[1] * shape[2] : 1;
}

bool Graph::drops() const {
    return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
        const auto* attention = std::get_if<Attention>(&node.operation);
        return std::holds_alternative<Dropout>(node.operation) ||
               (attention != nullptr && attention->dropout > 0);
    });
}

bool Graph::sliced() const {
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const Node& node) { return std::holds_alternative<SumSlices>(node.operation); });
}

GraphBuilder::GraphBuilder(Shape input) {
    current_ = graph_.values.add({std::move(input)});
}

void GraphBuilder::append(Operation operation, Shape output, std::string name,
                          std::vector<ParameterId> parameters, std::vector<StatisticId> statistics) {
    const ValueId made = graph_.values.add({std::move(output)});
    graph_.nodes.push_back(
        {operation, {current_}, made, std::move(parameters), std::move(statistics), std::move(name)});
    current_ = made;
}

ParameterId GraphBuilder::parameter(std::string name, Shape shape, std::int64_t fan_in,
                                    Initialisation initialisation) {
    for (const ParameterId id : graph_.parameters.indices()) {
        if (graph_.parameters[id].name == name) {  // declared before
            require(graph_.parameters[id].shape == shape, name,
                    "it was declared as " + to_string(graph_.parameters[id].shape), shape);
            return id;
        }
    }
    const ParameterId made =
        graph_.parameters.add({std::move(name), std::move(shape), fan_in, initialisation});
    graph_.parameters[made].spread = initialisation == Initialisation::normal ? 1.0 : 0.0;
    return made;
}

GraphBuilder& GraphBuilder::conv2d(const std::string& name, const Conv2d& conv) {
    const Shape input = shape();
    require(input.size() == 3, name, "conv2d needs [channels, height, width]", input);
    require(conv.groups > 0 && input[0] % conv.groups == 0 && conv.out_channels % conv.groups == 0, name,
            "its groups (" + std::to_string(conv.groups) + ") do not divide its input channels and its " +
                std::to_string(conv.out_channels) + " output channels",
            input);
    require(conv.dilation > 0, name, "its dilation is " + std::to_string(conv.dilation) + "; 1 is the least",
            input);
    const Shape output{conv.out_channels, window_count(input[1], conv.reach(), conv.stride, conv.padding),
                       window_count(input[2], conv.reach(), conv.stride, conv.padding)};
    require(output[1] > 0 && output[2] > 0, name,
            "the kernel (" + std::to_string(conv.reach()) + ") is larger than the padded input", input);
    const std::int64_t channels = input[0] / conv.groups;
    const std::int64_t fan_in = channels * conv.kernel * conv.kernel;
    std::vector<ParameterId> parameters{
        parameter(name + ".weight", {conv.out_channels, channels, conv.kernel, conv.kernel}, fan_in)};
    if (conv.bias) {
        parameters.push_back(parameter(name + ".bias", {conv.out_channels}, fan_in));
    }
    append(conv, output, name, std::move(parameters));
    return *this;
}

GraphBuilder& GraphBuilder::batch_norm2d(const std::string& name, const BatchNorm2d& norm) {
    const Shape input = shape();
    require(input.size() == 3, name, "batch_norm2d needs [channels, height, width]", input);
    const Shape channels{input[0]};
    const ParameterId weight = parameter(name + ".weight", channels, 0, Initialisation::ones);
    const ParameterId bias = parameter(name + ".bias", channels, 0, Initialisation::zeros);
    const StatisticId mean =
        graph_.statistics.add({name + ".running_mean", channels, Statistic::Kind::running_mean});
    const StatisticId variance =
        graph_.statistics.add({name + ".running_var", channels, Statistic::Kind::running_var});
    const StatisticId batches =
        graph_.statistics.add({name + ".num_batches_tracked", {}, Statistic::Kind::batches_tracked});
    append(norm, input, name, {weight, bias}, {mean, variance, batches});
    return *this;
}

GraphBuilder& GraphBuilder::relu() {
    append(Relu{}, Shape(shape()), "relu");
    return *this;
}

GraphBuilder& GraphBuilder::max_pool2d(const MaxPool2d& pool) {
    const Shape input = shape();
    require(input.size() == 3, "max_pool2d", "it needs [channels, height, width]", input);
    const Shape output{input[0], window_count(input[1], pool.kernel, pool.stride, pool.padding),
                       window_count(input[2], pool.kernel, pool.stride, pool.padding)};
    require(output[1] > 0 && output[2] > 0, "max_pool2d", "the window is larger than the input", input);
    append(pool, output, "max_pool2d");
    return *this;
}

GraphBuilder& GraphBuilder::global_average_pool() {
    const Shape input = shape();
    require(input.size() == 3, "global_average_pool", "it needs [channels, height, width]", input);
    append(GlobalAveragePool{}, {input[0], 1, 1}, "global_average_pool");
    return *this;
}

GraphBuilder& GraphBuilder::average_pool2d(const AveragePool2d& pool) {
    const Shape input = shape();
    require(input.size() == 3, "average_pool2d", "it needs [channels, height, width]", input);
    const Shape output{input[0], window_count(input[1], pool.kernel, pool.stride, 0),
                       window_count(input[2], pool.kernel, pool.stride, 0)};
    require(output[1] > 0 && output[2] > 0, "average_pool2d", "the window is larger than the input", input);
    append(pool, output, "average_pool2d");
    return *this;
}

GraphBuilder& GraphBuilder::activate(Activation kind) {
    append(Activate{kind}, Shape(shape()), "activation");
    return *this;
}

GraphBuilder& GraphBuilder::scale(const std::string& name, ValueId image) {
    const Shape input = graph_.values[image].shape;
    require(input.size() == 3 && shape() == Shape{input[0], 1, 1}, name,
            "the factors are " + to_string(shape()) + "; one per channel is expected", input);
    append(Scale{}, input, name);
    std::vector<ValueId>& inputs = graph_.nodes.back().inputs;
    inputs.insert(inputs.begin(), image);
    return *this;
}

GraphBuilder& GraphBuilder::concat(const std::string& name, ValueId first) {
    const Shape input = shape();
    Shape output = graph_.values[first].shape;
    require(input.size() == 3 && output.size() == 3 && input[1] == output[1] && input[2] == output[2], name,
            "the images to concatenate differ in size: " + to_string(output), input);
    output[0] += input[0];
    append(Concat{}, output, name);
    std::vector<ValueId>& inputs = graph_.nodes.back().inputs;
    inputs.insert(inputs.begin(), first);
    return *this;
}

GraphBuilder& GraphBuilder::flatten() {
    append(Flatten{}, {element_count(shape())}, "flatten");
    return *this;
}

GraphBuilder& GraphBuilder::dropout(double rate) {
    if (rate > 0) {
        append(Dropout{.rate = rate, .number = dropouts_++}, Shape(shape()), "dropout");
    }
    return *this;
}

GraphBuilder& GraphBuilder::drop_samples(double rate) {
    if (rate > 0) {
        append(Dropout{.rate = rate, .whole_samples = true, .number = dropouts_++}, Shape(shape()),
               "stochastic depth");
    }
    return *this;
}

GraphBuilder& GraphBuilder::linear(const std::string& name, std::int64_t out_features, bool bias) {
    const Shape input = shape();
    require(input.size() == 1 || input.size() == 3, name, "linear needs [features] or an image", input);
    std::vector<ParameterId> parameters{parameter(name + ".weight", {out_features, input[0]}, input[0])};
    if (bias) {
        parameters.push_back(parameter(name + ".bias", {out_features}, input[0]));
    }
    Shape output = input;
    output[0] = out_features;
    append(Linear{out_features, bias}, output, name, std::move(parameters));
    return *this;
}

GraphBuilder& GraphBuilder::tied_linear(const std::string& name, const std::string& embedding) {
    const ParameterId weight = parameter_named(embedding + ".weight");
    const Shape tied = graph_.parameters[weight].shape;
    Shape output = shape();
    require(output.size() == 3 && output[0] == tied[1], name, "the tied weight is " + to_string(tied),
            output);
    output[0] = tied[0];
    append(Linear{tied[0], false}, output, name, {weight});
    return *this;
}

GraphBuilder& GraphBuilder::layer_norm(const std::string& name, float epsilon) {
    const Shape input = shape();
    require(input.size() == 3, name, "layer_norm needs [channels, height, width]", input);
    const ParameterId weight = parameter(name + ".weight", {input[0]}, 0, Initialisation::ones);
    const ParameterId bias = parameter(name + ".bias", {input[0]}, 0, Initialisation::zeros);
    append(LayerNorm{epsilon}, input, name, {weight, bias});
    return *this;
}

GraphBuilder& GraphBuilder::embedding(const std::string& name, std::int64_t vocabulary,
                                      std::int64_t channels) {
    const Shape input = shape();
    require(input.size() == 1, name, "an embedding needs [tokens]", input);
    append(Embedding{vocabulary, channels}, {channels, input[0], 1}, name,
           {parameter(name + ".weight", {vocabulary, channels}, 0, Initialisation::normal)});
    return *this;
}

GraphBuilder& GraphBuilder::declare(const std::string& name, const Shape& shape,
                                    Initialisation initialisation) {
    parameter(name, shape, 0, initialisation);
    return *this;
}

GraphBuilder& GraphBuilder::add_positions(const std::string& name, const Shape& positions) {
    const Shape input = shape();
    require(input.size() == 3 && positions.back() == input[0], name,
            "positions need [" + std::to_string(positions.back()) + ", tokens, 1]", input);
    const std::int64_t most = positions[positions.size() - 2];
    require(pixel_count(input) <= most, name,
            "the model has " + std::to_string(most) + " positions, fewer than the tokens", input);
    append(AddPositions{}, input, name, {parameter(name, positions, 0, Initialisation::normal)});
    return *this;
}

GraphBuilder& GraphBuilder::prepend_token(const std::string& name) {
    const Shape input = shape();
    require(input.size() == 3, name, "a token is put before [channels, height, width]", input);
    append(PrependToken{}, {input[0], pixel_count(input) + 1, 1}, name,
           {parameter(name, {1, 1, input[0]}, 0, Initialisation::normal)});
    return *this;
}

GraphBuilder& GraphBuilder::first_token() {
    const Shape input = shape();
    require(input.size() == 3, "first_token", "it needs [channels, tokens, 1]", input);
    append(FirstToken{}, {input[0]}, "first_token");
    return *this;
}

GraphBuilder& GraphBuilder::attention(const std::string& name, Attention attention) {
    const Shape input = shape();
    require(input.size() == 3 && attention.heads > 0 && input[0] % (3 * attention.heads) == 0, name,
            "attention of " + std::to_string(attention.heads) +
                " heads needs queries, keys and values of the same size",
            input);
    attention.number = attention.dropout > 0 ? dropouts_++ : 0;
    append(attention, {input[0] / 3, input[1], input[2]}, name);
    return *this;
}

GraphBuilder& GraphBuilder::relative_attention(const std::string& name, std::int64_t heads) {
    const Shape input = shape();
    attention(name, {.heads = heads, .relative = true});
    const std::int64_t width = input[0] / 3 / heads;
    graph_.nodes.back().parameters = {
        parameter(name + ".pos_emb.rel_height", {2 * input[1] - 1, width}, 0, Initialisation::normal),
        parameter(name + ".pos_emb.rel_width", {2 * input[2] - 1, width}, 0, Initialisation::normal)};
    return *this;
}

ParameterId GraphBuilder::parameter_named(const std::string& name) const {
    for (const ParameterId id : graph_.parameters.indices()) {
        if (graph_.parameters[id].name == name) {
            return id;
        }
    }
    throw ShapeError("there is no parameter " + name);
}

GraphBuilder& GraphBuilder::redraw(const Redraw& redraw) {
    graph_.redraws.push_back(redraw);
    return *this;
}

GraphBuilder& GraphBuilder::from(ValueId value) {
    current_ = value;
    return *this;
}

GraphBuilder& GraphBuilder::add(const std::string& name, ValueId other) {
    const Shape input = shape();
    require(graph_.values[other].shape == input, name,
            "the other branch is " + to_string(graph_.values[other].shape), input);
    append(Add{}, input, name);
    graph_.nodes.back().inputs.push_back(other);
    return *this;
}

GraphBuilder& GraphBuilder::initialise(const Start& start) {
    for (const Node& node : graph_.nodes) {
        std::vector<Parameter*> parameters;
        for (const ParameterId id : node.parameters) {
            parameters.push_back(&graph_.parameters[id]);
        }
        start(node, parameters);
    }
    return *this;
}

Graph GraphBuilder::end(Operation loss, const std::string& name) {
    const Shape input = shape();
    const bool tokens = std::holds_alternative<CrossEntropy>(loss) && input.size() == 3;
    require(input.size() == 1 || tokens, name, "it needs [outputs]", input);
    graph_.classes = input[0];
    graph_.rows = pixel_count(input);
    append(loss, {}, name);
    return std::move(graph_);
}

Graph GraphBuilder::cross_entropy() {
    return end(CrossEntropy{}, "cross_entropy");
}

Graph GraphBuilder::mean_squared_error() {
    return end(MeanSquaredError{}, "mean_squared_error");
}

const Shape& unflattened(const Graph& graph, const Node& linear) {
    ValueId value = linear.input();
    for (std::size_t i = graph.nodes.size(); i-- > 0;) {
        const Node& node = graph.nodes[i];
        if (node.output == value && (std::holds_alternative<Flatten>(node.operation) ||
                                     std::holds_alternative<SumSliceGradients>(node.operation))) {
            value = node.input();
        }
    }
    return graph.values[value].shape;
}

}  // namespace rankscope::engine
