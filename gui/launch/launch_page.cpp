// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/key_hint.h>
#include <gui/actions/page_command.h>
#include <gui/launch/draft_file.h>
#include <gui/launch/epoch_time.h>
#include <gui/launch/job_draft.h>
#include <gui/launch/job_form.h>
#include <gui/launch/job_text_edit.h>
#include <gui/launch/job_text_pane.h>
#include <gui/launch/key_rows.h>
#include <gui/launch/launch_page.h>
#include <gui/launch/override_bar.h>
#include <gui/launch/paste_dialog.h>
#include <gui/launch/plan_view.h>
#include <gui/launch/preflight_line.h>
#include <gui/launch/recipes_dialog.h>
#include <gui/launch/run_conflicts.h>
#include <gui/on_thread.h>
#include <gui/session/output_limit.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/shared/yaml_tree.h>
#include <remote/logs/read/own_resource.h>

#include <QAction>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QKeySequence>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kPlanAfterMs = 80;  ///< without a key stroke
constexpr int kReadAfterMs = 120;
constexpr int kKeepAfterMs = 300;  ///< after the first change that is not in the draft's file
constexpr int kFormWidth = 430;

}  // namespace

LaunchPage::LaunchPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      read_job_(this, workspace->pool()),
      plan_job_(this, workspace->pool()),
      save_job_(this, workspace->pool()),
      text_job_(this, workspace->pool()),
      draft_job_(this, workspace->pool()),
      last_run_job_(this, workspace->pool()),
      epoch_times_(std::make_shared<EpochTimeCache>()),
      draft_file_(std::make_shared<DraftFile>(workspace->options().store_path().parent_path())) {
    setObjectName(u"launchPage"_s);
    OutputLimit::of(workspace);  // looks at the disk before a start needs it
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    layout->addWidget(make_head());
    problems_ = new NoticeBar(NoticeBar::Kind::Fault, "jobProblems", this);
    layout->addWidget(problems_);
    file_fault_ = new NoticeBar(NoticeBar::Kind::Fault, "jobFileFault", this);
    file_fault_->set_action(tr("Dis&miss"));
    layout->addWidget(file_fault_);
    overrides_ = new OverrideBar(workspace->pool(), this);
    layout->addWidget(overrides_);

    auto* body = new QHBoxLayout;
    body->setSpacing(18);
    body->addWidget(make_left());
    body->addWidget(make_right(), 1);
    layout->addLayout(body, 1);
    layout->addWidget(make_rule(this));
    preflight_ = new PreflightLine(workspace_->preflight(), this);
    layout->addWidget(preflight_);
    layout->addWidget(make_bottom());

    setFocusProxy(form_);
    connect_parts();
    connect_workspace();
    Job first;
    first.name = "mnist-convnet";
    first.nodes = {kLocalNodeName};
    first.master_port = 0;
    first.train = {{"model", "convnet"},
                   {"dataset", {{"name", "mnist"}}},
                   {"epochs", 2},
                   {"batch_size", 100},
                   {"optimizer", {{"name", "sgd"}, {"lr", 0.01}, {"momentum", 0.9}}}};
    const std::string yaml = to_yaml(first);
    open({yaml, "job.yaml", {}, yaml, false}, read_job_text(yaml, "job.yaml"));
    kept_ = document_.source();
}

LaunchPage::~LaunchPage() {
    if (draft_timer_.isActive() || draft_job_.running()) {
        (void)write_job_draft(draft_file_->path(), document_.source());
    }
}

