// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_order.h>
#include <gui/data/line_search.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>

namespace rankscope::gui {

/// The chosen lines in their order, and which of them match.
struct LogAnswer {
    LineList order;    ///< lines
    LineList matches;  ///< indexes into `order`, ascending; a folded line matches with those it stands for
    LineRings rings;   ///< what is folded into what
    std::uint32_t searched = 0;  ///< lines up to here are searched
    std::uint32_t total = 0;     ///< lines when this was asked
};

/// Order and matches of a growing store, kept from one advance() to the next. Any thread, one at a time: a second one
/// waits.
class LogQuery {
public:
    LogQuery(std::shared_ptr<const LineSource> store, LineChoice choice)
        : store_(store), order_(std::move(store), std::move(choice)) {}

    /// Takes all lines that are there. `pattern` null: nothing is searched; another one than before: the search starts
    /// again. `partial` gets what is known so far, `ordering` the share of the lines that are in their order (0 to 1), both
    /// at most 20 times a second.
    LogAnswer advance(const std::shared_ptr<const LinePattern>& pattern, const std::stop_token& stop = {},
                      const std::function<void(LogAnswer)>& partial = {},
                      const std::function<void(double)>& ordering = {});
    /// How many lines advance() would take now; nothing: it is busy.
    std::optional<std::uint32_t> waiting() const;

private:
    LogAnswer answer(std::uint32_t total);
    std::uint32_t order(std::uint32_t total, const std::stop_token& stop,
                        const std::function<void(double)>& ordering);
    void match_order();
    void match_again_from(std::uint32_t place);
    /// A line matches, and with it the line that it is folded into.
    void note_match(std::uint32_t line);

    mutable std::mutex mutex_;
    std::shared_ptr<const LineSource> store_;
    LineOrder order_;
    std::shared_ptr<const LinePattern> pattern_;
    LineBits found_;
    std::uint32_t searched_ = 0;
    LineListBuilder matches_;
    std::uint32_t matched_ = 0;                ///< of the order, so many are among `matches_` or do not match
    std::optional<std::uint32_t> late_match_;  ///< the first line that matches by a later one
};

}  // namespace rankscope::gui
