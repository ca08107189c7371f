// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/background_job.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/launch_lines/script_text.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <QDialog>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QComboBox;
class QListWidget;
class QLayout;
class QPushButton;

namespace rankscope::gui {

class NoticeBar;

/// Makes a job of a command line of another launcher (torchrun, srun, mpirun, …) or of a whole script, and shows it
/// while the user types. What needs a shell is evaluated in the background. Where the line names no nodes they are
/// chosen here; a line of srun may become a Slurm job; values that a script asks for have a field each. OK is disabled
/// while the line is not understood.
class PasteDialog : public QDialog {
    Q_OBJECT

public:
    /// `chosen`: the nodes chosen in the form, ticked here at first.
    PasteDialog(Inventory inventory, std::vector<std::string> chosen, QWidget* parent);

    const Job& job() const { return job_; }

private:
    void read();
    void show_read(const ReadText& read);
    PastedText pasted() const;
    void offer_values(const std::vector<std::string>& missing);
    void offer_starts(const std::vector<std::string>& starts);
    void open_script();
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
    QComboBox* starts_;  ///< which job of several
    QString folder_;     ///< of the opened script; empty: the text was pasted
    QWidget* values_;    ///< a field for each value that the script asks for
    std::map<std::string, QLineEdit*> fields_;
    PastedText evaluated_;                ///< what evaluation_ is of
    std::optional<ReadText> evaluation_;  ///< nothing: there is none, or it is on its way
    Job job_;
    QPlainTextEdit* line_;
    NoticeBar* fault_;
    QLabel* notes_;
    QPlainTextEdit* result_;
    QPushButton* ok_;
    BackgroundJob evaluating_;
};

}  // namespace rankscope::gui
