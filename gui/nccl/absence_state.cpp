// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/absence_state.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::gui {

namespace {

constexpr int kTextWidth = 520;

QString title_of(NcclAbsence absence) {
    switch (absence) {
        case NcclAbsence::None:
        case NcclAbsence::Nothing:
            return AbsenceState::tr("No logs yet");
        case NcclAbsence::Reading:
            return AbsenceState::tr("Reading…");
        case NcclAbsence::Waiting:
            return AbsenceState::tr("No line of NCCL yet");
        case NcclAbsence::Gloo:
            return AbsenceState::tr("This run uses Gloo");
        case NcclAbsence::NoLines:
            return AbsenceState::tr("NCCL printed nothing");
    }
    return {};
}

QString text_of(NcclAbsence absence, bool of_run) {
    switch (absence) {
        case NcclAbsence::None:
        case NcclAbsence::Nothing:
            return AbsenceState::tr(
                "Open the logs of a run: nodes, rings and transports of NCCL appear here.");
        case NcclAbsence::Reading:
            return AbsenceState::tr("The lines of NCCL appear here as soon as one is found.");
        case NcclAbsence::Waiting:
            return AbsenceState::tr(
                "NCCL prints its lines when the ranks create a communicator, and only with the variable "
                "NCCL_DEBUG=INFO in the job's environment.");
        case NcclAbsence::Gloo:
            return AbsenceState::tr(
                "Gloo has no rings, trees or NCCL settings to show. NCCL needs a GPU for each rank: set the "
                "backend to nccl in Launch.");
        case NcclAbsence::NoLines:
            return of_run
                       ? AbsenceState::tr(
                             "NCCL prints what it does only with the variable NCCL_DEBUG=INFO in the job's "
                             "environment. With NCCL_DEBUG_FILE it prints into a file: open that in Logs.")
                       : AbsenceState::tr(
                             "These logs have no line of NCCL. Start the job with NCCL_DEBUG=INFO, and "
                             "open the output of all ranks.");
    }
    return {};
}

}  // namespace

NcclAbsence absence_of(const NcclData& data) {
    const ReadingSnapshot& snapshot = *data.snapshot();
    if (snapshot.facts.nccl_lines > 0) {
        return NcclAbsence::None;
    }
    if (data.reading()) {
        return NcclAbsence::Reading;
    }
    if (snapshot.gloo_lines > 0 || (data.run() && data.run()->state().plan.backend == "gloo")) {
        return NcclAbsence::Gloo;
    }
    if (data.run() && !snapshot.complete) {
        return NcclAbsence::Waiting;
    }
    return !data.run() && !snapshot.complete ? NcclAbsence::Nothing : NcclAbsence::NoLines;
}

AbsenceState::AbsenceState(QWidget* parent)
    : QWidget(parent),
      title_(make_label({}, this, "emptyTitle")),
      text_(make_label({}, this, "emptyText")),
      set_debug_(make_button(tr("Set NCCL_DEB&UG=INFO in Launch"), "ncclSetDebug", this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    title_->setObjectName(u"ncclEmptyTitle"_s);
    text_->setObjectName(u"ncclEmptyText"_s);
    text_->setWordWrap(true);
    text_->setAlignment(Qt::AlignHCenter);
    text_->setFixedWidth(kTextWidth);
    layout->addStretch(2);
    layout->addWidget(title_, 0, Qt::AlignHCenter);
    layout->addWidget(text_, 0, Qt::AlignHCenter);
    layout->addWidget(set_debug_, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(set_debug_, &QPushButton::clicked, this, &AbsenceState::debugRequested);
}

void AbsenceState::set_absence(NcclAbsence absence, const NcclData& of) {
    title_->setText(title_of(absence));
    text_->setText(text_of(absence, of.run() != nullptr));
    // A wrapped label that is aligned gets the height of a single line from its layout.
    text_->ensurePolished();
    fit_height(text_, kTextWidth);
    const bool can_set = of.run() && !of.run()->data().job_yaml.empty();
    set_debug_->setVisible(can_set && (absence == NcclAbsence::NoLines || absence == NcclAbsence::Waiting));
}

}  // namespace rankscope::gui
