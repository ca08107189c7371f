// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/read/packed_bytes.h>

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <array>
#include <utility>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

la_ssize_t give_bytes(::archive* /*unused*/, void* source, const void** buffer) noexcept {
    const auto piece = (*static_cast<ByteSource*>(source))();
    *buffer = piece.data();
    return static_cast<la_ssize_t>(piece.size());
}

}  // namespace

bool is_packed(std::string_view head) {
    constexpr std::array kStarts = {"\x1f\x8b"sv,         "BZh"sv,    "\xfd\x37zXZ\0"sv, "\x28\xb5\x2f\xfd"sv,
                                    "\x04\x22\x4d\x18"sv, "PK\3\4"sv, "PK\5\6"sv,        "\x5d\0\0"sv};
    for (const auto start : kStarts) {
        if (head.starts_with(start)) {
            return true;
        }
    }
    return head.size() >= 262 && head.substr(257, 5) == "ustar";
}

void PackedBytes::Free::operator()(::archive* a) const {
    archive_read_free(a);
}

PackedBytes::PackedBytes(ByteSource bytes) : bytes_(std::move(bytes)), archive_(archive_read_new()) {
    auto* a = archive_.get();
    if (a == nullptr) {
        why_ = "out of memory";
        return;
    }
    // One by one: "all" would include filters that start other programs.
    for (auto* const support :
         {archive_read_support_filter_bzip2, archive_read_support_filter_xz, archive_read_support_filter_lzma,
          archive_read_support_filter_zstd, archive_read_support_filter_lz4, archive_read_support_format_tar,
          archive_read_support_format_zip_streamable, archive_read_support_format_raw}) {
        if (support(a) != ARCHIVE_OK) {
            why_ = "this libarchive reads it only with another program";
            return;
        }
    }
    if (archive_read_open(a, &bytes_, nullptr, give_bytes, nullptr) != ARCHIVE_OK) {
        const char* text = archive_error_string(a);
        why_ = text != nullptr ? text : "unknown format";
    }
}

PackedBytes::Step PackedBytes::next(Member& member) {
    if (!why_.empty()) {
        return Step::Damaged;
    }
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(archive_.get(), &entry);
    if (status == ARCHIVE_EOF) {
        return Step::End;
    }
    if (status < ARCHIVE_WARN) {  // a warning is about attributes that nothing here needs
        const char* text = archive_error_string(archive_.get());
        why_ = text != nullptr ? text : "damaged";
        return Step::Damaged;
    }
    const char* path = archive_entry_pathname(entry);
    const bool raw = archive_format(archive_.get()) == ARCHIVE_FORMAT_RAW;
    member.path = path != nullptr && !raw ? path : "";
    if (member.path.empty() && !raw) {
        member.path = "?";
    }
    member.modified_s = archive_entry_mtime_is_set(entry) != 0 ? archive_entry_mtime(entry) : 0;
    member.regular = raw || archive_entry_filetype(entry) == S_IFREG;
    member.encrypted = archive_entry_is_data_encrypted(entry) != 0;
    return Step::Member;
}

std::string_view PackedBytes::read() {
    const void* data = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    while (true) {
        const int status = archive_read_data_block(archive_.get(), &data, &size, &offset);
        if (status == ARCHIVE_EOF) {
            return {};
        }
        if (status < ARCHIVE_WARN) {
            const char* text = archive_error_string(archive_.get());
            why_ = text != nullptr ? text : "damaged";
            return {};
        }
        if (size > 0) {
            return {static_cast<const char*>(data), size};
        }
    }
}

}  // namespace rankscope::logs
