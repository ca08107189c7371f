// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/prompts/secret_dialog.h>
#include <gui/strings.h>
#include <gui/widgets/layout_helpers.h>

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace rankscope::gui {

SecretDialog::SecretDialog(const SecretQuestion& question, QWidget* parent) : QuestionDialog(parent) {
    setObjectName(u"secretDialog"_s);
    setWindowTitle(question.passphrase ? tr("Passphrase") : tr("Password"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(18, 16, 18, 14);
    layout->setSpacing(8);

    const QString text = question.passphrase ? tr("Node %1 needs the passphrase of the key for %2.")
                                             : tr("Node %1 asks for the password of %2.");
    auto* label = make_label(text.arg(qs(question.node), qs(question.account)), this);
    label->setWordWrap(true);
    layout->addWidget(label);
    if (question.attempt > 1) {
        layout->addWidget(
            make_label(tr("That was not accepted. Attempt %1.").arg(question.attempt), this, "fieldError"));
    }

    auto* prompt =
        make_label(question.prompt.empty() ? (question.passphrase ? tr("&Passphrase:") : tr("&Password:"))
                                           : qs(question.prompt).replace(u'&', u"&&"_s),
                   this);
    edit_ = new QLineEdit(this);
    edit_->setObjectName(u"secretEdit"_s);
    edit_->setEchoMode(QLineEdit::Password);
    edit_->setAccessibleName(windowTitle());
    prompt->setBuddy(edit_);
    layout->addSpacing(4);
    layout->addWidget(prompt);
    layout->addWidget(edit_);
    layout->addWidget(make_label(tr("Kept in memory only, never written to disk."), this, "muted"));
    layout->addStretch();

    buttons_ = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    layout->addWidget(buttons_);
    connect(buttons_, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(420);
    edit_->setFocus();
}

void SecretDialog::update_buttons() {
    buttons_->setEnabled(ready());
}

std::string SecretDialog::take_secret() {
    std::string secret = ss(edit_->text());
    edit_->clear();
    return secret;
}

}  // namespace rankscope::gui
