// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/backend/cuda/tokens.h>
#include <engine/error.h>

#include <algorithm>
#include <array>

namespace rankscope::engine::cuda {
namespace {

RowsShape rows_of(const LoweredValue& of, std::int64_t batch, ElementType type) {
    return {batch * of.pixels(), of.channels, type};
}

/// The product of two matrices of each head.
MatmulShape head_product(const HeadsShape& heads, std::int64_t m, std::int64_t n, std::int64_t k) {
    return {.m = m, .n = n, .k = k, .input = heads.type, .output = heads.type, .batch = heads.count()};
}

}  // namespace

void check_attention(const std::string& name, const Shape& input, const Attention& attention) {
    const std::int64_t width = input[0] / 3 / attention.heads;
    if (width % kGroup != 0) {
        throw ConfigError(name + ": attention heads of " + std::to_string(width) +
                          " channels do not run on a GPU; a multiple of " + std::to_string(kGroup) +
                          " is needed. Set device: cpu, or choose another model.");
    }
}

void Lowering::forward_layer_norm(std::size_t index, const LayerNorm& norm) {
    const Node& node = graph_.nodes[index];
    const RowsShape shape = rows_of(value(node.input()), options_.batch, options_.type);
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    const BufferId weight = masters_[node.parameters[0]];
    const BufferId bias = masters_[node.parameters[1]];
    const BufferId kept = plan_.buffer(static_cast<std::size_t>(shape.rows) * 2 * sizeof(float));
    kept_rows_[index] = kept;
    plan_.add({node.name,
               {x, weight, bias},
               {y, kept},
               [=, epsilon = norm.epsilon](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), w = static_cast<const float*>(at(weight)),
                           b = static_cast<const float*>(at(bias)), to = at(y),
                           keep = static_cast<float*>(at(kept))](cudaStream_t stream) {
                       layer_norm(shape, epsilon, from, w, b, to, keep, stream);
                   };
               }});
}

void Lowering::backward_layer_norm_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const RowsShape shape = rows_of(value(node.output), options_.batch, options_.type);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.input()).activation;
    const BufferId kept = kept_rows_.at(op.node);
    const BufferId weight = gradients_[node.parameters[0]];
    const BufferId bias = gradients_[node.parameters[1]];
    const BufferId partials = plan_.scratch(layer_norm_partials(shape) * sizeof(float), Lane::side);
    plan_.add({node.name + " weight gradient",
               {x, kept, dy},
               {weight, bias, partials},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), keep = static_cast<const float*>(at(kept)), gradient = at(dy),
                           w = static_cast<float*>(at(weight)), b = static_cast<float*>(at(bias)),
                           parts = static_cast<float*>(at(partials))](cudaStream_t stream) {
                       layer_norm_weight_gradient(shape, from, keep, gradient, w, b, parts, stream);
                   };
               },
               Lane::side,
               op.finished,
               2});
}

void Lowering::backward_layer_norm_data(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const RowsShape shape = rows_of(value(node.output), options_.batch, options_.type);
    const BufferId dy = gradient_of(node.output);
    const BufferId x = value(node.input()).activation;
    const BufferId kept = kept_rows_.at(index);
    const BufferId weight = masters_[node.parameters[0]];
    const BufferId dx = new_partial(node.input());
    plan_.add({node.name + " gradient",
               {x, weight, kept, dy},
               {dx},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), w = static_cast<const float*>(at(weight)),
                           keep = static_cast<const float*>(at(kept)), gradient = at(dy),
                           to = at(dx)](cudaStream_t stream) {
                       layer_norm_gradient(shape, from, w, keep, gradient, to, stream);
                   };
               }});
}

TokensShape Lowering::tokens_shape(const Node& node, const Embedding& embedding) {
    const LoweredValue& tokens = value(node.input());
    return {options_.batch,     tokens.channels,      tokens.stored_channels(),
            embedding.channels, embedding.vocabulary, options_.type};
}

