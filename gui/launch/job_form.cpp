// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <gui/launch/advice_panel.h>
#include <gui/launch/gpu_picker.h>
#include <gui/launch/job_form.h>
#include <gui/launch/key_rows.h>
#include <gui/launch/learn_dialog.h>
#include <gui/on_thread.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>
#include <remote/desk/jobs/plan/training_advice.h>
#include <remote/desk/shared/yaml_write.h>

#include <QCheckBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr std::array kTrainFields{"model",
                                  "dataset.name",
                                  "dataset.root",
                                  "epochs",
                                  "batch_size",
                                  "optimizer.lr",
                                  "optimizer.momentum",
                                  "optimizer.weight_decay",
                                  "optimizer.nesterov"};
constexpr std::array kProgramFields{"venv", "metrics.lines", "metrics.patterns"};
constexpr std::array kComputeKeys{"backend", "train.device", "train.precision"};
constexpr int kPatternLines = 3;

/// Keys that have another field: a part of the launcher's, the program's or the environment's.
constexpr std::array kOtherFields{
    "train", "model.name", "conda", "environment.uv", "environment.requirements", "bucket_mb"};

/// Whether the table makes the field of the key.
bool is_for_table(const config::KeyInfo& info, const FieldForm& form) {
    const std::string key = form_key(info.path);
    const auto& launchers = job_launchers();
    const bool submit = std::any_of(launchers.begin(), launchers.end(),
                                    [&](const JobLauncher& launcher) { return key == launcher.submit_key; });
    return !submit && !form.has_row(key) &&
           std::find(kOtherFields.begin(), kOtherFields.end(), key) == kOtherFields.end();
}

/// Where, what, safety: above the groups, as in docs/job-keys.md.
void mark_section(QLabel* title) {
    title->setProperty("role", u"formSection"_s);
    title->setContentsMargins(0, 6, 0, 0);
}

void fill(QComboBox* box, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        box->addItem(qs(name));
    }
}

}  // namespace

JobForm::JobForm(QWidget* parent, EngineParts engine)
    : QWidget(parent), engine_(engine), form_(new FieldForm(this)), rows_(new KeyRows(form_)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(form_);
    layout->addStretch();
    rows_->set_offer_source([this](const std::string& key) { return offers_of(key); });
    connect(rows_, &KeyRows::tableRequested, this, &JobForm::edit_environment);
    make_general();
    rows_->add([this](const config::KeyInfo& info) {
        return *info.launcher != '\0' && !info.rare && is_for_table(info, *form_);
    });
    rows_->add([](const config::KeyInfo& info) {
        return std::find(kComputeKeys.begin(), kComputeKeys.end(), info.path) != kComputeKeys.end();
    });
    make_training();
    make_program();
    rows_->add(
        [](const config::KeyInfo& info) { return info.path == "container.image" || info.path == "env"; });
    make_life();
    make_more();
    show_rows();
    setFocusProxy(nodes_);
    connect(launcher_, &QComboBox::currentIndexChanged, this, &JobForm::launcher_changed);
    connect(kind_, &QComboBox::currentIndexChanged, this, &JobForm::show_rows);
    connect(python_, &QComboBox::currentIndexChanged, this, &JobForm::show_rows);
    connect(python_, &QComboBox::currentIndexChanged, this, &JobForm::edited);
    connect(nodes_, &QListWidget::itemChanged, this, &JobForm::node_toggled);
    connect(rows_, &KeyRows::edited, this, [this] {
        if (!filling_) {
            show_key_rows();
        }
    });
    connect(form_, &FieldForm::edited, this, [this](const QString& key) {
        if (!filling_) {
            emit fieldEdited(key);
        }
        if (key != u"launcher"_s) {  // launcher_changed() completes that change
            edited();
        }
    });
}

