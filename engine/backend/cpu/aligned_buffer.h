// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace rankscope::engine {

/// Holds how many bytes were mapped; 0: they are operator new's.
class FreeAligned {
public:
    FreeAligned() = default;
    explicit FreeAligned(std::size_t mapped) : mapped_(mapped) {}
    void operator()(std::byte* memory) const;

private:
    std::size_t mapped_ = 0;
};

/// Zero-filled memory on a cache-line boundary. Large buffers request huge pages: a ResNet-18's first step
/// otherwise spends a third of its time on page faults. Throws std::bad_alloc.
class AlignedBuffer {
public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t bytes);

    std::byte* data() const { return data_.get(); }
    std::size_t bytes() const { return bytes_; }
    template <typename T>
    std::span<T> as() const {
        return {static_cast<T*>(static_cast<void*>(data_.get())), bytes_ / sizeof(T)};
    }

private:
    std::unique_ptr<std::byte, FreeAligned> data_;
    std::size_t bytes_ = 0;
};

}  // namespace rankscope::engine
