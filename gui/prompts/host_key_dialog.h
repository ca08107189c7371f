// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/prompts/question_dialog.h>
#include <remote/desk/nodes/transport/prompter.h>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

/// The keys of unknown hosts that arrive at the same time, in one list. Enter and Escape both mean "don't
/// connect": a key is trusted only by the button.
class HostKeyDialog : public QuestionDialog {
    Q_OBJECT

public:
    explicit HostKeyDialog(QWidget* parent);

    /// May be called while the dialog is open.
    void add(const HostKeyQuestion& question);
    /// Was the i-th key (in the order of add) ticked?
    bool accepted_at(int i) const;

protected:
    void update_buttons() override;

private:
    int ticked() const;
    void update_texts();

    QLabel* text_;
    QTableWidget* table_;
    QPushButton* reject_;
    QPushButton* accept_;
};

}  // namespace rankscope::gui
