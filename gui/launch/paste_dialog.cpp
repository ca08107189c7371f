// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/key_rows.h>
#include <gui/launch/paste_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/launch_line.h>

#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontDatabase>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QThreadPool>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

QPlainTextEdit* make_text(const char* object_name, const QString& accessible_name, QWidget* parent) {
    auto* text = new QPlainTextEdit(parent);
    text->setObjectName(QString::fromLatin1(object_name));
    text->setAccessibleName(accessible_name);
    text->setTabChangesFocus(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    return text;
}

}  // namespace

PasteDialog::PasteDialog(Inventory inventory, std::vector<std::string> chosen, QWidget* parent)
    : QDialog(parent), inventory_(std::move(inventory)), evaluating_(this, QThreadPool::globalInstance()) {
    setObjectName(u"pasteDialog"_s);
    setWindowTitle(tr("From a command line"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    auto* title = make_label(
        tr("&Command line or script: torchrun, srun, sbatch, deepspeed, accelerate, mpirun, python …"), this,
        "sectionTitle");
    line_ = make_text("pasteLine", tr("Command line"), this);
    line_->setPlaceholderText(u"torchrun --nnodes=2 --nproc-per-node=4 train.py --lr 0.1"_s);
    title->setBuddy(line_);
    auto* head = new QHBoxLayout;
    head->addWidget(title, 1);
    QPushButton* open = make_button(tr("&Open a script…"), "pasteOpen", this);
    open->setAutoDefault(false);
    connect(open, &QPushButton::clicked, this, &PasteDialog::open_script);
    head->addWidget(open);
    layout->addLayout(head);
    layout->addWidget(line_, 2);
    fault_ = new NoticeBar(NoticeBar::Kind::Fault, "pasteFault", this);
    layout->addWidget(fault_);
    values_ = new QWidget(this);
    values_->setObjectName(u"pasteValues"_s);
    auto* form = new QFormLayout(values_);
    form->setContentsMargins(0, 0, 0, 0);
    values_->hide();
    layout->addWidget(values_);
    starts_ = new ComboBox(this);
    starts_->setObjectName(u"pasteStarts"_s);
    starts_->setAccessibleName(tr("Which job of the text"));
    starts_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    starts_->hide();
    layout->addWidget(starts_);
    connect(starts_, &QComboBox::currentIndexChanged, this, &PasteDialog::read);
    make_where(layout, chosen);
    layout->addWidget(make_label(tr("The job it makes"), this, "sectionTitle"));
    result_ = make_text("pasteResult", tr("The job it makes"), this);
    result_->setReadOnly(true);
    result_->setLineWrapMode(QPlainTextEdit::NoWrap);
    layout->addWidget(result_, 3);
    notes_ = make_label({}, this, "muted");
    notes_->setObjectName(u"pasteNotes"_s);
    notes_->setWordWrap(true);
    layout->addWidget(notes_);
    auto* buttons = new QDialogButtonBox(this);
    ok_ = buttons->addButton(tr("&Use"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"pasteOk"_s);
    ok_->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(line_, &QPlainTextEdit::textChanged, this, [this] {
        {
            const QSignalBlocker quiet(starts_);  // of another text
            starts_->setCurrentIndex(starts_->count() > 0 ? 0 : -1);
        }
        read();
    });
    resize(720, 560);
    read();
    line_->setFocus();
}

void PasteDialog::make_where(QLayout* layout, const std::vector<std::string>& chosen) {
    launcher_ = new ComboBox(this);
    launcher_->setObjectName(u"pasteLauncher"_s);
    launcher_->setAccessibleName(tr("How it runs"));
    launcher_->hide();
    layout->addWidget(launcher_);
    nodes_title_ = make_label({}, this, "muted");
    nodes_title_->hide();
    layout->addWidget(nodes_title_);
    ticks_ = new QWidget(this);
    ticks_->setObjectName(u"pasteTicks"_s);
    auto* row = new QHBoxLayout(ticks_);
    row->setContentsMargins(0, 0, 0, 0);
    ticks_->hide();
    layout->addWidget(ticks_);
    nodes_ = new QListWidget(this);
    nodes_->setObjectName(u"pasteNodes"_s);
    nodes_->setAccessibleName(tr("Nodes"));
    constexpr int kShownNodes = 4;
    nodes_->setMaximumHeight(kShownNodes * (fontMetrics().height() + 6) + 6);
    std::vector<std::string> names;
    for (const NodeSpec& node : inventory_.nodes) {
        names.push_back(node.name);
    }
    if (std::find(names.begin(), names.end(), kLocalNodeName) == names.end()) {
        names.emplace_back(kLocalNodeName);
    }
    for (const std::string& name : names) {
        const bool local = name == kLocalNodeName;
        auto* item = new QListWidgetItem(local ? tr("This computer") : qs(name), nodes_);
        item->setData(Qt::UserRole, qs(name));
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
        const bool on = std::find(chosen.begin(), chosen.end(), name) != chosen.end();
        item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
    nodes_->hide();
    layout->addWidget(nodes_);
    connect(nodes_, &QListWidget::itemChanged, this, &PasteDialog::read);
    connect(launcher_, &QComboBox::currentIndexChanged, this, &PasteDialog::read);
}

std::vector<std::string> PasteDialog::ticked() const {
    std::vector<std::string> names;
    for (int row = 0; row < nodes_->count(); ++row) {
        if (nodes_->item(row)->checkState() == Qt::Checked) {
            names.push_back(ss(nodes_->item(row)->data(Qt::UserRole).toString()));
        }
    }
    return names;
}

void PasteDialog::tick(const std::vector<std::string>& names) {
    {
        const QSignalBlocker quiet(nodes_);  // all at once
        for (int row = 0; row < nodes_->count(); ++row) {
            const std::string name = ss(nodes_->item(row)->data(Qt::UserRole).toString());
            const bool on = std::find(names.begin(), names.end(), name) != names.end();
            nodes_->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
        }
    }
    read();
}

void PasteDialog::offer_ticks(int wanted) {
    if (wanted == wanted_) {
        return;
    }
    wanted_ = wanted;
    qDeleteAll(ticks_->findChildren<QPushButton*>(Qt::FindDirectChildrenOnly));
    auto* row = static_cast<QHBoxLayout*>(ticks_->layout());
    while (QLayoutItem* item = row->takeAt(0)) {
        delete item;  // the stretch
    }
    const auto add = [&](const QString& text, const char* name, std::vector<std::string> nodes) {
        auto* button = make_button(text, name, ticks_);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, nodes = std::move(nodes)] { tick(nodes); });
        row->addWidget(button);
    };
    std::vector<std::string> first;
    for (const NodeSpec& node : inventory_.nodes) {
        if (int(first.size()) < wanted) {
            first.push_back(node.name);
        }
    }
    if (wanted > 1 && int(first.size()) == wanted) {
        add(tr("The &first %1").arg(wanted), "pasteFirst", first);
    }
    for (const std::string& group : inventory_.groups()) {
        std::vector<std::string> nodes;
        for (const NodeSpec& node : inventory_.nodes) {
            if (node.group == group) {
                nodes.push_back(node.name);
            }
        }
        add(tr("Group %1 (%2)").arg(qs(group).replace(u'&', u"&&"_s)).arg(nodes.size()), "pasteGroup", nodes);
    }
    row->addStretch(1);
}

// The launchers for such a line: those that name its nodes, and those whose own command it is.
void PasteDialog::offer_launchers(const std::string& command) {
    const QString before = launcher_->currentData().toString();
    const QSignalBlocker quiet(launcher_);
    launcher_->clear();
    for (const JobLauncher& launcher : job_launchers()) {
        if (!launcher.chooses_nodes || launcher.command == command) {
            launcher_->addItem(tr("%1: %2").arg(qs(launcher.name), translated_key(launcher.help)),
                               qs(launcher.name));
        }
    }
    launcher_->setCurrentIndex(std::max(launcher_->findData(before), 0));
    launcher_->setVisible(launcher_->count() > 1);
}

void PasteDialog::show_fault(const QString& what, const QString& remedy) {
    fault_->set_text(what, remedy);
}

PastedText PasteDialog::pasted() const {
    PastedText pasted;
    pasted.text = ss(line_->toPlainText());
    pasted.folder = ss(folder_);
    pasted.start = static_cast<std::size_t>(std::max(starts_->currentIndex(), 0));
    Job made;
    made.launcher = ss(launcher_->currentData().toString());
    if (!launcher_of(made).chooses_nodes) {
        pasted.nodes = ticked();
    }
    for (const auto& [name, field] : fields_) {
        if (!field->text().isEmpty()) {
            pasted.values[name] = ss(field->text());
        }
    }
    return pasted;
}

void PasteDialog::offer_starts(const std::vector<std::string>& starts) {
    QStringList titles;
    for (const std::string& start : starts) {
        titles += tr("%1 of %2: %3").arg(titles.size() + 1).arg(starts.size()).arg(qs(start).simplified());
    }
    QStringList shown;
    for (int i = 0; i < starts_->count(); ++i) {
        shown += starts_->itemText(i);
    }
    if (titles != shown) {
        const QSignalBlocker quiet(starts_);
        const int before = starts_->currentIndex();
        starts_->clear();
        starts_->addItems(titles);
        starts_->setCurrentIndex(std::clamp(before, titles.isEmpty() ? -1 : 0, int(titles.size()) - 1));
        for (int i = 0; i < starts_->count(); ++i) {
            starts_->setItemData(i, qs(starts[static_cast<std::size_t>(i)]), Qt::ToolTipRole);
        }
    }
    starts_->setVisible(titles.size() > 1);
}

// Files that the script names are looked for next to it.
void PasteDialog::open_script() {
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a script"), folder_,
                                     tr("Scripts (*.sh *.sbatch *.slurm *.bash *.job *.txt);;All files (*)"));
    if (path.isEmpty()) {
        return;
    }
    constexpr qint64 kMostBytes = qint64{1} << 20;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kMostBytes) {
        show_fault(tr("%1 cannot be read: %2")
                       .arg(path, file.isOpen() ? tr("it is larger than 1 MiB") : file.errorString()),
                   tr("Open the script that starts the training."));
        return;
    }
    folder_ = QFileInfo(path).absolutePath();
    line_->setPlainText(QString::fromUtf8(file.readAll()));
}

