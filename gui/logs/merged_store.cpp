// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logs/merged_store.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kChunkLines = 4096;
constexpr std::size_t kMergedPieceBytes = std::size_t(112) << 10;

}  // namespace

// A start has four bytes for each file: with many files, starts are rarer.
MergedStore::MergedStore(std::shared_ptr<const FileStore> files, std::vector<std::uint32_t> begins)
    : files_(std::move(files)),
      begins_(std::move(begins)),
      chunk_lines_(std::max(kChunkLines, std::uint32_t(begins_.size()) * 4)),
      next_(begins_) {}

void MergedStore::put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) {
        bytes_.push_back(std::uint8_t(value | 0x80U));
    }
    bytes_.push_back(std::uint8_t(value));
}

void MergedStore::push_back(std::uint32_t file, std::int64_t t_us) {
    if (count_ % chunk_lines_ == 0) {
        starts_.push_back({bytes_.size(), last_t_us_, next_});
    }
    put(file);
    put(std::uint64_t(t_us - last_t_us_));
    last_t_us_ = t_us;
    ++next_[file];
    ++count_;
}

std::shared_ptr<const MergedStore::Chunk> MergedStore::chunk(std::uint32_t number) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto& [kept, lines] = kept_[number % kKept]; lines && kept == number) {
            return lines;
        }
    }
    Start at = starts_[number];
    const auto get = [&] {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint8_t byte = bytes_[at.byte++];
            value |= std::uint64_t(byte & 0x7fU) << shift;
            if (byte < 0x80) {
                return value;
            }
        }
    };
    auto chunk = std::make_shared<Chunk>(std::min(chunk_lines_, count_ - number * chunk_lines_));
    for (Line& line : *chunk) {
        line.file = std::uint32_t(get());
        at.t_us += std::int64_t(get());
        line.t_us = at.t_us;
        line.line = at.next[line.file]++;
    }
    const std::lock_guard lock(mutex_);
    kept_[number % kKept] = {number, chunk};
    return chunk;
}

int MergedStore::rank(std::uint32_t line) const {
    return int(at(line).file);
}

std::int64_t MergedStore::t_us(std::uint32_t line) const {
    return at(line).t_us;
}

std::uint32_t MergedStore::of_files(std::uint32_t line) const {
    return at(line).line;
}

std::uint32_t MergedStore::of_merged(std::uint32_t line) const {
    const auto after_file = std::upper_bound(begins_.begin(), begins_.end(), line);
    const auto file = std::uint32_t(after_file - begins_.begin()) - 1;
    const auto after = std::partition_point(starts_.begin(), starts_.end(),
                                            [&](const Start& start) { return start.next[file] <= line; });
    const auto number = std::uint32_t(after - starts_.begin()) - 1;
    const auto lines = chunk(number);
    const auto found =
        std::find_if(lines->begin(), lines->end(), [&](const Line& one) { return one.line == line; });
    return number * chunk_lines_ + std::uint32_t(found - lines->begin());
}

// Copied, for a search looks at long pieces.
LineSource::Piece MergedStore::piece(std::uint32_t first, std::uint32_t end) const {
    struct Copy {
        std::string text;
        std::vector<std::uint32_t> starts;
    };
    auto copy = std::make_shared<Copy>();
    copy->text.reserve(kMergedPieceBytes);
    std::vector<FileStore::Cursor> cursors(begins_.size());
    Piece piece{.text = {}, .first = first, .end = first};
    std::shared_ptr<const Chunk> lines;
    for (; piece.end < end && copy->text.size() < kMergedPieceBytes; ++piece.end) {
        if (!lines || piece.end % chunk_lines_ == 0) {
            lines = chunk(piece.end / chunk_lines_);
        }
        const Line& line = (*lines)[piece.end % chunk_lines_];
        copy->starts.push_back(std::uint32_t(copy->text.size()));
        copy->text += cursors[line.file].text(*files_, line.line);
        copy->text += '\n';
    }
    piece.text = copy->text;
    piece.starts = copy->starts;
    piece.owner = std::move(copy);
    return piece;
}

}  // namespace rankscope::gui
