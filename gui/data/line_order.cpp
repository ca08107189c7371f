// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_order.h>

#include <algorithm>
#include <vector>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kLinesAtOnce = 1U << 18;  ///< lines between two looks at the stop token

/// Where a line is in the order. The store is asked once for each line, not at each comparison.
struct Moment {
    std::int64_t t_us = 0;
    std::uint32_t line = 0;

    bool operator<(const Moment& other) const {
        return t_us != other.t_us ? t_us < other.t_us : line < other.line;
    }
};

Moment moment_of(const LineSource& store, std::uint32_t line) {
    return {store.t_us(line), line};
}

}  // namespace

bool LineChoice::takes(const LineSource& store, std::uint32_t line) const {
    if (when != TimeSpan() && !when.contains(store.t_us(line))) {
        return false;
    }
    const int of = store.rank(line);
    switch (whose) {
        case Whose::All:
            return true;
        case Whose::Rank:
            return of == rank;
        case Whose::Node:
            break;
    }
    if (of >= 0) {
        return std::size_t(of) < ranks.size() && ranks[std::size_t(of)];
    }
    const KeptText event = store.text(line);
    const std::string_view text = event.view();
    return text.size() > node.size() && text.starts_with(node) && text[node.size()] == ':';
}

bool stands_before(const LineSource& store, std::uint32_t a, std::uint32_t b) {
    return moment_of(store, a) < moment_of(store, b);
}

bool LineOrder::folds_away(std::uint32_t line) {
    const int rank = store_->rank(line);
    const LogKind kind = store_->kind(line);
    if (rank < 0 || kind == LogKind::Event || store_->is_gone(line)) {
        return false;
    }
    const KeptText text = store_->text(line);
    const std::uint32_t first = folder_.take({.text = text.view(),
                                              .rank = rank,
                                              .is_stderr = kind == LogKind::Err,
                                              .t_us = store_->t_us(line),
                                              .number = line});
    if (first == logs::LineFolder::kNone) {
        return false;
    }
    rings_.join(first, line);
    return true;
}

std::uint32_t LineOrder::advance(std::uint32_t end, const std::stop_token& stop) {
    std::uint32_t unchanged = lines_.size();
    std::vector<Moment> fresh;
    std::vector<Moment> last;
    while (taken_ < end && !stop.stop_requested()) {
        const std::uint32_t until = end - taken_ > kLinesAtOnce ? taken_ + kLinesAtOnce : end;
        fresh.clear();
        for (std::uint32_t line = taken_; line < until; ++line) {
            if (choice_.takes(*store_, line) && !(choice_.folded && folds_away(line))) {
                fresh.push_back(moment_of(*store_, line));
            }
        }
        taken_ = until;
        if (fresh.empty()) {
            continue;
        }
        if (!std::is_sorted(fresh.begin(), fresh.end())) {
            std::sort(fresh.begin(), fresh.end());
        }
        // Late lines go among the last ones.
        std::uint32_t kept = lines_.size();
        last.clear();
        while (kept > 0) {
            const Moment moment = moment_of(*store_, lines_.at(kept - 1));
            if (!(fresh.front() < moment)) {
                break;
            }
            last.push_back(moment);
            --kept;
        }
        unchanged = std::min(unchanged, kept);
        const auto middle = std::ptrdiff_t(fresh.size());
        fresh.insert(fresh.end(), last.rbegin(), last.rend());
        std::inplace_merge(fresh.begin(), fresh.begin() + middle, fresh.end());
        lines_.truncate(kept);
        for (const Moment& moment : fresh) {
            lines_.push_back(moment.line);
        }
    }
    return unchanged;
}

std::uint32_t place_of(const LineSource& store, const LineList& order, std::uint32_t line) {
    return order.partition_point([&](std::uint32_t other) { return stands_before(store, other, line); });
}

}  // namespace rankscope::gui