QWidget* LaunchPage::make_head() {
    auto* bar = new QWidget(this);
    auto* head = new QHBoxLayout(bar);
    head->setContentsMargins(0, 0, 0, 0);
    head->setSpacing(8);
    head->addWidget(make_label(tr("Launch"), bar, "pageTitle"));
    file_ = make_label({}, bar, "muted");
    file_->setObjectName(u"jobFile"_s);
    file_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a path must not widen the window
    head->addWidget(file_, 1);
    auto* open = make_button(tr("&Open job file…"), "openJob", bar);
    auto* save = make_button(tr("Save as &job file…"), "saveJob", bar);
    auto* paste = make_button(tr("From a command &line…"), "pasteJob", bar);
    auto* recipes = make_button(tr("Recipes…"), "openRecipes", bar);
    connect(recipes, &QPushButton::clicked, this, &LaunchPage::choose_recipe);
    head->addWidget(recipes);
    head->addWidget(paste);
    head->addWidget(open);
    head->addWidget(save);
    connect(open, &QPushButton::clicked, this, &LaunchPage::choose_job_file);
    connect(save, &QPushButton::clicked, this, &LaunchPage::choose_save_file);
    connect(paste, &QPushButton::clicked, this, &LaunchPage::paste_command_line);
    return bar;
}

QWidget* LaunchPage::make_right() {
    tabs_ = new QTabWidget(this);
    tabs_->setObjectName(u"launchTabs"_s);
    tabs_->setDocumentMode(true);
    plan_ = new PlanView(tabs_);
    text_ = new JobTextPane(tabs_);
    tabs_->addTab(plan_, tr("Pla&n"));
    tabs_->addTab(text_, tr("Job &file"));
    auto* corner = new QWidget(tabs_);
    auto* layout = new QHBoxLayout(corner);
    layout->setContentsMargins(0, 0, 0, 2);
    layout->setSpacing(4);
    const auto add = [&](const QString& text, const char* name, const QString& hint) {
        auto* button = new QToolButton(corner);
        button->setObjectName(QString::fromLatin1(name));
        button->setText(text);
        button->setToolTip(hint);
        button->setAutoRaise(true);
        layout->addWidget(button);
        return button;
    };
    discard_ = add(tr("Discard draft"), "discardDraft", tr("The job as it was opened or saved"));
    undo_ = add(tr("Undo"), "undoJob", {});
    redo_ = add(tr("Redo"), "redoJob", {});
    show_keys(undo_, u"edit.undo"_s);
    show_keys(redo_, u"edit.redo"_s);
    tabs_->setCornerWidget(corner);
    return tabs_;
}

QWidget* LaunchPage::make_left() {
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(u"launchScroll"_s);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFixedWidth(kFormWidth);
    form_ = new JobForm(scroll);
    form_->setContentsMargins(0, 0, 12, 0);
    scroll->setWidget(form_);
    return scroll;
}

QWidget* LaunchPage::make_bottom() {
    auto* bar = new QWidget(this);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(12);
    reason_ = make_label({}, bar, "muted");
    reason_->setObjectName(u"startReason"_s);
    reason_->setWordWrap(true);
    reason_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    start_ = make_button(tr("&Start"), "startButton", bar, "primary");
    show_keys(start_, u"run.start"_s);
    layout->addWidget(reason_, 1);
    layout->addWidget(start_);
    return bar;
}

