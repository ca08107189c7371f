// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/graph/graph.h>

#include <functional>
#include <numeric>
#include <stdexcept>

namespace rankscope::engine {
namespace {

void require(bool condition, const std::string& node, const std::string& what, const Shape& shape) {
    if (!condition) {
        throw std::logic_error(node + ": " + what + ", the input is " + to_string(shape));
    }
}

std::int64_t window_count(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
    return (size + 2 * padding - kernel) / stride + 1;
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

GraphBuilder::GraphBuilder(Shape input) {
    graph_.values.push_back({std::move(input)});
}

void GraphBuilder::append(Operation operation, Shape output, std::vector<ParameterId> parameters,
                          std::string name) {
    const ValueId input = graph_.values.size() - 1;
    graph_.values.push_back({std::move(output)});
    graph_.nodes.push_back({operation, input, input + 1, std::move(parameters), std::move(name)});
}

std::vector<ParameterId> GraphBuilder::weight_and_bias(const std::string& name, Shape weight,
                                                       std::int64_t fan_in) {
    const ParameterId first = graph_.parameters.size();
    const std::int64_t outputs = weight.front();
    graph_.parameters.push_back({name + ".weight", std::move(weight), fan_in});
    graph_.parameters.push_back({name + ".bias", {outputs}, fan_in});
    return {first, first + 1};
}

GraphBuilder& GraphBuilder::conv2d(const std::string& name, const Conv2d& conv) {
    const Shape input = current();
    require(input.size() == 3, name, "conv2d needs [channels, height, width]", input);
    const Shape output{conv.out_channels, window_count(input[1], conv.kernel, conv.stride, conv.padding),
                       window_count(input[2], conv.kernel, conv.stride, conv.padding)};
    require(output[1] > 0 && output[2] > 0, name, "the kernel is larger than the padded input", input);
    const std::int64_t fan_in = input[0] * conv.kernel * conv.kernel;
    auto parameters = weight_and_bias(name, {conv.out_channels, input[0], conv.kernel, conv.kernel}, fan_in);
    append(conv, output, std::move(parameters), name);
    return *this;
}

GraphBuilder& GraphBuilder::relu() {
    append(Relu{}, Shape(current()), {}, "relu");
    return *this;
}

GraphBuilder& GraphBuilder::max_pool2d(const MaxPool2d& pool) {
    const Shape input = current();
    require(input.size() == 3, "max_pool2d", "it needs [channels, height, width]", input);
    const Shape output{input[0], window_count(input[1], pool.kernel, pool.stride, 0),
                       window_count(input[2], pool.kernel, pool.stride, 0)};
    require(output[1] > 0 && output[2] > 0, "max_pool2d", "the window is larger than the input", input);
    append(pool, output, {}, "max_pool2d");
    return *this;
}

GraphBuilder& GraphBuilder::flatten() {
    append(Flatten{}, {element_count(current())}, {}, "flatten");
    return *this;
}

GraphBuilder& GraphBuilder::linear(const std::string& name, std::int64_t out_features) {
    const Shape input = current();
    require(input.size() == 1, name, "linear needs [features]; flatten comes first", input);
    auto parameters = weight_and_bias(name, {out_features, input[0]}, input[0]);
    append(Linear{out_features}, {out_features}, std::move(parameters), name);
    return *this;
}

Graph GraphBuilder::cross_entropy() {
    const Shape input = current();
    require(input.size() == 1, "cross_entropy", "it needs [classes]", input);
    graph_.classes = input[0];
    append(CrossEntropy{}, {}, {}, "cross_entropy");
    return std::move(graph_);
}

}  // namespace rankscope::engine
