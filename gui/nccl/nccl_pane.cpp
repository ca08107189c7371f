// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/folded_tab.h>
#include <gui/nccl/map_tab.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/nccl_tab.h>
#include <gui/nccl/settings_tab.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kTextWidth = 520;

QString title_of(NcclAbsence absence) {
    switch (absence) {
        case NcclAbsence::None:
        case NcclAbsence::Nothing:
            return NcclPane::tr("No logs yet");
        case NcclAbsence::Reading:
            return NcclPane::tr("Reading…");
        case NcclAbsence::Waiting:
            return NcclPane::tr("No line of NCCL yet");
        case NcclAbsence::Gloo:
            return NcclPane::tr("This run uses Gloo");
        case NcclAbsence::NoLines:
            return NcclPane::tr("NCCL printed nothing");
    }
    return {};
}

QString text_of(NcclAbsence absence, bool of_run) {
    switch (absence) {
        case NcclAbsence::None:
        case NcclAbsence::Nothing:
            return NcclPane::tr("Open the logs of a run: nodes, rings and transports of NCCL appear here.");
        case NcclAbsence::Reading:
            return NcclPane::tr("The lines of NCCL appear here as soon as one is found.");
        case NcclAbsence::Waiting:
            return NcclPane::tr(
                "NCCL prints its lines when the ranks create a communicator, and only with the variable "
                "NCCL_DEBUG=INFO in the job's environment.");
        case NcclAbsence::Gloo:
            return NcclPane::tr(
                "Gloo has no rings, trees or NCCL settings to show. NCCL needs a GPU for each rank: set the "
                "backend to nccl in Launch.");
        case NcclAbsence::NoLines:
            return of_run
                       ? NcclPane::tr(
                             "NCCL prints what it does only with the variable NCCL_DEBUG=INFO in the job's "
                             "environment. With NCCL_DEBUG_FILE it prints into a file: open that in Logs.")
                       : NcclPane::tr(
                             "These logs have no line of NCCL. Start the job with NCCL_DEBUG=INFO, and "
                             "open the output of all ranks.");
    }
    return {};
}

}  // namespace

NcclAbsence absence_of(const NcclData& data) {
    const NcclSnapshot& snapshot = *data.snapshot();
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

NcclPane::NcclPane(NcclData* data, QWidget* parent)
    : QWidget(parent), data_(data), stack_(new QStackedWidget(this)), tabs_(new QTabWidget(this)) {
    setObjectName(u"ncclPane"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    tabs_->setObjectName(u"ncclTabs"_s);
    tabs_->setDocumentMode(true);
    tabs_->tabBar()->setAccessibleName(tr("Views of NCCL"));
    add_tab(new MapTab(data_->pool(), this), tr("Map"));
    stack_->addWidget(make_empty());
    stack_->addWidget(tabs_);
    add_tab(new CollectivesTab(this), tr("Collectives"));
    add_tab(new FoldedTab(this), tr("NCCL log"));
    add_tab(new SettingsTab(this), tr("Settings"));
    setFocusProxy(tabs_);
    connect(data_, &NcclData::changed, this, &NcclPane::refresh);
    refresh();
}

QWidget* NcclPane::make_empty() {
    auto* empty = new QWidget(this);
    auto* layout = new QVBoxLayout(empty);
    layout->setSpacing(8);
    empty_title_ = make_label({}, empty, "emptyTitle");
    empty_title_->setObjectName(u"ncclEmptyTitle"_s);
    empty_text_ = make_label({}, empty, "emptyText");
    empty_text_->setObjectName(u"ncclEmptyText"_s);
    empty_text_->setWordWrap(true);
    empty_text_->setAlignment(Qt::AlignHCenter);
    empty_text_->setFixedWidth(kTextWidth);
    set_debug_ = make_button(tr("Set &NCCL_DEBUG=INFO in Launch"), "ncclSetDebug", empty);
    layout->addStretch(2);
    layout->addWidget(empty_title_, 0, Qt::AlignHCenter);
    layout->addWidget(empty_text_, 0, Qt::AlignHCenter);
    layout->addWidget(set_debug_, 0, Qt::AlignHCenter);
    layout->addStretch(3);
    connect(set_debug_, &QPushButton::clicked, this, [this] {
        emit jobRequested({{"env.NCCL_DEBUG", "INFO"}});
    });
    return empty;
}

void NcclPane::add_tab(NcclTab* tab, const QString& title) {
    all_.push_back(tab);
    tabs_->addTab(tab, title);
    connect(tab, &NcclTab::lineRequested, this, &NcclPane::lineRequested);
    connect(tab, &NcclTab::jobRequested, this, &NcclPane::jobRequested);
}

void NcclPane::refresh() {
    for (NcclTab* tab : all_) {
        tab->set_run(data_->run());
        tab->set_snapshot(data_->snapshot());
    }
    const NcclAbsence absence = absence_of(*data_);
    const bool shown = absence == NcclAbsence::None ||
                       std::any_of(all_.begin(), all_.end(), [](NcclTab* tab) { return tab->has_content(); });
    if (shown && absence != NcclAbsence::None && stack_->currentIndex() == 0) {
        // Not all tabs have something to show without a line of NCCL: begin with one that has.
        const auto first =
            std::find_if(all_.begin(), all_.end(), [](const NcclTab* tab) { return tab->has_content(); });
        tabs_->setCurrentIndex(int(first - all_.begin()));
    }
    stack_->setCurrentIndex(shown ? 1 : 0);
    empty_title_->setText(title_of(absence));
    empty_text_->setText(text_of(absence, data_->run() != nullptr));
    // A wrapped label that is aligned gets the height of a single line from its layout.
    empty_text_->ensurePolished();
    empty_text_->setFixedHeight(empty_text_->heightForWidth(kTextWidth));
    const bool can_set = data_->run() && !data_->run()->data().job_yaml.empty();
    set_debug_->setVisible(can_set && (absence == NcclAbsence::NoLines || absence == NcclAbsence::Waiting));
}

}  // namespace rankscope::gui
