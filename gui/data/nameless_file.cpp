// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <gui/data/nameless_file.h>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <system_error>

namespace rankscope::gui {

UniqueFd nameless_file(std::filesystem::path folder) {
    if (folder.empty()) {
        folder = user_cache_dir();
        std::error_code ignored;  // what fails is found by the open below
        std::filesystem::create_directories(folder, ignored);
    }
    UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return file;
    }
    std::string name = (folder / "rankscope-XXXXXX").string();
    file.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file) {
        ::unlink(name.c_str());
    }
    return file;
}

bool write_whole(const UniqueFd& file, std::span<const std::byte> bytes, std::uint64_t place) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::pwrite(file.get(), bytes.data(), bytes.size(), off_t(place));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return false;
        }
        bytes = bytes.subspan(std::size_t(wrote));
        place += std::uint64_t(wrote);
    }
    return true;
}

std::uint64_t free_disk_bytes(const UniqueFd& file) {
    struct statvfs disk {};
    const bool known = ::fstatvfs(file.get(), &disk) == 0;
    return known ? std::uint64_t(disk.f_bavail) * disk.f_frsize : UINT64_MAX;
}

}  // namespace rankscope::gui