// Keys without a field of their own: the rare ones are folded away.
void JobForm::make_more() {
    more_ = new QToolButton(this);
    more_->setObjectName(u"launchMore"_s);
    more_->setText(tr("More settings"));
    more_->setCheckable(true);
    more_->setAutoRaise(true);
    more_->setArrowType(Qt::RightArrow);
    more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    form_->add_wide(more_);
    connect(more_, &QToolButton::toggled, this, [this](bool open) {
        more_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        show_key_rows();
    });
    rows_->add([this](const config::KeyInfo& info) { return info.rare && is_for_table(info, *form_); });
}

void JobForm::make_general() {
    mark_section(form_->add_title(tr("Where")));
    launcher_ = new ComboBox(this);
    launcher_->setObjectName(u"launchLauncher"_s);
    for (const JobLauncher& launcher : job_launchers()) {
        launcher_->addItem(tr("%1: %2").arg(qs(launcher.name), translated_key(launcher.help)),
                           qs(launcher.name));
    }
    form_->add_row("launcher", tr("Laun&cher"), launcher_);
    nodes_ = new QListWidget(this);
    nodes_->setObjectName(u"launchNodes"_s);
    nodes_->setAccessibleName(tr("Nodes"));
    nodes_->setTextElideMode(Qt::ElideMiddle);
    nodes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_->add_row("nodes", tr("&Nodes"), nodes_);
    group_ = make_group_button();
    form_->add_row("group", tr("Group"), group_);
    gpus_ = new GpuPicker(this);
    form_->add_row("gpus", tr("GPUs"), gpus_);
    connect(gpus_, &GpuPicker::changed, this, [this](const std::map<std::string, std::vector<int>>& used) {
        rows_->set_text("devices", used.empty() ? QString() : qs(yaml_flow(used)));
    });
    procs_ = form_->add_line("procs_per_node", tr("&Ranks per node"), "launchProcs", u"auto"_s,
                             tr("auto: one per GPU, else one per CPU slot; or per node: node1: 4, node2: 2"));
    port_ = form_->add_line("master_port", tr("Master &port"), "launchPort", u"29500"_s,
                            tr("Where the ranks meet; 0: a free port on the master"));
    name_ = form_->add_line("name", tr("Name of the r&un"), "launchName");
}

QWidget* JobForm::make_metrics_row() {
    auto* row = new QWidget(this);
    auto* layout = new QVBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    patterns_ = new QPlainTextEdit(row);
    patterns_->setObjectName(u"launchPatterns"_s);
    patterns_->setTabChangesFocus(true);
    patterns_->setLineWrapMode(QPlainTextEdit::NoWrap);
    patterns_->setPlaceholderText(tr("one a line: it {step} margin {margin}"));
    patterns_->setFixedHeight(text_height(patterns_->font(), kPatternLines) + 14);
    auto* learn = make_button(tr("Learn from an example line…"), "launchLearn", row);
    layout->addWidget(patterns_);
    layout->addWidget(learn, 0, Qt::AlignLeft);
    connect(learn, &QPushButton::clicked, this, &JobForm::learn_pattern);
    return row;
}

void JobForm::make_program() {
    rows_->add_key("workdir");
    python_ = new ComboBox(this);
    python_->setObjectName(u"launchPython"_s);
    python_->setAccessibleName(tr("Kind of environment"));
    python_->addItem(tr("the node's"), QString());
    python_->addItem(u"venv"_s, u"venv"_s);
    python_->addItem(u"conda"_s, u"conda"_s);
    python_->addItem(u"uv.lock"_s, u"uv"_s);
    python_->addItem(tr("requirements"), u"requirements"_s);
    python_env_ = new QLineEdit(this);
    python_env_->setObjectName(u"launchPythonEnv"_s);
    QWidget* python = make_row(this, python_, python_env_);
    form_->add_row("venv", tr("Python &of"), python, python_env_,
                   tr("Folder of a virtual environment, or name or folder of one of conda's, on the nodes. "
                      "Or a lock file "
                      "next to the job file: each node makes the environment before the start"));
    auto* browse = make_button(tr("Add…"), "launchPushBrowse", this);
    browse->setAccessibleName(tr("Add files to push"));
    connect(browse, &QPushButton::clicked, this, &JobForm::browse_push);
    push_ = qobject_cast<QLineEdit*>(rows_->add_key("push", browse));
    rows_->add_key("log_dir");
    known_lines_ = new QCheckBox(tr("read curves from lines of known shapes"), this);
    known_lines_->setObjectName(u"launchKnownLines"_s);
    form_->add_row("metrics.lines", tr("Metrics"), known_lines_, nullptr,
                   tr("PyTorch's examples, Lightning, Hugging Face, tqdm, Megatron-LM and others"));
    known_lines_->setAccessibleName(known_lines_->text());
    QWidget* metrics = make_metrics_row();
    form_->add_row("metrics.patterns", tr("Own l&ines"), metrics, patterns_,
                   tr("{name} is a number that becomes a curve, {} any number, {*} any text"));
}

