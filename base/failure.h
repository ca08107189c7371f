// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

/// What went wrong outside of the program: an address that does not answer, a key that is refused, a full
/// disk. Always a value, never an exception. What must never be is an assertion (remote/base/check.h)
/// instead.
struct Failure {
    std::string code;    ///< stable id for machines: "ssh-refused", "port-busy", …
    std::string where;   ///< node, file:line, or empty
    std::string what;    ///< one user-facing sentence, translated
    std::string remedy;  ///< what to do about it; may be a command
    std::string detail;  ///< raw evidence: errno text, what the other side said
    std::string key{};   ///< of a configuration: the key that is wrong ("on_failure.grace_s"); empty: none
    std::string file{};  ///< the file that it stands in
    int line = 0;        ///< from 1; 0: no line is known

    bool operator==(const Failure&) const = default;
};

/// "node1: Connection refused … . Remedy …": one line for terminals and logs.
std::string to_line(const Failure& failure);

/// A value, or why there is none.
template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
    Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() { return std::get<0>(state_); }
    const T& value() const { return std::get<0>(state_); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Failure& failure() { return std::get<1>(state_); }
    const Failure& failure() const { return std::get<1>(state_); }

private:
    std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT: implicit by design

    bool ok() const { return !failure_; }
    explicit operator bool() const { return ok(); }
    Failure& failure() { return *failure_; }
    const Failure& failure() const { return *failure_; }

private:
    std::optional<Failure> failure_;
};

}  // namespace rankscope