void Lowering::forward_embedding(const Node& node, const Embedding& embedding) {
    const TokensShape shape = tokens_shape(node, embedding);
    const BufferId tokens = value(node.input()).activation;
    const BufferId table = weights_[node.parameters[0]];
    const BufferId y = new_value(node.output, options_.type).activation;
    plan_.add({node.name, {tokens, table}, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, which = static_cast<const float*>(at(tokens)), rows = at(table),
                           to = at(y)](cudaStream_t stream) { embed(shape, which, rows, to, stream); };
               }});
}

void Lowering::backward_embedding(const ScheduledOp& op, const Embedding& embedding) {
    const Node& node = graph_.nodes[op.node];
    const TokensShape shape = tokens_shape(node, embedding);
    const BufferId dy = gradient_of(node.output);
    const BufferId tokens = value(node.input()).activation;
    const BufferId table = gradients_[node.parameters[0]];
    const std::size_t bytes = op.adds ? 0 : gradient_bytes(node.parameters[0]);
    plan_.add({node.name + " weight gradient",
               {tokens, dy},
               {table},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, which = static_cast<const float*>(at(tokens)), gradient = at(dy),
                           to = static_cast<float*>(at(table))](cudaStream_t stream) {
                       if (bytes > 0) {
                           cuda_check(cudaMemsetAsync(to, 0, bytes, stream), "cudaMemsetAsync");
                       }
                       embed_gradient(shape, which, gradient, to, stream);
                   };
               },
               Lane::side,
               op.finished});
}

std::size_t Lowering::gradient_bytes(ParameterId id) const {
    return state_.parameters[id].floats * sizeof(float);
}

RowMove Lowering::row_move(ValueId from, ValueId to) {
    const LoweredValue& source = value(from);
    const LoweredValue& target = value(to);
    return {.batch = options_.batch,
            .count = std::min(source.pixels(), target.pixels()),
            .stored = source.stored_channels(),
            .type = options_.type,
            .from_rows = source.pixels(),
            .to_rows = target.pixels()};
}

void Lowering::add_row_move(const std::string& name, const RowMove& move, BufferId from, BufferId to,
                            bool zero_first) {
    const auto bytes = static_cast<std::size_t>(move.batch * move.to_rows * move.stored) * size_of(move.type);
    plan_.add({name, {from}, {to}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, source = at(from), target = at(to)](cudaStream_t stream) {
                       if (zero_first) {
                           cuda_check(cudaMemsetAsync(target, 0, bytes, stream), "cudaMemsetAsync");
                       }
                       move_rows(move, source, target, stream);
                   };
               }});
}

/// The gradient of rows that all samples share; those of the parameter behind them get zeros.
void Lowering::shared_rows_gradient(const ScheduledOp& op, std::int64_t count) {
    const Node& node = graph_.nodes[op.node];
    RowMove move = row_move(node.output, node.output);
    move.count = count;
    const BufferId dy = gradient_of(node.output);
    const BufferId to = gradients_[node.parameters[0]];
    const std::size_t bytes = gradient_bytes(node.parameters[0]);
    plan_.add({node.name + " weight gradient",
               {dy},
               {to},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(dy), sum = static_cast<float*>(at(to))](cudaStream_t stream) {
                       cuda_check(cudaMemsetAsync(sum, 0, bytes, stream), "cudaMemsetAsync");
                       sum_rows(move, from, sum, stream);
                   };
               },
               Lane::side,
               op.finished});
}

void Lowering::forward_positions(const Node& node) {
    const BufferId x = value(node.input()).activation;
    const BufferId positions = weights_[node.parameters[0]];
    const BufferId y = new_value(node.output, options_.type).activation;
    const RowMove move = row_move(node.input(), node.output);
    plan_.add({node.name, {x, positions}, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), by = at(positions), to = at(y)](cudaStream_t stream) {
                       add_rows(move, from, by, to, stream);
                   };
               }});
}

