// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/min_max_pyramid.h>

#include <algorithm>
#include <cmath>

namespace rankscope::gui {

void MinMax::add(float value) {
    if (std::isfinite(value)) {
        min = std::min(min, value);
        max = std::max(max, value);
    }
}

void MinMax::add(const MinMax& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
}

void MinMaxPyramid::append(float value) {
    const std::size_t index = values_.size();
    values_.push_back(value);
    std::size_t block = kBaseBlock;
    for (std::size_t level = 0;; ++level, block *= kFanOut) {
        if (level == levels_.size()) {
            // A level is worth having once it has more than one block.
            if (index < block) {
                break;
            }
            levels_.reserve(level + 1);
            levels_.emplace_back();
            const std::size_t below = level == 0 ? 0 : block / kFanOut;
            for (std::size_t begin = 0; begin <= index; begin += block) {
                MinMax all;
                const std::size_t end = std::min(begin + block, index + 1);
                if (below == 0) {
                    for (std::size_t i = begin; i < end; ++i) {
                        all.add(values_[i]);
                    }
                } else {
                    for (std::size_t b = begin / below; b * below < end; ++b) {
                        all.add(levels_[level - 1][b]);
                    }
                }
                levels_[level].push_back(all);
            }
            continue;
        }
        const std::size_t slot = index / block;
        if (slot == levels_[level].size()) {
            levels_[level].push_back({});
        }
        levels_[level].back().add(value);
    }
}

void MinMaxPyramid::truncate(std::size_t size) {
    if (size >= values_.size()) {
        return;
    }
    values_.truncate(size);
    std::size_t block = kBaseBlock;
    for (std::size_t level = 0; level < levels_.size(); ++level, block *= kFanOut) {
        Level& blocks = levels_[level];
        blocks.truncate((size + block - 1) / block);
        const std::size_t begin = size / block * block;
        if (begin == size) {
            continue;
        }
        MinMax tail;  // the last block has lost samples: recompute it from the level below
        if (level == 0) {
            for (std::size_t i = begin; i < size; ++i) {
                tail.add(values_[i]);
            }
        } else {
            const std::size_t below = block / kFanOut;
            for (std::size_t b = begin / below; b * below < size; ++b) {
                tail.add(levels_[level - 1][b]);
            }
        }
        blocks.back() = tail;
    }
    while (!levels_.empty() && levels_.back().size() <= 1) {
        levels_.pop_back();
    }
}

MinMax MinMaxPyramid::range(std::size_t begin, std::size_t end) const {
    MinMax all;
    end = std::min(end, values_.size());
    // Greedy: at every position the largest aligned block that still fits.
    while (begin < end) {
        std::size_t block = kBaseBlock;
        std::size_t best = 0;
        std::size_t best_level = 0;
        for (std::size_t level = 0; level < levels_.size() && begin % block == 0 && begin + block <= end;
             ++level, block *= kFanOut) {
            best = block;
            best_level = level;
        }
        if (best == 0) {
            all.add(values_[begin]);
            ++begin;
        } else {
            all.add(levels_[best_level][begin / best]);
            begin += best;
        }
    }
    return all;
}

float MinMaxPyramid::last_finite(std::size_t begin, std::size_t end) const {
    for (std::size_t i = std::min(end, values_.size()); i > begin; --i) {
        if (std::isfinite(values_[i - 1])) {
            return values_[i - 1];
        }
    }
    return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace rankscope::gui
