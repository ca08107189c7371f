// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/key_hint.h>
#include <gui/doctor/check_details.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/fix_row.h>
#include <gui/doctor/nodes_button.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/launch/launch_page.h>
#include <gui/models/checked_nodes_model.h>
#include <gui/models/checks_model.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/style/table_delegates.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <gui/widgets/text_height.h>

#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kLeftWidth = 500;
constexpr int kRightWidth = 680;
constexpr std::size_t kFewNodes = 16;  ///< whose matrix leaves room for more lines below
constexpr int kPairLines = 8;
constexpr int kPairLinesOfMany = 4;
constexpr int kSign = 22;
constexpr int kWidestColumn = 190;  ///< of a table: room for a shortened name

}  // namespace

DoctorPage::DoctorPage(Workspace* workspace, LaunchPage* launch, QWidget* parent)
    : QWidget(parent), workspace_(workspace), launch_(launch), stack_(new QStackedWidget(this)) {
    setObjectName(u"doctorPage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    layout->addWidget(make_head());
    problem_ = new NoticeBar(NoticeBar::Kind::Fault, "doctorProblem", this);
    problem_->set_action(tr("Go to &Launch"));
    layout->addWidget(problem_);
    news_ = new NoticeBar(NoticeBar::Kind::News, "doctorNews", this);
    news_->set_action(tr("Re-c&heck"));
    layout->addWidget(news_);
    layout->addWidget(make_progress());
    empty_ = new EmptyState(tr("Find faults before the run does"),
                            tr("A preflight inspects the nodes of the job in Launch and every path between "
                               "them, as the run will use "
                               "them: ports, firewalls, interfaces, names, limits, versions. It starts "
                               "nothing and changes nothing."),
                            tr("Run &preflight"), this);
    empty_->setObjectName(u"doctorEmpty"_s);
    stack_->addWidget(empty_);
    stack_->addWidget(make_content());
    layout->addWidget(stack_, 1);
    setFocusProxy(check_table_);
    connect_parts();
    job_changed();
    refresh();
}

QWidget* DoctorPage::make_head() {
    auto* head = new QWidget(this);
    auto* layout = new QHBoxLayout(head);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(make_label(tr("Doctor"), head, "pageTitle"));
    subject_ = new ElidedLabel(head);
    subject_->setObjectName(u"doctorSubject"_s);
    subject_->setProperty("role", u"muted"_s);
    layout->addWidget(subject_, 1);
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
    sign_->setFixedSize(kSign, kSign);
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
    layout->addWidget(sign_, 0, Qt::AlignTop);
    layout->addLayout(texts, 1);
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

void DoctorPage::connect_parts() {
    PreflightSession* preflight = workspace_->preflight();
    connect(full_, &QPushButton::clicked, this, [this] { run(PreflightDepth::Full); });
    connect(quick_, &QPushButton::clicked, this, [this] { run(PreflightDepth::Quick); });
    connect(cancel_, &QPushButton::clicked, preflight, &PreflightSession::cancel);
    connect(empty_->button(), &QPushButton::clicked, this, [this] { run(PreflightDepth::Full); });
    connect(open_, &QPushButton::clicked, this, &DoctorPage::choose_job_file);
    connect(problem_, &NoticeBar::actionTriggered, this, &DoctorPage::launchRequested);
    connect(news_, &NoticeBar::actionTriggered, this, [this] { run(preflight_depth()); });
    connect(preflight, &PreflightSession::changed, this, &DoctorPage::refresh);
    connect(preflight, &PreflightSession::progressed, this,
            [this] { progress_text_->set_full_text(workspace_->preflight()->progress()); });
    connect(launch_, &LaunchPage::jobChanged, this, &DoctorPage::job_changed);
    connect(nodes_, &NodesButton::changed, this, &DoctorPage::show_problem);
    connect(workspace_->fixes(), &FixRunner::changed, this, &DoctorPage::show_applied);
    connect(workspace_->fixes(), &FixRunner::finished, this, [this] { run(preflight_depth()); });
    connect(details_, &CheckDetails::jobRequested, this, &DoctorPage::apply_to_job);
    connect(details_, &CheckDetails::recheckRequested, this, [this] { run(preflight_depth()); });
    connect(matrix_, &PairMatrix::currentChanged, this, &DoctorPage::pair_moved);
    connect(matrix_, &PairMatrix::chosen, this, &DoctorPage::filter_pair);
    connect(show_all_, &QPushButton::clicked, this, [this] {
        matrix_->set_current(-1, -1);
        node_table_->clearSelection();
        show_all_checks();
    });
    connect(check_table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &DoctorPage::check_selected);
    connect(node_table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        const QModelIndexList rows = node_table_->selectionModel()->selectedRows();
        if (!rows.isEmpty()) {
            filter_node(node_model_->node_at(rows.first().row()));
        }
    });
}

PreflightDepth DoctorPage::preflight_depth() const {
    return workspace_->preflight()->depth();
}

void DoctorPage::run(PreflightDepth depth) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!full_->isEnabled()) {
        return;
    }
    Job job = launch_->job();
    const std::vector<std::string> chosen = nodes_->chosen();
    if (chosen.size() < launch_->chosen_nodes().size()) {
        job.all_nodes = false;
        job.nodes = chosen;
    }
    news_->set_text({});
    workspace_->preflight()->start(job, depth);
}

