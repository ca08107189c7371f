// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/channel_view.h>
#include <engine/graph/graph.h>

#include <dnnl.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

/// The memory layouts of activations and weights, in oneDNN's words.
namespace rankscope::engine::cpu {

inline constexpr auto kFloat = dnnl::memory::data_type::f32;

/// Row-major.
dnnl::memory::desc plain(const dnnl::memory::dims& dims, dnnl::memory::data_type type = kFloat);
/// The primitive may choose.
dnnl::memory::desc any(const dnnl::memory::dims& dims, dnnl::memory::data_type type = kFloat);
dnnl::memory::dims with_batch(std::int64_t batch, const Shape& shape);

/// Samples of this shape, a pixel's channels side by side: a matrix with a row for each pixel. Features are plain.
dnnl::memory::desc by_row(std::int64_t batch, const Shape& shape, dnnl::memory::data_type type);

/// Position by position, every position a matrix [batch][channels]: what a convolution by one matrix product
/// per filter tap needs (tap_convolution.h).
dnnl::memory::desc position_major(const dnnl::memory::dims& dims, dnnl::memory::data_type type = kFloat);

/// The descriptor seen channel by channel: blocked by 16, 8 or 4 channels, channels last, position-major or
/// plain. Nothing for other layouts.
std::optional<ChannelView> channel_view(const dnnl::memory::desc& descriptor);

/// Images of other sizes, or of numbers of another type, laid out like these; the layout must be one that channel_view()
/// supports.
dnnl::memory::desc laid_out_like(const dnnl::memory::desc& descriptor, const dnnl::memory::dims& dims);
dnnl::memory::desc laid_out_like(const dnnl::memory::desc& descriptor, dnnl::memory::data_type type);

/// Elements including the padding of the layout.
std::size_t stored_elements(const dnnl::memory::desc& descriptor);

}  // namespace rankscope::engine::cpu
