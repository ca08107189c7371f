// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/run_standing.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/run/fault_marks.h>
#include <remote/desk/runs/run/unread_steps.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/diagnosis/rank_activity.h>

#include <QCoreApplication>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr qsizetype kNamedNodes = 3;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunHeader)
};

/// "node2", "node2, node3", "node2, node3, node4 and 5 more".
QString some_of(const std::vector<std::string>& nodes) {
    QStringList names;
    for (const std::string& node : nodes) {
        if (names.size() < kNamedNodes) {
            names += qs(node);
        }
    }
    const auto more = qsizetype(nodes.size()) - names.size();
    const QString list = names.join(u", "_s);
    return more > 0 ? Words::tr("%1 and %2 more").arg(list).arg(more) : list;
}

QString seconds_text(double seconds) {
    return whole_seconds_text(std::floor(seconds));
}

/// What the user has asked for and the nodes have not done yet; empty: nothing.
QString pending_text(const RunState& state, const RunControl& control, const RunHealth& health) {
    if (!state.saving.empty() && !control.force_sent) {
        return Words::tr("saving…");
    }
    if (control.stopping) {
        const QString what = control.force_sent ? Words::tr("force stop sent") : Words::tr("stopping…");
        return health.unreachable.empty()
                   ? what
                   : Words::tr("%1, waiting for %2").arg(what, some_of(health.unreachable));
    }
    const bool answered = control.pause_wanted ? state.all_paused() : state.paused.empty();
    if (control.can_pause && !answered) {
        return control.pause_wanted ? Words::tr("pausing…") : Words::tr("continuing…");
    }
    return {};
}

/// A verdict in two or three words: its sentence is in the card.
QString verdict_word(const Verdict& verdict, const QString& culprit) {
    const QString rank = verdict.rank >= 0 ? Words::tr("rank %1").arg(verdict.rank)
                         : verdict.ranks.size() > 1 && verdict.pairs.empty() ? culprit
                                                                             : QString();
    const auto of_rank = [&](const QString& with_rank, const QString& without) {
        return rank.isEmpty() ? without : with_rank.arg(rank);
    };
    const std::string& id = verdict.id.str();
    if (verdict.reason == to_string(Activity::Stopped)) {
        return of_rank(Words::tr("%1 stopped"), Words::tr("ranks stopped"));
    }
    if (id == "rank-exit-early") {
        return of_rank(Words::tr("%1 exited early"), Words::tr("ranks exited early"));
    }
    if (id == "rank-slow" && verdict.reason == to_string(SlowReason::SlowLink)) {
        return culprit.isEmpty() ? Words::tr("slow network")
                                 : Words::tr("%1: %2").arg(Words::tr("slow network"), culprit);
    }
    if (id == "rank-slow") {
        return of_rank(Words::tr("%1 slow"), Words::tr("slow ranks"));
    }
    if (id == "collective-mismatch") {
        return verdict.rank < 0 ? Words::tr("collectives differ")
                                : Words::tr("%1: %2").arg(Words::tr("collectives differ"), rank);
    }
    if (id == "node-lost") {
        return culprit.isEmpty() ? Words::tr("node lost") : Words::tr("%1 lost").arg(culprit);
    }
    if (!verdict.pairs.empty()) {
        const QString what = id.starts_with("link-") ? Words::tr("slow network") : Words::tr("network fault");
        return culprit.isEmpty() ? what : Words::tr("%1: %2").arg(what, culprit);
    }
    return of_rank(Words::tr("%1 hangs"), Words::tr("hangs"));
}

/// Who is at fault, short enough for the pill; empty: nobody.
QString culprit_text(const RunState& state) {
    constexpr qsizetype kMost = 24;
    const QString name = qs(fault_marks(state).culprit_name());
    return name.size() <= kMost ? name : QString(name.left(kMost - 1) % u'…');
}

