// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/read/line_place.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace rankscope::logs {

/// What the reader changed or did not read.
enum class RemarkKind {
    NotFound,        ///< there is no such file
    Unreadable,      ///< may not be opened, or a read failed; `detail`: why
    NotText,         ///< a picture, a program, a checkpoint: skipped
    NotALog,         ///< a file of a folder whose name says that it is none (.py, .html): skipped
    NotRegular,      ///< a device, a socket or a pipe within a folder: skipped
    LongLine,        ///< the tail of a line was left out; `amount`: bytes
    Nul,             ///< NUL bytes were left out; `amount`: how many
    Colours,         ///< colour codes and cursor movements were left out; `amount`: how many
    Overwritten,     ///< carriage returns within lines: each piece is a line of its own; `amount`: how many
    BadText,         ///< bytes that are not UTF-8 were replaced; `amount`: how many
    Utf16,           ///< the file is UTF-16
    ArchiveDamaged,  ///< an archive ends early or is broken: read as far as it goes; `detail`: why
    ArchiveLocked,   ///< a member is encrypted: skipped
    ArchiveDeep,     ///< an archive within archives within archives: skipped
    UnpackLimit,  ///< an archive unpacks to more than is allowed: the rest is skipped; `amount`: bytes read
    FileLimit,    ///< more files than are allowed: the rest is skipped
    Stopped,      ///< the user stopped the reading
};

/// One remark for each kind and source, with the first place and the sum of all.
struct Remark {
    static constexpr std::uint32_t kNoSource = std::numeric_limits<std::uint32_t>::max();

    RemarkKind kind = RemarkKind::Unreadable;
    std::uint32_t source = kNoSource;  ///< kNoSource: `name` never became a source
    std::string name = {};             ///< the file
    std::uint64_t line = 0;            ///< the first such line; 0: the file as a whole
    std::uint64_t amount = 0;
    std::string detail = {};
};

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::RemarkKind> {
    static constexpr auto names = std::to_array<const char*>(
        {"not-found", "unreadable", "not-text", "not-a-log", "not-regular", "long-line", "nul", "colours",
         "overwritten", "bad-text", "utf-16", "archive-damaged", "archive-locked", "archive-deep",
         "unpack-limit", "file-limit", "stopped"});
};

}  // namespace rankscope
