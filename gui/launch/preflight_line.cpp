// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/preflight_line.h>
#include <gui/models/checks_model.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kSign = 18;

}  // namespace

PreflightLine::PreflightLine(PreflightSession* preflight, QWidget* parent)
    : QWidget(parent), preflight_(preflight), sign_(new QLabel(this)), text_(new ElidedLabel(this)) {
    setObjectName(u"preflightLine"_s);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    sign_->setFixedSize(kSign, kSign);
    text_->setObjectName(u"preflightText"_s);
    check_ = make_button(tr("Check nodes"), "preflightCheck", this);
    check_->setToolTip(tr("A quick preflight: about a second, starts nothing"));
    cancel_ = make_button(tr("Cancel"), "preflightCancel", this);
    doctor_ = make_button(tr("Show in Doctor"), "preflightDoctor", this);
    layout->addWidget(sign_);
    layout->addWidget(text_, 1);
    layout->addWidget(doctor_);
    layout->addWidget(check_);
    layout->addWidget(cancel_);
    connect(check_, &QPushButton::clicked, this, [this] { preflight_->start(job_, PreflightDepth::Quick); });
    connect(cancel_, &QPushButton::clicked, preflight_, &PreflightSession::cancel);
    connect(doctor_, &QPushButton::clicked, this, &PreflightLine::doctorRequested);
    connect(preflight_, &PreflightSession::changed, this, &PreflightLine::refresh);
    connect(preflight_, &PreflightSession::progressed, this, &PreflightLine::refresh);
    refresh();
}

void PreflightLine::set_job(const Job& job, bool may_run) {
    job_ = job;
    job_text_ = to_yaml(job);
    may_run_ = may_run;
    refresh();
}

void PreflightLine::refresh() {
    const bool running = preflight_->running();
    const bool of_this_job = preflight_->job() && to_yaml(*preflight_->job()) == job_text_;
    check_->setVisible(!running);
    check_->setEnabled(may_run_);
    cancel_->setVisible(running);
    doctor_->setVisible(!running && of_this_job && preflight_->report());
    set_style_property(text_, "role", u"muted"_s);
    if (running) {
        show_sign({});
        text_->set_full_text(preflight_->progress().isEmpty()
                                 ? tr("Checking the nodes…")
                                 : tr("Checking the nodes: %1").arg(preflight_->progress()));
    } else if (of_this_job && preflight_->report()) {
        show_report(*preflight_->report());
    } else if (of_this_job && preflight_->failure()) {
        show_sign(CheckStatus::Fail);
        text_->set_full_text(failure_line(*preflight_->failure()));
    } else {
        show_sign({});
        QString text = preflight_->report() ? tr("The job has changed since its nodes were checked.")
                                            : tr("The nodes are not checked yet.");
        text += u' ';
        text += job_.preflight == StartPreflight::Off ? tr("Start does not check them: preflight is off.")
                                                      : tr("Start checks them first.");
        text_->set_full_text(text);
    }
}

void PreflightLine::show_report(const PreflightReport& report) {
    const CheckCounts counts = count_checks(report.checks);
    if (counts.failed > 0) {
        const auto first = std::find_if(report.checks.begin(), report.checks.end(),
                                        [](const Check& check) { return check.status == CheckStatus::Fail; });
        show_sign(CheckStatus::Fail);
        set_style_property(text_, "role", u"fieldError"_s);
        const QString more = counts.failed > 1 ? tr(" (and %1 more)").arg(counts.failed - 1) : QString();
        text_->set_full_text(qs(first->detail).simplified() + more);
        return;
    }
    show_sign(counts.warned > 0 ? CheckStatus::Warn : CheckStatus::Pass);
    const auto nodes = int(report.nodes.size());
    QStringList parts{nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(nodes),
                      tr("%1 checks passed in %2").arg(counts.passed).arg(duration_text(report.seconds))};
    if (counts.warned > 0) {
        const Check& first = report.checks.front();  // the most serious
        const QString detail = qs(first.detail).simplified();
        parts += counts.warned == 1 ? tr("1 warning: %1").arg(detail)
                                    : tr("%1 warnings, the first: %2").arg(counts.warned).arg(detail);
    }
    text_->set_full_text(parts.join(u", "_s));
}

void PreflightLine::show_sign(std::optional<CheckStatus> status) {
    status_ = status;
    sign_->setPixmap(status ? check_icon(*status, theme_colors(palette())).pixmap(kSign, kSign) : QPixmap());
    sign_->setAccessibleName(status ? check_status_text(*status) : QString());
    sign_->setVisible(status.has_value());
}

void PreflightLine::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        show_sign(status_);
    }
}

}  // namespace rankscope::gui
