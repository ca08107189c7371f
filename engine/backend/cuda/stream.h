// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/cuda_check.h>

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace rankscope::engine::cuda {

/// A point in a stream's work.
class Event {
public:
    explicit Event(bool timing = false) {
        cuda_check(cudaEventCreateWithFlags(&event_, timing ? cudaEventDefault : cudaEventDisableTiming),
                   "cudaEventCreate");
    }
    ~Event() {
        if (event_ != nullptr) {
            cudaEventDestroy(event_);
        }
    }
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    cudaEvent_t get() const { return event_; }
    void record(cudaStream_t stream) { cuda_check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
    /// The host waits for it; returns at once when it was never recorded.
    void wait() const { cuda_check(cudaEventSynchronize(event_), "waiting for the GPU"); }
    /// Nothing of what was recorded is still to run; also where that failed.
    bool passed() const { return cudaEventQuery(event_) != cudaErrorNotReady; }
    /// wait(); meanwhile `poll` is called about every millisecond with the time waited, and may throw.
    void wait(const std::function<void(std::chrono::milliseconds)>& poll) const {
        if (!poll) {
            wait();
            return;
        }
        using Clock = std::chrono::steady_clock;
        // Most steps are shorter than a sleep would be.
        constexpr std::chrono::milliseconds kSpin(5);
        constexpr std::chrono::microseconds kNap(50);
        constexpr std::chrono::milliseconds kBetween(1);
        const auto begin = Clock::now();
        auto polled = begin;
        for (;;) {
            const cudaError_t state = cudaEventQuery(event_);
            if (state == cudaSuccess) {
                return;
            }
            if (state != cudaErrorNotReady) {
                cuda_check(state, "waiting for the GPU");
            }
            const auto now = Clock::now();
            if (now - polled >= kBetween) {
                poll(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin));
                polled = now;
            }
            if (now - begin > kSpin) {
                std::this_thread::sleep_for(kNap);
            }
        }
    }
    void hold_up(cudaStream_t stream) const {
        cuda_check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
    }

private:
    cudaEvent_t event_ = nullptr;
};

/// A queue of work of the GPU; independent of the default stream. Of what is ready at the same time, that with the smaller
/// priority begins first.
class Stream {
public:
    explicit Stream(int priority = 0) {
        cuda_check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority),
                   "cudaStreamCreate");
    }
    ~Stream() {
        if (stream_ != nullptr) {
            cudaStreamDestroy(stream_);
        }
    }
    Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }
    void wait() const { cuda_check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace rankscope::engine::cuda
