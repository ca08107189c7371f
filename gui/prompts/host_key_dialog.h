// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/transport/prompter.h>

#include <QDialog>

class QLabel;
class QPushButton;
class QTableWidget;

namespace rankscope::gui {

/// Shows the keys of hosts that are not known yet, all that ask at the same time in one list. Trusts nothing
/// unless the person says so: Enter and Escape both mean "don't connect".
class HostKeyDialog : public QDialog {
    Q_OBJECT

public:
    explicit HostKeyDialog(QWidget* parent);

    void add(const HostKeyQuestion& question);
    /// Was the i-th key (in the order of add) ticked?
    bool accepted_at(int i) const;

private:
    void update_texts();

    QLabel* text_;
    QTableWidget* table_;
    QPushButton* accept_;
};

}  // namespace rankscope::gui
