// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/page_command.h>
#include <gui/bundle/bundle_file.h>
#include <gui/on_thread.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/label_editor.h>
#include <gui/runs/nccl_level.h>
#include <gui/runs/run_deleter.h>
#include <gui/runs/run_opener.h>
#include <gui/runs/runs_filter.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/runs/store_bar.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/clear_button.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/empty_state.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/last_heard.h>

#include <QDateTime>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <utility>

namespace rankscope::gui {

RunsPage::RunsPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      model_(new RunsModel(this)),
      proxy_(new RunsFilter(this)),
      list_job_(this, workspace->pool()),
      summaries_(new SummaryLoader(workspace->pool(), this)),
      opener_(new RunOpener(workspace->pool(), this)),
      label_editor_(new LabelEditor(workspace->pool(), workspace->options().store_path(), this)),
      bundles_(workspace->pool()) {
    setObjectName(u"runsPage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    bar_ = make_bar();
    actions_ = make_actions();
    layout->addWidget(bar_);
    layout->addWidget(actions_);
    store_bar_ = new StoreBar(workspace, this);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "runsFault", this);
    progress_ = new NoticeBar(NoticeBar::Kind::News, "runsProgress", this);
    progress_->set_action(tr("&Cancel"));
    undo_ = new NoticeBar(NoticeBar::Kind::News, "runsUndo", this);
    there_ = new NoticeBar(NoticeBar::Kind::News, "runsThere", this);
    there_->set_dismissable(true);
    deleter_ = new RunDeleter(workspace->pool(), undo_, this);
    nccl_level_ = new NcclLevel(workspace, this);
    for (NoticeBar* notice :
         {store_bar_->fault(), store_bar_->news(), fault_, progress_, there_, undo_, nccl_level_->notice()}) {
        layout->addWidget(notice);
    }
    make_list();
    layout->addWidget(stack_, 1);
    connect_parts();
    table_->fill_groupings(grouping_);
    update_state();
}

void RunsPage::make_list() {
    stack_ = new QStackedWidget(this);
    empty_ = new EmptyState(
        tr("No runs kept yet"),
        tr("Every run you start is kept here with its plan, curves and output, and opens again "
           "exactly as it looked."),
        tr("Go to &Launch"), this);
    stack_->addWidget(empty_);
    proxy_->setSourceModel(model_);
    table_ = new RunsTable(model_, proxy_, this);
    stack_->addWidget(table_);
    compare_view_ = new CompareView(workspace_->pool(), this);
    stack_->addWidget(compare_view_);
    setFocusProxy(table_);
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
    add_clear_button(search_);
    search_->setMinimumWidth(80);
    search_->setMaximumWidth(300);
    layout->addWidget(search_, 2);
    grouping_ = new ComboBox(bar);
    grouping_->setObjectName(u"runsGrouping"_s);
    grouping_->setAccessibleName(tr("Group runs"));
    grouping_->setToolTip(tr("Groups with mean and spread; right click on a column's header for more"));
    layout->addWidget(grouping_);
    columns_ = make_button(tr("&Columns…"), "runsColumns", bar);
    columns_->setToolTip(tr("Which metrics and job keys the list shows"));
    layout->addWidget(columns_);
    return bar;
}

QWidget* RunsPage::make_actions() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* bundle = make_button(tr("Open &bundle…"), "openBundle", bar);
    bundle->setToolTip(
        tr("Adds the run of a failure bundle (*%1), or drop the file here").arg(bundle_suffix()));
    open_ = make_button(tr("&Open"), "openRun", bar);
    save_ = make_button(tr("&Save bundle…"), "saveBundle", bar);
    save_->setToolTip(tr("A failure bundle: the run as one file for others, without secrets"));
    delete_ = make_button(tr("&Delete"), "deleteRun", bar);
    delete_->setToolTip(tr("Deletes the selected runs; Ctrl+Z restores them"));
    again_ = make_button(tr("Run a&gain…"), "againRun", bar);  // Alt+A attaches
    again_->setToolTip(tr("Opens Launch with the job of this run"));
    labels_ = make_button(tr("&Labels…"), "labelRun", bar);
    labels_->setToolTip(tr("Star, tags, group and note of the selected runs"));
    export_ = make_button(tr("E&xport"), "exportRun", bar);
    export_->setToolTip(tr("The run for other programs"));
    auto* formats = new QMenu(export_);
    formats->setObjectName(u"exportMenu"_s);
    RunExporter::fill_menu(formats, [this](ExportFormat format) { export_selected(format); });
    export_->setMenu(formats);
    compare_ = make_button(tr("Co&mpare"), "compareRuns", bar);
    compare_->setToolTip(tr("Curves, statistics and differences of the selected runs (Ctrl+Shift+C)"));
    for (QPushButton* button : {open_, compare_, again_, labels_, export_, save_, delete_}) {
        layout->addWidget(button);
    }
    layout->addStretch();
    scaling_ = make_button(tr("Scal&ing run…"), "scalingRun", bar);
    scaling_->setToolTip(tr("Runs the job of this run on 1, 2, 4 … ranks, or shows the result again"));
    connect(scaling_, &QPushButton::clicked, this, &RunsPage::open_scaling_run);
    layout->addWidget(scaling_);
    layout->addWidget(bundle);
    connect(bundle, &QPushButton::clicked, this, &RunsPage::choose_bundle);
    return bar;
}

