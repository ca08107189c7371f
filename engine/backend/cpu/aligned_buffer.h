// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace rankscope::engine {

/// Zero-filled memory on a cache-line boundary.
class AlignedBuffer {
public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t bytes)
        : data_(static_cast<std::byte*>(::operator new(bytes == 0 ? 1 : bytes, kAlignment))), bytes_(bytes) {
        std::memset(data_.get(), 0, bytes);
    }

    std::byte* data() const { return data_.get(); }
    std::size_t bytes() const { return bytes_; }
    template <typename T>
    std::span<T> as() const {
        return {static_cast<T*>(static_cast<void*>(data_.get())), bytes_ / sizeof(T)};
    }

private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
    };
    std::unique_ptr<std::byte, Free> data_;
    std::size_t bytes_ = 0;
};

}  // namespace rankscope::engine
