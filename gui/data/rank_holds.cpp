// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/rank_holds.h>
#include <gui/strings.h>
#include <remote/diagnosis/failure_catalogue.h>
#include <remote/diagnosis/rank_activity.h>

#include <QCoreApplication>
#include <string>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RankHold)
};

bool stops_ranks(const Verdict& verdict) {
    return verdict.reason == to_string(Activity::Stopped) || verdict.reason == to_string(Activity::Traced);
}

/// A slow rank or path holds nothing.
bool holds_the_run(const Verdict& verdict) {
    const CatalogueEntry* entry = catalogue_entry(verdict.id);
    return stops_ranks(verdict) || entry == nullptr || entry->exit != ExitClass::None;
}

QString fault_text(const Verdict& verdict) {
    const std::string& id = verdict.id.str();
    if (verdict.reason == to_string(Activity::Stopped)) {
        return Words::tr("stopped");
    }
    if (verdict.reason == to_string(Activity::Traced)) {
        return Words::tr("in a debugger");
    }
    if (id == "collective-mismatch") {
        return Words::tr("other collective");
    }
    if (id == "nccl-rank-behind") {
        return Words::tr("behind");
    }
    if (id == "nccl-rank-silent") {
        return Words::tr("silent");
    }
    return Words::tr("hangs");
}

}  // namespace

std::vector<RankHold> rank_holds(const RunState& state) {
    std::vector<RankHold> holds(state.ranks.size());
    if (state.outcome != Outcome::Running) {
        return holds;
    }
    const auto put = [&](int rank, const RankHold& hold) {
        const auto at = std::size_t(rank);
        if (rank >= 0 && at < holds.size() && !state.ranks[at].exit &&
            holds[at].kind != RankHold::Kind::Faulty) {
            holds[at] = hold;
        }
    };
    for (const Verdict& verdict : state.live_verdicts) {
        if (!holds_the_run(verdict)) {
            continue;
        }
        const QString waits =
            verdict.rank >= 0 ? Words::tr("waits for rank %1").arg(verdict.rank) : Words::tr("waits");
        for (const int rank : verdict.waiting) {
            put(rank, {RankHold::Kind::Waits, waits});
        }
        const RankHold fault{RankHold::Kind::Faulty, fault_text(verdict)};
        put(verdict.rank, fault);
        for (const int rank : verdict.ranks) {
            put(rank, fault);
        }
    }
    return holds;
}

}  // namespace rankscope::gui
