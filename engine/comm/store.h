// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A small key-value service that all ranks of a run share: through it they find each other. Values are
/// bytes. Every call may throw Error when the store does not answer in time, and PeerLostError when it is
/// gone.
class Store {
public:
    virtual ~Store() = default;
    virtual void set(const std::string& key, const std::string& value) = 0;
    /// Waits for the key; nothing when it is not there in time.
    virtual std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) = 0;
    /// Adds to a counter (0 when absent) and returns the new value; counters are stored as decimal text.
    virtual std::int64_t add(const std::string& key, std::int64_t delta) = 0;
    /// Which of the keys are there now.
    virtual std::vector<bool> check(const std::vector<std::string>& keys) = 0;
};

}  // namespace rankscope::engine
