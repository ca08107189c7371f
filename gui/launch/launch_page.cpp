// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/job_form.h>
#include <gui/launch/key_rows.h>
#include <gui/launch/launch_page.h>
#include <gui/launch/paste_dialog.h>
#include <gui/launch/plan_view.h>
#include <gui/launch/preflight_line.h>
#include <gui/on_thread.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/config/job_edit.h>
#include <remote/desk/config/yaml_tree.h>
#include <remote/desk/launch/run_launcher.h>

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSaveFile>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kPlanAfterMs = 80;  ///< without a key stroke
constexpr int kFormWidth = 430;

}  // namespace

LaunchPage::LaunchPage(Workspace* workspace, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      read_job_(this, workspace->pool()),
      plan_job_(this, workspace->pool()),
      save_job_(this, workspace->pool()) {
    setObjectName(u"launchPage"_s);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(10);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    head->addWidget(make_label(tr("Launch"), this, "pageTitle"));
    file_ = make_label({}, this, "muted");
    file_->setObjectName(u"jobFile"_s);
    file_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // a path must not widen the window
    head->addWidget(file_, 1);
    auto* open = make_button(tr("&Open job file…"), "openJob", this);
    auto* save = make_button(tr("Save &as job file…"), "saveJob", this);
    auto* paste = make_button(tr("From a command &line…"), "pasteJob", this);
    head->addWidget(paste);
    head->addWidget(open);
    head->addWidget(save);
    layout->addLayout(head);
    problems_ = new NoticeBar(NoticeBar::Kind::Fault, "jobProblems", this);
    problems_->set_action(tr("&Dismiss"));
    layout->addWidget(problems_);
    unknown_ = new NoticeBar(NoticeBar::Kind::News, "jobUnknownKeys", this);
    unknown_->set_action(tr("D&ismiss"));
    layout->addWidget(unknown_);

    auto* body = new QHBoxLayout;
    body->setSpacing(18);
    body->addWidget(make_left());
    plan_ = new PlanView(this);
    body->addWidget(plan_, 1);
    layout->addLayout(body, 1);
    layout->addWidget(make_rule(this));
    preflight_ = new PreflightLine(workspace_->preflight(), this);
    layout->addWidget(preflight_);
    layout->addWidget(make_bottom());

    connect(open, &QPushButton::clicked, this, &LaunchPage::choose_job_file);
    connect(save, &QPushButton::clicked, this, &LaunchPage::choose_save_file);
    connect(paste, &QPushButton::clicked, this, &LaunchPage::paste_command_line);
    setFocusProxy(form_);
    connect_parts();
    Job first;
    first.name = "mnist-convnet";
    first.nodes = {kLocalNodeName};
    first.master_port = 0;
    first.train = {{"model", "convnet"},
                   {"dataset", {{"name", "mnist"}}},
                   {"epochs", 2},
                   {"batch_size", 100},
                   {"optimizer", {{"name", "sgd"}, {"lr", 0.01}, {"momentum", 0.9}}}};
    form_->set_job(first);
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
    start_->setToolTip(tr("Ctrl+Enter"));
    layout->addWidget(reason_, 1);
    layout->addWidget(start_);
    return bar;
}

void LaunchPage::connect_parts() {
    plan_timer_.setSingleShot(true);
    plan_timer_.setInterval(kPlanAfterMs);
    connect(&plan_timer_, &QTimer::timeout, this, &LaunchPage::make_plan_now);
    connect(form_, &JobForm::fieldEdited, this, &LaunchPage::field_edited);
    connect(form_, &JobForm::changed, this, &LaunchPage::form_changed);
    connect(unknown_, &NoticeBar::actionTriggered, this, [this] { unknown_->set_text({}); });
    connect(start_, &QPushButton::clicked, this, &LaunchPage::start);
    connect(preflight_, &PreflightLine::doctorRequested, this, &LaunchPage::doctorRequested);
    connect(this, &LaunchPage::jobChanged, preflight_,
            [this] { preflight_->set_job(job(), state_.check_reason().isEmpty()); });
    connect(problems_, &NoticeBar::actionTriggered, this, [this] {
        file_faults_.clear();
        show_file_faults();
        form_changed();
    });
    for (const QKeySequence& keys :
         {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)}) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, &LaunchPage::start);
    }
    connect(workspace_->fleet(), &Fleet::changed, this,
            [this] { form_->set_fleet(*workspace_->fleet()->model()); });
    connect(workspace_->fleet(), &Fleet::problemsChanged, this, &LaunchPage::update_state);
    connect(workspace_, &Workspace::storeSettled, this, &LaunchPage::update_state);
    connect(workspace_->session(), &RunSession::stateChanged, this, &LaunchPage::update_state);
    connect(workspace_->session(), &RunSession::ended, this, &LaunchPage::update_state);
    form_->set_fleet(*workspace_->fleet()->model());
}

