// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_problem.h>

#include <QTimer>
#include <QWidget>
#include <string>
#include <vector>

class QLabel;

namespace rankscope::gui {

class JobTextEdit;

/// The text of a job file, with the meaning of the key at the cursor and what is wrong with its line below.
class JobTextPane : public QWidget {
    Q_OBJECT

public:
    explicit JobTextPane(QWidget* parent = nullptr);

    /// As a file has it; no signal. Text that is not UTF-8 can only be read.
    void set_text(const std::string& text);
    /// With the line ends of the file.
    std::string text() const;
    void set_faults(const config::ConfigProblems& faults);
    JobTextEdit* edit() { return edit_; }

signals:
    /// By the user.
    void textEdited();

private:
    void show_help();

    JobTextEdit* edit_;
    QLabel* help_;
    QTimer help_timer_;
    bool crlf_ = false;
};

}  // namespace rankscope::gui
