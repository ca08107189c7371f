// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/checkpoint/file_io.h>
#include <engine/error.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

namespace rankscope::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSmallPieces = std::size_t{1} << 20U;
constexpr std::size_t kOwnCall = std::size_t{1} << 16U;  ///< from here on a piece is written without a copy

std::string reason(int error) {
    return std::system_category().message(error);
}

std::string free_space(const fs::path& path) {
    struct statvfs space {};
    fs::path folder = path;
    while (statvfs(folder.c_str(), &space) != 0) {
        if (folder == folder.parent_path()) {
            return "";
        }
        folder = folder.parent_path();
    }
    const double free = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
    return " (" + fixed_text(free / 1e6, 1) + " MB free)";
}

std::string remedy(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT:
            return "Make room there, keep fewer checkpoints, or choose a folder on another disk.";
        case EACCES:
        case EPERM:
        case EROFS:
            return "Choose a folder that this user may write to.";
        case EIO:
            return "The disk or the file server reports an error: see dmesg.";
        default:
            return "Choose another folder for checkpoints.";
    }
}

}  // namespace

std::string write_error(const fs::path& path, int error) {
    return path.string() + " cannot be written: " + reason(error) + free_space(path) + ". " + remedy(error);
}

void sync_folder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) {
        throw Error(write_error(folder, errno));
    }
    const int result = ::fsync(descriptor);
    const int error = errno;
    ::close(descriptor);
    // Some network file systems know no fsync of folders: their server keeps names safe by itself.
    if (result != 0 && error != EINVAL && error != ENOTSUP) {
        throw Error(write_error(folder, error));
    }
}

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) {
        fail(errno);
    }
    small_.reserve(kSmallPieces);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

void OutputFile::fail(int error) const {
    throw Error(write_error(path_, error));
}

void OutputFile::put(const std::byte* data, std::size_t size) {
    while (size > 0) {
        const ssize_t done = ::write(descriptor_, data, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            fail(done < 0 ? errno : EIO);
        }
        data += done;
        size -= static_cast<std::size_t>(done);
    }
}

void OutputFile::flush() {
    put(small_.data(), small_.size());
    small_.clear();
}

void OutputFile::write(std::span<const std::byte> bytes) {
    hash_.add(bytes);
    if (bytes.size() >= kOwnCall || small_.size() + bytes.size() > kSmallPieces) {
        flush();
    }
    if (bytes.size() >= kOwnCall) {
        put(bytes.data(), bytes.size());
    } else {
        small_.insert(small_.end(), bytes.begin(), bytes.end());
    }
    position_ += bytes.size();
    size_ = std::max(size_, position_);
}

void OutputFile::write(const std::string& text) {
    write(std::as_bytes(std::span(text)));
}

void OutputFile::seek(std::uint64_t offset) {
    flush();
    if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) {
        fail(errno);
    }
    position_ = offset;
}

void OutputFile::finish() {
    flush();
    if (::fsync(descriptor_) != 0) {
        fail(errno);
    }
    // Some file systems say only here that a write did not reach the server.
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        fail(errno);
    }
}

InputFile::InputFile(fs::path path) : path_(std::move(path)) {
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
        const int error = errno;
        if (descriptor_ >= 0) {
            ::close(descriptor_);
        }
        throw Error(path_.string() +
                    (error == ENOENT ? std::string(" is missing") : " cannot be read: " + reason(error)));
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(descriptor_);
        throw Error(path_.string() + " is not a file");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
    ::close(descriptor_);
}

void InputFile::read(std::span<std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t done = ::read(descriptor_, bytes.data() + at, bytes.size() - at);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            throw Error(path_.string() + " cannot be read: " + reason(errno));
        }
        if (done == 0) {
            throw Error(path_.string() + " ends after " + std::to_string(position_ + at) +
                        " bytes: it was cut off");
        }
        at += static_cast<std::size_t>(done);
    }
    position_ += bytes.size();
    hash_.add(bytes);
}

PendingFile::PendingFile(fs::path path) : path_(std::move(path)) {
    const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw Error(write_error(folder, error.value()));
    }
    fs::path name(".");
    name += path_.filename();
    name += ".partial-" + std::to_string(::getpid());
    temporary_ = folder / name;
    fs::remove(temporary_, error);
}

PendingFile::~PendingFile() {
    if (!committed_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
}

void PendingFile::commit() {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) {
        throw Error(write_error(path_, error.value()));
    }
    committed_ = true;
    sync_folder(temporary_.parent_path());
}

}  // namespace rankscope::engine
