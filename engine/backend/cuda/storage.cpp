// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/optimizer.h>
#include <engine/backend/cuda/storage.h>
#include <engine/error.h>

#include <algorithm>

namespace rankscope::engine::cuda {

std::int64_t stored_groups(const std::string& name, std::int64_t in_channels, const Conv2d& conv) {
    if (conv.groups == 1) {
        return 1;
    }
    const std::int64_t in = in_channels / conv.groups;
    const std::int64_t out = conv.out_channels / conv.groups;
    const std::int64_t groups = padded(in_channels) / in;
    if (groups * in != padded(in_channels) || groups * out != padded(conv.out_channels)) {
        throw ConfigError(name + ": a convolution of " + std::to_string(conv.groups) + " groups from " +
                          std::to_string(in_channels) + " to " + std::to_string(conv.out_channels) +
                          " channels does not run on a GPU, which stores channels in groups of " +
                          std::to_string(kGroup) + "; both must be multiples of that, or equal");
    }
    return groups;
}

std::optional<PointConvolution> point_convolution(const Shape& input, const Shape& output,
                                                  const Conv2d& conv) {
    if (output[1] != 1 || output[2] != 1 || conv.groups != 1) {
        return std::nullopt;
    }
    PointConvolution point;
    std::vector<std::int64_t> pixels;
    for (std::int64_t y = 0; y < conv.kernel; ++y) {
        for (std::int64_t x = 0; x < conv.kernel; ++x) {
            const std::int64_t in_y = y * conv.dilation - conv.padding;
            const std::int64_t in_x = x * conv.dilation - conv.padding;
            if (in_y >= 0 && in_y < input[1] && in_x >= 0 && in_x < input[2]) {
                point.taps.push_back(y * conv.kernel + x);
                pixels.push_back(in_y * input[2] + in_x);
            }
        }
    }
    point.whole_input = static_cast<std::int64_t>(pixels.size()) == input[1] * input[2];
    if (pixels.empty() || (!point.whole_input && pixels.size() != 1)) {
        return std::nullopt;
    }
    point.pixel = pixels.front();
    return point;
}

StoredParameter::StoredParameter(std::string name, std::int64_t rows, std::int64_t row, std::int64_t out,
                                 std::int64_t in, std::vector<Tap> taps, std::int64_t live_taps)
    : name_(std::move(name)),
      row_(row),
      out_(out),
      in_(in),
      taps_(std::move(taps)),
      size_(static_cast<std::size_t>(rows * row) * taps_.size()),
      live_(size_ / taps_.size() * static_cast<std::size_t>(live_taps)) {}

template <typename Visit>
void StoredParameter::each(Visit visit) const {
    const auto taps = static_cast<std::int64_t>(taps_.size());
    for (std::int64_t o = 0; o < out_; ++o) {
        for (std::int64_t i = 0; i < in_; ++i) {
            for (std::int64_t t = 0; t < taps; ++t) {
                const Tap& tap = taps_[static_cast<std::size_t>(t)];
                visit(static_cast<std::size_t>((o * in_ + i) * taps + t),
                      static_cast<std::size_t>(tap.base + (o * tap.width + tap.rank) * row_ + i));
            }
        }
    }
}

StoredParameter StoredParameter::vector(std::int64_t count) {
    return {"v", 1, padded(count), 1, count, {Tap{}}, 1};
}

StoredParameter StoredParameter::convolution(const Shape& shape,
                                             const std::optional<PointConvolution>& point) {
    const std::int64_t count = shape[2] * shape[3];
    const auto is_live = [&](std::int64_t tap) {
        return !point || std::find(point->taps.begin(), point->taps.end(), tap) != point->taps.end();
    };
    const std::int64_t live = point ? static_cast<std::int64_t>(point->taps.size()) : count;
    const std::int64_t behind = padded(shape[0]) * live * padded(shape[1]);
    std::vector<Tap> taps;
    std::int64_t seen = 0;
    std::int64_t dead = 0;
    for (std::int64_t tap = 0; tap < count; ++tap) {
        taps.push_back(is_live(tap) ? Tap{0, live, seen++} : Tap{behind, count - live, dead++});
    }
    return {point ? "p" : "c", padded(shape[0]), padded(shape[1]), shape[0], shape[1], std::move(taps), live};
}

StoredParameter StoredParameter::grouped_convolution(const Shape& shape) {
    const std::int64_t count = shape[2] * shape[3];
    std::vector<Tap> taps;
    for (std::int64_t tap = 0; tap < count; ++tap) {
        taps.push_back({0, count, tap});
    }
    return {"g", padded(shape[0]), shape[1], shape[0], shape[1], std::move(taps), count};
}

StoredParameter StoredParameter::linear(const Shape& shape, const Shape& image) {
    const std::int64_t pixels = image.size() == 3 ? image[1] * image[2] : 1;
    std::vector<Tap> taps;
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        taps.push_back({0, pixels, pixel});
    }
    return {"l", padded(shape[0]), padded(image[0]), shape[0], image[0], std::move(taps), pixels};
}

void StoredParameter::store(std::span<const float> canonical, std::span<float> stored) const {
    std::fill(stored.begin(), stored.end(), 0.0F);
    each([&](std::size_t from, std::size_t to) { stored[to] = canonical[from]; });
}

void StoredParameter::canonical(std::span<const float> stored, std::span<float> canonical) const {
    each([&](std::size_t to, std::size_t from) { canonical[to] = stored[from]; });
}

IndexedVector<ParameterId, StoredParameter> stored_parameters(const Graph& graph) {
    IndexedVector<ParameterId, StoredParameter> stored(graph.parameters.size());
    for (const Node& node : graph.nodes) {
        for (const ParameterId id : node.parameters) {
            const Shape& shape = graph.parameters[id].shape;
            if (shape.size() == 1) {
                stored[id] = StoredParameter::vector(shape[0]);
            } else if (const auto* conv = std::get_if<Conv2d>(&node.operation); conv && conv->groups != 1) {
                stored_groups(node.name, graph.values[node.input()].shape[0], *conv);
                stored[id] = StoredParameter::grouped_convolution(shape);
            } else if (conv != nullptr) {
                stored[id] = StoredParameter::convolution(
                    shape, point_convolution(graph.values[node.input()].shape,
                                             graph.values[node.output].shape, *conv));
            } else if (std::holds_alternative<Linear>(node.operation) &&
                       graph.values[node.input()].shape.size() == 1) {
                stored[id] = StoredParameter::linear(shape, unflattened(graph, node));
            } else {  // rows of channels
                const std::int64_t channels = shape.back();
                stored[id] = StoredParameter::linear({element_count(shape) / channels, channels}, {channels});
            }
        }
    }
    return stored;
}

ParameterLayout layout_of(const IndexedVector<ParameterId, StoredParameter>& stored,
                          const std::vector<ParameterId>& order) {
    ParameterLayout layout;
    layout.slots.assign(stored.size(), {});
    for (const ParameterId id : order) {
        ParameterSlot& slot = layout.slots[id];
        slot = {layout.total, stored[id].size(), {}};
        if (stored[id].live() != stored[id].size()) {
            slot.live.push_back({layout.total, stored[id].live()});
        }
        constexpr std::size_t line = kLine;
        layout.total += (stored[id].size() + line - 1) / line * line;
        layout.fingerprint += stored[id].name() + std::to_string(stored[id].size()) + "|";
    }
    layout.fingerprint = "cuda|" + layout.fingerprint;
    return layout;
}

}  // namespace rankscope::engine::cuda
