// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/run_header.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/runs/run/throughput.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

QString rate_number(double value) {
    return value >= 100 ? count_text(std::llround(value)) : number_text(value, value < 10 ? 2 : 1);
}

QString rates_text(const ThroughputReport& report) {
    QStringList parts;
    const auto add = [&parts](const std::optional<ThroughputFigure>& figure, const char* source) {
        if (figure) {
            parts += RunHeader::tr(source).arg(rate_number(figure->value));
        }
    };
    add(report.images_per_s, QT_TRANSLATE_NOOP("rankscope::gui::RunHeader", "%1 images/s"));
    add(report.samples_per_s, QT_TRANSLATE_NOOP("rankscope::gui::RunHeader", "%1 samples/s"));
    add(report.tokens_per_s, QT_TRANSLATE_NOOP("rankscope::gui::RunHeader", "%1 tokens/s"));
    add(report.steps_per_s, QT_TRANSLATE_NOOP("rankscope::gui::RunHeader", "%1 steps/s"));
    if (report.mfu) {
        parts += RunHeader::tr("MFU %1").arg(percent_text(report.mfu->value, 1));
    }
    return parts.join(u" · "_s);
}

/// How each figure was computed, and why others are missing.
QString rates_tip(const ThroughputReport& report) {
    QStringList lines;
    const auto add = [&lines](const std::optional<ThroughputFigure>& figure, const QString& name) {
        if (figure) {
            lines += u"%1: %2"_s.arg(name, qs(derivation(*figure)));
        }
    };
    add(report.images_per_s, RunHeader::tr("Images per second"));
    add(report.samples_per_s, RunHeader::tr("Samples per second"));
    add(report.tokens_per_s, RunHeader::tr("Tokens per second"));
    add(report.steps_per_s, RunHeader::tr("Steps per second"));
    add(report.mfu, RunHeader::tr("Share of what the GPUs can compute (MFU)"));
    for (const MissingThroughput& missing : report.missing) {
        lines += qs(to_sentence(missing));
    }
    return lines.join(u'\n');
}

}  // namespace

RunHeader::RunHeader(QWidget* parent) : QWidget(parent) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 4, 10, 0);
    layout->setSpacing(12);

    name_ = new ElidedLabel(this);
    name_->setObjectName(u"runName"_s);
    name_->setProperty("role", u"pageTitle"_s);
    layout->addWidget(name_);
    outcome_ = make_label({}, this, "pill");
    outcome_->setObjectName(u"runOutcome"_s);
    layout->addWidget(outcome_);
    why_ = make_button(tr("&Why…"), "whyButton", this);
    why_->setToolTip(tr("Shows again why the run failed"));
    why_->hide();
    layout->addWidget(why_);
    connect(why_, &QPushButton::clicked, this, &RunHeader::verdictRequested);
    notices_ = make_button({}, "noticesButton", this);
    notices_->setToolTip(tr("What the nodes noticed in this run"));
    notices_->hide();
    layout->addWidget(notices_);
    connect(notices_, &QPushButton::clicked, this, [this] { emit noticesRequested(!notices_open_); });
    elapsed_ = make_label({}, this, "muted");
    elapsed_->setObjectName(u"runElapsed"_s);
    layout->addWidget(elapsed_);
    layout->addStretch(1);

    accuracy_ = make_label({}, this);
    accuracy_->setObjectName(u"runAccuracy"_s);
    layout->addWidget(accuracy_);
    rate_ = make_label({}, this);
    rate_->setObjectName(u"runRate"_s);
    layout->addWidget(rate_);
    epoch_ = make_label({}, this);
    epoch_->setObjectName(u"runEpoch"_s);
    layout->addWidget(epoch_);
    bar_ = new QProgressBar(this);
    bar_->setObjectName(u"epochProgress"_s);
    bar_->setAccessibleName(tr("Progress of the epoch"));
    bar_->setRange(0, 1000);
    bar_->setTextVisible(false);
    bar_->setFixedWidth(140);
    layout->addWidget(bar_);
    eta_ = make_label({}, this, "muted");
    eta_->setObjectName(u"epochEta"_s);
    layout->addWidget(eta_);

    bundle_ = make_button(tr("Save failure &bundle…"), "bundleButton", this);
    bundle_->setToolTip(tr("The run as one file for others, without secrets"));
    layout->addWidget(bundle_);
    connect(bundle_, &QPushButton::clicked, this, &RunHeader::bundleRequested);
    again_ = make_button(tr("Run &again…"), "againButton", this);
    again_->setToolTip(tr("Opens Launch with the job of this run"));
    layout->addWidget(again_);
    pause_ = make_button({}, "pauseButton", this);
    layout->addWidget(pause_);
    connect(again_, &QPushButton::clicked, this, &RunHeader::againRequested);
    connect(pause_, &QPushButton::clicked, this, [this] { emit pauseRequested(pauses_); });
    stop_ = make_button(tr("&Stop"), "stopButton", this, "danger");
    layout->addWidget(stop_);
    droppable_ = {{{bar_}, {accuracy_}, {elapsed_, true}, {epoch_}, {eta_}}};
    connect(stop_, &QPushButton::clicked, this, [this] { emit stopRequested(force_); });
}

