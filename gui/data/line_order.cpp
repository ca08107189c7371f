// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_order.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kLinesAtOnce = 1U << 18;  ///< lines between two looks at the stop token

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
    const std::int64_t of_a = store.t_us(a);
    const std::int64_t of_b = store.t_us(b);
    return of_a != of_b ? of_a < of_b : a < b;
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
    const auto before = [this](std::uint32_t a, std::uint32_t b) { return stands_before(*store_, a, b); };
    std::vector<std::uint32_t> fresh;
    while (taken_ < end && !stop.stop_requested()) {
        const std::uint32_t until = end - taken_ > kLinesAtOnce ? taken_ + kLinesAtOnce : end;
        fresh.clear();
        for (std::uint32_t line = taken_; line < until; ++line) {
            if (choice_.takes(*store_, line) && !(choice_.folded && folds_away(line))) {
                fresh.push_back(line);
            }
        }
        taken_ = until;
        if (fresh.empty()) {
            continue;
        }
        if (!std::is_sorted(fresh.begin(), fresh.end(), before)) {
            std::sort(fresh.begin(), fresh.end(), before);
        }
        // Late lines go among the last ones.
        std::uint32_t kept = lines_.size();
        while (kept > 0 && before(fresh.front(), lines_.at(kept - 1))) {
            --kept;
        }
        unchanged = std::min(unchanged, kept);
        const auto middle = std::ptrdiff_t(fresh.size());
        for (std::uint32_t i = kept; i < lines_.size(); ++i) {
            fresh.push_back(lines_.at(i));
        }
        std::inplace_merge(fresh.begin(), fresh.begin() + middle, fresh.end(), before);
        lines_.truncate(kept);
        for (const std::uint32_t line : fresh) {
            lines_.push_back(line);
        }
    }
    return unchanged;
}

std::uint32_t place_of(const LineSource& store, const LineList& order, std::uint32_t line) {
    return order.partition_point([&](std::uint32_t other) { return stands_before(store, other, line); });
}

}  // namespace rankscope::gui
