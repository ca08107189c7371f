// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace rankscope {

/// An index that cannot be mistaken for another kind of index, nor for a count:
///
///     using ValueId = StrongIndex<struct ValueTag>;
///     IndexedVector<ValueId, Value> values;
template <typename Tag>
class StrongIndex {
public:
    constexpr StrongIndex() = default;
    constexpr explicit StrongIndex(std::size_t position) : position_(position) {}

    constexpr std::size_t value() const { return position_; }
    constexpr StrongIndex& operator++() {
        ++position_;
        return *this;
    }
    constexpr auto operator<=>(const StrongIndex&) const = default;

private:
    std::size_t position_ = 0;
};

/// A vector whose elements are reached by one kind of index only.
template <typename Index, typename T>
class IndexedVector {
public:
    IndexedVector() = default;
    explicit IndexedVector(std::size_t size, const T& value = T()) : items_(size, value) {}

    decltype(auto) operator[](Index index) { return items_[index.value()]; }
    decltype(auto) operator[](Index index) const { return items_[index.value()]; }
    decltype(auto) at(Index index) { return items_.at(index.value()); }
    decltype(auto) at(Index index) const { return items_.at(index.value()); }
    /// Appends and returns where it is.
    Index add(T item) {
        items_.push_back(std::move(item));
        return Index(items_.size() - 1);
    }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    Index end_index() const { return Index(items_.size()); }
    auto begin() { return items_.begin(); }
    auto begin() const { return items_.begin(); }
    auto end() { return items_.end(); }
    auto end() const { return items_.end(); }
    const std::vector<T>& items() const { return items_; }

private:
    std::vector<T> items_;
};

}  // namespace rankscope

template <typename Tag>
struct std::hash<rankscope::StrongIndex<Tag>> {
    std::size_t operator()(const rankscope::StrongIndex<Tag>& index) const noexcept { return index.value(); }
};