void LaunchPage::open_job(const std::filesystem::path& file) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    read_job_.start([file](const JobHandle&) { return read_job(file); },
                    [this](JobRead read) { take_job(std::move(read)); });
}

void LaunchPage::set_job_text(const std::string& yaml, const std::filesystem::path& file) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    take_job(parse_job(yaml, file));
}

void LaunchPage::set_job_again(const QString& name, const std::string& yaml) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    // A run keeps its job, not the folder that its file lay in.
    std::error_code gone;
    const std::filesystem::path folder = std::filesystem::current_path(gone);
    JobRead read = parse_job(yaml, folder / (ss(name) + ".yaml"));
    const bool pushes = !read.job.push.empty();
    take_job(std::move(read));
    file_->setText(
        pushes ? tr("the job of %1 again; files to push are read from %2").arg(name, qs(folder.string()))
               : tr("the job of %1 again").arg(name));
    file_->setToolTip(file_->text());
}

void LaunchPage::take_job(JobRead read) {
    document_ = read.yaml;
    file_faults_.clear();
    QStringList unknown;
    for (const config::ConfigProblem& fault : read.faults) {
        if (fault.unknown_key) {
            unknown += tr("Line %1: %2. %3").arg(fault.line).arg(qs(fault.path), qs(fault.remedy));
        } else {
            file_faults_.push_back(fault);
        }
    }
    unknown_->set_text(unknown.isEmpty()
                           ? QString()
                           : tr("%n key(s) of the job file have no meaning here; they are kept.", nullptr,
                                int(unknown.size())),
                       unknown.join(u'\n'));
    if (read.faults.empty() && !read.problems.empty()) {  // it could not be read at all
        file_faults_.push_back({"", read.problems.front().what, read.problems.front().remedy});
    }
    const QString name = qs(read.job.file.filename().string());
    file_->setText(name);
    file_->setToolTip(qs(read.job.file.string()));
    // A file that could not be read at all leaves the form as it is.
    const bool empty = !read.job.train && read.job.command.empty();
    if (!empty || read.problems.empty()) {
        form_->set_job(read.job);
        form_->set_fleet(*workspace_->fleet()->model());
    } else {
        document_.clear();
    }
    show_file_faults();
    form_changed();
}

// An error of the file disappears when its field is edited; all of them when the message is dismissed.
void LaunchPage::show_file_faults() {
    QStringList lines;
    for (const config::ConfigProblem& fault : file_faults_) {
        const QString what = fault.path.empty() ? qs(to_sentence(fault))
                                                : QString(qs(fault.path) % u": "_s % qs(to_sentence(fault)));
        lines += fault.line > 0 ? tr("Line %1: %2").arg(fault.line).arg(what) : what;
    }
    problems_->set_text(
        lines.isEmpty() ? QString()
                        : tr("The job file has errors. Correct the marked fields, or dismiss this message."),
        lines.join(u'\n'));
    state_.job_file_fine = file_faults_.empty();
}

void LaunchPage::field_edited(const QString& key) {
    const std::string name = ss(key);
    const std::size_t removed = std::erase_if(file_faults_, [&](const config::ConfigProblem& fault) {
        const std::string of_form = form_key(fault.path);
        const bool section = of_form == name || of_form.starts_with(name + '.') ||
                             name == of_form + ".name" || (of_form == "conda" && name == "venv");
        return section && !fault.path.empty();
    });
    if (removed > 0) {
        show_file_faults();
        form_changed();
    }
}

Job LaunchPage::job() const {
    return form_->checked().job;
}

std::string LaunchPage::job_text() const {
    const Job job = this->job();
    if (!document_.empty()) {
        if (const auto edited = with_job(document_, job)) {
            return *edited;
        }
    }
    return to_yaml(job);
}

