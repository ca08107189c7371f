// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/value_column.h>

#include <algorithm>
#include <atomic>
#include <span>

namespace rankscope::gui {

namespace {

constexpr std::size_t kBlock = ValueSpool::kBlockValues;

/// From one to two blocks, evenly spread over the columns in the order of their creation.
std::size_t next_most_newest() {
    static std::atomic<std::size_t> columns{0};
    constexpr std::size_t kApart = 197;  // without a common divisor with the block
    return kBlock + columns.fetch_add(1, std::memory_order_relaxed) * kApart % kBlock;
}

}  // namespace

ValueColumn::ValueColumn() : most_newest_(next_most_newest()) {}

ValueColumn::ValueColumn(const ValueColumn& other)
    : newest_(other.newest_), most_newest_(next_most_newest()) {
    stored_.reserve(other.stored_.size());
    for (const ValueSpool::Block& block : other.stored_) {
        stored_.push_back(ValueSpool::own().store({block.values(), kBlock}));
    }
}

ValueColumn& ValueColumn::operator=(const ValueColumn& other) {
    if (this != &other) {
        *this = ValueColumn(other);
    }
    return *this;
}

void ValueColumn::push_back(float value) {
    if (newest_.size() >= most_newest_) {
        stored_.push_back(ValueSpool::own().store({newest_.data(), kBlock}));
        newest_.erase(newest_.begin(), newest_.begin() + std::ptrdiff_t(kBlock));
    }
    newest_.push_back(value);
}

void ValueColumn::truncate(std::size_t size) {
    const std::size_t blocks = size / kBlock;
    if (blocks >= stored_.size()) {
        newest_.resize(size - stored_.size() * kBlock);
        return;
    }
    const float* const values = stored_[blocks].values();
    newest_.assign(values, values + size % kBlock);
    stored_.erase(stored_.begin() + std::ptrdiff_t(blocks), stored_.end());
}

}  // namespace rankscope::gui
