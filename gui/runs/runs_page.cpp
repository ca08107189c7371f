// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/on_thread.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/texts.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QDateTime>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <array>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kRefreshMs = 3000;  ///< rankscopectl may be at work in the same store

}  // namespace

RunsPage::RunsPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(new RunsModel(this)),
      proxy_(new QSortFilterProxyModel(this)),
      list_job_(this, workspace->pool()),
      open_job_(this, workspace->pool()),
      remove_job_(this, workspace->pool()) {
    setObjectName(u"runsPage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    layout->addWidget(make_bar());
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "runsFault", this);
    progress_ = new NoticeBar(NoticeBar::Kind::News, "runsProgress", this);
    progress_->set_action(tr("&Cancel"));
    layout->addWidget(fault_);
    layout->addWidget(progress_);

    stack_ = new QStackedWidget(this);
    empty_ = new EmptyState(
        tr("No runs kept yet"),
        tr("Every run you start is kept here with its plan, curves and output, and opens again "
           "exactly as it looked."),
        tr("Go to &Launch"), this);
    stack_->addWidget(empty_);
    table_ = new QTableView(this);
    tune_table(table_, "runsTable", tr("Stored runs"));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    proxy_->setSourceModel(model_);
    proxy_->setSortRole(RunsModel::SortRole);
    table_->setModel(proxy_);
    table_->setItemDelegate(new OutcomeDelegate(table_));
    table_->setSortingEnabled(true);
    table_->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    const std::array<int, RunsModel::NUM_COLUMNS> widths{220, 150, 92, 170, 60, 96, 300};
    for (int column = 0; column < RunsModel::NUM_COLUMNS; ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    table_->horizontalHeader()->setStretchLastSection(true);
    stack_->addWidget(table_);
    layout->addWidget(stack_, 1);
    setFocusProxy(table_);
    connect_parts();
    update_state();
}

QWidget* RunsPage::make_bar() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(make_label(tr("Runs"), bar, "pageTitle"));
    summary_ = make_label({}, bar, "muted");
    summary_->setObjectName(u"runsSummary"_s);
    layout->addWidget(summary_, 1, Qt::AlignBottom);
    open_ = make_button(tr("&Open"), "openRun", bar);
    delete_ = make_button(tr("&Delete…"), "deleteRun", bar);
    again_ = make_button(tr("Run a&gain…"), "againRun", bar);  // Alt+A attaches
    again_->setToolTip(tr("Opens Launch with the job of this run"));
    layout->addWidget(open_);
    layout->addWidget(again_);
    layout->addWidget(delete_);
    return bar;
}

void RunsPage::connect_parts() {
    connect(open_, &QPushButton::clicked, this, &RunsPage::open_selected);
    connect(again_, &QPushButton::clicked, this, [this] {
        if (const RunRecord* run = selected()) {
            emit againRequested(qs(run->name), run->job_yaml);
        }
    });
    connect(delete_, &QPushButton::clicked, this, &RunsPage::ask_delete);
    connect(empty_->button(), &QPushButton::clicked, this, &RunsPage::launchRequested);
    connect(table_, &QTableView::activated, this, &RunsPage::open_selected);  // double click or Enter
    auto* erase = new QShortcut(QKeySequence::Delete, table_);
    erase->setContext(Qt::WidgetShortcut);
    connect(erase, &QShortcut::activated, this, &RunsPage::ask_delete);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::update_state);
    connect(progress_, &NoticeBar::actionTriggered, this, [this] {
        open_job_.cancel();
        workspace_->session()->cancel_attach();
        progress_->set_text({});
    });
    connect(workspace_, &Workspace::storeSettled, this, &RunsPage::refresh);
    RunSession* session = workspace_->session();
    connect(session, &RunSession::started, this, &RunsPage::refresh);
    connect(session, &RunSession::ended, this, &RunsPage::refresh);
    connect(session, &RunSession::attachProgress, this,
            [this](qint64 events) { show_progress(attaching_name_, std::uint64_t(events), 0); });
    connect(session, &RunSession::attached, this, [this] { progress_->set_text({}); });
    connect(session, &RunSession::attachFailed, this, [this](const Failure& failure) {
        progress_->set_text({});
        fault_->set_text(tr("Cannot attach to %1.").arg(attaching_name_), failure_text(failure));
    });
    timer_.setInterval(kRefreshMs);
    connect(&timer_, &QTimer::timeout, this, &RunsPage::refresh);
}

void RunsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
    timer_.start();
}

void RunsPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    timer_.stop();
}

void RunsPage::refresh() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (workspace_->store_failure()) {
        fault_->set_text(tr("The run store cannot be used."), failure_text(*workspace_->store_failure()));
    }
    if (!workspace_->store()) {
        return;
    }
    list_job_.start([store = workspace_->store()](const JobHandle&) { return store->runs(); },
                    [this](Result<std::vector<RunRecord>> runs) { take(std::move(runs)); });
}

