// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/apply_dialog.h>
#include <gui/doctor/check_details.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/fix_row.h>
#include <gui/doctor/nodes_button.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/models/checked_nodes_model.h>
#include <gui/models/checks_model.h>
#include <gui/models/examined_ranks_model.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/texts.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/fitted_table.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <gui/widgets/text_height.h>
#include <remote/desk/runs/preflight/report_changes.h>
#include <remote/desk/runs/watch/examination_report.h>

#include <QEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kFewNodes = 16;  ///< whose matrix leaves room for more lines below
constexpr int kPairLines = 8;
constexpr int kPairLinesOfMany = 4;
constexpr int kSign = 22;
constexpr std::size_t kWorseLines = 3;
constexpr int kWidestColumn = 190;  ///< of a table: room for a shortened name

}  // namespace

DoctorPage::DoctorPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      subject_(new DoctorSubject(workspace, this)),
      stack_(new QStackedWidget(this)) {
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
    worse_ = new NoticeBar(NoticeBar::Kind::Fault, "doctorWorse", this);
    worse_->set_action(tr("&Undo…"));
    worse_->set_dismissable(true);
    layout->addWidget(worse_);
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
    subject_changed();
    refresh();
}

void DoctorPage::connect_parts() {
    connect(full_, &QPushButton::clicked, this, [this] { run(PreflightDepth::Full); });
    connect(quick_, &QPushButton::clicked, this, [this] { run(PreflightDepth::Quick); });
    connect(cancel_, &QPushButton::clicked, subject_, &DoctorSubject::cancel);
    connect(start_, &QPushButton::clicked, this, &DoctorPage::start);
    connect(empty_->button(), &QPushButton::clicked, this, [this] { run(PreflightDepth::Full); });
    connect(open_, &QPushButton::clicked, this, &DoctorPage::choose_job_file);
    connect(problem_, &NoticeBar::actionTriggered, this, &DoctorPage::launchRequested);
    connect(news_, &NoticeBar::actionTriggered, this, [this] { run(preflight_depth()); });
    connect(subject_, &DoctorSubject::changed, this, &DoctorPage::refresh);
    connect(subject_, &DoctorSubject::progressed, this,
            [this] { progress_text_->set_full_text(subject_->progress()); });
    connect(nodes_, &NodesButton::changed, this, &DoctorPage::show_problem);
    connect(workspace_->fixes(), &FixRunner::changed, this, &DoctorPage::show_applied);
    connect(workspace_->fixes(), &FixRunner::finished, this, &DoctorPage::check_again);
    connect(worse_, &NoticeBar::actionTriggered, this, &DoctorPage::undo_fixes);
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
    return subject_->kind() == DoctorSubject::Kind::Job ? workspace_->preflight()->depth()
                                                        : subject_->depth();
}

void DoctorPage::run(PreflightDepth depth) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!full_->isEnabled()) {
        return;
    }
    news_->set_text({});
    if (subject_->kind() == DoctorSubject::Kind::Nodes) {
        subject_->inspect(job_of_nodes(nodes_->chosen()), depth);
        return;
    }
    if (job_source_) {
        job_ = job_source_();
    }
    Job job = job_.job;
    const std::vector<std::string> chosen = nodes_->chosen();
    if (subject_->kind() == DoctorSubject::Kind::Job && chosen.size() < job_.nodes.size()) {
        job.all_nodes = false;
        job.nodes = chosen;
    }
    subject_->inspect(job, depth);
}

// After fixes were applied, or one was undone.
void DoctorPage::check_again() {
    std::vector<Fix> applied;
    for (const FixRunner::Entry& entry : workspace_->fixes()->applied()) {
        applied.push_back(entry.fix);
    }
    fixes_made_.clear();
    std::copy_if(applied.begin(), applied.end(), std::back_inserter(fixes_made_), [this](const Fix& fix) {
        return std::find(applied_before_.begin(), applied_before_.end(), fix) == applied_before_.end();
    });
    applied_before_ = std::move(applied);
    before_fix_ = fixes_made_.empty() ? nullptr : shown_;
    worse_->set_text({});
    run(preflight_depth());
}