QString LaunchPage::job_title() const {
    QStringList parts;
    for (const QString& part : {qs(job().name), file_->text()}) {
        if (!part.isEmpty()) {
            parts += part;
        }
    }
    return parts.join(u", "_s);
}

std::vector<std::string> LaunchPage::chosen_nodes() const {
    return form_->chosen_nodes();
}

std::optional<Failure> LaunchPage::set_job_keys(const std::map<std::string, std::string>& keys) {
    RANKSCOPE_CHECK(on_thread_of(this), return std::nullopt);
    std::vector<std::string> assignments;
    for (const auto& [key, value] : keys) {
        assignments.push_back(key + "=" + value);
    }
    const Result<std::string> edited = with_assignments(job_text(), assignments);
    if (!edited) {
        return edited.failure();
    }
    const QString file = file_->text();
    take_job(parse_job(*edited, job().file));
    file_->setText(file);
    return std::nullopt;
}

void LaunchPage::form_changed() {
    CheckedJob checked = form_->checked();
    for (const config::ConfigProblem& fault : file_faults_) {
        if (form_->has_field(form_key(fault.path))) {
            checked.errors.emplace(form_key(fault.path), qs(to_sentence(fault)));
        }
    }
    const std::map<std::string, QString> other = form_->show_errors(checked.errors);
    state_.wrong_fields = int(checked.errors.size() - other.size());
    state_.nodes_chosen = form_->nodes_chosen();
    state_.planning = true;
    state_.plan_failure.reset();
    if (!other.empty()) {
        // A key of the job file that the form has no field for.
        const auto& [key, text] = *other.begin();
        state_.plan_failure = Failure{"bad-field", {}, key + " " + ss(text), {}, {}};
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
        if (state_.plan_failure) {
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
            } else {
                planned.failure = plan.failure();
            }
            return planned;
        },
        [this](Planned planned) {
            state_.planning = false;
            state_.plan_failure = planned.failure;
            if (planned.plan) {
                plan_->set_plan(*planned.plan, planned.job);
            } else {
                plan_->set_failure(*planned.failure);
            }
            update_state();
            emit jobChanged();
        });
}

void LaunchPage::update_state() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    const Fleet* fleet = workspace_->fleet();
    state_.inventory_read = fleet->loaded();
    state_.inventory_fine = fleet->problems().empty();
    state_.store_settled = workspace_->store_settled();
    state_.run_active = workspace_->session()->live() || workspace_->session()->attaching();
    start_->setEnabled(state_.is_ready());
    QString text = state_.reason();
    if (text.isEmpty() && workspace_->store_failure()) {
        text = tr("The run store cannot be used, so this run will not be kept: %1")
                   .arg(qs(workspace_->store_failure()->what));
    }
    reason_->setText(text);
}

void LaunchPage::start() {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    update_state();
    if (!state_.is_ready()) {
        return;
    }
    RunRequest request;
    request.inventory = workspace_->fleet()->inventory();
    request.job = job();
    request.job_yaml = job_text();
    request.sessions = workspace_->fleet()->sessions();
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
        JobRead read;
        read.job = dialog->job();
        take_job(std::move(read));
        file_->setText(tr("from a command line"));
    });
    dialog->open();
}

void LaunchPage::choose_save_file() {
    auto* dialog = new QFileDialog(this, tr("Save as a job file"), {}, tr("Job files (*.yaml *.yml)"));
    dialog->setObjectName(u"saveJobDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(u"yaml"_s);
    dialog->selectFile(u"job.yaml"_s);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { save_job(std::filesystem::path(ss(file))); });
    dialog->open();
}

void LaunchPage::save_job(const std::filesystem::path& file) {
    save_job_.start(
        [file, yaml = job_text()](const JobHandle&) {
            QSaveFile out(qs(file.string()));
            const bool fine = out.open(QIODevice::WriteOnly) &&
                              out.write(yaml.data(), qint64(yaml.size())) >= 0 && out.commit();
            return fine ? QString() : out.errorString();
        },
        [this, file](const QString& error) {
            if (error.isEmpty()) {
                file_->setText(tr("saved as %1").arg(qs(file.filename().string())));
                file_->setToolTip(qs(file.string()));
            } else {
                problems_->set_text(tr("Cannot write %1.").arg(qs(file.string())), error);
            }
        });
}

}  // namespace rankscope::gui
