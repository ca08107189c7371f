// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/aligned_buffer.h>

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace rankscope::engine {
namespace {

constexpr std::align_val_t kCacheLine{64};
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

std::byte* map_huge(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        throw std::bad_alloc();
    }
    madvise(memory, bytes, MADV_HUGEPAGE);  // where the kernel has none, ordinary pages do
    return static_cast<std::byte*>(memory);
}

}  // namespace

AlignedBuffer::AlignedBuffer(std::size_t bytes) : bytes_(bytes) {
    if (bytes >= 2 * kHugePage) {
        const std::size_t mapped = (bytes + kHugePage - 1) / kHugePage * kHugePage;
        data_ = std::unique_ptr<std::byte, FreeAligned>(map_huge(mapped), FreeAligned(mapped));
        return;
    }
    data_ = std::unique_ptr<std::byte, FreeAligned>(
        static_cast<std::byte*>(::operator new(bytes == 0 ? 1 : bytes, kCacheLine)));
    std::memset(data_.get(), 0, bytes);
}

void FreeAligned::operator()(std::byte* memory) const {
    if (mapped_ != 0) {
        munmap(memory, mapped_);
    } else {
        ::operator delete(memory, kCacheLine);
    }
}

}  // namespace rankscope::engine
