// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/fd.h>
#include <remote/desk/archive/export/draft_folder.h>
#include <remote/desk/shared/text.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "DraftFolder";
constexpr int kAsUmaskAllows = 0666;
constexpr std::size_t kPiece = std::size_t{1} << 18;  // of one file, before it is written
constexpr std::size_t kMostWaiting = std::size_t{64} << 20;

Failure cannot_write(const std::filesystem::path& path, int error) {
    return {
        .code = "cannot-write",
        .where = path.string(),
        .what = text(kContext, "The folder cannot be written: %1", {std::generic_category().message(error)}),
        .remedy = text(kContext, "Check the folder above it, its permissions and the free space.")};
}

Failure not_empty(const std::filesystem::path& path) {
    return {.code = "file-exists",
            .where = path.string(),
            .what = text(kContext, "The folder is not empty."),
            .remedy = text(kContext, "Choose another folder.")};
}

int append_to(const std::filesystem::path& file, std::string_view bytes) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) {
        return error.value();
    }
    const UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kAsUmaskAllows));
    if (!out) {
        return errno;
    }
    while (!bytes.empty()) {
        const ssize_t written = ::write(out.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
    return 0;
}

}  // namespace

Result<DraftFolder> DraftFolder::create(const std::filesystem::path& path) {
    std::filesystem::path place = std::filesystem::absolute(path).lexically_normal();
    if (!place.has_filename()) {  // "folder/"
        place = place.parent_path();
    }
    std::error_code error;
    if (std::filesystem::exists(place, error) && !std::filesystem::is_empty(place, error)) {
        return not_empty(path);
    }
    std::filesystem::create_directories(place.parent_path(), error);
    std::string name = place.string() + ".XXXXXX";
    if (error || ::mkdtemp(name.data()) == nullptr) {
        return cannot_write(path, error ? error.value() : errno);
    }
    return DraftFolder(std::move(place), std::move(name));
}

DraftFolder::~DraftFolder() {
    if (!temporary_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(temporary_, ignored);
    }
}

DraftFolder::DraftFolder(DraftFolder&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      waiting_(std::move(other.waiting_)),
      bytes_(std::exchange(other.bytes_, 0)),
      error_(other.error_) {}

void DraftFolder::append(const std::filesystem::path& name, std::string_view bytes) {
    std::string& waiting = waiting_[name];
    waiting += bytes;
    bytes_ += bytes.size();
    if (waiting.size() >= kPiece) {
        flush(name, waiting);
    } else if (bytes_ >= kMostWaiting) {
        flush();
    }
}

void DraftFolder::flush(const std::filesystem::path& name, std::string& waiting) {
    if (error_ == 0 && !waiting.empty()) {
        error_ = append_to(temporary_ / name, waiting);
    }
    bytes_ -= waiting.size();
    waiting.clear();
}

void DraftFolder::flush() {
    for (auto& [name, waiting] : waiting_) {
        flush(name, waiting);
    }
}

Result<void> DraftFolder::finish() {
    flush();
    if (error_ != 0) {
        return cannot_write(path_, error_);
    }
    // mkdtemp() makes it for the owner alone; it becomes what mkdir() would have made.
    const auto parent = std::filesystem::status(path_.parent_path()).permissions();
    constexpr auto kWrite = std::filesystem::perms::group_write | std::filesystem::perms::others_write;
    std::error_code error;
    std::filesystem::permissions(temporary_, (parent & ~kWrite & std::filesystem::perms::all), error);
    std::filesystem::rename(temporary_, path_, error);  // replaces an empty folder, and no other
    if (error) {
        return error == std::errc::directory_not_empty || error == std::errc::file_exists
                   ? not_empty(path_)
                   : cannot_write(path_, error.value());
    }
    temporary_.clear();
    return {};
}

}  // namespace rankscope::inline archive
