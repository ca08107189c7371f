// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>
#include <remote/desk/runs/run/run_state.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui {

/// All samples of a node in bounded memory: the run in pieces, each of one sample at first. When they fill kMostBytes, every
/// two become one, so that they always cover the whole run. Keys and units: remote/wire/sample_keys.h.
///
/// A piece keeps the mean of a figure; of temperatures, counters and the link the highest, of bits (throttle) all that were set.
class SampleTimeline {
public:
    static constexpr std::size_t kMostBytes = 192 * 1024;
    static constexpr std::size_t kMostPieces = 2048;
    static constexpr std::size_t kFewestPieces = 64;
    static constexpr std::size_t kMostKeys = 1024;  ///< what comes above is left out

    /// A sample follows, which stands for the time from `since_us` to `t_us`.
    void begin(std::int64_t since_us, std::int64_t t_us);
    /// A figure of it.
    void put(const std::string& key, double value);
    /// Figures of these times, folded as in a piece: a piece counts whole where it overlaps them. What was not sampled then
    /// has no key.
    NodeSamples over(const TimeSpan& span) const;
    /// A figure's course in these times in at most `points` values, oldest first; NaN: not sampled.
    std::vector<float> course(const std::string& key, const TimeSpan& span, std::size_t points) const;
    std::size_t pieces() const { return pieces_.size(); }
    std::size_t bytes() const { return pieces_.size() * (sizeof(Piece) + columns_.size() * sizeof(float)); }

private:
    enum class Fold { Mean, Most, Bits };
    struct Piece {
        std::int64_t begin_us = 0;
        std::int64_t end_us = 0;
        std::uint32_t samples = 0;

        /// The begin belongs to the piece before.
        bool overlaps(const TimeSpan& span) const {
            return end_us >= span.from_us && (begin_us < span.until_us || end_us <= span.until_us);
        }
    };
    struct Column {
        Fold fold = Fold::Mean;
        std::uint32_t samples = 0;  ///< of the last piece
        std::vector<float> values;  ///< by piece
    };

    static Fold fold_of(const std::string& key);
    static float folded(Fold fold, float all, double weight, float one, double one_weight);
    void halve();
    std::size_t most_pieces() const;

    std::vector<Piece> pieces_;
    std::map<std::string, Column> columns_;
    std::uint32_t samples_per_piece_ = 1;
};

}  // namespace rankscope::gui
