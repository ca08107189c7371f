// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/env_dialog.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/plan/variable_notes.h>
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

namespace rankscope::gui {

namespace {

using logs::VariableInfo;
using logs::VariableTable;

enum Column { Name, Value, About, NUM_COLUMNS };

QStringList known_names() {
    QStringList names;
    for (const VariableInfo& info : VariableTable::own().all()) {
        if (!info.name.ends_with('*') && info.until.empty()) {
            names += qs(info.name);
        }
    }
    return names;
}

/// Completes names, and the values of a variable that has a list of them.
class VariableDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const override {
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

EnvDialog::EnvDialog(const Variables& variables, QWidget* parent) : QDialog(parent) {
    setObjectName(u"envDialog"_s);
    setWindowTitle(tr("Environment of all ranks"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    table_ = new QTableWidget(0, NUM_COLUMNS, this);
    table_->setObjectName(u"envTable"_s);
    table_->setAccessibleName(tr("Variables"));
    table_->setHorizontalHeaderLabels({tr("Variable"), tr("Value"), tr("Meaning")});
    table_->verticalHeader()->hide();
    table_->setItemDelegate(new VariableDelegate(table_));
    table_->setEditTriggers(QAbstractItemView::AllEditTriggers);
    table_->setTabKeyNavigation(false);
    table_->horizontalHeader()->setSectionResizeMode(About, QHeaderView::Stretch);
    table_->setColumnWidth(Name, 230);
    table_->setColumnWidth(Value, 140);
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
    for (const auto& [name, value] : variables) {
        add_row(qs(name), qs(value));
    }
    add_row({}, {});
    connect(table_, &QTableWidget::cellChanged, this, &EnvDialog::cell_changed);
    connect(remove_, &QPushButton::clicked, this, &EnvDialog::remove_row);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    table_->setCurrentCell(table_->rowCount() - 1, Name);
    resize(860, 420);
    check();
}

QString EnvDialog::cell(int row, int column) const {
    const QTableWidgetItem* item = table_->item(row, column);
    return item == nullptr ? QString() : item->text();
}

void EnvDialog::add_row(const QString& name, const QString& value) {
    filling_ = true;
    const int row = table_->rowCount();
    table_->insertRow(row);
    table_->setItem(row, Name, new QTableWidgetItem(name));
    table_->setItem(row, Value, new QTableWidgetItem(value));
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
        add_row({}, {});
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
    QStringList names;
    for (int row = 0; row < table_->rowCount(); ++row) {
        const QString name = cell(row, Name).trimmed();
        const bool fits = std::all_of(name.begin(), name.end(),
                                      [](QChar c) { return c != u'=' && !c.isSpace() && c.isPrint(); });
        if (!fits || (!name.isEmpty() && name.front().isDigit())) {
            fault = tr("\"%1\" cannot be the name of a variable.").arg(name);
        } else if (!name.isEmpty() && names.contains(name)) {
            fault = tr("%1 stands here twice.").arg(name);
        } else if (name.isEmpty() && !cell(row, Value).isEmpty()) {
            fault = tr("Give the value in line %1 a name.").arg(row + 1);
        }
        names += name;
    }
    fault_->setText(fault);
    fault_->setVisible(!fault.isEmpty());
    ok_->setEnabled(fault.isEmpty());
}

Variables EnvDialog::variables() const {
    Variables variables;
    for (int row = 0; row < table_->rowCount(); ++row) {
        if (const QString name = cell(row, Name).trimmed(); !name.isEmpty()) {
            variables[ss(name)] = ss(cell(row, Value));
        }
    }
    return variables;
}

}  // namespace rankscope::gui
