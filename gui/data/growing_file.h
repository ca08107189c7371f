// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace rankscope::gui {

/// A file without a name that only grows: nothing stays behind, whatever ends the program. It is opened when it is first
/// needed, written by calls (a full disk is an error there, and no page becomes memory of the program) and read through
/// mappings, which the caller unmaps. One thread at a time.
class GrowingFile {
public:
    struct Options {
        std::filesystem::path folder = {};  ///< empty: the program's cache folder
        std::uint64_t most_bytes = std::uint64_t(1) << 39;
        std::uint64_t leave_free_bytes = std::uint64_t(512) << 20;  ///< on the disk
    };

    explicit GrowingFile(Options options) : options_(std::move(options)) {}

    /// Addresses for this part of the file, which grows into them. Null with errno: the disk has no room, or has failed.
    std::byte* map(std::uint64_t place, std::size_t bytes);
    /// All of `bytes`, at this place. False with errno: the disk or the file has no room, or has failed.
    bool write(std::span<const std::byte> bytes, std::uint64_t place);
    /// The disk gets its room back; a new file begins with the next map().
    void close() { file_.reset(); }

private:
    bool open();
    std::uint64_t free_disk_bytes() const;

    Options options_;
    UniqueFd file_;
};

}  // namespace rankscope::gui
