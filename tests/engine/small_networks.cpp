// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/model_registry.h>

#include <tests/engine/small_networks.h>

#include <cmath>
#include <string>

namespace rankscope::engine::test {

Graph tiny_net() {
    return GraphBuilder({2, 7, 6})
        .conv2d("c1", {.out_channels = 3, .kernel = 3, .stride = 1, .padding = 1})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 1})
        .conv2d("c2", {.out_channels = 5, .kernel = 3, .stride = 2, .padding = 0})
        .relu()
        .flatten()
        .linear("f1", 6)
        .relu()
        .linear("f2", 4)
        .cross_entropy();
}

Graph pools_and_relus() {
    return GraphBuilder({1, 12, 12})
        .conv2d("c1", {.out_channels = 16, .kernel = 5, .stride = 1, .padding = 2})
        .max_pool2d({.kernel = 3, .stride = 2})
        .relu()
        .conv2d("c2", {.out_channels = 20, .kernel = 1, .stride = 1, .padding = 0})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .flatten()
        .linear("f", 3)
        .cross_entropy();
}

Graph convnet() {
    return build_model("convnet", {1, 28, 28}, 10);
}
Graph mlp() {
    return build_model("mlp", {1, 28, 28}, 10);
}

Graph toy() {
    return build_model("toy", {10}, 5);
}

Graph residual_odd() {
    GraphBuilder net({3, 9, 10});
    net.conv2d("stem", {.out_channels = 20, .kernel = 3, .stride = 1, .padding = 1, .bias = false})
        .batch_norm2d("bn")
        .relu()
        .max_pool2d({.kernel = 3, .stride = 2, .padding = 1});
    const ValueId input = net.current();
    net.conv2d("a", {.out_channels = 12, .kernel = 3, .stride = 2, .padding = 1, .bias = false})
        .batch_norm2d("a_bn")
        .relu()
        .conv2d("b", {.out_channels = 12, .kernel = 3, .padding = 1, .bias = false})
        .batch_norm2d("b_bn");
    const ValueId residual = net.current();
    net.from(input)
        .conv2d("down", {.out_channels = 12, .kernel = 1, .stride = 2, .bias = false})
        .batch_norm2d("down_bn")
        .add("join", residual)
        .relu();
    return net.global_average_pool().flatten().linear("fc", 4).cross_entropy();
}

Graph residual_small() {
    GraphBuilder net({16, 4, 4});
    net.conv2d("stem", {.out_channels = 32, .kernel = 3, .padding = 1, .bias = false})
        .batch_norm2d("bn")
        .relu();
    for (const std::string name : {"one", "two", "three"}) {
        const ValueId input = net.current();
        net.conv2d(name + ".a", {.out_channels = 32, .kernel = 3, .padding = 1, .bias = false})
            .batch_norm2d(name + ".an")
            .relu()
            .conv2d(name + ".b", {.out_channels = 32, .kernel = 3, .padding = 1, .bias = false})
            .batch_norm2d(name + ".bn")
            .add(name + ".join", input)
            .relu();
        if (name != "three") {
            net.conv2d(name + ".down",
                       {.out_channels = 32, .kernel = 3, .stride = 2, .padding = 1, .bias = false})
                .batch_norm2d(name + ".dn");
        }
    }
    return net.global_average_pool().flatten().linear("fc", 5).cross_entropy();
}

Graph unfused() {
    GraphBuilder net({2, 6, 6});
    net.conv2d("a", {.out_channels = 8, .kernel = 3, .padding = 1}).relu();
    const ValueId first = net.current();
    net.conv2d("b", {.out_channels = 8, .kernel = 1});
    const ValueId second = net.current();
    net.from(first).conv2d("c", {.out_channels = 8, .kernel = 3, .padding = 1}).add("sum", second).relu();
    net.add("again", first).batch_norm2d("n").add("more", first);
    const ValueId third = net.current();
    net.relu().add("last", third).max_pool2d({.kernel = 3, .stride = 3});
    return net.flatten().linear("fc", 3).cross_entropy();
}