void RunHeader::set_run(const LiveData& run, const RunControl& control, std::int64_t now_us) {
    const RunState& state = run.state;
    name_->set_full_text(qs(state.name));
    const std::int64_t end = state.outcome == Outcome::Running && control.live ? now_us : state.last_us;
    QString elapsed = duration_us_text(state.start_us, end);
    if (state.restarts > 0) {
        elapsed += u" · "_s % tr("restarted %n time(s)", nullptr, state.restarts);
    }
    elapsed_->setText(elapsed);
    const RunStanding standing = run_standing(run, control, now_us);
    show_outcome(state.outcome, standing);
    const ThroughputReport rates = standing.advancing ? throughput_of(state) : ThroughputReport();
    rate_->setText(rates_text(rates));
    if (const QString tip = rates_tip(rates); rate_->accessibleDescription() != tip) {
        rate_->setToolTip(wrapped_tip(tip));
        rate_->setAccessibleDescription(tip);
    }
    rate_->setVisible(!rate_->text().isEmpty());
    accuracy_->setText(state.validations.empty()
                           ? QString()
                           : tr("Validation %1").arg(percent_text(state.validations.back().acc1, 2)));
    const auto published = state.plan.cost ? state.plan.cost->published_accuracy : std::nullopt;
    const QString tip = published ? qs(published_text(*published)) : QString();
    accuracy_->setToolTip(tip);
    accuracy_->setAccessibleDescription(tip);
    want(accuracy_, !accuracy_->text().isEmpty());
    show_progress(state, standing.advancing);
    show_buttons(state, control);
    fit();
}

void RunHeader::want(QWidget* part, bool wanted) {
    std::find_if(droppable_.begin(), droppable_.end(), [part](const Droppable& each) {
        return each.part == part;
    })->wanted = wanted;
}

int RunHeader::width_without(std::size_t dropped) const {
    const QMargins edges = layout()->contentsMargins();
    int needed = edges.left() + edges.right();
    for (int i = 0; i < layout()->count(); ++i) {
        const QWidget* part = layout()->itemAt(i)->widget();
        if (!part) {
            continue;
        }
        const auto* const found = std::find_if(droppable_.begin(), droppable_.end(),
                                               [part](const Droppable& each) { return each.part == part; });
        const bool shown = found == droppable_.end()
                               ? !part->isHidden()
                               : found->wanted && std::size_t(found - droppable_.begin()) >= dropped;
        if (shown) {
            needed += std::max(part->minimumSizeHint().width(), part->minimumWidth()) + layout()->spacing();
        }
    }
    return needed;
}

void RunHeader::fit() {
    std::size_t dropped = 0;
    while (dropped < droppable_.size() && width_without(dropped) > width()) {
        ++dropped;
    }
    for (std::size_t i = 0; i < droppable_.size(); ++i) {
        droppable_[i].part->setVisible(droppable_[i].wanted && i >= dropped);
    }
}

QSize RunHeader::minimumSizeHint() const {
    return {width_without(droppable_.size()), QWidget::minimumSizeHint().height()};
}

