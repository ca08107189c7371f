// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_holds.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <QCoreApplication>
#include <algorithm>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunHeader)
};

RankHold::Kind kind_of(RankMark mark) {
    switch (mark) {
        case RankMark::None:
            break;
        case RankMark::Culprit:
            return RankHold::Kind::Faulty;
        case RankMark::Slow:
            return RankHold::Kind::Slow;
        case RankMark::Waits:
            return RankHold::Kind::Waits;
        case RankMark::LostPeer:
        case RankMark::FailedLater:
            return RankHold::Kind::LostPeer;
        case RankMark::Unknown:
            return RankHold::Kind::Unknown;
        case RankMark::NotStarted:
            return RankHold::Kind::NotStarted;
    }
    return RankHold::Kind::None;
}

}  // namespace

std::vector<RankHold> rank_holds(const RunState& state, const FaultMarks& marks) {
    std::vector<RankHold> holds(state.ranks.size());
    const bool no_steps = has_no_steps(state);
    for (std::size_t i = 0; i < holds.size() && i < marks.ranks.size(); ++i) {
        const RankState& rank = state.ranks[i];
        const FaultMarks::OfRank& mark = marks.ranks[i];
        RankHold& hold = holds[i];
        hold = {kind_of(mark.mark), qs(mark.text), !rank.exit && marks.silent.count(rank.node) > 0};
        const bool itself =
            std::find(marks.culprits.begin(), marks.culprits.end(), rank.rank) != marks.culprits.end();
        if (hold.kind == RankHold::Kind::Faulty && itself && rank.phase == RankPhase::Failed) {
            hold.kind = RankHold::Kind::Failed;
            hold.text = phase_text(rank.phase);
        } else if (hold.kind == RankHold::Kind::None && no_steps && rank.phase == RankPhase::Training) {
            hold.text = Words::tr("running, no steps read");
        }
    }
    return holds;
}

}  // namespace rankscope::gui
