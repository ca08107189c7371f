// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/dnnl_api.h>

#include <sstream>

namespace rankscope::engine::dnnl_api {
namespace {

using dnnl::algorithm;
using dnnl::prop_kind;

dnnl::primitive_attr attributes(bool relu = false) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (relu) {
        dnnl::post_ops ops;
#if DNNL_VERSION_MAJOR >= 3
        ops.append_eltwise(algorithm::eltwise_relu, 0.0F, 0.0F);
#else
        ops.append_eltwise(1.0F, algorithm::eltwise_relu, 0.0F, 0.0F);
#endif
        attr.set_post_ops(ops);
    }
    return attr;
}

dnnl::primitive_attr adding(bool add) {
    dnnl::primitive_attr attr;
    if (add) {
        dnnl::post_ops ops;
        ops.append_sum();
        attr.set_post_ops(ops);
    }
    return attr;
}

}  // namespace

#if DNNL_VERSION_MAJOR >= 3

dnnl::memory::dims dims_of(const Md& descriptor) {
    return descriptor.get_dims();
}

dnnl::memory::data_type type_of(const Md& descriptor) {
    return descriptor.get_data_type();
}

dnnl::convolution_forward::primitive_desc conv_forward(const dnnl::engine& engine, const Md& src,
                                                       const Md& weights, const Md& bias, const Md& dst,
                                                       const ConvShape& shape, bool relu) {
    return {engine,
            prop_kind::forward_training,
            algorithm::convolution_direct,
            src,
            weights,
            bias,
            dst,
            shape.strides,
            shape.skipped,
            shape.padding,
            shape.padding,
            attributes(relu)};
}

dnnl::convolution_backward_data::primitive_desc conv_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint) {
    return {engine,        algorithm::convolution_direct,
            diff_src,      weights,
            diff_dst,      shape.strides,
            shape.skipped, shape.padding,
            shape.padding, hint,
            attributes()};
}

dnnl::convolution_backward_weights::primitive_desc conv_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint) {
    return {engine,        algorithm::convolution_direct,
            src,           diff_weights,
            diff_bias,     diff_dst,
            shape.strides, shape.skipped,
            shape.padding, shape.padding,
            hint,          attributes()};
}

dnnl::inner_product_forward::primitive_desc linear_forward(const dnnl::engine& engine, const Md& src,
                                                           const Md& weights, const Md& bias, const Md& dst,
                                                           bool relu) {
    return {engine, prop_kind::forward_training, src, weights, bias, dst, attributes(relu)};
}

dnnl::inner_product_backward_data::primitive_desc linear_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const dnnl::inner_product_forward::primitive_desc& hint) {
    return {engine, diff_src, weights, diff_dst, hint, attributes()};
}

dnnl::inner_product_backward_weights::primitive_desc linear_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const dnnl::inner_product_forward::primitive_desc& hint) {
    return {engine, src, diff_weights, diff_bias, diff_dst, hint, attributes()};
}

dnnl::matmul::primitive_desc matmul(const dnnl::engine& engine, const Md& src, const Md& weights,
                                    const Md& dst, bool add) {
    return {engine, src, weights, dst, adding(add)};
}

std::string layout_name(const Md& descriptor) {
    std::ostringstream out;
    const auto list = [&out](const auto& values) {
        for (const auto value : values) {
            out << value << ',';
        }
        out << ';';
    };
    list(descriptor.get_dims());
    list(descriptor.get_padded_dims());
    list(descriptor.get_strides());
    list(descriptor.get_inner_blks());
    list(descriptor.get_inner_idxs());
    return out.str();
}

#else

dnnl::memory::dims dims_of(const Md& descriptor) {
    return descriptor.dims();
}

dnnl::memory::data_type type_of(const Md& descriptor) {
    return descriptor.data_type();
}

dnnl::convolution_forward::primitive_desc conv_forward(const dnnl::engine& engine, const Md& src,
                                                       const Md& weights, const Md& bias, const Md& dst,
                                                       const ConvShape& shape, bool relu) {
    const dnnl::convolution_forward::desc desc(prop_kind::forward_training, algorithm::convolution_direct,
                                               src, weights, bias, dst, shape.strides, shape.skipped,
                                               shape.padding, shape.padding);
    return {desc, attributes(relu), engine};
}

dnnl::convolution_backward_data::primitive_desc conv_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint) {
    const dnnl::convolution_backward_data::desc desc(algorithm::convolution_direct, diff_src, weights,
                                                     diff_dst, shape.strides, shape.skipped, shape.padding,
                                                     shape.padding);
    return {desc, attributes(), engine, hint};
}

dnnl::convolution_backward_weights::primitive_desc conv_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint) {
    const dnnl::convolution_backward_weights::desc desc(algorithm::convolution_direct, src, diff_weights,
                                                        diff_bias, diff_dst, shape.strides, shape.skipped,
                                                        shape.padding, shape.padding);
    return {desc, attributes(), engine, hint};
}

dnnl::inner_product_forward::primitive_desc linear_forward(const dnnl::engine& engine, const Md& src,
                                                           const Md& weights, const Md& bias, const Md& dst,
                                                           bool relu) {
    const dnnl::inner_product_forward::desc desc(prop_kind::forward_training, src, weights, bias, dst);
    return {desc, attributes(relu), engine};
}

dnnl::inner_product_backward_data::primitive_desc linear_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const dnnl::inner_product_forward::primitive_desc& hint) {
    const dnnl::inner_product_backward_data::desc desc(diff_src, weights, diff_dst);
    return {desc, attributes(), engine, hint};
}

dnnl::inner_product_backward_weights::primitive_desc linear_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const dnnl::inner_product_forward::primitive_desc& hint) {
    const dnnl::inner_product_backward_weights::desc desc(src, diff_weights, diff_bias, diff_dst);
    return {desc, attributes(), engine, hint};
}

dnnl::matmul::primitive_desc matmul(const dnnl::engine& engine, const Md& src, const Md& weights,
                                    const Md& dst, bool add) {
    return {dnnl::matmul::desc(src, weights, dst), adding(add), engine};
}

std::string layout_name(const Md& descriptor) {
    std::ostringstream out;
    const dnnl_memory_desc_t& d = descriptor.data;
    for (int i = 0; i < d.ndims; ++i) {
        out << d.dims[i] << ',' << d.padded_dims[i] << ',' << d.format_desc.blocking.strides[i] << ';';
    }
    const dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
    for (int i = 0; i < blocking.inner_nblks; ++i) {
        out << blocking.inner_blks[i] << 'x' << blocking.inner_idxs[i] << ';';
    }
    return out.str();
}

#endif

std::string version() {
    const dnnl_version_t* v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

}  // namespace rankscope::engine::dnnl_api
