// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/stored_zip.h>
#include <engine/error.h>

#include <minizip/unzip.h>
#include <minizip/zip.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <set>
#include <utility>

namespace rankscope::engine {
namespace {

constexpr std::size_t kMaxEntries = 1'000'000;
constexpr std::uint64_t kZip64From = 0xFFFFFFFFU;
constexpr std::size_t kEntryAlignment = 64;
constexpr std::size_t kLocalHeader = 30;
constexpr std::size_t kZip64Extra = 20;

[[noreturn]] void refuse_archive(const std::string& what) {
    throw Error("not a ZIP archive of torch.save: " + what);
}

// ---- minizip reads from memory

struct Cursor {
    std::span<const std::byte> bytes;
    std::uint64_t at = 0;
};

Cursor& cursor(voidpf opaque) {
    return *static_cast<Cursor*>(opaque);
}

std::uint64_t sought(std::uint64_t offset, int origin, std::uint64_t here, std::uint64_t end) {
    return offset + (origin == ZLIB_FILEFUNC_SEEK_CUR ? here : origin == ZLIB_FILEFUNC_SEEK_END ? end : 0);
}

zlib_filefunc64_def reading_functions(Cursor& from) {
    zlib_filefunc64_def functions{};
    functions.opaque = &from;
    functions.zopen64_file = [](voidpf opaque, const void*, int) { return opaque; };
    functions.zread_file = [](voidpf opaque, voidpf, void* out, uLong size) -> uLong {
        Cursor& in = cursor(opaque);
        const std::uint64_t rest = in.at < in.bytes.size() ? in.bytes.size() - in.at : 0;
        const std::uint64_t count = std::min<std::uint64_t>(size, rest);
        if (count > 0) {
            std::memcpy(out, in.bytes.data() + in.at, count);
        }
        in.at += count;
        return count;
    };
    functions.zwrite_file = [](voidpf, voidpf, const void*, uLong) -> uLong { return 0; };
    functions.ztell64_file = [](voidpf opaque, voidpf) -> ZPOS64_T { return cursor(opaque).at; };
    functions.zseek64_file = [](voidpf opaque, voidpf, ZPOS64_T offset, int origin) -> long {
        Cursor& in = cursor(opaque);
        const std::uint64_t target = sought(offset, origin, in.at, in.bytes.size());
        if (target > in.bytes.size()) {
            return -1;
        }
        in.at = target;
        return 0;
    };
    functions.zclose_file = [](voidpf, voidpf) { return 0; };
    functions.zerror_file = [](voidpf, voidpf) { return 0; };
    return functions;
}

struct CloseArchive {
    void operator()(void* archive) const { unzClose(archive); }
};

ZipEntry current_entry(unzFile archive, std::span<const std::byte> bytes) {
    unz_file_info64 info{};
    std::array<char, 1024> name{};
    if (unzGetCurrentFileInfo64(archive, &info, name.data(), name.size() - 1, nullptr, 0, nullptr, 0) !=
            UNZ_OK ||
        info.size_filename >= name.size()) {
        refuse_archive("an entry of its directory is damaged");
    }
    // Names are texts: a zero byte inside would make two names one.
    ZipEntry entry{
        std::string(name.data(), info.size_filename), {}, static_cast<std::uint32_t>(info.crc), {}};
    if ((info.flag & 1U) != 0) {
        entry.fault = "encrypted";
    } else if (info.compression_method != 0 || info.compressed_size != info.uncompressed_size) {
        entry.fault = "compressed";
    }
    if (!entry.fault.empty()) {
        return entry;
    }
    if (unzOpenCurrentFile(archive) != UNZ_OK) {
        refuse_archive(entry.name + " is damaged");
    }
    const std::uint64_t begin = unzGetCurrentFileZStreamPos64(archive);
    unzCloseCurrentFile(archive);
    if (begin > bytes.size() || info.uncompressed_size > bytes.size() - begin) {
        refuse_archive(entry.name + " goes beyond the archive's end: it was cut off");
    }
    entry.bytes = bytes.subspan(begin, info.uncompressed_size);
    return entry;
}

// ---- minizip writes to a file

struct Sink {
    OutputFile* file;
    std::string* error;
};

Sink& sink(voidpf opaque) {
    return *static_cast<Sink*>(opaque);
}

/// No exception may pass through minizip.
template <typename Action>
bool guarded(voidpf opaque, Action action) {
    try {
        action(*sink(opaque).file);
        return true;
    } catch (const std::exception& error) {
        *sink(opaque).error = error.what();
        return false;
    }
}

zlib_filefunc64_def writing_functions(Sink& to) {
    zlib_filefunc64_def functions{};
    functions.opaque = &to;
    functions.zopen64_file = [](voidpf opaque, const void*, int) { return opaque; };
    functions.zread_file = [](voidpf, voidpf, void*, uLong) -> uLong { return 0; };
    functions.zwrite_file = [](voidpf opaque, voidpf, const void* data, uLong size) -> uLong {
        const bool done = guarded(opaque, [&](OutputFile& file) {
            file.write(std::span(static_cast<const std::byte*>(data), size));
        });
        return done ? size : 0;
    };
    functions.ztell64_file = [](voidpf opaque, voidpf) -> ZPOS64_T { return sink(opaque).file->position(); };
    functions.zseek64_file = [](voidpf opaque, voidpf, ZPOS64_T offset, int origin) -> long {
        return guarded(
                   opaque,
                   [&](OutputFile& file) { file.seek(sought(offset, origin, file.position(), file.size())); })
                   ? 0
                   : -1;
    };
    functions.zclose_file = [](voidpf, voidpf) { return 0; };
    functions.zerror_file = [](voidpf, voidpf) { return 0; };
    return functions;
}

/// An extra field that moves the data behind it to the next multiple of 64 bytes. Its name is the one that
/// PyTorch uses for the same purpose.
std::string padding(std::uint64_t header_begin, std::size_t name_size, bool zip64) {
    const std::uint64_t unpadded = header_begin + kLocalHeader + name_size + (zip64 ? kZip64Extra : 0) + 4;
    const auto fill =
        static_cast<std::uint16_t>((kEntryAlignment - unpadded % kEntryAlignment) % kEntryAlignment);
    std::string field = "FB";
    field += static_cast<char>(fill & 0xFFU);
    field += static_cast<char>(fill >> 8U);
    field.append(fill, 'Z');
    return field;
}

}  // namespace

std::vector<ZipEntry> read_zip(std::span<const std::byte> archive) {
    Cursor from{archive};
    zlib_filefunc64_def functions = reading_functions(from);
    const std::unique_ptr<void, CloseArchive> zip(unzOpen2_64("", &functions));
    if (!zip) {
        refuse_archive("its end, the directory, is not there; it was cut off or is another kind of file");
    }
    std::vector<ZipEntry> entries;
    std::set<std::string> names;
    int result = unzGoToFirstFile(zip.get());
    for (; result == UNZ_OK && entries.size() < kMaxEntries; result = unzGoToNextFile(zip.get())) {
        entries.push_back(current_entry(zip.get(), archive));
        if (!names.insert(entries.back().name).second) {
            refuse_archive("the name " + entries.back().name + " comes twice");
        }
    }
    if (result != UNZ_END_OF_LIST_OF_FILE) {
        refuse_archive("its directory is damaged");
    }
    return entries;
}

void check(const ZipEntry& entry) {
    if (!entry.fault.empty()) {
        throw Error("its entry " + entry.name + " is " + entry.fault + ", which torch.save never does");
    }
    const uLong crc = ::crc32_z(::crc32(0, nullptr, 0),
                                static_cast<const Bytef*>(static_cast<const void*>(entry.bytes.data())),
                                entry.bytes.size());
    if (crc != entry.crc32) {
        throw Error("its entry " + entry.name +
                    " is damaged: the CRC-32 does not fit (or it was written with "
                    "torch.serialization.set_crc32_options(False): save it again without)");
    }
}

struct ZipWriter::Output {
    Sink sink;
    zipFile zip = nullptr;
};

ZipWriter::ZipWriter(OutputFile& file) : output_(std::make_unique<Output>()) {
    output_->sink = {&file, &error_};
    zlib_filefunc64_def functions = writing_functions(output_->sink);
    output_->zip = zipOpen2_64("", APPEND_STATUS_CREATE, nullptr, &functions);
    if (output_->zip == nullptr) {
        fail();
    }
}

ZipWriter::~ZipWriter() {
    if (output_->zip != nullptr) {
        zipClose(output_->zip, nullptr);
    }
}

void ZipWriter::fail() const {
    throw Error(error_.empty() ? "the ZIP archive cannot be written" : error_);
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> bytes) {
    const bool zip64 = bytes.size() >= kZip64From;
    const std::string extra = padding(output_->sink.file->position(), name.size(), zip64);
    zip_fileinfo info{};
    info.dosDate = (1U << 21U) | (1U << 16U);  // 1980-01-01: the same content gives the same file
    if (zipOpenNewFileInZip64(output_->zip, name.c_str(), &info, extra.data(),
                              static_cast<uInt>(extra.size()), nullptr, 0, nullptr, 0, 0,
                              zip64 ? 1 : 0) != ZIP_OK) {
        fail();
    }
    constexpr std::size_t kPiece = std::size_t{1} << 30U;  // a length is an unsigned int there
    for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
        const auto piece = bytes.subspan(at, std::min(kPiece, bytes.size() - at));
        if (zipWriteInFileInZip(output_->zip, piece.data(), static_cast<unsigned>(piece.size())) != ZIP_OK) {
            fail();
        }
    }
    if (zipCloseFileInZip(output_->zip) != ZIP_OK || !error_.empty()) {
        fail();
    }
}

void ZipWriter::add(const std::string& name, const std::string& text) {
    add(name, std::as_bytes(std::span(text)));
}

void ZipWriter::finish() {
    if (zipClose(std::exchange(output_->zip, nullptr), nullptr) != ZIP_OK || !error_.empty()) {
        fail();
    }
}

}  // namespace rankscope::engine
