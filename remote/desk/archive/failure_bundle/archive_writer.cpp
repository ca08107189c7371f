// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/archive/failure_bundle/archive_writer.h>

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace rankscope::inline archive {
namespace {

constexpr int kOwnerOnly = 0600;

}  // namespace

void ArchiveWriter::Free::operator()(::archive* a) const {
    ::archive_write_free(a);
}

ArchiveWriter::ArchiveWriter(DraftFile file) : file_(std::move(file)), archive_(::archive_write_new()) {}

ArchiveWriter::~ArchiveWriter() = default;

Failure ArchiveWriter::failure() const {
    const int error = errno;
    const char* why = ::archive_error_string(archive_.get());
    return file_.failure(why != nullptr ? why : std::generic_category().message(error));
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::create(const std::filesystem::path& path,
                                                             bool replace) {
    // For the owner only: it says much about a cluster.
    auto file = DraftFile::create(path, replace, FileAccess::Owner);
    if (!file) {
        return file.failure();
    }
    std::unique_ptr<ArchiveWriter> writer(
        new ArchiveWriter(std::move(*file)));  // NOLINT: private constructor
    ::archive* a = writer->archive_.get();
    if (::archive_write_add_filter_zstd(a) != ARCHIVE_OK ||
        ::archive_write_set_format_pax_restricted(a) != ARCHIVE_OK ||
        ::archive_write_open_filename(a, writer->file_.temporary().c_str()) != ARCHIVE_OK) {
        return writer->failure();
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
    ::archive* a = archive_.get();
    const bool fine =
        ::archive_write_header(a, entry.get()) == ARCHIVE_OK &&
        ::archive_write_data(a, content.data(), content.size()) == static_cast<la_ssize_t>(content.size());
    if (!fine) {
        return failure();
    }
    return {};
}

Result<void> ArchiveWriter::finish() {
    if (::archive_write_close(archive_.get()) != ARCHIVE_OK) {
        return failure();
    }
    return file_.move_into_place();
}

}  // namespace rankscope::inline archive
