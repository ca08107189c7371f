// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QDialog>
#include <QTimer>
#include <vector>

class QPushButton;

namespace rankscope::gui {

/// A dialog that appears by itself, while the user may be typing or clicking somewhere else. For a moment after
/// it appears or changes it accepts no answer, so that an Enter, Escape or click meant for something else does
/// not answer it. Text fields work at once.
class QuestionDialog : public QDialog {
    Q_OBJECT

public:
    explicit QuestionDialog(QWidget* parent);

    /// Does it accept answers now?
    bool ready() const { return !delay_.isActive(); }
    void reject() override;
    void accept() override;

protected:
    /// Starts the delay: the dialog shows something new.
    void changed();
    /// Called when the delay begins and when it ends: enable the buttons that answer.
    virtual void update_buttons() = 0;
    void showEvent(QShowEvent* event) override;

private:
    QTimer delay_;
};

}  // namespace rankscope::gui
