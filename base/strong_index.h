// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <initializer_list>
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

/// The indices from 0 to a count, for a range-based for.
template <typename Index>
class IndexRange {
public:
    class Iterator {
    public:
        constexpr explicit Iterator(Index at) : at_(at) {}
        constexpr Index operator*() const { return at_; }
        constexpr Iterator& operator++() {
            ++at_;
            return *this;
        }
        constexpr bool operator==(const Iterator&) const = default;

    private:
        Index at_;
    };

    constexpr explicit IndexRange(std::size_t count) : count_(count) {}
    constexpr Iterator begin() const { return Iterator(Index(0)); }
    constexpr Iterator end() const { return Iterator(Index(count_)); }

private:
    std::size_t count_;
};

/// The same, the last one first.
template <typename Index>
class ReversedIndexRange {
public:
    class Iterator {
    public:
        constexpr explicit Iterator(std::size_t left) : left_(left) {}
        constexpr Index operator*() const { return Index(left_ - 1); }
        constexpr Iterator& operator++() {
            --left_;
            return *this;
        }
        constexpr bool operator==(const Iterator&) const = default;

    private:
        std::size_t left_;
    };

    constexpr explicit ReversedIndexRange(std::size_t count) : count_(count) {}
    constexpr Iterator begin() const { return Iterator(count_); }
    constexpr Iterator end() const { return Iterator(0); }

private:
    std::size_t count_;
};

/// A vector whose elements are reached by one kind of index only.
template <typename Index, typename T>
class IndexedVector {
public:
    IndexedVector() = default;
    explicit IndexedVector(std::size_t size, const T& value = T()) : items_(size, value) {}
    IndexedVector(std::initializer_list<T> items) : items_(items) {}

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
    bool contains(Index index) const { return index.value() < items_.size(); }
    void assign(std::size_t size, const T& value) { items_.assign(size, value); }
    IndexRange<Index> indices() const { return IndexRange<Index>(items_.size()); }
    ReversedIndexRange<Index> reversed_indices() const { return ReversedIndexRange<Index>(items_.size()); }
    Index end_index() const { return Index(items_.size()); }
    bool operator==(const IndexedVector&) const = default;
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
