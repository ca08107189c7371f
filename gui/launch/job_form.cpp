// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/job_form.h>
#include <gui/strings.h>
#include <gui/style/glyphs.h>
#include <gui/widgets/field_form.h>
#include <gui/widgets/layout_helpers.h>
#include <protocol/train_config.h>

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kShownNodes = 6;
constexpr std::array kTrainFields{"model",
                                  "dataset.name",
                                  "dataset.root",
                                  "epochs",
                                  "batch_size",
                                  "optimizer.lr",
                                  "optimizer.momentum",
                                  "optimizer.weight_decay",
                                  "optimizer.nesterov"};

void fill(QComboBox* box, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        box->addItem(qs(name));
    }
}

}  // namespace

JobForm::JobForm(QWidget* parent) : QWidget(parent), form_(new FieldForm(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(form_);
    layout->addStretch();
    make_general();
    make_training();
    setFocusProxy(nodes_);
    for (QLineEdit* edit : {name_, procs_, port_, root_, epochs_, batch_, lr_, momentum_, decay_}) {
        connect(edit, &QLineEdit::textChanged, this, &JobForm::edited);
    }
    for (QComboBox* box : {model_, dataset_}) {
        connect(box, &QComboBox::currentIndexChanged, this, &JobForm::edited);
    }
    connect(nesterov_, &QCheckBox::toggled, this, &JobForm::edited);
    connect(nodes_, &QListWidget::itemChanged, this, &JobForm::node_toggled);
}

void JobForm::make_general() {
    form_->add_title(tr("Where"));
    nodes_ = new QListWidget(this);
    nodes_->setObjectName(u"launchNodes"_s);
    nodes_->setAccessibleName(tr("Nodes"));
    nodes_->setTextElideMode(Qt::ElideMiddle);
    nodes_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    form_->add_row("nodes", tr("&Nodes"), nodes_, nullptr, tr("The first one ticked is the master"));
    procs_ = form_->add_line("procs_per_node", tr("&Ranks per node"), "launchProcs", u"auto"_s,
                             tr("auto: one per GPU, else one per CPU slot"));
    port_ = form_->add_line("master_port", tr("Master &port"), "launchPort", u"29500"_s,
                            tr("Where the ranks meet; 0: a free port on the master"));
    name_ = form_->add_line("name", tr("Name of the r&un"), "launchName");
}

QWidget* JobForm::make_root_row() {
    auto* row = new QWidget(this);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    root_ = new QLineEdit(row);
    root_->setObjectName(u"launchRoot"_s);
    root_->setPlaceholderText(tr("cache on the node, or download"));
    auto* browse = make_button(tr("&Browse…"), "launchRootBrowse", row);
    layout->addWidget(root_, 1);
    layout->addWidget(browse);
    connect(browse, &QPushButton::clicked, this, &JobForm::browse_root);
    return row;
}

void JobForm::make_training() {
    form_->add_title(tr("What"));
    program_ = make_label({}, this);
    program_->setObjectName(u"launchProgram"_s);
    program_->setWordWrap(true);
    program_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    form_->add_row("command", tr("Own program"), program_);
    form_->set_row_visible("command", false);
    model_ = new QComboBox(this);
    model_->setObjectName(u"launchModel"_s);
    fill(model_, protocol::known_models());
    form_->add_row("model", tr("&Model"), model_);
    dataset_ = new QComboBox(this);
    dataset_->setObjectName(u"launchDataset"_s);
    fill(dataset_, protocol::known_datasets());
    form_->add_row("dataset.name", tr("&Data set"), dataset_);
    QWidget* root_row = make_root_row();
    form_->add_row("dataset.root", tr("Data &folder"), root_row, root_,
                   tr("On the nodes. Empty: the user's cache there; what is missing is downloaded."));
    epochs_ = form_->add_line("epochs", tr("&Epochs"), "launchEpochs");
    batch_ = form_->add_line("batch_size", tr("B&atch per rank"), "launchBatch");
    form_->add_title(tr("Optimizer: SGD"));
    lr_ = form_->add_line("optimizer.lr", tr("&Learning rate"), "launchLr");
    momentum_ = form_->add_line("optimizer.momentum", tr("M&omentum"), "launchMomentum");
    decay_ = form_->add_line("optimizer.weight_decay", tr("&Weight decay"), "launchDecay");
    nesterov_ = new QCheckBox(tr("Nesterov"), this);
    nesterov_->setObjectName(u"launchNesterov"_s);
    form_->add_row("optimizer.nesterov", QString(), nesterov_);
    nesterov_->setAccessibleName(tr("Nesterov"));
}

void JobForm::set_job(const Job& job) {
    filling_ = true;
    base_ = job;
    chosen_ = job.nodes;
    const JobTexts texts = texts_of(job);
    name_->setText(texts.name);
    procs_->setText(texts.procs_per_node);
    port_->setText(texts.master_port);
    for (auto& [box, text] : {std::pair{model_, texts.model}, std::pair{dataset_, texts.dataset}}) {
        box->setCurrentIndex(std::max(box->findText(text), 0));
    }
    root_->setText(texts.root);
    epochs_->setText(texts.epochs);
    batch_->setText(texts.batch_size);
    lr_->setText(texts.lr);
    momentum_->setText(texts.momentum);
    decay_->setText(texts.weight_decay);
    nesterov_->setChecked(texts.nesterov);
    const bool own = !job.command.empty();
    QStringList words;
    for (const std::string& word : job.command) {
        words += qs(word);
    }
    program_->setText(words.join(u' '));
    form_->set_row_visible("command", own);
    for (const char* field : kTrainFields) {
        form_->set_row_visible(field, !own);
    }
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
    return texts;
}

CheckedJob JobForm::checked() const {
    CheckedJob checked = check_job_texts(base_, texts());
    checked.job.all_nodes = false;
    checked.job.nodes = chosen_;
    return checked;
}

std::map<std::string, QString> JobForm::show_errors(const std::map<std::string, QString>& errors) {
    return form_->set_errors(errors);
}

void JobForm::set_fleet(const FleetModel& fleet) {
    fleet_ = &fleet;
    filling_ = true;
    if (base_.all_nodes) {
        // "all" is what the inventory names now; from here on the person ticks.
        chosen_.clear();
        for (const FleetNode& node : fleet.nodes()) {
            if (!node.spec.local) {
                chosen_.push_back(node.spec.name);
            }
        }
        base_.all_nodes = chosen_.empty();
    }
    fill_nodes();
    filling_ = false;
    emit changed();
}

void JobForm::fill_nodes() {
    if (!fleet_) {
        return;
    }
    const ThemeColors colors = theme_colors(palette());
    const int current = nodes_->currentRow();
    nodes_->clear();
    const auto add = [this](const std::string& name, const QString& text, const QIcon& icon) {
        auto* item = new QListWidgetItem(icon, text, nodes_);
        item->setData(Qt::UserRole, qs(name));
        item->setToolTip(text);
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool on = std::find(chosen_.begin(), chosen_.end(), name) != chosen_.end();
        item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    };
    for (const FleetNode& node : fleet_->nodes()) {
        add(node.spec.name, tr("%1 — %2").arg(node_title(node.spec), devices_text(node)),
            probe_icon(node.state, colors));
    }
    for (const std::string& name : chosen_) {
        if (!fleet_->find(name)) {
            add(name, tr("%1 — not in the inventory").arg(qs(name)), probe_icon(ProbeState::Failed, colors));
        }
    }
    nodes_->setCurrentRow(std::max(current, 0));
    fit_nodes();
}

void JobForm::fit_nodes() {
    const int rows = std::clamp(nodes_->count(), 2, kShownNodes);
    nodes_->setFixedHeight(rows * std::max(nodes_->sizeHintForRow(0), fontMetrics().height() + 4) + 6);
}

void JobForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    fit_nodes();  // only now is the style's row height known
}

void JobForm::node_toggled() {
    if (filling_) {
        return;
    }
    for (int row = 0; row < nodes_->count(); ++row) {
        const QListWidgetItem* item = nodes_->item(row);
        const std::string name = ss(item->data(Qt::UserRole).toString());
        const auto at = std::find(chosen_.begin(), chosen_.end(), name);
        const bool on = item->checkState() == Qt::Checked;
        if (on && at == chosen_.end()) {
            chosen_.push_back(name);
        } else if (!on && at != chosen_.end()) {
            chosen_.erase(at);
        }
    }
    emit changed();
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
