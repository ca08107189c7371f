// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <gui/data/growing_file.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace rankscope::gui {

bool GrowingFile::open() {
    std::filesystem::path folder = options_.folder;
    if (folder.empty()) {
        folder = user_cache_dir();
        std::error_code ignored;  // what fails is found by the open below
        std::filesystem::create_directories(folder, ignored);
    }
    file_.reset(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file_ || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return bool(file_);
    }
    std::string name = (folder / "rankscope-XXXXXX").string();
    file_.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file_) {
        ::unlink(name.c_str());
    }
    return bool(file_);
}

// The largest number where it is not known.
std::uint64_t GrowingFile::free_disk_bytes() const {
    struct statvfs disk {};
    const bool known = ::fstatvfs(file_.get(), &disk) == 0;
    return known ? std::uint64_t(disk.f_bavail) * disk.f_frsize : UINT64_MAX;
}

std::byte* GrowingFile::map(std::uint64_t place, std::size_t bytes) {
    if (!file_ && !open()) {
        return nullptr;
    }
    const std::uint64_t free = free_disk_bytes();
    if (free < bytes || free - bytes < options_.leave_free_bytes) {
        errno = ENOSPC;
        return nullptr;
    }
    void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file_.get(), off_t(place));
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

bool GrowingFile::write(std::span<const std::byte> bytes, std::uint64_t place) {
    if (place + bytes.size() > options_.most_bytes) {
        errno = ENOSPC;
        return false;
    }
    while (!bytes.empty()) {
        const ssize_t wrote = ::pwrite(file_.get(), bytes.data(), bytes.size(), off_t(place));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            errno = wrote == 0 ? ENOSPC : errno;
            return false;
        }
        bytes = bytes.subspan(std::size_t(wrote));
        place += std::uint64_t(wrote);
    }
    return true;
}

}  // namespace rankscope::gui
