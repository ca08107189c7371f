// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/apply_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>
#include <gui/widgets/text_height.h>

#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

namespace rankscope::gui {

namespace {

constexpr int kShownLines = 8;

QPlainTextEdit* make_commands(const QStringList& lines, const char* object_name, const QString& name,
                              QWidget* parent) {
    auto* edit = new QPlainTextEdit(lines.join(u'\n'), parent);
    edit->setObjectName(QString::fromLatin1(object_name));
    edit->setAccessibleName(name);
    edit->setReadOnly(true);
    edit->setTabChangesFocus(true);
    edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    const auto lines_shown = std::clamp(int(lines.size()) + 1, 2, kShownLines);
    edit->setFixedHeight(text_height(edit->font(), lines_shown) + 16);
    return edit;
}

}  // namespace

ApplyDialog::ApplyDialog(const std::vector<Fix>& fixes, bool undo, QWidget* parent) : QDialog(parent) {
    setObjectName(u"applyDialog"_s);
    std::set<std::string> nodes;
    QStringList commands;
    QStringList back;
    bool root = false;
    for (const Fix& fix : fixes) {
        nodes.insert(fix.node);
        root = root || fix.needs_root;
    }
    const bool several = nodes.size() > 1;
    for (const Fix& fix : fixes) {
        const QString place = several ? QString(qs(fix.node) % u":  "_s) : QString();
        commands += place + qs(undo ? fix.undo : fix.command);
        if (!undo && !fix.undo.empty()) {
            back += place + qs(fix.undo);
        }
    }
    const QString where =
        several ? tr("%1 nodes").arg(nodes.size()) : qs(nodes.empty() ? std::string() : *nodes.begin());
    setWindowTitle(undo ? tr("Undo on %1").arg(where) : tr("Apply on %1").arg(where));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);
    layout->addWidget(make_label(tr("This runs on %1, exactly as shown:").arg(where), this));
    layout->addWidget(make_commands(commands, "applyCommands", tr("Commands"), this));
    if (!back.isEmpty()) {
        layout->addWidget(make_label(tr("Undo runs:"), this));
        layout->addWidget(make_commands(back, "applyUndo", tr("Commands of undo"), this));
    } else if (!undo) {
        layout->addWidget(make_label(tr("There is no undo for it."), this, "muted"));
    }
    if (root) {
        auto* note = make_label(
            tr("It needs root there. If sudo asks for a password, so does Rankscope; the password is "
               "kept in memory only."),
            this, "muted");
        note->setWordWrap(true);
        layout->addWidget(note);
    }
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* confirm =
        buttons->addButton(undo ? tr("&Undo") : tr("&Apply"), QDialogButtonBox::AcceptRole);
    confirm->setObjectName(u"applyConfirm"_s);
    confirm->setAutoDefault(false);
    buttons->addButton(QDialogButtonBox::Cancel)->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(620);
}

}  // namespace rankscope::gui
