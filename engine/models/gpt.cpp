// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <cmath>
#include <string>

namespace rankscope::engine::models {
namespace {

struct GptSize {
    int layers = 0;
    std::int64_t heads = 0;
    std::int64_t channels = 0;
    std::int64_t positions = 0;  ///< 0: as many as a sample has tokens
    double dropout = 0.0;
};

/// x + attention(norm(x)), then x + mlp(norm(x)).
void gpt_block(GraphBuilder& net, const std::string& name, const GptSize& size) {
    ValueId input = net.current();
    net.layer_norm(name + ".ln_1")
        .linear(name + ".attn.c_attn", 3 * size.channels)
        .attention(name + ".attn", {.heads = size.heads, .causal = true, .dropout = size.dropout})
        .linear(name + ".attn.c_proj", size.channels)
        .dropout(size.dropout)
        .add(name + ".attn.add", input);
    input = net.current();
    net.layer_norm(name + ".ln_2")
        .linear(name + ".mlp.c_fc", 4 * size.channels)
        .activate(Activation::gelu_tanh)
        .linear(name + ".mlp.c_proj", size.channels)
        .dropout(size.dropout)
        .add(name + ".mlp.add", input);
}

/// nanoGPT's start: N(0, 0.02) for tables and weights, in the order of the modules; biases are 0. The weight that two
/// modules share is drawn for both. What ends a residual branch is drawn once more, so that their sum does not grow with
/// the number of layers (Radford et al., 2019, section 2.3).
void gpt_start(GraphBuilder& net, const GptSize& size, std::int64_t vocabulary) {
    constexpr double kSpread = 0.02;
    net.initialise([](const Node& node, const std::vector<Parameter*>& parameters) {
        if (std::holds_alternative<Linear>(node.operation) && parameters.size() > 1) {
            parameters[1]->initialisation = Initialisation::drawn_zeros;
        }
    });
    // The head's own weight is drawn by its constructor and replaced by the table.
    std::size_t before = static_cast<std::size_t>(vocabulary * size.channels);
    const auto redraw = [&](const std::string& name, double spread) {
        net.redraw({net.parameter_named(name), Initialisation::normal, spread, before});
        before = 0;
    };
    redraw("transformer.wte.weight", kSpread);
    redraw("transformer.wpe.weight", kSpread);
    const auto each_layer = [&](std::initializer_list<const char*> modules, double spread) {
        for (int i = 0; i < size.layers; ++i) {
            for (const char* module : modules) {
                redraw("transformer.h." + std::to_string(i) + "." + module + ".weight", spread);
            }
        }
    };
    each_layer({"attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"}, kSpread);
    redraw("transformer.wte.weight", kSpread);
    each_layer({"attn.c_proj", "mlp.c_proj"}, kSpread / std::sqrt(2.0 * size.layers));
}

Graph gpt(const GptSize& size, const Shape& sample, std::int64_t vocabulary) {
    GraphBuilder net(sample);
    net.embedding("transformer.wte", vocabulary, size.channels)
        .add_positions("transformer.wpe.weight",
                       {size.positions > 0 ? size.positions : sample[0], size.channels})
        .dropout(size.dropout);
    for (int i = 0; i < size.layers; ++i) {
        gpt_block(net, "transformer.h." + std::to_string(i), size);
    }
    net.layer_norm("transformer.ln_f").tied_linear("lm_head", "transformer.wte");
    gpt_start(net, size, vocabulary);
    return net.cross_entropy();
}

}  // namespace

Graph gpt2(const Shape& sample, std::int64_t vocabulary, const DropRates& rates) {
    return gpt({.layers = 12, .heads = 12, .channels = 768, .positions = 1024, .dropout = rates.dropout},
               sample, vocabulary);
}
Graph gpt2_mini(const Shape& sample, std::int64_t vocabulary, const DropRates& rates) {
    return gpt({.layers = 4, .heads = 4, .channels = 128, .dropout = rates.dropout}, sample, vocabulary);
}

}  // namespace rankscope::engine::models
