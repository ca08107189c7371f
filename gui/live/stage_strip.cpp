// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/stage_strip.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/runs/run/unread_steps.h>

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kSign = 18;
constexpr int kSmallSign = 12;
constexpr int kPad = 10;

QString names_of(const std::set<std::string>& nodes) {
    QStringList names;
    for (const std::string& node : nodes) {
        names += qs(node);
    }
    return names.join(u", "_s);
}

QString activity_of(const RunState& state) {
    if (!state.saving.empty()) {
        return StageStrip::tr("The ranks got the checkpoint signal and may save before they are stopped: %1")
            .arg(names_of(state.saving));
    }
    if (state.waits_in_queue()) {
        return qs(state.queue->detail);
    }
    if (state.all_paused()) {
        return StageStrip::tr("All processes of the ranks are stopped; memory and GPUs stay in use.");
    }
    if (!state.paused.empty()) {
        return StageStrip::tr("Paused on %1; the other nodes have not answered yet.")
            .arg(names_of(state.paused));
    }
    // After the first step the curves show the progress.
    const bool starting = !(state.stages.empty() || state.stages.back().done || has_no_steps(state));
    return starting ? qs(state.activity) : QString();
}

}  // namespace

StageCell::StageCell(StageName name, QWidget* parent) : QWidget(parent) {
    setObjectName(u"stage-"_s + QString::fromLatin1(to_string(name)));
    auto* layout = new QHBoxLayout(this);
    layout->setSpacing(8);
    name_ = make_label(stage_text(name), this);
    time_ = make_label({}, this, "muted");
    time_->setObjectName(u"stageTime-"_s + QString::fromLatin1(to_string(name)));
    layout->addWidget(name_);
    layout->addWidget(time_);
    layout->addStretch();
    set_compact(false);
}

void StageCell::set_compact(bool on) {
    compact_ = on;
    if (on) {
        layout()->setContentsMargins(kPad + kSmallSign + 6, 0, kPad, 0);
    } else {
        layout()->setContentsMargins(kPad + kSign + 8, 6, kPad, 8);
    }
    update();
}

void StageCell::set_state(const StageState& stage, std::int64_t now_us, Ending ending) {
    StageSign sign = StageSign::Waiting;
    QString time;
    QString word = tr("not begun");
    if (stage.failed || (stage.begun && !stage.done && ending == Ending::FailedHere)) {
        sign = StageSign::Failed;
        word = tr("failed");
        time = word;
    } else if (ending == Ending::NoSteps) {
        word = tr("no steps read");
        time = word;
    } else if (stage.done) {
        sign = StageSign::Done;
        word = tr("done");
        time = duration_us_text(stage.begin_us, stage.end_us);
    } else if (stage.begun && ending != Ending::None) {
        word = tr("not reached");
        time = word;
    } else if (stage.begun) {
        sign = StageSign::Active;
        word = tr("in progress");
        time = duration_us_text(stage.begin_us, std::max(now_us, stage.begin_us));
        if (stage.progress >= 0) {
            time = percent_text(stage.progress, 0) % u" · "_s % time;
        }
    }
    QFont font = name_->font();
    font.setBold(sign == StageSign::Active || sign == StageSign::Failed);
    name_->setFont(font);
    time_->setText(time);
    setAccessibleName(tr("Stage %1: %2 %3").arg(name_->text(), word, time));
    setToolTip(plain_text(stage.detail.empty() ? accessibleName()
                                               : QString(accessibleName() % u'\n' % qs(stage.detail))));
    const double progress = sign == StageSign::Active ? stage.progress : -1;
    if (sign != sign_ || progress != progress_) {
        sign_ = sign;
        progress_ = progress;
        update();
    }
}

void StageCell::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    if (compact_) {
        draw_stage_sign(painter, QRectF(kPad, (height() - kSmallSign) / 2.0, kSmallSign, kSmallSign), sign_,
                        colors);
        return;
    }
    draw_stage_sign(painter, QRectF(kPad, (height() - kSign) / 2.0 - 1, kSign, kSign), sign_, colors);
    const QRectF track(0, height() - 3, width(), 3);
    if (sign_ == StageSign::Done) {
        painter.fillRect(track, colors.good);
    } else if (sign_ == StageSign::Failed) {
        painter.fillRect(track, colors.bad);
    } else {
        painter.fillRect(track, colors.grid);
        if (sign_ == StageSign::Active) {
            // Where the progress is not known: the whole width, faintly.
            QColor color = colors.accent;
            color.setAlphaF(progress_ >= 0 ? 1.0F : 0.45F);
            const double share = progress_ >= 0 ? std::clamp(progress_, 0.0, 1.0) : 1.0;
            painter.fillRect(QRectF(0, track.top(), track.width() * share, track.height()), color);
        }
    }
}

StageStrip::StageStrip(QWidget* parent) : QFrame(parent) {
    setObjectName(u"stageStrip"_s);
    setAccessibleName(tr("Stages of the run"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(3);
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    queue_ = new StageCell(StageName::Queue, this);
    queue_->hide();
    for (const StageName name : kStages) {
        cells_.push_back(new StageCell(name, this));
        row->addWidget(cells_.back(), 1);
        cells_.back()->setVisible(name != StageName::Preflight);
        if (name == StageName::Push) {
            row->addWidget(queue_, 1);
        }
    }
    layout->addLayout(row);
    activity_ = new ElidedLabel(this);
    activity_->setObjectName(u"activityLine"_s);
    activity_->setProperty("role", u"muted"_s);
    activity_->setContentsMargins(kPad, 0, kPad, 0);
    layout->addWidget(activity_);
}

void StageStrip::set_state(const RunState& state, std::int64_t now_us) {
    using Ending = StageCell::Ending;
    const bool over = state.outcome != Outcome::Running;
    const bool failed = state.outcome == Outcome::Failed || state.outcome == Outcome::Lost;
    // A run that fails does so in the first stage that had begun and was not done.
    Ending ending = !over ? Ending::None : failed ? Ending::FailedHere : Ending::Before;
    const bool no_steps = has_no_steps(state);
    const auto show = [&](StageCell* cell, const StageState& stage) {
        if (no_steps && stage.name == StageName::FirstStep) {
            cell->set_state(stage, now_us, Ending::NoSteps);
            return;
        }
        cell->set_state(stage, now_us, ending);
        if (ending == Ending::FailedHere && stage.begun && !stage.done) {
            ending = Ending::Before;
        }
    };
    queue_->setVisible(state.queue.has_value());
    for (std::size_t i = 0; i < cells_.size() && i < state.stages.size(); ++i) {
        const StageState& stage = state.stages[i];
        if (stage.name == StageName::Start && state.queue) {
            show(queue_, *state.queue);
        }
        if (stage.name == StageName::Preflight) {
            cells_[i]->setVisible(stage.begun);
        }
        show(cells_[i], stage);
    }
    // Once it trains, how it started is a line to look back to.
    const bool trains = no_steps || (!state.stages.empty() && state.stages.back().done);
    if (trains != compact_) {
        compact_ = trains;
        for (StageCell* cell : cells_) {
            cell->set_compact(trains);
        }
        queue_->set_compact(trains);
    }
    activity_->set_full_text(over ? QString() : activity_of(state));
    activity_->setVisible(!activity_->full_text().isEmpty());
}

}  // namespace rankscope::gui
