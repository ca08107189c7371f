// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/absence_state.h>
#include <gui/nccl/collectives_tab.h>
#include <gui/nccl/folded_tab.h>
#include <gui/nccl/map_tab.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/nccl_tab.h>
#include <gui/nccl/pipeline_tab.h>
#include <gui/nccl/settings_tab.h>
#include <gui/strings.h>

#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

NcclPane::NcclPane(NcclData* data, QWidget* parent)
    : QWidget(parent),
      data_(data),
      stack_(new QStackedWidget(this)),
      absence_(new AbsenceState(this)),
      tabs_(new QTabWidget(this)) {
    setObjectName(u"ncclPane"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack_);
    tabs_->setObjectName(u"ncclTabs"_s);
    tabs_->setDocumentMode(true);
    tabs_->tabBar()->setAccessibleName(tr("Views of NCCL"));
    connect(absence_, &AbsenceState::debugRequested, this, &NcclPane::set_debug);
    stack_->addWidget(absence_);
    stack_->addWidget(tabs_);
    add_tab(new MapTab(data_->pool(), this), tr("Map"));
    add_tab(new CollectivesTab(this), tr("Collectives"));
    add_tab(new PipelineTab(this), tr("Pipeline"));
    add_tab(new FoldedTab(this), tr("NCCL log"));
    add_tab(new SettingsTab(this), tr("Settings"));
    setFocusProxy(tabs_);
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { chosen_ = true; });
    connect(data_, &NcclData::changed, this, &NcclPane::refresh);
    data_->set_looked_at(isVisible());
    refresh();
}

void NcclPane::showEvent(QShowEvent* event) {
    data_->set_looked_at(true);
    QWidget::showEvent(event);
}

void NcclPane::hideEvent(QHideEvent* event) {
    data_->set_looked_at(false);
    QWidget::hideEvent(event);
}

void NcclPane::add_tab(NcclTab* tab, const QString& title) {
    auto* page = new QStackedWidget(tabs_);
    auto* absence = new AbsenceState(page);
    page->addWidget(tab);
    page->addWidget(absence);
    page->setFocusProxy(tab);
    all_.push_back({tab, absence, page});
    tabs_->addTab(page, title);
    connect(tab, &NcclTab::lineRequested, this, &NcclPane::lineRequested);
    connect(tab, &NcclTab::jobRequested, this, &NcclPane::jobRequested);
    connect(tab, &NcclTab::rankChosen, this, &NcclPane::rankChosen);
    connect(tab, &NcclTab::rangeChosen, this, &NcclPane::rangeChosen);
    connect(absence, &AbsenceState::debugRequested, this, &NcclPane::set_debug);
}

void NcclPane::set_selected_ranks(const std::vector<int>& ranks) {
    for (const Shown& shown : all_) {
        shown.tab->set_selected(ranks);
    }
}

void NcclPane::set_range(const TimeSpan& span) {
    data_->set_range(span);
    refresh();
}

void NcclPane::set_debug() {
    emit jobRequested({{"env.NCCL_DEBUG", "INFO"}});
}

// Without a line of NCCL: begin with a tab that has something to show of the run. The variables alone do not say why there is
// nothing else.
void NcclPane::show_first_content(NcclAbsence absence) {
    const std::string run_id = data_->run() ? data_->run()->state().run_id : std::string();
    if (stack_->currentWidget() == absence_ || run_id != run_id_) {
        chosen_ = false;
        run_id_ = run_id;
    }
    if (absence == NcclAbsence::None || chosen_) {
        return;
    }
    const auto first = std::find_if(all_.begin(), all_.end() - 1,
                                    [](const Shown& shown) { return shown.tab->has_content(); });
    const QSignalBlocker by_itself(tabs_);
    tabs_->setCurrentIndex(first == all_.end() - 1 ? 0 : int(first - all_.begin()));
}

void NcclPane::refresh() {
    const NcclAbsence absence = absence_of(*data_);
    bool any = false;  ///< tab with something to show
    for (const Shown& shown : all_) {
        shown.tab->set_run(data_->run());
        shown.tab->set_snapshot(data_->snapshot());
        shown.tab->set_range(data_->range().span(), data_->range().report());
        const bool content = absence == NcclAbsence::None || shown.tab->has_content();
        shown.absence->set_absence(absence, *data_);
        shown.page->setCurrentWidget(content ? static_cast<QWidget*>(shown.tab) : shown.absence);
        any = any || content;
        const QSignalBlocker by_itself(tabs_);
        tabs_->setTabVisible(tabs_->indexOf(shown.page), shown.tab->is_wanted());
    }
    absence_->set_absence(absence, *data_);
    show_first_content(absence);
    stack_->setCurrentWidget(any ? static_cast<QWidget*>(tabs_) : absence_);
}

}  // namespace rankscope::gui
