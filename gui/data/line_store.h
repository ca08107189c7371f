// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/block_arena.h>
#include <gui/data/line_source.h>
#include <gui/data/spooled_column.h>
#include <gui/data/text_spool.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace rankscope::gui {

/// Lines as they are appended. Text is in a TextSpool; the index takes 5 bytes a line, rank, kind and time 12 more,
/// which are in a file like the text, but for the newest. One thread appends and publishes. Others read without a lock.
class LineStore final : public LineSource {
public:
    LineStore() : LineStore(TextSpool::Options{}) {}
    explicit LineStore(TextSpool::Options options);
    ~LineStore() override;

    /// False: there are as many lines as can be numbered.
    bool append(std::string_view text, int rank, LogKind kind, std::int64_t t_us,
                const std::vector<StyledFrom>& styles = {});
    /// Shows what was appended to all readers.
    void publish();

    std::uint32_t size() const override { return published_.load(std::memory_order_acquire); }
    KeptText text(std::uint32_t line) const override { return KeptText(text_of(line)); }
    bool is_gone(std::uint32_t line) const override { return spool_.at(place(line)) == nullptr; }
    int rank(std::uint32_t line) const override;
    LogKind kind(std::uint32_t line) const override;
    std::int64_t t_us(std::uint32_t line) const override { return block(line).t_us[line % kBlockLines]; }
    std::vector<StyledFrom> styles_of(std::uint32_t line) const override;
    Piece piece(std::uint32_t first, std::uint32_t end) const override;
    std::uint32_t line_at(const Piece& piece, std::size_t offset, std::uint32_t from) const override;

    /// Valid as long as this store. Empty, too, where the text was given up: see is_gone().
    std::string_view text_of(std::uint32_t line) const;

    const TextSpool& spool() const { return spool_; }

private:
    static constexpr std::uint32_t kBlockLines = 4096;
    static constexpr std::uint32_t kBlocks = 1024;  ///< in a group; as many groups

    struct Block {
        std::array<std::uint32_t, kBlockLines> low;
        std::array<std::uint8_t, kBlockLines> high;  ///< 4096 lines may be longer than 4 GiB together
        std::array<std::uint32_t, kBlockLines> who;  ///< rank + 1, above it the kind
        std::array<std::int64_t, kBlockLines> t_us;
    };
    static_assert(sizeof(Block) % 4096 == 0);  // whole pages
    struct Group {
        std::array<std::uint64_t, kBlocks> bases;  ///< where the text of a block begins
        std::array<std::atomic<Block*>, kBlocks> blocks{};
    };
    struct Styled {
        std::uint32_t line;
        std::uint32_t count;
        std::uint64_t place;  ///< in styles_
    };

    const Group& group(std::uint32_t line) const {
        return *groups_[line / kBlockLines / kBlocks].load(std::memory_order_acquire);
    }
    static const Block& block_in(const Group& group, std::uint32_t line) {
        return *group.blocks[line / kBlockLines % kBlocks].load(std::memory_order_acquire);
    }
    const Block& block(std::uint32_t line) const { return block_in(group(line), line); }
    std::uint64_t place(std::uint32_t line) const {
        const Group& of_line = group(line);
        const Block& in = block_in(of_line, line);
        const std::uint32_t at = line % kBlockLines;
        return of_line.bases[line / kBlockLines % kBlocks] + (std::uint64_t(in.high[at]) << 32U | in.low[at]);
    }
    void begin_block(std::uint64_t place);
    void keep_styles(const std::vector<StyledFrom>& styles);

    TextSpool spool_;
    BlockArena arena_;
    std::unique_ptr<TextSpool> style_spool_;
    SpooledColumn<Styled, 256, 16> styled_;
    std::array<std::atomic<Group*>, kBlocks> groups_{};
    Block* newest_ = nullptr;
    std::uint64_t base_ = 0;  ///< of the newest block
    std::uint32_t count_ = 0;
    std::atomic<std::uint32_t> published_{0};
    TextSpool::Options options_;
};

}  // namespace rankscope::gui
