// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/strings.h>
#include <gui/texts.h>

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

float value_or_nan(const MetricEvent& metric, const char* key) {
    for (const auto& [name, value] : metric.values) {
        if (name == key) {
            return float(value);
        }
    }
    return std::numeric_limits<float>::quiet_NaN();
}

/// Who speaks, for lines that are not a rank's: those say it by themselves.
QString speaker(const Event& event) {
    return event.rank >= 0 ? QString() : qs(event.node);
}

std::string event_line(const Event& event, const QString& text) {
    const QString who = speaker(event);
    return ss(who.isEmpty() ? text : QString(who % u": "_s % text));
}

}  // namespace

void LiveData::set_plan(const LaunchPlan& plan) {
    state.set_plan(plan);
    log.set_ranks(plan.ranks.size());
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
    state.apply(event);
    if (const auto* metric = event.as<MetricEvent>()) {
        add_metric(event, *metric);
    } else if (const auto* text = event.as<LogEvent>()) {
        log.append(event.rank, text->is_stderr, text->text);
    } else if (const auto* stage = event.as<StageEvent>()) {
        log_stage(event, *stage);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        QString line = Words::tr("ended with %1").arg(exit_text(exit->code, exit->signal));
        if (!exit->reason.empty()) {
            line += u": "_s % qs(exit->reason);
        }
        if (exit->requested) {
            line += Words::tr(" (stopped by us)");
        }
        log.append_event(event.rank, event_line(event, line));
    } else if (const auto* sample = event.as<SampleEvent>()) {
        sample_history[event.node].add(*sample);
    } else if (const auto* diagnosis = event.as<DiagnosisEvent>()) {
        add_diagnosis(event, *diagnosis);
    } else if (const auto* end = event.as<EndEvent>()) {
        QString line = event.node.empty()
                           ? Words::tr("run %1").arg(outcome_text(end->outcome))
                           : Words::tr("its part of the run: %1").arg(outcome_text(end->outcome));
        if (!end->detail.empty()) {
            line += u": "_s % qs(end->detail);
        }
        log.append_event(event.rank, event_line(event, line));
    }
    return true;
}

void LiveData::add_metric(const Event& event, const MetricEvent& metric) {
    if (event.rank < 0 || metric.step < 0) {
        return;
    }
    const MetricSeries::Sample sample{value_or_nan(metric, "loss"), value_or_nan(metric, "acc1"),
                                      value_or_nan(metric, "images_per_s")};
    if (std::none_of(sample.begin(), sample.end(), [](float value) { return std::isfinite(value); })) {
        return;
    }
    const auto rank = std::size_t(event.rank);
    if (rank >= series.size()) {
        series.resize(rank + 1);
    }
    MetricSeries& of_rank = series[rank];
    if (!of_rank.empty() && metric.step < of_rank.steps().last()) {
        ++went_back;
    }
    of_rank.add(metric.step, sample);
}

void LiveData::add_diagnosis(const Event& event, const DiagnosisEvent& diagnosis) {
    if (event.node.empty()) {
        diagnoses.push_back(diagnosis);
        log.append_event(event.rank, event_line(event, Words::tr("diagnosis: %1").arg(qs(diagnosis.title))));
        return;
    }
    if (notices.size() == kNotices) {
        notices.erase(notices.begin());
    }
    notices.push_back({event.t_us, event.node, event.rank, diagnosis.title, diagnosis.fix});
    ++notices_seen;
    log.append_event(event.rank, event_line(event, Words::tr("notice: %1").arg(qs(diagnosis.title))));
    for (const std::string& fix : diagnosis.fix) {
        log.append_event(event.rank, event_line(event, qs(fix)));
    }
}

void LiveData::log_stage(const Event& event, const StageEvent& stage) {
    // Begin and progress are the stage strip's business; the log keeps what was said and how it ended. What a
    // node did to its ranks needs no detail, and why a job waits in Slurm's queue comes as progress.
    const bool failed = stage.status == StageStatus::Failed;
    const bool of_node = stage.name == "pause" || stage.name == "continue" || stage.name == "checkpoint";
    const bool said = stage.status != StageStatus::Progress || stage.name == "queue";
    if (!failed && !of_node && (!said || stage.detail.empty())) {
        return;
    }
    QString line;
    if (stage.name != "note") {
        line = failed ? Words::tr("%1 failed").arg(stage_text(stage.name)) : stage_text(stage.name);
    }
    if (!stage.detail.empty()) {
        line += (line.isEmpty() ? QString() : u": "_s) + qs(stage.detail);
    }
    log.append_event(event.rank, event_line(event, line));
}

double LiveData::last_step() const {
    double last = 0;
    for (const MetricSeries& rank : series) {
        if (!rank.empty()) {
            last = std::max(last, double(rank.steps().last()));
        }
    }
    return last;
}

double LiveData::first_step() const {
    double first = std::numeric_limits<double>::infinity();
    for (const MetricSeries& rank : series) {
        if (!rank.empty()) {
            first = std::min(first, double(rank.steps().at(0)));
        }
    }
    return std::isfinite(first) ? first : 0;
}

}  // namespace rankscope::gui
