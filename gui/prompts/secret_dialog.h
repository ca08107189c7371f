// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/transport/prompter.h>

#include <QDialog>
#include <string>

class QLineEdit;

namespace rankscope::gui {

/// Asks for a password or a passphrase. It is kept in memory only, and only until it is taken.
class SecretDialog : public QDialog {
    Q_OBJECT

public:
    SecretDialog(const SecretQuestion& question, QWidget* parent);

    std::string take_secret();

private:
    QLineEdit* edit_;
};

}  // namespace rankscope::gui
