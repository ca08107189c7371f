// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/files.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace rankscope {

std::optional<std::string> read_file(const std::filesystem::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        return std::nullopt;
    }
    std::string content;
    std::array<char, 16384> bytes;
    for (;;) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got == 0) {
            return content;
        }
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return std::nullopt;
        }
        content.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

int write_file_atomically(const std::filesystem::path& file, std::string_view content) {
    if (file.has_parent_path()) {
        const mode_t before = ::umask(0077);
        std::error_code error;
        std::filesystem::create_directories(file.parent_path(), error);
        ::umask(before);
        if (error) {
            return error.value();
        }
    }
    const std::string temporary = file.string() + ".new-" + std::to_string(::getpid());
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd) {
        return errno;
    }
    while (!content.empty()) {
        const auto put = ::write(fd.get(), content.data(), content.size());
        if (put < 0 && errno != EINTR) {
            const int error = errno;
            ::unlink(temporary.c_str());
            return error;
        }
        content.remove_prefix(put > 0 ? static_cast<std::size_t>(put) : 0);
    }
    if (::fsync(fd.get()) != 0 || ::rename(temporary.c_str(), file.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return error;
    }
    return 0;
}

}  // namespace rankscope
