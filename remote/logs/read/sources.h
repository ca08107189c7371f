// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/line_place.h>
#include <remote/logs/read/remark.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

struct ReadOptions {
    std::size_t longest_line = std::size_t{256} << 10;     ///< bytes; the tail of a longer line is left out
    std::uint64_t most_unpacked = std::uint64_t{8} << 30;  ///< bytes that all archives together may unpack to
    std::size_t most_files = 100'000;
    int deepest_archive = 4;                          ///< .tar.gz counts twice
    std::size_t most_whole = std::size_t{128} << 20;  ///< bytes of what WholeSink takes
};

/// A text that lines come from: a file, a member of an archive, standard input.
struct Source {
    std::string name;  ///< as the user gave it; below a folder or in an archive: that, "/" and the path there
    std::uint64_t bytes = 0;  ///< unpacked
    std::uint64_t lines = 0;
    std::int64_t modified_s = 0;  ///< Unix seconds; 0: unknown
    std::filesystem::path file =
        {};  ///< that has these bytes as they are; empty: they were packed, or piped in
};

struct SourceList {
    std::vector<Source> sources;
    std::vector<Remark> remarks;
};

/// For sources that are no lines of text but mean something to the caller: all bytes of one that begins so (512 bytes or
/// more, if there are as many) come at once. What it does not take, or is too large, is read as lines.
struct WholeSink {
    std::function<bool(std::string_view start)> begins;
    /// False: it is not what it looked like.
    std::function<bool(const Source&, std::string_view bytes)> take;
};

/// What a reading calls, in this order for each source: begin, line…, end, on the caller's thread.
struct RawSink {
    std::function<void(std::uint32_t index, const Source&)> begin;
    std::function<void(const RawLine&)> line;
    WholeSink whole = {};                                              ///< begin, take, end for its sources
    std::function<void(std::uint32_t index, const Source&)> end = {};  ///< also of one that was stopped
};

struct ReadProgress {
    std::uint64_t done = 0;   ///< bytes of the files as they lie on the disk
    std::uint64_t total = 0;  ///< 0: unknown (standard input)
    std::string_view source;
};
using ProgressSink = std::function<void(const ReadProgress&)>;

/// Reads files, folders (every file below, in natural order), archives (.tar, .zip, .gz, .bz2, .xz, .zst and
/// these within another) and standard input ("-"). What is no text or cannot be read becomes a remark; no
/// input is an error. Nothing is written; memory does not grow with the input. `progress` is called at most
/// every few MiB.
SourceList read_raw_lines(const std::vector<std::string>& paths, const ReadOptions& options,
                          const RawSink& sink, const ProgressSink& progress = {},
                          const std::stop_token& stop = {});

}  // namespace rankscope::logs
