// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/spooled_column.h>
#include <gui/logs/file_store.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace rankscope::gui {

/// The lines of several files in another order, with times. The files keep their order, so that a line is known by its
/// file: two or three bytes a line, most of them on the disk. One thread adds all lines; then any thread reads.
class MergedStore final : public LineSource {
public:
    /// `begins`: the first line of each file.
    MergedStore(std::shared_ptr<const FileStore> files, std::vector<std::uint32_t> begins);

    /// The next line of a file; times never fall.
    void push_back(std::uint32_t file, std::int64_t t_us);

    std::uint32_t size() const override { return count_; }
    KeptText text(std::uint32_t line) const override { return files_->text(of_files(line)); }
    bool is_gone(std::uint32_t line) const override { return files_->is_gone(of_files(line)); }
    int rank(std::uint32_t line) const override;
    LogKind kind(std::uint32_t) const override { return LogKind::Out; }
    std::int64_t t_us(std::uint32_t line) const override;
    std::vector<StyledFrom> styles_of(std::uint32_t) const override { return {}; }
    Loss loss() const override { return files_->loss(); }
    Piece piece(std::uint32_t first, std::uint32_t end) const override;

    /// Which line of the files a line is, and the reverse.
    std::uint32_t of_files(std::uint32_t line) const;
    std::uint32_t of_merged(std::uint32_t line) const;

private:
    /// Where a chunk of lines begins.
    struct Start {
        std::uint64_t byte = 0;
        std::int64_t t_us = 0;
        std::vector<std::uint32_t> next = {};  ///< line of each file
    };
    struct Line {
        std::uint32_t line = 0;
        std::uint32_t file = 0;
        std::int64_t t_us = 0;
    };
    using Chunk = std::vector<Line>;

    std::shared_ptr<const Chunk> chunk(std::uint32_t number) const;
    Line at(std::uint32_t line) const { return (*chunk(line / chunk_lines_))[line % chunk_lines_]; }
    void put(std::uint64_t value);

    std::shared_ptr<const FileStore> files_;
    std::vector<std::uint32_t> begins_;
    std::uint32_t chunk_lines_;
    std::vector<Start> starts_;
    std::vector<std::uint32_t> next_;  ///< while lines are added
    std::int64_t last_t_us_ = 0;
    SpooledColumn<std::uint8_t, 4096, 16>
        bytes_;  ///< of each line the file and the time since the line before
    std::uint32_t count_ = 0;

    static constexpr std::size_t kKept = 16;
    mutable std::mutex mutex_;
    mutable std::array<std::pair<std::uint32_t, std::shared_ptr<const Chunk>>, kKept> kept_;
};

}  // namespace rankscope::gui
