// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/socket.h>

#include <sys/types.h>

#include <cstddef>
#include <span>

namespace rankscope::engine {

/// Zero-filled memory that other processes of the same user on this machine can map. It has no name in any
/// file system (memfd_create(2)) and no limit but the machine's memory, whatever the size of /dev/shm; the
/// kernel frees it with the last process that maps it, however that process ends.
class SharedMemory {
public:
    SharedMemory() = default;
    SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept;
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory();

    /// All pages are taken at once, so that a lack of memory is an Error here and no signal later.
    static SharedMemory create(std::size_t bytes);
    /// Maps what process `pid` holds open as `descriptor`, through /proc. Throws Error saying why it cannot.
    static SharedMemory open(pid_t pid, int descriptor, std::size_t bytes);

    std::span<std::byte> bytes() const { return {data_, size_}; }
    /// For open() in another process; −1 where it was opened.
    int descriptor() const { return file_.fd(); }
    explicit operator bool() const { return data_ != nullptr; }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    Socket file_;
};

}  // namespace rankscope::engine