void RunsPage::take(Result<std::vector<RunRecord>> runs) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!runs) {
        fault_->set_text(tr("The stored runs cannot be read."), failure_text(runs.failure()));
        return;
    }
    const RunRecord* before = selected();
    const std::string keep = before ? before->run_id : std::string();
    listed_ = true;
    model_->set_now(QDateTime::currentMSecsSinceEpoch() * 1000);
    model_->set_runs(std::move(*runs));
    const int row = keep.empty() ? -1 : model_->row_of(keep);
    if (row >= 0 && !selected()) {
        table_->selectRow(proxy_->mapFromSource(model_->index(row, 0)).row());
    } else if (!selected() && model_->rowCount() > 0) {
        table_->selectRow(0);
    }
    update_state();
}

void RunsPage::update_state() {
    stack_->setCurrentIndex(model_->rowCount() > 0 ? 1 : 0);
    empty_->setVisible(listed_ || workspace_->store_settled());
    const RunRecord* run = selected();
    const bool running = run && run->outcome == Outcome::Running;
    open_->setEnabled(run != nullptr);
    const bool own = run && workspace_->session()->live() && workspace_->session()->run_id() == run->run_id;
    open_->setText(own ? tr("&Show") : running ? tr("&Attach") : tr("&Open"));
    open_->setToolTip(running && !own ? tr("Show what is stored and continue to watch the run") : QString());
    again_->setEnabled(run != nullptr);
    delete_->setEnabled(run != nullptr && !running);
    const int count = model_->rowCount();
    summary_->setText(count == 0 ? QString() : count == 1 ? tr("1 run kept") : tr("%1 runs kept").arg(count));
}

const RunRecord* RunsPage::selected() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : model_->at(proxy_->mapToSource(rows.first()).row());
}

void RunsPage::open_selected() {
    const RunRecord* run = selected();
    if (!run || !workspace_->store()) {
        return;
    }
    fault_->set_text({});
    RunSession* session = workspace_->session();
    if (session->live() && session->run_id() == run->run_id) {
        emit showSession();
    } else if (run->outcome == Outcome::Running && !session->live()) {
        attach(*run);
    } else {
        open_stored(*run);
    }
}

void RunsPage::show_progress(const QString& name, std::uint64_t events, std::uint64_t total) {
    QString text = tr("Opening %1…").arg(name);
    if (events > 0) {
        text = total > 0 ? tr("Opening %1: %2 of its events")
                               .arg(name, percent_text(double(events) / double(total), 0))
                         : tr("Opening %1: %2 events").arg(name, count_text(std::int64_t(events)));
    }
    progress_->set_text(text);
}

void RunsPage::open_stored(const RunRecord& record) {
    const QString name = qs(record.name);
    show_progress(name, 0, 0);
    using Opened = Result<std::shared_ptr<LiveData>>;
    open_job_.start(
        [this, name, record, store = workspace_->store()](const JobHandle& handle) -> Opened {
            // Numbers have no gaps, so the last ones together are how many events there are.
            std::uint64_t total = 0;
            if (const auto last = store->last_seqs(record.run_id)) {
                for (const auto& [node, seq] : *last) {
                    total += seq;
                }
            }
            Result<LiveData> run = read_stored_run(*store, record, [&](std::uint64_t count) {
                handle.post([this, name, count, total] { show_progress(name, count, total); });
                return !handle.cancelled();
            });
            if (!run) {
                return run.failure();
            }
            return std::make_shared<LiveData>(std::move(*run));
        },
        [this, name](Opened run) {
            progress_->set_text({});
            if (run) {
                emit opened(*run);
            } else {
                fault_->set_text(tr("%1 could not be opened.").arg(name), failure_text(run.failure()));
            }
        });
}

void RunsPage::attach(const RunRecord& record) {
    attaching_name_ = qs(record.name);
    show_progress(attaching_name_, 0, 0);
    workspace_->session()->attach(record, workspace_->fleet()->inventory(), workspace_->store(),
                                  workspace_->prompter());
}

void RunsPage::ask_delete() {
    const RunRecord* run = selected();
    if (!run || run->outcome == Outcome::Running || remove_job_.running()) {
        return;
    }
    auto* box = new QMessageBox(QMessageBox::NoIcon, tr("Delete run"), tr("Delete %1?").arg(qs(run->name)),
                                QMessageBox::NoButton, this);
    box->setObjectName(u"deleteDialog"_s);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("Started %1, %2 ranks, %3. Its plan, curves, output and job file are deleted from the run store; "
           "files on the machines stay. This cannot be undone.")
            .arg(date_time_text(run->started_us))
            .arg(run->world_size)
            .arg(outcome_text(run->outcome)));
    QPushButton* yes = box->addButton(tr("&Delete"), QMessageBox::DestructiveRole);
    yes->setObjectName(u"deleteConfirm"_s);
    QPushButton* cancel = box->addButton(QMessageBox::Cancel);
    box->setDefaultButton(cancel);
    connect(box, &QMessageBox::finished, this, [this, box, yes, record = *run] {
        if (box->clickedButton() == yes) {
            remove(record);
        }
    });
    box->open();
}

void RunsPage::remove(const RunRecord& record) {
    remove_job_.start(
        [store = workspace_->store(), id = record.run_id](const JobHandle&) { return store->remove_run(id); },
        [this, record](Result<void> removed) {
            if (!removed) {
                fault_->set_text(tr("%1 could not be deleted.").arg(qs(record.name)),
                                 failure_text(removed.failure()));
            } else {
                emit deleted(qs(record.run_id));
            }
            refresh();
        });
}

}  // namespace rankscope::gui
