// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/fold/line_guide.h>
#include <remote/logs/fold/line_template.h>
#include <remote/logs/fold/rank_set.h>
#include <remote/logs/grammar/log_line.h>

#include <cstdint>
#include <limits>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::logs {

/// A value at a place of a folded line, and who printed it. The numbers in the sets are speakers.
struct FoldedValue {
    std::string text;
    RankSet speakers;
    LinePlace first;
};

struct FoldedPlace {
    PlaceKind kind = PlaceKind::Own;
    bool many = false;  ///< more values than are kept, or those of each rank
    std::vector<FoldedValue> values;
};

/// The first line of a speaker.
struct FirstLine {
    std::int32_t speaker = 0;
    LinePlace place;
};

/// All lines of one template in one phase.
struct FoldedLine {
    std::string key;          ///< LineTemplate::key
    int phase = 0;            ///< communicators that the speaker had begun to make; before 2.18: had made
    std::uint64_t order = 0;  ///< grows along the list
    Speaker speaker = Speaker::Nccl;
    LineLevel level = LineLevel::None;
    std::string sample;  ///< the first message
    std::string source;  ///< "misc/socket.cc:504" of the first; empty: not printed
    RankSet speakers;
    std::uint64_t count = 0;
    double first_s =
        std::numeric_limits<double>::quiet_NaN();  ///< the earliest LogLine::time; NaN: no line has one
    double last_s = std::numeric_limits<double>::quiet_NaN();
    std::vector<FoldedPlace> places;
    std::vector<FirstLine> firsts;           ///< by speaker, as many as are kept
    std::vector<std::string> communicators;  ///< ids, as many as are kept
};

/// Who printed lines: a rank, or a process and device of a foreign log.
struct LogSpeaker {
    int rank = -1;    ///< in the largest communicator of its lines; -1: unknown
    int rank_of = 0;  ///< ranks of that communicator; 0: the rank is of the line's prefix
    std::string host;
    std::int64_t pid = -1;
};

/// Folds the lines of NCCL, PyTorch and Gloo of all ranks: the same line once, with who printed it. Incremental; its
/// size depends on the kinds of lines, not on their number. Lines of one speaker must come in their order, those of
/// several may be mixed or follow one another; the folded lines are in the order that all speakers agree on.
class FoldedLog {
public:
    static constexpr std::size_t kMostLines = 20000;       ///< folded ones
    static constexpr std::size_t kMostValues = 16;         ///< of a place
    static constexpr std::size_t kMostStored = 200000;     ///< values of all places
    static constexpr std::size_t kMostFirsts = 500000;     ///< first lines of all speakers
    static constexpr std::size_t kMostCommunicators = 64;  ///< of a line
    static constexpr int kLastPhase = 8;                   ///< later communicators share this one

    void feed(const LogLine& line);

    const std::list<FoldedLine>& lines() const { return lines_; }
    const std::vector<LogSpeaker>& speakers() const { return speakers_; }
    /// Lines that were taken, and those of them that belong to no folded line because there were too many kinds.
    std::uint64_t taken() const { return taken_; }
    std::uint64_t left_out() const { return left_out_; }

private:
    struct State {
        int phase = 0;
        bool making = false;                   ///< between START and COMPLETE
        std::string communicator;              ///< the one that was begun last
        std::list<FoldedLine>::iterator last;  ///< the furthest of its folded lines
        bool any = false;
    };

    /// The speaker of the line before: lines of one come in rows.
    struct LastSpeaker {
        int id = -1, rank = -1;
        std::int64_t pid = -1;
        int device = -1;
        std::uint32_t file = 0;
        std::string host;
    };

    int speaker_of(const LogLine& line);
    int find_speaker(const LogLine& line);
    void learn(int speaker, std::string_view message);
    FoldedLine* line_of(const LogLine& line, int speaker);
    std::list<FoldedLine>::iterator put(FoldedLine folded, const State& state);
    void add_values(FoldedLine& folded, int speaker, const LinePlace& place);

    std::list<FoldedLine> lines_;
    std::unordered_map<std::string, std::list<FoldedLine>::iterator> by_key_;
    std::vector<LogSpeaker> speakers_;
    std::vector<State> states_;
    std::unordered_map<std::string, int> speaker_ids_;
    LastSpeaker last_;
    LineTemplate template_;  // of the current line: its memory is used again
    std::string key_;
    std::size_t stored_ = 0;
    std::size_t first_lines_ = 0;
    std::uint64_t taken_ = 0;
    std::uint64_t left_out_ = 0;
};

}  // namespace rankscope::logs