void DoctorPage::compare_with_before() {
    const auto before = std::exchange(before_fix_, nullptr);
    const std::vector<Check> worse = before ? worse_checks(*before, *shown_) : std::vector<Check>();
    if (worse.empty()) {
        return;
    }
    QStringList more;
    for (std::size_t i = 1; i < worse.size() && i < kWorseLines; ++i) {
        more += qs(worse[i].detail);
    }
    if (worse.size() > kWorseLines) {
        more += tr("and %n more check(s)", nullptr, int(worse.size() - kWorseLines));
    }
    const bool undoable =
        std::any_of(fixes_made_.begin(), fixes_made_.end(), [](const Fix& fix) { return !fix.undo.empty(); });
    if (!undoable) {
        more += tr("The fix cannot be undone from here.");
    }
    worse_->set_action(undoable ? tr("&Undo…") : QString());
    worse_->set_text(tr("Worse after the fix: %1").arg(qs(worse.front().detail)), more.join(u'\n'));
}

void DoctorPage::undo_fixes() {
    std::vector<Fix> fixes;
    std::copy_if(fixes_made_.begin(), fixes_made_.end(), std::back_inserter(fixes),
                 [](const Fix& fix) { return !fix.undo.empty(); });
    std::reverse(fixes.begin(), fixes.end());
    auto* dialog = new ApplyDialog(fixes, true, window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, workspace_->fixes(), [runner = workspace_->fixes(), fixes] {
        for (const Fix& fix : fixes) {
            runner->undo(fix);
        }
    });
    dialog->open();
}

void DoctorPage::forget_fixes() {
    before_fix_.reset();
    worse_->set_text({});
}

// What passes can start.
void DoctorPage::start() {
    if (subject_->kind() == DoctorSubject::Kind::Run) {
        emit runJobRequested(subject_->run(), {}, true);
    } else {
        emit launchRequested();
        emit startRequested();
    }
}

void DoctorPage::fill_subjects(QMenu* menu) {
    menu->clear();
    menu->addAction(tr("The job in Launch"), this, &DoctorPage::show_job);
    menu->addAction(tr("Nodes of the inventory"), this, [this] { show_nodes({}); });
    const auto runs = runs_ ? runs_() : std::vector<DoctorRun>();
    if (!runs.empty()) {
        menu->addSeparator();
    }
    for (const DoctorRun& run : runs) {
        const QString text = run.in_progress ? tr("Run %1, in progress") : tr("Run %1");
        menu->addAction(text.arg(QString(run.name).replace(u'&', u"&&"_s)), this,
                        [this, run] { show_run(run); });
    }
}

void DoctorPage::choose_job_file() {
    auto* dialog =
        new QFileDialog(this, tr("Open a job file"), {}, tr("Job files (*.yaml *.yml);;All files (*)"));
    dialog->setObjectName(u"doctorJobDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { emit jobFileChosen(std::filesystem::path(ss(file))); });
    dialog->open();
}

void DoctorPage::apply_to_job(const std::map<std::string, std::string>& keys) {
    if (subject_->kind() == DoctorSubject::Kind::Run) {
        emit runJobRequested(subject_->run(), keys, false);
        return;
    }
    QStringList set;
    for (const auto& [key, value] : keys) {
        set += QString(qs(key) % u": "_s % qs(value));
    }
    const auto failure = set_job_keys_ ? set_job_keys_(keys) : std::nullopt;
    news_->set_text(failure ? failure_text(*failure)
                            : tr("The job in Launch now has %1.").arg(set.join(u", "_s)));
}

void DoctorPage::set_job_source(std::function<JobInHand()> source) {
    job_source_ = std::move(source);
    job_changed();
}

void DoctorPage::job_changed() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (job_source_) {
        job_ = job_source_();
    }
    if (subject_->kind() == DoctorSubject::Kind::Job) {
        subject_changed();
    }
}

// The head: what is inspected, and what can be chosen of it.
void DoctorPage::subject_changed() {
    const bool run = subject_->kind() == DoctorSubject::Kind::Run;
    const bool examines = run && subject_->run().in_progress;
    switch (subject_->kind()) {
        case DoctorSubject::Kind::Job:
            subject_text_->set_full_text(job_.title);
            nodes_->set_nodes(job_.nodes);
            break;
        case DoctorSubject::Kind::Run:
            subject_text_->set_full_text(examines ? tr("the run %1, in progress").arg(subject_->run().name)
                                                  : tr("the run %1").arg(subject_->run().name));
            break;
        case DoctorSubject::Kind::Nodes: {
            subject_text_->set_full_text(tr("nodes, for no job in particular"));
            std::vector<std::string> names;
            for (const NodeSpec& node : workspace_->fleet()->inventory().nodes) {
                names.push_back(node.name);
            }
            nodes_->set_nodes(names);
            break;
        }
    }
    nodes_->setVisible(!run);
    open_->setVisible(subject_->kind() == DoctorSubject::Kind::Job);
    full_->setText(examines ? tr("Inspect the &run") : tr("Run &preflight"));
    show_problem();
}