void RunsPage::connect_table() {
    connect(columns_, &QPushButton::clicked, table_, &RunsTable::choose_columns);
    connect(grouping_, &QComboBox::activated, this,
            [this](int at) { table_->set_grouping(grouping_->itemData(at).toString()); });
    connect(table_, &RunsTable::groupingChanged, this, [this] { table_->fill_groupings(grouping_); });
    connect(table_, &RunsTable::starClicked, this, [this](const QString& run_id) {
        if (const RunRecord* run = model_->at(model_->row_of(ss(run_id)))) {
            label_editor_->toggle_star(*run, model_->labels(*run));
        }
    });
    connect(table_, &RunsTable::activated, this, &RunsPage::open_selected);
    connect(table_, &RunsTable::menuRequested, this, &RunsPage::show_menu);
    connect(table_, &RunsTable::selectionChanged, this, &RunsPage::update_state);
    connect(compare_, &QPushButton::clicked, this, &RunsPage::compare_selected);
    connect(compare_view_, &CompareView::closed, this, &RunsPage::show_list);
    on_command(this, PageCommand::Find, [this] {
        show_list();
        search_->setFocus(Qt::ShortcutFocusReason);
        search_->selectAll();
    });
}

void RunsPage::connect_deleter() {
    on_command(
        this, PageCommand::Undo,
        [this] {
            if (undo_->isHidden()) {
                label_editor_->undo();
            } else {
                deleter_->undo();
            }
        },
        [this] { return !undo_->isHidden() || label_editor_->can_undo(); });
    connect(label_editor_, &LabelEditor::stored, deleter_,
            &RunDeleter::hide_notice);  // the last change is undone first
    connect(deleter_, &RunDeleter::deleted, label_editor_, &LabelEditor::forget_undo);
    connect(deleter_, &RunDeleter::changed, this, &RunsPage::refresh);
    connect(deleter_, &RunDeleter::deleted, this, &RunsPage::deleted);
    connect(deleter_, &RunDeleter::restored, this, [this](const QString& run_id) { select(ss(run_id)); });
    connect(deleter_, &RunDeleter::failed, this, &RunsPage::show_fault);
    connect(deleter_, &RunDeleter::failed, this, &RunsPage::refresh);
    connect(nccl_level_, &NcclLevel::failed, this, &RunsPage::show_fault);
    connect(summaries_, &SummaryLoader::loaded, this, [this](const RunSummaries& summaries) {
        model_->add_summaries(summaries);
        update_state();
    });
    connect(summaries_, &SummaryLoader::finished, this, &RunsPage::update_state);
}

void RunsPage::connect_parts() {
    connect(open_, &QPushButton::clicked, this, &RunsPage::open_selected);
    connect(again_, &QPushButton::clicked, this, [this] {
        if (const RunRecord* run = selected()) {
            emit againRequested(qs(run->name), run->job_yaml, run->run_id);
        }
    });
    connect(save_, &QPushButton::clicked, this, &RunsPage::save_bundle);
    connect(labels_, &QPushButton::clicked, this, [this] {
        std::vector<RunRecord> runs;
        std::vector<RunLabels> labels;
        for (const RunRecord* run : table_->selected()) {
            runs.push_back(*run);
            labels.push_back(model_->labels(*run));
        }
        label_editor_->edit(runs, labels);
    });
    connect(search_, &QLineEdit::textChanged, this, [this](const QString& line) {
        proxy_->set_line(line);
        update_state();
    });
    connect_table();
    connect_deleter();
    connect_bundles();
    connect_opener();
    connect_session();
    connect(delete_, &QPushButton::clicked, this, &RunsPage::delete_selected);
    connect(empty_->button(), &QPushButton::clicked, this, &RunsPage::launchRequested);
    connect(progress_, &NoticeBar::actionTriggered, this, [this] {
        opener_->cancel();
        if (attaching_ != nullptr) {
            attaching_->cancel_attach();
        }
        bundles_.cancel();
        progress_->set_text({});
    });
    const auto set_pace = [this] {  // rankscopectl may be at work in the same store
        timer_.setInterval(workspace_->settings()->now().runs_refresh_s * 1000);
    };
    set_pace();
    connect(workspace_->settings(), &SettingsFile::changed, this, set_pace);
    connect(&timer_, &QTimer::timeout, this, &RunsPage::refresh);
}

