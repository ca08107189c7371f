// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <dnnl.hpp>

#include <cstdint>
#include <string>

/// oneDNN's two interfaces behind one: 2.x (Debian 12) builds a primitive from an operation descriptor, 3.x
/// (Debian 13, Ubuntu 24.04) from the arguments themselves. Only this pair of files depends on the version. All
/// descriptors request training and a scratchpad owned by the caller, so that the plan can place it.
namespace rankscope::engine::dnnl_api {

struct ConvShape {
    dnnl::memory::dims strides;
    dnnl::memory::dims padding;
    dnnl::memory::dims skipped;  ///< pixels between neighbouring taps: dilation − 1
};

using Md = dnnl::memory::desc;

/// A zero descriptor as bias means none.

dnnl::convolution_forward::primitive_desc conv_forward(const dnnl::engine& engine, const Md& src,
                                                       const Md& weights, const Md& bias, const Md& dst,
                                                       const ConvShape& shape, bool relu);
dnnl::convolution_backward_data::primitive_desc conv_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint);
dnnl::convolution_backward_weights::primitive_desc conv_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const ConvShape& shape, const dnnl::convolution_forward::primitive_desc& hint);

dnnl::inner_product_forward::primitive_desc linear_forward(const dnnl::engine& engine, const Md& src,
                                                           const Md& weights, const Md& bias, const Md& dst,
                                                           bool relu);
dnnl::inner_product_backward_data::primitive_desc linear_backward_data(
    const dnnl::engine& engine, const Md& diff_src, const Md& weights, const Md& diff_dst,
    const dnnl::inner_product_forward::primitive_desc& hint);
dnnl::inner_product_backward_weights::primitive_desc linear_backward_weights(
    const dnnl::engine& engine, const Md& src, const Md& diff_weights, const Md& diff_bias,
    const Md& diff_dst, const dnnl::inner_product_forward::primitive_desc& hint);

/// dst = src · weights, or dst += …; the scratchpad is the library's own.
dnnl::matmul::primitive_desc matmul(const dnnl::engine& engine, const Md& src, const Md& weights,
                                    const Md& dst, bool add);

dnnl::memory::dims dims_of(const Md& descriptor);
dnnl::memory::data_type type_of(const Md& descriptor);

/// A text that is the same exactly for descriptors that store their elements alike.
std::string layout_name(const Md& descriptor);
std::string version();

}  // namespace rankscope::engine::dnnl_api