void DoctorPage::show_problem() {
    const DoctorSubject::Kind kind = subject_->kind();
    const bool of_job = kind == DoctorSubject::Kind::Job;
    if (of_job && job_source_) {
        job_ = job_source_();
    }
    QString reason = of_job ? job_.reason : QString();
    const bool choosable = of_job ? !job_.nodes.empty() : kind == DoctorSubject::Kind::Nodes;
    if (reason.isEmpty() && choosable && nodes_->chosen().empty()) {
        reason = tr("Choose at least one node.");
    }
    const bool running = subject_->running();
    const bool may_run = reason.isEmpty() && !running;
    full_->setEnabled(may_run);
    quick_->setEnabled(may_run);
    empty_->button()->setEnabled(may_run);
    open_->setEnabled(!running);
    if (!reason.isEmpty()) {
        problem_->set_text(of_job ? tr("The job in Launch cannot be inspected yet.")
                                  : tr("The nodes cannot be inspected yet."),
                           reason);
    } else if (subject_->failure() && !running) {
        problem_->set_text(kind == DoctorSubject::Kind::Run && subject_->run().in_progress
                               ? tr("The run could not be inspected.")
                               : tr("The preflight could not run."),
                           failure_text(*subject_->failure()));
    } else {
        problem_->set_text({});
    }
}

void DoctorPage::refresh() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const bool running = subject_->running();
    const bool examines = subject_->kind() == DoctorSubject::Kind::Run && subject_->run().in_progress;
    progress_->setVisible(running);
    progress_text_->set_full_text(subject_->progress().isEmpty() ? tr("connecting") : subject_->progress());
    full_->setVisible(!running);
    quick_->setVisible(!running && !examines);
    cancel_->setVisible(running);
    if (subject_->report() != shown_) {
        show_report();
    }
    subject_changed();
    stack_->setCurrentIndex(shown_ ? 1 : 0);
    empty_->setVisible(!shown_ && !running);
    show_applied();
}

void DoctorPage::show_report() {
    shown_ = subject_->report();
    rank_model_->set_ranks(subject_->ranks());
    tabs_->setTabVisible(tabs_->indexOf(rank_table_), rank_model_->rowCount() > 0);
    rank_table_->fit();
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
    compare_with_before();
    show_summary();
    show_all_checks();
    pair_moved(matrix_->current_from(), matrix_->current_to());
    if (subject_->kind() == DoctorSubject::Kind::Run) {
        show_first_pair();
    }
}

void DoctorPage::show_summary() {
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
    QStringList about{nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(nodes), counts_text(counts),
                      subject_->origin()};
    if (subject_->finished_us() != 0) {
        about += date_time_text(subject_->finished_us());
    }
    const bool of_run = subject_->kind() == DoctorSubject::Kind::Run;
    start_->setText(of_run ? tr("&Start it again") : tr("&Start"));
    start_->setVisible(counts.failed == 0 && !(of_run && subject_->run().in_progress) &&
                       subject_->kind() != DoctorSubject::Kind::Nodes);
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

void DoctorPage::show_job() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget_fixes();
    news_->set_text({});
    subject_->show_job();
}

void DoctorPage::show_nodes(const std::vector<std::string>& nodes) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget_fixes();
    news_->set_text({});
    subject_->show_nodes();
    if (!nodes.empty()) {
        nodes_->set_chosen(nodes);
        run(PreflightDepth::Full);
    }
}

void DoctorPage::show_run(const DoctorRun& run) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    forget_fixes();
    news_->set_text({});
    subject_->show_run(run);
}

// The report of a run opens at the first direction that fails.
void DoctorPage::show_first_pair() {
    const PairGrid& grid = matrix_->grid();
    for (const Check& check : shown_->checks) {
        for (const NodePair& pair : check.pairs) {
            const std::size_t from = grid.find(pair.from);
            const std::size_t to = grid.find(pair.to);
            if (check.status == CheckStatus::Fail && from < grid.size() && to < grid.size()) {
                tabs_->setCurrentIndex(0);
                matrix_->set_current(int(from), int(to));
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
