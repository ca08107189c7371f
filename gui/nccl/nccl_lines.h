// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace rankscope::gui {

/// Who printed lines: a process, as far as its lines say.
struct NcclSpeaker {
    std::uint32_t file = 0;  ///< of its first line
    std::string host;        ///< empty: not said
    std::int64_t pid = -1;
    int rank = -1;  ///< of the lines, else of the largest communicator of the process; -1: unknown

    bool operator==(const NcclSpeaker&) const = default;
};

/// A line that NCCL or something around it printed.
struct NcclLine {
    logs::LinePlace place;
    std::string_view text;      ///< the whole line
    std::string_view message;   ///< without the prefixes
    std::uint32_t speaker = 0;  ///< index into NcclLines::speakers
    int device = -1;
    logs::Speaker who = logs::Speaker::Nccl;
    logs::LineLevel level = logs::LineLevel::None;
    double time = std::numeric_limits<double>::quiet_NaN();  ///< as LogLine::time
};

/// The lines of NCCL, PyTorch, Gloo, launchers and the kernel, in the order in which they were read. A value that is
/// cheap to copy: full blocks are shared and never change. Bounded: of more than kMostBytes, the beginning and the
/// end stay.
class NcclLines {
public:
    static constexpr std::size_t kMostBytes = std::size_t(128) << 20;

    void add(const logs::LogLine& line);
    /// The same lines, which later ones do not change.
    NcclLines copy() const;

    std::size_t size() const;
    /// The views live as long as these lines.
    NcclLine at(std::size_t index) const;
    /// The index of the line at this place, or size().
    std::size_t find(const logs::LinePlace& place) const;
    /// Lines that did not fit. They stood before line left_out_at().
    std::uint64_t left_out() const { return left_out_; }
    std::size_t left_out_at() const;

    const std::vector<NcclSpeaker>& speakers() const { return speakers_; }
    std::vector<NcclSpeaker>& speakers() { return speakers_; }

private:
    static constexpr std::size_t kBlockLines = 4096;

    struct Entry {
        logs::LinePlace place;
        std::uint32_t begin = 0;  ///< in the text of the block
        std::uint32_t size = 0;
        std::uint32_t message = 0;  ///< bytes before it
        std::uint32_t speaker = 0;
        std::int16_t device = -1;
        logs::Speaker who = logs::Speaker::Nccl;
        logs::LineLevel level = logs::LineLevel::None;
        double time = 0;
    };
    struct Block {
        std::string text;
        std::vector<Entry> lines;

        std::size_t bytes() const { return text.size() + lines.size() * sizeof(Entry); }
    };

    std::uint32_t speaker_of(const logs::LogLine& line);
    void make_room();

    std::vector<std::shared_ptr<const Block>> full_;  ///< of kBlockLines each
    std::shared_ptr<Block> open_;
    std::size_t bytes_ = 0;  ///< of the full ones
    std::size_t head_ = 0;   ///< full blocks that stay as the beginning; 0: nothing was left out yet
    std::uint64_t left_out_ = 0;
    std::vector<NcclSpeaker> speakers_;
    std::map<std::tuple<std::string, std::int64_t, int>, std::uint32_t, std::less<>> speaker_index_;
    std::uint32_t last_speaker_ = 0;
};

}  // namespace rankscope::gui
