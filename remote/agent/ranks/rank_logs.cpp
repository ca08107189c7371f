// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <remote/agent/ranks/rank_logs.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace rankscope::agent {
namespace fs = std::filesystem;

int LogFolder::open(const std::string& log_dir, const std::string& workdir, const std::string& run_id) {
    if (log_dir.empty() || log_dir == "/dev/null") {
        return 0;
    }
    const fs::path base = (workdir.empty() ? home_dir() : expand_home(workdir)) / expand_home(log_dir);
    std::error_code error;
    fs::create_directories(base, error);
    if (error) {
        return error.value();
    }
    root_ = base / run_id;
    if (::mkdir(root_.c_str(), 0777) != 0 && errno == EEXIST) {
        std::array<char, 256> host{};
        ::gethostname(host.data(), host.size() - 1);
        root_ = base / (run_id + '_' + host.data());
        if (::mkdir(root_.c_str(), 0777) == 0 || errno == EEXIST) {
            return 0;
        }
    } else if (fs::is_directory(root_, error)) {
        return 0;
    }
    const int why = errno;
    root_.clear();
    return why;
}

fs::path LogFolder::rank(int attempt, int local_rank) const {
    return root_ / ("attempt_" + std::to_string(attempt)) / std::to_string(local_rank);
}

int RankLogs::open(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    fs::create_directories(folder, error);
    if (error) {
        return error.value();
    }
    folder_ = folder;
    const auto make = [&folder](const char* name) {
        return UniqueFd(::open((folder / name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    };
    out_ = make("stdout.log");
    err_ = make("stderr.log");
    return out_ && err_ ? 0 : errno;
}

int RankLogs::write(bool is_stderr, std::string_view text) {
    UniqueFd& fd = is_stderr ? err_ : out_;
    while (fd && !text.empty()) {
        const auto put = ::write(fd.get(), text.data(), text.size());
        if (put < 0 && errno != EINTR) {
            const int why = errno;
            fd.reset();
            return why;
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
    }
    return 0;
}

void RankLogs::copy_error_file(const fs::path& from) const {
    std::error_code ignored;
    if (!folder_.empty() && fs::exists(from, ignored)) {
        fs::copy_file(from, folder_ / "error.json", fs::copy_options::overwrite_existing, ignored);
    }
}

}  // namespace rankscope::agent