Graph grouped() {
    GraphBuilder net({3, 13, 12});
    net.conv2d("stem", {.out_channels = 16, .kernel = 3, .padding = 2, .bias = false, .dilation = 2})
        .batch_norm2d("bn")
        .relu()
        .conv2d("four", {.out_channels = 32, .kernel = 3, .stride = 2, .padding = 1, .groups = 4})
        .relu();
    const ValueId input = net.current();
    net.conv2d("pairs", {.out_channels = 32, .kernel = 3, .padding = 1, .bias = false, .groups = 16})
        .batch_norm2d("pairs_bn")
        .relu()
        .conv2d("each",
                {.out_channels = 32, .kernel = 5, .padding = 4, .bias = false, .groups = 32, .dilation = 2})
        .add("join", input)
        .relu();
    // 12 channels fill no block, nor a group of 8.
    net.conv2d("narrow", {.out_channels = 12, .kernel = 1, .bias = false})
        .batch_norm2d("narrow_bn")
        .relu()
        .conv2d("three", {.out_channels = 12, .kernel = 3, .stride = 2, .padding = 1, .groups = 3})
        .relu()
        .conv2d("odd", {.out_channels = 12, .kernel = 3, .padding = 1, .groups = 12})
        .conv2d("pixel", {.out_channels = 12, .kernel = 3, .stride = 2, .groups = 12})
        .conv2d("centre", {.out_channels = 8, .kernel = 3, .padding = 2, .dilation = 2})
        .relu();
    return net.flatten().linear("fc", 4).cross_entropy();
}

Graph excited() {
    GraphBuilder net({3, 11, 9});
    net.conv2d("stem", {.out_channels = 16, .kernel = 3, .padding = 1, .bias = false})
        .batch_norm2d("bn")
        .activate(Activation::silu);
    const ValueId image = net.current();
    net.global_average_pool()
        .conv2d("reduce", {.out_channels = 5})
        .activate(Activation::silu)
        .conv2d("expand", {.out_channels = 16})
        .activate(Activation::sigmoid)
        .scale("excite", image);
    const ValueId first = net.current();
    net.conv2d("grow", {.out_channels = 32, .kernel = 3, .padding = 1, .bias = false})
        .concat("blocks", first)
        .batch_norm2d("join_bn")
        .relu()
        .average_pool2d({.kernel = 3, .stride = 2});
    const ValueId narrow =
        net.conv2d("narrow", {.out_channels = 12}).activate(Activation::gelu_erf).current();
    net.conv2d("five", {.out_channels = 5, .kernel = 3, .padding = 1})
        .activate(Activation::gelu_tanh)
        .concat("odd", narrow)
        .activate(Activation::sigmoid)
        .average_pool2d({.kernel = 2, .stride = 2});
    return net.flatten().linear("fc1", 9).activate(Activation::silu).linear("fc2", 4).cross_entropy();
}

Graph dense_blocks() {
    GraphBuilder net({3, 8, 7});
    net.conv2d("stem", {.out_channels = 16, .kernel = 3, .padding = 1, .bias = false});
    const auto layer = [&](const std::string& name, std::int64_t growth) {
        const ValueId input = net.current();
        net.batch_norm2d(name + ".an").relu();
        const ValueId read_twice = net.current();
        net.conv2d(name + ".a", {.out_channels = growth, .bias = false});
        const ValueId grown = net.current();
        net.from(read_twice)
            .conv2d(name + ".b", {.out_channels = growth, .kernel = 3, .padding = 1, .bias = false})
            .add(name + ".sum", grown)
            .concat(name + ".concat", input);
    };
    layer("one", 16);
    layer("two", 16);
    layer("three", 32);
    const ValueId read_by_two_norms = net.current();
    const ValueId left =
        net.batch_norm2d("left_bn").relu().conv2d("left", {.out_channels = 10, .bias = false}).current();
    net.from(read_by_two_norms)
        .batch_norm2d("right_bn")
        .relu()
        .conv2d("right", {.out_channels = 10, .bias = false})
        .add("both", left)
        .relu()
        .average_pool2d({.kernel = 2, .stride = 2});
    layer("four", 5);
    layer("five", 3);
    return net.batch_norm2d("last_bn").relu().global_average_pool().flatten().linear("fc", 4).cross_entropy();
}

