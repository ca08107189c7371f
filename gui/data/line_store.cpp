// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_store.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr unsigned kKindShift = 30;
constexpr std::uint32_t kRankMask = (1U << kKindShift) - 1;

}  // namespace

LineStore::LineStore(TextSpool::Options options)
    : spool_(options),
      arena_({.folder = options.folder,
              .block_bytes = sizeof(Block),
              .leave_free_bytes = options.leave_free_bytes}),
      options_(std::move(options)) {}

LineStore::~LineStore() {
    for (auto& group : groups_) {
        const std::unique_ptr<Group> owned(group.load(std::memory_order_relaxed));
    }
}

void LineStore::begin_block(std::uint64_t place) {
    const std::uint32_t number = count_ / kBlockLines;
    std::atomic<Group*>& slot = groups_[number / kBlocks];
    if (slot.load(std::memory_order_relaxed) == nullptr) {
        slot.store(std::make_unique_for_overwrite<Group>().release(), std::memory_order_release);
    }
    Group& group = *slot.load(std::memory_order_relaxed);
    group.bases[number % kBlocks] = place;
    base_ = place;
    newest_ = new (arena_.add()) Block;
    group.blocks[number % kBlocks].store(newest_, std::memory_order_release);
}

bool LineStore::append(std::string_view text, int rank, LogKind kind, std::int64_t t_us,
                       const std::vector<StyledFrom>& styles) {
    if (count_ == std::numeric_limits<std::uint32_t>::max() || spool_.is_full()) {
        return false;
    }
    if (!styles.empty()) {
        keep_styles(styles);
    }
    const std::uint64_t place = spool_.append(text);
    const std::uint32_t at = count_ % kBlockLines;
    if (at == 0) {
        begin_block(place);
    }
    Block& to = *newest_;
    const std::uint64_t delta = place - base_;
    to.low[at] = std::uint32_t(delta);
    to.high[at] = std::uint8_t(delta >> 32U);
    to.who[at] = (std::uint32_t(rank + 1) & kRankMask) | std::uint32_t(kind) << kKindShift;
    to.t_us[at] = t_us;
    ++count_;
    if (count_ % kBlockLines == 0) {
        arena_.settle_newest();
    }
    return true;
}

void LineStore::publish() {
    spool_.flush();
    published_.store(count_, std::memory_order_release);
}

std::string_view LineStore::text_of(std::uint32_t line) const {
    const std::uint64_t begin = place(line);
    const char* at = spool_.at(begin);
    if (at == nullptr) {
        return {};
    }
    if (line + 1 < size()) {
        const std::uint64_t next = place(line + 1);
        if (next / TextSpool::kSegmentBytes == begin / TextSpool::kSegmentBytes) {
            return {at, std::size_t(next - begin - 1)};
        }
    }
    const std::size_t most = TextSpool::kSegmentBytes - begin % TextSpool::kSegmentBytes;
    const auto* end = static_cast<const char*>(std::memchr(at, '\n', most));
    return {at, end == nullptr ? 0 : std::size_t(end - at)};
}

int LineStore::rank(std::uint32_t line) const {
    return int(block(line).who[line % kBlockLines] & kRankMask) - 1;
}

LogKind LineStore::kind(std::uint32_t line) const {
    return LogKind(block(line).who[line % kBlockLines] >> kKindShift);
}

LineSource::Piece LineStore::piece(std::uint32_t first, std::uint32_t end) const {
    const std::uint64_t begin = place(first);
    const std::uint64_t segment = begin / TextSpool::kSegmentBytes;
    // The first line of a later segment.
    std::uint32_t low = first + 1;
    std::uint32_t high = end;
    while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (place(middle) / TextSpool::kSegmentBytes == segment) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Piece piece{.text = {}, .first = first, .end = low};
    const char* at = spool_.at(begin);
    if (at != nullptr) {
        const std::string_view last = text_of(low - 1);
        if (last.data() != nullptr) {
            piece.text = {at, std::size_t(last.data() + last.size() + 1 - at)};
        }
    }
    return piece;
}

std::uint32_t LineStore::line_at(const Piece& piece, std::size_t offset, std::uint32_t from) const {
    const std::uint64_t wanted = place(piece.first) + offset;
    // Most often close by: in growing steps, then by halves.
    std::uint32_t low = from;
    std::uint32_t step = 1;
    while (low + step < piece.end && place(low + step) <= wanted) {
        low += step;
        step *= 2;
    }
    auto high = std::uint32_t(std::min<std::uint64_t>(std::uint64_t(low) + step, piece.end));
    while (high - low > 1) {
        const std::uint32_t middle = low + (high - low) / 2;
        (place(middle) <= wanted ? low : high) = middle;
    }
    return low;
}

void LineStore::keep_styles(const std::vector<StyledFrom>& styles) {
    if (!style_spool_) {
        style_spool_ = std::make_unique<TextSpool>(options_);
    }
    std::string bytes(styles.size() * sizeof(StyledFrom), '\0');
    std::memcpy(bytes.data(), styles.data(), bytes.size());
    styled_.push_back({count_, std::uint32_t(styles.size()), style_spool_->append(bytes)});
    style_spool_->flush();
}

std::vector<StyledFrom> LineStore::styles_of(std::uint32_t line) const {
    std::size_t low = 0;
    std::size_t high = styled_.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (styled_[middle].line < line) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == styled_.size() || styled_[low].line != line) {
        return {};
    }
    const Styled found = styled_[low];
    const char* bytes = style_spool_->at(found.place);
    std::vector<StyledFrom> styles(bytes == nullptr ? 0 : found.count);
    if (bytes != nullptr) {
        std::memcpy(styles.data(), bytes, styles.size() * sizeof(StyledFrom));
    }
    return styles;
}

}  // namespace rankscope::gui
