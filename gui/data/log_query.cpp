// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/log_query.h>

#include <algorithm>
#include <chrono>

namespace rankscope::gui {

namespace {

constexpr std::chrono::milliseconds kPartialEvery(50);

}  // namespace

LogAnswer LogQuery::advance(const std::shared_ptr<const LinePattern>& pattern, const std::stop_token& stop,
                            const std::function<void(LogAnswer)>& partial) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t total = store_->size();
    if (pattern != pattern_) {
        pattern_ = pattern;
        found_ = {};
        searched_ = 0;
        matches_.truncate(0);
        matched_ = 0;
    }
    const std::uint32_t unchanged = order_.advance(total, stop);
    if (unchanged < matched_) {
        matched_ = unchanged;
        std::uint32_t kept = matches_.size();
        while (kept > 0 && matches_.at(kept - 1) >= unchanged) {
            --kept;
        }
        matches_.truncate(kept);
    }
    if (pattern_) {
        auto last = std::chrono::steady_clock::now();
        if (partial && searched_ < order_.taken()) {
            partial(answer(total));
        }
        const auto found = [this](std::uint32_t line) { found_.set(line); };
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

std::optional<std::uint32_t> LogQuery::waiting() const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return std::nullopt;
    }
    return store_->size() - std::min(order_.taken(), pattern_ ? searched_ : order_.taken());
}

LogAnswer LogQuery::answer(std::uint32_t total) {
    match_order();
    return {order_.lines().list(), matches_.list(), pattern_ ? searched_ : total, total};
}

void LogQuery::match_order() {
    const LineListBuilder& order = order_.lines();
    if (!pattern_) {
        return;
    }
    for (; matched_ < order.size() && order.at(matched_) < searched_; ++matched_) {
        if (found_.test(order.at(matched_))) {
            matches_.push_back(matched_);
        }
    }
}

}  // namespace rankscope::gui
