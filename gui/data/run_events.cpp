// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/run_events.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/verdict_words.h>

#include <QCoreApplication>
#include <optional>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr qsizetype kMostText = 1000;  ///< characters

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunEvents)
};

QString with_detail(const QString& text, const std::string& detail) {
    return detail.empty() ? text : QString(text % u": "_s % qs(detail));
}

std::optional<RunEvent> of_stage(const Event& event, const StageEvent& stage) {
    using Kind = RunEvent::Kind;
    const bool begins = stage.status == StageStatus::Begin;
    const bool failed = stage.status == StageStatus::Failed;
    if (stage.status == StageStatus::Progress) {
        return {};
    }
    RunEvent found;
    QString name = stage_text(stage.name);
    switch (stage.name) {
        case StageName::Pause:
        case StageName::Continue:
            found.kind = Kind::Pause;
            break;
        case StageName::Checkpoint:
            found.kind = Kind::Checkpoint;
            name = begins ? Words::tr("%1 begins").arg(name) : Words::tr("%1 done").arg(name);
            break;
        case StageName::Restart:
            found.kind = Kind::Restart;
            name = begins ? Words::tr("%1 begins").arg(name) : Words::tr("%1 done").arg(name);
            break;
        case StageName::Note:
            if (stage.detail.empty()) {
                return {};
            }
            found.text = qs(stage.detail);
            return found;
        default:
            // Of a thousand ranks each one's way to the first step is no list.
            if (!failed && (begins || event.rank >= 0)) {
                return {};
            }
            name = Words::tr("%1 done").arg(name);
            break;
    }
    found.is_fault = failed;
    found.text =
        with_detail(failed ? Words::tr("%1 failed").arg(stage_text(stage.name)) : name, stage.detail);
    return found;
}

RunEvent of_exit(const ExitEvent& exit) {
    RunEvent found;
    found.kind = RunEvent::Kind::Exit;
    found.is_fault = !exit.requested && (exit.code != 0 || exit.signal != 0);
    found.text = with_detail(Words::tr("ended with %1").arg(exit_text(exit.code, exit.signal)), exit.reason);
    if (exit.requested) {
        found.text += Words::tr(" (stopped with the run)");
    }
    return found;
}

RunEvent of_verdict(const Verdict& verdict, std::int64_t t_us) {
    RunEvent found;
    found.kind = RunEvent::Kind::Verdict;
    found.node = verdict.node;
    found.rank = verdict.rank;
    found.is_fault = verdict.phase != VerdictPhase::Over;
    found.text = verdict.phase == VerdictPhase::Over ? qs(over_sentence(verdict, t_us)) : qs(said(verdict));
    return found;
}

RunEvent of_end(const Event& event, const EndEvent& end) {
    RunEvent found;
    found.kind = RunEvent::Kind::End;
    found.is_fault = end.outcome == Outcome::Failed || end.outcome == Outcome::Lost;
    const QString outcome = outcome_text(end.outcome);
    found.text = with_detail(event.node.empty() ? Words::tr("run %1").arg(outcome)
                                                : Words::tr("its ranks have ended: %1").arg(outcome),
                             end.detail);
    return found;
}

std::optional<RunEvent> found_in(const Event& event) {
    if (const auto* stage = event.as<StageEvent>()) {
        return of_stage(event, *stage);
    }
    if (const auto* exit = event.as<ExitEvent>()) {
        return of_exit(*exit);
    }
    if (const auto* verdict = event.as<DiagnosisEvent>()) {
        return of_verdict(*verdict, event.t_us);
    }
    if (const auto* end = event.as<EndEvent>()) {
        return of_end(event, *end);
    }
    RunEvent found;
    if (const auto* notice = event.as<NoticeEvent>()) {
        found.kind = RunEvent::Kind::Notice;
        found.text = qs(notice->title);
        return found;
    }
    if (const auto* link = event.as<LinkEvent>()) {
        found.kind = RunEvent::Kind::Link;
        found.node = link->node;
        found.is_fault = link->state == LinkState::Retrying || link->state == LinkState::PresumedLost;
        found.text = link_text(*link, event.t_us);
        return found.text.isEmpty() ? std::nullopt : std::optional(found);
    }
    return {};
}

}  // namespace

QString run_event_kind_text(RunEvent::Kind kind) {
    switch (kind) {
        case RunEvent::Kind::Stage:
            return Words::tr("Stage");
        case RunEvent::Kind::Notice:
            return Words::tr("Notice");
        case RunEvent::Kind::Verdict:
            return Words::tr("Verdict");
        case RunEvent::Kind::Exit:
            return Words::tr("Exit");
        case RunEvent::Kind::Checkpoint:
            return Words::tr("Checkpoint");
        case RunEvent::Kind::Restart:
            return Words::tr("Restart");
        case RunEvent::Kind::Pause:
            return Words::tr("Pause");
        case RunEvent::Kind::Link:
            return Words::tr("Link");
        case RunEvent::Kind::End:
            break;
    }
    return Words::tr("End");
}

QString run_event_place_text(const RunEvent& event) {
    if (event.rank >= 0) {
        return event.node.empty() ? Words::tr("rank %1").arg(event.rank)
                                  : Words::tr("rank %1 on %2").arg(event.rank).arg(qs(event.node));
    }
    return event.node.empty() ? Words::tr("run") : qs(event.node);
}

void RunEvents::apply(const Event& event, std::uint64_t line) {
    if (line == 0 && event.as<DiagnosisEvent>() != nullptr) {
        return;  // the same verdict again, in other words: the log has no line for it either
    }
    std::optional<RunEvent> found = found_in(event);
    if (!found) {
        return;
    }
    found->t_us = event.t_us;
    found->line = line;
    if (found->node.empty()) {
        found->node = event.node;
    }
    if (found->rank < 0) {
        found->rank = event.rank;
    }
    if (found->text.size() > kMostText) {
        found->text = found->text.left(kMostText) + u'…';
    }
    if (events_.size() == kMost) {
        events_.pop_front();
        ++dropped_;
    }
    events_.push_back(*std::move(found));
}

}  // namespace rankscope::gui
