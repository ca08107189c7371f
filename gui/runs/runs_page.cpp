// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/bundle/bundle_file.h>
#include <gui/on_thread.h>
#include <gui/runs/labels_dialog.h>
#include <gui/runs/runs_filter.h>
#include <gui/runs/runs_page.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/style/table_delegates.h>
#include <gui/texts.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <array>
#include <utility>

namespace rankscope::gui {

RunsPage::RunsPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(new RunsModel(this)),
      proxy_(new RunsFilter(this)),
      list_job_(this, workspace->pool()),
      open_job_(this, workspace->pool()),
      remove_job_(this, workspace->pool()),
      label_job_(this, workspace->pool()),
      exporter_(new RunExporter(workspace->pool(), this)),
      bundles_(workspace->pool()) {
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
    table_->setModel(proxy_);
    table_->setItemDelegate(new OutcomeDelegate(table_));
    table_->setSortingEnabled(true);
    table_->sortByColumn(RunsModel::Started, Qt::DescendingOrder);
    const std::array<int, RunsModel::NUM_COLUMNS> widths{200, 146, 80, 146, 56, 92, 140, 240, 32};
    for (int column = 0; column < RunsModel::NUM_COLUMNS; ++column) {
        table_->setColumnWidth(column, widths[std::size_t(column)]);
    }
    table_->horizontalHeader()->setMinimumSectionSize(widths[RunsModel::Star]);
    table_->horizontalHeader()->moveSection(RunsModel::Star, 0);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
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
    search_ = new QLineEdit(bar);
    search_->setObjectName(u"runsSearch"_s);
    search_->setAccessibleName(tr("Search runs"));
    search_->setPlaceholderText(tr("Search, tag:NAME, group:NAME, is:starred"));
    search_->setClearButtonEnabled(true);
    search_->setMinimumWidth(80);
    search_->setMaximumWidth(300);
    layout->addWidget(search_, 2);
    auto* bundle = make_button(tr("Open &bundle…"), "openBundle", bar);
    bundle->setToolTip(
        tr("Adds the run of a failure bundle (*%1), or drop the file here").arg(bundle_suffix()));
    open_ = make_button(tr("&Open"), "openRun", bar);
    save_ = make_button(tr("&Save bundle…"), "saveBundle", bar);
    save_->setToolTip(tr("A failure bundle: the run as one file for others, without secrets"));
    delete_ = make_button(tr("&Delete…"), "deleteRun", bar);
    again_ = make_button(tr("Run a&gain…"), "againRun", bar);  // Alt+A attaches
    again_->setToolTip(tr("Opens Launch with the job of this run"));
    labels_ = make_button(tr("&Labels…"), "labelRun", bar);
    labels_->setToolTip(tr("Star, tags, group and note of this run"));
    export_ = make_button(tr("E&xport"), "exportRun", bar);
    export_->setToolTip(tr("The run for other programs"));
    auto* formats = new QMenu(export_);
    formats->setObjectName(u"exportMenu"_s);
    RunExporter::fill_menu(formats, [this](ExportFormat format) { export_selected(format); });
    export_->setMenu(formats);
    for (QPushButton* button : {bundle, open_, again_, labels_, export_, save_, delete_}) {
        layout->addWidget(button);
    }
    connect(bundle, &QPushButton::clicked, this, &RunsPage::choose_bundle);
    return bar;
}

void RunsPage::connect_parts() {
    connect(open_, &QPushButton::clicked, this, &RunsPage::open_selected);
    connect(again_, &QPushButton::clicked, this, [this] {
        if (const RunRecord* run = selected()) {
            emit againRequested(qs(run->name), run->job_yaml);
        }
    });
    connect(save_, &QPushButton::clicked, this, &RunsPage::save_bundle);
    connect(labels_, &QPushButton::clicked, this, &RunsPage::edit_labels);
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& line) {
        exported_.clear();
        proxy_->set_line(line);
        update_state();
    });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& at) {
        const RunRecord* run = model_->at(proxy_->mapToSource(at).row());
        if (run && at.column() == RunsModel::Star) {
            toggle_star(*run);
        }
    });
    connect_export();
    connect(delete_, &QPushButton::clicked, this, &RunsPage::ask_delete);
    connect(table_, &QTableView::customContextMenuRequested, this, &RunsPage::show_menu);
    connect(empty_->button(), &QPushButton::clicked, this, &RunsPage::launchRequested);
    connect(table_, &QTableView::activated, this, &RunsPage::open_selected);  // double click or Enter
    auto* erase = new QShortcut(QKeySequence::Delete, table_);
    erase->setContext(Qt::WidgetShortcut);
    connect(erase, &QShortcut::activated, this, &RunsPage::ask_delete);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        exported_.clear();
        update_state();
    });
    connect(progress_, &NoticeBar::actionTriggered, this, [this] {
        open_job_.cancel();
        workspace_->session()->cancel_attach();
        bundles_.cancel();
        exporter_->cancel();
        progress_->set_text({});
    });
    connect(&bundles_, &BundleOpener::progress, this,
            [this](const QString& file, quint64 done, quint64 total) {
                const QString name = QFileInfo(file).fileName();
                progress_->set_text(
                    done > 0 && total > 0
                        ? tr("Reading %1: %2").arg(name, percent_text(double(done) / double(total), 0))
                        : tr("Reading %1…").arg(name));
            });
    connect(&bundles_, &BundleOpener::added, this, [this](const QString& run_id) { select(ss(run_id)); });
    connect(&bundles_, &BundleOpener::failed, this,
            [this](const QString& file, const Failure& failure, const QString& run_id) {
                fault_->set_text(tr("%1 was not added.").arg(QFileInfo(file).fileName()),
                                 failure_text(failure));
                if (!run_id.isEmpty()) {
                    select(ss(run_id));
                }
            });
    connect(&bundles_, &BundleOpener::finished, this, [this] { progress_->set_text({}); });
    connect(workspace_, &Workspace::storeSettled, this, [this] {
        refresh();
        open_bundles(std::exchange(waiting_bundles_, {}));
    });
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
    const auto set_pace = [this] {  // rankscopectl may be at work in the same store
        timer_.setInterval(workspace_->settings()->now().runs_refresh_s * 1000);
    };
    set_pace();
    connect(workspace_->settings(), &SettingsFile::changed, this, set_pace);
    connect(&timer_, &QTimer::timeout, this, &RunsPage::refresh);
}

