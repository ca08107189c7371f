// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/file_io.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// ZIP archives as torch.save makes them: entries stored, not compressed, their data at multiples of 64
/// bytes. minizip does the format; Zip64 included.
namespace rankscope::engine {

struct ZipEntry {
    std::string name;
    std::span<const std::byte> bytes;  ///< into the archive's memory
    std::uint32_t crc32 = 0;           ///< as the archive says
    std::string fault;                 ///< why there are no bytes: "compressed", "encrypted"
};

/// The entries of an archive in memory. Throws Error: damaged, cut off, compressed or encrypted entries, a
/// name twice.
std::vector<ZipEntry> read_zip(std::span<const std::byte> archive);

/// Throws Error when the entry has a fault, or the bytes are not those whose CRC-32 the archive has.
void check(const ZipEntry& entry);

/// Writes an archive entry by entry. Without finish() it is of no use.
class ZipWriter {
public:
    explicit ZipWriter(OutputFile& file);
    ~ZipWriter();
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    void add(const std::string& name, std::span<const std::byte> bytes);
    void add(const std::string& name, const std::string& text);
    void finish();

private:
    [[noreturn]] void fail() const;

    struct Output;
    std::string error_;  ///< of the file, when a call of minizip's failed
    std::unique_ptr<Output> output_;
};

}  // namespace rankscope::engine
