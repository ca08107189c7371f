// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/shared_memory.h>
#include <engine/error.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U  // Linux 6.3; demanded where vm.memfd_noexec is 2
#endif

namespace rankscope::engine {
namespace {

std::string reason(int code) {
    return std::generic_category().message(code);
}

std::string mebibytes(std::size_t bytes) {
    return std::to_string((bytes + (std::size_t{1} << 20U) - 1) >> 20U) + " MiB";
}

std::byte* map(int descriptor, std::size_t bytes, int flags) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, descriptor, 0);
    if (memory == MAP_FAILED) {
        throw Error("shared memory: " + mebibytes(bytes) + " cannot be mapped: " + reason(errno));
    }
    // Fewer and larger pages where the machine allows them for shared memory; a refusal costs nothing.
    madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
}

int make_file() {
    constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int file = memfd_create("rankscope", kFlags | MFD_NOEXEC_SEAL);
    return file >= 0 || errno != EINVAL ? file : memfd_create("rankscope", kFlags);
}

}  // namespace

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    file_ = std::move(other.file_);
    return *this;
}

SharedMemory::~SharedMemory() {
    if (data_ != nullptr) {
        munmap(data_, size_);
    }
}

SharedMemory SharedMemory::create(std::size_t bytes) {
    SharedMemory memory;
    memory.file_ = Socket(make_file());
    if (!memory.file_) {
        throw Error("shared memory: memfd_create: " + reason(errno));
    }
    const auto size = static_cast<off_t>(bytes);
    int failed = ftruncate(memory.file_.fd(), size) != 0 ? errno : 0;
    while (failed == 0 && fallocate(memory.file_.fd(), 0, 0, size) != 0) {
        failed = errno == EINTR ? 0 : errno;
    }
    if (failed != 0) {
        throw Error("shared memory: " + mebibytes(bytes) + " is unavailable: " + reason(failed) +
                    ". Free some memory, or lower batch_size or the size of the model.");
    }
    // No process can take pages away under a rank that reads them.
    fcntl(memory.file_.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    memory.data_ = map(memory.file_.fd(), bytes, 0);
    memory.size_ = bytes;
    return memory;
}

SharedMemory SharedMemory::open(pid_t pid, int descriptor, std::size_t bytes) {
    const std::string path = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
    // What stands behind the number may be something else where /proc is another machine's: not to be waited
    // for.
    const Socket file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file) {
        throw Error("shared memory: " + path + ": " + reason(errno));
    }
    struct stat status {};
    if (fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size != static_cast<off_t>(bytes)) {
        throw Error("shared memory: " + path + " is not the other rank's memory");
    }
    SharedMemory memory;
    memory.data_ = map(file.fd(), bytes, 0);
    memory.size_ = bytes;
    return memory;
}

}  // namespace rankscope::engine
