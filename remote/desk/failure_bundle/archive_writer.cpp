// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/failure_bundle/archive_writer.h>
#include <remote/desk/text.h>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace rankscope {
namespace {

constexpr const char* kContext = "FailureBundle";
constexpr int kOwnerOnly = 0600;

std::string error_text() {
    return std::generic_category().message(errno);
}

Failure file_exists(const std::filesystem::path& path) {
    return {.code = "file-exists",
            .where = path.string(),
            .what = text(kContext, "The file exists already."),
            .remedy = text(kContext, "Choose another name, or replace it (--force).")};
}

}  // namespace

void ArchiveWriter::Free::operator()(archive* a) const {
    ::archive_write_free(a);
}

ArchiveWriter::ArchiveWriter(std::filesystem::path path, bool replace)
    : path_(std::move(path)), replace_(replace), archive_(::archive_write_new()) {}

ArchiveWriter::~ArchiveWriter() {
    archive_.reset();
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

Failure ArchiveWriter::failure(const std::string& detail) const {
    return {.code = "cannot-write",
            .where = path_.string(),
            .what = text(kContext, "The bundle cannot be written: %1", {detail}),
            .remedy = text(kContext, "Check the folder, its permissions and the free space.")};
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::filesystem::path& path,
                                                             bool replace) {
    std::error_code error;
    if (!replace && std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
        return file_exists(path);
    }
    std::unique_ptr<ArchiveWriter> writer(new ArchiveWriter(path, replace));  // NOLINT: private constructor
    std::string name = path.string() + ".XXXXXX";
    const int file = ::mkstemp(name.data());  // for the owner only: it says much about a cluster
    if (file < 0) {
        return writer->failure(error_text());
    }
    ::close(file);
    writer->temporary_ = name;
    archive* a = writer->archive_.get();
    if (::archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
        ::archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
        ::archive_write_open_filename(a, name.c_str()) != ARCHIVE_OK) {
        const char* why = ::archive_error_string(a);
        return writer->failure(why != nullptr ? why : "");
    }
    return writer;
}

Result<void> ArchiveWriter::add(const std::string& name, std::string_view content) {
    const std::unique_ptr<archive_entry, decltype(&::archive_entry_free)> entry(::archive_entry_new(),
                                                                                &::archive_entry_free);
    ::archive_entry_set_pathname(entry.get(), name.c_str());
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), kOwnerOnly);
    ::archive_entry_set_mtime(entry.get(), now_us() / 1'000'000, 0);
    archive* a = archive_.get();
    const bool fine =
        ::archive_write_header(a, entry.get()) == ARCHIVE_OK &&
        ::archive_write_data(a, content.data(), content.size()) == static_cast<la_ssize_t>(content.size());
    if (!fine) {
        const char* why = ::archive_error_string(a);
        return failure(why != nullptr ? why : error_text());
    }
    return {};
}

// A file that appeared meanwhile stays, too.
bool ArchiveWriter::move_into_place() const {
    if (replace_) {
        return ::rename(temporary_.c_str(), path_.c_str()) == 0;
    }
    if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) {
        return true;
    }
    // Some file systems of networks cannot do that.
    return errno == EINVAL && ::link(temporary_.c_str(), path_.c_str()) == 0 &&
           ::unlink(temporary_.c_str()) == 0;
}

Result<void> ArchiveWriter::finish() {
    if (::archive_write_close(archive_.get()) != ARCHIVE_OK) {
        const char* why = ::archive_error_string(archive_.get());
        return failure(why != nullptr ? why : error_text());
    }
    if (!move_into_place()) {
        return errno == EEXIST ? file_exists(path_) : failure(error_text());
    }
    temporary_.clear();
    return {};
}

}  // namespace rankscope