void DoctorPage::choose_job_file() {
    auto* dialog =
        new QFileDialog(this, tr("Open a job file"), {}, tr("Job files (*.yaml *.yml);;All files (*)"));
    dialog->setObjectName(u"doctorJobDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { launch_->open_job(std::filesystem::path(ss(file))); });
    dialog->open();
}

void DoctorPage::apply_to_job(const std::map<std::string, std::string>& keys) {
    QStringList set;
    for (const auto& [key, value] : keys) {
        set += QString(qs(key) % u": "_s % qs(value));
    }
    const auto failure = launch_->set_job_keys(keys);
    news_->set_text(failure ? failure_text(*failure)
                            : tr("The job in Launch now has %1.").arg(set.join(u", "_s)));
}

void DoctorPage::job_changed() {
    subject_->set_full_text(launch_->job_title());
    nodes_->set_nodes(launch_->chosen_nodes());
    show_problem();
}

void DoctorPage::show_problem() {
    const PreflightSession* preflight = workspace_->preflight();
    QString reason = launch_->state().check_reason();
    if (reason.isEmpty() && nodes_->chosen().empty() && !launch_->chosen_nodes().empty()) {
        reason = tr("Choose at least one node.");
    }
    const bool may_run = reason.isEmpty() && !preflight->running();
    full_->setEnabled(may_run);
    quick_->setEnabled(may_run);
    empty_->button()->setEnabled(may_run);
    open_->setEnabled(!preflight->running());
    if (!reason.isEmpty()) {
        problem_->set_text(tr("The job in Launch cannot be inspected yet."), reason);
    } else if (preflight->failure() && !preflight->running()) {
        problem_->set_text(tr("The preflight could not run."), failure_text(*preflight->failure()));
    } else {
        problem_->set_text({});
    }
}

void DoctorPage::refresh() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const PreflightSession* preflight = workspace_->preflight();
    const bool running = preflight->running();
    progress_->setVisible(running);
    progress_text_->set_full_text(preflight->progress().isEmpty() ? tr("connecting") : preflight->progress());
    full_->setVisible(!running);
    quick_->setVisible(!running);
    cancel_->setVisible(running);
    if (preflight->report() != shown_) {
        show_report();
    }
    show_problem();
    stack_->setCurrentIndex(shown_ ? 1 : 0);
    empty_->setVisible(!shown_ && !running);
    show_applied();
}

void DoctorPage::show_report() {
    shown_ = workspace_->preflight()->report();
    check_model_->set_report(shown_);
    node_model_->set_report(shown_);
    matrix_->set_grid(shown_ ? PairGrid(shown_) : PairGrid());
    if (!shown_) {
        return;
    }
    const bool several = matrix_->grid().size() > 1;
    for (QWidget* widget : std::initializer_list<QWidget*>{matrix_, legend_, pair_text_}) {
        widget->setVisible(several);
    }
    single_->setVisible(!several);
    const int lines = matrix_->grid().size() <= kFewNodes ? kPairLines : kPairLinesOfMany;
    pair_text_->setFixedHeight(text_height(pair_text_->font(), lines) + 14);
    tabs_->setCurrentIndex(several ? 0 : 1);
    node_table_->setColumnHidden(CheckedNodesModel::Differs, node_model_->rowCount() < 2);
    node_table_->fit();
    show_summary();
    show_all_checks();
    pair_moved(matrix_->current_from(), matrix_->current_to());
}

void DoctorPage::show_summary() {
    const PreflightSession* preflight = workspace_->preflight();
    const CheckCounts counts = count_checks(shown_->checks);
    const auto nodes = int(matrix_->grid().size());
    CheckStatus status = CheckStatus::Pass;
    if (counts.failed > 0) {
        status = CheckStatus::Fail;
        title_->setText(tr("%1 of %2 checks failed").arg(counts.failed).arg(counts.all()));
    } else if (counts.warned > 0) {
        status = CheckStatus::Warn;
        title_->setText(counts.warned == 1 ? tr("No check failed, 1 warning")
                                           : tr("No check failed, %1 warnings").arg(counts.warned));
    } else {
        title_->setText(tr("All %1 checks passed").arg(counts.passed));
    }
    sign_->setPixmap(check_icon(status, theme_colors(palette())).pixmap(kSign, kSign));
    sign_->setAccessibleName(check_status_text(status));
    const QString depth =
        preflight->reported_depth() == PreflightDepth::Full ? tr("full preflight") : tr("quick preflight");
    const QString origin = preflight->run().isEmpty()
                               ? tr("%1 in %2").arg(depth, duration_text(shown_->seconds))
                               : tr("what the run %1 shows").arg(preflight->run());
    QStringList about{nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(nodes), counts_text(counts), origin,
                      date_time_text(preflight->finished_us())};
    if (shown_->plan.master_port != 0 && !shown_->plan.master_addr.empty()) {
        about +=
            tr("the ranks meet at %1:%2").arg(qs(shown_->plan.master_addr)).arg(shown_->plan.master_port);
    }
    QString text = about.join(u" · "_s);
    for (const std::string& untested : shown_->untested) {
        text += u'\n' % tr("Not tested: %1").arg(qs(untested));
    }
    about_->setText(text);
    const ThemeColors colors = theme_colors(palette());
    for (const PairState state :
         {PairState::Fine, PairState::Warned, PairState::Failed, PairState::Untested}) {
        auto* sign = legend_->findChild<QLabel*>(u"legendSign%1"_s.arg(int(state)));
        sign->setPixmap(pair_icon(state, colors).pixmap(14, 14));
    }
}

