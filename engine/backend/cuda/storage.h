// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/channel_groups.h>
#include <engine/graph/graph.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// How parameters lie in the GPU's flat arrays, and the way there and back. It depends on the graph alone, so
/// it is the same on every rank.
namespace rankscope::engine::cuda {

/// A convolution whose result is one pixel: a matrix product of the input (or one pixel of it) with the taps
/// that meet it. The others only ever see padding.
struct PointConvolution {
    std::vector<std::int64_t> taps;  ///< that meet input, ascending
    std::int64_t pixel = 0;          ///< the first input pixel they meet
    bool whole_input = false;        ///< all pixels are met: the input is one long row; else only `pixel` is
};
/// Nothing when the convolution has more results, or meets only some of several pixels.
std::optional<PointConvolution> point_convolution(const Shape& input, const Shape& output,
                                                  const Conv2d& conv);

/// Groups of a convolution whose channels are stored with padding, which becomes groups of its own. Throws ConfigError
/// where the padding would lie inside a group.
std::int64_t stored_groups(const std::string& name, std::int64_t in_channels, const Conv2d& conv);

/// One parameter: weights of a convolution as [out][tap][in], of a linear layer as [out][pixel][channel] (it
/// may follow a flatten), rows of channels and vectors as they are; out and in padded to groups with zeros, but not the inputs of a
/// convolution's group. The taps of a
/// point convolution that meet input come first, as a matrix of their own; behind them the rest.
class StoredParameter {
public:
    std::size_t size() const { return size_; }  ///< floats with the padding, a multiple of kGroup
    /// Floats from the parameter's beginning that can have a gradient.
    std::size_t live() const { return live_; }
    void store(std::span<const float> canonical, std::span<float> stored) const;
    void canonical(std::span<const float> stored, std::span<float> canonical) const;
    /// Names the order.
    const std::string& name() const { return name_; }

    static StoredParameter vector(std::int64_t count);
    /// shape: {out, in, kernel, kernel}
    static StoredParameter grouped_convolution(const Shape& shape);
    static StoredParameter convolution(const Shape& shape, const std::optional<PointConvolution>& point);
    /// shape: {out, in}; image: what the layer sees through flattens.
    static StoredParameter linear(const Shape& shape, const Shape& image);

    StoredParameter() = default;

private:
    /// Where a tap's matrix lies: row o begins at base + (o · width + rank) · row length.
    struct Tap {
        std::int64_t base = 0;
        std::int64_t width = 1;
        std::int64_t rank = 0;
    };
    /// `rows`: outputs with the padding.
    /// `row`: inputs with the padding.
    StoredParameter(std::string name, std::int64_t rows, std::int64_t row, std::int64_t out, std::int64_t in,
                    std::vector<Tap> taps, std::int64_t live_taps);
    /// Calls visit(canonical index, stored index) for every value.
    template <typename Visit>
    void each(Visit visit) const;

    std::string name_;
    std::int64_t row_ = 0;
    std::int64_t out_ = 0;
    std::int64_t in_ = 0;
    std::vector<Tap> taps_;
    std::size_t size_ = 0;
    std::size_t live_ = 0;
};

IndexedVector<ParameterId, StoredParameter> stored_parameters(const Graph& graph);

/// Slots in the order in which gradients arrive (arrival_order()), each on a new line (kLine floats).
ParameterLayout layout_of(const IndexedVector<ParameterId, StoredParameter>& stored,
                          const std::vector<ParameterId>& order);

}  // namespace rankscope::engine::cuda
