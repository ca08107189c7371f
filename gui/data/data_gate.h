// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

namespace rankscope::gui {

/// Between data that the window's thread changes and workers that read it. The window's thread holds the gate while
/// it changes the data and reads without it; a worker holds it for one slice of its reading, at most about a
/// millisecond, and lets a waiting change pass first. Shared by both sides, so that it outlives the data.
class DataGate {
public:
    /// The window's thread, for as long as it changes the data.
    class Change {
    public:
        explicit Change(DataGate& gate) : gate_(gate) {
            ++gate_.waiting_;
            gate_.mutex_.lock();
            --gate_.waiting_;
        }
        ~Change() { gate_.mutex_.unlock(); }
        Change(const Change&) = delete;
        Change& operator=(const Change&) = delete;
        /// The data was replaced or is gone: readers of before end.
        void replace() { ++gate_.generation_; }

    private:
        DataGate& gate_;
    };

    std::uint64_t generation() const { return generation_; }

    /// A worker, for one slice. False: the data of `generation` is gone, and `slice` was not called.
    template <typename Slice>
    bool read(std::uint64_t generation, Slice slice) {
        while (waiting_ > 0) {
            std::this_thread::yield();
        }
        const std::lock_guard lock(mutex_);
        if (generation_ != generation) {
            return false;
        }
        slice();
        return true;
    }

private:
    std::mutex mutex_;
    std::atomic<int> waiting_ = 0;
    std::atomic<std::uint64_t> generation_ = 0;
};

}  // namespace rankscope::gui
