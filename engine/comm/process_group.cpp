// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/process_group.h>
#include <engine/error.h>

namespace rankscope::engine {

void Work::wait() {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->done; });
    if (state_->error) {
        throw PeerLostError(*state_->error);
    }
}

void Work::finish(std::optional<std::string> error) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->done = true;
        state_->error = std::move(error);
    }
    state_->changed.notify_all();
}

}  // namespace rankscope::engine
