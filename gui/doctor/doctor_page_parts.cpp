// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The widgets of the Doctor page.

#include <gui/actions/key_hint.h>
#include <gui/doctor/check_details.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/nodes_button.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/models/checked_nodes_model.h>
#include <gui/models/checks_model.h>
#include <gui/models/examined_ranks_model.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace rankscope::gui {

namespace {

constexpr int kLeftWidth = 500;
constexpr int kRightWidth = 680;
constexpr int kSignSize = 22;

}  // namespace

QWidget* DoctorPage::make_head() {
    auto* head = new QWidget(this);
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(make_label(tr("Doctor"), head, "pageTitle"));
    subject_text_ = new ElidedLabel(head);
    subject_text_->setObjectName(u"doctorSubject"_s);
    subject_text_->setProperty("role", u"muted"_s);
    layout->addWidget(subject_text_, 1);
    choose_ = make_button(tr("&Inspect…"), "doctorChoose", head);
    choose_->setToolTip(tr("The job in Launch, a run, or nodes of the inventory"));
    auto* subjects = new QMenu(choose_);
    subjects->setObjectName(u"doctorSubjects"_s);
    choose_->setMenu(subjects);
    connect(subjects, &QMenu::aboutToShow, this, [this, subjects] { fill_subjects(subjects); });
    layout->addWidget(choose_);
    open_ = make_button(tr("&Open job file…"), "doctorOpenJob", head);
    nodes_ = new NodesButton(head);
    nodes_->setObjectName(u"doctorNodes"_s);
    nodes_->setToolTip(tr("Which nodes of the job are inspected"));
    quick_ = make_button(tr("&Quick"), "doctorQuick", head);
    quick_->setToolTip(tr("About a second: without loss, bandwidth and versions"));
    full_ = make_button(tr("Run &preflight"), "doctorFull", head, "primary");
    full_->setToolTip(tr("Everything: some seconds"));
    show_keys(full_, u"run.preflight"_s);
    cancel_ = make_button(tr("&Cancel"), "doctorCancel", head);
    for (QWidget* widget : std::initializer_list<QWidget*>{open_, nodes_, quick_, full_, cancel_}) {
        layout->addWidget(widget);
    }
    return head;
}

