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
class QComboBox;
class QListWidget;
class QLayout;
class QPushButton;

namespace rankscope::gui {

class NoticeBar;

/// Makes a job of a command line of another launcher (torchrun, srun, mpirun, …) and shows it while the user
/// types. Where the line names no nodes they are chosen here; a line of srun may become a Slurm job. OK is
/// disabled while the line is not understood.
class PasteDialog : public QDialog {
    Q_OBJECT

public:
    /// `chosen`: the nodes chosen in the form, ticked here at first.
    PasteDialog(Inventory inventory, std::vector<std::string> chosen, QWidget* parent);

    const Job& job() const { return job_; }

private:
    void read();
    void make_where(QLayout* layout, const std::vector<std::string>& chosen);
    std::vector<std::string> ticked() const;
    void tick(const std::vector<std::string>& names);
    /// What ticks several nodes at once: so many of the first, a group.
    void offer_ticks(int wanted);
    void offer_launchers(const std::string& command);
    void show_fault(const QString& what, const QString& remedy);

    Inventory inventory_;
    QLabel* nodes_title_;
    QListWidget* nodes_;
    QWidget* ticks_;   ///< buttons
    int wanted_ = -1;  ///< nodes that they are for
    QComboBox* launcher_;
    Job job_;
    QPlainTextEdit* line_;
    NoticeBar* fault_;
    QLabel* notes_;
    QPlainTextEdit* result_;
    QPushButton* ok_;
};

}  // namespace rankscope::gui