void JobForm::make_life() {
    form_->add_title(tr("Measurements"));
    rows_->add_key("telemetry.every_s");
    mark_section(form_->add_title(tr("Safety")));
    for (const char* key :
         {"on_failure.peer_timeout_s", "on_failure.max_restarts", "checkpoint.signal", "checkpoint.wait_s"}) {
        rows_->add_key(key);
    }
}

void JobForm::make_training() {
    mark_section(form_->add_title(tr("What")));
    kind_ = new ComboBox(this);
    kind_->setObjectName(u"launchKind"_s);
    kind_->addItem(tr("the native engine"), false);
    kind_->addItem(tr("a program of my own"), true);
    form_->add_row("kind", tr("Program"), kind_);
    command_ = form_->add_line("command", tr("Co&mmand"), "launchCommand", u"python3 train.py"_s,
                               tr("As in a shell; every rank runs it with torchrun's environment"));
    model_ = new ComboBox(this);
    model_->setObjectName(u"launchModel"_s);
    fill(model_, config::known_models());
    form_->add_row("model", tr("&Model"), model_);
    dataset_ = new ComboBox(this);
    dataset_->setObjectName(u"launchDataset"_s);
    fill(dataset_, config::known_datasets());
    form_->add_row("dataset.name", tr("&Data set"), dataset_);
    root_ = new QLineEdit(this);
    root_->setObjectName(u"launchRoot"_s);
    root_->setPlaceholderText(tr("cache on the node, or download"));
    auto* browse = make_button(tr("&Browse…"), "launchRootBrowse", this);
    connect(browse, &QPushButton::clicked, this, &JobForm::browse_root);
    form_->add_row("dataset.root", tr("Data &folder"), make_row(this, root_, browse), root_,
                   tr("On the nodes. Empty: the user's cache there; what is missing is downloaded."));
    epochs_ = form_->add_line("epochs", tr("&Epochs"), "launchEpochs");
    batch_ = form_->add_line("batch_size", tr("B&atch size"), "launchBatch");
    rows_->add([](const config::KeyInfo& info) {
        constexpr std::array kFirst{"train.optimizer.name", "train.optimizer.beta1", "train.optimizer.beta2"};
        return std::find(kFirst.begin(), kFirst.end(), info.path) != kFirst.end();
    });
    lr_ = form_->add_line("optimizer.lr", tr("&Learning rate"), "launchLr");
    advice_ = new AdvicePanel(this);
    form_->add_wide(advice_);
    connect(advice_, &AdvicePanel::scaleRequested, this, [this] {
        const Job job = checked().job;
        if (const auto advice = training_advice(job, ranks_)) {
            emit keysRequested(scaling_keys(job, *advice));
        }
    });
    momentum_ = form_->add_line("optimizer.momentum", tr("M&omentum"), "launchMomentum");
    decay_ = form_->add_line("optimizer.weight_decay", tr("&Weight decay"), "launchDecay");
    nesterov_ = new QCheckBox(tr("Nesterov"), this);
    nesterov_->setObjectName(u"launchNesterov"_s);
    form_->add_row("optimizer.nesterov", QString(), nesterov_);
    nesterov_->setAccessibleName(tr("Nesterov"));
    rows_->add([this](const config::KeyInfo& info) {
        return !info.rare && info.path.starts_with("train.") && is_for_table(info, *form_);
    });
}

