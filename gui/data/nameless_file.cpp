// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/nameless_file.h>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace rankscope::gui {

UniqueFd nameless_file(const std::filesystem::path& folder) {
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

std::uint64_t free_disk_bytes(const UniqueFd& file) {
    struct statvfs disk {};
    const bool known = ::fstatvfs(file.get(), &disk) == 0;
    return known ? std::uint64_t(disk.f_bavail) * disk.f_frsize : UINT64_MAX;
}

}  // namespace rankscope::gui
