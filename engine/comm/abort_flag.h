// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/error.h>

#include <atomic>
#include <mutex>
#include <string>

namespace rankscope::engine {

/// Set once, from any thread, when a group cannot continue; waiting threads look at it.
class AbortFlag {
public:
    void set(const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (!set_) {
            why_ = why;
            set_ = true;
        }
    }
    /// Throws PeerLostError(why) when it is set.
    void check() const {
        if (set_) {
            const std::lock_guard lock(mutex_);
            throw PeerLostError(why_);
        }
    }

private:
    std::atomic<bool> set_{false};
    mutable std::mutex mutex_;
    std::string why_;
};

}  // namespace rankscope::engine
