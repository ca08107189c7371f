// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/data/log_metrics.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/verdict_words.h>
#include <remote/diagnosis/rank_activity.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::gui {

namespace {

constexpr std::size_t kNotices = 200;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LiveData)
};

}  // namespace

void LiveData::set_plan(const LaunchPlan& plan) {
    state.set_plan(plan);
    series.resize(std::max(series.size(), plan.ranks.size()));
}

bool LiveData::apply(const Event& event) {
    if (event.seq > 0) {
        std::uint64_t& last = last_seq_[event.node];
        if (event.seq <= last) {
            return false;
        }
        last = event.seq;
    }
    ++events;
    event_line_ = 0;
    state.apply(event);
    start_times.apply(event, state.ranks.size());
    if (event.as<MetricEvent>() == nullptr) {
        marks.apply(event, furthest_);
    }
    if (const auto* metric = event.as<MetricEvent>()) {
        add_metric(event, *metric);
    } else if (const auto* text = event.as<LogEvent>()) {
        if (text->dropped_bytes > 0) {
            log_left_out(event, text->dropped_bytes);
        }
        log.append(event.rank, text->is_stderr, text->text, event.t_us);
    } else if (const auto* stage = event.as<StageEvent>()) {
        log_stage(event, *stage);
        if (stage->name == StageName::Restart && stage->status == StageStatus::Done) {
            restart_ranks_of(event.node);
        }
    } else if (const auto* link = event.as<LinkEvent>()) {
        log_link(event, *link);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        log.finish(event.rank, event.t_us);
        QString line = Words::tr("ended with %1").arg(exit_text(exit->code, exit->signal));
        if (!exit->reason.empty()) {
            line += u": "_s % qs(exit->reason);
        }
        if (exit->requested) {
            line += Words::tr(" (stopped with the run)");
        }
        log_event(event, line);
    } else if (const auto* inner = event.as<InnerRankEvent>()) {
        log_event(event, Words::tr("is process %1, started by the program of rank %2 (%3 ranks)")
                             .arg(inner->pid)
                             .arg(inner->outer_rank)
                             .arg(inner->world_size));
    } else if (const auto* sample = event.as<SampleEvent>()) {
        sample_history[event.node].add(*sample, event.t_us);
    } else if (const auto* diagnosis = event.as<DiagnosisEvent>()) {
        add_verdict(event, *diagnosis);
    } else if (const auto* notice = event.as<NoticeEvent>()) {
        add_notice(event, *notice);
    } else if (const auto* end = event.as<EndEvent>()) {
        if (event.node.empty()) {
            verdicts.end(event.t_us);
        }
        QString line = event.node.empty()
                           ? Words::tr("run %1").arg(outcome_text(end->outcome))
                           : Words::tr("its ranks have ended: %1").arg(outcome_text(end->outcome));
        if (!end->detail.empty()) {
            line += u": "_s % qs(end->detail);
        }
        log_event(event, line);
    }
    happenings.apply(event, event_line_);
    return true;
}

/// A line of our own in the log. It begins with the node unless a rank's sign stands before it.
void LiveData::log_event(const Event& event, const QString& text) {
    event_line_ = event_line_ == 0 ? log.last_number() + 1 : event_line_;
    const bool named = event.rank >= 0 || event.node.empty();
    log.append_event(event.rank, ss(named ? text : QString(qs(event.node) % u": "_s % text)), event.t_us);
}

// The line before it may have no end: the rest of it is what is left out.
void LiveData::log_left_out(const Event& event, std::uint64_t bytes) {
    log.finish(event.rank, event.t_us);
    log.append_event(
        event.rank,
        ss(Words::tr("%1 of the output of rank %2 are left out here: it writes more than is kept")
               .arg(bytes_text(bytes))
               .arg(event.rank)),
        event.t_us);
    left_out_bytes += bytes;
    ++left_out_places;
}