void JobForm::set_job(const Job& job) {
    RANKSCOPE_CHECK(on_thread_of(this), return );
    filling_ = true;
    base_ = job;
    chosen_ = job.nodes;
    all_nodes_ = job.all_nodes;
    const JobTexts texts = texts_of(job);
    name_->setText(texts.name);
    if (launcher_->findData(texts.launcher) < 0) {
        launcher_->addItem(texts.launcher, texts.launcher);  // what the file says, for the check to name
    }
    launcher_->setCurrentIndex(launcher_->findData(texts.launcher));
    submit_node_ = ss(texts.submit_node);
    kind_->setCurrentIndex(texts.own ? 1 : 0);
    command_->setText(texts.command);
    shown_command_ = command_->text();
    python_->setCurrentIndex(std::max(python_->findData(texts.python), 0));
    python_env_->setText(texts.python_env);
    known_lines_->setChecked(texts.known_lines);
    patterns_->setPlainText(texts.patterns.join(u'\n'));
    procs_->setText(texts.procs_per_node);
    port_->setText(texts.master_port);
    for (auto& [box, text] : {std::pair{model_, texts.model}, std::pair{dataset_, texts.dataset}}) {
        if (box->findText(text) < 0) {
            box->addItem(text);  // what the file says, for the check to name
        }
        box->setCurrentIndex(box->findText(text));
    }
    root_->setText(texts.root);
    epochs_->setText(texts.epochs);
    batch_->setText(texts.batch_size);
    lr_->setText(texts.lr);
    momentum_->setText(texts.momentum);
    decay_->setText(texts.weight_decay);
    nesterov_->setChecked(texts.nesterov);
    rows_->set_job(job);
    show_rows();
    fill_nodes();
    filling_ = false;
    emit changed();
}

JobTexts JobForm::texts() const {
    JobTexts texts;
    texts.name = name_->text();
    texts.procs_per_node = procs_->text();
    texts.master_port = port_->text();
    texts.model = model_->currentText();
    texts.dataset = dataset_->currentText();
    texts.root = root_->text();
    texts.epochs = epochs_->text();
    texts.batch_size = batch_->text();
    texts.lr = lr_->text();
    texts.momentum = momentum_->text();
    texts.weight_decay = decay_->text();
    texts.nesterov = nesterov_->isChecked();
    texts.launcher = launcher_->currentData().toString();
    texts.submit_node = qs(submit_node_);
    texts.own = own_program();
    // A word with a line break in it would lose that to the field.
    texts.command = command_->text() == shown_command_ ? join_words(base_.command) : command_->text();
    texts.python = python_->currentData().toString();
    texts.python_env = python_env_->text();
    texts.known_lines = known_lines_->isChecked();
    texts.patterns = patterns_->toPlainText().split(u'\n', Qt::SkipEmptyParts);
    return texts;
}

bool JobForm::own_program() const {
    return kind_->currentData().toBool();
}

const JobLauncher& JobForm::launcher() const {
    Job job;
    job.launcher = ss(launcher_->currentData().toString());
    return launcher_of(job);
}

void JobForm::show_rows() {
    const bool own = own_program();
    form_->set_row_visible("command", own);
    for (const char* field : kTrainFields) {
        form_->set_row_visible(field, !own);
    }
    for (const char* field : kProgramFields) {
        form_->set_row_visible(field, own);
    }
    const auto* submit = job_keys().find(launcher().submit_key);
    form_->set_label("nodes", submit ? translated_key(submit->info.label) : tr("&Nodes"));
    nodes_->setToolTip(submit ? translated_key(submit->info.help) : tr("The first one ticked is the master"));
    python_env_->setVisible(!python_->currentData().toString().isEmpty());
    const QString kind = python_->currentData().toString();
    python_env_->setPlaceholderText(kind == u"conda"_s          ? tr("name or folder")
                                    : kind == u"uv"_s           ? u"uv.lock"_s
                                    : kind == u"requirements"_s ? u"requirements.txt"_s
                                                                : u"~/venvs/torch"_s);
    show_key_rows();
}

