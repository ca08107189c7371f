// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_verdicts.h>
#include <remote/desk/runs/verdict_words.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMost = 64;
constexpr std::int64_t kShownAfterUs = 12'000'000;  ///< long enough to read that it is over

bool same(const Verdict& left, const Verdict& right) {
    return left.id == right.id && left.node == right.node && left.rank == right.rank;
}

}  // namespace

bool LiveVerdicts::apply(const Verdict& verdict, std::int64_t t_us) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return same(entry.verdict, verdict); });
    if (verdict.phase == VerdictPhase::Over) {
        const bool held = found != entries_.end() && found->over_us == 0;
        if (held) {
            found->over_us = t_us;
        }
        return held;
    }
    if (found != entries_.end()) {
        const bool held = found->over_us == 0;
        *found = {verdict, 0};
        return !held;
    }
    if (entries_.size() == kMost) {
        entries_.erase(
            std::min_element(entries_.begin(), entries_.end(), [](const Entry& left, const Entry& right) {
                return (left.over_us == 0) < (right.over_us == 0);  // one that is over, if there is one
            }));
    }
    entries_.push_back({verdict, 0});
    return true;
}

void LiveVerdicts::end(std::int64_t t_us) {
    for (Entry& entry : entries_) {
        entry.over_us = entry.over_us == 0 ? t_us : entry.over_us;
    }
}

const LiveVerdicts::Entry* LiveVerdicts::shown(std::int64_t now_us) const {
    const Entry* best = nullptr;
    for (const Entry& entry : entries_) {
        if (entry.over_us == 0 && (best == nullptr || outranks(entry.verdict, best->verdict))) {
            best = &entry;
        }
    }
    if (best != nullptr) {
        return best;
    }
    for (const Entry& entry : entries_) {
        const bool recent = entry.over_us != 0 && now_us - entry.over_us <= kShownAfterUs;
        if (recent && (best == nullptr || entry.over_us > best->over_us)) {
            best = &entry;
        }
    }
    return best;
}

std::vector<const Verdict*> LiveVerdicts::holding() const {
    std::vector<const Verdict*> all;
    for (const Entry& entry : entries_) {
        if (entry.over_us == 0) {
            all.push_back(&entry.verdict);
        }
    }
    return all;
}

}  // namespace rankscope::gui
