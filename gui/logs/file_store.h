// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <gui/data/line_source.h>
#include <gui/data/text_spool.h>
#include <remote/logs/read/sources.h>

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Lines of files that are read where they are: one entry of 32 bytes says where each 16 KiB of text is and how it reads.
/// Only text that no file has as it is shown (packed, UTF-16, piped) is copied, into a TextSpool. Lines are gone where a
/// file has changed since; what was only added to it does no harm. The rank of a line is its file. One thread adds what a
/// logs::RawSink brings, in that order, and publishes.
class FileStore final : public LineSource {
    /// Each followed by '\n'.
    struct Lines {
        std::string text;
        std::vector<std::uint32_t> starts;

        std::string_view line(std::size_t at) const {
            const std::size_t end = at + 1 < starts.size() ? starts[at + 1] : text.size();
            return std::string_view(text).substr(starts[at], end - starts[at] - 1);
        }
    };

public:
    static constexpr std::size_t kLongest = std::size_t(256) << 10;  ///< bytes of a line that are kept

    FileStore() = default;

    void begin(const logs::Source& source);
    void add(const logs::RawLine& raw);
    void end(const logs::Source& source);
    void publish();
    /// Complete lines, published or not.
    std::uint32_t count() const { return count_; }

    std::uint32_t size() const override { return published_.load(std::memory_order_acquire); }
    KeptText text(std::uint32_t line) const override;
    bool is_gone(std::uint32_t line) const override { return text(line).view().data() == nullptr; }
    int rank(std::uint32_t line) const override;
    LogKind kind(std::uint32_t) const override { return LogKind::Out; }
    std::int64_t t_us(std::uint32_t) const override { return 0; }
    std::vector<StyledFrom> styles_of(std::uint32_t) const override { return {}; }
    Loss loss() const override { return Loss::FileChanged; }
    Piece piece(std::uint32_t first, std::uint32_t end) const override;

    /// text() of lines that are asked for in their order, or nearly: remembers where the last one was. Of one thread.
    class Cursor {
    public:
        std::string_view text(const FileStore& store, std::uint32_t line);

    private:
        std::uint32_t first_ = 0;
        std::shared_ptr<const Lines> lines_;
    };
    /// Of what is copied.
    const TextSpool& spool() const { return spool_; }
    /// Bytes of the index, in memory.
    std::size_t index_bytes() const;

private:
    /// Lines whose text is in one piece.
    struct Block {
        std::uint64_t begin = 0;  ///< byte of the file, or of the spool
        std::uint64_t end = 0;
        std::uint64_t hash = 0;   ///< of the lines as they were read
        std::uint32_t first = 0;  ///< line
        std::uint32_t file : 31 = 0;
        std::uint32_t copied : 1 = 0;
    };
    struct Place {
        std::uint32_t number = 0;  ///< of the block
        Block block = {};
        std::uint32_t lines = 0;
    };
    struct File {
        std::filesystem::path path;
        UniqueFd fd;  ///< kept open, of the first files
        dev_t device = 0;
        ino_t inode = 0;
        std::optional<std::pair<std::int64_t, off_t>>
            state;  ///< time of change in ns and size, once it is read
    };
    struct OpenFile {
        UniqueFd own = {};  ///< else the file's
        int fd = -1;        ///< -1: it is another file now
        bool unchanged = false;
    };
    using Cached = std::pair<std::uint32_t, std::shared_ptr<const Lines>>;

    void finish_line();
    void close_block(std::uint64_t end);
    Place place_of(std::uint32_t line) const;
    std::shared_ptr<const Lines> lines_of(const Place& place) const;
    bool append_lines(const Place& place, Lines& to) const;
    bool append_copied(const Place& place, Lines& to) const;
    OpenFile open(std::uint32_t number) const;
    bool append_plain(const OpenFile& file, const Place& place, Lines& to) const;
    Place run_of(const Place& first) const;
    static std::shared_ptr<Lines> used_lines();
    static Piece cut(std::shared_ptr<Lines> lines, std::uint32_t front, Piece piece, std::uint32_t end);
    bool append_from_file(const Place& place, Lines& to) const;

    TextSpool spool_;
    mutable std::shared_mutex mutex_;  ///< of blocks_, closed_ and files_
    std::vector<Block> blocks_;
    std::uint32_t closed_ = 0;  ///< lines in blocks
    std::vector<std::shared_ptr<const File>> files_;
    std::atomic<std::uint32_t> published_{0};

    // Of the adding thread.
    std::uint32_t count_ = 0;
    std::optional<Block> open_;
    std::string open_text_;  ///< of a block that is copied
    bool in_place_ = false;  ///< this file is one that is read where it is
    std::shared_ptr<File> file_;
    bool pending_ = false;            ///< a line of which further pieces may come
    std::uint64_t pending_line_ = 0;  ///< its number in the file
    std::uint64_t pending_begin_ = 0;
    std::uint64_t pending_hash_ = 0;
    std::string pending_text_;

    mutable std::mutex cache_mutex_;
    mutable std::list<Cached> cache_;  ///< of the blocks that were used last, the newest first
    mutable std::unordered_map<std::uint32_t, std::list<Cached>::iterator> cached_;
    mutable std::size_t cache_bytes_ = 0;
};

}  // namespace rankscope::gui
