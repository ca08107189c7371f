// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/env_dialog.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/combo_box.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/logs/variables/variable_table.h>

#include <QCompleter>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStringListModel>
#include <QStyledItemDelegate>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

namespace rankscope::gui {

namespace {

using logs::VariableInfo;
using logs::VariableTable;

enum Column { Name, Value, Target, About, NUM_COLUMNS };

constexpr int kMostOffered = 64;  ///< ranks; others are typed

QStringList known_names() {
    QStringList names;
    for (const VariableInfo& info : VariableTable::own().all()) {
        if (!info.name.ends_with('*') && info.until.empty()) {
            names += qs(info.name);
        }
    }
    return names;
}

QString all_ranks() {
    return EnvDialog::tr("all ranks");
}

QString node_target(const QString& node) {
    return EnvDialog::tr("node %1").arg(node);
}

QString rank_target(const QString& rank) {
    return EnvDialog::tr("rank %1").arg(rank);
}

/// What %1 of a target's text is; nothing: it is a text of another kind.
std::optional<QString> part_of(const QString& text, QString (*make)(const QString&)) {
    const QString before = make(QString(u'\0')).section(u'\0', 0, 0);
    const QString after = make(QString(u'\0')).section(u'\0', 1);
    if (text.size() <= before.size() + after.size() || !text.startsWith(before, Qt::CaseInsensitive) ||
        !text.endsWith(after)) {
        return std::nullopt;
    }
    return text.mid(before.size(), text.size() - before.size() - after.size()).trimmed();
}

/// Completes names, and the values of a variable that has a list of them; offers for which ranks it is.
class VariableDelegate : public QStyledItemDelegate {
public:
    VariableDelegate(QStringList targets, QObject* parent)
        : QStyledItemDelegate(parent), targets_(std::move(targets)) {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override {
        if (index.column() == Target) {
            auto* box = new ComboBox(parent);
            box->setEditable(true);
            box->setInsertPolicy(QComboBox::NoInsert);
            box->setAccessibleName(EnvDialog::tr("For which ranks"));
            box->addItems(targets_);
            return box;
        }
        QWidget* editor = QStyledItemDelegate::createEditor(parent, option, index);
        auto* line = qobject_cast<QLineEdit*>(editor);
        if (line == nullptr) {
            return editor;
        }
        QStringList words;
        if (index.column() == Name) {
            words = known_names();
        } else if (const VariableInfo* info =
                       VariableTable::own().find(ss(index.siblingAtColumn(Name).data().toString()))) {
            for (const std::string& choice : info->choices) {
                words += qs(choice);
            }
        }
        auto* completer = new QCompleter(words, line);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setFilterMode(index.column() == Name ? Qt::MatchContains : Qt::MatchStartsWith);
        line->setCompleter(completer);
        return editor;
    }
    void setEditorData(QWidget* editor, const QModelIndex& index) const override {
        if (auto* box = qobject_cast<QComboBox*>(editor)) {
            box->setCurrentText(index.data().toString());
            return;
        }
        QStyledItemDelegate::setEditorData(editor, index);
    }
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override {
        if (const auto* box = qobject_cast<QComboBox*>(editor)) {
            const QString text = box->currentText().trimmed();
            model->setData(index, text.isEmpty() ? all_ranks() : text);
            return;
        }
        QStyledItemDelegate::setModelData(editor, model, index);
    }

private:
    QStringList targets_;
};

/// What is wrong with a variable, else what it means.
QString about(const std::string& name, const std::string& value) {
    const VariableTable& table = VariableTable::own();
    const auto problems = name.empty() ? std::vector<logs::VariableProblem>() : table.check(name, value, {});
    if (!problems.empty() &&
        !(value.empty() && problems.front().kind == logs::VariableProblemKind::BadValue)) {
        return qs(variable_problem_text(name, value, problems.front()));
    }
    const VariableInfo* info = name.empty() ? nullptr : table.find(name);
    return info == nullptr ? QString() : variable_text(info->meaning);
}

}  // namespace

EnvDialog::EnvDialog(const JobEnvironment& environment, const std::vector<std::string>& nodes, int ranks,
                     QWidget* parent)
    : QDialog(parent), nodes_(nodes), ranks_(ranks) {
    setObjectName(u"envDialog"_s);
    setWindowTitle(tr("Environment of the ranks"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    table_ = new QTableWidget(0, NUM_COLUMNS, this);
    table_->setObjectName(u"envTable"_s);
    table_->setAccessibleName(tr("Variables"));
    table_->setHorizontalHeaderLabels({tr("Variable"), tr("Value"), tr("For"), tr("Meaning")});
    table_->verticalHeader()->hide();
    // A job may have variables for nodes that it does not use today.
    for (const auto& [node, variables] : environment.nodes) {
        if (!nodes_.empty() && std::find(nodes_.begin(), nodes_.end(), node) == nodes_.end()) {
            nodes_.push_back(node);
        }
    }
    QStringList targets{all_ranks()};
    for (const std::string& node : nodes_) {
        targets += node_target(qs(node));
    }
    for (int rank = 0; rank < std::min(ranks_, kMostOffered); ++rank) {
        targets += rank_target(QString::number(rank));
    }
    table_->setItemDelegate(new VariableDelegate(targets, table_));
    table_->setEditTriggers(QAbstractItemView::AllEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->horizontalHeader()->setSectionResizeMode(About, QHeaderView::Stretch);
    table_->setColumnWidth(Name, 230);
    table_->setColumnWidth(Value, 140);
    table_->setColumnWidth(Target, 130);
    layout->addWidget(table_, 1);
    fault_ = make_label({}, this, "fieldError");
    fault_->setObjectName(u"envFault"_s);
    fault_->setWordWrap(true);
    fault_->hide();
    layout->addWidget(fault_);
    auto* buttons = new QDialogButtonBox(this);
    remove_ = buttons->addButton(tr("&Remove the variable"), QDialogButtonBox::ActionRole);
    remove_->setObjectName(u"envRemove"_s);
    remove_->setAutoDefault(false);
    ok_ = buttons->addButton(tr("&Use"), QDialogButtonBox::AcceptRole);
    ok_->setObjectName(u"envOk"_s);
    buttons->addButton(QDialogButtonBox::Cancel);
    layout->addWidget(buttons);
    const auto add = [this](const Variables& variables, const QString& target) {
        for (const auto& [name, value] : variables) {
            add_row(qs(name), qs(value), target);
        }
    };
    add(environment.all, all_ranks());
    for (const auto& [node, variables] : environment.nodes) {
        add(variables, node_target(qs(node)));
    }
    for (const auto& [rank, variables] : environment.ranks) {
        add(variables, rank_target(QString::number(rank)));
    }
    add_row({}, {}, all_ranks());
    connect(table_, &QTableWidget::cellChanged, this, &EnvDialog::cell_changed);
    connect(remove_, &QPushButton::clicked, this, &EnvDialog::remove_row);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    table_->setCurrentCell(table_->rowCount() - 1, Name);
    resize(960, 420);
    check();
}

QString EnvDialog::cell(int row, int column) const {
    const QTableWidgetItem* item = table_->item(row, column);
    return item == nullptr ? QString() : item->text();
}

void EnvDialog::add_row(const QString& name, const QString& value, const QString& target) {
    filling_ = true;
    const int row = table_->rowCount();
    table_->insertRow(row);
    table_->setItem(row, Name, new QTableWidgetItem(name));
    table_->setItem(row, Value, new QTableWidgetItem(value));
    table_->setItem(row, Target, new QTableWidgetItem(target));
    auto* meaning = new QTableWidgetItem;
    meaning->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    table_->setItem(row, About, meaning);
    filling_ = false;
    show_about(row);
}

void EnvDialog::show_about(int row) {
    filling_ = true;
    const QString text = about(ss(cell(row, Name).trimmed()), ss(cell(row, Value)));
    table_->item(row, About)->setText(text);
    table_->item(row, About)->setToolTip(plain_text(text));
    filling_ = false;
}

void EnvDialog::cell_changed(int row) {
    if (filling_) {
        return;
    }
    show_about(row);
    if (row == table_->rowCount() - 1 && !cell(row, Name).trimmed().isEmpty()) {
        add_row({}, {}, cell(row, Target));
    }
    check();
}

void EnvDialog::remove_row() {
    const int row = table_->currentRow();
    if (row >= 0 && row < table_->rowCount() - 1) {
        table_->removeRow(row);
        check();
    }
}

// A name that no program can read.
void EnvDialog::check() {
    QString fault;
    QStringList names;  // with the target of each
    for (int row = 0; row < table_->rowCount(); ++row) {
        const QString name = cell(row, Name).trimmed();
        const QString target = cell(row, Target).trimmed();
        const QString both = name % u'\n' % target.toLower();
        const bool fits = std::all_of(name.begin(), name.end(),
                                      [](QChar c) { return c != u'=' && !c.isSpace() && c.isPrint(); });
        if (!fits || (!name.isEmpty() && name.front().isDigit())) {
            fault = tr("\"%1\" cannot be the name of a variable.").arg(name);
        } else if (!name.isEmpty() && names.contains(both)) {
            fault = tr("%1 stands here twice for %2.").arg(name, target);
        } else if (const QString wrong = name.isEmpty() ? QString() : target_fault(target);
                   !wrong.isEmpty()) {
            fault = wrong;
        } else if (name.isEmpty() && !cell(row, Value).isEmpty()) {
            fault = tr("Give the value in line %1 a name.").arg(row + 1);
        }
        names += both;
    }
    fault_->setText(fault);
    fault_->setVisible(!fault.isEmpty());
    ok_->setEnabled(fault.isEmpty());
}

QString EnvDialog::target_fault(const QString& target) const {
    if (const auto rank = part_of(target, rank_target)) {
        bool ok = false;
        const int number = rank->toInt(&ok);
        if (ok && number >= 0 && (ranks_ == 0 || number < ranks_)) {
            return {};
        }
        return ranks_ == 0 ? tr("%1 is not the number of a rank.").arg(*rank)
                           : tr("%1 is not a rank of this job: they are 0 to %2.").arg(*rank).arg(ranks_ - 1);
    }
    if (const auto node = part_of(target, node_target)) {
        if (nodes_.empty()) {
            return tr("The launcher chooses the nodes of this job: choose all ranks, or one rank.");
        }
        return std::find(nodes_.begin(), nodes_.end(), ss(*node)) == nodes_.end()
                   ? tr("%1 is not a node of this job.").arg(*node)
                   : QString();
    }
    return target.compare(all_ranks(), Qt::CaseInsensitive) == 0
               ? QString()
               : tr("\"%1\" names no ranks. Write %2, %3 or %4.")
                     .arg(target, all_ranks(), node_target(tr("NAME")), rank_target(u"0"_s));
}

JobEnvironment EnvDialog::environment() const {
    JobEnvironment environment;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const std::string name = ss(cell(row, Name).trimmed());
        const QString target = cell(row, Target).trimmed();
        if (name.empty()) {
            continue;
        }
        const auto rank = part_of(target, rank_target);
        const auto node = part_of(target, node_target);
        Variables& variables = rank   ? environment.ranks[rank->toInt()]
                               : node ? environment.nodes[ss(*node)]
                                      : environment.all;
        variables[name] = ss(cell(row, Value));
    }
    return environment;
}

}  // namespace rankscope::gui