void LiveData::log_link(const Event& event, const LinkEvent& link) {
    const QString text = link_text(link, event.t_us);
    if (!text.isEmpty()) {
        event_line_ = log.last_number() + 1;
        log.append_event(-1, ss(QString(qs(link.node) % u": "_s % text)), event.t_us);
    }
}

void LiveData::restart_ranks_of(const std::string& node) {
    for (std::size_t rank = 0; rank < std::min(series.size(), state.ranks.size()); ++rank) {
        if (state.ranks[rank].node == node) {
            series[rank].restart();
            step_places.restart(rank);
        }
    }
}

void LiveData::add_metric(const Event& event, const MetricEvent& metric) {
    const auto rank = std::size_t(event.rank);
    if (event.rank < 0 || rank >= state.ranks.size()) {
        return;
    }
    if (rank >= series.size()) {
        series.resize(state.ranks.size());
    }
    MetricSeries& of_rank = series[rank];
    const bool restarted = of_rank.restarted();
    const std::size_t epochs_again = step_places.epochs_again();
    const std::int64_t step =
        metric.step < 0      ? -1
        : metric.voids_after ? metric.step
                             : step_places.place(rank, metric, of_rank, state.metrics, state.steps_per_epoch);
    marks.apply(event, furthest_, step);
    if (epochs_again == 0 && step_places.epochs_again() > 0) {
        log_event(event,
                  Words::tr("steps began again at %1 in epoch %2: the values of each epoch stand behind "
                            "those of the one before")
                      .arg(metric.step)
                      .arg(step_places.first_epoch_again()));
    }
    bool back = false;
    bool replaced = false;
    for (const auto& [name, value] : metric.values) {
        // Names that state has not taken are totals, or one too many.
        if (const auto id = state.metrics.find(name)) {
            if (metric.voids_after) {
                replaced = of_rank.truncate_from(*id, *metric.voids_after + 1) || replaced;
            }
            back = of_rank.add(*id, step >= 0 ? step : step_of(metric, of_rank, *id), float(value)) || back;
        }
    }
    rewinds += back || replaced ? 1 : 0;
    // A file that comes late says nothing of when a step was done.
    if (step >= 0 && (!metric.from_file || back || step > furthest_)) {
        if (back && !restarted) {
            note_replacement(event, metric, step);
        }
        note_step(event, metric, step, back);
    }
}

void LiveData::note_step(const Event& event, const MetricEvent& metric, std::int64_t step, bool back) {
    if (back) {
        step_times.truncate_from(step);
        step_samples.truncate_from(step);
    }
    furthest_ = back ? step : std::max(furthest_, step);
    const double time = double(event.t_us) * 1e-6;
    step_times.add(step, time);
    delays.resize(std::max(delays.size(), series.size()));
    StepDelays& of_rank = delays[std::size_t(event.rank)];
    if (back) {
        of_rank.truncate_from(step);
    }
    of_rank.add(step, time - step_times.at(double(step)));
    step_samples.add(step, metric.value("samples"));
}

// Lost to the picture, not to the run store.
void LiveData::note_replacement(const Event& event, const MetricEvent& metric, std::int64_t step) {
    if (replacements++ == 0) {
        replaced_from = metric.step;
        log_event(event, Words::tr("steps began again at %1: values from there on replace the earlier ones")
                             .arg(metric.step));
    }
    marks.add_rewind(step, event.t_us, metric.step);
}

// Where a value stands on the axis that its program did not bind to a step: at the end of its epoch, else where
// the rank is, else one after the other.
std::int64_t LiveData::step_of(const MetricEvent& metric, const MetricSeries& of_rank, MetricId id) const {
    const MetricColumn& column = of_rank.column(id);
    const double end_of_epoch = metric.epoch * double(state.steps_per_epoch);
    if (metric.epoch >= 0 && state.steps_per_epoch > 0 && end_of_epoch < 9e15) {
        return std::llround(end_of_epoch);
    }
    const std::int64_t next = column.empty() ? 1 : column.steps().last() + 1;
    return std::max(std::int64_t(of_rank.last_step()), next);
}

