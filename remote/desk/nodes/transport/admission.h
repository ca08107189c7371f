// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

/// The right to set up a connection: at most 8 at a time to one host (or through one jump host) and 32 in
/// all, so that sshd's MaxStartups (10 by default) never refuses us. Given back when destroyed or released.
class Admission {
public:
    /// Waits for its turn. Nothing: stopped.
    static std::optional<Admission> enter(const std::string& host, const std::stop_token& stop);
    Admission(Admission&& other) noexcept = default;
    Admission& operator=(Admission&& other) noexcept = default;
    /// While a question is open, other connections may proceed.
    void release() { held_.reset(); }

private:
    struct Held;
    explicit Admission(std::shared_ptr<Held> held) : held_(std::move(held)) {}

    std::shared_ptr<Held> held_;
};

}  // namespace rankscope::inline nodes