void LaunchPage::connect_parts() {
    for (const auto& [timer, time] : {std::pair{&plan_timer_, kPlanAfterMs},
                                      {&text_timer_, kReadAfterMs},
                                      {&draft_timer_, kKeepAfterMs}}) {
        timer->setSingleShot(true);
        timer->setInterval(time);
    }
    connect(&plan_timer_, &QTimer::timeout, this, &LaunchPage::make_plan_now);
    connect(&text_timer_, &QTimer::timeout, this, &LaunchPage::read_text);
    connect(&draft_timer_, &QTimer::timeout, this, &LaunchPage::save_draft);
    connect(form_, &JobForm::fieldEdited, this, [this](const QString& key) { field_ = key; });
    connect(form_, &JobForm::changed, this, &LaunchPage::form_changed);
    connect(form_, &JobForm::keysRequested, this,
            [this](const std::map<std::string, std::string>& keys) { (void)set_job_keys(keys); });
    connect(text_, &JobTextPane::textEdited, this, &LaunchPage::text_typed);
    connect(overrides_, &OverrideBar::made, this,
            [this](const std::string& yaml, const std::filesystem::path& config) {
                open_translated(yaml, config, read_job_text(yaml, config.stem().string() + ".yaml"));
            });
    connect(undo_, &QToolButton::clicked, this, &LaunchPage::undo);
    connect(redo_, &QToolButton::clicked, this, &LaunchPage::redo);
    connect(discard_, &QToolButton::clicked, this, [this] {
        document_.discard_draft();
        show_document();
    });
    connect(file_fault_, &NoticeBar::actionTriggered, this, [this] { file_fault_->set_text({}); });
    connect(problems_, &NoticeBar::actionTriggered, this,
            [this] { document_.readable() ? remove_wrong_keys() : go_to_first_fault(); });
    connect(start_, &QPushButton::clicked, this, &LaunchPage::start);
    on_command(
        this, PageCommand::Undo, [this] { undo(); },
        [this] { return undo_->isEnabled() || !form_->checked().unread.empty(); });
    on_command(
        this, PageCommand::Redo, [this] { redo(); }, [this] { return redo_->isEnabled(); });
    on_command(this, PageCommand::Save, [this] { save(); });
    // The fields have an undo of their own, which knows nothing of the others.
    for (QWidget* field : findChildren<QWidget*>()) {
        if (qobject_cast<QLineEdit*>(field) || qobject_cast<QPlainTextEdit*>(field)) {
            field->installEventFilter(this);
        }
    }
}

bool LaunchPage::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const QKeySequence keys(static_cast<QKeyEvent*>(event)->keyCombination());
        for (const QString& id : {u"edit.undo"_s, u"edit.redo"_s}) {
            const auto* action = window()->findChild<QAction*>(id);
            if (action != nullptr && action->shortcuts().contains(keys)) {
                event->ignore();
                return true;
            }
        }
    }
    return QWidget::eventFilter(object, event);
}

void LaunchPage::connect_workspace() {
    connect(preflight_, &PreflightLine::doctorRequested, this, &LaunchPage::doctorRequested);
    connect(this, &LaunchPage::jobChanged, preflight_,
            [this] { preflight_->set_job(job(), state_.check_reason().isEmpty()); });
    connect(workspace_->fleet(), &Fleet::changed, this, [this] {
        filling_ = true;
        form_->set_fleet(*workspace_->fleet()->model());
        filling_ = false;
        std::vector<std::string> names;
        for (const NodeSpec& node : workspace_->fleet()->inventory().nodes) {
            names.push_back(node.name);
        }
        text_->edit()->set_nodes(std::move(names));
        // A probe that ends just when the user presses Start must not swallow that.
        read_form(state_.takes_start());
    });
    connect(workspace_->fleet(), &Fleet::problemsChanged, this, &LaunchPage::update_state);
    connect(workspace_, &Workspace::storeSettled, this, &LaunchPage::update_state);
    connect(workspace_->runs(), &RunSessions::changed, this, &LaunchPage::update_state);
    connect(workspace_->runs(), &RunSessions::ended, this, &LaunchPage::update_state);
}

Job LaunchPage::job() const {
    return form_->checked().job;
}

QString LaunchPage::job_title() const {
    QStringList parts;
    for (const QString& part : {qs(job().name), document_.source().title}) {
        if (!part.isEmpty()) {
            parts += part;
        }
    }
    return parts.join(u", "_s);
}

std::vector<std::string> LaunchPage::chosen_nodes() const {
    return form_->chosen_nodes();
}

void LaunchPage::form_changed() {
    read_form(false);
}