// A field stays while its value is what keeps it from being asked for.
void PasteDialog::offer_values(const std::vector<std::string>& missing) {
    auto* form = static_cast<QFormLayout*>(values_->layout());
    for (const std::string& name : missing) {
        if (fields_.count(name) > 0) {
            continue;
        }
        auto* field = new QLineEdit(values_);
        field->setObjectName(u"pasteValue_"_s + qs(name));
        const bool is_argument = name.find_first_not_of("0123456789") == std::string::npos;
        const QString label = is_argument ? tr("Argument %1").arg(qs(name)) : qs(name);
        field->setAccessibleName(label);
        form->addRow(label, field);
        fields_[name] = field;
        connect(field, &QLineEdit::textChanged, this, &PasteDialog::read);
    }
    for (auto entry = fields_.begin(); entry != fields_.end();) {
        const bool asked = std::find(missing.begin(), missing.end(), entry->first) != missing.end();
        const QString name = qs(entry->first);
        const QString script = line_->toPlainText();
        const bool has_place = script.contains(u'$' + name) || script.contains(u"${"_s + name);
        if (asked || has_place) {
            ++entry;
        } else {
            form->removeRow(entry->second);
            entry = fields_.erase(entry);
        }
    }
    values_->setVisible(!fields_.empty());
}