/// Puts the verdict of the card into the standing; false: none holds.
bool add_verdict(const LiveData& run, std::int64_t now_us, RunStanding& standing) {
    const LiveVerdicts::Entry* shown = run.verdicts.shown(now_us);
    if (shown == nullptr || shown->over_us != 0) {
        return false;
    }
    standing.text = verdict_word(shown->verdict, culprit_text(run.state));
    standing.sign = holds_the_run(shown->verdict) ? StandingSign::Error : StandingSign::Warning;
    QStringList sentences{qs(said(shown->verdict))};
    for (const Verdict* other : run.verdicts.holding()) {
        if (other != &shown->verdict) {
            sentences += qs(said(*other));
        }
    }
    standing.tip = sentences.join(u'\n');
    return true;
}

}  // namespace

RunStanding run_standing(const LiveData& run, const RunControl& control, std::int64_t now_us) {
    const RunState& state = run.state;
    RunStanding standing{outcome_text(state.outcome), {}, StandingSign::Outcome, false};
    if (state.outcome != Outcome::Running) {
        if (const QString culprit = culprit_text(state); !culprit.isEmpty()) {
            standing.text = Words::tr("%1: %2").arg(standing.text, culprit);
        }
        return standing;
    }
    const RunHealth health = state.health(now_us);
    standing.sign = StandingSign::Warning;
    if (const QString pending = pending_text(state, control, health); !pending.isEmpty()) {
        standing.text = pending;
        return standing;
    }
    switch (health.condition) {
        case RunCondition::Queued:
            standing.text = Words::tr("in the queue");
            return standing;
        case RunCondition::Paused:
            standing.text = Words::tr("paused");
            return standing;
        case RunCondition::Stalled:
            if (add_verdict(run, now_us, standing)) {
                return standing;
            }
            standing.text = Words::tr("stalled for %1").arg(seconds_text(health.for_s));
            return standing;
        case RunCondition::Failing:
            if (const QString culprit = culprit_text(state); !culprit.isEmpty()) {
                standing.text = Words::tr("failing: %1").arg(culprit);
                standing.sign = StandingSign::Error;
                standing.tip = health.waiting_for.empty()
                                   ? QString()
                                   : Words::tr("waiting for %1").arg(some_of(health.waiting_for));
                return standing;
            }
            standing.text = health.waiting_for.empty()
                                ? Words::tr("failing")
                                : Words::tr("failing: waiting for %1").arg(some_of(health.waiting_for));
            return standing;
        case RunCondition::Starting:
        case RunCondition::Running:
        case RunCondition::Over:
            break;
    }
    if (!state.paused.empty()) {
        standing.text = Words::tr("paused on %1 of %2").arg(state.paused.size()).arg(state.plan.nodes.size());
        return standing;
    }
    if (!add_verdict(run, now_us, standing)) {
        standing.sign = StandingSign::Outcome;
        if (has_no_steps(state)) {
            standing.text = Words::tr("running, no steps read");
        }
    }
    standing.advancing = health.condition == RunCondition::Running && standing.sign != StandingSign::Error;
    return standing;
}

LinkReport link_report(const RunState& state, std::int64_t now_us) {
    const RunHealth health = state.health(now_us);
    LinkReport report;
    if (health.unreachable.empty()) {
        return report;
    }
    const auto& first = health.unreachable.front();
    report.title = health.unreachable.size() == 1
                       ? Words::tr("%1: %2").arg(qs(first), link_state_text(state.links.at(first), now_us))
                       : Words::tr("%1 nodes do not answer: %2")
                             .arg(health.unreachable.size())
                             .arg(some_of(health.unreachable));
    QStringList lines;
    for (const std::string& node : health.unreachable) {
        const NodeLink& link = state.links.at(node);
        if (lines.size() == kNamedNodes) {
            break;
        }
        QStringList parts;
        if (health.unreachable.size() > 1) {
            parts += Words::tr("%1: %2.").arg(qs(node), link_state_text(link, now_us));
        }
        for (const std::string& part : {link.failure, link.remedy}) {
            if (!part.empty()) {
                parts += qs(part);
            }
        }
        if (!parts.isEmpty()) {
            lines += parts.join(u' ');
        }
    }
    // Silence says neither that they run on nor that they do not.
    lines += Words::tr("Its ranks may still run there. The values shown are the last ones received.");
    report.text = lines.join(u'\n');
    return report;
}

}  // namespace rankscope::gui
