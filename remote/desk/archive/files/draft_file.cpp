// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/files/draft_file.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "DraftFile";
constexpr int kOwnerOnly = 0600;
constexpr int kAsUmaskAllows = 0666;

std::string error_text(int error) {
    return std::generic_category().message(error);
}

Failure file_exists(const std::filesystem::path& path) {
    return {.code = "file-exists",
            .where = path.string(),
            .what = text(kContext, "The file exists already."),
            .remedy = text(kContext, "Choose another name, or replace it (--force).")};
}

Failure cannot_write(const std::filesystem::path& path, const std::string& detail) {
    return {.code = "cannot-write",
            .where = path.string(),
            .what = text(kContext, "The file cannot be written: %1", {detail}),
            .remedy = text(kContext, "Check the folder, its permissions and the free space.")};
}

// Opens a file of a new name; the name, or errno.
std::pair<std::string, int> make_file(const std::string& path, int mode) {
    constexpr int kTries = 16;
    std::random_device random;
    int error = EEXIST;
    for (int i = 0; i < kTries && error == EEXIST; ++i) {
        std::string name = path + '.' + std::to_string(random());
        const int file =
            ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(mode));
        if (file >= 0) {
            ::close(file);
            return {std::move(name), 0};
        }
        error = errno;
    }
    return {"", error};
}

}  // namespace

Result<DraftFile> DraftFile::create(const std::filesystem::path& path, bool replace, FileAccess access) {
    std::error_code error;
    if (!replace && std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
        return file_exists(path);
    }
    auto [name, why] = make_file(path.string(), access == FileAccess::Owner ? kOwnerOnly : kAsUmaskAllows);
    if (why != 0) {
        return cannot_write(path, error_text(why));
    }
    return DraftFile(path, std::move(name), replace);
}

DraftFile::~DraftFile() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

DraftFile::DraftFile(DraftFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      replace_(other.replace_) {}

Failure DraftFile::failure(const std::string& detail) const {
    return cannot_write(path_, detail);
}

Result<void> DraftFile::move_into_place() {
    int error = 0;
    if (replace_) {
        error = ::rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno;
    } else if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) != 0) {
        error = errno;
        // Some file systems of networks cannot do that.
        if (error == EINVAL) {
            error = ::link(temporary_.c_str(), path_.c_str()) == 0 && ::unlink(temporary_.c_str()) == 0
                        ? 0
                        : errno;
        }
    }
    if (error != 0) {
        return error == EEXIST ? file_exists(path_) : failure(error_text(error));
    }
    temporary_.clear();
    return {};
}

}  // namespace rankscope::inline archive
