// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/proc_text.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

namespace rankscope::agent {

ProcFolder::ProcFolder(const std::string& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

ProcFolder::ProcFolder(const ProcFolder& parent, const std::string& name)
    : fd_(::openat(parent.fd_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

std::string ProcFolder::read(const std::string& name) const {
    error_ = 0;
    const UniqueFd file(::openat(fd_.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    std::array<char, 4096> bytes;
    while (file) {
        const auto got = ::read(file.get(), bytes.data(), bytes.size());
        if (got > 0) {
            text.append(bytes.data(), static_cast<std::size_t>(got));
        } else if (got == 0) {
            return text;
        } else if (errno != EINTR) {
            break;
        }
    }
    error_ = errno;
    return {};
}

std::string ProcFolder::link(const std::string& name) const {
    std::array<char, 4096> bytes;
    const auto size = ::readlinkat(fd_.get(), name.c_str(), bytes.data(), bytes.size());
    error_ = size < 0 ? errno : 0;
    return size < 0 ? std::string() : std::string(bytes.data(), static_cast<std::size_t>(size));
}

std::vector<int> ProcFolder::numbers(std::size_t most) const {
    std::vector<int> found;
    const auto close_dir = [](DIR* dir) { ::closedir(dir); };
    UniqueFd again(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, decltype(close_dir)> dir(again ? ::fdopendir(again.get()) : nullptr,
                                                        close_dir);
    if (!dir) {
        return found;
    }
    again.release();  // the stream closes it
    while (found.size() < most) {
        const dirent* entry = ::readdir(dir.get());
        if (entry == nullptr) {
            break;
        }
        if (const auto number = number_of(entry->d_name); number && *number <= 0x7fffffff) {
            found.push_back(static_cast<int>(*number));
        }
    }
    return found;
}

}  // namespace rankscope::agent
