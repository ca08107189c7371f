// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/plan_view.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr qsizetype kMostStages = 9;  // and a line for all of them

}  // namespace

QString plan_summary(const LaunchPlan& plan) {
    const QString ranks =
        plan.world_size == 1 ? PlanView::tr("1 rank") : PlanView::tr("%1 ranks").arg(plan.world_size);
    const QString nodes =
        plan.nodes.size() == 1 ? PlanView::tr("1 node") : PlanView::tr("%1 nodes").arg(plan.nodes.size());
    return PlanView::tr("%1 on %2 · %3 · master %4").arg(ranks, nodes, qs(plan.backend), master_text(plan));
}

PlanView::PlanView(QWidget* parent) : QWidget(parent), model_(new PlanModel(this)) {
    setObjectName(u"planView"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* top = new QHBoxLayout;
    top->addWidget(make_label(tr("Plan"), this, "sectionTitle"));
    summary_ = new ElidedLabel(this);
    summary_->setObjectName(u"planSummary"_s);
    top->addWidget(summary_);
    top->addStretch(1);
    copy_ = make_button(tr("&Copy plan"), "planCopy", this);
    copy_as_ = make_button(tr("Copy &as"), "planCopyAs", this);
    copy_as_->setToolTip(tr("What to type into another launcher to start the same ranks"));
    auto* tools = new QMenu(copy_as_);
    for (const LauncherTool tool : all_launcher_tools()) {
        tools->addAction(QString::fromLatin1(to_string(tool)), this, [this, tool] { copy_as(tool); });
    }
    copy_as_->setMenu(tools);
    top->addWidget(copy_as_);
    top->addWidget(copy_);
    layout->addLayout(top);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "planFault", this);
    layout->addWidget(fault_);
    notes_ = make_label({}, this, "muted");
    notes_->setObjectName(u"planNotes"_s);
    notes_->setWordWrap(true);
    layout->addWidget(notes_);

    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(8);
    table_ = new QTableView(splitter);
    tune_table(table_, "planTable", tr("Plan, rank by rank"));
    table_->setModel(model_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setColumnWidth(PlanModel::Rank, 56);
    table_->setColumnWidth(PlanModel::LocalRank, 84);
    table_->setColumnWidth(PlanModel::Device, 90);
    table_->hideColumn(PlanModel::Place);
    table_->setColumnWidth(PlanModel::Master, 190);
    table_->horizontalHeader()->setSectionResizeMode(PlanModel::Node, QHeaderView::Stretch);
    splitter->addWidget(table_);
    auto* lower = new QWidget(splitter);
    auto* lower_layout = new QVBoxLayout(lower);
    lower_layout->setContentsMargins(0, 0, 0, 0);
    lower_layout->setSpacing(4);
    rank_title_ = make_label({}, lower, "sectionTitle");
    rank_text_ = new QPlainTextEdit(lower);
    rank_text_->setObjectName(u"planRankText"_s);
    rank_text_->setAccessibleName(tr("Command and environment of the selected rank"));
    rank_text_->setReadOnly(true);
    rank_text_->setTabChangesFocus(true);
    rank_text_->setLineWrapMode(QPlainTextEdit::NoWrap);
    rank_text_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    lower_layout->addWidget(rank_title_);
    lower_layout->addWidget(rank_text_, 1);
    splitter->addWidget(lower);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    layout->addWidget(splitter, 1);

    connect(copy_, &QPushButton::clicked, this, [this] { copy_to_clipboard(qs(to_text(plan()))); });
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &PlanView::show_rank);
    set_empty({});
}

void PlanView::copy_as(LauncherTool tool) {
    const auto lines = write_launch_lines(tool, job_, plan());
    if (lines) {
        fault_->set_text({});
        copy_to_clipboard(qs(to_text(*lines)));
    } else {
        fault_->set_text(qs(lines.failure().what), qs(lines.failure().remedy));
    }
}

void PlanView::set_plan(const LaunchPlan& plan, const Job& job) {
    job_ = job;
    const int row = std::max(table_->currentIndex().row(), 0);
    fault_->set_text({});
    summary_->set_full_text(plan_summary(plan));
    QStringList notes;
    for (const std::string& line : division_texts(plan)) {
        notes += u"• "_s + qs(line);
    }
    notes_->setToolTip(plain_text(notes.join(u'\n')));
    if (notes.size() > kMostStages) {
        notes.resize(kMostStages);
        notes += u"• "_s + tr("… all of them in the copied plan");
    }
    for (const std::string& note : plan.notes) {
        notes += u"• "_s + qs(note);
    }
    notes_->setText(notes.join(u'\n'));
    notes_->setVisible(!notes.isEmpty());
    model_->set_plan(plan);
    table_->setColumnHidden(PlanModel::Place, model_->mesh().empty());
    if (!model_->mesh().empty()) {
        table_->resizeColumnToContents(PlanModel::Place);
    }
    copy_->setEnabled(true);
    copy_as_->setEnabled(true);
    table_->selectRow(std::min(row, model_->rowCount() - 1));
    show_rank();
}

void PlanView::set_failure(const Failure& failure) {
    set_empty({});
    fault_->set_text(qs(failure.what), qs(failure.remedy));
}

void PlanView::set_empty(const QString& why) {
    fault_->set_text({});
    model_->clear();
    summary_->set_full_text(why);
    notes_->hide();
    copy_->setEnabled(false);
    copy_as_->setEnabled(false);
    show_rank();
}

void PlanView::show_rank() {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    const RankPlan* rank = rows.isEmpty() ? nullptr : model_->rank_at(rows.first().row());
    rank_title_->setText(rank ? tr("Rank %1: command and environment").arg(rank->rank)
                              : tr("Command and environment of a rank"));
    rank_text_->setPlainText(rank ? model_->rank_text(rows.first().row()) : QString());
}

}  // namespace rankscope::gui