void PasteDialog::read() {
    const PastedText now = pasted();
    const bool typed = !line_->toPlainText().trimmed().isEmpty();
    ReadText plain{Failure{}};
    if (!needs_a_shell(now.text)) {
        plain = typed ? read_text_as_written(now) : plain;
        if (plain.line || !typed) {
            evaluating_.cancel();
            evaluated_ = {};
            evaluation_.reset();
            offer_values({});
            offer_starts(plain.starts);
            return show_read(plain);
        }
    }
    if (evaluated_ == now) {
        if (evaluation_) {
            show_read(*evaluation_);
        }
        return;  // or it is on its way
    }
    evaluated_ = now;
    evaluation_.reset();
    if (needs_a_shell(now.text)) {
        Failure waiting;
        waiting.what = ss(tr("The script is evaluated…"));
        plain = {waiting};
    }
    show_read(plain);
    evaluating_.start([now](const JobHandle&) { return read_script_text(now); },
                      [this](ReadText read) {
                          evaluation_ = std::move(read);
                          offer_values(evaluation_->missing);
                          offer_starts(evaluation_->starts);
                          show_read(*evaluation_);
                      });
}

void PasteDialog::show_read(const ReadText& read) {
    const Result<PastedLine>& line = read.line;
    const bool typed = !line_->toPlainText().trimmed().isEmpty();
    fault_->set_text({});
    notes_->hide();
    result_->clear();
    ok_->setEnabled(false);
    if (line || !typed) {  // while a script is evaluated the choice stays
        offer_launchers(line ? to_string(line->tool) : "");
    }
    Job made;
    made.launcher = ss(launcher_->currentData().toString());
    const JobLauncher& launcher = launcher_of(made);
    const bool submits = launcher.chooses_nodes;
    const bool asks = line && ((line->hosts.empty() && line->nodes != 1) || submits);
    nodes_->setVisible(asks);
    nodes_title_->setVisible(asks);
    if (line) {
        offer_ticks(submits ? 1 : line->nodes);
    }
    ticks_->setVisible(asks && !submits && ticks_->findChild<QPushButton*>() != nullptr);
    if (!line) {
        if (typed) {
            show_fault(qs(line.failure().what), qs(line.failure().remedy));
        }
        return;
    }
    std::vector<std::string> chosen = ticked();
    const int count = int(chosen.size());
    const bool all = line->nodes > 1 && line->nodes == int(inventory_.nodes.size());
    nodes_title_->setText(submits ? tr("Tick the node to submit the job on.")
                          : line->nodes == 0
                              ? tr("The line names no nodes: tick them; none: all nodes.")
                              : tr("The line asks for %n node(s): tick them.", nullptr, line->nodes));
    if (submits) {
        if (count != 1) {
            show_fault(tr("The job is submitted on one node; ticked: %1.").arg(count),
                       tr("Tick one node that has %1.").arg(QString::fromLatin1(launcher.command)));
            return;
        }
        job_ = submitted_job(*line, launcher.name, chosen.front());
    } else {
        const bool as_one = count == 1 && can_be_one_node(*line);
        if (asks && line->nodes > 1 && count != line->nodes && !all && !as_one) {
            show_fault(tr("The line asks for %1 nodes; ticked: %2.").arg(line->nodes).arg(count),
                       int(inventory_.nodes.size()) < line->nodes
                           ? tr("The inventory has fewer nodes: add the others in Fleet.")
                           : tr("Tick %n node(s) below.", nullptr, line->nodes));
            return;
        }
        if (all && count != line->nodes && !as_one) {
            chosen.clear();  // it is every node of the inventory
        }
        const auto job = job_from(*line, inventory_, asks ? chosen : std::vector<std::string>());
        if (!job) {
            show_fault(qs(job.failure().what), qs(job.failure().remedy));
            return;
        }
        job_ = *job;
    }
    result_->setPlainText(qs(to_yaml(job_)));
    QStringList notes;
    for (const std::string& note : line->notes) {
        const auto& left = line->allocation_notes;
        if (submits && std::find(left.begin(), left.end(), note) != left.end()) {
            continue;
        }
        notes += u"• "_s + qs(note);
    }
    notes_->setText(notes.join(u'\n'));
    notes_->setVisible(!notes.isEmpty());
    ok_->setEnabled(true);
}

}  // namespace rankscope::gui
