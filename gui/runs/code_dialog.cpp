// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <gui/runs/code_dialog.h>
#include <gui/strings.h>
#include <gui/texts.h>
#include <gui/widgets/layout_helpers.h>
#include <remote/desk/nodes/session/version_names.h>

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

namespace rankscope::gui {

CodeDialog::CodeDialog(std::shared_ptr<RunStore> store, const std::string& run_id, QThreadPool* pool,
                       QWidget* parent)
    : QDialog(parent), job_(this, pool) {
    setObjectName(u"codeDialog"_s);
    setWindowTitle(tr("Code and versions of %1").arg(qs(run_id)));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(10);
    version_ = make_label(tr("Reading the run store…"), this);
    version_->setObjectName(u"codeVersion"_s);
    version_->setWordWrap(true);
    version_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(version_);
    libraries_ = make_label(QString(), this);
    libraries_->setObjectName(u"codeLibraries"_s);
    libraries_->setWordWrap(true);
    libraries_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    libraries_->hide();
    layout->addWidget(libraries_);
    diff_ = new QPlainTextEdit(this);
    diff_->setObjectName(u"codeDiff"_s);
    diff_->setAccessibleName(tr("Changes since the commit"));
    diff_->setReadOnly(true);
    diff_->setLineWrapMode(QPlainTextEdit::NoWrap);
    diff_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    layout->addWidget(diff_, 1);
    auto* buttons = new QDialogButtonBox(this);
    copy_ = make_button(tr("&Copy"), "codeCopy", this);
    copy_->setEnabled(false);
    buttons->addButton(copy_, QDialogButtonBox::ActionRole);
    buttons->addButton(QDialogButtonBox::Close)->setDefault(true);
    layout->addWidget(buttons);
    connect(copy_, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(diff_->toPlainText()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize(780, 520);
    job_.start(
        [store = std::move(store), run_id](const JobHandle&) {
            const auto facts = store->facts_of(run_id);
            return Content{store->run(run_id), facts ? version_lines(*facts) : std::vector<std::string>()};
        },
        [this](const Content& content) { show_run(content); });
}

void CodeDialog::show_run(const Content& content) {
    const auto& run = content.run;
    libraries_->setText(qs(joined(content.versions, "\n")));
    libraries_->setVisible(!content.versions.empty());
    const auto code = run ? run->plan.code : std::nullopt;
    if (code) {
        const QString note = qs(diff_note(*code));
        version_->setText(qs(code_text(*code)) + (note.isEmpty() ? note : u"\n"_s + note));
        diff_->setPlainText(qs(code->diff));
    } else {
        version_->setText(qs(run ? no_code_text() : run.failure().what));
    }
    const bool changes = code && !code->diff.empty();
    copy_->setEnabled(changes);
    copy_->setVisible(changes);
    diff_->setVisible(changes);
    if (!changes) {
        resize(width(), layout()->totalHeightForWidth(width()));
    }
}

}  // namespace rankscope::gui
