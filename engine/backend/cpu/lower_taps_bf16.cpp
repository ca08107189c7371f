// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/gemm.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <algorithm>
#include <memory>

/// Convolutions by taps with bfloat16 operands: the products are added up in float, then rounded once.
namespace rankscope::engine::cpu {
namespace {

using dnnl::memory;

/// One product of the list, at its places in the operands.
struct PlacedProduct {
    Bf16Product product;
    std::int64_t a = 0;
    std::int64_t b = 0;
    std::int64_t c = 0;
};
using Products = std::shared_ptr<const std::vector<PlacedProduct>>;

memory::desc tap_major(const memory::dims& dims) {
    return {dims, memory::data_type::bf16, memory::format_tag::hwio};
}

void run_all(const Products& products, const Bf16* a, const Bf16* b, float* c) {
    for (const PlacedProduct& one : *products) {
        one.product.run(a + one.a, b + one.b, c + one.c);
    }
}

}  // namespace

void Lowering::forward_taps_bf16(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const Md input = position_major(with_batch(batch_, graph_.values[node.input()].shape), type_);
    const BufferId source = activation_in(node.input(), input);
    const ParameterId weight = node.parameters[0];
    const BufferId kernel = weight_in(weight, tap_major(dnnl_api::dims_of(storage_[weight].descriptor)));
    const Md output = position_major(output_dims(node), type_);
    new_value(node.output, output);
    const BufferId result = value(node.output).activation;
    const std::size_t count = stored_elements(output);
    const BufferId sums = plan_.buffer(count * sizeof(float));
    kept_[index] = {source, kernel};
    const auto products = std::make_shared<std::vector<PlacedProduct>>();
    for (const TapRun& run : tap_runs(shape)) {
        products->push_back({Bf16Product(engine_, {.m = run.count * shape.batch,
                                                   .n = shape.out_channels,
                                                   .k = shape.in_channels,
                                                   .a_stride = shape.in_channels,
                                                   .b_stride = shape.out_channels,
                                                   .c_stride = shape.out_channels,
                                                   .add = !run.first_output}),
                             run.from * shape.batch * shape.in_channels,
                             run.tap * shape.in_channels * shape.out_channels,
                             run.to * shape.batch * shape.out_channels});
    }
    plan_.kernel({source, kernel, sums, result},
                 [=, all = Products(products)](const StepPlan::Pointer& at) -> StepPlan::Run {
                     return [all, x = static_cast<const Bf16*>(at(source)),
                             w = static_cast<const Bf16*>(at(kernel)), sum = contents<float>(at(sums), count),
                             y = contents<Bf16>(at(result), count)] {
                         std::fill(sum.begin(), sum.end(), 0.0F);
                         run_all(all, x, w, sum.data());
                         round_to_bf16(sum, y);
                     };
                 });
}

void Lowering::backward_weights_taps_bf16(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const BufferId gradient = gradient_of(node.output);
    const BufferId source = kept_.at(op.node).front();
    const BufferId result = gradients_[node.parameters[0]];
    const auto products = std::make_shared<std::vector<PlacedProduct>>();
    for (const TapRun& run : tap_runs(shape)) {
        products->push_back({Bf16Product(engine_, {.m = shape.in_channels,
                                                   .n = shape.out_channels,
                                                   .k = run.count * shape.batch,
                                                   .a_stride = shape.in_channels,
                                                   .a_transposed = true,
                                                   .b_stride = shape.out_channels,
                                                   .c_stride = shape.out_channels,
                                                   .add = !run.first_of_tap}),
                             run.from * shape.batch * shape.in_channels,
                             run.to * shape.batch * shape.out_channels,
                             run.tap * shape.in_channels * shape.out_channels});
    }
    plan_.kernel(
        {source, gradient, result},
        [=, all = Products(products)](const StepPlan::Pointer& at) -> StepPlan::Run {
            return
                [all, x = static_cast<const Bf16*>(at(source)), dy = static_cast<const Bf16*>(at(gradient)),
                 dw = static_cast<float*>(at(result))] { run_all(all, x, dy, dw); };
        },
        op.finished);
}

void Lowering::backward_data_taps_bf16(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const TapConvolution shape = tap_shape(graph_, node, batch_);
    const BufferId gradient = gradient_of(node.output);
    const BufferId kernel = kept_.at(index)[1];
    const Md input = position_major(with_batch(batch_, graph_.values[node.input()].shape), type_);
    const std::size_t count = stored_elements(input);
    const BufferId sums = plan_.buffer(count * sizeof(float));
    const auto products = std::make_shared<std::vector<PlacedProduct>>();
    for (const TapRun& run : tap_runs(shape)) {
        products->push_back({Bf16Product(engine_, {.m = run.count * shape.batch,
                                                   .n = shape.in_channels,
                                                   .k = shape.out_channels,
                                                   .a_stride = shape.out_channels,
                                                   .b_stride = shape.out_channels,
                                                   .b_transposed = true,
                                                   .c_stride = shape.in_channels,
                                                   .add = !run.first_input}),
                             run.to * shape.batch * shape.out_channels,
                             run.tap * shape.in_channels * shape.out_channels,
                             run.from * shape.batch * shape.in_channels});
    }
    write_partial(node.input(), input, [&](BufferId target) {
        plan_.kernel({gradient, kernel, sums, target},
                     [=, all = Products(products)](const StepPlan::Pointer& at) -> StepPlan::Run {
                         return [all, dy = static_cast<const Bf16*>(at(gradient)),
                                 w = static_cast<const Bf16*>(at(kernel)),
                                 sum = contents<float>(at(sums), count),
                                 dx = contents<Bf16>(at(target), count)] {
                             std::fill(sum.begin(), sum.end(), 0.0F);
                             run_all(all, dy, w, sum.data());
                             round_to_bf16(sum, dx);
                         };
                     });
    });
}

}  // namespace rankscope::engine::cpu