void Lowering::forward_prepend(const Node& node) {
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    RowMove move = row_move(node.input(), node.output);
    move.to_first = 1;
    add_row_move(node.name, move, x, y, false);
    move.count = 1;
    move.from_rows = 0;
    move.to_first = 0;
    add_row_move(node.name, move, weights_[node.parameters[0]], y, false);
}

void Lowering::backward_prepend_data(const Node& node) {
    const BufferId dy = gradient_of(node.output);
    RowMove move = row_move(node.output, node.input());
    move.from_first = 1;
    add_row_move(node.name + " gradient", move, dy, new_partial(node.input()), false);
}

void Lowering::forward_first_token(const Node& node) {
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    add_row_move(node.name, row_move(node.input(), node.output), x, y, false);
}

void Lowering::backward_first_token(const Node& node) {
    const BufferId dy = gradient_of(node.output);
    add_row_move(node.name + " gradient", row_move(node.output, node.input()), dy, new_partial(node.input()),
                 true);
}

void Lowering::head_products(const std::string& name, const MatmulShape& shape, const HeadMatrix& a,
                             const HeadMatrix& b, const HeadMatrix& d,
                             const std::vector<ParameterId>& finished) {
    const auto kernel = libraries_.products.make(shape, options_.measure);
    const BufferId workspace = plan_.scratch(kernel->workspace_bytes());
    plan_.add({name,
               {a.buffer, b.buffer},
               {d.buffer, workspace},
               [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const auto address = [&](const HeadMatrix& matrix, ElementType type) {
                       return moved(at(matrix.buffer), matrix.first, type);
                   };
                   return [=, left = address(a, shape.input), right = address(b, shape.input),
                           to = address(d, shape.output), scratch = at(workspace)](cudaStream_t stream) {
                       kernel->run(left, right, nullptr, to, scratch, stream);
                   };
               },
               Lane::main,
               finished});
}

HeadsShape Lowering::heads_shape(const Node& node, const Attention& attention) {
    const LoweredValue& in = value(node.input());
    return {options_.batch,
            in.pixels(),
            attention.heads,
            in.channels / 3 / attention.heads,
            attention.causal,
            options_.type,
            attention.relative ? in.width : 0};
}

/// Queries, keys and values by head, and what each query takes of each value.
Lowering::HeadInputs Lowering::attention_inputs(const Node& node, const HeadsShape& heads) {
    HeadInputs made;
    const BufferId rows = value(node.input()).activation;
    made.part = heads.count() * heads.size();
    made.qkv = plan_.buffer(static_cast<std::size_t>(3 * made.part) * size_of(heads.type));
    plan_.add({node.name + " heads",
               {rows},
               {made.qkv},
               [=, to = made.qkv](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(rows), parts = at(to)](cudaStream_t stream) {
                       split_heads(heads, 3, from, parts, stream);
                   };
               }});
    const BufferId scores = plan_.buffer(static_cast<std::size_t>(heads.scores()) * sizeof(float));
    head_products(node.name + " scores", score_product(heads), {made.qkv, 0}, {made.qkv, made.part},
                  {scores, 0});
    made.shares = plan_.buffer(static_cast<std::size_t>(heads.scores()) * size_of(heads.type));
    const bool relative = heads.columns > 0;
    std::vector<BufferId> reads{scores};
    BufferId height = scores;
    BufferId width = scores;
    if (relative) {
        height = distance_scores(node, heads, made.qkv, heads.heights(), 0);
        width = distance_scores(node, heads, made.qkv, heads.widths(), 1);
        reads.insert(reads.end(), {height, width});
    }
    plan_.add(
        {node.name + " shares",
         reads,
         {made.shares},
         [=, to = made.shares](const StepPlan::Pointer& at) -> StepPlan::Run {
             const DistanceRows distances{relative ? at(height) : nullptr, relative ? at(width) : nullptr};
             return [=, from = static_cast<const float*>(at(scores)), shares = at(to)](cudaStream_t stream) {
                 attention_shares(heads, from, distances, shares, stream);
             };
         }});
    return made;
}

