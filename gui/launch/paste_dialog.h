// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/config/inventory.h>
#include <remote/desk/config/job.h>

#include <QDialog>
#include <string>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace rankscope::gui {

class NoticeBar;

/// A command line of another launcher (torchrun, srun, mpirun, …) becomes a job. What it became is shown
/// while it is typed or pasted; OK stays shut while it is not understood.
class PasteDialog : public QDialog {
    Q_OBJECT

public:
    /// `chosen`: the nodes chosen in the form, for lines that name none.
    PasteDialog(Inventory inventory, std::vector<std::string> chosen, QWidget* parent);

    const Job& job() const { return job_; }

private:
    void read();

    Inventory inventory_;
    std::vector<std::string> chosen_;
    Job job_;
    QPlainTextEdit* line_;
    NoticeBar* fault_;
    QLabel* notes_;
    QPlainTextEdit* result_;
    QPushButton* ok_;
};

}  // namespace rankscope::gui
