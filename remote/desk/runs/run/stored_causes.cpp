// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/stored_causes.h>
#include <remote/logs/verdicts/diagnosis.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline runs {

void StoredCauses::observe(const RunRecord& record, const Event& event) {
    if (!has_plan_) {
        tracker_.set_plan(record.plan);
        has_plan_ = true;
    }
    tracker_.observe(event);
    if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        outcome_ = end->outcome;
    }
}

void StoredCauses::add_to(std::vector<Verdict>& verdicts, std::vector<Verdict> measured, bool only) const {
    if (only && outcome_ == Outcome::Done) {
        verdicts.clear();
    }
    if (outcome_ == Outcome::Done || outcome_ == Outcome::Stopped) {
        logs::add_known(verdicts, measured);
        return;
    }
    const auto end = tracker_.verdict(false);
    if (auto cause = tracker_.diagnosis();
        measured.empty() && cause && (end.has_culprit || !cause->reason.empty())) {
        measured.push_back(std::move(*cause));
    }
    logs::add_known(verdicts, measured);
    if (verdicts.empty() || !end.has_culprit) {
        return;
    }
    auto& first = verdicts.front();
    if (first.rank < 0 &&
        std::find(first.ranks.begin(), first.ranks.end(), end.culprit.rank) != first.ranks.end()) {
        first.rank = end.culprit.rank;
        first.node = end.culprit.node;
    }
}

}  // namespace rankscope::inline runs