void RunsPage::show_fault(const QString& what, const Failure& failure) {
    fault_->set_text(what, failure_text(failure));
}

void RunsPage::connect_opener() {
    connect(opener_, &RunOpener::progress, this, [this](const QString& text) { progress_->set_text(text); });
    connect(opener_, &RunOpener::opened, this, &RunsPage::opened);
    connect(opener_, &RunOpener::failed, this, &RunsPage::show_fault);
    connect(label_editor_, &LabelEditor::failed, this, &RunsPage::show_fault);
    connect(label_editor_, &LabelEditor::changed, this, &RunsPage::refresh);
}

void RunsPage::connect_bundles() {
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
                const QString name = QFileInfo(file).fileName();
                if (run_id.isEmpty()) {
                    fault_->set_text(tr("%1 was not added.").arg(name), failure_text(failure));
                } else {
                    there_->set_text(tr("The run of %1 is already here; it is selected.").arg(name));
                    select(ss(run_id));
                }
            });
    connect(&bundles_, &BundleOpener::finished, this, [this] { progress_->set_text({}); });
}

void RunsPage::connect_session() {
    connect(workspace_, &Workspace::storeSettled, this, [this] {
        if (workspace_->store()) {
            deleter_->remove_expired(workspace_->store());
        }
        mark_.reset();
        refresh();
        open_bundles(std::exchange(waiting_bundles_, {}));
    });
    RunSessions* runs = workspace_->runs();
    connect(runs, &RunSessions::started, this, &RunsPage::refresh);
    connect(runs, &RunSessions::ended, this, &RunsPage::refresh);
    connect(runs, &RunSessions::attachProgress, this, [this](qint64 events) {
        progress_->set_text(RunOpener::progress_text(attaching_name_, std::uint64_t(events), 0));
    });
    connect(runs, &RunSessions::attached, this, [this] { progress_->set_text({}); });
    connect(runs, &RunSessions::attachFailed, this, [this](const Failure& failure) {
        progress_->set_text({});
        fault_->set_text(tr("Cannot attach to %1.").arg(attaching_name_), failure_text(failure));
    });
}

void RunsPage::export_selected(ExportFormat format) {
    if (const RunRecord* run = selected()) {
        emit exportRequested(*run, format);
    }
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
    if (!workspace_->store()) {
        return;
    }
    list_job_.start([store = workspace_->store(), path = workspace_->options().store_path(),
                     before = mark_](const JobHandle&) { return read_list(store, path, before); },
                    [this](Listed listed) { take(std::move(listed)); });
}

RunsPage::Listed RunsPage::read_list(const std::shared_ptr<RunStore>& store,
                                     const std::filesystem::path& path,
                                     const std::optional<std::pair<std::int64_t, std::int64_t>>& before) {
    const auto mark = store->change_mark();
    if (before && *before == mark) {
        return {std::vector<RunRecord>(), {}, {}, mark, true};
    }
    Listed listed{store->runs(), {}, {}, mark, false};
    for (const RunRecord& run : listed.runs ? *listed.runs : std::vector<RunRecord>()) {
        if (run.ended_us == 0) {
            listed.heard_us[run.run_id] = last_heard_us(path, run.run_id);
        }
    }
    if (const auto labels = RunLabelStore::open(path)) {
        if (auto all = (*labels)->all()) {
            listed.labels = std::move(*all);
        }
    }
    return listed;
}

void RunsPage::take(Listed listed) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (!listed.runs) {
        store_bar_->show_failure(tr("The stored runs cannot be read."), listed.runs.failure());
        return;
    }
    store_bar_->clear_failure();
    listed_ = true;
    if (!listed.same) {
        heard_us_ = std::move(listed.heard_us);
    }
    std::set<std::string> watched;
    for (const auto& [run_id, heard_us] : heard_us_) {
        const RunSession* session = workspace_->runs()->find(run_id);
        if (session != nullptr && session->live()) {
            watched.insert(run_id);
        }
    }
    model_->set_heard(heard_us_, std::move(watched));
    model_->set_now(QDateTime::currentMSecsSinceEpoch() * 1000);
    if (!listed.same) {
        mark_ = listed.mark;
        std::vector<std::string> keep;
        for (const RunRecord* run : table_->selected()) {
            keep.push_back(run->run_id);
        }
        listed_runs_ = *listed.runs;
        model_->set_labels(std::move(listed.labels));
        model_->set_runs(std::move(*listed.runs));
        if (table_->selected().empty()) {
            table_->select(keep);
        }
    }
    if (!wanted_.empty() && model_->row_of(wanted_) >= 0) {
        table_->select({wanted_});
        if (const RunRecord* run = model_->at(model_->row_of(std::exchange(wanted_, {})));
            run && std::exchange(open_wanted_, false)) {
            open_record(*run);
        }
    }
    table_->select_something();
    summaries_->update(workspace_->store(), listed_runs_);
    update_state();
}

