// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_rings.h>
#include <remote/logs/fold/rank_set.h>

#include <algorithm>
#include <numeric>

namespace rankscope::gui {

// From the first line a ring leads to the newest, and from there down to the first again.

std::uint32_t LineRings::first_of(std::uint32_t line) const {
    for (std::uint32_t before = next(line); before < line; before = next(line)) {
        line = before;
    }
    return line;
}

std::vector<std::uint32_t> LineRings::lines_of(std::uint32_t first, std::size_t most) const {
    std::vector<std::uint32_t> lines{first};
    for (std::uint32_t line = next(first); line != first && lines.size() < most; line = next(line)) {
        lines.push_back(line);
    }
    return lines;
}

std::vector<int> LineRings::ranks_of(const LineSource& store, std::uint32_t line) const {
    std::vector<int> ranks;
    for (const std::uint32_t each : lines_of(line, logs::RankSet::kMost)) {
        if (const int rank = store.rank(each); rank >= 0) {
            ranks.push_back(rank);
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::string LineRings::rank_label(const LineSource& store, std::uint32_t line) const {
    const std::vector<int> ranks = ranks_of(store, line);
    return ranks.empty() ? std::string() : '[' + logs::ranks_text(ranks) + "] ";
}

void LineRingsBuilder::grow(std::uint32_t size) {
    while (size_ < size) {
        chunks_.push_back(std::make_shared<LineRings::Chunk>());
        std::iota(chunks_.back()->begin(), chunks_.back()->end(), size_);  // each line is a ring of its own
        shared_.push_back(false);
        size_ += LineRings::kChunk;
    }
}

void LineRingsBuilder::set(std::uint32_t line, std::uint32_t next) {
    const std::uint32_t chunk = line / LineRings::kChunk;
    if (shared_[chunk]) {
        chunks_[chunk] = std::make_shared<LineRings::Chunk>(*chunks_[chunk]);
        shared_[chunk] = false;
    }
    (*chunks_[chunk])[line % LineRings::kChunk] = next;
}

void LineRingsBuilder::join(std::uint32_t first, std::uint32_t line) {
    grow(line + 1);
    set(line, next(first));
    set(first, line);
}

std::uint32_t LineRingsBuilder::first_of(std::uint32_t line) const {
    for (std::uint32_t before = next(line); before < line; before = next(line)) {
        line = before;
    }
    return line;
}

LineRings LineRingsBuilder::rings() {
    LineRings rings;
    rings.chunks_.assign(chunks_.begin(), chunks_.end());
    rings.size_ = size_;
    shared_.assign(chunks_.size(), true);
    return rings;
}

}  // namespace rankscope::gui