/// The products of all queries with the vectors of the distances, a parameter of the node.
BufferId Lowering::distance_scores(const Node& node, const HeadsShape& heads, BufferId qkv,
                                   std::int64_t distances, std::size_t parameter) {
    const std::int64_t queries = heads.count() * heads.tokens;
    const BufferId scores = plan_.buffer(static_cast<std::size_t>(queries * distances) * sizeof(float));
    head_products(node.name + " distances",
                  {.m = queries,
                   .n = distances,
                   .k = heads.width,
                   .transpose_b = true,
                   .a_row = heads.width,
                   .b_row = heads.width,
                   .d_row = distances,
                   .input = heads.type,
                   .output = ElementType::f32},
                  {qkv, 0}, {weights_[node.parameters[parameter]], 0}, {scores, 0});
    return scores;
}

/// From the gradients of the scores those of the distances' vectors, and what they add to the queries', which are in dqkv.
void Lowering::distance_gradient(const ScheduledOp& op, const HeadsShape& heads, const HeadInputs& in,
                                 BufferId dscores, BufferId dqkv) {
    const Node& node = graph_.nodes[op.node];
    const std::string name = node.name + " gradient of distances";
    const std::int64_t queries = heads.count() * heads.tokens;
    const std::array<std::int64_t, 2> distances{heads.heights(), heads.widths()};
    std::array<BufferId, 2> products{};
    std::array<BufferId, 2> of_queries{};
    for (std::size_t i = 0; i < distances.size(); ++i) {
        products[i] = plan_.buffer(static_cast<std::size_t>(queries * distances[i]) * size_of(heads.type));
        of_queries[i] = plan_.buffer(static_cast<std::size_t>(in.part) * size_of(heads.type));
    }
    plan_.add(
        {name, {dscores}, {products[0], products[1]}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
             return [=, from = at(dscores), height = at(products[0]), width = at(products[1])](
                        cudaStream_t stream) { distance_gradients(heads, from, height, width, stream); };
         }});
    for (std::size_t i = 0; i < distances.size(); ++i) {
        head_products(name + " to queries",
                      {.m = queries,
                       .n = heads.width,
                       .k = distances[i],
                       .a_row = distances[i],
                       .b_row = heads.width,
                       .d_row = heads.width,
                       .input = heads.type,
                       .output = heads.type},
                      {products[i], 0}, {weights_[node.parameters[i]], 0}, {of_queries[i], 0});
        head_products(name + " to vectors",
                      {.m = distances[i],
                       .n = heads.width,
                       .k = queries,
                       .transpose_a = true,
                       .a_row = distances[i],
                       .b_row = heads.width,
                       .d_row = heads.width,
                       .input = heads.type,
                       .output = ElementType::f32},
                      {products[i], 0}, {in.qkv, 0}, {gradients_[node.parameters[i]], 0},
                      i == 0 ? std::vector<ParameterId>{} : op.finished);
    }
    plan_.add({name + " joined",
               {of_queries[0], of_queries[1]},
               {dqkv},
               [=, type = heads.type, count = in.part](const StepPlan::Pointer& at) -> StepPlan::Run {
                   GradientParts parts;
                   for (const BufferId part : {dqkv, of_queries[0], of_queries[1]}) {
                       parts.parts[parts.count++] = at(part);
                   }
                   return [=, to = at(dqkv)](cudaStream_t stream) {
                       gradient_sum(type, count, parts, nullptr, to, stream);
                   };
               }});
}

/// [tokens][width] · [tokens][width]ᵀ as floats: scores, and the gradients of shares.
MatmulShape Lowering::score_product(const HeadsShape& heads) {
    MatmulShape shape = head_product(heads, heads.tokens, heads.tokens, heads.width);
    shape.transpose_b = true;
    shape.a_row = shape.b_row = heads.width;
    shape.a_step = shape.b_step = heads.size();
    shape.d_row = heads.score_row();
    shape.d_step = heads.tokens * heads.score_row();
    shape.output = ElementType::f32;
    return shape;
}