void DoctorPage::show_applied() {
    const std::vector<FixRunner::Entry> entries = workspace_->fixes()->applied();
    std::vector<Fix> fixes;
    std::vector<Fix> there;
    for (const FixRunner::Entry& entry : entries) {
        fixes.push_back(entry.fix);
    }
    for (int i = 0; i < applied_rows_->count(); ++i) {
        there.push_back(static_cast<FixRow*>(applied_rows_->itemAt(i)->widget())->fix());
    }
    if (fixes != there) {
        while (QLayoutItem* item = applied_rows_->takeAt(0)) {
            item->widget()->hide();  // its button may be what is being clicked
            item->widget()->deleteLater();
            delete item;
        }
        for (const Fix& fix : fixes) {
            applied_rows_->addWidget(new FixRow(fix, workspace_->fixes(), applied_));
        }
    }
    applied_->setVisible(!fixes.empty());
}

void DoctorPage::fit_checks() {
    for (const int column : {int(ChecksModel::Status), int(ChecksModel::Nodes)}) {
        check_table_->resizeColumnToContents(column);
        check_table_->setColumnWidth(column, std::min(check_table_->columnWidth(column) + 12, kWidestColumn));
    }
    if (check_model_->rowCount() > 0) {
        check_table_->selectRow(0);
    } else {
        check_selected();
    }
}

void DoctorPage::show_all_checks() {
    check_model_->show_all();
    filter_->set_full_text(tr("Checks"));
    show_all_->hide();
    fit_checks();
}

void DoctorPage::filter_node(const std::string& node) {
    check_model_->show_node(node);
    filter_->set_full_text(tr("Checks of %1").arg(qs(node)));
    show_all_->show();
    fit_checks();
}

void DoctorPage::filter_pair(int from, int to) {
    if (from < 0) {
        show_all_checks();
        return;
    }
    const PairGrid& grid = matrix_->grid();
    const std::string& source = grid.name(std::size_t(from));
    if (from == to) {
        filter_node(source);
        return;
    }
    const std::string& target = grid.name(std::size_t(to));
    check_model_->show_pair({source, target});
    const QString sentence =
        check_model_->rowCount() > 0 ? tr("Checks of %1 → %2") : tr("No fault from %1 to %2");
    filter_->set_full_text(sentence.arg(short_name(source), short_name(target)));
    show_all_->show();
    fit_checks();
}

void DoctorPage::check_selected() {
    const QModelIndexList rows = check_table_->selectionModel()->selectedRows();
    details_->set_check(rows.isEmpty() ? nullptr : check_model_->check_at(rows.first().row()));
}

void DoctorPage::pair_moved(int from, int to) {
    if (from < 0) {
        pair_text_->clear();
        return;
    }
    const PairGrid& grid = matrix_->grid();
    QStringList text{grid.title(std::size_t(from), std::size_t(to))};
    text += grid.lines(std::size_t(from), std::size_t(to));
    pair_text_->setPlainText(text.join(u'\n'));
}

void DoctorPage::show_run_report(const QString& run, const PreflightReport& report) {
    PreflightSession* preflight = workspace_->preflight();
    preflight->cancel();
    preflight->set_report({}, PreflightDepth::Quick, report, run);
    const PairGrid& grid = matrix_->grid();
    for (const Check& check : report.checks) {
        for (const NodePair& pair : check.pairs) {
            const std::size_t from = grid.find(pair.from);
            const std::size_t to = grid.find(pair.to);
            if (from < grid.size() && to < grid.size()) {
                tabs_->setCurrentIndex(0);
                matrix_->set_current(int(from), int(to));
                filter_pair(int(from), int(to));
                return;
            }
        }
    }
}

void DoctorPage::show_first_fault() {
    matrix_->set_current(-1, -1);
    show_all_checks();
    check_table_->setFocus();
}

void DoctorPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && shown_) {
        show_summary();
    }
}

}  // namespace rankscope::gui