void LaunchPage::read_form(bool again) {
    if (filling_) {
        return;
    }
    CheckedJob checked = form_->checked();
    put_form_into_text(checked);
    for (const config::ConfigProblem& fault : file_faults_) {
        if (form_->has_field(form_key(fault.path))) {
            checked.errors.emplace(form_key(fault.path), qs(to_sentence(fault)));
        }
    }
    const std::map<std::string, QString> other = form_->show_errors(checked.errors);
    state_.wrong_fields = int(checked.errors.size() - other.size());
    state_.nodes_chosen = form_->nodes_chosen();
    state_.planning = true;
    state_.planning_again = again;
    state_.plan_failure.reset();
    planned_.reset();
    if (!other.empty()) {
        // A key of the job file that the form has no field for.
        const auto& [key, text] = *other.begin();
        state_.plan_failure = Failure{"bad-field", {}, key + ": " + ss(text), {}, {}};
    }
    plan_timer_.start();
    update_state();
}

void LaunchPage::make_plan_now() {
    const CheckedJob checked = form_->checked();
    if (!checked.errors.empty() || !form_->nodes_chosen()) {
        state_.planning = false;
        plan_job_.cancel();
        plan_->set_empty(form_->nodes_chosen() ? tr("appears when all fields are right")
                                               : tr("appears when a node is chosen"));
        form_->show_advice(0);
        if (!file_faults_.empty()) {
            plan_->set_empty(tr("appears when the job file is right"));  // the banner says what is wrong
        } else if (state_.plan_failure) {
            plan_->set_failure(*state_.plan_failure);
        }
        update_state();
        emit jobChanged();
        return;
    }
    plan_job_.start(
        [job = checked.job, inventory = workspace_->fleet()->inventory(),
         facts = workspace_->fleet()->model()->known_facts()](const JobHandle&) {
            Planned planned;
            planned.job = job;
            planned.problems = failures_of(check_job(job), job.file);
            Result<LaunchPlan> plan = make_plan(inventory, job, facts);
            if (!planned.problems.empty()) {
                planned.failure = planned.problems.front();
            } else if (plan) {
                planned.plan = std::move(*plan);
                planned.memory = memory_need(*planned.plan, facts);
            } else {
                planned.failure = plan.failure();
            }
            return planned;
        },
        [this](Planned planned) {
            state_.planning = false;
            state_.plan_failure = planned.failure;
            // Where the launcher chooses the nodes, what they share is not known.
            planned_ = launcher_of(planned.job).chooses_nodes ? std::nullopt : planned.plan;
            if (planned.plan) {
                plan_->set_plan(*planned.plan, planned.job);
                form_->show_advice(planned.plan->world_size);
                form_->show_cost(*planned.plan, planned.memory);
                look_for_last_run(planned.job, *planned.plan);
            } else {
                plan_->set_failure(*planned.failure);
                form_->show_advice(0);
            }
            update_state();
            emit jobChanged();
        });
}

void LaunchPage::look_for_last_run(const Job& job, const LaunchPlan& plan) {
    const auto store = workspace_->store();
    if (!store || !job.train) {
        form_->show_epoch_time({});
        return;
    }
    last_run_job_.start(
        [store, job, plan, cache = epoch_times_](const JobHandle& handle) {
            const auto time = nearest_epoch_time(*store, job, plan, *cache, handle.stop());
            return time ? epoch_time_text(*time, job, plan) : QString();
        },
        [this](const QString& text) { form_->show_epoch_time(text); });
}

void LaunchPage::update_state() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const Fleet* fleet = workspace_->fleet();
    state_.inventory_read = fleet->loaded();
    state_.inventory_fine = fleet->problems().empty();
    state_.store_settled = workspace_->store_settled();
    update_conflicts();
    start_->setEnabled(state_.takes_start());
    QString text = state_.reason();
    if (text.isEmpty()) {
        text = state_.news();
    }
    if (state_.is_ready() && workspace_->store_failure()) {
        text = tr("The run store cannot be used, so this run will not be kept: %1")
                   .arg(qs(workspace_->store_failure()->what));
    }
    reason_->setText(text);
    if (starts_when_ready_) {
        QMetaObject::invokeMethod(this, &LaunchPage::start_or_refuse, Qt::QueuedConnection);
    }
}

