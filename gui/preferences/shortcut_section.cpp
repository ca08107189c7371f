// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/action_registry.h>
#include <gui/preferences/shortcut_section.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QAction>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequence>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QPushButton>
#include <QString>
#include <QStringList>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

namespace rankscope::gui {

namespace {

constexpr int kIdRole = Qt::UserRole + 1;

QString shown(const QStringList& portable) {
    QStringList all;
    for (const QString& keys : portable) {
        all += native_keys(keys);
    }
    return all.join(u", "_s);
}

/// A letter, a digit or a sign by itself.
bool is_typed(const QString& keys) {
    const QKeySequence sequence = QKeySequence::fromString(keys, QKeySequence::PortableText);
    if (sequence.isEmpty()) {
        return false;
    }
    const Qt::KeyboardModifiers modifiers = sequence[0].keyboardModifiers();
    return sequence[0].key() < Qt::Key_Escape && (modifiers & ~Qt::ShiftModifier) == Qt::NoModifier;
}

void set_cell(QTableWidget* table, int row, int column, const QString& text, const QString& id) {
    auto item = std::make_unique<QTableWidgetItem>(text);
    item->setData(kIdRole, id);
    table->setItem(row, column, item.release());  // the table owns it
}

/// Keys that a part of a page has for itself. They cannot be changed, and no action can have them.
struct FixedKeys {
    QStringList keys;  ///< in QKeySequence's portable form
    QString use;       ///< with the part they are for
};

struct Words {
    Q_DECLARE_TR_FUNCTIONS(FixedKeys)
};

QKeySequence sequence_of(const QString& portable) {
    return QKeySequence::fromString(portable, QKeySequence::PortableText);
}

std::vector<FixedKeys> fixed_keys() {
    return {{{u"Return"_s, u"Enter"_s}, Words::tr("Open the selected row (tables)")},
            {{u"Esc"_s}, Words::tr("Clear the selection, go back, or close the dialog")},
            {{u"Ctrl+A"_s}, Words::tr("Select all (log, tables, fields)")},
            {{u"Ctrl+X"_s, u"Ctrl+V"_s}, Words::tr("Cut and paste (fields)")},
            {{u"Return"_s, u"Enter"_s, u"Shift+Return"_s},
             Words::tr("Next or previous match (search in the log)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Earlier searches (search in the log)")},
            {{u"Return"_s, u"Enter"_s}, Words::tr("Show the moment on the curves (log)")},
            {{u"Ctrl+Up"_s, u"Ctrl+Down"_s}, Words::tr("Scroll by a line (log)")},
            {{u"Left"_s, u"Right"_s, u"Up"_s, u"Down"_s, u"PgUp"_s, u"PgDown"_s, u"Home"_s, u"End"_s,
              u"Ctrl+Home"_s, u"Ctrl+End"_s},
             Words::tr("Move the cursor; with Shift, select (log, tables, fields)")},
            {{u"+"_s, u"="_s, u"-"_s, u"0"_s, u"Home"_s, u"Left"_s, u"Right"_s},
             Words::tr("Zoom, show all, move in time (curves)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Previous or next plot (curves)")},
            {{u"H"_s, u"L"_s}, Words::tr("Heat map, log scale of the plot (curves)")},
            {{u"Shift+L"_s}, Words::tr("Logarithmic x axis (curves)")},
            {{u"Ctrl+Left"_s, u"Ctrl+Right"_s}, Words::tr("Move the marked moment (curves)")},
            {{u"Return"_s, u"Enter"_s}, Words::tr("Show the log at the marked moment (curves)")},
            {{u"+"_s, u"-"_s, u"0"_s, u"Left"_s, u"Right"_s},
             Words::tr("Zoom, show all, move (comparison, NCCL)")},
            {{u"Up"_s, u"Down"_s}, Words::tr("Other ranks (timeline of NCCL)")},
            {{u"Space"_s, u"Return"_s, u"Enter"_s},
             Words::tr("Choose (squares of GPUs, pairs of nodes, map of NCCL)")},
            {{u"Left"_s, u"Right"_s, u"Up"_s, u"Down"_s, u"Home"_s, u"End"_s},
             Words::tr("Move to another square (GPUs, pairs of nodes)")},
            {{u"Ctrl+Space"_s}, Words::tr("List keys and values (text of the job)")},
            {{u"Alt+Left"_s, u"Alt+Home"_s}, Words::tr("Go back, all pages (documentation)")}};
}

/// What these keys are for, by part; empty: they are free.
QStringList fixed_uses(const QString& keys) {
    QStringList uses;
    const QKeySequence wanted = sequence_of(keys);
    for (const FixedKeys& each : fixed_keys()) {
        for (const QString& one : each.keys) {
            if (!wanted.isEmpty() && sequence_of(one) == wanted) {
                uses += each.use;
                break;
            }
        }
    }
    return uses;
}

}  // namespace

ShortcutSection::ShortcutSection(SettingsFile* file, ActionRegistry* actions, QWidget* parent)
    : SettingsSection(SettingsPart::Shortcuts, tr("Shortcuts"), file, parent),
      actions_(actions),
      table_(new QTableWidget(0, 3, this)) {
    tune_table(table_, "settingsShortcuts", tr("Shortcuts"));
    table_->setHorizontalHeaderLabels({tr("Action"), tr("Group"), tr("Keys")});
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->setColumnWidth(1, 110);
    table_->setColumnWidth(2, 130);
    column()->addWidget(table_, 1);
    column()->addWidget(make_editor());
    connect(table_, &QTableWidget::itemSelectionChanged, this, &ShortcutSection::update_editor);
}

QWidget* ShortcutSection::make_editor() {
    auto* box = new QWidget(this);
    auto* rows = new QVBoxLayout(box);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(6);
    name_ = make_label({}, box, "sectionTitle");
    rows->addWidget(name_);
    auto* row = new QHBoxLayout;
    edit_ = new QKeySequenceEdit(box);
    edit_->setObjectName(u"shortcutKeys"_s);
    edit_->setAccessibleName(tr("New keys"));
    assign_ = make_button(tr("&Assign"), "shortcutAssign", box);
    remove_ = make_button(tr("Re&move"), "shortcutRemove", box);
    default_ = make_button(tr("&Default"), "shortcutDefault", box);
    row->addWidget(edit_, 1);
    for (QPushButton* button : {assign_, remove_, default_}) {
        row->addWidget(button);
    }
    rows->addLayout(row);
    problem_ = make_label({}, box, "fieldError");
    problem_->setObjectName(u"shortcutProblem"_s);
    problem_->setWordWrap(true);
    rows->addWidget(problem_);
    connect(edit_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutSection::check_keys);
    connect(assign_, &QPushButton::clicked, this, [this] { assign(wanted_keys()); });
    connect(remove_, &QPushButton::clicked, this, [this] { assign({}); });
    connect(default_, &QPushButton::clicked, this, [this] {
        if (const auto* entry = actions_->find(selected_id())) {
            assign(entry->spec.keys);
        }
    });
    return box;
}

QString ShortcutSection::selected_id() const {
    const auto items = table_->selectedItems();
    return items.isEmpty() ? QString() : items.first()->data(kIdRole).toString();
}

QString ShortcutSection::wanted_keys() const {
    const QKeySequence keys = edit_->keySequence();
    // One stroke: an action must not wait for a second.
    return keys.isEmpty() ? QString() : QKeySequence(keys[0]).toString(QKeySequence::PortableText);
}

void ShortcutSection::fill(const Settings& /*settings*/) {
    const int row = table_->currentRow();
    fill_table();
    table_->selectRow(std::max(row, 0));
    update_editor();
}

void ShortcutSection::fill_table() {
    const auto& changed = now().shortcuts;
    const auto fixed = fixed_keys();
    const auto in_force = actions_->keys_in_force(changed);
    table_->setRowCount(int(actions_->entries().size() + fixed.size()));
    int row = 0;
    for (const auto& entry : actions_->entries()) {
        const QString& id = entry.spec.id;
        const auto own = changed.find(id);
        set_cell(table_, row, 0, entry.name(), id);
        set_cell(table_, row, 1, entry.spec.group, id);
        set_cell(table_, row, 2, shown(in_force.at(id)), id);
        if (own != changed.end()) {
            QFont bold = table_->font();
            bold.setBold(true);
            table_->item(row, 2)->setFont(bold);
            table_->item(row, 2)->setToolTip(
                tr("The default is %1.")
                    .arg(entry.spec.keys.isEmpty() ? tr("none") : native_keys(entry.spec.keys)));
        }
        ++row;
    }
    for (const FixedKeys& each : fixed) {
        set_cell(table_, row, 0, each.use, {});
        set_cell(table_, row, 1, tr("fixed"), {});
        set_cell(table_, row, 2, shown(each.keys), {});
        ++row;
    }
}

void ShortcutSection::update_editor() {
    const auto* entry = actions_->find(selected_id());
    for (QWidget* widget :
         {static_cast<QWidget*>(edit_), static_cast<QWidget*>(remove_), static_cast<QWidget*>(default_)}) {
        widget->setEnabled(entry != nullptr);
    }
    name_->setText(entry ? tr("New keys for: %1").arg(entry->name()) : tr("These keys cannot be changed."));
    edit_->clear();
    check_keys();
    if (entry) {
        const auto& changed = now().shortcuts;
        const auto own = changed.find(entry->spec.id);
        default_->setEnabled(own != changed.end());
        remove_->setEnabled(!(own == changed.end() ? entry->spec.keys : own->second).isEmpty());
    }
}

void ShortcutSection::check_keys() {
    const QString keys = wanted_keys();
    QString problem;
    bool can = !keys.isEmpty() && !selected_id().isEmpty();
    assign_->setText(tr("&Assign"));
    const QString text = native_keys(keys);
    if (const QStringList uses = fixed_uses(keys); !uses.isEmpty()) {
        problem = tr("%1 is fixed: %2. Choose other keys.").arg(text, uses.join(u"; "_s));
        can = false;
    } else if (is_typed(keys)) {
        problem = tr("%1 is text for fields. Add Ctrl or Alt.").arg(text);
        can = false;
    }
    if (const auto owners = actions_->owners_of(keys, selected_id(), now().shortcuts);
        can && !owners.empty()) {
        QStringList names;
        for (const auto* owner : owners) {
            names += owner->name();
        }
        problem = tr("%1 belongs to \"%2\", which loses it.").arg(text, names.join(u"\", \""_s));
        assign_->setText(tr("T&ake it"));
    }
    problem_->setText(problem);
    assign_->setEnabled(can);
}

void ShortcutSection::assign(const QString& keys) {
    const QString id = selected_id();
    const auto* entry = actions_->find(id);
    if (entry == nullptr) {
        return;
    }
    const auto owners = actions_->owners_of(keys, id, now().shortcuts);
    change([&](Settings& settings) {
        for (const auto* owner : owners) {
            settings.shortcuts[owner->spec.id] = QString();
        }
        if (keys == entry->spec.keys) {
            settings.shortcuts.erase(id);
        } else {
            settings.shortcuts[id] = keys;
        }
    });
}

}  // namespace rankscope::gui