QWidget* DoctorPage::make_progress() {
    progress_ = new QWidget(this);
    auto* layout = new QHBoxLayout(progress_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    auto* bar = new QProgressBar(progress_);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedWidth(180);
    bar->setAccessibleName(tr("Preflight in progress"));
    progress_text_ = new ElidedLabel(progress_);
    progress_text_->setObjectName(u"doctorProgress"_s);
    progress_text_->setProperty("role", u"muted"_s);
    layout->addWidget(bar);
    layout->addWidget(progress_text_, 1);
    return progress_;
}

QWidget* DoctorPage::make_summary() {
    auto* card = new QFrame(this);
    card->setProperty("role", u"card"_s);
    auto* layout = new QHBoxLayout(card);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(10);
    sign_ = new QLabel(card);
    sign_->setFixedSize(kSignSize, kSignSize);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    title_ = make_label({}, card);
    title_->setObjectName(u"doctorTitle"_s);
    QFont bold = title_->font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.1);
    title_->setFont(bold);
    about_ = make_label({}, card, "muted");
    about_->setObjectName(u"doctorAbout"_s);
    about_->setWordWrap(true);
    texts->addWidget(title_);
    texts->addWidget(about_);
    start_ = make_button({}, "doctorStart", card, "primary");
    layout->addWidget(sign_, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
    layout->addWidget(start_, 0, Qt::AlignTop);
    return card;
}

QWidget* DoctorPage::make_content() {
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(10);
    layout->addWidget(make_summary());
    applied_ = new QFrame(content);
    applied_->setObjectName(u"appliedFixes"_s);
    applied_->setProperty("role", u"card"_s);
    auto* applied = new QVBoxLayout(applied_);
    applied->setContentsMargins(12, 8, 12, 8);
    applied->setSpacing(4);
    applied->addWidget(make_label(tr("Applied from here"), applied_, "sectionTitle"));
    applied_rows_ = new QVBoxLayout;
    applied->addLayout(applied_rows_);
    layout->addWidget(applied_);
    auto* columns = new QSplitter(Qt::Horizontal, content);
    columns->setChildrenCollapsible(false);
    columns->setHandleWidth(10);
    tabs_ = new QTabWidget(columns);
    tabs_->setObjectName(u"doctorTabs"_s);
    tabs_->setDocumentMode(true);
    tabs_->addTab(make_connections(), tr("Connections"));
    node_table_ = new FittedTable(tabs_);
    tune_table(node_table_, "doctorNodeTable", tr("Nodes"));
    node_model_ = new CheckedNodesModel(this);
    node_table_->setModel(node_model_);
    node_table_->set_droppable({CheckedNodesModel::Why, CheckedNodesModel::Address});
    node_table_->setSelectionMode(QAbstractItemView::SingleSelection);
    node_table_->setItemDelegate(
        new CheckDelegate(CheckedNodesModel::Result, CheckedNodesModel::StatusRole, node_table_));
    tabs_->addTab(node_table_, tr("Nodes"));
    rank_table_ = new FittedTable(tabs_);
    tune_table(rank_table_, "doctorRankTable", tr("Ranks"));
    rank_model_ = new ExaminedRanksModel(this);
    rank_table_->setModel(rank_model_);
    rank_table_->set_droppable({ExaminedRanksModel::Pid, ExaminedRanksModel::Cpu});
    tabs_->addTab(rank_table_, tr("Ranks"));
    columns->addWidget(tabs_);
    columns->addWidget(make_checks());
    columns->setStretchFactor(0, 3);
    columns->setStretchFactor(1, 4);
    columns->setSizes({kLeftWidth, kRightWidth});
    layout->addWidget(columns, 1);
    return content;
}

QWidget* DoctorPage::make_connections() {
    auto* area = new QWidget(this);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 8, 0, 0);
    layout->setSpacing(6);
    matrix_ = new PairMatrix(area);
    layout->addWidget(matrix_, 1);
    single_ = make_label(tr("The job has one node: there are no connections to test."), area, "muted");
    single_->setObjectName(u"doctorSingle"_s);
    single_->setAlignment(Qt::AlignCenter);
    single_->setWordWrap(true);
    layout->addWidget(single_, 1);
    legend_ = new QWidget(area);
    auto* legend = new QHBoxLayout(legend_);
    legend->setContentsMargins(0, 0, 0, 0);
    legend->setSpacing(5);
    for (const PairState state :
         {PairState::Fine, PairState::Warned, PairState::Failed, PairState::Untested}) {
        auto* sign = new QLabel(legend_);
        sign->setObjectName(u"legendSign%1"_s.arg(int(state)));
        sign->setAccessibleName(pair_state_text(state));
        legend->addWidget(sign);
        legend->addWidget(make_label(pair_state_text(state), legend_, "muted"));
        legend->addSpacing(10);
    }
    legend->addStretch();
    layout->addWidget(legend_);
    pair_text_ = new QPlainTextEdit(area);
    pair_text_->setObjectName(u"pairText"_s);
    pair_text_->setAccessibleName(tr("What was tried, and what came back"));
    pair_text_->setReadOnly(true);
    pair_text_->setTabChangesFocus(true);
    pair_text_->setPlaceholderText(tr("Choose a square: what was tried there, and what came back."));
    layout->addWidget(pair_text_);
    return area;
}

QWidget* DoctorPage::make_checks() {
    auto* area = new QWidget(this);
    auto* layout = new QVBoxLayout(area);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    auto* bar = new QHBoxLayout;
    filter_ = new ElidedLabel(area);
    filter_->setProperty("role", u"sectionTitle"_s);
    filter_->setObjectName(u"checkFilter"_s);
    show_all_ = make_button(tr("Show &all"), "checkShowAll", area);
    bar->addWidget(filter_, 1);
    bar->addWidget(show_all_);
    layout->addLayout(bar);
    auto* rows = new QSplitter(Qt::Vertical, area);
    rows->setChildrenCollapsible(false);
    rows->setHandleWidth(8);
    check_table_ = new QTableView(rows);
    tune_table(check_table_, "checkTable", tr("Checks"));
    check_model_ = new ChecksModel(this);
    check_table_->setModel(check_model_);
    check_table_->setSelectionMode(QAbstractItemView::SingleSelection);
    check_table_->setItemDelegate(
        new CheckDelegate(ChecksModel::Status, ChecksModel::StatusRole, check_table_));
    check_table_->horizontalHeader()->setSectionResizeMode(ChecksModel::Text, QHeaderView::Stretch);
    check_table_->setMinimumHeight(90);
    details_ = new CheckDetails(workspace_->fixes(), rows);
    details_->setMinimumHeight(120);
    rows->addWidget(check_table_);
    rows->addWidget(details_);
    rows->setStretchFactor(0, 2);
    rows->setStretchFactor(1, 3);
    rows->setSizes({240, 340});
    layout->addWidget(rows, 1);
    return area;
}

}  // namespace rankscope::gui