void LaunchPage::start_when_ready() {
    starts_when_ready_ = true;
    update_state();
}

void LaunchPage::start_or_refuse() {
    const bool waits = !state_.inventory_read || !state_.store_settled || state_.planning ||
                       plan_timer_.isActive() || plan_job_.running();
    if (!starts_when_ready_ || waits) {
        return;
    }
    starts_when_ready_ = false;
    if (state_.is_ready()) {
        start();
    } else {
        emit startRefused();
    }
}

void LaunchPage::start_or_show_why() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    if (start_->isEnabled()) {
        start();
    } else if (!file_faults_.empty()) {
        go_to_first_fault();
    }
}

// With what runs now, in any window: the nodes are the same.
void LaunchPage::update_conflicts() {
    std::vector<RunningPlan> running;
    QStringList here;
    for (Workspace* workspace : Workspace::all()) {
        for (const RunSession* run : workspace->runs()->live()) {
            const RunState& state = run->model()->state();
            running.push_back({state.name, state.plan});
            if (workspace == workspace_) {
                here += qs(state.name);
            }
        }
    }
    const RunConflicts conflicts = planned_ ? run_conflicts(*planned_, running) : RunConflicts{};
    state_.conflict = conflicts.fault;
    state_.warning = conflicts.warning;
    state_.beside = here.size() == 1 ? here.front()
                    : here.isEmpty() ? QString()
                                     : tr("%n runs", nullptr, int(here.size()));
}

void LaunchPage::start() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    update_state();
    if (!state_.is_ready()) {
        if (state_.takes_start()) {
            start_when_ready();
        }
        return;
    }
    RunRequest request;
    request.inventory = workspace_->fleet()->inventory();
    request.job = job();
    request.job_yaml = job_text();
    request.parent = document_.source().parent;
    request.sessions = workspace_->fleet()->sessions();
    request.log_limit = OutputLimit::of(workspace_)->bytes();
    emit startRequested(request);
}

void LaunchPage::choose_job_file() {
    auto* dialog =
        new QFileDialog(this, tr("Open a job file"), {}, tr("Job files (*.yaml *.yml);;All files (*)"));
    dialog->setObjectName(u"openJobDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { open_job(std::filesystem::path(ss(file))); });
    dialog->open();
}

void LaunchPage::paste_command_line() {
    auto* dialog = new PasteDialog(workspace_->fleet()->inventory(), form_->chosen_nodes(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const std::string yaml = to_yaml(dialog->job());
        open({yaml, "job.yaml", tr("from a command line"), yaml, false}, read_job_text(yaml, "job.yaml"));
    });
    dialog->open();
}

void LaunchPage::choose_recipe() {
    auto* dialog = new RecipesDialog(recipe_book(), job_text(), qs(job().name), workspace_->pool(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &RecipesDialog::chosen, this, &LaunchPage::open_recipe);
    dialog->open();
}

RecipeBook LaunchPage::recipe_book() const {
    const std::filesystem::path& folder = workspace_->options().data_dir;
    return folder.empty() ? RecipeBook::of_user()
                          : RecipeBook(logs::own_resource("recipes"), folder / "recipes");
}

void LaunchPage::open_recipe(const QString& name, const std::string& yaml) {
    const std::string file = ss(name) + ".yaml";
    open({yaml, file, tr("recipe %1").arg(name), yaml, false}, read_job_text(yaml, file));
}

void LaunchPage::choose_save_file() {
    auto* dialog = new QFileDialog(this, tr("Save as a job file"), {}, tr("Job files (*.yaml *.yml)"));
    dialog->setObjectName(u"saveJobDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"yaml"_s);
    dialog->selectFile(qs(document_.source().file.filename().string()));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { save_job(std::filesystem::path(ss(file))); });
    dialog->open();
}

}  // namespace rankscope::gui
