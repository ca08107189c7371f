// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/value_spool.h>

#include <cstddef>
#include <vector>

namespace rankscope::gui {

/// Values that only grow: the newest in memory, all others in the program's ValueSpool.
/// A copy has blocks of its own.
class ValueColumn {
public:
    ValueColumn();
    ValueColumn(const ValueColumn& other);
    ValueColumn& operator=(const ValueColumn& other);
    ValueColumn(ValueColumn&&) = default;
    ValueColumn& operator=(ValueColumn&&) = default;
    ~ValueColumn() = default;

    std::size_t size() const { return stored_.size() * ValueSpool::kBlockValues + newest_.size(); }
    float operator[](std::size_t i) const {
        const std::size_t block = i / ValueSpool::kBlockValues;
        return block < stored_.size() ? stored_[block].values()[i % ValueSpool::kBlockValues]
                                      : newest_[i - stored_.size() * ValueSpool::kBlockValues];
    }
    void push_back(float value);
    /// `size` <= size().
    void truncate(std::size_t size);

private:
    std::vector<ValueSpool::Block> stored_;
    std::vector<float> newest_;
    std::size_t
        most_newest_;  ///< differs between columns, which all grow at the same pace: they must not write at once
};

}  // namespace rankscope::gui
