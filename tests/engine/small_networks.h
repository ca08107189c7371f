// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <span>

/// Networks on which every backend must agree with the slow twin: small, and each with something awkward.
namespace rankscope::engine::test {

Graph tiny_net();
Graph pools_and_relus();
Graph convnet();
Graph mlp();
Graph toy();
/// A residual block with a projection, on channels that fill no block of 16, with pools that pad.
Graph residual_odd();
/// Identity shortcuts on 4×4, 2×2 and 1×1 images: blocked layouts, taps, and the way between them.
Graph residual_small();
/// What no rewrite takes: a sum of two convolutions, a ReLU read twice, a value with three readers, a pool of
/// a sum.
Graph unfused();
/// Concatenations that only make the one before longer, of channels that fill blocks and of others, with norms that read
/// the longest twice and whose results have two readers.
Graph dense_blocks();
Graph resnet18_tiny_images();
/// Convolutions of 3, 4, 5 and as many groups as channels, one and two results per input of a group, with strides and
/// dilations, and to a single pixel.
Graph grouped();
/// Every activation, a squeeze-and-excitation, average pools whose windows overlap or leave pixels out, and channels put
/// behind one another, where they fill blocks and where they do not.
Graph excited();
/// A GPT of one block: causal attention, a tied weight, more positions than tokens, a vocabulary and numbers of tokens and
/// channels that fill no group.
Graph language();
/// A vision transformer of one block: a class token, positions, attention over all tokens, a norm of pixels.
Graph patches();
/// Attention with relative positions over an image that is no square, between convolutions.
Graph distances();

/// Dropout of images whose channels fill no group, of a vector, and of whole samples in a residual branch.
Graph forgetful();
/// A GPT of one block with dropout everywhere.
Graph forgetful_language();

/// Makes tokens of numbers from −0.5 to 1, where the graph begins with an embedding.
void as_tokens(const Graph& graph, std::span<float> input);

}  // namespace rankscope::engine::test