void JobForm::show_key_rows() {
    if (more_ == nullptr) {
        return;  // the form is not complete yet
    }
    const Job job = checked().job;
    rows_->show_for(job, more_->isChecked());
    form_->set_row_visible("checkpoint.wait_s", !job.checkpoint_signal.empty());
    show_offers(job);
    show_gpus(job);
    bool sgd = false;
    if (job.train) {
        const auto name = config::value_at(*job.train, "optimizer.name");
        sgd = name.is_null() || name == "sgd";
    }
    form_->set_row_visible("optimizer.momentum", sgd);
    form_->set_row_visible("optimizer.nesterov", sgd);
}

void JobForm::show_advice(int world_size) {
    ranks_ = world_size;
    advice_->set_advice(training_advice(checked().job, world_size));
}

void JobForm::show_cost(const LaunchPlan& plan, const std::optional<MemoryNeed>& need) {
    advice_->set_cost(plan, need);
}

void JobForm::show_epoch_time(const QString& text) {
    advice_->set_epoch_time(text);
}

void JobForm::learn_pattern() {
    auto* dialog = new LearnDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        const QString before = patterns_->toPlainText();
        const bool separate = !before.isEmpty() && !before.endsWith(u'\n');
        patterns_->setPlainText(before + (separate ? u"\n"_s : QString()) + dialog->pattern());
    });
    dialog->open();
}

void JobForm::browse_push() {
    const std::filesystem::path folder = std::filesystem::absolute(base_.file).parent_path();
    auto* dialog = new QFileDialog(this, tr("Files to push"), qs(folder.string()));
    dialog->setObjectName(u"pushDialog"_s);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this, folder](const QStringList& files) {
        QString why;
        std::vector<std::string> all = split_words(push_->text(), &why);
        for (const QString& file : files) {
            // From beside the job file it keeps its place, so it is named from there.
            const auto relative = std::filesystem::path(ss(file)).lexically_relative(folder);
            const bool beside = !relative.empty() && *relative.begin() != "..";
            all.push_back(beside ? relative.string() : ss(file));
        }
        if (why.isEmpty()) {
            push_->setText(join_words(all));
        }
    });
    dialog->open();
}

CheckedJob JobForm::checked() const {
    CheckedJob checked =
        check_job_texts(base_, texts(), [this](Job& job, FieldErrors& errors) { rows_->apply(job, errors); });
    if (!launcher().chooses_nodes) {
        checked.job.all_nodes = all_nodes_;
        checked.job.nodes = all_nodes_ ? std::vector<std::string>() : chosen_;
    }
    for (const auto& [key, error] : checked.errors) {
        checked.unread.insert(key);
    }
    check_as_file(checked);
    return checked;
}

bool JobForm::has_field(const std::string& key) const {
    return form_->has_row(key);
}

std::map<std::string, QString> JobForm::show_errors(const std::map<std::string, QString>& errors) {
    const bool hidden = std::any_of(errors.begin(), errors.end(),
                                    [this](const auto& error) { return rows_->is_rare(error.first); });
    if (hidden) {
        more_->setChecked(true);
    }
    return form_->set_errors(errors);
}

void JobForm::edited() {
    if (!filling_) {
        emit changed();
    }
}

void JobForm::browse_root() {
    auto* dialog = new QFileDialog(this, tr("Folder of the data set"), root_->text());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, root_, &QLineEdit::setText);
    dialog->open();
}

}  // namespace rankscope::gui
