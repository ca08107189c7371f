// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Elements of a row-major tensor: ranges of one of its dimensions, in ascending order.
struct TensorPart {
    struct Range {
        std::int64_t begin = 0;
        std::int64_t size = 0;
    };
    std::size_t dimension = 0;
    std::vector<Range> ranges{};  ///< empty: all elements

    bool whole() const { return ranges.empty(); }
    /// Of a tensor of this shape.
    Shape shape(Shape of) const {
        if (!whole()) {
            of[dimension] = 0;
            for (const Range& range : ranges) {
                of[dimension] += range.size;
            }
        }
        return of;
    }
    /// `from` is the whole tensor, `to` the part.
    template <typename Number>
    void take(const Shape& of, std::span<const Number> from, std::span<Number> to) const {
        each_block(of, [&](std::size_t in_whole, std::size_t in_part, std::size_t size) {
            std::copy_n(from.data() + in_whole, size, to.data() + in_part);
        });
    }
    /// The opposite; other elements of `to` remain.
    template <typename Number>
    void put(const Shape& of, std::span<const Number> from, std::span<Number> to) const {
        each_block(of, [&](std::size_t in_whole, std::size_t in_part, std::size_t size) {
            std::copy_n(from.data() + in_part, size, to.data() + in_whole);
        });
    }

private:
    template <typename Copy>
    void each_block(const Shape& of, const Copy& copy) const {
        if (whole()) {
            copy(std::size_t{0}, std::size_t{0}, static_cast<std::size_t>(element_count(of)));
            return;
        }
        const auto split = of.begin() + static_cast<std::ptrdiff_t>(dimension);
        const std::int64_t outer = element_count(Shape(of.begin(), split));
        const std::int64_t inner = element_count(Shape(split + 1, of.end()));
        std::size_t in_part = 0;
        for (std::int64_t row = 0; row < outer; ++row) {
            for (const Range& range : ranges) {
                const auto size = static_cast<std::size_t>(range.size * inner);
                copy(static_cast<std::size_t>((row * *split + range.begin) * inner), in_part, size);
                in_part += size;
            }
        }
    }
};

}  // namespace rankscope::engine
