// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_query.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::chrono::milliseconds kPartialEvery(50);
constexpr std::uint32_t kFoldedAtOnce = 16384;
constexpr std::uint32_t kOrderedAtOnce =
    1U << 18;  ///< each time, late lines are merged with the last ones again

}  // namespace

LogAnswer LogQuery::advance(const std::shared_ptr<const LinePattern>& pattern, const std::stop_token& stop,
                            const std::function<void(LogAnswer)>& partial,
                            const std::function<void(double)>& ordering) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t total = store_->size();
    if (pattern != pattern_) {
        pattern_ = pattern;
        found_ = {};
        searched_ = 0;
        matches_.truncate(0);
        matched_ = 0;
        late_match_.reset();
    }
    match_again_from(order(total, stop, ordering));
    if (pattern_) {
        auto last = std::chrono::steady_clock::now();
        if (partial && searched_ < order_.taken()) {
            partial(answer(total));
        }
        const auto found = [this](std::uint32_t line) { note_match(line); };
        const auto progress = [&](std::uint32_t line) {
            searched_ = line;
            const auto now = std::chrono::steady_clock::now();
            if (partial && now - last >= kPartialEvery) {
                last = now;
                partial(answer(total));
            }
        };
        searched_ = search_lines(*store_, *pattern_, searched_, order_.taken(), stop, found, progress);
    }
    return answer(total);
}

// To fold a million lines takes seconds.
std::uint32_t LogQuery::order(std::uint32_t total, const std::stop_token& stop,
                              const std::function<void(double)>& ordering) {
    const std::uint32_t first = order_.taken();
    std::uint32_t unchanged = order_.lines().size();
    const std::uint32_t at_once = order_.choice().folded ? kFoldedAtOnce : kOrderedAtOnce;
    auto last = std::chrono::steady_clock::now();
    while (order_.taken() < total && !stop.stop_requested()) {
        unchanged = std::min(unchanged, order_.advance(std::min(total, order_.taken() + at_once), stop));
        const auto now = std::chrono::steady_clock::now();
        if (ordering && now - last >= kPartialEvery) {
            last = now;
            ordering(double(order_.taken() - first) / double(total - first));
        }
    }
    return unchanged;
}

std::optional<std::uint32_t> LogQuery::waiting() const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return std::nullopt;
    }
    return store_->size() - std::min(order_.taken(), pattern_ ? searched_ : order_.taken());
}

LogAnswer LogQuery::answer(std::uint32_t total) {
    match_order();
    return {order_.lines().list(), matches_.list(), order_.rings().rings(), pattern_ ? searched_ : total,
            total};
}

void LogQuery::note_match(std::uint32_t line) {
    found_.set(line);
    if (const std::uint32_t first = order_.rings().first_of(line); first != line && !found_.test(first)) {
        found_.set(first);
        if (!late_match_ || stands_before(*store_, first, *late_match_)) {
            late_match_ = first;
        }
    }
}

void LogQuery::match_again_from(std::uint32_t place) {
    if (place >= matched_) {
        return;
    }
    matched_ = place;
    std::uint32_t kept = matches_.size();
    while (kept > 0 && matches_.at(kept - 1) >= place) {
        --kept;
    }
    matches_.truncate(kept);
}

void LogQuery::match_order() {
    const LineListBuilder& order = order_.lines();
    if (!pattern_) {
        return;
    }
    if (late_match_) {
        match_again_from(place_of(*store_, order_.lines().list(), *std::exchange(late_match_, std::nullopt)));
    }
    for (; matched_ < order.size() && order.at(matched_) < searched_; ++matched_) {
        if (found_.test(order.at(matched_))) {
            matches_.push_back(matched_);
        }
    }
}

}  // namespace rankscope::gui
