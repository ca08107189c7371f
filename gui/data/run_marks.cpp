// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/run_marks.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <remote/desk/runs/verdict_words.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMostMarkText = 300;  ///< bytes
constexpr double kMostEpochs = 1e15;
constexpr std::size_t kMostRewinds = 100;  ///< a program may count to ten for ever

struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunMark)
};

}  // namespace

QString mark_text(const RunMark& mark) {
    const QString text = qs(mark.text);
    switch (mark.kind) {
        case RunMark::Kind::Epoch:
            return Words::tr("Epoch %1").arg(text);
        case RunMark::Kind::Checkpoint:
            return text.isEmpty() ? Words::tr("Checkpoint") : Words::tr("Checkpoint: %1").arg(text);
        case RunMark::Kind::Pause:
            return Words::tr("Paused: %1").arg(text);
        case RunMark::Kind::Continue:
            return Words::tr("Continued: %1").arg(text);
        case RunMark::Kind::Restart:
            return Words::tr("Restarted: %1").arg(text);
        case RunMark::Kind::Rewind:
            return Words::tr("Steps began again at %1").arg(text);
        case RunMark::Kind::Verdict:
        case RunMark::Kind::Failure:
        case RunMark::Kind::End:
            break;
    }
    return text;
}

void RunMarks::apply(const Event& event, std::int64_t furthest, std::int64_t step) {
    if (const auto* metric = event.as<MetricEvent>()) {
        apply_metric(event, *metric, step);
    } else if (const auto* stage = event.as<StageEvent>()) {
        apply_stage(event, *stage, furthest);
    } else if (const auto* exit = event.as<ExitEvent>()) {
        if (!exit->requested && (exit->code != 0 || exit->signal != 0)) {
            QString text =
                Words::tr("Rank %1 ended with %2").arg(event.rank).arg(exit_text(exit->code, exit->signal));
            if (!exit->reason.empty()) {
                text += u": "_s % qs(exit->reason);
            }
            add({RunMark::Kind::Failure, furthest, event.t_us, ss(text)});
        }
    } else if (const auto* verdict = event.as<DiagnosisEvent>()) {
        if (verdict->phase != VerdictPhase::Over) {
            add({RunMark::Kind::Verdict, furthest, event.t_us, said(*verdict)});
        }
    } else if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        add({RunMark::Kind::End, furthest, event.t_us,
             ss(Words::tr("Run %1").arg(outcome_text(end->outcome)))});
    }
}

void RunMarks::apply_metric(const Event& event, const MetricEvent& metric, std::int64_t step) {
    // Epochs that are reported in parts (1.25) begin at whole numbers.
    const double epoch = std::floor(metric.epoch);
    if (step < 0 || !(epoch > epoch_) || epoch > kMostEpochs) {
        return;
    }
    const bool first = epoch_ < 0;
    epoch_ = epoch;
    if (!first) {
        add({RunMark::Kind::Epoch, step, event.t_us, std::to_string(std::int64_t(epoch))});
    }
}

void RunMarks::add_rewind(std::int64_t step, std::int64_t t_us, std::int64_t reported) {
    const bool same =
        !marks_.empty() && marks_.back().kind == RunMark::Kind::Rewind && marks_.back().step == step;
    if (!same && rewinds_ < kMostRewinds) {
        ++rewinds_;
        add({RunMark::Kind::Rewind, step, t_us, std::to_string(reported)});
    }
}

void RunMarks::apply_stage(const Event& event, const StageEvent& stage, std::int64_t furthest) {
    const bool begins = stage.status == StageStatus::Begin;
    const bool done = stage.status == StageStatus::Done;
    const std::string& node = event.node.empty() ? stage.detail : event.node;
    if (stage.name == StageName::Checkpoint && (begins || done)) {
        add_of_node({RunMark::Kind::Checkpoint, furthest, event.t_us}, stage.detail);
    } else if (stage.name == StageName::Pause && (begins || done)) {
        add_of_node({RunMark::Kind::Pause, furthest, event.t_us}, node);
    } else if (stage.name == StageName::Continue && (begins || done)) {
        add_of_node({RunMark::Kind::Continue, furthest, event.t_us}, node);
    } else if (stage.name == StageName::Restart && done) {
        add_of_node({RunMark::Kind::Restart, furthest, event.t_us}, node);
        epoch_ = -1;
    }
}

void RunMarks::add_of_node(RunMark mark, const std::string& node) {
    for (auto earlier = marks_.rbegin(); earlier != marks_.rend() && earlier->step == mark.step; ++earlier) {
        if (earlier->kind != mark.kind) {
            continue;
        }
        if (earlier->text.empty()) {
            earlier->text = node;
        } else if (earlier->text.find(node) == std::string::npos && earlier->text.size() < kMostMarkText) {
            earlier->text += ", " + node;
        }
        return;
    }
    mark.text = node;
    add(std::move(mark));
}

void RunMarks::add(RunMark mark) {
    if (mark.text.size() > kMostMarkText) {
        mark.text = ss(qs(mark.text).left(qsizetype(kMostMarkText)) + u"…"_s);
    }
    if (marks_.size() == kMost) {
        const auto oldest = std::find_if(marks_.begin(), marks_.end(), [](const RunMark& each) {
            return each.kind == RunMark::Kind::Epoch;
        });
        marks_.erase(oldest == marks_.end() ? marks_.begin() : oldest);
        ++dropped_;
    }
    marks_.push_back(std::move(mark));
}

}  // namespace rankscope::gui
