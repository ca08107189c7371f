// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <utility>
#include <variant>

namespace rankscope {

struct Failure;

/// A value, or why there is none: a Failure, or in the agent an AgentFailure.
template <typename T, typename E = Failure>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
    Result(E failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    E& failure() { return std::get<1>(state_); }
    const E& failure() const { return std::get<1>(state_); }

private:
    std::variant<T, E> state_;
};

template <typename E>
class [[nodiscard]] Result<void, E> {
public:
    Result() = default;
    Result(E failure) : failure_(std::move(failure)) {}  // NOLINT: implicit by design

    bool ok() const { return !failure_; }
    explicit operator bool() const { return ok(); }
    E& failure() { return *failure_; }
    const E& failure() const { return *failure_; }

private:
    std::optional<E> failure_;
};

}  // namespace rankscope