QString RunsPage::count_line() const {
    const int count = model_->rowCount();
    const int shown = proxy_->rowCount();
    const auto chosen = int(table_->selected().size());
    if (count == 0) {
        return {};
    }
    if (summaries_->loading() && summaries_->total() > 1 && !model_->chosen().empty()) {
        return tr("Reading metrics: %1 of %2 runs").arg(summaries_->done()).arg(summaries_->total());
    }
    if (chosen > 1) {
        return tr("%1 of %2 selected").arg(chosen).arg(count);
    }
    return shown != count ? tr("%1 of %2 runs").arg(shown).arg(count)
           : count == 1   ? tr("1 run kept")
                          : tr("%1 runs kept").arg(count);
}

void RunsPage::update_state() {
    if (stack_->currentIndex() < 2) {
        stack_->setCurrentIndex(model_->rowCount() > 0 ? 1 : 0);
    }
    if (stack_->currentWidget() == empty_) {
        empty_->setVisible(listed_ || workspace_->store_settled());
    }
    const auto chosen = table_->selected();
    const RunRecord* run = selected();
    const bool running = run && run->outcome == Outcome::Running;
    open_->setEnabled(run != nullptr);
    const RunSession* session = run ? workspace_->runs()->find(run->run_id) : nullptr;
    const bool own = session != nullptr && session->live();
    open_->setText(own ? tr("&Show") : running ? tr("&Attach") : tr("&Open"));
    open_->setToolTip(running && !own ? tr("Show what is stored and continue to watch the run") : QString());
    for (QPushButton* button : {again_, export_, save_, scaling_}) {
        button->setEnabled(run != nullptr);
    }
    labels_->setEnabled(!chosen.empty());
    compare_->setEnabled(chosen.size() > 1);
    delete_->setEnabled(!chosen.empty() &&
                        std::none_of(chosen.begin(), chosen.end(),
                                     [](const RunRecord* one) { return one->outcome == Outcome::Running; }));
    const int count = model_->rowCount();
    search_->setVisible(count > 0);
    grouping_->setVisible(count > 0);
    columns_->setVisible(count > 0);
    summary_->setText(count_line());
}

const RunRecord* RunsPage::selected() const {
    const auto chosen = table_->selected();
    return chosen.size() == 1 ? chosen.front() : nullptr;
}

bool RunsPage::opening() const {
    return opener_->running();
}

// Also one that is not listed yet.
void RunsPage::select(const std::string& run_id) {
    wanted_ = run_id;
    open_wanted_ = false;
    refresh();
}

void RunsPage::open_run(const QString& run_id) {
    select(ss(run_id));
    open_wanted_ = true;
}

void RunsPage::show_menu(const QPoint& at) {
    auto* menu = new QMenu(this);
    menu->setObjectName(u"runsMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (QPushButton* button : {open_, compare_, again_, scaling_, labels_, save_, delete_}) {
        const QString text = button == save_ ? tr("&Save failure bundle…") : button->text();
        QAction* action = menu->addAction(text, button, &QPushButton::click);
        action->setEnabled(button->isEnabled());
        if (button == open_) {
            QAction* window = menu->addAction(tr("Open in a new &window"), this, [this] {
                if (const RunRecord* run = selected()) {
                    emit windowRequested(*run);
                }
            });
            window->setObjectName(u"runWindow"_s);
            window->setEnabled(button->isEnabled());
        }
        if (button == again_) {
            QAction* code = menu->addAction(tr("Cod&e and versions…"), this, &RunsPage::show_code);
            code->setObjectName(u"runCode"_s);
            code->setEnabled(selected() != nullptr);
        }
        if (button == labels_) {
            menu->addMenu(export_->menu())->setText(export_->text());
        }
    }
    if (const RunRecord* run = selected(); run && run->outcome == Outcome::Running) {
        nccl_level_->fill(menu->addMenu(tr("Observe N&CCL")), *run);
    }
    menu->addSeparator();
    menu->addAction(tr("Deleted ru&ns…"), this, &RunsPage::open_trash)->setObjectName(u"runsTrash"_s);
    menu->popup(at);
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

void RunsPage::delete_selected() {
    if (!delete_->isEnabled() || !workspace_->store()) {
        return;
    }
    std::vector<RunRecord> runs;
    for (const RunRecord* run : table_->selected()) {
        runs.push_back(*run);
    }
    fault_->set_text({});
    deleter_->remove(workspace_->store(), runs);
}

}  // namespace rankscope::gui