void RunsPage::connect_export() {
    connect(exporter_, &RunExporter::progress, this,
            [this](const QString& name, quint64 done, quint64 total) {
                progress_->set_text(
                    done > 0 && total > 0
                        ? tr("Exporting %1: %2").arg(name, percent_text(double(done) / double(total), 0))
                        : tr("Exporting %1…").arg(name));
            });
    connect(exporter_, &RunExporter::written, this, [this](const QString&, const QString& path) {
        progress_->set_text({});
        exported_ = path;
        update_state();
    });
    connect(exporter_, &RunExporter::failed, this, [this](const QString& name, const Failure& failure) {
        progress_->set_text({});
        fault_->set_text(tr("%1 was not exported.").arg(name), failure_text(failure));
    });
}

void RunsPage::export_selected(ExportFormat format) {
    if (const RunRecord* run = selected(); run && workspace_->store()) {
        fault_->set_text({});
        exporter_->choose(workspace_->store(), *run, format);
    }
}

void RunsPage::edit_labels() {
    const RunRecord* run = selected();
    if (!run) {
        return;
    }
    auto* dialog = new LabelsDialog(qs(run->name), model_->labels(*run), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog, record = *run] { set_labels(record, dialog->labels()); });
    dialog->open();
}

void RunsPage::toggle_star(const RunRecord& run) {
    RunLabels labels = model_->labels(run);
    labels.starred = !labels.starred;
    set_labels(run, labels);
}

void RunsPage::set_labels(const RunRecord& run, const RunLabels& labels) {
    label_job_.start(
        [path = workspace_->options().store_path(), id = run.run_id,
         labels](const JobHandle&) -> Result<void> {
            auto store = RunLabelStore::open(path);
            return store ? (*store)->set(id, labels) : Result<void>(store.failure());
        },
        [this, name = qs(run.name)](const Result<void>& stored) {
            if (!stored) {
                fault_->set_text(tr("The labels of %1 were not stored.").arg(name),
                                 failure_text(stored.failure()));
            }
            refresh();
        });
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
    list_job_.start(
        [store = workspace_->store(), path = workspace_->options().store_path()](const JobHandle&) {
            Listed listed{store->runs(), {}};
            if (const auto labels = RunLabelStore::open(path)) {
                listed.labels = (*labels)->all().ok() ? *(*labels)->all() : listed.labels;
            }
            return listed;
        },
        [this](Listed listed) { take(std::move(listed)); });
}

