// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A file read from its beginning to its end, unpacked on the way: plain, gzip or xz, recognised by its first
/// bytes. Methods throw Error naming the file: cannot be opened or read, cut short, damaged.
class ByteSource {
public:
    explicit ByteSource(const std::filesystem::path& file);
    ~ByteSource();
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    const std::string& name() const { return name_; }
    [[noreturn]] void fail(const std::string& what) const;

    /// Reads up to `size` bytes; fewer only at the end of the data.
    std::size_t read(std::uint8_t* target, std::size_t size);
    void skip(std::uint64_t size);
    /// Appends `size` bytes to `target`, in pieces: a damaged header must not make us allocate what the file
    /// does not have. Returns how many there were.
    std::size_t append(std::vector<std::uint8_t>& target, std::size_t size);

private:
    struct Gzip;
    struct Xz;
    std::size_t read_piece(std::uint8_t* target, std::size_t size);

    std::string name_;
    std::unique_ptr<Gzip> gzip_;  ///< plain files as well: zlib passes them through
    std::unique_ptr<Xz> xz_;
};

}  // namespace rankscope::engine