/// [tokens][tokens] · [tokens][width], the first one perhaps transposed.
MatmulShape Lowering::share_product(const HeadsShape& heads, bool transposed) {
    MatmulShape shape = head_product(heads, heads.tokens, heads.width, heads.tokens);
    shape.transpose_a = transposed;
    shape.a_row = heads.score_row();
    shape.a_step = heads.tokens * heads.score_row();
    shape.b_row = shape.d_row = heads.width;
    shape.b_step = shape.d_step = heads.size();
    return shape;
}

void Lowering::join(const std::string& name, const HeadsShape& heads, std::int64_t parts, BufferId from,
                    BufferId to) {
    plan_.add({name, {from}, {to}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, source = at(from), target = at(to)](cudaStream_t stream) {
                       join_heads(heads, parts, source, target, stream);
                   };
               }});
}

void Lowering::forward_attention(const Node& node, const Attention& attention) {
    const HeadsShape heads = heads_shape(node, attention);
    const HeadInputs in = attention_inputs(node, heads);
    const BufferId out = plan_.buffer(static_cast<std::size_t>(in.part) * size_of(heads.type));
    const BufferId taken = dropped_shares(node, attention, heads, in.shares);
    head_products(node.name, share_product(heads, false), {taken, 0}, {in.qkv, 2 * in.part}, {out, 0});
    join(node.name + " joined", heads, 1, out, new_value(node.output, options_.type).activation);
}

// Shares are computed again: to keep them would take tokens² numbers a head and layer.
void Lowering::backward_attention(const ScheduledOp& op, const Attention& attention) {
    const Node& node = graph_.nodes[op.node];
    const HeadsShape heads = heads_shape(node, attention);
    const std::string name = node.name + " gradient";
    const BufferId rows = gradient_of(node.output);
    const HeadInputs in = attention_inputs(node, heads);
    const auto bytes = [&](std::int64_t elements, ElementType type) {
        return static_cast<std::size_t>(elements) * size_of(type);
    };
    const BufferId dout = plan_.buffer(bytes(in.part, heads.type));
    plan_.add({name + " heads", {rows}, {dout}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(rows), to = at(dout)](cudaStream_t stream) {
                       split_heads(heads, 1, from, to, stream);
                   };
               }});
    const BufferId dshares = plan_.buffer(bytes(heads.scores(), ElementType::f32));
    head_products(name + " of shares", score_product(heads), {dout, 0}, {in.qkv, 2 * in.part}, {dshares, 0});
    const BufferId taken = dropped_shares(node, attention, heads, in.shares);
    if (taken != in.shares) {
        drop_pairs(node, attention, heads, ElementType::f32, dshares, dshares);
    }
    const BufferId dscores = plan_.buffer(bytes(heads.scores(), heads.type));
    plan_.add({name + " of scores",
               {in.shares, dshares},
               {dscores},
               [=, shares = in.shares](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, share = at(shares), gradient = static_cast<const float*>(at(dshares)),
                           to = at(dscores)](cudaStream_t stream) {
                       attention_gradient(heads, share, gradient, to, stream);
                   };
               }});
    const BufferId dqkv = plan_.buffer(bytes(3 * in.part, heads.type));
    head_products(name + " of queries", share_product(heads, false), {dscores, 0}, {in.qkv, in.part},
                  {dqkv, 0});
    if (attention.relative) {
        distance_gradient(op, heads, in, dscores, dqkv);
    }
    head_products(name + " of keys", share_product(heads, true), {dscores, 0}, {in.qkv, 0}, {dqkv, in.part});
    head_products(name + " of values", share_product(heads, true), {taken, 0}, {dout, 0},
                  {dqkv, 2 * in.part});
    join(name, heads, 3, dqkv, new_partial(node.input()));
}

}  // namespace rankscope::engine::cuda