void LiveData::add_verdict(const Event& event, const Verdict& verdict) {
    const QString title = qs(said(verdict));
    if (verdict.phase == VerdictPhase::End) {
        diagnoses.push_back(verdict);
        log_event(event, Words::tr("diagnosis: %1").arg(title));
        return;
    }
    if (!verdicts.apply(verdict, event.t_us)) {
        return;
    }
    log_event(event, verdict.phase == VerdictPhase::Live ? Words::tr("seen now: %1").arg(title)
                                                         : qs(over_sentence(verdict, event.t_us)));
}

void LiveData::add_notice(const Event& event, const NoticeEvent& notice) {
    if (notice.id == metric_lines::UnreadNotice::id()) {
        // Where the curves would be, it is offered to read them; every rank may say so.
        const auto lines = metric_lines::UnreadNotice::of(notice.args);
        if (lines && !unread_lines(*this)) {
            log_event(event,
                      Words::tr("No steps are read from the output; lines like this could be curves: %1")
                          .arg(qs(lines->examples.back())));
            notices.push_back({event.t_us, notice.id, event.node, event.rank, notice.title, notice.args});
            ++notices_seen;
        }
        return;
    }
    if (notices.size() == kNotices) {
        notices.erase(notices.begin());
    }
    notices.push_back({event.t_us, notice.id, event.node, event.rank, notice.title, notice.fix});
    ++notices_seen;
    log_event(event, Words::tr("notice: %1").arg(qs(notice.title)));
    for (const std::string& fix : notice.fix) {
        log_event(event, qs(fix));
    }
}

bool LiveData::is_in_a_verdict(const NodeNotice& notice) const {
    if (notice.id == metric_lines::UnreadNotice::id()) {
        return true;  // the place of the curves says it
    }
    const auto same = [&](const Verdict& verdict) {
        const bool of_stop =
            notice.id == FailureId("rank-stopped") && verdict.reason == to_string(Activity::Stopped);
        return (verdict.id == notice.id || of_stop) && verdict.rank == notice.rank &&
               (verdict.node.empty() || verdict.node == notice.node);
    };
    const auto& live = verdicts.all();
    return std::any_of(diagnoses.begin(), diagnoses.end(), same) ||
           std::any_of(live.begin(), live.end(),
                       [&](const LiveVerdicts::Entry& entry) { return same(entry.verdict); });
}

void LiveData::log_stage(const Event& event, const StageEvent& stage) {
    // Begin and progress are the stage strip's business; the log keeps details and ends. What a node did to
    // its ranks needs no detail. Why a job waits in Slurm's queue, and what a node's link does, come as
    // progress.
    const bool failed = stage.status == StageStatus::Failed;
    const bool of_node = stage.name == StageName::Pause || stage.name == StageName::Continue ||
                         stage.name == StageName::Checkpoint;
    const bool kept = stage.status != StageStatus::Progress || stage.name == StageName::Queue ||
                      stage.name == StageName::Note;
    if (!failed && !of_node && (!kept || stage.detail.empty())) {
        return;
    }
    QString line;
    if (stage.name != StageName::Note) {
        line = failed ? Words::tr("%1 failed").arg(stage_text(stage.name)) : stage_text(stage.name);
    }
    if (!stage.detail.empty()) {
        line += (line.isEmpty() ? QString() : u": "_s) + qs(stage.detail);
    }
    log_event(event, line);
}

double LiveData::last_step() const {
    double last = 0;
    for (const MetricSeries& rank : series) {
        last = std::max(last, rank.last_step());
    }
    return last;
}

double LiveData::first_step() const {
    double first = std::numeric_limits<double>::infinity();
    for (const MetricSeries& rank : series) {
        first = std::min(first, rank.first_step());
    }
    return std::isfinite(first) ? first : 0;
}

const StepDelays* LiveData::delays_of(int rank) const {
    const bool known = rank >= 0 && std::size_t(rank) < delays.size() && !delays[std::size_t(rank)].empty();
    return known ? &delays[std::size_t(rank)] : nullptr;
}

}  // namespace rankscope::gui
