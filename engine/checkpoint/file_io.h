// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/content_hash.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A new file, written from front to back. Every fault is an Error that names file, reason, free space and
/// remedy. Without finish() the file is of no use; its creator removes it.
class OutputFile {
public:
    /// Makes it; it must not be there yet.
    explicit OutputFile(std::filesystem::path path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(const std::string& text);
    /// For formats that go back to a header: what was hashed holds only without it.
    void seek(std::uint64_t offset);
    std::uint64_t position() const { return position_; }
    /// Everything is on disk afterwards (fsync).
    void finish();

    std::uint64_t size() const { return size_; }
    std::string hash() const { return hash_.hex(); }

private:
    void flush();
    void put(const std::byte* data, std::size_t size);
    [[noreturn]] void fail(int error) const;

    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t position_ = 0;
    std::uint64_t size_ = 0;
    std::vector<std::byte> small_;  ///< pieces too small for a system call of their own
    ContentHash hash_;
};

/// A file read from front to back. Faults are Errors naming the file.
class InputFile {
public:
    explicit InputFile(std::filesystem::path path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    std::uint64_t position() const { return position_; }
    /// Exactly this many; fewer are an Error.
    void read(std::span<std::byte> bytes);
    std::string hash() const { return hash_.hex(); }

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    ContentHash hash_;
};

/// "/data/ckpt: No space left on device (1.2 MB free). Free …": what cannot be written, why, and what to do.
std::string write_error(const std::filesystem::path& path, int error);

/// Names that were made, renamed or removed in it are on disk afterwards. Throws Error.
void sync_folder(const std::filesystem::path& folder);

/// Writes a file as a whole or not at all: `write` gets a temporary name beside it, which is then renamed.
/// Folders above it are made. Throws Error.
template <typename Write>
void write_file_atomically(const std::filesystem::path& path, Write write);

/// For write_file_atomically: the temporary name; removed at the end unless committed.
class PendingFile {
public:
    explicit PendingFile(std::filesystem::path path);
    ~PendingFile();
    PendingFile(const PendingFile&) = delete;
    PendingFile& operator=(const PendingFile&) = delete;

    const std::filesystem::path& temporary() const { return temporary_; }
    void commit();

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
    bool committed_ = false;
};

template <typename Write>
void write_file_atomically(const std::filesystem::path& path, Write write) {
    PendingFile pending(path);
    OutputFile file(pending.temporary());
    write(file);
    file.finish();
    pending.commit();
}

}  // namespace rankscope::engine
