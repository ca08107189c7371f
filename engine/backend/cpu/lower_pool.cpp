// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/max_pool.h>

namespace rankscope::engine::cpu {
namespace {

using Md = dnnl::memory::desc;

/// Every layout that channel_view() supports is pooled as planes [height][width][block].
MaxPoolShape pool_shape(const Md& input, const Shape& image, const MaxPool2d& pool) {
    const dnnl::memory::dims dims = dnnl_api::dims_of(input);
    const ChannelView view = *channel_view(input);
    const std::int64_t pixels = dims[2] * dims[3];
    std::int64_t block = view.lanes;  // blocked and plain: the neighbours of one pixel
    if (!view.batch_outside) {
        block = dims[0] * dims[1];  // position-major
    } else if (view.inner_stride != view.lanes) {
        block = dims[1];  // channels last
    }
    return {.planes = static_cast<std::int64_t>(stored_elements(input)) / (pixels * block),
            .block = block,
            .height = image[1],
            .width = image[2],
            .stride = pool.stride,
            .relu = pool.relu,
            .kernel = pool.kernel,
            .padding = pool.padding};
}

}  // namespace

Md Lowering::viewed(ValueId id) {
    const Md own = value(id).descriptor;
    return channel_view(own) ? own : plain(dnnl_api::dims_of(own), dnnl_api::type_of(own));
}

void Lowering::forward_window_average(std::size_t index, const AveragePool2d& pool) {
    const Node& node = graph_.nodes[index];
    const Md from = viewed(node.input());
    const BufferId in = activation_in(node.input(), from);
    const MaxPoolShape shape =
        pool_shape(from, graph_.values[node.input()].shape, {.kernel = pool.kernel, .stride = pool.stride});
    new_value(node.output, laid_out_like(from, output_dims(node)));
    const BufferId out = value(node.output).activation;
    const std::size_t in_count = stored_elements(from);
    const std::size_t out_count = stored_elements(value(node.output).descriptor);
    for_type(dnnl_api::type_of(from), [&]<typename T>(T) {
        plan_.kernel({in, out}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, x = contents<const T>(at(in), in_count), y = contents<T>(at(out), out_count)] {
                window_average_forward<T>(shape, x, y);
            };
        });
    });
}

void Lowering::backward_window_average(std::size_t index, const AveragePool2d& pool) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const Md in = laid_out_like(out, with_batch(batch_, graph_.values[node.input()].shape));
    const MaxPoolShape shape =
        pool_shape(in, graph_.values[node.input()].shape, {.kernel = pool.kernel, .stride = pool.stride});
    const std::size_t in_count = stored_elements(in);
    const std::size_t out_count = stored_elements(out);
    write_partial(node.input(), in, [&](BufferId dx) {
        for_type(dnnl_api::type_of(out), [&]<typename T>(T) {
            plan_.kernel({dy, dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [=, from = contents<const T>(at(dy), out_count), to = contents<T>(at(dx), in_count)] {
                    window_average_backward<T>(shape, from, to);
                };
            });
        });
    });
}

void Lowering::forward_max_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const Md from = viewed(node.input());
    const BufferId in = activation_in(node.input(), from);
    const MaxPoolShape shape = pool_shape(from, graph_.values[node.input()].shape, pool);
    // The ReLU is in the origins already: no mask is needed on the way back.
    new_value(node.output, laid_out_like(from, output_dims(node)));
    const BufferId out = value(node.output).activation;
    const std::size_t in_count = stored_elements(from);
    const std::size_t out_count = stored_elements(value(node.output).descriptor);
    const BufferId origin = plan_.buffer(out_count);
    kept_[index] = {origin};
    for_type(dnnl_api::type_of(from), [&]<typename T>(T) {
        plan_.kernel({in, out, origin}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [shape, x = contents<const T>(at(in), in_count), y = contents<T>(at(out), out_count),
                    places = contents<std::int8_t>(at(origin), out_count)] {
                max_pool_forward<T>(shape, x, y, places);
            };
        });
    });
}

void Lowering::backward_max_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    const Md out = value(node.output).descriptor;
    const Md in = laid_out_like(out, with_batch(batch_, graph_.values[node.input()].shape));
    const MaxPoolShape shape = pool_shape(in, graph_.values[node.input()].shape, pool);
    const BufferId origin = kept_.at(index).front();
    const std::size_t in_count = stored_elements(in);
    const std::size_t out_count = stored_elements(out);
    write_partial(node.input(), in, [&](BufferId dx) {
        for_type(dnnl_api::type_of(out), [&]<typename T>(T) {
            plan_.kernel({dy, dx, origin}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return
                    [shape, from = contents<const T>(at(dy), out_count), to = contents<T>(at(dx), in_count),
                     places = contents<const std::int8_t>(at(origin), out_count)] {
                        max_pool_backward<T>(shape, from, places, to);
                    };
            });
        });
    });
}

void Lowering::forward_average_pool(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const Md from = viewed(node.input());
    const BufferId in = activation_in(node.input(), from);
    new_value(node.output, plain(output_dims(node), dnnl_api::type_of(from)));
    const BufferId out = value(node.output).activation;
    const std::size_t in_count = stored_elements(from);
    const std::size_t out_count = stored_elements(value(node.output).descriptor);
    for_type(dnnl_api::type_of(from), [&]<typename T>(T) {
        plan_.kernel(
            {in, out},
            [=, view = *channel_view(from), batch = batch_](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [=, x = contents<const T>(at(in), in_count), y = contents<T>(at(out), out_count)] {
                    average_pool_forward<T>(view, batch, x, y);
                };
            });
    });
}

void Lowering::backward_average_pool(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    const Md made = viewed(node.input());
    const std::size_t in_count = stored_elements(made);
    const std::size_t out_count = stored_elements(value(node.output).descriptor);
    write_partial(node.input(), made, [&](BufferId dx) {
        for_type(dnnl_api::type_of(made), [&]<typename T>(T) {
            plan_.kernel({dy, dx},
                         [=, view = *channel_view(made),
                          batch = batch_](const StepPlan::Pointer& at) -> StepPlan::Run {
                             return [=, from = contents<const T>(at(dy), out_count),
                                     to = contents<T>(at(dx), in_count)] {
                                 average_pool_backward<T>(view, batch, from, to);
                             };
                         });
        });
    });
}

}  // namespace rankscope::engine::cpu
