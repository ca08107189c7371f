// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_list.h>
#include <gui/data/line_rings.h>
#include <gui/data/line_source.h>
#include <gui/data/run_moment.h>
#include <remote/logs/fold/line_folder.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Whose lines are shown.
struct LineChoice {
    enum class Whose { All, Rank, Node };

    Whose whose = Whose::All;
    int rank = 0;
    std::string node = {};         ///< Node: events about it begin with its name
    std::vector<bool> ranks = {};  ///< Node: which ranks are on it
    TimeSpan when = {};            ///< all times, if not set
    bool folded = false;           ///< the same line of several ranks once

    bool operator==(const LineChoice&) const = default;
    bool takes(const LineSource& store, std::uint32_t line) const;
};

/// Whether a line stands before another: by time, then in the order of arrival.
bool stands_before(const LineSource& store, std::uint32_t a, std::uint32_t b);

/// The chosen lines of a store by time, kept up as the store grows; of folded ones the first that arrived. One thread
/// at a time.
class LineOrder {
public:
    LineOrder(std::shared_ptr<const LineSource> store, LineChoice choice)
        : store_(std::move(store)), choice_(std::move(choice)) {}

    /// Takes lines up to `end`. Returns how many of the first lines of the order have not changed. After a stop the
    /// order is still one of the lines up to taken().
    std::uint32_t advance(std::uint32_t end, const std::stop_token& stop = {});
    std::uint32_t taken() const { return taken_; }
    LineListBuilder& lines() { return lines_; }
    /// What is folded into what, where that is chosen.
    LineRingsBuilder& rings() { return rings_; }
    const LineChoice& choice() const { return choice_; }

private:
    /// Whether another rank has printed it already; takes it for the next ones.
    bool folds_away(std::uint32_t line);

    std::shared_ptr<const LineSource> store_;
    LineChoice choice_;
    std::uint32_t taken_ = 0;
    LineListBuilder lines_;
    LineRingsBuilder rings_;
    logs::LineFolder folder_;
};

/// Where a line stands among lines in this order, or where it would.
std::uint32_t place_of(const LineSource& store, const LineList& order, std::uint32_t line);

}  // namespace rankscope::gui
