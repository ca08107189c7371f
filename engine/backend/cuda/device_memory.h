// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace rankscope::engine::cuda {

/// Memory of the current GPU, zero-filled, on a 256-byte boundary. `what` and `remedy` are for the message
/// when there is not enough of it: Error names what needs it, how much, what is free, what to lower.
class DeviceMemory {
public:
    DeviceMemory() = default;
    DeviceMemory(std::size_t bytes, const std::string& what, const std::string& remedy);

    std::size_t bytes() const { return bytes_; }
    void* data() const { return data_.get(); }
    template <typename T>
    T* as() const {
        return static_cast<T*>(data_.get());
    }
    /// Keeps the memory alive on its own.
    std::shared_ptr<void> shared() const { return data_; }

private:
    std::shared_ptr<void> data_;
    std::size_t bytes_ = 0;
};

/// Page-locked memory of the host: the GPU copies from and to it without the driver's detour.
class PinnedMemory {
public:
    PinnedMemory() = default;
    PinnedMemory(std::size_t bytes, const std::string& what);

    std::size_t bytes() const { return bytes_; }
    template <typename T>
    T* as() const {
        return static_cast<T*>(data_.get());
    }

private:
    std::shared_ptr<void> data_;
    std::size_t bytes_ = 0;
};

}  // namespace rankscope::engine::cuda
