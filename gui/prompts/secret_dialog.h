// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/prompts/question_dialog.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <string>

class QDialogButtonBox;
class QLineEdit;

namespace rankscope::gui {

/// Asks for a password or a passphrase. It is kept in memory only, and only until it is taken.
class SecretDialog : public QuestionDialog {
    Q_OBJECT

public:
    SecretDialog(const SecretQuestion& question, QWidget* parent);

    std::string take_secret();

protected:
    void update_buttons() override;

private:
    QDialogButtonBox* buttons_;
    QLineEdit* edit_;
};

}  // namespace rankscope::gui