void RunHeader::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void RunHeader::show_outcome(Outcome outcome, const RunStanding& standing) {
    pill_outcome_ = outcome;
    pill_sign_ = standing.sign;
    if (outcome_->text() != standing.text) {
        outcome_->setText(standing.text);
        outcome_->setAccessibleName(tr("Outcome: %1").arg(standing.text));
    }
    if (outcome_->accessibleDescription() != standing.tip) {
        outcome_->setToolTip(wrapped_tip(standing.tip));
        outcome_->setAccessibleDescription(standing.tip);
    }
    style_pill();
}

void RunHeader::style_pill() {
    const ThemeColors colors = theme_colors(palette());
    const QColor color = pill_sign_ == StandingSign::Error     ? colors.bad
                         : pill_sign_ == StandingSign::Warning ? colors.warning
                                                               : outcome_color(pill_outcome_, colors);
    if (outcome_->property("pillColor").value<QColor>() != color) {
        outcome_->setProperty("pillColor", color);
        outcome_->setStyleSheet(u"background-color: %1; color: %2;"_s.arg(
            color.name(), colors.dark ? u"#14171a"_s : u"#ffffff"_s));
    }
}

void RunHeader::show_progress(const RunState& state, bool advancing) {
    const double progress = state.epoch_progress();
    const bool known = progress >= 0 && state.epochs > 0 && state.outcome == Outcome::Running;
    want(epoch_, known);
    want(bar_, known);
    want(eta_, known && advancing);
    if (!known) {
        return;
    }
    const double done = state.steps_per_epoch > 0 ? state.progress() * double(state.epochs) : 0;
    const auto epoch = std::clamp<std::int64_t>(std::int64_t(std::floor(done)) + 1, 1, state.epochs);
    epoch_->setText(tr("Epoch %1 of %2").arg(epoch).arg(state.epochs));
    bar_->setValue(int(std::lround(std::clamp(progress, 0.0, 1.0) * 1000)));
    const double epoch_eta = state.epoch_eta_s();
    const double eta = state.eta_s();
    QString text = epoch_eta >= 0 ? tr("%1 left").arg(duration_text(std::ceil(epoch_eta))) : QString();
    if (eta >= 0 && epoch_eta >= 0 && epoch < state.epochs) {
        text = tr("epoch %1, run %2 left")
                   .arg(duration_text(std::ceil(epoch_eta)), duration_text(std::ceil(eta)));
    }
    eta_->setText(text);
}

void RunHeader::show_notices(const RunControl& control) {
    notices_open_ = control.notices_open;
    const QString text = tr("%n &notice(s)", nullptr, control.notices);
    notices_->setText(QString(text % (notices_open_ ? u" ▴"_s : u" ▾"_s)));
    QFont font = notices_->font();
    font.setBold(control.new_notices);
    notices_->setFont(font);
    notices_->setVisible(control.notices > 0);
}

void RunHeader::show_buttons(const RunState& state, const RunControl& control) {
    why_->setVisible(control.has_verdict);
    show_notices(control);
    bundle_->setVisible(!control.live && control.is_stored);
    again_->setVisible(!control.live && control.can_repeat);
    pause_->setVisible(control.live && !control.stopping);
    pause_->setEnabled(control.can_pause);
    pauses_ = !control.pause_wanted;
    pause_->setText(pauses_ ? tr("&Pause") : tr("&Continue"));
    pause_->setToolTip(state.queue          ? tr("The launcher of this run cannot pause it")
                       : !control.can_pause ? tr("Once all ranks are started")
                       : pauses_ ? tr("SIGSTOP to all processes of the ranks; memory and GPUs stay in use")
                                 : tr("SIGCONT to all processes of the ranks"));
    force_ = control.stopping;
    stop_->setVisible(control.live);
    stop_->setEnabled(!control.force_sent);
    stop_->setText(control.force_sent ? tr("Force stop sent")
                   : control.stopping ? tr("Force &stop")
                                      : tr("&Stop"));
    stop_->setToolTip(control.force_sent ? tr("Nodes that do not answer receive it when they are back")
                      : control.stopping
                          ? tr("SIGKILL to every rank at once")
                          : tr("SIGTERM to every rank on every node, then SIGKILL after the grace time"));
}

void RunHeader::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !outcome_->text().isEmpty()) {
        style_pill();
    }
}

}  // namespace rankscope::gui
