// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <string>

namespace rankscope::engine::models {
namespace {

struct VitSize {
    std::int64_t channels = 0;
    std::int64_t heads = 0;
};
constexpr int kVitLayers = 12;
constexpr std::int64_t kPatch = 16;
constexpr float kVitEpsilon = 1e-6F;

/// `drop`: of its two branches.
void vit_block(GraphBuilder& net, const std::string& name, const VitSize& size, double drop) {
    ValueId input = net.current();
    net.layer_norm(name + ".norm1", kVitEpsilon)
        .linear(name + ".attn.qkv", 3 * size.channels)
        .attention(name + ".attn", {.heads = size.heads})
        .linear(name + ".attn.proj", size.channels)
        .drop_samples(drop)
        .add(name + ".attn.add", input);
    input = net.current();
    net.layer_norm(name + ".norm2", kVitEpsilon)
        .linear(name + ".mlp.fc1", 4 * size.channels)
        .activate(Activation::gelu_erf)
        .linear(name + ".mlp.fc2", size.channels)
        .drop_samples(drop)
        .add(name + ".mlp.add", input);
}

/// timm's start: positions and linear layers from a truncated normal, the class token almost 0.
void vit_start(GraphBuilder& net) {
    constexpr double kSpread = 0.02;
    constexpr double kTokenSpread = 1e-6;
    net.initialise([](const Node& node, const std::vector<Parameter*>& parameters) {
        if (std::holds_alternative<Linear>(node.operation)) {
            parameters[1]->initialisation = Initialisation::drawn_zeros;
        }
    });
    net.redraw({net.parameter_named("pos_embed"), Initialisation::truncated, kSpread});
    net.redraw({net.parameter_named("cls_token"), Initialisation::normal, kTokenSpread});
    for (int i = 0; i < kVitLayers; ++i) {
        for (const char* module : {"attn.qkv", "attn.proj", "mlp.fc1", "mlp.fc2"}) {
            net.redraw({net.parameter_named("blocks." + std::to_string(i) + "." + module + ".weight"),
                        Initialisation::truncated, kSpread});
        }
    }
    net.redraw({net.parameter_named("head.weight"), Initialisation::truncated, kSpread});
}

Graph vit(const VitSize& size, const Shape& sample, std::int64_t classes, const DropRates& rates) {
    GraphBuilder net(sample);
    const std::int64_t patches = pixel_count(sample) / (kPatch * kPatch);
    const Shape positions{1, patches + 1, size.channels};
    net.declare("cls_token", {1, 1, size.channels}, Initialisation::zeros)
        .declare("pos_embed", positions, Initialisation::zeros)
        .conv2d("patch_embed.proj", {.out_channels = size.channels, .kernel = kPatch, .stride = kPatch})
        .prepend_token("cls_token")
        .add_positions("pos_embed", positions);
    for (int i = 0; i < kVitLayers; ++i) {
        vit_block(net, "blocks." + std::to_string(i), size, rates.path * i / (kVitLayers - 1));
    }
    net.layer_norm("norm", kVitEpsilon).first_token().dropout(rates.dropout).linear("head", classes);
    vit_start(net);
    return net.cross_entropy();
}

}  // namespace

Graph vit_tiny_patch16_224(const Shape& sample, std::int64_t classes, const DropRates& rates) {
    return vit({192, 3}, sample, classes, rates);
}
Graph vit_small_patch16_224(const Shape& sample, std::int64_t classes, const DropRates& rates) {
    return vit({384, 6}, sample, classes, rates);
}

}  // namespace rankscope::engine::models
