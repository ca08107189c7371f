// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <base/files.h>
#include <remote/desk/nodes/transport/known_hosts_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string_view>

namespace rankscope::inline nodes {
namespace {

// Parents get the mode that the umask leaves; the folder itself is the user's alone, as ssh makes it.
int make_folder(const std::filesystem::path& folder) {
    if (folder.empty()) {
        return 0;
    }
    std::error_code error;
    std::filesystem::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) {
        return 0;
    }
    return errno;
}

bool has_line(std::string_view content, std::string_view line) {
    for (std::size_t at = content.find(line); at != std::string_view::npos; at = content.find(line, at + 1)) {
        const std::size_t end = at + line.size();
        if ((at == 0 || content[at - 1] == '\n') && (end == content.size() || content[end] == '\n')) {
            return true;
        }
    }
    return false;
}

}  // namespace

int add_known_host(const std::filesystem::path& file, const std::string& entry) {
    static std::mutex mutex;  // flock() does not separate threads that share a process on every file system
    const std::lock_guard lock(mutex);
    if (const int error = make_folder(file.parent_path()); error != 0) {
        return error;
    }
    const UniqueFd fd(::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    if (!fd) {
        return errno;
    }
    // Other Rankscope processes wait here; ssh takes no lock, but appends whole lines as well. A file system
    // without locks is no reason to refuse.
    while (::flock(fd.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    const auto content = read_file(file);
    if (!content) {
        return errno;
    }
    std::string line = entry.substr(0, entry.find('\n'));
    if (has_line(*content, line)) {
        return 0;
    }
    line += '\n';
    if (!content->empty() && content->back() != '\n') {
        line.insert(0, 1, '\n');
    }
    // One write: the kernel appends it as a whole.
    const ssize_t put = ::write(fd.get(), line.data(), line.size());
    if (put < 0) {
        return errno;
    }
    return static_cast<std::size_t>(put) == line.size() ? 0 : ENOSPC;
}

}  // namespace rankscope::inline nodes