Graph resnet18_tiny_images() {
    return build_model("resnet18", {3, 32, 32}, 10);
}

Graph language() {
    GraphBuilder net({7});
    net.embedding("wte", 11, 24).add_positions("wpe.weight", {9, 24});
    ValueId input = net.current();
    net.layer_norm("ln_1")
        .linear("attn", 72)
        .attention("attention", {.heads = 3, .causal = true})
        .linear("proj", 24)
        .add("attn_add", input);
    input = net.current();
    return net.layer_norm("ln_2")
        .linear("fc", 21)
        .activate(Activation::gelu_tanh)
        .linear("fc_proj", 24)
        .add("mlp_add", input)
        .layer_norm("ln_f")
        .tied_linear("head", "wte")
        .cross_entropy();
}

Graph patches() {
    GraphBuilder net({3, 6, 10});
    net.declare("cls_token", {1, 1, 16}, Initialisation::normal)
        .conv2d("patch", {.out_channels = 16, .kernel = 2, .stride = 2})
        .layer_norm("norm_pixels")
        .prepend_token("cls_token")
        .add_positions("pos_embed", {1, 16, 16});
    const ValueId input = net.current();
    return net.layer_norm("norm1", 1e-3F)
        .linear("qkv", 48)
        .attention("attention", {.heads = 2})
        .linear("proj", 16)
        .add("add", input)
        .linear("fc", 20)
        .relu()
        .first_token()
        .linear("head", 5)
        .cross_entropy();
}

Graph distances() {
    GraphBuilder net({3, 6, 8});
    net.conv2d("stem", {.out_channels = 48, .kernel = 2, .stride = 2})
        .relative_attention("attention", 2)
        .conv2d("narrow", {.out_channels = 5, .kernel = 3});
    return net.flatten().linear("fc", 4).cross_entropy();
}

Graph forgetful() {
    GraphBuilder net({3, 6, 7});
    const ValueId input = net.conv2d("stem", {.out_channels = 13, .kernel = 3, .padding = 1, .bias = false})
                              .batch_norm2d("bn")
                              .relu()
                              .current();
    return net.conv2d("a", {.out_channels = 13, .kernel = 3, .padding = 1})
        .drop_samples(0.4)
        .add("sum", input)
        .relu()
        .dropout(0.3)
        .flatten()
        .linear("fc1", 11)
        .activate(Activation::gelu_erf)
        .dropout(0.5)
        .linear("fc2", 4)
        .cross_entropy();
}

Graph forgetful_language() {
    GraphBuilder net({9});
    net.embedding("wte", 11, 24).add_positions("wpe.weight", {9, 24}).dropout(0.1);
    ValueId input = net.current();
    net.layer_norm("ln_1")
        .linear("attn", 72)
        .attention("attention", {.heads = 3, .causal = true, .dropout = 0.3})
        .linear("proj", 24)
        .dropout(0.2)
        .add("attn_add", input);
    input = net.current();
    return net.layer_norm("ln_2")
        .linear("fc", 21)
        .activate(Activation::gelu_tanh)
        .dropout(0.25)
        .linear("fc_proj", 24)
        .drop_samples(0.5)
        .add("mlp_add", input)
        .layer_norm("ln_f")
        .tied_linear("head", "wte")
        .cross_entropy();
}

void as_tokens(const Graph& graph, std::span<float> input) {
    if (const auto* embedding = std::get_if<Embedding>(&graph.nodes.front().operation)) {
        for (float& number : input) {
            number = std::floor((number + 0.5F) / 1.5F * static_cast<float>(embedding->vocabulary));
        }
    }
}

}  // namespace rankscope::engine::test
