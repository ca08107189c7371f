// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/files/incoming_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

namespace rankscope::agent {

namespace fs = std::filesystem;

IncomingFile::IncomingFile(fs::path target) : target_(std::move(target)) {}

IncomingFile::~IncomingFile() {
    if (fd_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
}

AgentResult<void> IncomingFile::create() {
    const fs::path parent = target_.parent_path();
    std::error_code error;
    fs::create_directories(parent, error);
    if (error) {
        return failure_from_errno(error.value(), parent.string());
    }
    temporary_ = parent / part_name();
    fd_.reset(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    return fd_ ? AgentResult<void>() : failure_from_errno(errno, parent.string());
}

AgentResult<void> IncomingFile::append(std::string_view data) {
    hash_.update(std::as_bytes(std::span(data.data(), data.size())));
    received_ += data.size();
    while (!data.empty()) {
        const auto put = ::write(fd_.get(), data.data(), data.size());
        if (put >= 0) {
            data.remove_prefix(static_cast<std::size_t>(put));
        } else if (errno != EINTR) {
            return failure_from_errno(errno, target_.string());
        }
    }
    return {};
}

std::string IncomingFile::digest() {
    const auto digest = hash_.finish();
    return {digest.begin(), digest.end()};
}

AgentResult<void> IncomingFile::place(mode_t mode) {
    ::fchmod(fd_.get(), mode);
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
        return failure_from_errno(errno, target_.string());
    }
    fd_.reset();
    return {};
}

std::string part_name() {
    return ".rankscope-part-" + random_token().substr(0, 16);
}

}  // namespace rankscope::agent
