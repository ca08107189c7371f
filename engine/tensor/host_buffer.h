// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <utility>

namespace rankscope::engine {

/// Numbers that go to the network, on a cache-line boundary. The memory comes from a resource, so that a
/// backend with a device of its own can give page-locked memory; the resource must outlive the buffer.
/// resize() keeps the memory when it suffices and leaves new elements unset.
template <typename T>
class HostBuffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    HostBuffer() : HostBuffer(std::pmr::new_delete_resource()) {}
    explicit HostBuffer(std::pmr::memory_resource* memory) : memory_(memory) {}
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    HostBuffer(HostBuffer&& other) noexcept
        : memory_(other.memory_),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    HostBuffer& operator=(HostBuffer&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~HostBuffer() { release(); }

    void resize(std::size_t size) {
        if (size > capacity_) {
            release();
            data_ = static_cast<T*>(memory_->allocate(size * sizeof(T), kAlignment));
            capacity_ = size;
        }
        size_ = size;
    }

    std::pmr::memory_resource* memory() const { return memory_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t kAlignment = 64;

    void release() {
        if (data_ != nullptr) {
            memory_->deallocate(data_, capacity_ * sizeof(T), kAlignment);
            data_ = nullptr;
            size_ = 0;
            capacity_ = 0;
        }
    }

    std::pmr::memory_resource* memory_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace rankscope::engine