void RunsPage::take(Listed listed) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    auto& runs = listed.runs;
    if (!runs) {
        fault_->set_text(tr("The stored runs cannot be read."), failure_text(runs.failure()));
        return;
    }
    const RunRecord* before = selected();
    const std::string keep = before ? before->run_id : std::string();
    listed_ = true;
    model_->set_now(QDateTime::currentMSecsSinceEpoch() * 1000);
    model_->set_labels(std::move(listed.labels));
    model_->set_runs(std::move(*runs));
    const int wanted = wanted_.empty() ? -1 : model_->row_of(wanted_);
    const int row = wanted >= 0 ? wanted : keep.empty() ? -1 : model_->row_of(keep);
    if (wanted >= 0) {
        wanted_.clear();
        table_->selectRow(proxy_->mapFromSource(model_->index(row, 0)).row());
        table_->scrollTo(table_->currentIndex());
    } else if (row >= 0 && !selected()) {
        table_->selectRow(proxy_->mapFromSource(model_->index(row, 0)).row());
    } else if (!selected() && proxy_->rowCount() > 0) {
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
    for (QPushButton* button : {again_, labels_, export_, save_}) {
        button->setEnabled(run != nullptr);
    }
    delete_->setEnabled(run != nullptr && !running);
    const int count = model_->rowCount();
    const int shown = proxy_->rowCount();
    search_->setVisible(count > 0);
    summary_->setToolTip(exported_);
    summary_->setText(!exported_.isEmpty() ? tr("Written: %1").arg(QFileInfo(exported_).fileName())
                      : count == 0         ? QString()
                      : shown != count     ? tr("%1 of %2 runs").arg(shown).arg(count)
                      : count == 1         ? tr("1 run kept")
                                           : tr("%1 runs kept").arg(count));
}

const RunRecord* RunsPage::selected() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    return rows.isEmpty() ? nullptr : model_->at(proxy_->mapToSource(rows.first()).row());
}

// Also one that is not listed yet.
void RunsPage::select(const std::string& run_id) {
    wanted_ = run_id;
    refresh();
}

void RunsPage::show_menu(const QPoint& at) {
    if (!table_->indexAt(at).isValid()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(u"runsMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (QPushButton* button : {open_, again_, labels_, save_, delete_}) {
        const QString text = button == save_ ? tr("&Save failure bundle…") : button->text();
        QAction* action = menu->addAction(text, button, &QPushButton::click);
        action->setEnabled(button->isEnabled());
        if (button == labels_) {
            menu->addMenu(export_->menu())->setText(export_->text());
        }
    }
    menu->popup(table_->viewport()->mapToGlobal(at));
}

void RunsPage::save_bundle() {
    if (const RunRecord* run = selected()) {
        emit bundleRequested(qs(run->run_id), qs(run->name));
    }
}

void RunsPage::choose_bundle() {
    auto* dialog = new QFileDialog(this, tr("Open failure bundles"));
    dialog->setObjectName(u"openBundleDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({bundle_filter(), tr("Logs and archives (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, &RunsPage::open_bundles);
    dialog->open();
}

void RunsPage::choose_folder() {
    auto* dialog =
        new QFileDialog(this, tr("Import runs from a folder: TensorBoard event files, or logs of one run"));
    dialog->setObjectName(u"importFolderDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::filesSelected, this, &RunsPage::open_bundles);
    dialog->open();
}

void RunsPage::open_bundles(const QStringList& files) {
    if (!workspace_->store_settled()) {
        waiting_bundles_ += files;
        return;
    }
    if (workspace_->store() && !files.isEmpty()) {
        fault_->set_text({});
        bundles_.open(workspace_->store(), files);
    }
}

void RunsPage::open_selected() {
    if (const RunRecord* run = selected()) {
        open_record(*run);
    }
}

void RunsPage::open_record(const RunRecord& run) {
    if (!workspace_->store()) {
        return;
    }
    fault_->set_text({});
    RunSession* session = workspace_->session();
    if (session->live() && session->run_id() == run.run_id) {
        emit showSession();
    } else if (run.outcome == Outcome::Running && !session->live()) {
        attach(run);
    } else {
        open_stored(run);
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
