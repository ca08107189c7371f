// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/stream.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::engine::cuda {

/// Ends of work on a stream that other ranks take part in, for the watchdog (ProcessGroup::enqueued). What end() returns
/// may outlive this and may be called by any thread.
class QueuedEnds {
public:
    /// Whether all that is on the stream now has ended.
    std::function<bool()> end(cudaStream_t stream, int device) {
        // An event that the watchdog has dropped is free again.
        auto free = std::find_if(events_.begin(), events_.end(),
                                 [](const auto& one) { return one.use_count() == 1; });
        if (free == events_.end()) {
            free = events_.insert(events_.end(), std::make_shared<Event>());
        }
        (*free)->record(stream);
        return [event = *free, device] {
            // The watchdog's thread must not create a context on another GPU.
            return cudaSetDevice(device) != cudaSuccess || event->passed();
        };
    }

private:
    std::vector<std::shared_ptr<Event>> events_;
};

}  // namespace rankscope::engine::cuda
